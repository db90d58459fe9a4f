// Tools as declarations: `toJavaScriptSignature` of `ses-executor/prompts`.

import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { validateCode } from 'ses-executor';
import { toJavaScriptSignature } from 'ses-executor/prompts';

import fc from '../fast-check.mjs';

const search = {
  name: 'search',
  description: 'Searches the web.',
  inputs: {
    query: { type: 'string', description: 'What to look for.' },
    limit: { type: 'integer', description: 'How many results.', default: 10 },
  },
  output_type: 'string',
};

describe('toJavaScriptSignature', () => {
  test('declares a tool of smolagents', () => {
    expect(toJavaScriptSignature(search)).toBe(`/**
 * Searches the web.
 *
 * @param {string} query What to look for.
 * @param {number} [limit=10] (integer) How many results.
 * @returns {Promise<string>}
 */
async function search(query, limit = 10) {}`);
  });

  test('declares optional parameters, described properties, and an output with description and example', () => {
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

  test('declares one object of named arguments for the JSON Schema of MCP and function calling', () => {
    const schema = {
      type: 'object',
      properties: { path: { type: 'string', description: 'Path.' }, limit: { type: 'number', default: 5 } },
      required: ['path'],
    };
    const expected = `/**
 * Reads a document.
 *
 * @param {object} args
 * @param {string} args.path Path.
 * @param {number} [args.limit=5]
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

  test('quotes property names that are not identifiers', () => {
    const properties = {
      path: { type: 'string', description: 'Path.' },
      'max-size': { type: 'number', description: 'Bytes\nat most.' },
    };
    const inputSchema = { type: 'object', properties, required: ['path'] };
    expect(toJavaScriptSignature({ name: 'read', inputSchema, output_type: 'string' })).toBe(`/**
 * @param {{ path: string, "max-size"?: number }} args "max-size": Bytes at most.
 * @param args.path Path.
 * @returns {Promise<string>}
 */
async function read(args) {}`);
    const inputs = { options: { ...inputSchema, description: 'Options.' } };
    expect(toJavaScriptSignature({ name: 'read', inputs })).toContain(
      ' * @param {{ path: string, "max-size"?: number }} options Options. "max-size": Bytes at most.\n * @param options.path Path.\n',
    );
  });

  const described = {
    filter: {
      type: 'object',
      description: 'Which.',
      properties: { since: { type: 'string', description: 'ISO 8601\ndate.' }, 'max-size': { description: 'Bytes.' } },
      required: ['since'],
    },
    entities: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/entity' } }, { type: 'null' }] },
    days: { type: 'array', items: { type: 'string', description: 'ISO 8601.' } },
    byName: { type: 'object', additionalProperties: { $ref: '#/$defs/entity' } },
  };
  const $defs = {
    entity: {
      type: 'object',
      properties: {
        name: { $ref: '#/$defs/name' },
        parts: { type: 'array', items: { $ref: '#/$defs/entity' }, description: 'Of the same kind.' },
        'sort-by': { type: 'string', description: 'A name.' },
      },
      required: ['name'],
    },
    name: { type: 'string', description: 'Its name.' },
  };

  test('describes nested members by their path', () => {
    const inputSchema = { type: 'object', properties: described, required: ['filter'], $defs };
    const outputSchema = {
      type: 'array',
      items: { properties: { total: { type: 'integer', description: 'In cents.' } } },
    };
    const entity = '{ name: string, parts?: any[], "sort-by"?: string }';
    const members = [
      ' * @param args.filter.since ISO 8601 date.',
      ` * @param {Array<${entity}> | null} [args.entities]`,
      ' * @param args.entities[].name Its name.',
      ' * @param args.entities[].parts Of the same kind.',
      ' * @param args.entities[] "sort-by": A name.',
      ' * @param {string[]} [args.days]',
      ' * @param args.days[] ISO 8601.',
      ` * @param {Record<string, ${entity}>} [args.byName]`,
    ];
    expect(toJavaScriptSignature({ name: 'f', inputSchema, outputSchema }).split('\n')).toStrictEqual([
      '/**',
      ' * @param {object} args',
      ' * @param {{ since: string, "max-size"?: any }} args.filter Which. "max-size": Bytes.',
      ...members,
      ' * @returns {Promise<Array<{ total?: number }>>}',
      ' * Members of the result:',
      ' * [].total: In cents.',
      ' */',
      'async function f(args) {}',
    ]);
    const inputs = { type: 'object', properties: { byName: described.byName, filter: described.filter }, $defs };
    expect(toJavaScriptSignature({ name: 'f', inputs })).toContain(
      ' * @param {{ since: string, "max-size"?: any }} [filter] Which. "max-size": Bytes.\n * @param filter.since ISO 8601 date.\n',
    );
  });

  test('describes only the first members of many that references make', () => {
    const levels = Array.from({ length: 11 }, (_, i) => {
      const next = { $ref: `#/$defs/s${i + 1}`, description: 'More.' };
      return [`s${i}`, { type: 'object', properties: { a: next, b: next, c: next } }];
    });
    const inputSchema = { ...levels[0][1], $defs: Object.fromEntries(levels) };
    const lines = toJavaScriptSignature({ name: 'f', inputSchema }).split('\n');
    expect(lines.filter((line) => line.endsWith(' More.'))).toHaveLength(503);
    expect(lines).toContain(` * @param args${'.a'.repeat(11)} More.`);
  });

  test('declares inputs given as JSON Schema as separate parameters', () => {
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

  const byId = {
    type: 'object',
    properties: { id: { type: 'string', description: 'Its id.' } },
    required: ['id'],
  };
  const byUrl = { type: 'object', properties: { 'max-size': {}, url: { type: 'string' } }, required: ['url'] };
  test.each([
    ['alternatives', { type: 'object', oneOf: [byId, byUrl] }, '{ id: string } | { "max-size"?: any, url: string }', ['id']],
    ['alternatives without a type', { anyOf: [byId, { type: 'null' }] }, '{ id: string } | null', ['id']],
    ['an allOf', { allOf: [byId, { type: 'object', properties: { n: { type: 'number' } } }] }, '{ id: string } & { n?: number }', ['id']],
    ['properties and alternatives', { ...byId, anyOf: [{ $ref: '#/$defs/a' }, { properties: { b: { description: 'b' } } }], $defs: { a: { properties: { a: { type: 'null' } } } } }, '{ id: string } & ({ a?: null } | { b?: any })', ['id', 'b']],
    ['types', { ...byId, type: ['object', 'null'] }, '{ id: string } | null', ['id']],
    ['a record', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>', []],
    ['a record of any values', { type: 'object', additionalProperties: true }, 'Record<string, any>', []],
    ['properties and a record', { ...byId, additionalProperties: { type: 'number' } }, '{ id: string, [other: string]: number }', ['id']],
    ['a list', { type: 'array', items: { type: 'string' } }, 'string[]', []],
  ])('declares one object that is more than its properties: %s', (_, inputSchema, type, described) => {
    const members = { id: ' * @param args.id Its id.', b: ' * @param args.b b' };
    expect(toJavaScriptSignature({ name: 'f', inputSchema }).split('\n')).toStrictEqual([
      '/**',
      ` * @param {${type}} args`,
      ...described.map((name) => members[name]),
      ' * @returns {Promise<any>}',
      ' */',
      'async function f(args) {}',
    ]);
    expect(toJavaScriptSignature({ name: 'f', inputs: inputSchema })).toContain(` * @param {${type}} args\n`);
  }); // prettier-ignore

  test.each([
    ['properties without a type', { properties: { a: { type: 'string' } }, required: ['a'] }],
    ['alternatives that only restrict', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
    ['others of any type', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: {} }],
    ['a reference to itself', { $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } } }],
  ])('declares one object with nothing beyond its properties: %s', (_, inputSchema) => {
    expect(toJavaScriptSignature({ name: 'f', inputSchema })).toBe(
      '/**\n * @param {object} args\n * @param {string} args.a\n * @returns {Promise<any>}\n */\nasync function f(args) {}',
    );
  }); // prettier-ignore

  test.each([{}, { $ref: '#/$defs/missing' }, { $schema: 'http://json-schema.org/draft-07/schema#' }])(
    'declares the input as optional and unknown for a schema without constraints: %j',
    (inputSchema) => {
      expect(toJavaScriptSignature({ name: 'f', inputSchema })).toBe(
        '/**\n * @param {any} [args]\n * @returns {Promise<any>}\n */\nasync function f(args) {}',
      );
    },
  );

  test('accepts inputs whose names are schema keywords', () => {
    const inputs = { type: { type: 'string' }, properties: { type: 'object' }, required: { type: 'boolean' } };
    expect(toJavaScriptSignature({ name: 'f', inputs })).toContain('async function f(type, properties, required) {}');
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
    [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, '[string, ...number[]]'],
    [{ items: [{ type: 'string' }], additionalItems: { enum: [1, 2] } }, '[string, ...Array<1 | 2>]'],
    [{ prefixItems: [{ type: 'string' }], items: false }, '[string]'],
    [{ type: 'object', properties: { id: {} }, required: ['id'], oneOf: [{ properties: { bark: {} } }, { properties: { meow: {} } }] }, '{ id: any } & ({ bark?: any } | { meow?: any })'],
    [{ type: 'object', oneOf: [{ properties: { a: {} } }], allOf: [{ properties: { b: {} } }] }, '{ a?: any } & { b?: any }'],
    [{ type: 'string', anyOf: [{ const: 'a' }, { const: 'b' }] }, '"a" | "b"'],
    [{ properties: { 'a-b': { type: 'string' } }, required: ['a-b'] }, '{ "a-b": string }'],
    [{ additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ additionalProperties: { type: 'number' }, propertyNames: { type: 'string' } }, 'Record<string, number>'],
    [{ additionalProperties: { type: 'number' }, propertyNames: { enum: ['a', 'b'] }, required: ['a', 'b'] }, 'Record<"a" | "b", number>'],
    [{ additionalProperties: { type: 'number' }, propertyNames: { enum: ['a', 'b'] } }, 'Partial<Record<"a" | "b", number>>'],
    [{ patternProperties: { '^a': { type: 'number' }, '^b': { type: 'string' } }, additionalProperties: false }, 'Record<string, number | string>'],
    [{ properties: { a: {} }, patternProperties: { '^b': { type: 'string' } } }, '{ a?: any, [other: string]: string }'],
    [{ properties: { a: {} }, additionalProperties: { type: 'number' } }, '{ a?: any, [other: string]: number }'],
    [{ properties: { a: false } }, '{ a?: never }'],
    [{ $ref: 'https://example.com/schema' }, 'any'],
    [{ $ref: '#/$defs/missing' }, 'any'],
  ])('declares %j as %s', (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  }); // prettier-ignore

  test('resolves $ref inside the document, with escapes, and declares a recursive schema as any', () => {
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

  test('cuts types that references would make huge, and deep ones', () => {
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

  test('lets nothing in a definition end the comment', () => {
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
    expect(signature.split('\n').filter((line) => !line.startsWith(' *'))).toStrictEqual([
      '/**',
      'async function f(a, b = "*/ process.exit() /*") {}',
    ]);
    expect(signature).toContain(' * @param {"*\\/ process.exit() /*"} a *\\/ process.exit() /*\n');
    expect(validateCode(signature)).toStrictEqual([]);
  });

  test('keeps line breaks of a description inside the comment', () => {
    const signature = toJavaScriptSignature({ name: 'f', description: 'one\r\ntwo\rthree\u2028four\n\nfive' });
    expect(signature).toBe(
      '/**\n * one\n * two\n * three\n * four\n *\n * five\n *\n * @returns {Promise<any>}\n */\nasync function f() {}',
    );
  });

  test('omits defaults that cannot be written', () => {
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
    [{ name: 'délai-max' }, `the tool "délai-max" cannot be called from JavaScript: ${identifier}; for example "délai_max"`],
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

  test('allows reserved words in names of namespaces', () => {
    expect(toJavaScriptSignature({ name: 'Host.delete' })).toContain('\nHost.delete = async function () {};');
  });

  test('produces a comment and a declaration that TypeScript accepts, whatever the schema', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('a', '*/', 'x-y', '__proto__', '{@link', '}'));
    // TypeScript takes what prose begins with for a token.
    const prose = fc.constantFrom('Words.', '', 'A */ b\n*/', 'A /* x', 'A \\', 'A `x` {y}');
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'schema' },
        fc.constantFrom({}, { type: 'string' }),
        tie('more'),
      ),
      more: fc.record(
        {
          type: fc.constantFrom('string', 'integer', 'array', 'object', 'null', ['string', 'null'], 'image'),
          nullable: fc.boolean(),
          description: prose,
          enum: fc.array(fc.oneof(name, fc.double(), fc.constant(null)), { maxLength: 3 }),
          items: tie('schema'),
          anyOf: fc.array(tie('schema'), { maxLength: 3 }),
          allOf: fc.array(tie('schema'), { maxLength: 3 }),
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
          additionalProperties: tie('schema'),
          patternProperties: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
          propertyNames: tie('schema'),
          prefixItems: fc.array(tie('schema'), { maxLength: 2 }),
          oneOf: fc.array(tie('schema'), { maxLength: 2 }),
          default: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    }));
    fc.assert(
      fc.property(schema, schema, prose, (a, b, description) => {
        const tool = { name: 'tool', description, inputs: { a, b }, output_schema: a, output_description: description };
        const text = toJavaScriptSignature(tool);
        const file = ts.createSourceFile('tool.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
        expect(file.parseDiagnostics.map(({ messageText }) => messageText)).toStrictEqual([]);
        expect(file.jsDocDiagnostics.map(({ messageText }) => messageText)).toStrictEqual([]);
        expect(file.statements).toHaveLength(1);
        const [declaration] = file.statements;
        expect(declaration.parameters.map((parameter) => parameter.name.getText())).toStrictEqual(['a', 'b']);
        expect(declaration.getStart()).toBe(text.indexOf('\nasync function tool(') + 1);
        const types = ts.getJSDocParameterTags(declaration.parameters[0]).map((tag) => tag.typeExpression?.getText());
        expect(types[0]).toBe(/^ \* @param (\{.*\}) \[?a\b/m.exec(text)[1]);
      }),
      { numRuns: 300 },
    );
  });
});
