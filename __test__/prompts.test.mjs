// `ses-executor/prompts`: the system prompt of appendix D, and tools as declarations.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Handlebars from 'handlebars';
import { describe, expect, test } from 'vitest';

import { validateCode } from 'ses-executor';
import {
  CODE_AGENT_SYSTEM_PROMPT,
  renderSystemPrompt,
  systemPromptVariables,
  toJavaScriptSignature,
} from 'ses-executor/prompts';

import { ROOT } from './helpers.mjs';

/** Sections 14.2 and 14.3 of the specification, word by word. */
const fixture = (name) => readFileSync(join(ROOT, '__test__', 'fixtures', name), 'utf8').trimEnd();
const text = fixture('system-prompt.txt');
const examples = fixture('system-prompt-examples.txt').split('\n---\n');

const search = {
  name: 'search',
  description: 'Searches the web.',
  inputs: {
    query: { type: 'string', description: 'What to look for.' },
    limit: { type: 'integer', description: 'How many results.', default: 10 },
  },
  output_type: 'string',
};

/** As smolagents-ts fills templates in. */
const populate = (template, variables) => Handlebars.compile(template, { noEscape: true, strict: true })(variables);

describe('the template', () => {
  test('has the text of section 14.2, every line in its order', () => {
    let from = 0;
    for (const line of text.split('\n')) {
      const at = CODE_AGENT_SYSTEM_PROMPT.indexOf(`${line}\n`, from);
      expect(at, line).toBeGreaterThanOrEqual(from);
      from = at + line.length;
    }
    expect(CODE_AGENT_SYSTEM_PROMPT.startsWith(text.split('\n')[0])).toBe(true);
    expect(CODE_AGENT_SYSTEM_PROMPT.endsWith('\nNow Begin!\n')).toBe(true);
  });

  test('has the ten rules as one block', () => {
    const rules = text.slice(text.indexOf('Rules:\n1. '), text.indexOf('\n\n{{#if custom_instructions}}'));
    expect(rules.match(/^\d+\. /gm)).toHaveLength(10);
    expect(CODE_AGENT_SYSTEM_PROMPT).toContain(`\n${rules}\n`);
  });

  test.each(examples.map((example) => [example.split('\n')[0], example]))(
    'has the example of 14.3: %s',
    (_, example) => {
      expect(CODE_AGENT_SYSTEM_PROMPT).toContain(`---\n${example}\n`);
    },
  );

  test('has the placeholders of smolagents', () => {
    const placeholders = new Set(CODE_AGENT_SYSTEM_PROMPT.match(/\{\{\{?[#/]?\w+( \w+)?\}?\}\}/g));
    expect([...placeholders].sort()).toEqual([
      '{{#if custom_instructions}}',
      '{{#if has_authorized_imports}}',
      '{{#if has_managed_agents}}',
      '{{/if}}',
      '{{authorized_imports}}',
      '{{code_block_closing_tag}}',
      '{{code_block_opening_tag}}',
      '{{custom_instructions}}',
      '{{{managed_agents_prompt}}}',
      '{{{tools_prompt}}}',
    ]);
  });
});

describe('renderSystemPrompt', () => {
  const cases = [
    ['nothing', {}],
    ['tools', { tools: [search] }],
    ['imports', { authorizedImports: ['units', 'a/b'] }],
    ['instructions', { customInstructions: 'Answer in verse: {{tools_prompt}} <b>&"\'' }],
    ['agents', { managedAgents: [{ name: 'researcher', description: 'Reads papers.' }] }],
    ['tags', { codeBlockTags: ['```js', '```'] }],
    ['all', {
      tools: new Map([['search', search]]),
      managedAgents: { researcher: { name: 'researcher' } },
      authorizedImports: ['units'],
      customInstructions: 'Be brief.\nBe exact.',
      codeBlockTags: ['<js>', '</js>'],
    }],
  ]; // prettier-ignore
  test.each(cases)('fills in what Handlebars fills in: %s', (_, options) => {
    const rendered = renderSystemPrompt(options);
    expect(rendered).toBe(populate(CODE_AGENT_SYSTEM_PROMPT, systemPromptVariables(options)));
    expect(rendered.replace(options.customInstructions, '')).not.toMatch(/\{\{/);
  });

  test('and so it does for other templates', () => {
    const template =
      '{{#if has_managed_agents}}\r\nagents\n  {{/if}}  \n{{#if has_authorized_imports}}{{authorized_imports}}{{/if}}.\n' +
      ' {{#if custom_instructions}}\n{{#if has_authorized_imports}}\nboth {{{custom_instructions}}}\n{{/if}}\n{{/if}}';
    for (const [, options] of cases) {
      expect(renderSystemPrompt({ ...options, template })).toBe(populate(template, systemPromptVariables(options)));
    }
  });

  test('without options', () => {
    const prompt = renderSystemPrompt();
    expect(prompt).toContain("The code block must start with '<code>' and end with '</code>'.\n");
    expect(prompt).toContain('\n8. You may import only from: [].\n');
    expect(prompt).not.toContain('team members');
    expect(prompt).not.toContain('await import(');
    expect(prompt).toContain(`You only have access to these tools:
<code>
/**
 * Provides the final answer to the task, and ends it.
 *
 * @param {any} answer The final answer.
 * @returns {never}
 */
function final_answer(answer) {}
</code>

Rules:
`);
  });

  test('tools in their order, final_answer at the end unless the agent has it as a tool', () => {
    const own = { name: 'final_answer', inputs: { answer: { type: 'any', description: 'The answer.' } } };
    const now = { name: 'now', output_type: 'string' };
    const { tools_prompt: added } = systemPromptVariables({ tools: [search, now] });
    expect(added.match(/^(async )?function \w+/gm)).toEqual([
      'async function search',
      'async function now',
      'function final_answer',
    ]);
    const { tools_prompt: given } = systemPromptVariables({ tools: { own, now } });
    expect(given).toBe(`${toJavaScriptSignature(own)}\n\n${toJavaScriptSignature(now)}`);
  });

  test('imports, and how they are written', () => {
    const prompt = renderSystemPrompt({ authorizedImports: ['units', 'x-ok'] });
    expect(prompt).toContain('\n8. You may import only from: ["units","x-ok"].\n');
    expect(prompt).toContain(
      '\nImport a module with `await import("name")`: static import statements are not available.\n',
    );
  });

  test('managed agents', () => {
    const prompt = renderSystemPrompt({ managedAgents: [{ name: 'researcher', description: 'Reads papers.' }] });
    expect(prompt).toContain(`You can call these team members:
<code>
/**
 * Reads papers.
 *
 * @param {string} task Long and detailed description of the task.
 * @param {object | null} [additional_args] What the team member needs besides, by name: images, tables, any other context.
 * @returns {Promise<any>}
 */
async function researcher(task, additional_args = null) {}
</code>

Rules:
`);
  });

  test.each([
    [{ tool: [] }, TypeError, 'options.tool is not an option; did you mean options.tools?'],
    [{ tools: 5 }, TypeError, 'options.tools must be an array, or a map or object by name, got 5'],
    [{ tools: [5] }, TypeError, 'a tool must be an object with a name and inputs, got 5'],
    [{ codeBlockTags: ['<code>'] }, TypeError, 'options.codeBlockTags must be an array of the opening and the closing tag, got an array'],
    [{ codeBlockTags: ['<code>', ' '] }, TypeError, 'options.codeBlockTags must hold two strings that are not blank, got " "'],
    [{ customInstructions: 5 }, TypeError, 'options.customInstructions must be a string, got 5'],
    [{ template: 5 }, TypeError, 'options.template must be a string, got 5'],
    [{ template: '{{#if has_managed_agents}}' }, TypeError, 'the template has an {{#if}} without {{/if}}'],
    [{ template: '{{/if}}' }, TypeError, 'the template has an {{/if}} that no {{#if}} belongs to'],
    [{ template: '{{tools}}' }, TypeError, /^the template asks for "tools"; .* tools_prompt, .* Handlebars and systemPromptVariables\(options\)$/],
    [{ template: '{{#each tools}}' }, TypeError, /^the template asks for "\{\{#each tools\}\}"; /],
  ])('refuses %j', (options, type, message) => {
    const render = () => renderSystemPrompt(options);
    expect(render).toThrow(type);
    expect(render).toThrow(typeof message === 'string' ? new type(message) : message);
  }); // prettier-ignore
});

describe('toJavaScriptSignature', () => {
  test('a tool of smolagents', () => {
    expect(toJavaScriptSignature(search)).toBe(`/**
 * Searches the web.
 *
 * @param {string} query What to look for.
 * @param {number} [limit=10] (integer) How many results.
 * @returns {Promise<string>}
 */
async function search(query, limit = 10) {}`);
  });

  test('optional parameters, described properties, output with description and example', () => {
    const tool = {
      name: 'edit',
      inputs: {
        range: { type: 'object', properties: { from: { type: 'integer', description: 'First line.' }, to: { type: 'integer', nullable: true } } },
        tags: { type: 'array', items: { type: 'string' }, nullable: true, description: 'Tags\n  of it.' },
        mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
        when: { type: ['string', 'null'] },
      },
      output_type: 'object',
      output_description: 'What was changed.',
      output_example: { lines: [1, 2] },
    }; // prettier-ignore
    expect(toJavaScriptSignature(tool)).toBe(`/**
 * @param {{ from: number, to?: number | null }} range
 * @param range.from First line.
 * @param {string[] | null} [tags] Tags of it.
 * @param {"a" | "b"} [mode="a"]
 * @param {string | null} when
 * @returns {Promise<object>} What was changed.
 * Example of the result:
 * {
 *   "lines": [
 *     1,
 *     2
 *   ]
 * }
 */
async function edit(range, tags = null, mode = "a", when) {}`);
  });

  test('one object of named arguments, for JSON Schema as MCP and function calling have it', () => {
    const schema = {
      type: 'object',
      properties: { path: { type: 'string', description: 'Path.' }, 'max-size': { type: 'number', default: 5 } },
      required: ['path'],
    };
    const expected = `/**
 * Reads a document.
 *
 * @param {object} args
 * @param {string} args.path Path.
 * @param {number} [args["max-size"]=5]
 * @returns {Promise<{ text: string, lines?: number[] }>}
 */
Host.readDoc = async function (args) {};`;
    const common = {
      name: 'Host.readDoc',
      description: 'Reads a document.',
      outputSchema: {
        type: 'object',
        properties: { text: { type: 'string' }, lines: { type: 'array', items: { type: 'integer' } } },
        required: ['text'],
      },
    };
    expect(toJavaScriptSignature({ ...common, inputSchema: schema })).toBe(expected);
    expect(toJavaScriptSignature({ ...common, input_schema: schema })).toBe(expected);
    expect(toJavaScriptSignature({ type: 'function', function: { ...common, parameters: schema } })).toBe(expected);
    const optional = toJavaScriptSignature({ name: 'f', inputSchema: { type: 'object', properties: { a: {} } } });
    expect(optional).toContain(' * @param {object} [args]\n * @param {any} [args.a]\n');
    const none = toJavaScriptSignature({ name: 'f', inputSchema: { type: 'object' } });
    expect(none).toBe('/**\n * @returns {Promise<any>}\n */\nasync function f() {}');
  });

  test('inputs given as JSON Schema are parameters one by one', () => {
    const inputs = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'boolean' } },
      required: ['a'],
    };
    expect(toJavaScriptSignature({ name: 'f', inputs, async: false, output_type: 'boolean' })).toBe(
      `/**
 * @param {string} a
 * @param {boolean} [b]
 * @returns {boolean}
 */
function f(a, b = undefined) {}`,
    );
  });

  const typeOf = (schema, root = {}) => {
    const inputs = { type: 'object', properties: { it: schema }, required: ['it'], ...root };
    return /@param \{(.*)\} it$/m.exec(toJavaScriptSignature({ name: 'f', inputs }))[1];
  };
  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'null' }, 'null'],
    [{ type: 'any' }, 'any'],
    [{ type: 'image' }, 'image'],
    [{ type: 'audio' }, 'audio'],
    [{ type: 'object' }, 'object'],
    [{ type: 'array' }, 'any[]'],
    [{ type: 'date' }, 'any'],
    [{}, 'any'],
    [true, 'any'],
    [{ type: ['integer', 'string', 'null'] }, 'number | string | null'],
    [{ type: 'number', nullable: true }, 'number | null'],
    [{ const: 'a' }, '"a"'],
    [{ enum: ['a', 1, true, null] }, '"a" | 1 | true | null'],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'string | string[]'],
    [{ oneOf: [{ type: 'string' }, {}] }, 'any'],
    [{ type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }, '{ a?: any, b?: any }'],
    [{ allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { anyOf: [{ const: 1 }, { const: 2 }] }] }, '{ a?: string } & (1 | 2)'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'Array<"a" | "b">'],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'number[][]'],
    [{ prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
    [{ properties: { 'a-b': { type: 'string' } }, required: ['a-b'] }, '{ "a-b": string }'],
    [{ additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ properties: { a: {} }, additionalProperties: { type: 'number' } }, '{ a?: any, [other: string]: number }'],
    [{ properties: { a: false } }, '{ a?: never }'],
    [{ $ref: 'https://example.com/schema' }, 'any'],
    [{ $ref: '#/$defs/missing' }, 'any'],
  ])('%j is %s', (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  }); // prettier-ignore

  test('$ref inside the document, with escapes; a schema inside itself is any', () => {
    const $defs = {
      'a/b~c d': { type: 'string' },
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, text: { $ref: '#/$defs/a~1b~0c%20d' } } },
      loop: { $ref: '#/$defs/loop' },
    };
    expect(typeOf({ $ref: '#/$defs/node' }, { $defs })).toBe('{ next?: any, text?: string }');
    expect(typeOf({ $ref: '#/$defs/loop' }, { $defs })).toBe('any');
    expect(typeOf({ $ref: '#' }, { $defs })).toBe('{ it: any }');
    const signature = toJavaScriptSignature({
      name: 'f',
      inputSchema: { $ref: '#/$defs/Args', $defs: { Args: { type: 'object', properties: { a: { type: 'string' } } } } },
    });
    expect(signature).toContain('@param {string} [args.a]');
  });

  test('types that references would make huge, and deep ones, are cut', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const next = { $ref: `#/$defs/s${i + 1}` };
        return [`s${i}`, { type: 'object', properties: { a: next, b: next } }];
      }),
    );
    const wide = typeOf({ $ref: '#/$defs/s0' }, { $defs });
    expect(wide.length).toBeLessThan(20_000);
    let deep = { type: 'string' };
    for (let i = 0; i < 10_000; i++) deep = { type: 'array', items: deep };
    expect(typeOf(deep)).toBe(`any${'[]'.repeat(12)}`);
  });

  test('nothing in a definition ends the comment', () => {
    const evil = '*/ process.exit() /*';
    const tool = {
      name: 'f',
      description: evil,
      inputs: { a: { type: 'string', description: evil, enum: [evil] }, b: { default: evil } },
      output_description: evil,
      output_example: evil,
    };
    const signature = toJavaScriptSignature(tool);
    expect(signature.split('*/')).toHaveLength(3);
    expect(signature.indexOf('*/')).toBe(signature.indexOf(' */\nasync function f(a, b = ') + 1);
    expect(signature.split('\n').filter((line) => !line.startsWith(' *'))).toEqual([
      '/**',
      'async function f(a, b = "*/ process.exit() /*") {}',
    ]);
    expect(signature).toContain(' * @param {"*\\/ process.exit() /*"} a *\\/ process.exit() /*\n');
    expect(validateCode(signature)).toEqual([]);
  });

  test('line breaks of a description stay inside the comment', () => {
    const signature = toJavaScriptSignature({ name: 'f', description: 'one\r\ntwo\rthree\u2028four\n\nfive' });
    expect(signature).toBe(
      '/**\n * one\n * two\n * three\n * four\n *\n * five\n *\n * @returns {Promise<any>}\n */\nasync function f() {}',
    );
  });

  test('defaults that cannot be written are left out', () => {
    const inputs = { a: { type: 'any', default: () => 1 }, b: { type: 'any', default: 5n } };
    const signature = toJavaScriptSignature({ name: 'f', inputs });
    expect(signature).toContain('@param {any} [a]\n * @param {any} [b]\n');
    expect(signature).toContain('function f(a = undefined, b = undefined) {}');
  });

  const identifier = 'its name must be an identifier, or identifiers joined by dots';
  test.each([
    [{ name: 'read-doc' }, `the tool "read-doc" cannot be called from JavaScript: ${identifier}; for example "read_doc"`],
    [{ name: 'class' }, `the tool "class" cannot be called from JavaScript: ${identifier}; for example "class_"`],
    [{ name: 'Host..x' }, `the tool "Host..x" cannot be called from JavaScript: ${identifier}; for example "Host.x"`],
    [{ name: '1st' }, `the tool "1st" cannot be called from JavaScript: ${identifier}; for example "_1st"`],
    [{ name: 'f() {}; evil' }, `the tool "f() {}; evil" cannot be called from JavaScript: ${identifier}; for example "f_______evil"`],
    [{ name: 'f', inputs: { 'a-b': {} } }, 'the input "a-b" of the tool f cannot be a parameter: its name must be a JavaScript identifier; for example "a_b"'],
    [{ name: 'f', inputs: { await: {} } }, 'the input "await" of the tool f cannot be a parameter: its name must be a JavaScript identifier; for example "await_"'],
    [{ name: 'f', inputs: { a: 'string' } }, 'the input a of the tool f must be an object with a type, got "string"'],
    [{ name: 'f', inputs: [] }, 'inputs of the tool f must be an object, got an array'],
    [{ name: '' }, 'a tool must have a name, a non-empty string, got ""'],
    [{}, 'a tool must have a name, a non-empty string, got undefined'],
    [null, 'a tool must be an object with a name and inputs, got null'],
  ])('refuses %j', (tool, message) => {
    expect(() => toJavaScriptSignature(tool)).toThrow(new TypeError(message));
  }); // prettier-ignore

  test('names of namespaces may be words that are reserved', () => {
    expect(toJavaScriptSignature({ name: 'Host.delete' })).toContain('\nHost.delete = async function () {};');
  });
});
