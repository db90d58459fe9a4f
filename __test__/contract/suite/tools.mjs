// Section 7.4 of the specification: host functions as guests of JavaScript see them.

import { describe, expect, test } from 'vitest';

import { deferred, expectCode, rejection } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeTools({ withExecutor, can }) {
  /// One turn of the event loop, in which answers that have been given reach the executor.
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  describe('kinds of tool calls', () => {
    test('a synchronous tool returns its value', async () => {
      await withExecutor({}, { tool: (n) => n * 2, text: () => 'sync' }, async (executor) => {
        expect((await executor.run('tool(1) + 1')).output).toBe(3);
        expect((await executor.run('[1, 2, 3].map(tool)')).output).toStrictEqual([2, 4, 6]);
        expect((await executor.run('text().toUpperCase()')).output).toBe('SYNC');
        expect((await executor.run('await tool(2)')).output).toBe(4);
      });
    });

    test('an asynchronous tool returns a promise of the guest immediately', async () => {
      const gate = deferred();
      await withExecutor(
        {},
        { later: async (n) => (await gate.promise, n), open: () => gate.resolve() },
        async (executor) => {
          const { output } = await executor.run(`
        const p = later(5);
        const seen = [p instanceof Promise, Object.getPrototypeOf(p) === Promise.prototype];
        open();
        return [...seen, await p];`);
          expect(output).toStrictEqual([true, true, 5]);
        },
      );
    });

    test('a synchronous function that returns a promise returns a promise to the guest', async () => {
      const late = async (n) => n + 1;
      const tools = {
        plain: (n) => Promise.resolve(n + 1),
        bound: late.bind(null),
        thenable: (n) => ({ then: (resolve) => resolve(n + 1) }),
      };
      await withExecutor({}, tools, async (executor) => {
        for (const name of Object.keys(tools)) {
          expect(
            (await executor.run(`{ const p = ${name}(1); [p instanceof Promise, await p]; }`)).output,
          ).toStrictEqual([true, 2]);
        }
      });
    });

    test('a tool may return either a value or a promise', async () => {
      await withExecutor({}, { maybe: (n) => (n > 1 ? Promise.resolve(n) : n) }, async (executor) => {
        const { output } = await executor.run(
          'const a = maybe(1); const b = maybe(2); return [a, b instanceof Promise, await b];',
        );
        expect(output).toStrictEqual([1, true, 2]);
      });
    });

    test('Promise.all runs asynchronous tools in parallel', async () => {
      const started = new Set();
      const all = deferred();
      const wait = (name) => async (n) => {
        started.add(name);
        if (started.size === 3) all.resolve();
        await all.promise;
        return name + n;
      };
      const tools = { a: wait('a'), b: wait('b'), c: (n) => wait('c')(n) };
      await withExecutor({}, tools, async (executor) => {
        expect((await executor.run('await Promise.all([a(1), b(2), c(3)])')).output).toStrictEqual(['a1', 'b2', 'c3']);
      });
    });

    test('calls reach the host while the guest computes', async () => {
      const limits = { maxOperations: 1e15, timeoutMs: 30_000 };
      const controller = new AbortController();
      const told = [];
      const tell = async (n) => told.push(n) === 3 && controller.abort(new Error('told'));
      await withExecutor(limits, { tell }, async (executor) => {
        const run = executor.run('const calls = [tell(1), tell(2), tell(3)]; for (;;);', { signal: controller.signal });
        const { details } = await expectCode(run, 'ERR_EXEC_TIMEOUT');
        expect([told, details.reason]).toStrictEqual([[1, 2, 3], 'told']);
      });
    });

    test('answers may come in any order', async () => {
      const gates = [deferred(), deferred(), deferred()];
      const tools = {
        wait: async (n) => {
          await gates[n].promise;
          return n;
        },
        open: async (n) => gates[n].resolve(),
      };
      await withExecutor({}, tools, async (executor) => {
        const { output } = await executor.run(`
        const order = [];
        const all = [0, 1, 2].map((n) => wait(n).then((v) => order.push(v)));
        await open(2); await all[2];
        await open(0); await all[0];
        await open(1); await all[1];
        return order;`);
        expect(output).toStrictEqual([2, 0, 1]);
      });
    });

    test('a synchronous call works while asynchronous ones are pending', async () => {
      const gate = deferred();
      await withExecutor(
        {},
        { slow: async () => (await gate.promise, 'slow'), quick: (n) => n + 1, open: () => void gate.resolve() },
        async (executor) => {
          const { output } = await executor.run(`
        const p = slow();
        let n = 0;
        for (let i = 0; i < 50; i++) n = quick(n);
        open();
        const m = quick(n);
        return [m, await p, quick(m)];`);
          expect(output).toStrictEqual([51, 'slow', 52]);
        },
      );
    });

    test('1,000 calls run in parallel, asynchronous and synchronous', async () => {
      let started = 0;
      const all = deferred();
      const tools = {
        each: async (n) => {
          if (++started === 1000) all.resolve();
          await all.promise;
          return n * 2;
        },
        now: (n) => n,
      };
      await withExecutor({ maxToolCalls: 2000, maxConcurrentToolCalls: 1000 }, tools, async (executor) => {
        const { output, stats } = await executor.run(`
        const values = await Promise.all(Array.from({ length: 1000 }, (_, i) => each(i)));
        const sync = Array.from({ length: 1000 }, (_, i) => now(i));
        return values.every((v, i) => v === 2 * i) && sync.every((v, i) => v === i);`);
        expect(output).toBe(true);
        expect(stats.toolCalls).toBe(2000);
      });
    });

    test('undefined, no arguments and many arguments are passed', async () => {
      const calls = [];
      await withExecutor({}, { take: (...args) => void calls.push(args) }, async (executor) => {
        expect((await executor.run('take() === undefined && take(undefined) === undefined')).output).toBe(true);
        await executor.run('take(...Array.from({ length: 200 }, (_, i) => i))');
      });
      expect(calls[0]).toStrictEqual([]);
      expect(calls[1]).toStrictEqual([undefined]);
      expect(calls[2]).toHaveLength(200);
    });
  });

  describe('namespaces', () => {
    test('may have any depth and contain functions at each level', async () => {
      const tools = {
        Host: { readDoc: async (id) => `doc ${id}`, Deep: { Deeper: { Deepest: { say: (x) => `said ${x}` } } } },
        plain: () => 1,
      };
      await withExecutor({}, tools, async (executor) => {
        expect((await executor.run('await Host.readDoc(7)')).output).toBe('doc 7');
        expect((await executor.run('Host.Deep.Deeper.Deepest.say("x") + plain()')).output).toBe('said x1');
        expect(
          (await executor.run('const { Deep: { Deeper: { Deepest: { say } } } } = Host; return say(2);')).output,
        ).toBe('said 2');
      });
    });

    test('are frozen, and their keys can be listed', async () => {
      await withExecutor({}, { Host: { a: () => 1, B: { c: () => 2 } } }, async (executor) => {
        const { output } = await executor.run(
          '[Object.keys(Host), Object.isFrozen(Host), Object.isFrozen(Host.B), Object.isFrozen(Host.B.c), typeof Host.constructor.constructor]',
        );
        expect(output).toStrictEqual([['a', 'B'], true, true, true, 'function']);
        for (const code of [
          'Host.a = 1',
          'Host.x = 1',
          'delete Host.a',
          'Host.B.c = 1',
          'Host = 1',
          'delete globalThis.Host',
        ]) {
          const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
          expect(error.details.name).toBe('TypeError');
        }
      });
    });

    test('may use keys like __proto__ and constructor', async () => {
      const inner = Object.defineProperty({ constructor: () => 'c', toString: () => 't' }, '__proto__', {
        value: () => 'p',
        enumerable: true,
      });
      await withExecutor({}, { Host: inner }, async (executor) => {
        expect((await executor.run('[Host.constructor(), Host.toString(), Host["__proto__"]()]')).output).toStrictEqual(
          ['c', 't', 'p'],
        );
      });
    });

    test('appear in the path that a failure names', async () => {
      const tools = {
        Host: {
          Files: {
            read: () => {
              throw new Error('no file');
            },
          },
        },
      };
      await withExecutor({}, tools, async (executor) => {
        const error = await expectCode(executor.run('Host.Files.read()'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.details.tool).toBe('Host.Files.read');
      });
    });
  });

  describe('the functions that guests see', () => {
    test('have the right name and length, are frozen and cannot be constructed', async () => {
      const tools = {
        none() {},
        two: (a, b) => [a, b],
        withDefault: (a, b = 1) => [a, b],
        async later(a, b, c) {
          return [a, b, c];
        },
        $: () => 'dollar',
      };
      await withExecutor({}, tools, async (executor) => {
        const { output } = await executor.run(`
        [none, two, withDefault, later, $].map((f) =>
          [f.name, f.length, Object.isFrozen(f), 'prototype' in f, typeof f, Object.getPrototypeOf(f) === Function.prototype])`);
        expect(output).toStrictEqual([
          ['none', 0, true, false, 'function', true],
          ['two', 2, true, false, 'function', true],
          ['withDefault', 1, true, false, 'function', true],
          ['later', 3, true, false, 'function', true],
          ['$', 0, true, false, 'function', true],
        ]);
        expect((await executor.run('$()')).output).toBe('dollar');
        const error = await expectCode(executor.run('new two(1, 2)'), 'ERR_RUNTIME_EXCEPTION');
        expect(error.details.name).toBe('TypeError');
        await expectCode(executor.run('two.extra = 1'), 'ERR_RUNTIME_EXCEPTION');
        await expectCode(executor.run('two.call = 1'), 'ERR_RUNTIME_EXCEPTION');
      });
    });

    test("support call, apply and bind, and the guest's `this` does not reach the host", async () => {
      const seen = [];
      const tools = {
        probe(...args) {
          seen.push(this);
          return args.length;
        },
      };
      await withExecutor({}, tools, async (executor) => {
        expect(
          (
            await executor.run(
              '[probe.call({ mine: 1 }, 1), probe.apply(null, [1, 2]), probe.bind(3, 4)(5), Reflect.apply(probe, {}, [])]',
            )
          ).output,
        ).toStrictEqual([1, 2, 2, 0]);
      });
      for (const self of seen) expect(self).toBe(tools);
    });

    test('are called with their namespace as `this` on the host', async () => {
      const tools = {
        one() {
          return this.two() + 1;
        },
        two: () => 2,
        Host: {
          async outer() {
            return this.inner();
          },
          inner: () => 'inner of Host',
        },
      };
      await withExecutor({}, tools, async (executor) => {
        expect((await executor.run('one()')).output).toBe(3);
        expect((await executor.run('await Host.outer()')).output).toBe('inner of Host');
        expect((await executor.run('const { outer } = Host; return await outer();')).output).toBe('inner of Host');
      });
    });

    test('show nothing of the bridge by toString', async () => {
      await withExecutor({}, { read: (path) => path }, async (executor) => {
        const { output } = await executor.run('`${read}`');
        expect(output).not.toMatch(/\.mjs|\.js:|Deno|__smol|__test__/);
      });
    });
  });

  describe('errors of tools in the guest', () => {
    test("are of the guest's realm and open no way to the host", async () => {
      const syncBoom = () => {
        throw Object.assign(new Error('boom happened'), { name: 'HostError' });
      };
      await withExecutor({}, { syncBoom }, async (executor) => {
        const { output } = await executor.run(`
        try { syncBoom(); } catch (e) {
          return [e instanceof Error, Object.getPrototypeOf(Object.getPrototypeOf(e)) === Object.prototype || Object.getPrototypeOf(e) === Error.prototype,
            e.constructor === Error, typeof e.constructor.constructor];
        }`);
        expect(output).toStrictEqual([true, true, true, 'function']);
      });
    });

    test.each([
      ['TypeError', TypeError],
      ['RangeError', RangeError],
      ['SyntaxError', SyntaxError],
      ['ReferenceError', ReferenceError],
    ])('of class %s on the host are of class %s in the guest', async (name, Class) => {
      await withExecutor(
        {},
        {
          fail: () => {
            throw new Class('typed');
          },
        },
        async (executor) => {
          expect(
            (await executor.run(`try { fail(); } catch (e) { return [e.name, e instanceof ${name}, e.message]; }`))
              .output,
          ).toStrictEqual([name, true, 'typed']);
        },
      );
    });
  });

  describe('calls belong to their run', () => {
    test('calls that were not awaited are dropped and reported in a warn line', async () => {
      const gate = deferred();
      const calls = [];
      const tools = { slow: async (n) => (calls.push(n), await gate.promise), mark: (x) => void calls.push(x) };
      await withExecutor({}, tools, async (executor) => {
        const { output, logs, logEntries } = await executor.run(`
        slow(1).then(() => mark('continued 1'));
        (async () => { await slow(2); mark('continued 2'); })();
        console.log('end');
        'done';`);
        expect(output).toBe('done');
        expect(logEntries[0]).toMatchObject({ level: 'log', message: 'end' });
        const warning = logEntries.find((entry) => entry.level === 'warn');
        expect(warning.message).toBe(
          '2 tool calls were not awaited and dropped when the run ended: slow; `await` each, or all together with `await Promise.all([…])`',
        );
        expect(logs).toBe(logEntries.map((entry) => entry.message).join('\n'));
        gate.resolve('late');
        await turn();
        expect((await executor.run('await 0; mark("second"); 1')).output).toBe(1);
        expect((await executor.run('await 0; 2')).logs).toBe('');
      });
      expect(calls).toStrictEqual([1, 2, 'second']);
    });

    test('one call that was not awaited is reported in the singular', async () => {
      await withExecutor({}, { slow: () => new Promise(() => {}) }, async (executor) => {
        const { logs } = await executor.run('slow(); 1');
        expect(logs).toBe('1 tool call was not awaited and dropped when the run ended: slow; `await` it');
      });
    });

    test('a late answer does not settle a promise that a later run holds', async () => {
      const gate = deferred();
      await withExecutor({}, { slow: () => gate.promise, quick: async () => 'quick' }, async (executor) => {
        await executor.run('const pending = slow(); 0');
        gate.resolve('late');
        await turn();
        const { output } = await executor.run('await Promise.race([pending, quick().then(() => quick())])');
        expect(output).toBe('quick');
      });
    });

    test('a late rejection causes no unhandled rejection', async () => {
      const gate = deferred();
      const seen = [];
      const listener = (reason) => seen.push(reason);
      process.on('unhandledRejection', listener);
      try {
        await withExecutor({}, { slow: () => gate.promise, slowAsync: async () => gate.promise }, async (executor) => {
          await executor.run('slow(); slowAsync(); 0');
          gate.reject(new Error('late failure'));
          await turn();
          expect((await executor.run('1')).output).toBe(1);
          expect((await executor.run('1')).logs).toBe('');
        });
        await turn();
      } finally {
        process.off('unhandledRejection', listener);
      }
      expect(seen).toStrictEqual([]);
    });

    const QUEUE = `Promise.resolve('reaction').then(mark); Promise.resolve().then(() => { console.log('late'); mark('late'); })`;
    test.each([
      ['a getter of its output', `return { get x() { ${QUEUE}; return 1; } };`, undefined],
      ['a trap of its output', `return new Proxy([], { ownKeys() { ${QUEUE}; return []; } });`, undefined],
      ['a getter of the value it threw', `throw { get name() { ${QUEUE}; return 'name'; } };`, 'ERR_RUNTIME_EXCEPTION'],
      ['a run with too many calls', `${QUEUE}; for (;;) mark('call');`, 'ERR_TOOL_CALL_LIMIT_EXCEEDED'],
      ...(can.survivesMemory
        ? [
            [
              'a run that exceeded its memory',
              `${QUEUE}; const a = []; for (;;) a.push(Array(1e5).fill(0));`,
              'ERR_MEMORY_LIMIT_EXCEEDED',
            ],
          ]
        : []),
      ...(can.limitOperations
        ? [
            [
              'a run that was stopped while it continued after its limit',
              `${QUEUE}; const f = () => { try { for (;;); } finally { return; } }; for (;;) f();`,
              'ERR_MAX_OPS_EXCEEDED',
            ],
          ]
        : []),
    ])('pending microtasks of %s are dropped', async (_, code, expected) => {
      const marks = [];
      const options = { maxOperations: 1e5, maxToolCalls: 3, memoryLimitMb: 64, timeoutMs: 45_000 };
      await withExecutor(options, { mark: (x) => void marks.push(x) }, async (executor) => {
        const { code: failed } = await executor.run(`await (async () => { ${code} })()`).catch((error) => error);
        expect(failed).toBe(expected);
        expect(executor.state).toBe('READY');
        marks.length = 0;
        const { logs, stats } = await executor.run('await 0; await 0; 1');
        expect({ logs, toolCalls: stats.toolCalls, marks }).toStrictEqual({ logs: '', toolCalls: 0, marks: [] });
      });
    });

    test('a pending reaction of an ended run does not run in the next', async () => {
      const marks = [];
      await withExecutor({}, { mark: (x) => void marks.push(x), later: async (x) => x }, async (executor) => {
        await executor.run(
          'later(1).then(() => mark("a")).then(() => later(2)).then(() => mark("b")); final_answer(0);',
        );
        const before = marks.length;
        await turn();
        await executor.run('await later(3); await later(4);');
        expect(marks.length).toBe(before);
      });
    });

    test('failures that were not awaited do not fail the run and are logged', async () => {
      await withExecutor(
        {},
        {
          fail: async () => {
            throw new Error('unseen');
          },
          later: async () => 1,
        },
        async (executor) => {
          const { output, logEntries } = await executor.run('fail(); await later(); await later(); "fine"');
          expect(output).toBe('fine');
          expect(logEntries.some((entry) => entry.level === 'warn' && entry.message.includes('unseen'))).toBe(true);
        },
      );
    });
  });

  describe('names of tools', () => {
    test('`const read = 1` shadows a tool for its own run only', async () => {
      await withExecutor({}, { read: () => 'the tool' }, async (executor) => {
        const { output, logEntries } = await executor.run('const read = 1; read;');
        expect(output).toBe(1);
        expect(logEntries.some((entry) => entry.level === 'warn' && entry.message.includes('read'))).toBe(true);
        expect((await executor.run('read()')).output).toBe('the tool');
        await executor.run('function read() { return "mine"; } class Host {}');
        expect((await executor.run('read()')).output).toBe('the tool');
      });
    });

    test.each([
      'read = 1',
      'globalThis.read = 1',
      'delete globalThis.read',
      'Object.defineProperty(globalThis, "read", { value: 1 })',
      'Reflect.set(globalThis, "read", 1) || (() => { throw new TypeError("refused"); })()',
    ])('a run cannot take a tool away: %s', async (code) => {
      await withExecutor({}, { read: () => 'the tool' }, async (executor) => {
        const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
        expect(error.details.name).toBe('TypeError');
        expect((await executor.run('read()')).output).toBe('the tool');
      });
    });

    test('tools with built-in names are refused and do not break the engine', async () => {
      await withExecutor({}, {}, async (executor) => {
        const language = (name) =>
          `.${name} must have another name, for instance ${name}_: \`${name}\` is a global of the language`;
        const odd = '["odd name"] must have another name, for instance odd_name: code cannot use the name "odd name"';
        for (const [tools, reason] of [
          [{ Map: () => 1 }, language('Map')],
          [{ Promise: { all: () => 1 } }, language('Promise')],
          [{ 'odd name': () => 1 }, odd],
        ]) {
          expect(await rejection(executor.sendTools(tools))).toStrictEqual(new TypeError(`tools${reason}`));
        }
        expect((await executor.run('new Map([[1, await Promise.all([2])]]).get(1)')).output).toStrictEqual([2]);
        expect((await executor.run('console.log({ a: [1] }); await 1; ({ f() {} })')).output).toStrictEqual({
          f: '[Function: f]',
        });
      });
    });
  });
}
