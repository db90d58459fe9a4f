// Large variables take the isolate a while. Runs that are called meanwhile wait for them: they see all of a variable,
// frozen to its last part, and lose no time.

import { describe, expect, test } from 'vitest';

import { deferred, expectCode, testIf } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describePendingValues({ withExecutor: withDefaults, can }) {
  const withExecutor = (options, tools, work) => withDefaults({ maxOperations: 1e8, ...options }, tools, work);

  const tree = (depth, at = 1) =>
    depth === 0
      ? { at, name: `leaf ${at}`, list: [at, at / 3, null, true, { text: 'x'.repeat(20) }] }
      : Array.from({ length: 8 }, (_, i) => ({ key: `k${i}`, child: tree(depth - 1, at * 8 + i) }));
  const large = { version: 1, tree: tree(4) };
  /** Takes V8 some hundred milliseconds to freeze. */
  const slow = Array.from({ length: Math.floor(1_300_000 / can.pace) }, () => ({}));
  const ROOMY = { memoryLimitMb: 2_048 };

  /**
   * Code that gives how many objects the value of `expression` is made of, and which of them are not frozen but should
   * be.
   */
  const unfrozen = (expression) => `
  const open = [${expression}];
  const found = [];
  const seen = new Set();
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (${can.harden} && !Object.isFrozen(value)) found.push(Object.prototype.toString.call(value));
    for (const key of Reflect.ownKeys(value)) open.push(value[key]);
  }
  return [seen.size, found];
`;

  describe('a large variable', () => {
    test('is available and completely frozen when the next run begins', async () => {
      await withExecutor({}, {}, async (executor) => {
        for (let round = 0; round < 5; round++) {
          await executor.sendVariables({ v: large, round });
          const [count, found] = (await executor.run(unfrozen('v'))).output;
          expect(found).toStrictEqual([]);
          expect(count).toBeGreaterThan(10_000);
          expect((await executor.run('return [v, round]')).output).toStrictEqual([large, round]);
          if (!can.harden) continue;
          expect((await executor.run('"use strict"; try { v.tree[0].key = 1; } catch (e) { e.name }')).output).toBe(
            'TypeError',
          );
        }
      });
    });

    test('is available even if its call is not awaited', async () => {
      await withExecutor({}, {}, async (executor) => {
        const sent = [executor.sendVariables({ v: large }), executor.sendVariables({ v: { ...large, version: 2 } })];
        const ran = executor.run(`if (v.version !== 2) throw v.version; ${unfrozen('v')}`);
        expect((await ran).output[1]).toStrictEqual([]);
        await Promise.all(sent);
      });
    });

    test('keeps shared references and cycles', async () => {
      const shared = { list: [1] };
      const v = { large, shared, again: [shared, shared], large2: large };
      v.self = v;
      await withExecutor({}, {}, async (executor) => {
        await executor.sendVariables({ v, alone: shared });
        const code = 'return [v.self === v, v.again[0] === v.shared, v.large === v.large2, alone === v.shared]';
        expect((await executor.run(code)).output).toStrictEqual([true, true, true, true]);
        expect((await executor.run(unfrozen('v'))).output[1]).toStrictEqual([]);
      });
    });

    test('replaces a tool, and whatever runs stored under its name', async () => {
      await withExecutor({}, { v: () => 1 }, async (executor) => {
        await executor.sendVariables({ v: large, w: 1 });
        await executor.run('w = 2');
        await executor.sendVariables({ w: large });
        expect((await executor.run('return [v.version, w.version]')).output).toStrictEqual([1, 1]);
      });
    });

    testIf(can.makeAtOnce)('whose definition the guest has prevented is refused by the call', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.run('Object.defineProperty(globalThis, "v", { value: 1, configurable: false }); 0');
        const error = await expectCode(executor.sendVariables({ v: large }), 'ERR_TOOL_PROXY_FAIL');
        expect(error.details.names).toStrictEqual(['v']);
        await executor.run('Object.preventExtensions(globalThis); 0');
        await expectCode(executor.sendVariables({ other: large }), 'ERR_TOOL_PROXY_FAIL');
        expect((await executor.run('return v')).output).toBe(1);
      });
    });

    testIf(can.makeAtOnce)(
      "that exceeds the guest's memory is refused by the call, and the next one is accepted",
      async () => {
        await withExecutor({ memoryLimitMb: 16 }, {}, async (executor) => {
          const numbers = Array.from({ length: 400_000 }, (_, i) => [i + 0.5]);
          await expectCode(executor.sendVariables({ v: numbers }), 'ERR_MEMORY_LIMIT_EXCEEDED');
          expect(executor.state).toBe('READY');
          await executor.sendVariables({ v: 1 });
          expect((await executor.run('return v')).output).toBe(1);
        });
      },
    );

    test('that is nested too deeply is refused by the call', async () => {
      let deep = large;
      for (let i = 0; i < 100_000; i++) deep = [deep];
      await withExecutor({}, {}, async (executor) => {
        if (can.limitDepth) {
          await expect(executor.sendVariables({ deep })).rejects.toThrow(
            new TypeError('variables cannot be cloned: it is nested too deeply or too large'),
          );
        }
        for (let i = 0; i < 2_000; i++) deep = i === 0 ? large : [deep];
        await executor.sendVariables({ deep });
        expect((await executor.run(unfrozen('deep'))).output[1]).toStrictEqual([]);
      });
    });
  });

  describe('a call after a large variable that is pending', () => {
    testIf(can.makeAtOnce)('has its full time, which starts when the isolate is free', async () => {
      await withExecutor(ROOMY, {}, async (executor) => {
        const before = performance.now();
        const sending = executor.sendVariables({ v: slow });
        const written = performance.now();
        // Less than the time that the isolate needs for the variable. A busy machine needs longer for both.
        const timeoutMs = Math.max(100, Math.round((written - before) / 4));
        const { output, stats } = await executor.run('return v.length', { timeoutMs });
        const { durationMs } = stats;
        expect(output).toBe(slow.length);
        expect(durationMs).toBeLessThan(timeoutMs);
        expect(performance.now() - written - durationMs).toBeGreaterThan(0.1 * (written - before));
        await sending;
      });
    });

    testIf(can.makeAtOnce)('can be aborted while it waits, and the executor continues', async () => {
      await withExecutor(ROOMY, {}, async (executor) => {
        const sending = executor.sendVariables({ v: slow });
        const controller = new AbortController();
        const ran = executor.run('v = 1', { signal: controller.signal });
        expect(executor.state).toBe('RUNNING');
        controller.abort(new Error('changed my mind'));
        const error = await expectCode(ran, 'ERR_EXEC_TIMEOUT');
        expect(error.details).toMatchObject({ aborted: true, reason: 'changed my mind' });
        expect(executor.state).toBe('READY');
        expect((await executor.run('return v.length')).output).toBe(slow.length);
        await sending;
      });
    });

    test('runs in its turn', async () => {
      await withExecutor({ ...ROOMY, runConcurrency: 'queue', maxQueuedRuns: 2 }, {}, async (executor) => {
        await executor.run('const order = []; 0');
        const sending = executor.sendVariables({ v: slow });
        const controller = new AbortController();
        const runs = [1, 2].map((i) => executor.run(`order.push(${i}, v.length); order`));
        const aborted = executor.run('order.push(3)', { signal: controller.signal });
        await expectCode(executor.run('order.push(4)'), 'ERR_INVALID_STATE');
        controller.abort();
        await expectCode(aborted, 'ERR_EXEC_TIMEOUT');
        expect((await Promise.all(runs)).at(-1).output).toStrictEqual([1, slow.length, 2, slow.length]);
        expect(executor.state).toBe('READY');
        await sending;
      });
    });

    test('is refused by cleanup(), which does not wait', async () => {
      await withExecutor(ROOMY, {}, async (executor) => {
        const sending = executor.sendVariables({ v: slow }).catch(({ code }) => code);
        const ran = expectCode(executor.run('v.length'), 'ERR_INVALID_STATE');
        await executor.cleanup();
        await ran;
        expect(['ERR_INVALID_STATE', undefined]).toContain(await sending);
        await executor.init();
        expect((await executor.run('return typeof v')).output).toBe('undefined');
      });
    });

    test('may send another tool or another variable', async () => {
      const called = deferred();
      await withExecutor(ROOMY, {}, async (executor) => {
        await Promise.all([
          executor.sendVariables({ v: slow }),
          executor.sendTools({ tell: called.resolve }),
          executor.sendVariables({ w: 2 }),
        ]);
        await executor.run('tell(v.length + w)');
        expect(await called.promise).toBe(slow.length + 2);
      });
    });

    test('may be cleanup(), which ends the executor immediately', async () => {
      await withExecutor(ROOMY, {}, async (executor) => {
        const sending = executor.sendVariables({ v: slow }).catch(({ code }) => code);
        await executor.cleanup();
        expect(executor.state).toBe('DEAD');
        expect(['ERR_INVALID_STATE', undefined]).toContain(await sending);
      });
    });
  });

  describe('arrays with additional properties, holes or many elements', () => {
    const withProperty = Object.assign([1, [2]], { extra: { deep: [{}] } });
    const holes = [, { a: [] }, , [3]];
    const others = { withProperty, holes, map: new Map([[{}, [1]]]), date: new Date(0), error: new Error('x') };

    test.each([
      ['small', {}],
      ['large', { large }],
    ])('are frozen too and return unchanged: %s', async (_, more) => {
      await withExecutor({ hardenToolResults: true }, { get: () => ({ ...others, ...more }) }, async (executor) => {
        await executor.sendVariables({ v: { ...others, ...more } });
        const parts = '[v.withProperty, v.holes, v.large, get().withProperty, get().holes, get().large]';
        expect((await executor.run(unfrozen(parts).replace('[[', '[...['))).output[1]).toStrictEqual([]);
        const { output } = await executor.run('return [v, get()]');
        for (const { withProperty: array, holes: sparse, large: big } of output) {
          expect(array).toStrictEqual(withProperty);
          expect(array.extra).toStrictEqual(withProperty.extra);
          expect(Object.keys(sparse)).toStrictEqual(['1', '3']);
          expect(sparse).toStrictEqual(holes);
          expect(big).toStrictEqual(more.large);
        }
      });
    });

    test('are measured quickly if they contain cycles', async () => {
      const v = { holes: [] };
      v.holes.length = 1_000_000;
      Object.assign(v, { one: v, two: [v, v.holes] });
      await withExecutor({}, {}, async (executor) => {
        const from = performance.now();
        await executor.sendVariables({ v });
        expect((await executor.run('return [v.one === v, v.two[1].length]')).output).toStrictEqual([true, 1_000_000]);
        expect(performance.now() - from).toBeLessThan(5_000);
      });
    });
  });
}
