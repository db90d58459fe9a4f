// Section 5 of the specification: what a guest can reach is frozen, is the language, and leads
// neither to the host nor to code from strings.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { expectCode, rejection, withExecutor } from '../helpers.mjs';

const BIG = { maxOperations: 50_000_000, timeoutMs: 20_000 };

const LANGUAGE = [
  'AggregateError',
  'Array',
  'ArrayBuffer',
  'AsyncDisposableStack',
  'BigInt',
  'BigInt64Array',
  'BigUint64Array',
  'Boolean',
  'DataView',
  'Date',
  'DisposableStack',
  'Error',
  'EvalError',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'Function',
  'Infinity',
  'Int16Array',
  'Int32Array',
  'Int8Array',
  'Intl',
  'Iterator',
  'JSON',
  'Map',
  'Math',
  'NaN',
  'Number',
  'Object',
  'Promise',
  'Proxy',
  'RangeError',
  'ReferenceError',
  'Reflect',
  'RegExp',
  'Set',
  'String',
  'SuppressedError',
  'Symbol',
  'SyntaxError',
  'TypeError',
  'URIError',
  'Uint16Array',
  'Uint32Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'WeakMap',
  'WeakSet',
  'decodeURI',
  'decodeURIComponent',
  'encodeURI',
  'encodeURIComponent',
  'escape',
  'eval',
  'global',
  'globalThis',
  'isFinite',
  'isNaN',
  'parseFloat',
  'parseInt',
  'self',
  'undefined',
  'unescape',
];
const ENDOWMENTS = [
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'atob',
  'btoa',
  'console',
  'final_answer',
  'harden',
  'queueMicrotask',
  'structuredClone',
];

/// A walk of everything that is reachable from the global and from what syntax makes. An expression, so that nothing of
/// it is on the global.
const WALK = `(() => {
  const seen = new Set([globalThis]);
  const queue = [];
  const add = (value, path) => {
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') {
      if (!seen.has(value)) { seen.add(value); queue.push([value, path]); }
    }
  };
  const addAll = (object, path) => {
    add(Reflect.getPrototypeOf(object), path + '.[[Prototype]]');
    for (const key of Reflect.ownKeys(object)) {
      const descriptor = Reflect.getOwnPropertyDescriptor(object, key);
      const at = path + '.' + String(key);
      if ('value' in descriptor) add(descriptor.value, at);
      else { add(descriptor.get, at + '<get>'); add(descriptor.set, at + '<set>'); }
    }
  };
  addAll(globalThis, 'globalThis');
  // Only prototypes: the values themselves are this program's own.
  const made = {
    function: function () {}, arrow: () => {}, async: async () => {}, generator: function* () {}, asyncGenerator: async function* () {},
    object: {}, array: [], regexp: /x/, error: new TypeError('x'), promise: (async () => {})(),
    // The prototype of a generator's object is made along with its function.
    generatorObject: Reflect.getPrototypeOf((function* () {})()), asyncGeneratorObject: Reflect.getPrototypeOf((async function* () {})()),
    arrayIterator: [][Symbol.iterator](), mapIterator: new Map().entries(), setIterator: new Set().values(), stringIterator: ''[Symbol.iterator](),
    regexpIterator: 'x'.matchAll(/x/g), helper: [].values().map((x) => x), wrapped: Iterator.from({ next() {} }),
    segmenter: new Intl.Segmenter().segment('x'), segments: new Intl.Segmenter().segment('x')[Symbol.iterator](),
    typed: new Uint8Array(1), view: new DataView(new ArrayBuffer(1)), buffer: new ArrayBuffer(1), weak: new WeakMap(),
    number: Object(1), string: Object(''), bigint: Object(1n), symbol: Object(Symbol.iterator), boolean: Object(true),
    date: new Date(), disposable: new DisposableStack(), suppressed: new SuppressedError(),
    arguments: (function () { return arguments; })(), match: /(?<x>x)/d.exec('x'), classMade: class { static m() {} },
    format: new Intl.DateTimeFormat('en'), collator: new Intl.Collator('en'), locale: new Intl.Locale('en'),
  };
  for (const name of Reflect.ownKeys(made)) add(Reflect.getPrototypeOf(made[name]), '(' + name + ').[[Prototype]]');
  const unfrozen = [];
  for (let i = 0; i < queue.length; i++) {
    const [object, path] = queue[i];
    if (!Object.isFrozen(object)) unfrozen.push(path);
    addAll(object, path);
  }
  return { unfrozen, count: queue.length };
})()`;

/// Expressions whose evaluation must not give code made from a string, nor anything of the host.
const attempt = (expression) =>
  `(() => { try { const r = (${expression}); return typeof r === 'function' ? ['function', typeof r('return 1')] : ['value', r]; } catch (e) { return ['threw', e instanceof Error]; } })()`;

describe('P2 intrinsics are hardened', () => {
  test('everything reachable is frozen, except the global itself', async () => {
    await withExecutor(BIG, {}, async (executor) => {
      const { output } = await executor.run(WALK);
      expect(output.unfrozen).toStrictEqual([]);
      expect(output.count).toBeGreaterThan(800);
    });
  });

  test('everything reachable is frozen with tools, variables and modules too', async () => {
    const options = {
      ...BIG,
      authorizedImports: ['m'],
      modules: { m: { v: { a: [1] }, f: () => 1, N: { g: async () => 1 } } },
    };
    await withExecutor(
      options,
      { tool: () => 1, later: async () => 1, Host: { Deep: { f: () => 1 } } },
      async (executor) => {
        await executor.sendVariables({ v: { a: [{ b: new Map() }], e: new Error('x'), d: new Date(), r: /x/ }, n: 1 });
        const { output } = await executor.run(WALK);
        expect(output.unfrozen).toStrictEqual([]);
        const module = await executor.run(
          `const m = await import('m'); return [m.v, m.v.a, m.f, m.N, m.N.g].map(Object.isFrozen);`,
        );
        expect(module.output).toStrictEqual([true, true, true, true, true]);
      },
    );
  });

  test('everything reachable is still frozen after hostile runs', async () => {
    await withExecutor(BIG, {}, async (executor) => {
      await executor.run(
        'try { Array.prototype.push = 1; } catch {} try { delete Object.prototype.toString; } catch {} try { Error.stackTraceLimit = 0; Error.prepareStackTrace = () => 1; } catch {} 0',
      );
      const { output } = await executor.run(WALK);
      expect(output.unfrozen).toStrictEqual([]);
    });
  });

  test('the global has exactly the listed names', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run('Reflect.ownKeys(globalThis).map(String).sort()');
      expect(output).toStrictEqual([...LANGUAGE, ...ENDOWMENTS].sort());
    });
  });

  test('sending tools adds exactly their names to the global', async () => {
    await withExecutor({}, { tool: () => 1, Host: { f: () => 1 } }, async (executor) => {
      await executor.sendVariables({ v: 1 });
      const { output } = await executor.run('Reflect.ownKeys(globalThis).map(String).sort()');
      expect(output).toStrictEqual([...LANGUAGE, ...ENDOWMENTS, 'tool', 'Host', 'v'].sort());
    });
  });

  test('the prototypes of the global are plain objects', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const names = [];
        for (let at = Object.getPrototypeOf(globalThis); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
          names.push(...Reflect.ownKeys(at).map(String));
        }
        return names.filter((name) => name !== 'constructor' && name !== 'Symbol(Symbol.toStringTag)');`);
      expect(output).toStrictEqual([]);
    });
  });

  const FORBIDDEN = [
    'Deno',
    'process',
    'require',
    'module',
    'exports',
    'Buffer',
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    'WeakRef',
    'FinalizationRegistry',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'fetch',
    'performance',
    'crypto',
    'navigator',
    'window',
    'document',
    'XMLHttpRequest',
    'WebSocket',
    'Worker',
    'importScripts',
    'gc',
    'print',
    'd8',
    'ops',
    '__bootstrap',
    '__smol_boot',
    '__smol_realm',
    'lockdown',
    'Compartment',
    'repairIntrinsics',
    'hardenIntrinsics',
    'StaticModuleRecord',
    'ModuleSource',
    'ShadowRealm',
    'AsyncFunction',
    'GeneratorFunction',
    'primordials',
    'internalBinding',
    'Bun',
  ];

  test('globals of hosts and engines are missing', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(
        `[${FORBIDDEN.map((name) => `['${name}', typeof ${name.startsWith('__smol') ? `globalThis.${name}` : name}]`).join(', ')}].filter(([, type]) => type !== 'undefined')`,
      );
      expect(output).toStrictEqual([]);
    });
  });

  test('ArrayBuffer.prototype.resize, which could not work, is missing too', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run('["resize" in ArrayBuffer.prototype, new ArrayBuffer(8).resizable]');
      expect(output).toStrictEqual([false, false]);
    });
  });

  test('shared memory and weak references cannot be reached in other ways', async () => {
    await withExecutor(BIG, {}, async (executor) => {
      const { output } = await executor.run(`(() => {
        const seen = new Set(); const names = []; const queue = [globalThis];
        for (let i = 0; i < queue.length; i++) {
          const object = queue[i];
          for (const key of Reflect.ownKeys(object)) {
            const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
            for (const next of [value, get, set, Reflect.getPrototypeOf(object)]) {
              if ((typeof next === 'function' || (typeof next === 'object' && next !== null)) && !seen.has(next)) {
                seen.add(next); queue.push(next);
                if (typeof next === 'function') names.push(next.name);
                const tag = next[Symbol.toStringTag];
                if (typeof tag === 'string') names.push(tag);
              }
            }
          }
        }
        return names.filter((name) => /SharedArrayBuffer|Atomics|WeakRef|FinalizationRegistry|WebAssembly|Compartment|ShadowRealm|^op_|Deno/.test(name));
      })()`);
      expect(output).toStrictEqual([]);
    });
  });

  const POLLUTIONS = [
    'Object.prototype.polluted = 1',
    'Array.prototype.push = () => 1',
    'Array.prototype.polluted = 1',
    'Function.prototype.call = null',
    'String.prototype.at = null',
    'Promise.prototype.then = null',
    'Error.prototype.polluted = 1',
    'TypeError.prototype.polluted = 1',
    'Map.prototype.get = null',
    'RegExp.prototype.exec = null',
    'Object.prototype.__proto__ = {}',
    'Object.setPrototypeOf(Object.prototype, {})',
    'Object.setPrototypeOf(Array.prototype, null)',
    'Object.defineProperty(Object.prototype, "x", { value: 1 })',
    'delete Array.prototype.map',
    'Math.random = () => 4',
    'JSON.parse = null',
    'Object.freeze = (x) => x',
    'Symbol.iterator = 1',
    'Date.now = () => 0',
    'Reflect.ownKeys = null',
    'Number.prototype.polluted = 1',
    '(function* () {}).constructor.prototype.x = 1',
    'Object.getPrototypeOf(async function () {}).x = 1',
    'Object.getPrototypeOf([][Symbol.iterator]()).next = null',
    'Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())).x = 1',
    'Object.getPrototypeOf(Uint8Array).prototype.x = 1',
    'Array.from = null',
    'Promise.resolve = null',
    'Promise.all = null',
    'Iterator.prototype.x = 1',
    '({}).__proto__.polluted = 1',
    '[].constructor.prototype.polluted = 1',
    'Error.captureStackTrace = null',
    'harden.x = 1',
    'Intl.polluted = 1',
    'new Intl.DateTimeFormat("en").constructor.prototype.x = 1',
    'Proxy.x = 1',
    'Function.prototype.prototype = 1',
    'Object.defineProperty(Array.prototype, Symbol.iterator, { value: null })',
    'globalThis.__proto__ = {}',
    'Object.setPrototypeOf(globalThis, { inherited: 1 })',
  ];

  test.each(POLLUTIONS)('%s throws a TypeError and changes nothing', async (code) => {
    await withExecutor({}, {}, async (executor) => {
      const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
      expect(error.details.name).toBe('TypeError');
      expect(
        (await executor.run('[({}).polluted, [].polluted, ({}).x, typeof inherited, [1].map((x) => x + 1), [...[1]]]'))
          .output,
      ).toStrictEqual([undefined, undefined, undefined, 'undefined', [2], [1]]);
    });
  });

  test('instances can still override properties of their prototypes', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const o = {}; o.toString = () => 'own'; o.constructor = 1; o.hasOwnProperty = 2; o.valueOf = 3;
        class A {} A.prototype.toString = () => 'A';
        const e = new Error('x'); e.name = 'Mine'; e.message = 'changed';
        const f = () => {}; f.toString = () => 'f';
        const a = []; a.push = 1; a.concat = 2;
        class MyError extends Error { constructor(m) { super(m); this.name = 'MyError'; } }
        const p = Promise.resolve(); p.then2 = 1;
        return [String(o), o.constructor, o.hasOwnProperty, String(new A()), String(e), String(f), a.push, a.concat, new MyError('m').name, Object.keys(o)];`);
      expect(output).toStrictEqual([
        'own',
        1,
        2,
        'A',
        'Mine: changed',
        'f',
        1,
        2,
        'MyError',
        ['toString', 'constructor', 'hasOwnProperty', 'valueOf'],
      ]);
    });
  });

  test('harden works as in SES: it is deep, returns its argument and throws for values that cannot be frozen', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const inner = { list: [] }; const o = { inner, get g() { return 1; } }; o.self = o;
        const same = harden(o) === o;
        const bytes = harden(new Uint8Array(2)); bytes[0] = 5;
        let refused = 0;
        try { harden(new Proxy({}, { preventExtensions() { return false; } })); } catch { refused++; }
        try { inner.list.push(1); } catch { refused++; }
        return [same, Object.isFrozen(inner.list), Object.isFrozen(Object.getOwnPropertyDescriptor(o, 'g').get), harden(5), harden(null), bytes[0], refused, harden.name, harden.length];`);
      expect(output).toStrictEqual([true, true, true, 5, null, 5, 2, 'harden', 1]);
    });
  });

  test('libraries can assign properties on their own instances, subclasses and prototypes', async () => {
    const code = `
      const results = [];
      const makes = [() => new Map(), () => new Set(), () => [], () => new Error('e'), () => new TypeError('e'),
        () => new AggregateError([]), () => new Number(1), () => new String('s'), () => new Date(0), () => /x/, () => function () {}];
      const own = (make, key) => { const made = make(); made[key] = 1; return made[key] === 1 && !(key in {} && {}[key] === 1); };
      for (const make of makes) {
        for (const key of ['toString', 'valueOf', 'constructor', 'name', 'message']) {
          if (key === 'name' && typeof make() === 'function') continue;
          if (key === 'constructor' && (Array.isArray(make()) || make() instanceof RegExp)) continue;
          if (!own(make, key)) results.push([String(make), key]);
        }
      }
      for (const Class of [Map, Set, Array, Date, Error]) {
        for (const key of Object.getOwnPropertyNames(Class.prototype)) {
          if (['size', 'length', 'getOrInsert', 'getOrInsertComputed'].includes(key) || (key === 'constructor' && Class === Array)) continue;
          if (!own(() => Object.create(Class.prototype), key)) results.push([Class.name, key]);
          class Sub extends Class {}
          Sub.prototype[key] = () => key;
          if (Sub.prototype[key]() !== key) results.push([Class.name, key, 'subclass']);
        }
      }
      function IndexError() {}
      IndexError.prototype = new RangeError();
      IndexError.prototype.constructor = IndexError;
      IndexError.prototype.name = 'IndexError';
      const refused = [];
      for (const [object, key] of [[Map.prototype, 'get'], [Array.prototype, 'map'], [Error.prototype, 'name'], [Set.prototype, 'add'], [Date.prototype, 'toJSON']]) {
        try { object[key] = 1; } catch (error) { refused.push(error.message); }
      }
      const day = new Date(0);
      day.toJSON = () => 'mine';
      return [results, String(new IndexError()), refused, new Map([[1, 2]]).get(1), [1].map((x) => x + 1), JSON.stringify([day, new Date(0)])];`;
    await withExecutor({}, {}, async (executor) => {
      expect((await executor.run(code)).output).toStrictEqual([
        [],
        'IndexError',
        ['get', 'map', 'name', 'add', 'toJSON'].map(
          (key) => `Cannot assign to read only property '${key}' of a built-in`,
        ),
        2,
        [2],
        '["mine","1970-01-01T00:00:00.000Z"]',
      ]);
    });
  });

  test('locale functions return what Intl returns', async () => {
    const code = `
      const at = new Date(Date.UTC(2026, 10, 2, 15, 4, 5));
      const berlin = { timeZone: 'Europe/Berlin' };
      const dollars = { style: 'currency', currency: 'USD' };
      return [
        (1234.5).toLocaleString(), (1234.5).toLocaleString('en-US', dollars), (1234.5).toLocaleString('de'),
        (0.256).toLocaleString('en', { style: 'percent' }),
        12345n.toLocaleString('en'), 12345n.toLocaleString('de'),
        ['de', 'de', undefined, 'en-IN', 'de'].map((locale) => [(1234567.5).toLocaleString(locale), 1234567n.toLocaleString(locale)]),
        (1234.5).toLocaleString(['fr', 'de']), (1234.5).toLocaleString('de', undefined), Object(1234.5).toLocaleString('de'),
        [() => (1).toLocaleString('not a locale'), () => (1).toLocaleString(null), () => Number.prototype.toLocaleString.call('1')].map((f) => {
          try { return f(); } catch (error) { return error.name; }
        }),
        [Number, BigInt].map(({ prototype: { toLocaleString: f } }) => [f.name, f.length]),
        at.toLocaleDateString('en-US', berlin), at.toLocaleTimeString('en-US', berlin), at.toLocaleString('de', berlin),
        at.toLocaleDateString('en-US', { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' }),
        'B'.localeCompare('a'), 'a10'.localeCompare('a9', undefined, { numeric: true }),
        'a'.localeCompare('A', 'en', { sensitivity: 'base' }), 'ä'.localeCompare('z', 'de'), 'ä'.localeCompare('z', 'sv'),
        ['x10', 'X9', 'x1'].sort((a, b) => a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' })),
        'I'.toLocaleLowerCase('tr'), 'i'.toLocaleUpperCase('tr'), 'I'.toLocaleLowerCase(),
        [1234.5, null, [2000], at, undefined].toLocaleString('de', berlin), [].toLocaleString(),
        [1234.5, 0.5].toLocaleString('en-US', dollars),
        Float64Array.of(1234.5, 2).toLocaleString('de'), BigInt64Array.of(12345n).toLocaleString('en'),
        Array.prototype.toLocaleString.call({ length: 2, 0: 1000, 1: 2000 }, 'en'),
        new Intl.NumberFormat().resolvedOptions().locale,
      ];`;
    // As Node.js prints them with the locale that guests have.
    const nodes = spawnSync(process.execPath, ['-p', `JSON.stringify((() => {${code}})(), (_, value) => value)`], {
      env: { ...process.env, LC_ALL: 'en_US.UTF-8' },
      encoding: 'utf8',
    });
    const inGuest = spawnSync(
      process.execPath,
      [
        '--input-type=commonjs',
        '-e',
        `
      const { SESExecutor } = require(${JSON.stringify(fileURLToPath(new URL('../../index.js', import.meta.url)))});
      (async () => {
        const executor = new SESExecutor();
        await executor.init();
        console.log(JSON.stringify((await executor.run(${JSON.stringify(code)})).output));
        await executor.cleanup();
      })();`,
      ],
      { env: { ...process.env, LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8' }, encoding: 'utf8' },
    );
    expect(JSON.parse(inGuest.stdout)).toStrictEqual(JSON.parse(nodes.stdout));
    expect(JSON.parse(nodes.stdout).slice(0, 3)).toStrictEqual(['1,234.5', '$1,234.50', '1.234,5']);
  });

  test('locale functions of numbers are as fast as a reused formatter', async () => {
    const code = `
      const format = new Intl.NumberFormat('en-US');
      const time = (write) => {
        const started = Date.now();
        for (let i = 0; i < 5_000; i++) write(i * 1.5);
        return Date.now() - started;
      };
      const ratios = [];
      for (let round = 0; round < 5; round++) {
        const kept = time((value) => format.format(value));
        ratios.push(time((value) => value.toLocaleString('en-US')) / Math.max(kept, 1));
      }
      Math.min(...ratios)`;
    await withExecutor({ maxOperations: 1e6 }, {}, async (executor) => {
      // Twenty times as long where V8 copies its formatter for each.
      expect((await executor.run(code)).output).toBeLessThan(5);
    });
  });

  test('locale functions of arrays stop at the deadline of their run', async () => {
    const code = 'const numbers = new Float64Array(3e7).fill(1.5); numbers.toLocaleString("en", { style: "percent" })';
    await withExecutor({ timeoutMs: 300, memoryLimitMb: 512 }, {}, async (executor) => {
      const error = await expectCode(executor.run(code), 'ERR_EXEC_TIMEOUT');
      expect(error.details.timeoutMs).toBe(300);
    });
    const circular = 'const list = [1]; list.push([2, list]); list.toLocaleString()';
    await withExecutor({}, {}, async (executor) => {
      expect((await executor.run(circular)).output).toBe('1,2,');
    });
  });
});

describe('P2 code from strings is off', () => {
  const WAYS = [
    'eval("1")',
    '(0, eval)("1")',
    'globalThis.eval("1")',
    'eval.call(null, "1")',
    'Reflect.apply(eval, null, ["1"])',
    'Function("return 1")',
    'new Function("return 1")',
    'Function.apply(null, ["return 1"])',
    'Reflect.construct(Function, ["return 1"])',
    'Function.prototype.constructor("return 1")',
    '(() => {}).constructor("return 1")',
    '(function () {}).constructor("return 1")',
    '(async () => {}).constructor("return 1")',
    '(function* () {}).constructor("yield 1")',
    '(async function* () {}).constructor("yield 1")',
    '(class {}).constructor("return 1")',
    'Object.getPrototypeOf(async function () {}).constructor("return 1")',
    '[].map.constructor("return 1")',
    '({}).constructor.constructor("return 1")',
    '"".constructor.constructor("return 1")',
    '(1).constructor.constructor("return 1")',
    '/x/.constructor.constructor("return 1")',
    'new (Object.getPrototypeOf(function* () {}).constructor)("yield 1")',
    'new (class extends Function {})("return 1")',
    'Reflect.construct(Object, ["return 1"], Function)("x")',
    'console.log.constructor("return 1")',
    'final_answer.constructor("return 1")',
    'harden.constructor("return 1")',
    'tool.constructor("return 1")',
    'tool.constructor.constructor("return 1")',
    'Host.f.constructor("return 1")',
    'Host.constructor.constructor("return 1")',
    'v.constructor.constructor("return 1")',
    'tool().constructor.constructor("return 1")',
    'new Error().constructor.constructor("return 1")',
    'Promise.resolve().constructor.constructor("return 1")',
    '(() => { try { null.x } catch (e) { return e.constructor.constructor("return 1"); } })()',
    '(() => { try { fail() } catch (e) { return e.constructor.constructor("return 1"); } })()',
    '(() => { try { eval("1") } catch (e) { return e.constructor.constructor("return 1"); } })()',
    '(() => { const f = () => f(); try { f() } catch (e) { return e.constructor.constructor("return 1"); } })()',
    'Object.getOwnPropertyDescriptor(globalThis, "tool").get.constructor("return 1")',
  ];

  test.each(WAYS)('%s is refused', async (expression) => {
    await withExecutor(
      {},
      {
        tool: () => ({ a: 1 }),
        fail: () => {
          throw new Error('x');
        },
        Host: { f: () => 1 },
      },
      async (executor) => {
        await executor.sendVariables({ v: { a: 1 } });
        // Some syntax is refused before it runs, which is as good.
        const outcome = await executor.run(`return ${attempt(expression)};`).catch((error) => error);
        if (outcome.code !== undefined) expect(outcome.code).toBe('ERR_VALIDATION_FAILED');
        else expect(outcome.output).toStrictEqual(['threw', true]);
      },
    );
  });

  test.each([
    'eval("1")',
    'new Function("a", "return a")',
    'Function("return 1")()',
    '(async () => {}).constructor("return this")',
    '(function* () {}).constructor("yield 1")',
  ])('%s fails with a message that says so', async (code) => {
    await withExecutor({}, {}, async (executor) => {
      const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
      expect([error.details.name, error.details.message]).toStrictEqual([
        'EvalError',
        'Code from strings is off here: write the code itself, or use a function',
      ]);
    });
  });

  test('self, global and Function("return this")() return the global, as older libraries expect', async () => {
    await withExecutor({}, {}, async (executor) => {
      expect(
        (
          await executor.run(`[self, global, Function('return this')(), new Function(' return this; ')()]
            .map((found) => found === globalThis).concat(eval(5), Function.name, Function.length, eval.length)`)
        ).output,
      ).toStrictEqual([true, true, true, true, 5, 'Function', 0, 1]);
    });
  });

  test('Function is refused with objects that convert to strings, template strings and many arguments', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const results = [];
        const tries = [() => eval({ toString: () => '1' }), () => eval\`1\`, () => Function('a', 'b', 'return a'), () => new Function({ toString: () => 'a' }, 'return a'), () => Function()];
        for (const f of tries) { try { const r = f(); results.push(typeof r === 'function' ? 'made' : typeof r); } catch { results.push('threw'); } }
        return results;`);
      expect(output).not.toContain('made');
      expect(output[2]).toBe('threw');
    });
  });

  test('async, generator and async generator functions cannot be made from strings through any constructor', async () => {
    await withExecutor({}, { later: async () => 1 }, async (executor) => {
      const { output } = await executor.run(`
        const AsyncFunction = (async () => {}).constructor;
        const results = [];
        for (const C of [AsyncFunction, AsyncFunction.constructor, later.constructor, later().constructor.constructor, Object.getPrototypeOf(AsyncFunction)]) {
          try { C('return 1'); results.push('made'); } catch (e) { results.push(e instanceof Error ? 'threw' : 'odd'); }
        }
        return results;`);
      expect(output).toStrictEqual(['threw', 'threw', 'threw', 'threw', 'threw']);
    });
  });

  test('JSON, RegExp and tagged templates still accept strings as data', async () => {
    await withExecutor({}, {}, async (executor) => {
      expect(
        (await executor.run('[JSON.parse("[1]"), new RegExp("a+").test("aa"), String.raw`x${1}`]')).output,
      ).toStrictEqual([[1], true, 'x1']);
    });
  });
});

describe('P7 stack traces reveal nothing', () => {
  test('prepareStackTrace is never called', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const seen = [];
        const spy = (error, sites) => { seen.push(typeof sites); return sites; };
        for (const C of [Error, TypeError, Error.prototype.constructor, Object.getPrototypeOf(TypeError)]) {
          try { C.prepareStackTrace = spy; } catch {}
          try { Object.defineProperty(C, 'prepareStackTrace', { value: spy }); } catch {}
        }
        class E extends Error {} try { E.prepareStackTrace = spy; } catch {}
        globalThis.prepareStackTrace = spy;
        const texts = [new Error('a').stack, new E('b').stack, (() => { try { null.x; } catch (e) { return e.stack; } })()];
        const target = {}; Error.captureStackTrace(target);
        texts.push(target.stack);
        return [seen.length, texts.map((t) => typeof t)];`);
      expect(output[0]).toBe(0);
      expect(output[1].every((type) => type === 'string' || type === 'undefined')).toBe(true);
    });
  });

  test('captureStackTrace returns a string with guest frames only', async () => {
    await withExecutor({}, { tool: () => 1 }, async (executor) => {
      const { output } = await executor.run(`
        function outer() { const o = {}; Error.captureStackTrace(o); return o; }
        const o = outer();
        const frozen = (() => { try { Error.captureStackTrace(Object.freeze({})); return 'no error'; } catch (e) { return e.constructor.name; } })();
        return [typeof o.stack, o.stack, frozen];`);
      expect(output[0]).toBe('string');
      expect(output[1]).toContain('outer');
      expect(output[1]).not.toMatch(/node:|file:|\.mjs|\.rs|ext:|__smol_|core/);
      expect(['TypeError', 'no error']).toContain(output[2]);
    });
  });

  test('stackTraceLimit cannot disturb the engine', async () => {
    await withExecutor({}, {}, async (executor) => {
      await executor.run(
        'try { Error.stackTraceLimit = { valueOf() { throw 1; } }; } catch {} try { Error.stackTraceLimit = Infinity; } catch {} 0',
      );
      const error = await expectCode(executor.run('\n\n  null.x'), 'ERR_RUNTIME_EXCEPTION');
      expect(error.details.line).toBe(3);
      expect(error.details.stack.split('\n').length).toBeLessThan(100);
    });
  });

  test("stacks of guest errors show the caller's source places and nothing else", async () => {
    await withExecutor({}, { tool: () => 1, later: async () => 1 }, async (executor) => {
      const { output } = await executor.run(`
        const stacks = [];
        const collect = () => stacks.push(new Error('x').stack);
        [1].forEach(collect);
        await Promise.resolve().then(collect);
        await later().then(collect);
        console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { collect(); return ''; } });
        tool({ get a() { collect(); return 1; } });
        new Proxy({}, { get: collect }).x;
        JSON.stringify({ toJSON: collect });
        for (const x of [1]) collect();
        try { collect(); } catch {}
        collect.call(null);
        ({ get g() { return collect(); } }).g;
        class A { static { collect(); } f = collect(); } new A();
        return stacks.join('\\n');`);
      expect(output).not.toMatch(/node:|file:|\.mjs|\.rs|ext:|__smol_|console\.js|\d\d_\w+\.js|native code/);
    });
  });
});

describe('P1 guests find no way to the host', () => {
  test("objects that cross have the guest's constructors at every level", async () => {
    const tools = {
      sync: () => ({ a: [new Map([[1, new Date()]])] }),
      later: async () => [new Error('x')],
      take: (f) => f,
      fail: () => {
        throw new TypeError('t');
      },
    };
    await withExecutor({}, tools, async (executor) => {
      await executor.sendVariables({
        v: {
          list: [],
          map: new Map(),
          set: new Set(),
          date: new Date(),
          re: /x/,
          bytes: new Uint8Array(1),
          err: new RangeError('e'),
          boxed: Object('s'),
          buffer: new ArrayBuffer(1),
        },
      });
      const { output } = await executor.run(`
        const own = (x) => x.constructor === globalThis[x.constructor.name] && x.constructor.constructor === Function;
        let thrown; try { fail(); } catch (e) { thrown = e; }
        const p = later();
        return [v, v.list, v.map, v.set, v.date, v.re, v.bytes, v.err, v.boxed, v.buffer, sync(), sync().a, sync().a[0], p, await p, (await p)[0], thrown, sync, take({})].map(own);`);
      expect(output).toStrictEqual(Array(19).fill(true));
    });
  });

  test('arguments.callee, caller and sloppy `this` do not exist', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const results = [];
        (function () { try { arguments.callee; results.push('callee'); } catch { results.push('threw'); } })();
        function f() { try { return f.caller; } catch { return 'threw'; } }
        results.push(f() ?? 'threw');
        results.push((function () { return this; })());
        results.push((function () { return typeof this; }).call(5));
        try { undeclared = 1; results.push('sloppy'); } catch { results.push('threw'); }
        return results;`);
      expect(output).toStrictEqual(['threw', 'threw', undefined, 'number', 'threw']);
    });
  });

  test.each([
    'with ({}) {}',
    'var x = 010;',
    'delete x;',
    'function f(a, a) {}',
    'arguments = 1',
    'eval = 1',
    '<!-- comment',
    'let yield = 1;',
    'new.target',
    'super.x',
    'super()',
  ])('%s is refused', async (code) => {
    await withExecutor({}, {}, async (executor) => {
      await expectCode(executor.run(code), 'ERR_VALIDATION_FAILED');
      expect(executor.state).toBe('READY');
    });
  });

  test('inspect.custom receives nothing that leads to code from strings, and nothing mutable that is shared', async () => {
    await withExecutor(BIG, {}, async (executor) => {
      const { output } = await executor.run(`
        const custom = Symbol.for('nodejs.util.inspect.custom');
        const rounds = [[], []];
        for (const got of rounds) {
          const target = { [custom](depth, options, inspect) { got.push(options, inspect, options.stylize); return 'x'; } };
          console.log(target);
          console.log(new Proxy(target, {}));
          console.log('%s %o', target, { target });
          console.dir(target, { customInspect: true });
          console.table([target]);
        }
        const walk = (roots) => {
          const seen = new Set(); const queue = [...roots];
          while (queue.length > 0) {
            const o = queue.pop();
            if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o)) continue;
            seen.add(o);
            queue.push(Object.getPrototypeOf(o));
            for (const key of Reflect.ownKeys(o)) {
              const d = Object.getOwnPropertyDescriptor(o, key);
              queue.push(d.value, d.get, d.set);
            }
          }
          return seen;
        };
        const [first, second] = rounds.map(walk);
        const unfrozen = []; const makers = [];
        for (const o of second) {
          if (first.has(o) && !Object.isFrozen(o)) unfrozen.push(typeof o + ' ' + o.name);
          if (typeof o === 'function') { try { o.constructor('return 1'); makers.push(o.name); } catch {} }
        }
        return { calls: rounds[0].length, unfrozen, makers };`);
      expect(output).toStrictEqual({ calls: 15, unfrozen: [], makers: [] });
    });
  });

  test('registered symbols do not reach into the engine', async () => {
    await withExecutor({}, { tool: () => ({}) }, async (executor) => {
      const { output } = await executor.run(`
        const names = ['nodejs.util.inspect.custom', 'nodejs.util.promisify.custom', 'Deno.customInspect', 'Deno.internal', 'harden', 'passStyle'];
        return names.flatMap((name) => [globalThis, Object, Function.prototype, tool, console, final_answer, harden, tool()].filter((o) => Symbol.for(name) in o).map(() => name));`);
      expect(output).toStrictEqual([]);
    });
  });
});

describe("the engine's own names cannot be reached", () => {
  const NAMES = [
    '__smol_budget',
    '__smol_done',
    '__smol_guard',
    '__smol_rethrow',
    '__smol_declare',
    '__smol_import',
    '__smol_e',
    '__smol_anything',
  ];

  test.each(NAMES)('%s by name is a validation error', async (name) => {
    await withExecutor({}, {}, async (executor) => {
      for (const code of [
        name,
        `${name} = 1e9`,
        `typeof ${name}`,
        `let ${name} = 1`,
        `(${name}) => 1`,
        `function ${name}() {}`,
        `class ${name} {}`,
        `({ ${name} })`,
        `const { a: ${name} } = {}`,
        `try {} catch (${name}) {}`,
        `${name}: for (;;) break ${name};`,
        `\\u005f${name.slice(1)}`,
        `\\u{5f}${name.slice(1)}`,
        `({ [${name}]: 1 })`,
        `\`\${${name}}\``,
        `import(${name})`,
        `for (${name} of []) ;`,
        `x => { ${name} }`,
      ]) {
        const error = await expectCode(executor.run(code), 'ERR_VALIDATION_FAILED');
        expect(error.details.diagnostics.some(({ rule }) => rule === 'reserved_identifier')).toBe(true);
      }
    });
  });

  test("property names and strings may equal the engine's names", async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(
        'const o = { __smol_budget: 1, "__smol_done": 2 }; o.__smol_x = 3; [o, "__smol_budget".length, o.__smol_budget]',
      );
      expect(output).toStrictEqual([{ __smol_budget: 1, __smol_done: 2, __smol_x: 3 }, 13, 1]);
    });
  });

  test("the engine's names are neither on the global nor on any reachable object", async () => {
    await withExecutor(BIG, {}, async (executor) => {
      const { output } = await executor.run(`(() => {
        const found = []; const seen = new Set([globalThis]); const queue = [globalThis];
        for (let i = 0; i < queue.length; i++) {
          for (const key of Reflect.ownKeys(queue[i])) {
            if (String(key).includes('smol')) found.push(String(key));
            const d = Reflect.getOwnPropertyDescriptor(queue[i], key);
            for (const next of [d.value, d.get, d.set, Reflect.getPrototypeOf(queue[i])]) {
              if (((typeof next === 'object' && next !== null) || typeof next === 'function') && !seen.has(next)) { seen.add(next); queue.push(next); }
            }
          }
        }
        return found;
      })()`);
      expect(output).toStrictEqual([]);
      expect(
        (
          await executor.run(
            '["__smol_budget", "__smol_done", "__smol_guard", "__smol_realm", "__smol_boot"].filter((n) => n in globalThis || globalThis[n] !== undefined)',
          )
        ).output,
      ).toStrictEqual([]);
    });
  });

  test("globals cannot shadow the engine's names", async () => {
    await withExecutor({ maxOperations: 100 }, { mark: () => 1 }, async (executor) => {
      await executor.run(`
        for (const name of ['__smol_budget', '__smol_done', '__smol_guard', '__smol_rethrow']) {
          globalThis[name] = 1e9;
          Object.defineProperty(globalThis, name, { get: () => 1e9, set() {}, configurable: true });
        }`);
      await expectCode(executor.run('for (;;);'), 'ERR_MAX_OPS_EXCEEDED');
      expect(await executor.run('try { final_answer(1); } catch {} 2')).toMatchObject({
        output: 1,
        is_final_answer: true,
      });
    });
  });

  test('toString, getters and setters of bindings do not reveal them', async () => {
    await withExecutor({ maxOperations: 100 }, {}, async (executor) => {
      const { output } = await executor.run(`
        let x = 1; const c = 2;
        const d = Object.getOwnPropertyDescriptor(globalThis, 'x');
        d.set.call({ __smol_budget: 1 }, 5);
        let refused = 0;
        for (const f of [d.get, d.set]) { try { f.caller; } catch { refused++; } try { f.arguments; } catch { refused++; } }
        return [x, typeof Object.getOwnPropertyDescriptor(globalThis, 'c').set, d.get.call(null)];`);
      expect(output).toStrictEqual([5, 'function', 5]);
      await expectCode(
        executor.run('const f = () => { for (;;); }; const text = String(f); f();'),
        'ERR_MAX_OPS_EXCEEDED',
      );
    });
  });

  test("error messages and stacks do not show the engine's names", async () => {
    await withExecutor(
      { maxOperations: 50 },
      {
        fail: async () => {
          throw new Error('t');
        },
      },
      async (executor) => {
        for (const code of [
          'for (;;);',
          'null.x',
          'let x = y; let y;',
          'undefinedName',
          'for (const x of 5) ;',
          'await fail()',
          'try { for (;;); } catch ({ a: { b } }) {}',
          'await import(Symbol())',
          'const c = 1; c = 2;',
          'new (class { #p; static m(o) { return o.#p; } }).m({})',
          'globalThis.c2 = 1; const { a: { b } } = {};',
        ]) {
          const error = await rejection(executor.run(code));
          expect(JSON.stringify([error.message, error.details, error.stack.split('\n')[0]])).not.toMatch(
            /__smol|smol_/,
          );
        }
      },
    );
  });
});

describe('globals that a run overwrites', () => {
  const SABOTAGE = `
    for (const name of Reflect.ownKeys(globalThis)) {
      try { globalThis[name] = null; } catch {}
      try { Object.defineProperty(globalThis, name, { get() { throw new Error('sabotage'); }, configurable: true }); } catch {}
      try { delete globalThis[name]; } catch {}
    }
    0;`;

  test("do not break the executor's own work", async () => {
    const tools = {
      add: (a, b) => a + b,
      later: async (x) => x,
      fail: () => {
        throw new TypeError('t');
      },
    };
    await withExecutor(
      { maxOperations: 10_000, authorizedImports: ['m'], modules: { m: 'export const x = 1;' } },
      tools,
      async (executor) => {
        await executor.run(SABOTAGE);
        expect(
          await executor.run(
            'console.log({ a: [1, new (class A {})()] }, "%s", 5); console.table([{ a: 1 }]); console.count(); [add(1, 2), await later(3)]',
          ),
        ).toMatchObject({ output: [3, 3] });
        expect(
          (await executor.run('({ f() {}, list: [1, 2], e: (() => { try { null.x } catch (e) { return e; } })() })'))
            .output,
        ).toMatchObject({ f: '[Function: f]', list: [1, 2] });
        expect(await executor.run('final_answer({ done: true })')).toMatchObject({
          output: { done: true },
          is_final_answer: true,
        });
        const error = await expectCode(executor.run('\n  fail()'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.details).toMatchObject({ tool: 'fail', line: 2 });
        await expectCode(executor.run('for (;;);'), 'ERR_MAX_OPS_EXCEEDED');
        expect((await executor.run('(await import("m")).x')).output).toBe(1);
        await executor.sendVariables({ v: { a: new Map([[1, [2]]]), e: new Error('x') } });
        expect((await executor.run('v.a.get(1)')).output).toStrictEqual([2]);
        await executor.sendTools({ again: () => 'again' });
        expect((await executor.run('again()')).output).toBe('again');
        expect((await executor.run('let y = 1; const z = y + 1; z')).output).toBe(2);
        expect((await executor.run('y + z')).output).toBe(3);
      },
    );
  });

  test('are not called by the engine, so its objects do not leak', async () => {
    const tools = { take: (x) => x, later: async (x) => x };
    await withExecutor(
      { ...BIG, authorizedImports: ['m'], modules: { m: { f: () => 1, v: 1 } } },
      tools,
      async (executor) => {
        await executor.run(`
        globalThis.leaked = [];
        (() => {
          const { apply, construct, defineProperty, get, getOwnPropertyDescriptor } = Reflect;
          const text = String;
          const spy = (name, real) => new Proxy(real, {
            get: (target, key) => { leaked.push(name + '.' + text(key)); return get(target, key); },
            apply: (target, self, args) => { leaked.push(name + '()'); return apply(target, self, args); },
            construct: (target, args) => { leaked.push('new ' + name); return construct(target, args); },
          });
          for (const name of Reflect.ownKeys(globalThis)) {
            const { value, configurable } = getOwnPropertyDescriptor(globalThis, name);
            if (!configurable || (typeof value !== 'function' && typeof value !== 'object') || name === 'leaked') continue;
            defineProperty(globalThis, name, { value: spy(name, value), configurable: true });
          }
        })();
        0`);
        await executor.run('leaked.length = 0;');
        await executor.run(
          'console.log({ a: [1] }, "%s", 5); console.table([{ a: 1 }]); console.count(); console.time(); console.group(); 0',
        );
        await executor.run(
          'take({ a: [{}] }); await later({ a: 1 }); ({ f() {}, list: [1], e: (() => { try { null.x } catch (e) { return e; } })() })',
        );
        await expectCode(executor.run('null.x'), 'ERR_RUNTIME_EXCEPTION');
        await expectCode(executor.run('take(() => 1)'), 'ERR_TOOL_PROXY_FAIL');
        await executor.run('await import("m"); final_answer([() => 1])');
        await executor.sendVariables({ v: { a: [new Map()] } });
        await executor.sendTools({ t: { u: () => 1 } });
        expect((await executor.run('leaked.join()')).output).toBe('');
      },
    );
  });

  test('by declarations are replaced for guests only', async () => {
    await withExecutor({}, { later: async () => 1 }, async (executor) => {
      await executor.run(
        'const Promise = 1, Map = 2, Object = 3, Array = 4, Symbol = 5, Error = 6, JSON = 7, Reflect = 8; class Set {} function RegExp() {} let Date = 9; var Math = 10;',
      );
      expect(
        await executor.run('console.log([{ a: 1 }]); [Promise, Map, Object, typeof Set, await later()]'),
      ).toMatchObject({ output: [1, 2, 3, 'function', 1], logs: '[ { a: 1 } ]' });
      expect((await executor.run('(async () => 1)()')).output).toBe(1);
      expect((await executor.run('({ m: new ([].constructor.from(["x"]).constructor)(2) })')).output).toBeDefined();
    });
  });

  test('cannot be undefined, NaN, Infinity and globalThis, which are fixed', async () => {
    await withExecutor({}, {}, async (executor) => {
      for (const code of [
        'undefined = 1',
        'NaN = 1',
        'Infinity = 1',
        'delete globalThis.undefined',
        'Object.defineProperty(globalThis, "NaN", { value: 1 })',
      ]) {
        const error = await rejection(executor.run(code));
        expect(['ERR_RUNTIME_EXCEPTION', 'ERR_VALIDATION_FAILED']).toContain(error.code);
      }
      expect((await executor.run('[undefined, NaN, Infinity]')).output).toStrictEqual([undefined, NaN, Infinity]);
    });
  });
});

describe('P1 realms are separate', () => {
  test('executors that are made at the same time are all hardened', async () => {
    const executors = Array.from({ length: 8 }, () => new SESExecutor(BIG));
    try {
      await Promise.all(executors.map((executor) => executor.init()));
      const outputs = await Promise.all(executors.map((executor) => executor.run(WALK)));
      for (const { output } of outputs) expect(output.unfrozen).toStrictEqual([]);
      expect(new Set(outputs.map(({ output }) => output.count)).size).toBe(1);
    } finally {
      await Promise.all(executors.map((executor) => executor.cleanup()));
    }
  });

  test('two executors share nothing', async () => {
    await withExecutor({}, {}, async (one) => {
      await withExecutor({}, {}, async (two) => {
        await one.run('globalThis.x = 1; let y = 2; const registered = Symbol.for("shared"); delete globalThis.Map;');
        await one.sendVariables({ v: 1 });
        await one.sendTools({ tool: () => 1 });
        expect(
          (await two.run('[typeof x, typeof y, typeof v, typeof tool, typeof registered, typeof Map]')).output,
        ).toStrictEqual(['undefined', 'undefined', 'undefined', 'undefined', 'undefined', 'function']);
      });
    });
  });

  test("the host's own realm is untouched", async () => {
    const before = Reflect.ownKeys(globalThis).length;
    await withExecutor({}, { f: () => 1 }, async (executor) => {
      await executor.run('f(); console.log(1); ({ f() {} })');
      for (const intrinsic of [
        Array.prototype,
        Object.prototype,
        Function.prototype,
        Object,
        Array,
        Promise,
        Promise.prototype,
        Error,
        Error.prototype,
        Map.prototype,
        globalThis,
        JSON,
        Math,
        console,
      ]) {
        expect(Object.isFrozen(intrinsic)).toBe(false);
        expect(Object.isExtensible(intrinsic)).toBe(true);
      }
      expect(typeof globalThis.harden).toBe('undefined');
      expect(typeof globalThis.lockdown).toBe('undefined');
      expect(typeof globalThis.Compartment).toBe('undefined');
      expect(new Function('return 1')()).toBe(1);
      expect(Reflect.ownKeys(globalThis).length).toBe(before);
    });
  });

  test("outputs are instances of the host's classes and are not frozen", async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run('({ map: new Map(), error: new TypeError("x"), list: [] })');
      expect(output.map).toBeInstanceOf(Map);
      expect(output.error).toBeInstanceOf(TypeError);
      expect(output.list).toBeInstanceOf(Array);
      expect(Object.isFrozen(output.list)).toBe(false);
    });
  });
});

describe('the whole language works', () => {
  const FEATURES = {
    classes:
      'class A { static #n = 0; #x = 1; static { A.#n = 5; } get x() { return this.#x; } static n() { return A.#n; } has(o) { return #x in o; } } [new A().x, A.n(), new A().has(new A())]',
    generators: '[...(function* () { const x = yield 1; yield* [2, 3]; return x; })()]',
    'iterator helpers': '[1, 2, 3, 4].values().filter((x) => x % 2).map((x) => x * 2).toArray()',
    'set methods': '[...new Set([1, 2]).union(new Set([2, 3]))]',
    grouping: 'Object.groupBy([1, 2, 3], (x) => (x % 2 ? "odd" : "even")).odd',
    'promise helpers': 'const { promise, resolve } = Promise.withResolvers(); resolve(7); await promise',
    'array copies':
      '[[3, 1].toSorted(), [1, 2].toReversed(), [1, 2].with(0, 9), [1, 2, 3].at(-1), [1, 2].findLast((x) => x < 2)]',
    regexps:
      '"2020-01".match(/(?<y>\\d{4})-(?<m>\\d\\d)/u).groups.y + "aBc".replace(/b/i, "_") + /[\\p{L}--[a-z]]/v.test("É")',
    intl: 'typeof new Intl.NumberFormat("en-US").format(1234)',
    bigint: '(2n ** 64n).toString()',
    'optional chaining': '[null?.x, undefined ?? 1, ({ a: { b: 1 } })?.a?.b]',
    using: 'const log = []; { using a = { [Symbol.dispose]() { log.push("disposed"); } }; log.push("body"); } log',
    'await using':
      'const log2 = []; { await using a = { async [Symbol.asyncDispose]() { log2.push("disposed"); } }; log2.push("body"); } log2',
    labels: 'outer: for (const a of [1, 2]) { for (const b of [1, 2]) { if (b === 2) continue outer; } } "done"',
    dates: 'new Date(Date.UTC(2020, 0, 1)).toISOString()',
    'typed arrays': '[...Uint8Array.from([1, 2]).map((x) => x * 2)].concat([...new Float16Array([1.5])])',
    json: 'JSON.stringify({ a: [1, { b: null }] }, null, 1).length',
    proxies: 'new Proxy({}, { get: (_, key) => key }).hello',
    sorting: '["b", "a", "C"].sort((x, y) => x.localeCompare(y))',
    closures: '[1, 2, 3].map((n) => () => n).map((f) => f())',
    time: 'typeof Date.now() + typeof Math.random() + (new Date() instanceof Date)',
    base64: 'new Uint8Array([1, 2, 3]).toBase64()',
  };
  const EXPECTED = {
    classes: [1, 5, true],
    generators: [1, 2, 3],
    'iterator helpers': [2, 6],
    'set methods': [1, 2, 3],
    grouping: [1, 3],
    'promise helpers': 7,
    'array copies': [[1, 3], [2, 1], [9, 2], 3, 1],
    regexps: '2020a_ctrue',
    intl: 'string',
    bigint: '18446744073709551616',
    'optional chaining': [undefined, 1, 1],
    using: ['body', 'disposed'],
    'await using': ['body', 'disposed'],
    labels: 'done',
    dates: '2020-01-01T00:00:00.000Z',
    'typed arrays': [2, 4, 1.5],
    json: expect.any(Number),
    proxies: 'hello',
    sorting: expect.any(Array),
    closures: [1, 2, 3],
    time: 'numbernumbertrue',
    base64: 'AQID',
  };

  test.each(Object.entries(FEATURES))('%s', async (name, code) => {
    await withExecutor({}, {}, async (executor) => {
      expect((await executor.run(code)).output).toStrictEqual(EXPECTED[name]);
    });
  });
});
