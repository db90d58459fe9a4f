// Values cross by structured clone, in every direction, and a value that cannot be
// cloned is reported to the side that can do something about it.

import { inspect, isDeepStrictEqual } from 'node:util';
import { serialize } from 'node:v8';

import { describe, expect, test } from 'vitest';

import { expectCode, rejection, runChild, testIf } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeValues({ withExecutor, inChild, can }) {
  // For Node 20 two invalid dates are not equal, but their clones are written alike.
  const isSame = (actual, expected) =>
    isDeepStrictEqual(actual, expected) || Buffer.compare(serialize(actual), serialize(expected)) === 0;

  const expectSame = (actual, expected) => {
    if (!isSame(actual, expected)) {
      expect.fail(`got ${inspect(actual, { depth: 9 })}\nwant ${inspect(expected, { depth: 9 })}`);
    }
  };

  const own = (value, key) =>
    Object.defineProperty({}, key, { value, enumerable: true, writable: true, configurable: true });

  const sparse = () => {
    const array = [1, , 3];
    array.length = 5;
    return array;
  };

  const withExtra = () => Object.assign([1, 2], { extra: 'kept' });

  const TYPED_ARRAYS = [
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
  ];

  class Point {
    #secret = 1;
    constructor(x, y) {
      this.x = x;
      this.y = y;
    }
    get sum() {
      return this.x + this.y + this.#secret;
    }
  }

  /// [name, host value, guest expression that makes the same value, guest test of `v`].
  const VALUES = [
    ['undefined', () => undefined, 'undefined', 'v === undefined'],
    ['null', () => null, 'null', 'v === null'],
    ['true', () => true, 'true', 'v === true'],
    ['false', () => false, 'false', 'v === false'],
    ['zero', () => 0, '0', 'Object.is(v, 0)'],
    ['negative zero', () => -0, '-0', 'Object.is(v, -0)'],
    ['NaN', () => NaN, 'NaN', 'Number.isNaN(v)'],
    ['Infinity', () => Infinity, 'Infinity', 'v === Infinity'],
    ['-Infinity', () => -Infinity, '-Infinity', 'v === -Infinity'],
    ['fraction', () => 0.1 + 0.2, '0.1 + 0.2', 'v === 0.1 + 0.2'],
    ['largest safe integer', () => 2 ** 53 - 1, '2 ** 53 - 1', 'v === Number.MAX_SAFE_INTEGER'],
    ['smallest number', () => 5e-324, '5e-324', 'v === Number.MIN_VALUE'],
    ['BigInt zero', () => 0n, '0n', 'v === 0n'],
    [
      'negative BigInt',
      () => -123456789012345678901234567890n,
      '-123456789012345678901234567890n',
      'v < 0n && typeof v === "bigint"',
    ],
    ['large BigInt', () => 2n ** 4000n, '2n ** 4000n', 'v === 2n ** 4000n'],
    ['empty string', () => '', '""', 'v === ""'],
    ['Latin-1 string', () => 'ÿé', '"\\u00ff\\u00e9"', 'v.length === 2'],
    ['two-byte string', () => '日本語', '"\\u65e5\\u672c\\u8a9e"', 'v.length === 3'],
    ['astral string', () => '😀𝒳', '"\\u{1f600}\\u{1d4b3}"', 'v.length === 4 && [...v].length === 2'],
    ['lone surrogates', () => 'a\ud800b\udc00', '"a\\ud800b\\udc00"', 'v.charCodeAt(1) === 0xd800 && v.length === 4'],
    ['string with NUL', () => 'a\0b\0', '"a\\0b\\0"', 'v.length === 4 && v[1] === "\\0"'],
    ['string of 1 MB', () => 'ab€'.repeat(350_000), '"ab\\u20ac".repeat(350000)', 'v.length === 1050000'],
    [
      'Date',
      () => new Date(1234567890123),
      'new Date(1234567890123)',
      'v instanceof Date && v.getTime() === 1234567890123',
    ],
    ['invalid Date', () => new Date(NaN), 'new Date(NaN)', 'v instanceof Date && Number.isNaN(v.getTime())'],
    [
      'RegExp with flags',
      () => /a(?<n>b+)\/c/dgimsuy,
      '/a(?<n>b+)\\/c/dgimsuy',
      'v instanceof RegExp && v.flags === "dgimsuy" && new RegExp(v).test("ABB/C")',
    ],
    ['empty Map', () => new Map(), 'new Map()', 'v instanceof Map && v.size === 0'],
    [
      'Map with keys of all kinds',
      () =>
        new Map([
          [1, 'n'],
          ['1', 's'],
          [NaN, 'nan'],
          [null, 'null'],
          [undefined, 'u'],
          [{ k: 1 }, [2]],
        ]),
      'new Map([[1, "n"], ["1", "s"], [NaN, "nan"], [null, "null"], [undefined, "u"], [{ k: 1 }, [2]]])',
      'v.get(NaN) === "nan" && v.get(1) === "n" && v.get("1") === "s" && v.size === 6',
    ],
    [
      'Set',
      () => new Set([1, '1', NaN, { a: 1 }]),
      'new Set([1, "1", NaN, { a: 1 }])',
      'v instanceof Set && v.has(NaN) && v.size === 4',
    ],
    [
      'nested Map and Set',
      () => new Map([['s', new Set([new Map([[1, new Set()]])])]]),
      'new Map([["s", new Set([new Map([[1, new Set()]])])]])',
      '[...v.get("s")][0].get(1) instanceof Set',
    ],
    [
      'empty object',
      () => ({}),
      '({})',
      'Object.keys(v).length === 0 && Object.getPrototypeOf(v) === Object.prototype',
    ],
    [
      'nested object',
      () => ({ a: { b: [1, { c: undefined }] }, '': 0, 'x y': 1, 7: 2 }),
      '({ a: { b: [1, { c: undefined }] }, "": 0, "x y": 1, 7: 2 })',
      '"c" in v.a.b[1] && v[7] === 2 && v[""] === 0',
    ],
    ['empty array', () => [], '[]', 'Array.isArray(v) && v.length === 0 && v instanceof Array'],
    [
      'sparse array',
      sparse,
      '(() => { const a = [1, , 3]; a.length = 5; return a; })()',
      'v.length === 5 && !(1 in v) && !(3 in v) && v[2] === 3',
    ],
    [
      'array with a named property',
      withExtra,
      'Object.assign([1, 2], { extra: "kept" })',
      'v.extra === "kept" && v.length === 2',
    ],
    [
      '__proto__ as own key',
      () => own({ polluted: true }, '__proto__'),
      'JSON.parse("{\\"__proto__\\":{\\"polluted\\":true}}")',
      'Object.hasOwn(v, "__proto__") && v.polluted === undefined && Object.getPrototypeOf(v) === Object.prototype',
    ],
    [
      'constructor and prototype keys',
      () => ({ constructor: 1, prototype: 2, hasOwnProperty: 3 }),
      '({ constructor: 1, prototype: 2, hasOwnProperty: 3 })',
      'v.constructor === 1 && v.hasOwnProperty === 3',
    ],
    ['boxed number', () => Object(7), 'Object(7)', 'v instanceof Number && v + 1 === 8'],
    ['boxed negative zero', () => Object(-0), 'Object(-0)', 'Object.is(v.valueOf(), -0)'],
    ['boxed string', () => Object('s'), 'Object("s")', 'v instanceof String && v.length === 1'],
    ['boxed boolean', () => Object(false), 'Object(false)', 'v instanceof Boolean && v.valueOf() === false'],
    ['boxed BigInt', () => Object(5n), 'Object(5n)', 'typeof v === "object" && v + 1n === 6n'],
    [
      'ArrayBuffer',
      () => new Uint8Array([1, 2, 3]).buffer,
      'new Uint8Array([1, 2, 3]).buffer',
      'v instanceof ArrayBuffer && v.byteLength === 3',
    ],
    ['empty ArrayBuffer', () => new ArrayBuffer(0), 'new ArrayBuffer(0)', 'v.byteLength === 0'],
    [
      'DataView',
      () => new DataView(new Uint8Array([9, 8, 7]).buffer),
      'new DataView(new Uint8Array([9, 8, 7]).buffer)',
      'v instanceof DataView && v.getUint8(1) === 8 && v.byteLength === 3',
    ],
    [
      'BigInt64Array',
      () => BigInt64Array.of(1n, -2n),
      'BigInt64Array.of(1n, -2n)',
      'v instanceof BigInt64Array && v[1] === -2n',
    ],
    [
      'BigUint64Array',
      () => BigUint64Array.of(2n ** 64n - 1n),
      'BigUint64Array.of(2n ** 64n - 1n)',
      'v instanceof BigUint64Array && v[0] === 2n ** 64n - 1n',
    ],
    ...TYPED_ARRAYS.map((Class) => [
      Class.name,
      () => Class.of(1, 2, 200, -1),
      `${Class.name}.of(1, 2, 200, -1)`,
      `v instanceof ${Class.name} && v.length === 4 && v[1] === 2`,
    ]),
    [
      'empty typed array',
      () => new Float64Array(0),
      'new Float64Array(0)',
      'v instanceof Float64Array && v.length === 0',
    ],
    [
      'Float64Array with NaN and -0',
      () => Float64Array.of(NaN, -0, Infinity),
      'Float64Array.of(NaN, -0, Infinity)',
      'Number.isNaN(v[0]) && Object.is(v[1], -0)',
    ],
  ];

  describe.each(VALUES)('%s', (_name, make, expression, check) => {
    test('crosses as a variable, tool argument, tool result, output, final answer and module export', async () => {
      const expected = structuredClone(make());
      const received = [];
      const options = can.importModules ? { authorizedImports: ['m'], modules: { m: { value: make() } } } : {};
      const tools = {
        take: (...args) => void received.push(args),
        give: () => make(),
        giveLater: async () => make(),
      };
      await withExecutor(options, tools, async (executor) => {
        await executor.sendVariables({ v: make() });
        expect((await executor.run(check)).output).toBe(true);
        expectSame((await executor.run('v')).output, expected);
        expect((await executor.run(`{ const v = give(); ${check}; }`)).output).toBe(true);
        expect((await executor.run(`{ const v = await giveLater(); ${check}; }`)).output).toBe(true);
        if (can.importModules) {
          expect((await executor.run(`{ const { value: v } = await import('m'); ${check}; }`)).output).toBe(true);
          expectSame((await executor.run(`const { value } = await import('m'); return value;`)).output, expected);
        }

        const made = await executor.run(`return (${expression});`);
        expectSame(made.output, expected);
        expect(made.is_final_answer).toBe(false);
        const final = await executor.run(`final_answer(${expression})`);
        expectSame(final.output, expected);
        expect(final.is_final_answer).toBe(true);
        await executor.run(`take(${expression}, { inner: [${expression}] })`);
      });
      expect(received).toHaveLength(1);
      expectSame(received[0][0], expected);
      expectSame(received[0][1].inner[0], expected);
    });
  });

  // Node.js 20 does not have the class; what such a host gets is the next test.
  const testFloat16 = typeof Float16Array === 'function' ? test : () => {};
  testFloat16('Float16Array crosses in both directions', async () => {
    await withExecutor({}, {}, async (executor) => {
      await executor.sendVariables({ v: Float16Array.of(1.5, -0) });
      expect((await executor.run('v instanceof Float16Array && v[0] === 1.5 && Object.is(v[1], -0)')).output).toBe(
        true,
      );
      expectSame((await executor.run('v')).output, Float16Array.of(1.5, -0));
    });
  });

  test('a Float16Array of the guest does not fail the run on a host without that class', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run('({ half: Float16Array.of(1.5), rest: 1 })');
      expect(output.rest).toBe(1);
      if (typeof Float16Array === 'function') expectSame(output.half, Float16Array.of(1.5));
      else expect(inspect(output.half)).toContain('1.5');
    });
  });

  describe('only the visible bytes of a view cross', () => {
    test('a Buffer of the pool arrives as a Uint8Array with its own buffer', async () => {
      const secret = Buffer.from('secret of the pool');
      const pool = Buffer.concat([secret, Buffer.from('abcxyz')]).buffer;
      const pooled = (text) => Buffer.from(pool, Buffer.from(pool).indexOf(text), text.length);
      const shown = pooled('abc');
      expect(shown.buffer.byteLength).toBeGreaterThan(3);
      await withExecutor(
        {},
        { give: () => pooled('xyz'), giveLater: async () => [pooled('xyz')] },
        async (executor) => {
          await executor.sendVariables({ shown, list: [shown, { deep: shown }] });
          const code = (expression) =>
            `{ const b = ${expression}; [b instanceof Uint8Array, b.length, b.byteOffset, b.buffer.byteLength, Object.prototype.toString.call(b)]; }`;
          const expected = [true, 3, 0, 3, '[object Uint8Array]'];
          for (const expression of ['shown', 'list[0]', 'list[1].deep', 'give()', '(await giveLater())[0]']) {
            expect((await executor.run(code(expression))).output).toStrictEqual(expected);
          }
          expect((await executor.run('String.fromCharCode(...shown)')).output).toBe('abc');
        },
      );
      expect(secret.toString()).toBe('secret of the pool');
    });

    test('a subarray, a DataView and a typed array over a part of a buffer arrive without the rest', async () => {
      const whole = new Uint8Array(64).map((_, i) => i);
      await withExecutor({}, {}, async (executor) => {
        await executor.sendVariables({
          sub: whole.subarray(8, 12),
          view: new DataView(whole.buffer, 16, 4),
          wide: new Uint32Array(whole.buffer, 32, 2),
          none: whole.subarray(5, 5),
        });
        const { output } = await executor.run(`
        [sub, view, wide, none].map((v) => [v.constructor.name, v.byteLength, v.byteOffset, v.buffer.byteLength])`);
        expect(output).toStrictEqual([
          ['Uint8Array', 4, 0, 4],
          ['DataView', 4, 0, 4],
          ['Uint32Array', 8, 0, 8],
          ['Uint8Array', 0, 0, 0],
        ]);
        expect((await executor.run('[...sub, view.getUint8(0), wide[0]]')).output).toStrictEqual([
          8,
          9,
          10,
          11,
          16,
          new Uint32Array(whole.buffer, 32, 1)[0],
        ]);
      });
    });

    test('a buffer and a view of it stay one buffer in the guest', async () => {
      const buffer = new ArrayBuffer(8);
      await withExecutor({}, {}, async (executor) => {
        await executor.sendVariables({ pair: { buffer, view: new Uint8Array(buffer) } });
        expect((await executor.run('pair.view.buffer === pair.buffer')).output).toBe(true);
      });
    });

    test("views of a guest arrive with the guest's contents", async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run('const b = new Uint8Array([1, 2, 3, 4, 5]); return b.subarray(1, 3);');
        expectSame(output, new Uint8Array([2, 3]));
      });
    });

    test('the guest writes to its copy only', async () => {
      const bytes = new Uint8Array([1, 2, 3]);
      await withExecutor({}, {}, async (executor) => {
        await executor.sendVariables({ bytes });
        await executor.run('bytes[0] = 99;');
        expect((await executor.run('bytes[0]')).output).toBe(99);
      });
      expect([...bytes]).toStrictEqual([1, 2, 3]);
    });
  });

  describe('errors', () => {
    const CLASSES = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

    test.each(CLASSES.map((Class) => [Class.name, Class]))(
      '%s keeps class, message and cause in both directions',
      async (name, Class) => {
        const received = [];
        const make = () => new Class('outer', { cause: new RangeError('inner', { cause: { plain: [1] } }) });
        const assertError = (error) => {
          expect(error).toBeInstanceOf(Class);
          expect(Object.getPrototypeOf(error)).toBe(Class.prototype);
          expect(error.name).toBe(name);
          expect(error.message).toBe('outer');
          expect(error.cause).toBeInstanceOf(RangeError);
          expect(error.cause.message).toBe('inner');
          expect(error.cause.cause).toStrictEqual({ plain: [1] });
          expect(Object.keys(error)).toStrictEqual([]);
        };
        await withExecutor({}, { take: (value) => void received.push(value), give: make }, async (executor) => {
          await executor.sendVariables({ v: make() });
          const check = `v instanceof ${name} && v.name === '${name}' && v.message === 'outer' && v.cause instanceof RangeError &&
        v.cause.message === 'inner' && v.cause.cause.plain[0] === 1`;
          expect((await executor.run(check)).output).toBe(true);
          expect((await executor.run(`{ const v = give(); ${check}; }`)).output).toBe(true);
          assertError((await executor.run('v')).output);
          const text = `new ${name}('outer', { cause: new RangeError('inner', { cause: { plain: [1] } }) })`;
          assertError((await executor.run(`({ e: ${text} })`)).output.e);
          await executor.run(`take(${text})`);
        });
        assertError(received[0]);
      },
    );

    test('the stack of a host error and its paths do not reach the guest', async () => {
      await withExecutor({}, { give: () => ({ e: new Error('given') }) }, async (executor) => {
        await executor.sendVariables({ v: new TypeError('sent', { cause: new Error('deeper') }) });
        const { output } = await executor.run('[v.stack, v.cause.stack, give().e.stack].map(String).join("\\n")');
        expect(output).not.toMatch(/\.mjs|file:|node:|__test__|\/work/);
      });
    });

    test('the stack of a guest error that reaches the host shows guest frames only', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run('function make() { return new Error("e"); }\nmake();');
        expect(output).toBeInstanceOf(Error);
        expect(output.stack).not.toMatch(/node:|file:|\.mjs|__smol_|\.rs/);
      });
    });

    test('AggregateError and error classes of the guest arrive as errors with their message', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run(`
        class MyError extends RangeError { constructor(m) { super(m); this.extra = 1; } }
        return [new AggregateError([new Error('one')], 'many'), new MyError('mine')];`);
        expect(output[0]).toBeInstanceOf(Error);
        expect(output[0].message).toBe('many');
        expect(output[1]).toBeInstanceOf(Error);
        expect(output[1].message).toBe('mine');
      });
    });

    test('an error that is its own cause crosses', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run('const e = new Error("loop"); e.cause = e; return [e];');
        expect(output[0].message).toBe('loop');
      });
    });
  });

  describe('object graphs', () => {
    test('cycles through objects, arrays, Map and Set cross', async () => {
      const make = () => {
        const root = { list: [], map: new Map(), set: new Set() };
        root.self = root;
        root.list.push(root.list, root);
        root.map.set(root, root.map);
        root.set.add(root.set).add(root);
        return root;
      };
      const check = (v) =>
        v.self === v &&
        v.list[0] === v.list &&
        v.list[1] === v &&
        v.map.get(v) === v.map &&
        v.set.has(v.set) &&
        v.set.has(v);
      const received = [];
      await withExecutor({}, { take: (value) => void received.push(value), give: make }, async (executor) => {
        await executor.sendVariables({ v: make() });
        expect((await executor.run(`(${check})(v) && (${check})(give())`)).output).toBe(true);
        expect(check((await executor.run('v')).output)).toBe(true);
        expect(check((await executor.run(`(${make})()`)).output)).toBe(true);
        await executor.run('take(v)');
      });
      expect(check(received[0])).toBe(true);
    });

    test('shared references stay shared, also between arguments and between variables', async () => {
      const shared = { n: 1 };
      const received = [];
      await withExecutor({}, { take: (...args) => void received.push(args) }, async (executor) => {
        await executor.sendVariables({ a: { shared }, b: [shared, shared] });
        expect((await executor.run('b[0] === b[1] && a.shared === b[0]')).output).toBe(true);
        const { output } = await executor.run('const o = {}; return { x: o, y: [o], m: new Map([[o, o]]) };');
        expect(output.x).toBe(output.y[0]);
        expect(output.m.get(output.x)).toBe(output.x);
        await executor.run('{ const o = {}; take(o, [o]); }');
      });
      expect(received[0][0]).toBe(received[0][1][0]);
    });

    test('equal but distinct objects stay distinct', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.sendVariables({ v: [{}, {}] });
        expect((await executor.run('v[0] !== v[1]')).output).toBe(true);
        const { output } = await executor.run('[{}, {}]');
        expect(output[0]).not.toBe(output[1]);
      });
    });
  });

  describe('values that lose their class', () => {
    test('null-prototype objects and class instances of the host become plain objects', async () => {
      await withExecutor({}, { give: () => new Point(3, 4) }, async (executor) => {
        await executor.sendVariables({ bare: Object.assign(Object.create(null), { a: 1 }), point: new Point(1, 2) });
        const { output } = await executor.run(`
        [bare, point, give()].map((v) => [Object.getPrototypeOf(v) === Object.prototype, Object.keys(v).join(), v.sum])`);
        expect(output).toStrictEqual([
          [true, 'a', undefined],
          [true, 'x,y', undefined],
          [true, 'x,y', undefined],
        ]);
      });
    });

    test('null-prototype objects and class instances of the guest become plain objects', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run(`
        class Point { #p = 1; constructor() { this.x = 1; } get y() { return 2; } m() {} }
        class Sub extends Map {}
        return [Object.assign(Object.create(null), { a: 1 }), new Point(), Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } }), new Sub([[1, 2]])];`);
        expectSame(output, [{ a: 1 }, { x: 1 }, { own: 2 }, new Map([[1, 2]])]);
      });
    });

    test('symbol keys and non-enumerable properties do not cross', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.sendVariables({ v: Object.defineProperty({ a: 1, [Symbol('s')]: 2 }, 'hidden', { value: 3 }) });
        expect((await executor.run('Reflect.ownKeys(v)')).output).toStrictEqual(['a']);
        const { output } = await executor.run(
          'Object.defineProperty({ a: 1, [Symbol("s")]: 2 }, "hidden", { value: 3 })',
        );
        expect(Reflect.ownKeys(output)).toStrictEqual(['a']);
      });
    });

    test('properties of Date, RegExp and Map do not cross, and lastIndex becomes 0', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run(`
        const r = /x/g; r.lastIndex = 5;
        return [Object.assign(new Date(1), { extra: 1 }), r, Object.assign(new Map(), { extra: 1 })];`);
        expectSame(output, [new Date(1), /x/g, new Map()]);
      });
    });
  });

  describe('getters and toJSON of the guest', () => {
    test('run in the guest, once, and become data on the host', async () => {
      const received = [];
      await withExecutor({}, { take: (value) => void received.push(value) }, async (executor) => {
        await executor.run(
          'take({ get a() { console.log("read"); return 1; }, set b(_) {}, toJSON() { return "no"; } }.a ? { get a() { console.log("read"); return 1; } } : 0)',
        );
        const { output, logs } = await executor.run('({ get a() { console.log("read"); return [1]; } })');
        expect(logs).toBe('read');
        expect(Object.getOwnPropertyDescriptor(output, 'a').value).toStrictEqual([1]);
      });
      expect(Object.getOwnPropertyDescriptor(received[0], 'a').value).toBe(1);
    });

    test('a thenable output is awaited by the guest, and is not a thenable on the host', async () => {
      await withExecutor({}, {}, async (executor) => {
        expect((await executor.run('({ then(resolve) { resolve("from then"); } })')).output).toBe('from then');
        const { output } = await executor.run('[{ then: 1 }]');
        expect(output).toStrictEqual([{ then: 1 }]);
      });
    });
  });

  describe('values that cannot be cloned become the text of util.inspect in outputs', () => {
    const EXPRESSIONS = [
      'function named() {}',
      '(() => {})',
      '(async () => {})',
      'async function later() {}',
      'function* gen() {}',
      'async function* agen() {}',
      'class A {}',
      'class extends Map {}',
      'class B extends Error {}',
      'Math.max',
      'Symbol("s")',
      'Symbol.iterator',
      'Symbol.for("registered")',
      'Symbol()',
      'new WeakMap()',
      'new WeakSet()',
      '(function* g() {})()',
      '[][Symbol.iterator]()',
      'Object(Symbol("boxed"))',
      ...(can.inspectNatives
        ? [
            'new Map([[1, 2]]).entries()',
            'new Set([1]).values()',
            'new Proxy({ a: 1 }, {})',
            'new Proxy([1, 2], {})',
            'new Proxy(function target() {}, {})',
          ]
        : []),
    ];

    test.each(EXPRESSIONS)('%s', async (expression) => {
      // Node.js 26 writes `Proxy(` around what those before it show.
      // eslint-disable-next-line no-eval -- the expressions are those of this file
      const expected = inspect((0, eval)(`(${expression})`)).replace(/^Proxy\((.*)\)$/, '$1');
      await withExecutor({}, {}, async (executor) => {
        expect((await executor.run(`return (${expression});`)).output).toBe(expected);
        expect((await executor.run(`final_answer(${expression})`)).output).toBe(expected);
        const { output } = await executor.run(
          `return { n: 1, list: [undefined, (${expression})], map: new Map([['k', (${expression})]]), date: new Date(5) };`,
        );
        expectSame(output, { n: 1, list: [undefined, expected], map: new Map([['k', expected]]), date: new Date(5) });
      });
    });

    testIf(can.inspectNatives).each([
      ['Promise.resolve(1)', 'Promise { 1 }'],
      ['new Promise(() => {})', 'Promise { <pending> }'],
    ])('a nested promise becomes its text: %s', async (expression, expected) => {
      await withExecutor({}, {}, async (executor) => {
        expect((await executor.run(`({ p: ${expression}, n: 1 })`)).output).toStrictEqual({ p: expected, n: 1 });
      });
    });

    test('the rest keeps its types, identities and cycles', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run(`
        const shared = { big: 1n, when: new Date(0), re: /x/g, bytes: new Uint8Array([1]), set: new Set([NaN]), err: new TypeError('t', { cause: 1 }) };
        const root = { f() {}, shared, again: shared, holes: [1, , 3], nothing: undefined, zero: -0 };
        root.self = root;
        return root;`);
        expect(output.f).toBe('[Function: f]');
        expect(output.again).toBe(output.shared);
        expect(output.self).toBe(output);
        expect(1 in output.holes).toBe(false);
        expect(output.holes).toHaveLength(3);
        expect('nothing' in output).toBe(true);
        expect(Object.is(output.zero, -0)).toBe(true);
        expectSame(output.shared.bytes, new Uint8Array([1]));
        expectSame(output.shared.set, new Set([NaN]));
        expect(output.shared.big).toBe(1n);
        expectSame(output.shared.when, new Date(0));
        expectSame(output.shared.re, /x/g);
        expect(output.shared.err).toBeInstanceOf(TypeError);
        expect(output.shared.err.message).toBe('t');
        expect(output.shared.err.cause).toBe(1);
      });
    });

    test('own __proto__ keys stay data next to a function', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run(
          'const o = JSON.parse(\'{"__proto__":{"x":1}}\'); o.f = () => {}; return o;',
        );
        expect(Object.hasOwn(output, '__proto__')).toBe(true);
        expect(output.x).toBe(undefined);
        expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
      });
    });

    test('a getter that throws affects only its own property', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run('({ a: 1, get b() { throw new Error("no"); }, c: [2] })');
        expect(output).toStrictEqual({ a: 1, b: '[Getter]', c: [2] });
      });
    });

    test('a proxy with traps that throw does not fail the run', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run(`
        const trap = () => { throw new Error('trap'); };
        const hostile = new Proxy({}, { get: trap, ownKeys: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap, has: trap });
        return { hostile, ok: true };`);
        expect(output.ok).toBe(true);
        expect(typeof output.hostile).toBe('string');
        if (can.inspectNatives) {
          expect((await executor.run('new Proxy({}, { ownKeys() { throw 1; } })')).output).toBe('{}');
        }
      });
    });

    test('a revoked proxy does not fail the run', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run('const r = Proxy.revocable({}, {}); r.revoke(); return [r.proxy, 1];');
        expect(output[1]).toBe(1);
        expect(output[0]).toBe('<Revoked Proxy>');
      });
    });

    test("a guest's inspect.custom that throws does not fail the run", async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run(`
        const f = () => {};
        f[Symbol.for('nodejs.util.inspect.custom')] = () => { throw new Error('custom'); };
        return { f, ok: 1 };`);
        expect(output.ok).toBe(1);
        expect(typeof output.f).toBe('string');
        expect(executor.state).toBe('READY');
      });
    });

    test('a detached buffer does not fail the run', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output } = await executor.run(`
        const b = new ArrayBuffer(8); const v = new Uint8Array(b); const d = new DataView(b); b.transfer();
        return { b, v, d, ok: 1 };`);
        expect(output.ok).toBe(1);
      });
    });

    test('a graph of depth 100,000 as output settles with a coded outcome or a value', async () => {
      await withExecutor({ maxOperations: 1e6 }, {}, async (executor) => {
        const outcome = await executor
          .run('let v = 1; for (let i = 0; i < 100000; i++) v = [v]; return v;')
          .catch((error) => error);
        expect(outcome.output !== undefined || typeof outcome.code === 'string').toBe(true);
        expect((await executor.run('1 + 1')).output).toBe(2);
      });
    });
  });

  describe('values that cannot be cloned as tool arguments', () => {
    const CASES = [
      ['take({ a: { b: () => 1 } })', 'a.b'],
      ['take([1, [2, Symbol("s")]])', '[1][1]'],
      ['take(1, { list: [0, { f() {} }] })', 'list[1].f'],
      ['take({ p: Promise.resolve() })', 'p'],
      ['take(new Map([["key", { w: new WeakMap() }]]))', 'w'],
      ['take({ "odd key": { f: class {} } })', 'odd key'],
      ...(can.inspectNatives ? [['take({ x: new Proxy({}, {}) })', 'x']] : []),
    ];

    test.each(CASES)('%s is refused at the path %s', async (code, path) => {
      let calls = 0;
      await withExecutor({}, { take: () => calls++ }, async (executor) => {
        const error = await expectCode(executor.run(code), 'ERR_TOOL_PROXY_FAIL');
        expect(error.message).toMatch(/^Tool execution failed: /);
        expect(error.message).toContain(path);
        expect(error.details.tool).toBe('take');
        expect(error.details.bridge).toBe(true);
        expect(executor.state).toBe('READY');
      });
      expect(calls).toBe(0);
    });

    test('an async tool rejects, and the guest can handle it', async () => {
      let calls = 0;
      await withExecutor({}, { take: async () => calls++ }, async (executor) => {
        const error = await expectCode(executor.run('await take({ cb: () => {} })'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.message).toContain('cb');
        const { output } = await executor.run(`
        let sync = 'nothing';
        let p;
        try { p = take(() => {}); } catch { sync = 'threw'; }
        return [sync, await p.catch((e) => e instanceof Error)];`);
        expect(output).toStrictEqual(['nothing', true]);
      });
      expect(calls).toBe(0);
    });

    test('a getter of the argument that throws is a bridge failure that the guest can handle', async () => {
      await withExecutor({}, { take: () => 1 }, async (executor) => {
        const { output } = await executor.run(
          'try { take({ get g() { throw new RangeError("mine"); } }); } catch (e) { return e instanceof Error; }',
        );
        expect(output).toBe(true);
        const error = await rejection(executor.run('take({ get g() { throw new RangeError("mine"); } })'));
        expect(['ERR_TOOL_PROXY_FAIL', 'ERR_RUNTIME_EXCEPTION']).toContain(error.code);
        expect(error.message).toContain('mine');
      });
    });

    testIf(can.limitOperations)('a loop in a getter of the argument is stopped', async () => {
      await withExecutor({ maxOperations: 100 }, { take: () => 1 }, async (executor) => {
        await expectCode(executor.run('take({ get g() { for (;;); } })'), 'ERR_MAX_OPS_EXCEEDED');
        expect((await executor.run('take({ ok: 1 })')).output).toBe(1);
      });
    });
  });

  describe('results of tools belong to the guest', () => {
    const rows = () => ({
      rows: [{ n: 3 }, { n: 1 }, { n: 2 }],
      total: 3,
      cause: new RangeError('r', { cause: { x: 1 } }),
    });
    const CHANGES = `r.rows.sort((a, b) => a.n - b.n); r.rows.push({ n: 4 }); r.rows[0].n = 0; r.total += 1; delete r.missing;
      r.added = { deep: [] }; r.added.deep.push(1); r.cause.message = 'changed'; r.cause.cause.x = 2;
      return [r.rows.map((row) => row.n), r.total, r.added, r.cause.message, r.cause.cause, [r, r.rows, r.rows[1], r.cause].some(Object.isFrozen)];`;
    const CHANGED = [[0, 2, 3, 4], 4, { deep: [1] }, 'changed', { x: 2 }, false];

    test.each([
      ['of a synchronous tool', 'give()'],
      ['of a tool that returns a promise', 'await promise()'],
      ['of an async tool', 'await giveLater()'],
    ])('%s', async (_, call) => {
      const tools = { give: rows, promise: () => Promise.resolve(rows()), giveLater: async () => rows() };
      await withExecutor({}, tools, async (executor) => {
        expect((await executor.run(`const r = ${call}; ${CHANGES}`)).output).toStrictEqual(CHANGED);
      });
    });

    test('each call passes a separate copy, and the host keeps its object', async () => {
      const held = { list: [1] };
      await withExecutor({}, { give: () => held }, async (executor) => {
        const code = 'const a = give(); a.list.push(2); const b = give(); return [a.list, b.list, a === b];';
        expect((await executor.run(code)).output).toStrictEqual([[1, 2], [1], false]);
      });
      expect(held).toStrictEqual({ list: [1] });
    });

    test('typed arrays, dates, Maps and Sets accept properties, and buffers can be transferred', async () => {
      const give = () => ({ bytes: new Uint8Array(4), when: new Date(0), map: new Map(), set: new Set() });
      await withExecutor({}, { give }, async (executor) => {
        const code = `const v = give(); for (const part of Object.values(v)) part.extra = 1;
          v.bytes.buffer.transfer(); return [Object.values(v).map((part) => part.extra), v.bytes.length];`;
        expect((await executor.run(code)).output).toStrictEqual([[1, 1, 1, 1], 0]);
      });
    });

    test('a stack in a result names no file of the host', async () => {
      const give = () => ({ error: new Error('inner') });
      await withExecutor({}, { give }, async (executor) => {
        expect((await executor.run('return give().error.stack')).output).toBe('Error: inner');
        expect((await executor.run('console.log(give())')).logs).toBe('{ error: [Error: inner] }');
      });
    });
  });

  describe('variables, and results with hardenToolResults, are hardened copies', () => {
    const MUTATIONS = [
      'v.a = 1',
      'v.b = 1',
      'delete v.a',
      'v.list.push(1)',
      'v.list.length = 0',
      'v.nested.deep.x = 2',
      'Object.setPrototypeOf(v, null)',
      'Object.defineProperty(v, "a", { value: 2 })',
      'v.err.message = "changed"',
      'v.when.extra = 1',
      'v.map.extra = 1',
      'v.bytes.extra = 1',
    ];
    const make = () => ({
      a: 0,
      list: [1],
      nested: { deep: { x: 1 } },
      err: new Error('e'),
      when: new Date(0),
      map: new Map(),
      bytes: new Uint8Array(1),
    });

    testIf(can.harden).each(MUTATIONS)('%s throws a TypeError', async (mutation) => {
      const options = { authorizedImports: ['m'], modules: { m: { v: make() } }, hardenToolResults: true };
      await withExecutor(options, { give: make, giveLater: async () => make() }, async (executor) => {
        await executor.sendVariables({ sent: make() });
        for (const source of ['sent', 'give()', 'await giveLater()', '(await import("m")).v']) {
          const error = await expectCode(
            executor.run(`{ const v = ${source}; ${mutation}; }`),
            'ERR_RUNTIME_EXCEPTION',
          );
          expect(error.details.name).toBe('TypeError');
        }
      });
    });

    testIf(can.harden)('Object.isFrozen is true for every part', async () => {
      await withExecutor({ hardenToolResults: true }, { give: make }, async (executor) => {
        const { output } = await executor.run(
          '{ const v = give(); [v, v.list, v.nested, v.nested.deep, v.err, v.when, v.map].map(Object.isFrozen); }',
        );
        expect(output).toStrictEqual(Array(7).fill(true));
      });
    });

    test('outputs and received arguments can be changed by the host', async () => {
      const received = [];
      await withExecutor({}, { take: (value) => void received.push(value) }, async (executor) => {
        await executor.sendVariables({ v: make() });
        const { output } = await executor.run('take(v); v');
        output.a = 5;
        output.list.push(2);
        received[0].nested.deep.x = 9;
        expect(output.list).toStrictEqual([1, 2]);
        expect((await executor.run('[v.a, v.list.length, v.nested.deep.x]')).output).toStrictEqual([0, 1, 1]);
      });
    });

    test('tool arguments stay unfrozen in the guest', async () => {
      await withExecutor({}, { take: () => 1 }, async (executor) => {
        expect(
          (await executor.run('const o = { list: [] }; take(o); o.list.push(1); o.x = 1; return o;')).output,
        ).toStrictEqual({ list: [1], x: 1 });
      });
    });
  });

  describe('values survive on a host with custom prototypes', () => {
    const OUTPUTS =
      '({ toString: 1, constructor: 2, hasOwnProperty: 3, valueOf: 4, ["__proto__"]: 5, x: 6, list: Object.assign([1], { x: 7, push: 8 }), map: new Map([["x", { x: 9 }]]), err: new TypeError("t", { cause: { x: 10 } }), loop: (() => { const e = new Error("l"); e.cause = e; return e; })() })';
    const script = (prepare) => `
    ${inChild}
    let calls = 0;
    ${prepare}
    const executor = make();
    await executor.init();
    let received;
    await executor.sendTools({ take: (...args) => { received = args; }, give: () => ({ x: 1, toString: 2 }) });
    await executor.sendVariables({ v: { x: 1, constructor: 2 } });
    const { output } = await executor.run(${JSON.stringify(`take(${OUTPUTS}); return ${OUTPUTS};`)});
    const seen = (await executor.run('const g = give(); return [v.x, v.constructor, g.x, g.toString];')).output;
    const own = (value) => Object.getOwnPropertyNames(value).map((key) => [key, Object.getOwnPropertyDescriptor(value, key).value]);
    await executor.cleanup();
    const text = (value) => own(value).filter(([, item]) => typeof item === 'number').map(([key, item]) => key + item).join();
    console.log([text(output), text(output.list), text(output.map.get('x')), text(output.err.cause), text(received[0]), seen.join(), calls].join(' | '));`;
    const EXPECTED = [
      'toString1,constructor2,hasOwnProperty3,valueOf4,__proto__5,x6',
      '01,length1,x7,push8',
      'x9',
      'x10',
      'toString1,constructor2,hasOwnProperty3,valueOf4,__proto__5,x6',
      '1,2,1,2',
      '0',
    ].join(' | ');

    test.each([
      ['with the usual prototypes', ''],
      [
        'with frozen intrinsics',
        'for (const C of [Object, Array, Map, Set, Error, TypeError, Function, Promise, Date]) { Object.freeze(C.prototype); Object.freeze(C); }',
      ],
      [
        'with setters on Object.prototype',
        'Object.defineProperty(Object.prototype, "x", { set() { calls++; }, get() { return undefined; }, configurable: true });',
      ],
      [
        'with read-only properties on Object.prototype',
        'Object.defineProperty(Object.prototype, "x", { value: "inherited" });',
      ],
    ])('%s', async (_name, prepare) => {
      const { status, stdout, stderr } = await runChild(script(prepare));
      expect({ status, stdout: stdout.trim(), stderr }).toStrictEqual({ status: 0, stdout: EXPECTED, stderr: '' });
    });
  });
}
