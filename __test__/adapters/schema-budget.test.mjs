// Checks of values by schemas had no bound: Ajv collected an error for each part, and nothing interrupted it.
import { createRequire } from 'node:module';

import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { z as zod3 } from 'zod/v3';

import { createCodeTool } from '../../build/adapters/code-tool/index.js';
import { runChild } from '../helpers.mjs';

const require = createRequire(import.meta.url);
const { JsonSchema, UnusableSchemaError } = require('../../build/json-schema/index.js');
const { performance: clock } = require('../../build/contract/clock.js');
const { TOO_SLOW, validate } = require('../../build/contract/standard-schema.js');

const object = (properties) => ({ type: 'object', properties });

/** What a tool with `inputSchema` answers to `code`, and what it was called with. */
async function call(inputSchema, code) {
  const inputs = [];
  const tool = createCodeTool({ tools: { take: { inputSchema, execute: (input) => (inputs.push(input), 'taken') } } });
  const { output, error } = await tool.execute(code);
  return { inputs, said: error?.message.replace(/^.*is not valid: /, '') ?? output };
}

/**
 * Awaits `work` while each look at the clock takes a millisecond, in which each of 10 threads uses `share` of the
 * processor time.
 *
 * @returns its result, and the number of looks
 */
async function withClock(share, work) {
  let ms = 0;
  const now = vi.spyOn(clock, 'now').mockImplementation(() => ++ms);
  const used = (threads) => ({ user: threads * ms * share * 1_000, system: 0 });
  const cpuUsage = vi.spyOn(process, 'cpuUsage').mockImplementation(() => used(10));
  const own = Object.getOwnPropertyDescriptor(process, 'threadCpuUsage');
  Object.defineProperty(process, 'threadCpuUsage', { value: () => used(1), configurable: true });
  try {
    return { result: await work(), looks: now.mock.calls.length };
  } finally {
    now.mockRestore();
    cpuUsage.mockRestore();
    if (own === undefined) delete process.threadCpuUsage;
    else Object.defineProperty(process, 'threadCpuUsage', own);
  }
}

/**
 * Runs a check in a child process with a small heap. Its clock goes on by 0.1 ms each time the budget looks at it.
 *
 * @returns `messages`: what the check says; `looks`: how often the budget looked at the clock; and the most between two
 *   turns of the event loop: `mostLooks`, and `most`, processor time as a multiple of what writing a list of 5,000,000
 *   numbers takes
 */
async function checkedInChild(schema, make) {
  const script = `
    const clock = require(process.cwd() + '/build/contract/clock.js').performance;
    const { JsonSchema } = require(process.cwd() + '/build/json-schema/index.js');
    const schema = new JsonSchema(${schema});
    const value = ${make};
    let looks = 0;
    clock.now = () => looks++ / 10;
    const cpu = () => {
      const { user, system } = process.cpuUsage();
      return user + system;
    };
    const turns = [];
    const note = () => turns.push([looks, cpu()]);
    let isOver = false;
    const turn = () => {
      note();
      if (!isOver) setImmediate(turn);
    };
    setImmediate(async () => {
      turn();
      const { issues } = await schema.check(value).catch((error) => ({ issues: [error] }));
      isOver = true;
      note();
      const begin = cpu();
      JSON.stringify(Array(5e6).fill(1));
      const reference = cpu() - begin;
      const most = (at) => Math.max(...turns.slice(1).map((turn, index) => turn[at] - turns[index][at]));
      const messages = issues?.map(({ message }) => message);
      console.log(JSON.stringify({ messages, looks, mostLooks: most(0), most: most(1) / reference }));
    });
  `;
  const { stdout } = await runChild(script, { format: 'commonjs', nodeArgs: ['--max-old-space-size=400'] });
  return JSON.parse(stdout);
}

describe('a check of a huge value against a schema', { timeout: 30_000 }, () => {
  const list = (items) => JSON.stringify(object({ list: { type: 'array', items } }));
  // The last number of a row is the least number of times that the clock is read: once per 64 parts, until the list of
  // errors is full.
  test.each([
    [
      'of wrong items',
      list({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
      '({ list: Array(5e6).fill(1) })',
      78_125,
    ],
    ['of right items', list({ type: 'number' }), '({ list: Array(5e6).fill(1) })', 2 * 78_125],
    [
      'of 300 alternatives',
      list({ anyOf: Array.from({ length: 300 }, (_, i) => object({ a: { const: i } })) }),
      '({ list: Array.from({ length: 15_000 }, () => ({ a: -1 })) })',
      468,
    ],
    [
      'without 1,000 required names',
      JSON.stringify({ items: { type: 'object', required: Array.from({ length: 1_000 }, (_, i) => `k${i}`) } }),
      'Array.from({ length: 20_000 }, () => ({}))',
      312,
    ],
    [
      'of equal items',
      JSON.stringify({ uniqueItems: true }),
      '[...Array.from({ length: 5e4 }, (_, i) => [i]), [7]]',
      2 * 1_562,
    ],
    [
      'with references that double',
      `({ $defs: Object.fromEntries(Array.from({ length: 28 }, (_, i) => ['d' + i, { anyOf: Array(2).fill({ $ref: '#/$defs/d' + (i + 1) }) }])
         .concat([['d28', { type: 'string' }]])), $ref: '#/$defs/d0' })`,
      '1',
      78_125,
    ],
  ])('%s lets the event loop turn and keeps little memory', async (name, schema, make, leastLooks) => {
    const { messages, looks, mostLooks, most } = await checkedInChild(schema, make);
    expect(messages?.slice(0, 2)).toStrictEqual(
      {
        'of wrong items': ['list.0 must be string, got 1', 'list.0 must be null, got 1'],
        'of 300 alternatives': ['list.0.a must be 0, got -1', 'list.0.a must be 1, got -1'],
        'without 1,000 required names': ['0.k0 is missing', '0.k1 is missing'],
        'of equal items': ['the object must not have duplicate items, got an array'],
        'with references that double': ['too many alternatives of the schema do not match'],
      }[name],
    );
    expect(looks).toBeGreaterThanOrEqual(leastLooks);
    // A slice takes 5 ms.
    expect(mostLooks).toBeLessThan(60);
    // Work that the budget does not count. Ajv took fifty times as long.
    expect(most).toBeLessThan(2);
  });

  // Cause: the copy grew. V8 then moves all its elements several times, each time in one piece that takes up to 100 ms.
  test('makes a copy of a list that does not grow', async () => {
    const { push } = Array.prototype;
    let pushed = 0;
    // eslint-disable-next-line no-extend-native -- restored below
    Array.prototype.push = function (...parts) {
      if (parts[0] === 'part' || parts[0] === null) pushed++;
      return Reflect.apply(push, this, parts);
    };
    const value = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? 'part' : null));
    try {
      expect(await new JsonSchema({ type: 'array' }).check(value)).toStrictEqual({ value });
    } finally {
      // eslint-disable-next-line no-extend-native -- as it was
      Array.prototype.push = push;
    }
    expect(pushed).toBe(0);
  });

  test('is refused before anything is copied if a list has more elements than are checked', async () => {
    let reads = 0;
    const list = Object.defineProperty(Array(16_000_001), 0, { enumerable: true, get: () => ++reads });
    await expect(new JsonSchema({}).check(list)).rejects.toThrow(
      'it has more than 16000000 parts, where repeated parts count each time; pass less at a time',
    );
    expect(reads).toBe(0);
  });

  test('reports the place and stops at the first errors', async () => {
    const { said } = await call(
      object({ list: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }),
      'await take({ list: Array(5e5).fill(1) })',
    );
    expect(said).toMatch(/^list\.0 must be string, got 1; list\.0 must be null, got 1; /);
    expect(said.length).toBeLessThan(400);
  });

  test.each([
    ['of wrong parts', 'Array(5e5).fill(1)', /^list\.0 must be string,null, got 1; /],
    ['of right parts', "Array(5e5).fill('a')", /^it has more than 20000 parts, /],
    ['of a few wrong parts', "['a', 1]", /^list\.1: Invalid input; /],
  ])('by a schema of a library ends early for a list %s', async (_, value, said) => {
    const schema = z.object({ list: z.array(z.union([z.string(), z.null()])) });
    expect((await call(schema, `await take({ list: ${value} })`)).said).toMatch(said);
  });

  describe.each([
    ['zod 4', z],
    ['zod 3', zod3],
  ])('by a schema of %s', (_, z) => {
    // JSON Schema does not know what these accept. Zod 3 takes ten microseconds for each alternative that a value does
    // not fit. The check may take 40 ms of processor time, which is many times more than each of these takes.
    test.each([
      ['coerced numbers', z.coerce.number(), "'12'", 12],
      ['preprocessed strings', z.preprocess((text) => Number(text), z.number()), "'7'", 7],
      ['strings with a fallback', z.number().catch(0), "'x'", 0, 300],
      ['transformed strings', z.string().transform((text) => text.length), "'abc'", 3],
      ['alternatives of which the last one matches', z.union([z.boolean(), z.null(), z.string()]), "'abc'", 'abc', 200],
    ])('accepts a long list of %s', async (_, item, given, taken, count = 3_000) => {
      const { inputs, said } = await call(
        z.object({ list: z.array(item) }),
        `await take({ list: Array(${count}).fill(${given}) })`,
      );
      expect(said).toBe('taken');
      expect(inputs).toStrictEqual([{ list: Array(count).fill(taken) }]);
    });

    test.each([
      ['alternatives', z.union([z.string(), z.null(), z.boolean(), z.object({ a: z.string() })]), 1],
      ['texts', z.string(), 1],
      ['objects', z.object({ a: z.string(), b: z.number() }), { a: 1, b: 'x' }],
      ['coerced numbers', z.coerce.number(), 'x'],
    ])('stops at many wrong %s when it has taken too long', async (_, item, wrong) => {
      const { result, looks } = await withClock(1, () =>
        validate(z.object({ list: z.array(item) }), { list: Array(6_000).fill(wrong) }),
      );
      expect(result).toStrictEqual({ issues: [TOO_SLOW] });
      // Three attempts, with 40 ms each.
      expect(looks).toBe(3 * 41);
    });

    // Cause: the processor time of all threads counted, such as that of isolates in other threads.
    test('is not ended by the work of other threads', async () => {
      const schema = z.object({ list: z.array(z.number().catch(0)) });
      const { result, looks } = await withClock(0.1, () => validate(schema, { list: Array(150).fill('x') }));
      expect(result).toStrictEqual({ value: { list: Array(150).fill(0) } });
      expect(looks).toBeGreaterThan(150);
    });

    test('may be asynchronous', async () => {
      const schema = z.object({ a: z.string().refine(async (text) => text !== 'x', { message: 'not x' }) });
      expect(await validate(schema, { a: 'y' })).toStrictEqual({ value: { a: 'y' } });
      expect(await validate(schema, { a: 'x' })).toMatchObject({ issues: [{ message: 'not x', path: ['a'] }] });
    });

    test('keeps the messages of the schema and of the library', async () => {
      const schema = z.object({ a: z.string({ message: 'own' }), b: z.number() });
      const { issues } = await validate(schema, { a: 1, b: 'x' });
      const plain = schema.safeParse({ a: 1, b: 'x' }).error.issues;
      expect(issues.map(({ message }) => message)).toStrictEqual(plain.map(({ message }) => message));
    });
  });

  // Cause: nothing stops the check of other libraries. 1,999 parts against 100 alternatives took valibot 250 ms.
  describe('by a schema that cannot be stopped', () => {
    const schemaWith = (alternatives) => {
      const item = { anyOf: Array.from({ length: alternatives }, (_, i) => ({ const: `k${i}` })) };
      let checks = 0;
      const validate = (value) => (checks++, { value });
      const jsonSchema = { input: () => object({ list: { type: 'array', items: item } }), output: () => ({}) };
      return { schema: { '~standard': { version: 1, vendor: 'other', validate, jsonSchema } }, checks: () => checks };
    };

    test('JSON Schema checks more than 200 parts first', async () => {
      const { schema, checks } = schemaWith(100);
      const { said } = await call(schema, 'await take({ list: Array(199).fill(1) })');
      expect(said).toMatch(/^list\.0 must be "k0", got 1; /);
      expect(checks()).toBe(0);
      expect((await call(schema, 'await take({ list: Array(100).fill(1) })')).said).toBe('taken');
      expect(checks()).toBe(1);
    });

    test.each([
      [1, 19_990, 20_001, 20_000],
      [100, 190, 201, 200],
      [1_000, 15, 21, 20],
    ])('with %d alternatives it checks %d parts, and not %d', async (alternatives, few, many, max) => {
      const { schema, checks } = schemaWith(alternatives);
      const listOf = (length) => ({ list: Array(length).fill('k0') });
      expect(await validate(schema, listOf(few))).toStrictEqual({ value: listOf(few) });
      const { issues } = await validate(schema, listOf(many));
      expect(issues[0].message).toMatch(new RegExp(`^it has more than ${max} parts, `));
      expect(checks()).toBe(1);
    });
  });

  test('reports that it was too slow, and which parts JSON Schema finds invalid', async () => {
    const item = zod3.union([zod3.string(), zod3.null(), zod3.object({ a: zod3.string() })]);
    const { said } = await call(zod3.object({ list: zod3.array(item) }), 'await take({ list: Array(15_000).fill(1) })');
    expect(said).toMatch(/^list\.0 must be string, got 1; .*it takes too long to check, because too many of its parts/);
  });

  test('fails if the schema refers to itself endlessly', async () => {
    const check = (schema) => new JsonSchema(schema).check({});
    for (const schema of [{ $ref: '#' }, { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' }]) {
      await expect(check(schema)).rejects.toThrow('its references are circular');
    }
  });

  test('refuses values that are nested deeply or contain themselves', async () => {
    const cycle = [];
    cycle.push(cycle);
    let deep = [];
    for (let level = 0; level < 1e5; level++) deep = [deep];
    for (const value of [cycle, deep]) {
      await expect(new JsonSchema({}).check(value)).rejects.toThrow('it must be nested at most 64 deep');
    }
  });
});

describe('a tool with a JSON Schema', () => {
  const schema = object({ size: { type: 'string' }, message: { type: 'number' }, length: { type: 'string' } });
  test.each([
    ['new Set([1])', 'it must be one object, got a Set'],
    ["new Error('m')", 'it must be one object, got an Error'],
    ['new Date(0)', 'it must be one object, got a Date'],
    ['new Date(NaN)', 'it must be one object, got an invalid Date'],
    ['new Uint8Array(3)', 'it must be one object, got a Uint8Array'],
    ['{ a: new Set([1]) }', 'it cannot be written as JSON: "a" is a Set, which JSON does not have; pass an array'],
    ['{ a: [new Map()] }', 'it cannot be written as JSON: "a.0" is a Map, which JSON does not have; pass an object'],
    ["{ a: { b: new Error('m') } }", 'it cannot be written as JSON: "a.b" is an Error, which JSON does not have'],
    ['{ a: new Float64Array(2) }', 'it cannot be written as JSON: "a" is a Float64Array, which JSON does not have'],
    ['{ a: [1, NaN] }', 'it cannot be written as JSON: "a.1" is NaN, which JSON does not have'],
    ['{ a: new Date(NaN) }', 'it cannot be written as JSON: "a" is an invalid Date, which JSON does not have'],
    ['{ a: 5n }', 'it cannot be written as JSON: "a" is a BigInt'],
  ])('does not get %s', async (input, reason) => {
    const { inputs, said } = await call(schema, `await take(${input})`);
    expect(said.startsWith(reason), said).toBe(true);
    expect(inputs).toStrictEqual([]);
  });

  test('gets exactly the checked input', async () => {
    const code = `const shared = { x: 1 };
      const list = Object.assign([1, , undefined], { length2: 'extra' });
      await take({ list, at: new Date(0), none: undefined, toJSON: 1, pair: [shared, shared] })`;
    const { inputs, said } = await call(object({ at: { type: 'string' }, toJSON: { type: 'number' } }), code);
    expect(said).toBe('taken');
    expect(inputs).toStrictEqual([
      { list: [1, null, null], at: '1970-01-01T00:00:00.000Z', toJSON: 1, pair: [{ x: 1 }, { x: 1 }] },
    ]);
    expect(Object.keys(inputs[0].list)).toStrictEqual(['0', '1', '2']);
  });

  test('may have an input of another type than object, which is checked too', async () => {
    expect((await call({ type: 'array', items: { type: 'string' } }, 'await take([1])')).said).toMatch(
      '0 must be string, got 1',
    );
  });
});

// Nothing is of such a type: the tool was declared with `any`, and no call of it could succeed.
describe('a type that JSON Schema does not define', () => {
  test.each(['foo', ['string', 'foo'], 'Object'])('%j is ignored when a tool checks its input', async (type) => {
    const schema = { ...object({ a: { type }, b: { type: 'number' }, all: { type: 'array', items: { type } } }) };
    expect(await call(schema, 'await take({ a: 1, b: 2, all: [1, "x"] })')).toStrictEqual({
      inputs: [{ a: 1, b: 2, all: [1, 'x'] }],
      said: 'taken',
    });
    expect(await call(schema, 'await take({ a: 1, b: "x" })')).toStrictEqual({
      inputs: [],
      said: 'b must be number, got "x"; pass one object as declared',
    });
  });

  test('is an error of a strict schema, unless another of its types matches', async () => {
    const schema = new JsonSchema(object({ a: { type: ['string', 'foo'] } }));
    expect(await schema.check({ a: 'x' })).toStrictEqual({ value: { a: 'x' } });
    await expect(schema.check({ a: 1 })).rejects.toThrow(
      new UnusableSchemaError('the type "foo" is not one of object, array, string, number, integer, boolean, null'),
    );
  });
});
