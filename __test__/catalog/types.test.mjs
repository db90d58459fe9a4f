// Functions as declarations in TypeScript: what schemas say is all there, and what third parties write stays bounded.

import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { typeDeclarations } from '../../build/catalog/type-declarations.js';
import { isShownInShort } from '../../build/catalog/lossless.js';
import fc from '../fast-check.mjs';

const MAX_CHARS = 20_000;
const CUT = '// Types that are too long are `any` here.';
/** The note where text lost its end. */
const LEFT = /\[… \d+ more characters\]/;

const declared = (input, more = {}) => ({
  name: 'f',
  description: '',
  input,
  output: undefined,
  isAsync: true,
  ...more,
});
const textOf = (...functions) => typeDeclarations(functions, MAX_CHARS).text;
const object = (properties, more = {}) => ({ type: 'object', properties, ...more });

/** The type of one argument, in one line. */
const typeOf = (schema, root = {}) =>
  /args\?: \{ it\?: (.*) \}\): Promise/s.exec(textOf(declared(object({ it: schema }, root))))?.[1];

/** Messages of the parser of TypeScript. */
function syntaxErrors(text) {
  const file = ts.createSourceFile('f.ts', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  return file.parseDiagnostics.map(({ messageText }) => messageText);
}

describe('typeDeclarations', () => {
  // The names were compared with each property, in proportion to the square of their number.
  test('reads the names of required properties only a few times', () => {
    const names = Array.from({ length: 500 }, (_, at) => `p${at}`);
    let reads = 0;
    const get = (target, key) => (/^\d+$/.test(String(key)) ? (reads++, target[key]) : target[key]);
    const required = new Proxy(names, { get });
    textOf(declared(object(Object.fromEntries(names.map((name) => [name, {}])), { required })));
    expect(reads).toBeLessThan(10 * names.length);
  });

  test('declares a function with the descriptions, rules, defaults and examples of its schema', () => {
    const input = object(
      {
        query: { type: 'string', description: 'What to\nlook for.', examples: ['cats', 'dogs'], minLength: 1 },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
        sort: { enum: ['name', 'date'], default: 'name', description: 'The order.' },
        since: { type: 'string', format: 'date', deprecated: true },
        tags: { type: 'array', items: { type: 'string', description: 'One word.' }, maxItems: 3 },
        unit: {
          oneOf: [
            { const: 'km', description: 'Kilometres.' },
            { const: 'mi', title: 'Miles' },
          ],
        },
      },
      { required: ['query'] },
    );
    const output = { type: 'array', items: { type: 'string' } };
    expect(textOf(declared(input, { name: 'search', description: 'Searches.\nTwice.', output }))).toBe(`/**
 * Searches.
 * Twice.
 */
declare function search(args: {
  /**
   * What to look for. (>= 1 characters)
   * @example "cats"
   * @example "dogs"
   */
  query: string;
  /**
   * (integer, >= 1, <= 100)
   * @default 10
   */
  limit?: number;
  /**
   * The order.
   * @default "name"
   */
  sort?: "name" | "date";
  /**
   * (format date)
   * @deprecated
   */
  since?: string;
  /**
   * (<= 3 items)
   * Items: One word.
   */
  tags?: string[];
  /**
   * "km": Kilometres.
   * "mi": Miles
   */
  unit?: "km" | "mi";
}): Promise<string[]>;`);
  });

  test('declares functions of namespaces as members, whatever their names are', () => {
    const text = textOf(
      declared({ type: 'object' }, { name: 'files.read', description: 'Reads.' }),
      declared(undefined, { name: 'files.delete', isAsync: false }),
      declared({}, { name: 'db.rows.count', output: { type: 'integer' } }),
      declared(undefined, { name: 'now' }),
    );
    expect(text).toBe(`declare const files: {
  /** Reads. */
  read(): Promise<any>;
  delete(...args: any[]): any;
};

declare const db: {
  rows: {
    count(args?: any): Promise<number>;
  };
};

declare function now(...args: any[]): Promise<any>;`);
    expect(syntaxErrors(text)).toStrictEqual([]);
  });

  const $defs = {
    Address: object({ street: { type: 'string' } }, { description: 'Where.', required: ['street'] }),
    Person: object({
      home: { $ref: '#/$defs/Address' },
      parents: { type: 'array', items: { $ref: '#/$defs/Person' } },
    }),
  };

  test('declares a referenced type only once, even if functions of several documents share it', () => {
    const first = declared(object({ who: { $ref: '#/$defs/Person' }, to: { $ref: '#/$defs/Address' } }, { $defs }));
    const copy = structuredClone($defs);
    const second = declared(object({ who: { $ref: '#/$defs/Person' } }, { $defs: copy }), {
      name: 'g',
      output: { $ref: '#/$defs/Address', $defs: copy },
    });
    expect(textOf(first, second)).toBe(`declare function f(args?: { who?: Person; to?: Address }): Promise<any>;

declare function g(args?: { who?: Person }): Promise<Address>;

type Person = { home?: Address; parents?: Person[] };

/** Where. */
type Address = { street: string };`);
  });

  test('gives different types of one name different names', () => {
    const inner = { ...$defs, Address: object({ city: {} }) };
    const text = textOf(
      declared(object({ who: { $ref: '#/$defs/Person' } }, { $defs })),
      declared(object({ who: { $ref: '#/$defs/Person' } }, { $defs: inner }), { name: 'g' }),
    );
    expect(text.match(/^type .*$/gm)).toStrictEqual([
      'type Person = { home?: Address; parents?: Person[] };',
      'type Person2 = { home?: Address2; parents?: Person2[] };',
      'type Address = { street: string };',
      'type Address2 = { city?: any };',
    ]);
  });

  test('names types by the last part of the reference, and no type of the language', () => {
    const names = ['Order-Item', '1st', 'Record', 'string', 'Date', 'a/b', 'class'];
    const defs = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const properties = Object.fromEntries(
      names.map((name, at) => [`p${at}`, { $ref: `#/$defs/${name.replaceAll('/', '~1')}` }]),
    );
    const text = textOf(declared(object(properties, { $defs: defs })));
    expect(text.match(/(?<=^type )[^ ]+/gm)).toStrictEqual([
      'Order_Item',
      // Equal types share a name.
    ]);
    const different = Object.fromEntries(names.map((name, at) => [name, { const: at }]));
    const all = textOf(declared(object(properties, { $defs: different })));
    expect(all.match(/(?<=^type )[^ ]+/gm)).toStrictEqual([
      'Order_Item',
      '_1st',
      'Record_',
      'string_',
      'Date_',
      'a_1b',
      'class_',
    ]);
    expect(syntaxErrors(all)).toStrictEqual([]);
  });

  test.each([
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    [{ type: ['integer', 'null'] }, 'number | null'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ allOf: [object({ a: {} }), object({ b: {} })] }, '{ a?: any } & { b?: any }'],
    [{ enum: ['a', 1, null, true] }, '"a" | 1 | null | true'],
    [{ const: 'x' }, '"x"'],
    [{ prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }, '[string, number]'],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, '[string, ...number[]]'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false }, 'Record<string, string>'],
    [object({ a: {} }, { additionalProperties: { type: 'number' } }), '{ a?: any; [other: string]: number }'],
    [object({ 'max-size': { type: 'number' } }), '{ "max-size"?: number }'],
    [{ type: 'array', items: object({ a: { type: 'array', items: { type: 'boolean' } } }) }, 'Array<{ a?: boolean[] }>'],
    [{ not: {} }, 'any'],
    [false, 'never'],
  ])('declares %j as %s', (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  }); // prettier-ignore

  test('keeps the siblings of a reference', () => {
    const more = { $defs: { A: object({ a: {} }) } };
    expect(typeOf({ $ref: '#/$defs/A', nullable: true }, more)).toBe('A | null');
    expect(typeOf({ $ref: '#/$defs/A', properties: { b: {} } }, more)).toBe('A & { b?: any }');
    expect(textOf(declared(object({ it: { $ref: '#/$defs/A', description: 'Mine.' } }, more)))).toContain(
      '  /** Mine. */\n  it?: A;\n',
    );
  });

  test.each([{ $ref: '#/$defs/missing' }, { $ref: 'https://example.com/a.json' }, { $ref: '#/$defs/loop' }])(
    'declares a reference without a target as any: %j',
    (schema) => {
      expect(typeOf(schema, { $defs: { loop: { $ref: '#/$defs/loop' } } })).toBe('any');
    },
  );

  test('declares an object as optional if all of its members are', () => {
    const parameters = (input) => /f\((.*)\): Promise/.exec(textOf(declared(input)))[1];
    expect(parameters(object({ a: {} }))).toBe('args?: { a?: any }');
    expect(parameters(object({ a: {} }, { required: ['a'] }))).toBe('args: { a: any }');
    expect(parameters({ anyOf: [object({ a: {} }), object({ b: {} })] })).toBe('args: { a?: any } | { b?: any }');
    expect(parameters({ required: ['a'] })).toBe('args: any');
  });
});

describe('texts of third parties', () => {
  const evil = '*/ declare const pwned: 1; /*\n\u2028// @ts-ignore';

  test('end no comment and no line', () => {
    const input = object(
      { [evil]: { description: evil, default: evil, examples: [evil], enum: [evil], format: evil, pattern: evil } },
      { $defs: { [evil]: { const: evil } } },
    );
    const text = textOf(declared(input, { description: evil, examples: [evil] }));
    expect(syntaxErrors(text)).toStrictEqual([]);
    const file = ts.createSourceFile('f.ts', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
    expect(file.statements.map((statement) => ts.SyntaxKind[statement.kind])).toStrictEqual(['FunctionDeclaration']);
  });

  test.each([
    ['a long description', { description: 'x'.repeat(1e6) }, LEFT],
    ['a long default', { default: 'x'.repeat(1e6) }, LEFT],
    ['long examples', { examples: Array(1e4).fill('x'.repeat(1e3)) }, LEFT],
    ['many values', { enum: Array.from({ length: 1e5 }, (_, at) => `value${at}`) }, CUT],
    ['a long value', { enum: ['x'.repeat(1e6), 'y'] }, CUT],
    ['many members', object(Object.fromEntries(Array.from({ length: 1e4 }, (_, at) => [`member${at}`, {}]))), CUT],
    ['many alternatives', { anyOf: Array.from({ length: 1e4 }, (_, at) => ({ const: at, description: 'one' })) }, CUT],
    ['a long name', object({ ['x'.repeat(1e6)]: {} }), CUT],
  ])('are cut with a note: %s', (_, schema, note) => {
    const { text } = typeDeclarations([declared(object({ it: schema, other: { type: 'boolean' } }))], MAX_CHARS);
    expect(text.length).toBeLessThan(MAX_CHARS);
    expect(text).toMatch(note);
    expect(syntaxErrors(text)).toStrictEqual([]);
  });

  test('with many types that refer to one another are cut with a note', () => {
    const defs = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, at) => [
        `T${at}`,
        object({ a: { $ref: `#/$defs/T${(at * 7) % 3_000}` }, b: { $ref: `#/$defs/T${(at + 1) % 3_000}` } }),
      ]),
    );
    const { text, isCut } = typeDeclarations([declared({ $ref: '#/$defs/T1', $defs: defs })], MAX_CHARS);
    expect(isCut).toBe(true);
    expect(text.length).toBeLessThan(MAX_CHARS);
    expect(text.endsWith(CUT)).toBe(true);
    expect(syntaxErrors(text)).toStrictEqual([]);
  });

  test('are valid TypeScript, whatever the schema', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('a', '*/', 'x-y', '__proto__', '}', 'constructor'));
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'schema' },
        fc.constantFrom({}, { type: 'string' }, { $ref: '#' }, { $ref: '#/$defs/a' }, { $ref: '#/properties/it' }),
        tie('more'),
      ),
      more: fc.record(
        {
          type: fc.constantFrom('string', 'integer', 'array', 'object', 'null', ['string', 'null']),
          nullable: fc.boolean(),
          description: name,
          enum: fc.array(fc.oneof(name, fc.double(), fc.constant(null)), { maxLength: 3 }),
          items: tie('schema'),
          anyOf: fc.array(tie('schema'), { maxLength: 3 }),
          allOf: fc.array(tie('schema'), { maxLength: 3 }),
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
          additionalProperties: tie('schema'),
          propertyNames: tie('schema'),
          prefixItems: fc.array(tie('schema'), { maxLength: 2 }),
          default: fc.jsonValue(),
          examples: fc.array(fc.jsonValue(), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    }));
    fc.assert(
      fc.property(schema, schema, name, (it, a, description) => {
        const input = object({ it }, { $defs: { a } });
        const { text, isCut } = typeDeclarations([declared(input, { description, output: input })], MAX_CHARS);
        expect(isCut).toBe(false);
        expect(syntaxErrors(text)).toStrictEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  ['no constraints', {}, true],
  ['a default of a parameter', object({ a: { default: 1 } }), true],
  ['a default further inside', object({ a: object({ b: { default: 1 } }) }), false],
  ['an example', object({ a: { examples: [1] } }), false],
  ['a property that is called examples', object({ examples: {}, default: {} }), true],
  ['a type that is referred to once', object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: {} } }), true],
  ['a type that is referred to twice', object({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } }, { $defs: { A: {} } }), false],
  ['a recursive type', object({ a: { $ref: '#' } }), false],
  ['very many schemas', object(Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`m${at}`, {}]))), false],
])('a short declaration says everything: %s', (_, schema, expected) => {
  expect(isShownInShort(schema)).toBe(expected);
}); // prettier-ignore
