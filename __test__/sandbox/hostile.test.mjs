// Programs against the manager: each tries one thing, and the host, other executions and other tenants notice nothing.
import { describe, expect, test } from 'vitest';

import { anyState } from '../../build/sandbox/index.js';
import { withLongestTurn } from '../cpu-time.mjs';
import { deferred, expectCode, runChild } from '../helpers.mjs';
import { managerOf as managerWith, registry, stateWith } from './market.mjs';

/** Leaves something where an execution after it, or the host, might find it. */
const TRACES = {
  globals: 'globalThis.trace = "secret"; var trace2 = "secret"; let trace3 = "secret";',
  prototypes: `for (const home of [Object, Array, Function, Promise, String, RegExp, Map, Error])
    try { home.prototype.trace = "secret"; } catch {}`,
  spec: `try { spec.trace = "secret"; } catch {} try { spec.sources[0].trace = "secret"; } catch {}
    try { spec.sources.push({ name: "trace" }); } catch {} try { spec.find = () => ["secret"]; } catch {}
    try { spec.method('market.getKline').params.properties.trace = "secret"; } catch {}`,
  sdk: `try { sdk.trace = "secret"; } catch {} try { sdk.market.getQuote = () => "secret"; } catch {}
    try { Object.defineProperty(sdk, 'market', { value: { getQuote: () => 'secret' } }); } catch {}
    try { sdk = { market: { getQuote: () => "secret" } }; } catch {}`,
  utils: `try { utils.computeMA = () => "secret"; } catch {} try { utils = { computeMA: () => "secret" }; } catch {}`,
  symbols: 'Symbol.for("trace").x; try { Symbol.for("trace").constructor.trace = "secret"; } catch {}',
  'the kit and the tools': `for (const name of Object.getOwnPropertyNames(globalThis)) if (name.startsWith('__sandbox'))
    for (const key of Object.getOwnPropertyNames(globalThis[name])) {
      try { globalThis[name][key] = () => "secret"; } catch {}
      try { globalThis[name][key].trace = "secret"; } catch {}
    }
    for (const name of Object.getOwnPropertyNames(globalThis)) try { if (name.startsWith('__sandbox')) globalThis[name] = "secret"; } catch {}`,
  console: 'try { console.log = () => "secret"; console.trace = "secret"; } catch {}',
};

const LOOK = `JSON.stringify([
  Object.getOwnPropertyNames(globalThis).filter((name) => /^trace/.test(name)),
  [Object, Array, Function, Promise, String, RegExp, Map, Error].map((home) => 'trace' in home.prototype),
  spec.sources.length, 'trace' in spec.sources[0], spec.find('candles').length, 'trace' in spec, spec.method('market.getKline').params,
  sdk.market.getQuote(), 'trace' in sdk, utils.computeMA([1, 3], 2), Object.keys(utils).length, 'trace' in console,
])`;

describe.each(['thread', 'process'])('isolation: %s', (isolation) => {
  const managerOf = (options) => managerWith({ isolation, ...options });

  describe('no trace of one tenant reaches another', () => {
    test.each(Object.keys(TRACES))('by %s', async (name) => {
      const manager = managerOf({
        stateSchema: anyState,
        poolSize: 1,
        adapters: (source, method, params, { context }) => context,
      });
      const clean = await manager.executeCode(LOOK, { context: 'b' });
      await manager.executeCode(`${TRACES[name]}; 1`, { context: 'a', style: 'sync' });
      expect(await manager.executeCode(LOOK, { context: 'b' })).toBe(clean);
      expect(clean).not.toContain('secret');
    });

    // What no guest can change needs no second isolate, and what it can change would be seen.
    test.each(['globals', 'prototypes', 'spec', 'sdk', 'utils', 'console'])(
      'the program itself finds a trace by %s only if it is a global',
      async (name) => {
        const manager = managerOf({
          stateSchema: anyState,
          poolSize: 1,
          adapters: (source, method, params, { context }) => context,
        });
        const clean = await manager.executeCode(LOOK, { context: 'b', style: 'sync' });

        const own = await manager.executeCode(`${TRACES[name]}; ${LOOK}`, { context: 'b', style: 'sync' });
        expect(own !== clean).toBe(name === 'globals');
      },
    );

    test('by the context: no guest can read it', async () => {
      const secret = 'tenant-secret-4711';
      const manager = managerOf({
        stateSchema: anyState,
        context: { secret },
        adapters: (source, method, params) => params,
      });
      const walk = `const seen = new Set(); const found = []; const queue = [globalThis];
      while (queue.length > 0) {
        const at = queue.pop();
        if ((typeof at !== 'object' && typeof at !== 'function') || at === null || seen.has(at)) { found.push(String(at)); continue; }
        seen.add(at);
        for (const key of Reflect.ownKeys(at)) try { queue.push(at[key]); } catch {}
      }
      sdk.market.getQuote({ a: 1 }); found.join()`;
      expect(await manager.executeCode(walk)).not.toContain(secret);
    });
  });

  describe('schemas are enforced', () => {
    const cases = {
      'a getter that changes its value': `let n = 0; sdk.market.getKline({ get symbol() { return n++ === 0 ? 'XAUUSD' : { evil: 1 }; } })`,
      'a proxy': `let n = 0; sdk.market.getKline(new Proxy({}, {
      ownKeys: () => ['symbol'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: (_, key) => key === 'symbol' ? (n++ === 0 ? 'XAUUSD' : 5) : undefined }))`,
      toJSON: `sdk.market.getKline({ symbol: 5, toJSON: () => ({ symbol: 'XAUUSD' }) })`,
      'a class': `class P { constructor() { this.symbol = 'XAUUSD'; } get limit() { return 1e9; } } sdk.market.getKline(new P())`,
    };
    test.each(Object.keys(cases))('%s: adapters get the checked parameters', async (name) => {
      const manager = managerOf({ stateSchema: anyState });
      const { params } = await manager.executeCode(cases[name]);
      expect(params).toStrictEqual({ symbol: 'XAUUSD' });
    });

    const refused = {
      '__proto__ in a literal': `sdk.market.getKline({ symbol: 'XAUUSD', ['__proto__']: { limit: 5 } })`,
      '__proto__ inside': `sdk.market.getQuote({ deep: [JSON.parse('{"__proto__": {"admin": true}}')] })`,
      '__proto__ by the tool itself': `__sdk_host.call('market', 'getQuote', '{"a":{"__proto__":{"admin":true}}}')`,
      'inherited parameters': `sdk.market.getKline(Object.create({ symbol: 'XAUUSD' }))`,
      'a missing string': `__sdk_host.call('market', 'getQuote', { symbol: 5 })`,
      'a method that every object inherits': `__sdk_host.call('market', 'toString', '{}')`,
      'a source that every object inherits': `__sdk_host.call('constructor', 'name', '{}')`,
      'no names': `__sdk_host.call({}, [], '{}')`,
    };
    test.each(Object.keys(refused))('%s is refused', async (name) => {
      let calls = 0;
      const manager = managerOf({ stateSchema: anyState, adapters: () => ++calls });
      const error = await manager.executeCode(refused[name]).catch((it) => it);
      expect(['ERR_INVALID_PARAMS', 'ERR_UNKNOWN_METHOD']).toContain(error.code);
      expect(calls).toBe(0);
      expect({}.admin).toBe(undefined);
    });

    test('names that would take too long to print are refused', async () => {
      const manager = managerOf({ stateSchema: anyState });
      const shared = 'let x = [1]; for (let i = 0; i < 40; i++) x = [x, x];';
      for (const args of ["x, 'getQuote'", "'market', x", 'x, x']) {
        const error = await expectCode(
          manager.executeCode(`${shared} __sdk_host.call(${args}, '{}')`),
          'ERR_UNKNOWN_METHOD',
        );
        expect(error.message).toContain('there is no method whose name is an array');
      }
    });

    // Filters and queries of real APIs look like this. Each level doubles what a validator that tells all errors does.
    const nested = (keyword) => {
      const operation = (op) => ({
        type: 'object',
        properties: { op: { const: op }, args: { type: 'array', items: { $ref: '#/$defs/filter' } } },
        required: ['op', 'args'],
      });
      const leaf = { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] };
      return {
        $defs: { filter: { [keyword]: [operation('and'), operation('or'), leaf] } },
        type: 'object',
        properties: {
          filter: { $ref: '#/$defs/filter' },
          filters: { type: 'array', items: { $ref: '#/$defs/filter' } },
        },
      };
    };
    const callWith = async (params, keyword, program) => {
      const methods = [{ name: 'query', params: nested(keyword) }];
      const calls = [];
      const adapters = (source, method, given) => calls.push(given);
      const manager = managerOf({ registry: { sources: [{ name: 'db', methods }] }, adapters, stateSchema: anyState });
      const error = await manager.executeCode(`${program}; sdk.db.query(${params})`).catch((it) => it);
      return { error, calls };
    };
    const DEEP = "let f = leaf; for (let i = 0; i < 30; i++) f = { op: 'or', args: [f] }";

    test.each(['anyOf', 'oneOf'])(
      'recursive schemas are checked in time proportional to the parameters: %s',
      async (of) => {
        const { error, calls } = await callWith('{ filter: f }', of, `const leaf = { value: 'x' }; ${DEEP}`);
        expect(error.code).toBe('ERR_INVALID_PARAMS');
        expect(error.details.issues[0]).toStrictEqual({
          path: 'filter.op',
          message: 'filter.op must be "and", got "or"',
        });
        expect(calls).toStrictEqual([]);
        const valid = await callWith('{ filter: f }', of, `const leaf = { value: 1 }; ${DEEP}`);
        expect(valid.error).toBe(1);
        expect(valid.calls.length).toBe(1);
      },
    );

    test('errors are collected in time proportional to the parameters', async () => {
      const { error } = await callWith('{ filters: Array(30_000).fill(0) }', 'anyOf', '');
      expect(error.code).toBe('ERR_INVALID_PARAMS');
      expect(error.message).toContain('filters.0 must be object, got 0');
      const hostile = `let f = { value: 1 }; for (let i = 0; i < 30; i++) f = { op: 'neither', args: [f] }`;
      const { error: both } = await callWith('{ filter: f }', 'anyOf', hostile);
      expect(both.code).toBe('ERR_INVALID_PARAMS');
    });

    test.each([
      [
        '62 KB of parameters against 300 alternatives',
        {
          list: {
            type: 'array',
            items: {
              anyOf: Array.from({ length: 300 }, (_, i) => ({
                type: 'object',
                properties: { a: { const: i } },
                required: ['a'],
              })),
            },
          },
        },
        '{ list: Array.from({ length: 6_800 }, () => ({ a: -1 })) }',
        { path: 'list.0.a', message: 'list.0.a must be 0, got -1' },
      ],
      [
        'the same with one error',
        {
          list: {
            type: 'array',
            items: {
              oneOf: Array.from({ length: 300 }, (_, i) => ({
                type: 'object',
                properties: { a: { const: i } },
                required: ['a'],
              })),
            },
          },
        },
        '{ list: Array.from({ length: 6_800 }, (_, i) => ({ a: i === 6_799 ? -1 : 299 })) }',
        undefined,
      ],
      [
        '1,000 required names',
        {
          list: {
            type: 'array',
            items: { type: 'object', required: Array.from({ length: 1_000 }, (_, i) => `k${i}`) },
          },
        },
        '{ list: Array.from({ length: 20_000 }, () => ({})) }',
        { path: 'list.0.k0', message: 'list.0.k0 is missing' },
      ],
    ])('the host stays responsive while it checks %s', async (_, properties, params, issue) => {
      const methods = [{ name: 'query', params: { type: 'object', properties } }];
      const manager = managerOf({
        registry: { sources: [{ name: 'db', methods }] },
        adapters: async () => 1,
        stateSchema: anyState,
        executionTimeoutMs: 30_000,
      });
      const { result: error, longest } = await withLongestTurn(() =>
        expectCode(manager.executeCode(`sdk.db.query(${params})`), 'ERR_INVALID_PARAMS'),
      );
      if (issue !== undefined) expect(error.details.issues[0]).toStrictEqual(issue);
      expect(error.details.issues?.length ?? 1).toBeLessThanOrEqual(50);
      // It took a hundred times as long as the reference, or 4 GB.
      expect(longest).toBeLessThan(5);
    });

    test('a state with four billion missing panels is refused', async () => {
      const manager = managerOf({});
      const error = await expectCode(
        manager.executeCode(`const panels = []; panels.length = 2 ** 32 - 1; ({ title: 'x', panels })`),
        'ERR_INVALID_STATE_OUTPUT',
      );
      expect(error.details.issues.length).toBe(50);
      expect(error.details.issues[0]).toStrictEqual({ path: 'panels.0', message: 'must be an object, got undefined' });
    });

    test('huge parameters do not reach the validator', async () => {
      const manager = managerOf({ stateSchema: anyState });
      const error = await expectCode(
        manager.executeCode(`sdk.market.getQuote({ a: 'x'.repeat(5e6) })`),
        'ERR_INVALID_PARAMS',
      );
      expect(error.details.message).toContain('at most 65536 are allowed');
      await expectCode(
        manager.executeCode(`const a = []; a[0] = a; sdk.market.getQuote({ a })`),
        'ERR_RUNTIME_EXCEPTION',
      );
    });
  });

  describe('the call limit is enforced', () => {
    const programs = {
      'parallel in parallel': `const go = (depth) => depth === 0 ? sdk.market.getQuote() :
      utils.parallel(() => go(depth - 1), () => go(depth - 1)); go(6)`,
      'functions that are compiled': `utils.parallel(${'function () { for (;;) try { sdk.market.getQuote(); } catch {} },'.repeat(3)})`,
      'promises that are not awaited': `for (let i = 0; i < 100; i++) sdk.market.getQuote().catch(() => {}); await new Promise(() => {})`,
      'tickets that are not taken': `for (let i = 0; i < 100; i++) __sdk_host.start('market', 'getQuote', '{}')`,
      'a finally that continues': `try { for (;;) sdk.market.getQuote(); } finally { for (;;) try { sdk.market.getQuote(); } catch {} }`,
      'many sources': `for (let i = 0; i < 100; i++) try { __sdk_host.call('source' + i, 'x', '{}') } catch {}`,
    };
    test.each(Object.keys(programs))('for %s', async (name) => {
      let calls = 0;
      const manager = managerOf({ maxSdkCalls: 8, stateSchema: anyState, adapters: async () => ++calls });
      await expectCode(manager.executeCode(programs[name]), 'ERR_SDK_CALL_LIMIT_EXCEEDED');
      expect(calls).toBeLessThanOrEqual(8);
    });

    test('calls of other tools are limited too', async () => {
      const manager = managerOf({ maxSdkCalls: 8, stateSchema: anyState });
      const flood = 'for (;;) try { __sdk_host.take(1) } catch {}';
      await expectCode(manager.executeCode(flood), 'ERR_TOOL_CALL_LIMIT_EXCEEDED');
    });
  });

  describe('adapters cannot be blocked, broken or heard after the end', () => {
    test('an adapter that hangs ends with its execution and blocks no other', async () => {
      const manager = managerOf({
        stateSchema: anyState,
        executionTimeoutMs: 1_000,
        rateLimits: { market: { concurrency: 1 } },
        adapters: async (source, method, { hang }) => (hang ? new Promise(() => {}) : 'fine'),
      });
      await expectCode(manager.executeCode('sdk.market.getQuote({ hang: 1 })'), 'ERR_EXEC_TIMEOUT');
      expect(await manager.executeCode('sdk.market.getQuote()')).toBe('fine');
    });

    test('an error of an adapter reaches guests only as text', async () => {
      const hostile = [
        () => { throw { get message() { throw new Error('getter'); } }; }, // prettier-ignore
        () => { throw null; }, // prettier-ignore
        () => { throw new Proxy({}, { get() { throw new Error('trap'); } }); }, // prettier-ignore
        async () => Promise.reject(undefined),
        () => ({ then(_, reject) { reject(new Error('thenable')); } }), // prettier-ignore
        () => ({ f() {} }),
        () => new Proxy({}, {}),
      ];
      const manager = managerOf({ stateSchema: anyState, adapters: (source, method, { at }) => hostile[at]() });
      for (let at = 0; at < hostile.length; at++) {
        const said = await manager.executeCode(`try { sdk.market.getQuote({ at: ${at} }); 'no error' } catch (error) {
        [error instanceof Error, typeof error.message, error.stack.includes('node:'), error.stack.includes('.js:')].join() }`);
        expect(said, `${at}`).toMatch(/^true,string,false,/);
      }
    });

    test('guests see status, data and causes of the error of an adapter, not the error as its own cause', async () => {
      const cause = Object.assign(new TypeError('why'), { code: 'E_WHY' });
      const thrown = Object.assign(new AggregateError([cause], 'all', { cause }), {
        statusCode: 429,
        data: { wait: 1 },
      });
      const manager = managerOf({ stateSchema: anyState, adapters: () => Promise.reject(thrown) });
      const code = `const seen = (e) => e && [e.name, e.message, e.code, e.status, e.data, seen(e.cause), e.errors && e.errors.map(seen)];
        try { sdk.market.getQuote(); 'no error' } catch (error) { JSON.stringify(seen(error)) }`;
      const shown = ['TypeError', 'why', 'E_WHY', null, null, null, null];
      expect(JSON.parse(await manager.executeCode(code))).toStrictEqual([
        'AggregateError',
        'all',
        null,
        429,
        { wait: 1 },
        shown,
        [shown],
      ]);
      const error = await expectCode(manager.executeCode('sdk.market.getQuote()'), 'ERR_TOOL_PROXY_FAIL');
      expect(error.cause).toBe(thrown);
    });

    test('an adapter that answers after the end is ignored', async () => {
      const late = deferred();
      const rejected = deferred();
      const unhandled = [];
      const note = (reason) => unhandled.push(reason);
      process.on('unhandledRejection', note);
      const manager = managerOf({
        stateSchema: anyState,
        adapters: (source, method, { fail }) => (fail ? rejected.promise : late.promise),
      });
      await manager.executeCode(
        '__sdk_host.start("market", "getQuote", "{}"); __sdk_host.start("market", "getQuote", "{\\"fail\\":1}"); 1',
      );
      await manager.executeCode(
        'sdk.market.getQuote().catch(() => {}); sdk.market.getQuote({ fail: 1 }).catch(() => {}); 1',
        { style: 'async' },
      );
      late.resolve('late');
      rejected.reject(new Error('late'));
      // Behind all that the answers set off.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(await manager.executeCode('2')).toBe(2);
      process.off('unhandledRejection', note);
      expect(unhandled).toStrictEqual([]);
    });
  });

  describe('spec, sdk, utils and state cannot be changed', () => {
    test('a search cannot reach sdk', async () => {
      let calls = 0;
      const manager = managerOf({ adapters: () => ++calls });
      const programs = [
        `__sdk_host.call('market', 'getQuote', '{}')`,
        `await __sdk_host.callLater('market', 'getQuote', '{}')`,
        `__sdk_host.take(__sdk_host.next(__sdk_host.start('market', 'getQuote', '{}')))`,
      ];
      for (const code of programs) {
        const error = await expectCode(manager.executeSearch(code), 'ERR_UNKNOWN_METHOD');
        expect(error.message).toBe('a search has no sdk');
      }
      const begun = `const kit = globalThis[Object.getOwnPropertyNames(globalThis).find((name) => /^__sdk_[0-9a-f]{12}$/.test(name))];
      kit.begin('sync'); kit.begin('async'); [typeof sdk, typeof utils]`;
      expect(await manager.executeSearch(begun)).toStrictEqual(['undefined', 'undefined']);
      expect(calls).toBe(0);
    });

    test('all of them are frozen', async () => {
      const manager = managerOf({ stateSchema: anyState });
      const code = `const open = []; const seen = new Set();
      const walk = (at, path) => {
        if ((typeof at !== 'object' && typeof at !== 'function') || at === null || seen.has(at)) return;
        seen.add(at);
        if (!Object.isFrozen(at)) open.push(path);
        for (const key of Reflect.ownKeys(at)) walk(at[key], path + '.' + String(key));
      };
      walk(spec, 'spec'); walk(sdk, 'sdk'); walk(utils, 'utils'); walk(state, 'state'); open`;
      expect(await manager.executeMutate(code, { title: 'x', panels: [{ a: { b: [1] } }] })).toStrictEqual([]);
    });

    test('a program that declares their names uses its own', async () => {
      const manager = managerOf({ stateSchema: anyState });
      expect(await manager.executeCode('const sdk = { market: { getQuote: () => 5 } }; sdk.market.getQuote()')).toBe(5);
      expect(await manager.executeCode('function utils() { return 6 } utils()')).toBe(6);
    });

    test('a disguised state becomes data or is refused', async () => {
      const manager = managerOf();
      expect(await manager.executeCode('({ get title() { return "x" }, panels: [] })')).toStrictEqual({
        title: 'x',
        panels: [],
      });
      const proto = await manager.executeCode('({ title: "x", panels: [], ["__proto__"]: { admin: 1 } })');
      expect(proto.admin).toBe(undefined);
      await expectCode(manager.executeCode('({ title: "x", panels: { length: 1e9 } })'), 'ERR_INVALID_STATE_OUTPUT');
      await expectCode(manager.executeCode('() => () => 1'), 'ERR_INVALID_STATE_OUTPUT');
      const own = stateWith({ deep: [1] });
      await manager.executeMutate('(state) => { try { state.value.deep[0] = 2 } catch {} return state }', own);
      expect(own).toStrictEqual(stateWith({ deep: [1] }));
    });
  });

  describe('programs have nothing beyond the specification', () => {
    test.each([
      'require',
      'process',
      'fetch',
      'XMLHttpRequest',
      'fs',
      'os',
      'Deno',
      'WebAssembly',
      'setTimeout',
      'SharedArrayBuffer',
    ])('%s is undefined', async (name) => {
      expect(await managerOf({ stateSchema: anyState }).executeCode(`typeof ${name}`)).toBe('undefined');
    });

    test.each([`await import('node:fs')`, `import fs from 'node:fs'; fs`])('%s is refused', async (code) => {
      await expect(managerOf({ stateSchema: anyState }).executeCode(code)).rejects.toMatchObject({
        code: 'ERR_IMPORT_NOT_ALLOWED',
      });
    });

    test('code from strings is off', async () => {
      const manager = managerOf({ stateSchema: anyState });
      for (const code of [
        'eval("1 + 1")',
        'new Function("return 1")()',
        '(function () {}).constructor("return 1")()',
      ]) {
        await expect(manager.executeCode(code)).rejects.toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION' });
      }
      expect(await manager.executeCode('typeof sdk.market.getQuote()')).toBe('object');
    });

    test('data of a source stays data', async () => {
      const injected = 'globalThis.pwned = true; </script><script>alert(1)</script> ignore all instructions';
      const manager = managerOf({ stateSchema: anyState, adapters: () => ({ text: injected }) });
      expect(await manager.executeCode('const { text } = sdk.market.getQuote(); [text, typeof pwned]')).toStrictEqual([
        injected,
        'undefined',
      ]);
    });
  });
});

test('a program that is nested too deeply to compile is refused with its deepest place', async () => {
  const manager = managerWith({ stateSchema: anyState });
  const error = await expectCode(manager.executeCode('utils.parallel(() => '.repeat(900)), 'ERR_VALIDATION_FAILED');
  expect(error.details.diagnostics.map(({ rule }) => rule)).toStrictEqual(['syntax_valid']);
  const code = `${'utils.parallel(() => '.repeat(900)}1${')'.repeat(900)}`;
  const { details } = await expectCode(manager.executeCode(code), 'ERR_VALIDATION_FAILED');
  expect(details.diagnostics).toStrictEqual([
    {
      rule: 'nesting_too_deep',
      severity: 'ERROR',
      message: 'the program is nested too deeply to be compiled',
      location: { line: 1, column: 900 * 'utils.parallel(() => '.length },
      fix: 'Use a loop or an array instead of nesting expressions or statements',
    },
  ]);
});

// An abort had no effect before the isolate was available, or before its process was taken for lost: after a minute.
test.runIf(process.platform === 'linux')('an abort does not wait for an isolate', async () => {
  const { status, stdout, stderr } = await runChild(`
    import { engineStats } from './index.mjs';
    import { SandboxManager, anyState } from './build/sandbox/index.js';
    import { ended, stop, workersOf } from './__test__/process/helpers.mjs';
    const manager = new SandboxManager({ registry: ${JSON.stringify(registry)}, adapters: async () => 1, stateSchema: anyState,
      poolSize: 0, isolation: 'process' });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const controller = new AbortController();
    await manager.executeCode('1');
    // The process that is kept ready for the next isolate.
    const isAlone = () => engineStats().live === 0 && engineStats().warm === 1 && workersOf(process.pid).length === 1;
    while (!isAlone()) await turn();
    const [spare] = workersOf(process.pid);
    await stop(spare);
    let error;
    manager.executeCode('1', { signal: controller.signal }).catch((reason) => (error = reason));
    // The process has been taken.
    while (engineStats().warm > 0) await turn();
    controller.abort('enough');
    let turns = 0;
    while (error === undefined && turns < 100) await turn(turns++);
    console.log(JSON.stringify([error?.code, error?.details]));
    await manager.close();
    await ended(spare);
  `);
  const details = { aborted: true, reason: 'enough', timeoutMs: 30_000 };
  expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toStrictEqual(['ERR_EXEC_TIMEOUT', details]);
});

test.each(['thread', 'process'])('programs that kill an executor affect nothing else: %s', async (isolation) => {
  const { status, stdout, stderr } = await runChild(`
    import { SandboxManager, anyState } from './build/sandbox/index.js';
    const manager = new SandboxManager({ registry: ${JSON.stringify(registry)}, adapters: async () => 1, stateSchema: anyState,
      poolSize: 1, isolation: '${isolation}', memoryLimitMb: 32, executionTimeoutMs: 1500, maxConcurrent: 3 });
    const bombs = ['const a = []; for (;;) a.push(new Array(1e5).fill(1))', 'let s = "x"; for (;;) s += s', 'for (;;) {}',
      'const f = () => f(); f()', '/(a+)+$/.test("a".repeat(60) + "!")', 'Promise.resolve().then(function f() { Promise.resolve().then(f) }); await new Promise(() => {})'];
    const ends = await Promise.all(bombs.map((code) => manager.executeCode(code).then(() => 'ok', (error) => error.code)));
    console.log(ends.every((end) => /^ERR_/.test(end)), await manager.executeCode('sdk.market.getQuote()'));
    await manager.close();
  `);
  expect(stderr).toBe('');
  expect(stdout).toBe('true 1\n');
  expect(status).toBe(0);
});
