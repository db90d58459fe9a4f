// `ses-executor/prompts` for agents that write Python: section 13 of that specification.

import { describe, expect, test } from 'vitest';

import { BASE_BUILTIN_MODULES } from 'ses-executor/python';
import { CODE_AGENT_PYTHON_SYSTEM_PROMPT, renderSystemPrompt, toPythonSignature } from 'ses-executor/prompts';

describe('the template', () => {
  test.each([
    'these tools are basically Python functions',
    'All tools are synchronous; do not use await with tool calls.',
    'you must call final_answer(...)',
    'You can import modules only from the following list: {{authorized_imports}}',
    'The state persists between code executions',
    "especially not 'final_answer'",
    '{{code_block_opening_tag}}\n{{{tools_prompt}}}\n{{code_block_closing_tag}}',
    '{{#if has_managed_agents}}',
    '{{{managed_agents_prompt}}}',
    '{{#if custom_instructions}}\n{{custom_instructions}}\n{{/if}}\n\nNow Begin!\n',
    'answer = document_qa(document=document, question="Who is the oldest person mentioned?")',
    'result = 5 + 3 + 1294.678\nfinal_answer(result)',
    'translated_question = translator(question=question, src_lang="French", tgt_lang="English")',
    'for city in ["Guangzhou", "Shanghai"]:\n    print(f"Population {city}:", web_search(f"{city} population"))',
  ])('contains: %s', (text) => {
    expect(CODE_AGENT_PYTHON_SYSTEM_PROMPT).toContain(text);
  });

  test('is filled in completely', () => {
    const prompt = renderSystemPrompt({
      language: 'python',
      managedAgents: [{ name: 'bob', description: 'Searches.' }],
      authorizedImports: ['math', 're'],
      customInstructions: 'Be brief.',
    });
    expect(prompt).toContain('from the following list: ["math","re"]\n');
    expect(prompt).toContain('def bob(task: str, additional_args: dict | None = None) -> Any:\n    """Searches.\n');
    expect(prompt).toContain('def final_answer(answer: Any) -> NoReturn:\n');
    expect(prompt.endsWith('\nBe brief.\n\nNow Begin!\n')).toBe(true);
    expect(prompt).not.toMatch(/\{\{|JavaScript/);
  });

  test.each([
    ['the default of the executor', undefined, JSON.stringify(BASE_BUILTIN_MODULES)],
    ['the given list', ['numpy', 'pandas.*'], '["numpy","pandas.*"]'],
    ['none if none are allowed', [], '[]'],
  ])('names the modules that can be imported: %s', (_title, authorizedImports, expected) => {
    expect(renderSystemPrompt({ language: 'python', authorizedImports })).toContain(
      `You can import modules only from the following list: ${expected}\n`,
    );
  });

  test('exists for no other language', () => {
    expect(() => renderSystemPrompt({ language: 'ruby' })).toThrow(
      new TypeError('options.language must be "javascript" or "python", got "ruby"'),
    );
  });
});

describe('declarations in Python', () => {
  test('have the inputs of smolagents as parameters', () => {
    const signature = toPythonSignature({
      name: 'search',
      description: 'Searches\nthe """web""".',
      inputs: {
        query: { type: 'string', description: 'What to look for.' },
        limit: { type: 'integer', default: 10, description: 'How many.' },
        region: { type: 'string', nullable: true },
      },
      output_type: 'array',
      output_description: 'Titles.',
    });
    expect(signature).toBe(`def search(query: str, limit: int = 10, region: str | None = None) -> list:
    """Searches
    the \\"\\"\\"web\\"\\"\\".

    Args:
        query: What to look for.
        limit: How many.
        region:

    Returns:
        Titles.
    """`);
  });

  test.each([
    [{ name: 'f' }, 'def f() -> Any:\n    ...'],
    [
      { name: 'f', inputs: { a: { type: 'string', default: 'x' }, b: { type: 'number' } } },
      'def f(*, a: str = "x", b: float) -> Any:\n    """Args:\n        a:\n        b:\n    """',
    ],
    [
      {
        name: 'Host.f',
        parameters: {
          type: 'object',
          properties: {
            kind: { enum: ['a', 1, null, true] },
            list: { type: 'array', items: { $ref: '#/$defs/item' } },
            map: { type: 'object', additionalProperties: { type: ['integer', 'null'] } },
          },
          required: ['kind', 'list'],
          $defs: { item: { anyOf: [{ type: 'string' }, { type: 'boolean' }] } },
        },
        outputType: 'string',
      },
      'def Host.f(*, kind: Literal["a", 1, None, True], list: list[str | bool], map: dict[str, int | None] | None = None) -> str:\n' +
        '    """Args:\n        kind:\n        list:\n        map:\n    """',
    ],
    [
      {
        name: 'f',
        parameters: { type: 'object', properties: { from: { description: 'Where.' } }, required: ['from'] },
      },
      'def f(args: dict) -> Any:\n' +
        '    """Args:\n        args: { from: any } (in TypeScript notation)\n\n' +
        '    Args, keys of `args`:\n        from: Where.\n    """',
    ],
    // One name that is not a Python identifier lost the types of all.
    [
      { name: 'f', inputs: { from: { type: 'string' }, kind: { enum: ['a', 'b'], default: 'a' } } },
      'def f(args: dict) -> Any:\n' +
        '    """Args:\n        args: { from: string, kind?: "a" | "b" } (in TypeScript notation)\n\n' +
        '    Args, keys of `args`:\n        from:\n        kind:\n    """',
    ],
    // Keys that are listed were any.
    [
      {
        name: 'f',
        inputs: {
          some: { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'integer' } },
          all: { type: 'object', propertyNames: { minLength: 1 }, additionalProperties: { type: 'integer' } },
        },
      },
      'def f(some: dict[Literal["a", "b"], int], all: dict[str, int]) -> Any:\n' +
        '    """Args:\n        some:\n        all:\n    """',
    ],
    [
      {
        name: 'f',
        parameters: {
          oneOf: [
            { type: 'object', properties: { id: { type: 'string', description: 'Its id.' } }, required: ['id'] },
            { type: 'object', properties: { n: { type: 'number' } } },
          ],
        },
      },
      'def f(args: dict) -> Any:\n' +
        '    """Args:\n        args: { id: string } | { n?: number } (in TypeScript notation)\n\n' +
        '    Args, keys of `args`:\n        id: Its id.\n        n:\n    """',
    ],
    [
      { name: 'f', parameters: { type: 'object', additionalProperties: { type: 'number' } } },
      'def f(args: dict[str, float]) -> Any:\n' +
        '    """Args:\n        args: Record<string, number> (in TypeScript notation)\n    """',
    ],
    [
      {
        name: 'f',
        inputs: {
          a: { allOf: [{ type: 'object' }, { properties: {} }] },
          b: { type: 'object', anyOf: [{ required: ['a'] }] },
          c: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
        },
      },
      'def f(a: dict, b: dict, c: list) -> Any:\n    """Args:\n        a:\n        b:\n        c:\n    """',
    ],
  ])('declare %j', (tool, expected) => {
    expect(toPythonSignature(tool)).toBe(expected);
  });

  test('describe the keys of objects in parameters and results, which annotations lack', () => {
    const entity = {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Its name.' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['name'],
    };
    const signature = toPythonSignature({
      name: 'create',
      description: 'Creates.',
      inputSchema: {
        type: 'object',
        properties: { entities: { type: 'array', items: entity, description: 'Which.' }, dryRun: { type: 'boolean' } },
        required: ['entities'],
      },
      outputSchema: { type: 'object', properties: { created: { type: 'integer', description: 'How many.' } } },
    });
    expect(signature).toBe(`def create(*, entities: list[dict], dryRun: bool | None = None) -> dict:
    """Creates.

    Args:
        entities: Which.
            Array<{ name: string, tags?: string[] }> (in TypeScript notation)
            entities[]["name"]: Its name.
        dryRun:

    Returns:
        { created?: number } (in TypeScript notation)
        ["created"]: How many.
    """`);
  });

  const listOf = (...type) => ({ type: 'array', items: { type } });
  test.each([
    [{ anyOf: [listOf('integer', 'null'), listOf('string', 'null')] }, 'list[int | None] | list[str | None]'],
    [{ anyOf: [listOf('number', 'string'), { additionalProperties: { type: ['integer', 'string'] }, type: 'object' }] }, 'list[float | str] | dict[str, int | str]'],
    [{ anyOf: [{ enum: [' | ', ' | | '] }, { type: 'null' }] }, 'Literal[" | ", " | | "] | None'],
    [{ anyOf: [{ type: ['string', 'null'] }, { type: 'null' }, { type: 'string' }] }, 'str | None'],
    [{ enum: [] }, 'Any'],
    [{ type: 'string', enum: [] }, 'str'],
  ])('declare %j as %s', (schema, type) => {
    const inputSchema = { type: 'object', properties: { a: schema }, required: ['a'] };
    expect(toPythonSignature({ name: 'f', inputSchema }).split('\n')[0]).toBe(`def f(*, a: ${type}) -> Any:`);
  }); // prettier-ignore

  test('add None to an optional parameter that may be a list of None', () => {
    const inputSchema = { type: 'object', properties: { a: { anyOf: [listOf('integer', 'null'), listOf('null')] } } };
    expect(toPythonSignature({ name: 'f', inputSchema }).split('\n')[0]).toBe(
      'def f(*, a: list[int | None] | list[None] | None = None) -> Any:',
    );
  });

  test('cut annotations that references would make huge', () => {
    const $defs = { value: { anyOf: [{ type: 'string' }, ...[1, 2, 3].map((n) => ({ type: 'array', items: { anyOf: [{ const: n }, { $ref: '#/$defs/value' }] } }))] } };
    const inputSchema = { type: 'object', properties: { a: { $ref: '#/$defs/value' } }, required: ['a'], $defs };
    expect(toPythonSignature({ name: 'f', inputSchema }).split('\n')[0]).toBe('def f(*, a: str | list[Any]) -> Any:');
  }); // prettier-ignore

  test('require names to be identifiers', () => {
    expect(() => toPythonSignature({ name: 'import' })).toThrow(
      new TypeError('the tool "import" cannot be called from Python: its name must be an identifier'),
    );
  });
});
