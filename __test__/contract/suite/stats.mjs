// `CodeOutput.stats`, and the limits of one run that it shows at work.

import { describe, expect, test } from 'vitest';

import { describeIf, expectCode } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeStats({ withExecutor, can }) {
  describeIf(can.limitOperations)('operations', () => {
    test.each([
      ['1', 0],
      ['[1, 2, 3].map((n) => n)', 0],
      ['for (let i = 0; i < 10; i++);', 10],
      ['for (let i = 0; i < 10; i++) { if (i === 3) break; }', 4],
      ['for (let i = 0; i < 10; i++) { if (i % 2) continue; }', 10],
      ['for (let i = 0; i < 10; i++) for (let j = 0; j < 3; j++);', 40],
      ['let i = 0; while (i < 7) i++;', 7],
      ['let i = 0; do i++; while (i < 7);', 7],
      ['while (false);', 0],
      ['do {} while (false)', 1],
      ['for (const v of [1, 2, 3]);', 3],
      ['for (const k in { a: 1, b: 2 });', 2],
      ['for await (const v of [1, 2, 3]);', 3],
      ['for (const v of []) {}', 0],
      ['const f = () => { for (let i = 0; i < 5; i++); }; f(); f();', 10],
      ['function* g() { for (let i = 0; i < 4; i++) yield i; }\nfor (const v of g());', 8],
      ['await Promise.all([1, 2].map(async (n) => { for (let i = 0; i < n; i++) await null; }))', 3],
      ['outer: for (let i = 0; i < 3; i++) for (;;) continue outer;', 6],
    ])('operations of %s: %i', async (code, operations) => {
      await withExecutor({}, {}, async (executor) => {
        expect((await executor.run(code)).stats.operations).toBe(operations);
        // Exactly as many are enough, one less is not.
        if (operations > 0) {
          expect((await executor.run(`{ ${code} }`, { maxOperations: operations })).stats.operations).toBe(operations);
        }
        if (operations > 1) {
          const limits = { maxOperations: operations - 1 };
          const error = await expectCode(executor.run(`{ ${code} }`, limits), 'ERR_MAX_OPS_EXCEEDED');
          expect(error.message).toBe(`Max operations exceeded (${operations - 1})`);
          expect(error.details.maxOperations).toBe(operations - 1);
          expect(error.stats.operations).toBe(operations - 1);
        }
      });
    });

    test('operations count from 0 in each run, and functions of earlier runs count in the calling run', async () => {
      await withExecutor({}, {}, async (executor) => {
        const first = await executor.run('const spin = (n) => { for (let i = 0; i < n; i++); }; spin(5)');
        const second = await executor.run('spin(7)');
        expect([first.stats.operations, second.stats.operations]).toStrictEqual([5, 7]);
        await expectCode(executor.run('spin(7)', { maxOperations: 6 }), 'ERR_MAX_OPS_EXCEEDED');
        expect((await executor.run('spin(9)')).stats.operations).toBe(9);
      });
    });

    test('operations count until an error or final_answer', async () => {
      await withExecutor({}, {}, async (executor) => {
        const error = await expectCode(
          executor.run('for (let i = 0; ; i++) if (i === 5) null.x'),
          'ERR_RUNTIME_EXCEPTION',
        );
        expect(error.stats.operations).toBe(6);
        const { stats } = await executor.run('for (let i = 0; ; i++) if (i === 5) final_answer(i)');
        expect(stats.operations).toBe(6);
        expect((await expectCode(executor.run('let = ;'), 'ERR_VALIDATION_FAILED')).stats.operations).toBe(0);
      });
    });
  });

  describeIf(can.limitOperations)('maxOperations of a run', () => {
    test('maxOperations of a run overrides that of the executor, up and down, for that run', async () => {
      const loop = 'for (let i = 0; i < 100; i++); "done"';
      await withExecutor({ maxOperations: 50 }, {}, async (executor) => {
        await expectCode(executor.run(loop), 'ERR_MAX_OPS_EXCEEDED');
        expect((await executor.run(loop, { maxOperations: 100 })).output).toBe('done');
        const error = await expectCode(executor.run(loop, { maxOperations: 3 }), 'ERR_MAX_OPS_EXCEEDED');
        expect(error.message).toBe('Max operations exceeded (3)');
        expect((await expectCode(executor.run(loop), 'ERR_MAX_OPS_EXCEEDED')).message).toBe(
          'Max operations exceeded (50)',
        );
        expect((await executor.run(loop, { maxOperations: undefined, timeoutMs: 5_000 }).catch((e) => e)).code).toBe(
          'ERR_MAX_OPS_EXCEEDED',
        );
      });
    });

    test('the largest maxOperations is accepted', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { stats } = await executor.run('for (let i = 0; i < 1e6; i++);', {
          maxOperations: Number.MAX_SAFE_INTEGER,
        });
        expect(stats.operations).toBe(1e6);
      });
    });
  });

  describe('toolCalls', () => {
    const tools = {
      sync: () => 1,
      later: async () => 1,
      fail: () => {
        throw new Error('x');
      },
      Space: { inner: () => 1 },
    };

    test.each([
      ['1', 0],
      ['sync()', 1],
      ['sync(); sync(); Space.inner()', 3],
      ['await Promise.all([later(), later(), later()])', 3],
      ['try { fail() } catch {}', 1],
      ['[1, 2, 3, 4].map(sync)', 4],
      ['sync', 0],
      ['sync(); final_answer(1)', 1],
    ])('of %s: %i', async (code, toolCalls) => {
      await withExecutor({}, tools, async (executor) => {
        expect((await executor.run(code)).stats.toolCalls).toBe(toolCalls);
        expect((await executor.run('1')).stats.toolCalls).toBe(0);
      });
    });

    test('are counted for a failed run', async () => {
      await withExecutor({}, tools, async (executor) => {
        expect((await expectCode(executor.run('sync(); fail()'), 'ERR_TOOL_PROXY_FAIL')).stats.toolCalls).toBe(2);
        expect((await expectCode(executor.run('sync(); null.x'), 'ERR_RUNTIME_EXCEPTION')).stats.toolCalls).toBe(1);
      });
    });

    test('beyond maxToolCalls end the run', async () => {
      await withExecutor({ maxToolCalls: 3 }, tools, async (executor) => {
        expect((await executor.run('sync(); sync(); sync()')).stats.toolCalls).toBe(3);
        await expectCode(executor.run('for (;;) { try { sync(); } catch {} }'), 'ERR_TOOL_CALL_LIMIT_EXCEEDED');
        expect(executor.state).toBe('READY');
        expect((await executor.run('sync()')).output).toBe(1);
      });
    });
  });

  describe('durationMs', () => {
    test('is the time from the start to the outcome', async () => {
      const wait = async () => new Promise((resolve) => setTimeout(resolve, 120));
      await withExecutor({}, { wait }, async (executor) => {
        for (const [code, leastMs] of [
          ['await wait()', 118],
          ['1', 0],
        ]) {
          const start = performance.now();
          const { stats } = await executor.run(code);
          const elapsed = performance.now() - start;
          expect(stats.durationMs).toBeGreaterThan(leastMs);
          expect(stats.durationMs).toBeLessThanOrEqual(elapsed);
        }
      });
    });
  });

  describe('heapUsedBytes', () => {
    test('is the heap of the isolate', async () => {
      await withExecutor({}, {}, async (executor) => {
        const before = (await executor.run('1')).stats.heapUsedBytes;
        expect(before).toBeGreaterThan(100_000);
        expect(before).toBeLessThan(64 * 2 ** 20);
        const after = await executor.run(
          'const held = Array.from({ length: 20_000 }, (_, i) => ({ i, text: `${i}` })); 1',
        );
        expect(after.stats.heapUsedBytes - before).toBeGreaterThan(20_000 * 32);
      });
    });
  });

  test('every output has all four stats as numbers', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { stats } = await executor.run('1');
      expect(Object.keys(stats).sort()).toStrictEqual(
        expect.arrayContaining(['durationMs', 'heapUsedBytes', 'operations', 'toolCalls']),
      );
      for (const value of Object.values(stats)) expect(value).toBeTypeOf('number');
    });
  });
}
