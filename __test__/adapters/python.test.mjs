// Adapters with `language: 'python'`.

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createCodeTool } from 'ses-executor/code-tool';
import { PyodideExecutor } from 'ses-executor/python';
import { createSmolagentsExecutor, SmolagentsExecutor } from 'ses-executor/smolagents';

const search = {
  description: 'Searches.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What.' }, limit: { type: 'integer' } },
    required: ['query'],
  },
  execute: async (input) => input,
};

describe('the code tool for Python', () => {
  test('declares and runs tools as Python functions', async () => {
    const tool = createCodeTool({ language: 'python', tools: { search, plus: (a, b) => a + b } });
    expect(tool.name).toBe('run_python');
    expect(tool.inputSchema.properties.code.description).toBe('The program to run, in Python');
    expect(tool.description).toContain(
      'def search(*, query: str, limit: int | None = None) -> Any:\n    """Searches.\n\n    Args:\n        query: What.\n        limit:\n    """',
    );
    expect(tool.description).toContain('\n\ndef plus(*args, **kwargs): ...');
    const code = 'print("a")\n[search(query="q"), search("q", limit=2), search("q", 3), plus(1, 2)]';
    expect(await tool.execute(code)).toStrictEqual({
      output: [{ query: 'q' }, { query: 'q', limit: 2 }, { query: 'q', limit: 3 }, 3],
      logs: 'a\n',
      text: '[{"query":"q"},{"query":"q","limit":2},{"query":"q","limit":3},3]\n\nLogs:\na\n',
    });
  });

  test('reports to a model what failed', async () => {
    const tool = createCodeTool({ language: 'python', tools: { search } });
    const { error, text } = await tool.execute('print("a")\nx = 1\nx.nope');
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', line: 3, column: 1 });
    expect(text).toBe(
      [
        "ERR_RUNTIME_EXCEPTION: AttributeError: 'int' object has no attribute 'nope'",
        'Code execution failed at line 3: x.nope (line 3, column 1)',
        error.codeFrame,
        `Hint: ${error.hint}`,
        '',
        'Logs:',
        'a',
        '',
      ].join('\n'),
    );
  });

  test('treats None for an optional parameter as omitted if its schema does not allow null', async () => {
    const string = { type: 'string' };
    const properties = {
      query: string,
      since: string,
      limit: { type: 'integer', default: 3 },
      kind: { enum: ['a', 'b'] },
      item: { $ref: '#/$defs/item' },
      choice: { enum: ['a', null] },
      region: { type: ['string', 'null'] },
      owner: { anyOf: [string, { type: 'null' }] },
      nullable: { type: 'string', nullable: true },
      any: {},
    };
    const inputSchema = { type: 'object', properties, required: ['query'], $defs: { item: { allOf: [string, {}] } } };
    const zod = { inputSchema: z.object({ query: z.string(), since: z.string().optional() }), execute: (it) => it };
    const tool = createCodeTool({ language: 'python', tools: { find: { inputSchema, execute: (it) => it }, zod } });
    expect(tool.description).toContain('def zod(*, query: str, since: str | None = None) -> Any:\n');
    const names = Object.keys(properties).slice(1);
    const code = `[find(query="q", ${names.map((name) => `${name}=None`).join(', ')}), zod("q", None)]`;
    expect((await tool.execute(code)).output).toStrictEqual([
      { query: 'q', choice: null, region: null, owner: null, nullable: null, any: null },
      { query: 'q' },
    ]);
    expect((await tool.execute('find(query=None)')).error.message.split('\n')[0]).toBe(
      'ToolError: InvalidToolInputError: the input of find is not valid: query must be string, got null; pass one object as declared',
    );
  });

  test.each([
    ['update("x", {})', { id: 'x', data: {} }],
    ['update("x", {"id": "y"})', { id: 'x', data: { id: 'y' } }],
    ['update("x", {"data": {}})', { id: 'x', data: {} }],
    ['update("x", data={})', { id: 'x', data: {} }],
    ['update({"id": "x", "data": {}})', { id: 'x', data: {} }],
  ])('accepts dictionaries as keyword arguments where that is unambiguous: %s', async (code, input) => {
    const properties = { id: { type: 'string' }, data: { type: 'object' } };
    const inputSchema = { type: 'object', properties, required: ['id', 'data'] };
    const tool = createCodeTool({ language: 'python', tools: { update: { inputSchema, execute: (it) => it } } });
    expect((await tool.execute(code)).output).toStrictEqual(input);
    const forward = async (given) => given;
    const tools = [{ name: 'update', description: 'Updates.', inputs: properties, output_type: 'object', forward }];
    const executor = new SmolagentsExecutor({ language: 'python', tools, mount: false });
    expect((await executor.run(code)).output).toStrictEqual(input);
    await executor.cleanup();
  });

  test('reports that a tool accepts no integer beyond 2^53', async () => {
    const properties = { ns: { type: 'integer' } };
    const since = { inputSchema: { type: 'object', properties }, execute: (it) => it };
    const tool = createCodeTool({ language: 'python', tools: { since } });
    expect((await tool.execute('since(2**52)')).output).toStrictEqual({ ns: 2 ** 52 });
    expect((await tool.execute('since(2**60)')).text.split('\n')[0]).toBe(
      'ERR_TOOL_PROXY_FAIL: ToolError: InvalidToolInputError: the input of since is not valid: ' +
        'it cannot be written as JSON: "ns" is an integer beyond 2^53; pass one object as declared',
    );
    const forward = async (given) => given;
    const tools = [{ name: 'since', description: 'Since.', inputs: properties, output_type: 'object', forward }];
    const executor = new SmolagentsExecutor({ language: 'python', tools, mount: false });
    const error = await executor.run('since(2**60)').catch((thrown) => thrown);
    expect(error.details.message).toBe(
      'since: the argument ns must be an integer, got an integer beyond 2^53, which cannot be given to this tool',
    );
    await executor.cleanup();
  });

  test('reports the parameters of a tool that is called with too many arguments', async () => {
    const tool = createCodeTool({ language: 'python', tools: { search } });
    const { text } = await tool.execute('search("q", 3, 4)');
    expect(text.split('\n')[0]).toBe(
      'ERR_TOOL_PROXY_FAIL: ToolError: TypeError: called with 3 arguments; it takes (query, limit)',
    );
  });

  const F = '```';
  test.each([
    ['a list', `1. x\n   ${F}python\n   a = 40\n   if a:\n       a += 2\n   a\n   ${F}`],
    ['a block quote', `> ${F}python\n> a = 40\n>\n> if a:\n>     a += 2\n> a\n> ${F}`],
    ['a block quote without blanks', `>${F}py\n>a = 42\n>a\n>${F}`],
    ['several lists', `- ${F}py\n  a = 40\n  ${F}\n- and\n  ${F}py\n  a + 2\n  ${F}`],
    ['the line of the fence', `${F}python a = 40\na + 2\n${F}`],
  ])('runs indented code in fences: %s', async (_, text) => {
    const { output, error } = await createCodeTool({ language: 'python', tools: {} }).execute(text);
    expect([output, error]).toStrictEqual([42, undefined]);
  });

  test.each([
    ['thoughts in tags', '<think>a\nb</think>\na = 40\nif a:\n    a += 2\na'],
    ['thoughts on the same line', '<think>a</think> a = 40\na + 2'],
    ['tags', '<code>a = 40\na + 2</code>'],
    ['tags on their own lines', '<code lang="python">\na = 40\na + 2\n</code>'],
  ])('runs code after or in %s', async (_, text) => {
    const { output, error } = await createCodeTool({ language: 'python', tools: {} }).execute(text);
    expect([output, error]).toStrictEqual([42, undefined]);
  });

  test('names the line of the text for an error in indented code', async () => {
    const text = `> Run\n> ${F}python\n> a = 40\n> a + b\n> ${F}`;
    const { error } = await createCodeTool({ language: 'python', tools: {} }).execute(text);
    expect([error?.line, error?.message]).toStrictEqual([
      4,
      "NameError: name 'b' is not defined\nCode execution failed at line 4: a + b",
    ]);
  });

  test('accepts a long-lived executor', async () => {
    const executor = new PyodideExecutor(['math'], { mount: false });
    const tool = createCodeTool({ executor, tools: {} });
    expect(tool.name).toBe('run_python');
    await tool.execute('a = 1');
    expect((await tool.execute('a + 1')).output).toBe(2);
    await executor.cleanup();
  });

  test('refuses wrong options immediately', () => {
    expect(() => createCodeTool({ language: 'python', tools: {}, max_operations: -1 })).toThrow(
      new TypeError('options.max_operations must be a positive integer or Infinity, got -1'),
    );
  });
});

describe('the executor of smolagents-ts', () => {
  const tool = {
    name: 'weather',
    description: 'Weather.',
    inputs: { city: { type: 'string' }, unit: { type: 'string', default: 'C' } },
    output_type: 'string',
    forward: async ({ city, unit }) => `${city}: 20 ${unit}`,
  };

  test('can call tools in JavaScript and in Python', async () => {
    for (const executor of [
      new SmolagentsExecutor({ language: 'python', tools: [tool], mount: false }),
      createSmolagentsExecutor({ language: 'python', tools: [tool], mount: false }),
    ]) {
      expect(executor).toBeInstanceOf(PyodideExecutor);
      await executor.sendVariables({ city: 'Rome' });
      await executor.sendTools({}, { double: 'def double(n):\n    return n * 2', weather: 'weather = None' });
      const output = await executor.run(
        'final_answer([weather(city), weather("Rome", unit="F"), weather(city="Rome"), double(2)])',
      );
      expect({ ...output }).toStrictEqual({
        output: ['Rome: 20 C', 'Rome: 20 F', 'Rome: 20 C', 4],
        logs: '',
        is_final_answer: true,
      });
      await executor.cleanup();
    }
  });
});
