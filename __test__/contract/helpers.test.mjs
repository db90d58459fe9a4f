// The small parts that all executors and adapters use: names, schemas of libraries, logs, sizes, what models are told.

import { createRequire } from 'node:module';

import { afterEach, describe, expect, test } from 'vitest';

import { rejection } from '../helpers.mjs';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const {
  className,
  describe: shown,
  isBeyondNumbers,
  isPlainObject,
  memberPath,
} = require('../../build/contract/describe.js');
const { modelFailure, modelLogs, modelOutput, modelReport, modelText } = require('../../build/contract/model-text.js');
const { defineEntries, safeListener } = require('../../build/contract/logs.js');
const { requirePeer } = require('../../build/contract/peer-dependency.js');
const { toJson } = require('../../build/contract/render.js');
const schemas = require('../../build/contract/standard-schema.js');
const names = require('../../build/contract/tool-names.js');
const { traceRun, traceToolCall, untraced } = require('../../build/contract/tracing.js');
const { encodeVariables, namesOfVariables } = require('../../build/contract/variables.js');
const { TransferLimitError } = require('../../build/contract/errors.js');
const { KeyCount, isWide, keysOf } = require('../../build/contract/wide-objects.js');
const { isFarLargerSerialized } = require('../../build/contract/serialized-size.js');
const { tracingChannel } = require('node:diagnostics_channel');

describe('a value in a message', () => {
  test.each([
    ['x'.repeat(40), JSON.stringify('x'.repeat(40))],
    ['x'.repeat(41), JSON.stringify(`${'x'.repeat(40)}...`)],
    [-0, '-0'],
    [5n, '5n'],
    [1n << 1_024n, '[a BigInt of more than 1024 bits]'],
    [undefined, 'undefined'],
    [Symbol('x'), 'a symbol'],
    [() => {}, 'a function'],
    [null, 'null'],
    [[], 'an array'],
    [{}, 'an object'],
  ])('case %# is short and runs no code', (value, text) => expect(shown(value)).toBe(text));

  test('that is a revoked proxy is shown as a proxy', () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    expect(shown(proxy)).toBe('a proxy');
  });

  test('is plain if it is a classless object of any realm', () => {
    const foreign = require('node:vm').runInNewContext('({})');
    expect([{}, Object.create(null), foreign].map(isPlainObject)).toStrictEqual([true, true, true]);
    expect([[], new Map(), new (class A {})(), null, () => {}].map(isPlainObject)).toStrictEqual(Array(5).fill(false));
  });

  test('is shown by the name of its class, or as an object', () => {
    const hostile = { get constructor() { throw new Error('x'); } }; // prettier-ignore
    const unnamed = new (class {})();
    expect([new Map(), hostile, unnamed, Object.create(null)].map(className)).toStrictEqual([
      'Map',
      'object',
      'object',
      'object',
    ]);
  });

  test('is beyond numbers if only a BigInt can represent it', () => {
    const values = [2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), 5, '9'];
    expect(values.map(isBeyondNumbers)).toStrictEqual([false, true, true, false, false]);
  });

  test('has a path in the notation of code', () => {
    expect(['a', '$', 'ä1', '1a', 'a b', ''].map((key) => memberPath('x', key))).toStrictEqual(
      ['x.a', 'x.$', 'x.ä1', 'x["1a"]', 'x["a b"]', 'x[""]'],
    ); // prettier-ignore
    expect(memberPath('x', 'a '.repeat(30))).toBe(`x["${'a '.repeat(20)}..."]`);
  });
});

describe('the name of a tool in code', () => {
  test.each([
    ['list-files', 'list_files', 'list_files', 'list_files'],
    ['a.b c', 'a_b_c', 'a_b_c', 'a_b_c'],
    ['2nd', '_2nd', '_2nd', '_2nd'],
    ['delete', 'delete_', 'delete_', 'delete'],
    ['del', 'del', 'del', 'del_'],
    ['then', 'then', 'then_', 'then'],
    ['$x', '$x', '$x', 'x'],
    ['ﬁle', 'ﬁle', 'ﬁle', 'file'],
    ['!', '_', '_', '_'],
    ['None', 'None', 'None', 'None_'],
  ])('%s is %s, as a member %s, in Python %s', (name, tool, member, python) => {
    expect([names.toolIdentifier(name), names.memberIdentifier(name), names.pythonIdentifier(name)]).toStrictEqual(
      [tool, member, python],
    ); // prettier-ignore
  });

  test('can be limited to ASCII characters', () => {
    expect(['größe', 'ö', 'a b'].map(names.asciiIdentifier)).toStrictEqual(['gre', '_', 'a_b']);
  });

  test('must be unique among the tools', () => {
    expect(names.byIdentifier({ 'a-b': 1, c: 2 })).toStrictEqual({ a_b: 1, c: 2 });
    expect(() => names.byIdentifier({ 'a-b': 1, a_b: 2 })).toThrow(
      new TypeError('the tools "a-b" and "a_b" would both be called a_b in code; rename one of them'),
    );
  });

  test('may be __proto__', () => {
    const holder = {};
    names.defineMember(holder, '__proto__', 1);
    expect([Object.keys(holder), Object.getPrototypeOf(holder) === Object.prototype]).toStrictEqual([
      ['__proto__'],
      true,
    ]);
  });
});

describe('schemas of validation libraries', () => {
  const standard = (more) => ({
    '~standard': { version: 1, vendor: 'acme', validate: (value) => ({ value }), ...more },
  });

  test('are distinguished from JSON Schema by their marker property', () => {
    const called = Object.assign(() => {}, standard());
    expect([standard(), called, {}, null, { '~standard': null }].map(schemas.isStandardSchema)).toStrictEqual(
      [true, true, false, false, false],
    ); // prettier-ignore
    const hidden = Object.defineProperty({ type: 'string' }, '~standard', { value: {} });
    expect([standard(), hidden].map(schemas.isOfLibrary)).toStrictEqual([true, false]);
    expect([{ a: standard() }, { a: {} }, standard()['~standard']].map(schemas.holdsSchemas)).toStrictEqual([
      true,
      false,
      false,
    ]);
  });

  test('of zod 3 are recognized by the missing marker of zod 4', () => {
    const zod = standard({ vendor: 'zod' });
    expect([zod, { ...zod, _zod: {} }, standard()].map(schemas.isZod3)).toStrictEqual([true, false, false]);
  });

  test('have issues whose paths consist of keys or of objects with a key', () => {
    const issues = [
      { message: 'is wrong', path: ['a', { key: 'b' }, 0, { key: Symbol('s') }] },
      { message: 'are wrong' },
      { message: 'too', path: [] },
    ];
    expect(schemas.issuesText(issues)).toBe('a.b.0.Symbol(s): is wrong; are wrong; too');
  });

  test('return the value or the issues', async () => {
    expect(await schemas.validate(standard(), 5)).toStrictEqual({ value: 5 });
    const issues = [{ message: 'no' }];
    expect(await schemas.validate(standard({ validate: async () => ({ issues }) }), 5)).toStrictEqual({ issues });
  });

  test('that cannot be converted are refused as input and omitted as output', () => {
    const fails = () => {
      throw new Error('a transform');
    };
    const schema = standard({ jsonSchema: { input: fails, output: fails } });
    expect(schemas.jsonSchemaOf(schema, 'output', 'x')).toBe(undefined);
    expect(() => schemas.jsonSchemaOf(schema, 'input', 'x')).toThrow(
      new TypeError('x cannot be converted to JSON Schema: a transform'),
    );
    expect(() => schemas.jsonSchemaOf(standard(), 'output', 'x')).toThrow(
      new TypeError('x is a schema of acme that cannot be converted to JSON Schema; pass the JSON Schema instead'),
    );
  });

  test('are converted by their own method or by that of Standard JSON Schema', () => {
    expect(schemas.jsonSchemaOf({ ...standard(), toJsonSchema: () => ({ type: 'null' }) }, 'input', 'x')).toStrictEqual({ type: 'null' }); // prettier-ignore
    const made = schemas.standardSchema('acme', { type: 'string' }, () => {});
    const converted = schemas.jsonSchemaOf(made, 'output', 'x');
    expect(converted).toStrictEqual({ type: 'string' });
    converted.type = 'changed';
    expect(schemas.jsonSchemaOf(made, 'output', 'x')).toStrictEqual({ type: 'string' });
  });

  test('need their package, and only a missing module is reported as missing', () => {
    const missing = () => require('a-package-that-nobody-has');
    expect(() => requirePeer('x', 'a b', missing)).toThrow(
      new Error('x needs packages that are not installed; run: npm install a b'),
    );
    const broken = new Error('broken');
    expect(() => requirePeer('x', 'a', () => { throw broken; })).toThrow(broken); // prettier-ignore
  });
});

describe('entries of a log', () => {
  const indexOf = (messages) => ({
    levels: new Uint8Array(messages.length).map((_, at) => at % 5),
    times: new Float64Array(messages.length).map((_, at) => Math.floor(at / 2) * 1_000),
    lengths: new Uint32Array(messages.map(({ length }) => length)),
  });

  test('have a level, time and message, and a message may have line breaks', () => {
    const messages = ['a', 'b\nc', '', 'd'];
    const { logEntries } = defineEntries({}, messages.join('\n'), indexOf(messages), { enumerable: true });
    const ts = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z'];
    expect(logEntries).toStrictEqual([
      { level: 'log', message: 'a', ts: ts[0] },
      { level: 'info', message: 'b\nc', ts: ts[0] },
      { level: 'warn', message: '', ts: ts[1] },
      { level: 'error', message: 'd', ts: ts[1] },
    ]);
  });

  test.each([
    [1_000, 'value'],
    [1_001, 'get'],
  ])('are created once: for %d entries, with a %s of the property', (count, kind) => {
    const messages = Array(count).fill('x');
    const outcome = defineEntries({}, messages.join('\n'), indexOf(messages), { enumerable: false });
    const property = Object.getOwnPropertyDescriptor(outcome, 'logEntries');
    expect([kind in property, property.enumerable, property.configurable]).toStrictEqual([true, false, true]);
    expect(outcome.logEntries).toHaveLength(count);
    expect(outcome.logEntries).toBe(outcome.logEntries);
  });

  describe('a listener that fails', () => {
    const warnings = [];
    const { emitWarning } = process;
    afterEach(() => {
      process.emitWarning = emitWarning;
      warnings.length = 0;
    });
    const settled = () => new Promise((resolve) => setImmediate(resolve));

    test.each([
      ['throws', () => { throw 'no'; }], // prettier-ignore
      ['rejects', () => Promise.reject('no')], // prettier-ignore
      ['returns a thenable that rejects', () => ({ then: (_, reject) => reject('no') })],
    ])('%s is reported as one warning of the process', async (_, listener) => {
      process.emitWarning = (...args) => warnings.push(args);
      const tell = safeListener(listener);
      for (let i = 0; i < 3; i++) tell(i);
      await settled();
      expect(warnings).toStrictEqual([
        [
          'options.onLog failed; further failures are not reported: no',
          { type: 'SESExecutorWarning', code: 'SES_EXECUTOR_ON_LOG' },
        ],
      ]);
    });

    test('with an unprintable error is reported as a warning too', () => {
      process.emitWarning = (...args) => warnings.push(args);
      const odd = { toString() { throw new Error('x'); } }; // prettier-ignore
      safeListener(() => { throw odd; }, 'onReport')(1); // prettier-ignore
      expect(warnings).toStrictEqual([
        [
          'options.onReport failed; further failures are not reported: an error that cannot be printed',
          { type: 'SESExecutorWarning', code: 'SES_EXECUTOR_ON_REPORT' },
        ],
      ]);
    });
  });
});

describe('tracing channels', () => {
  const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
  const heard = (name, fn) => {
    const events = [];
    const channel = tracingChannel(`ses-executor:${name}`);
    const handlers = Object.fromEntries(EVENTS.map((event) => [event, () => events.push(event)]));
    channel.subscribe(handlers);
    return Promise.resolve(fn())
      .finally(() => channel.unsubscribe(handlers))
      .then(() => events);
  };

  test('report no runs of an executor that works for another one', async () => {
    const run = async () => 1;
    expect(await heard('run', () => traceRun({}, '1', run))).toStrictEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
    const inner = {};
    expect(untraced(inner)).toBe(inner);
    expect(await heard('run', () => traceRun(inner, '1', run))).toStrictEqual([]);
  });

  test('report no asynchronous part for a call that is answered immediately, and each outcome once', async () => {
    const facts = { name: 'f', args: [], id: '1' };
    expect(traceToolCall(facts)).toBe(undefined);
    const told = (settle) => heard('tool-call', () => settle(traceToolCall(facts)));
    expect(
      await told((trace) => {
        trace.begin(() => trace.resolved(1));
        trace.resolved(2);
        trace.rejected(new Error('late'));
      }),
    ).toStrictEqual(['start', 'end']);
    expect(
      await told((trace) => {
        trace.begin(() => {});
        trace.rejected(new Error('no'));
        trace.resolved(1);
      }),
    ).toStrictEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
  });
});

describe('variables', () => {
  test('must be a plain object of values by name', () => {
    expect(namesOfVariables({ a: 1, b: 2 })).toStrictEqual(['a', 'b']);
    for (const [given, got] of [[[], 'an array'], [null, 'null'], [new Map(), 'an instance of Map']]) {
      expect(() => namesOfVariables(given)).toThrow(
        new TypeError(`variables must be a plain object of values by name, got ${got}`),
      );
    } // prettier-ignore
  });

  test('that are too large fail with the limit, and other failures are passed on', async () => {
    const failing = (error) => () => {
      throw error;
    };
    const encode = async (error) => encodeVariables({ a: 1 }, ['a'], 5, failing(error));
    expect(await rejection(encode(new TransferLimitError()))).toMatchObject({
      code: 'ERR_TRANSFER_LIMIT_EXCEEDED',
      details: { maxTransferBytes: 5, value: 'variables' },
    });
    const other = new TypeError('x');
    expect(await rejection(encode(other))).toBe(other);
    expect(encodeVariables({ a: 1, b: 2 }, ['b', 'a'], 5, (...args) => args)).toStrictEqual(
      [[2, 1], 'variables', 5, { a: 1, b: 2 }],
    ); // prettier-ignore
  });
});

describe('objects with very many properties', () => {
  const counted = (count) => {
    const object = {};
    const keys = new KeyCount(object);
    for (let i = 0; i < count; i++) {
      object[`k${i}`] = i;
      keys.add(`k${i}`);
    }
    return object;
  };

  test('are recognized from 100,000 properties on, with the remaining ones of their first 4,096 keys', () => {
    expect(isWide(counted(99_999))).toBe(false);
    const object = counted(100_000);
    expect(isWide(object)).toBe(true);
    delete object.k0;
    const keys = keysOf(object);
    expect([keys.length, keys[0], keys.at(-1)]).toStrictEqual([4_095, 'k1', 'k4095']);
    expect(keysOf({ a: 1 })).toStrictEqual(['a']);
  });
});

describe('a value that is far larger in serialized form than in memory is recognized', () => {
  const pairs = (levels) => {
    let graph = ['x'];
    for (let i = 0; i < levels; i++) graph = [graph, graph];
    return graph;
  };

  test.each([
    ['a graph of pairs', pairs(40), true],
    ['a smaller graph of pairs', pairs(16), false],
    ['a graph of pairs in a Map', new Map([[1, pairs(40)]]), true],
    ['a graph of pairs in a Set', new Set([pairs(40)]), true],
    ['a long string, many times', Array(20).fill('x'.repeat(1e6)), false],
    ['a list with a long string, many times', Array(100).fill(['x'.repeat(1e5)]), true],
    ['bytes, many times', Array(10).fill(new Uint8Array(100_000)), true],
    ['an array of holes', Object.assign([], { 1_000_000: 1 }), true],
    ['many values', Array.from({ length: 300_000 }, (_, i) => i), false],
    ['long keys, many times', Array(100).fill({ ['k'.repeat(1e5)]: 1 }), true],
  ])('as listed: %s', async (_, value, expected) => expect(await isFarLargerSerialized(value)).toBe(expected));

  test('also if it contains itself', async () => {
    const cycle = [];
    cycle.push(cycle, { cycle });
    expect(await isFarLargerSerialized(cycle)).toBe(false);
  });
});

describe('output for a model', () => {
  test('is data, with strings in the place of parts that are not data', async () => {
    const modelValue = async (output, maxChars) => (await modelOutput(output, { maxChars })).value;
    const twice = [1];
    const cases = [[1, 1], ['x', 'x'], [null, null], [{ a: [true] }, { a: [true] }], [-0, 0], [NaN, 'NaN'], [5n, '5'], [[undefined], [null]], [{ toJSON: 1 }, { toJSON: 1 }], [[twice, twice], [[1], [1]]]]; // prettier-ignore
    for (const [output, told] of cases) expect(await modelValue(output)).toStrictEqual(told);
    expect(await modelValue([, 1])).toStrictEqual([null, 1]); // prettier-ignore
    expect(await modelValue(['x'.repeat(20)], 10)).toBe(modelText(['x'.repeat(20)], { maxChars: 10 }));
    expect(modelText({ a: 1 }, { indent: 2 })).toBe('{\n  "a": 1\n}');
  });

  test('is cut in its middle, at whole characters, with the number of omitted ones', () => {
    expect(modelLogs('abcdefgh', 8)).toBe('abcdefgh');
    expect(modelLogs('abcdefghi', 5)).toBe('abc\n[... 4 of 9 characters of the logs; log less ...]\nhi');
    const text = modelLogs('a😀bcdef😀', 4);
    expect(text).toBe('a\n[... 7 of 10 characters of the logs; log less ...]\n😀');
    expect(modelLogs('abcdef😀x', 4)).toBe('ab\n[... 4 of 9 characters of the logs; log less ...]\n😀x');
  });

  test('for a failure is its message, cut', () => {
    expect(modelFailure({ code: 'C', message: 'abcdef', hint: 'h' }, 4)).toStrictEqual({
      code: 'C',
      message: 'ab\n[... 2 of 6 characters of the message ...]\nef',
      hint: 'h',
    });
  });

  test('for a run is its output or its failure, then a note, then the logs', async () => {
    expect(await modelReport({ output: 'x', logs: '' })).toStrictEqual({ text: 'x', output: 'x', logs: '' });
    const noted = { output: [1], logs: 'l', note: 'n' };
    expect(await modelReport(noted)).toStrictEqual({ text: '[1]\n\nNote: n\n\nLogs:\nl', ...noted });
    const failed = { failure: { code: 'C', message: 'm', hint: 'h' }, logs: 'l' };
    expect(await modelReport(failed)).toStrictEqual({ text: 'C: m\nHint: h\n\nLogs:\nl', ...failed });
  });
});

describe('an output as JSON', () => {
  test.each([
    ['undefined', undefined, null],
    ['a member that is undefined', { a: undefined }, {}],
    ['an element that is undefined, and a hole', [undefined, , 1], [null, null, 1]],
    ['infinity', [Infinity, -Infinity, NaN], ['Infinity', '-Infinity', 'NaN']],
    ['negative zero', [-0], [0]],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a date that is not valid', [new Date(NaN)], [null]],
    ['bytes', new Uint8Array([1, 2]), [1, 2]],
    ['other typed arrays', [new Float64Array([0.5, NaN]), new BigInt64Array([5n])], [[0.5, 'NaN'], ['5']]],
    ['a buffer and a view', { b: new Uint8Array([7]).buffer, v: new DataView(new Uint8Array([1, 2, 3]).buffer, 1, 1) }, { b: [7], v: [2] }],
    ['a Set in a Map', new Map([[1, new Set([2])]]), [[1, [2]]]],
    ['an undefined in a Set', new Set([undefined]), [null]],
    ['a large integer', { id: 2n ** 64n }, { id: '18446744073709551616' }],
    ['an error', new TypeError('m'), { name: 'TypeError', message: 'm' }],
    ['an error with properties', Object.assign(new Error('m', { cause: new RangeError('c') }), { status: 404 }), { name: 'Error', message: 'm', cause: { name: 'RangeError', message: 'c' }, status: 404 }],
    ['several errors', new AggregateError([new Error('a')], 'all'), { name: 'AggregateError', message: 'all', errors: [{ name: 'Error', message: 'a' }] }],
    ['boxed primitives', [new String('x'), new Number(1), new Boolean(false), Object(2n)], ['x', 1, false, '2']],
    ['a regular expression', { r: /a/g }, { r: '/a/g' }],
    ['a function as a member', { a: 1, f: function named() {} }, { a: 1, f: '[Function: named]' }],
    ['a symbol as a member', [1, Symbol('s')], [1, 'Symbol(s)']],
    ['a promise as a member', { p: Promise.resolve(1), n: 2 }, { p: 'Promise { 1 }', n: 2 }],
    ['a cycle', (() => { const a = { n: 1 }; a.self = a; a.list = [a]; return a; })(), { n: 1, self: '[Circular]', list: ['[Circular]'] }],
    ['a part that occurs twice', (() => { const a = { n: 1 }; return [a, a]; })(), [{ n: 1 }, { n: 1 }]],
    ['a getter that throws', { get a() { throw new Error('no'); }, b: 1 }, { b: 1 }],
    ['an object without prototype', Object.assign(Object.create(null), { z: 1 }), { z: 1 }],
    ['a function', function f() {}, '[Function: f]'],
  ])('contains %s', (_, value, expected) => expect(toJson(value)).toStrictEqual(expected)); // prettier-ignore

  test('a member named __proto__ stays a member', () => {
    const form = toJson(JSON.parse('{"__proto__":{"a":1}}'));
    expect([Object.keys(form), Object.getPrototypeOf(form)]).toStrictEqual([['__proto__'], Object.prototype]);
  });

  test('a report has data where its text has the notation of Node.js', async () => {
    const output = { day: new Date(0), n: NaN, rows: new Map([['a', new Set([1])]]), f: () => 1, gone: undefined };
    const { output: data, text } = await modelReport({ output, logs: '' });
    expect(data).toStrictEqual({ day: '1970-01-01T00:00:00.000Z', n: 'NaN', rows: [['a', [1]]], f: '[Function: f]' });
    expect(text).toContain("Map(1) { 'a' => Set(1) { 1 } }");
    const long = await modelReport({ output: new Map([['a', 'x'.repeat(200)]]), logs: '' }, { maxChars: 100 });
    expect(long.output).toBe(long.text);
  });
});
