// `keepState`: runs that are ended early leave the isolate and its variables.
import { describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { deferred, rejection } from '../helpers.mjs';

/** Programs that go on for good once they have called `started`, each in another way. */
const ENDLESS = {
  'a loop': 'started(); for (;;) count++;',
  'a loop that catches everything':
    'started(); for (;;) { try { for (;;) count++; } catch {} finally { for (;;) count++; } }',
  'a loop in a callback of a built-in': 'started(); [2, 1].sort(() => { for (;;) count++; });',
  'a loop that calls built-ins': 'started(); for (;;) Math.max(count++, 1);',
  'a regular expression': 'started(); /(a+)+$/.test("a".repeat(64) + "b");',
  'a microtask': 'started(); await Promise.resolve().then(() => { for (;;) count++; });',
  'microtasks without an end':
    'started(); const again = () => { Promise.resolve().then(again); }; again(); await new Promise(() => {});',
  'a promise that never settles': 'started(); await new Promise(() => {});',
  'an async tool': 'started(); await hang();',
  'a tool that it waits for': 'started(); hangBlocking();',
  'a getter of its output': '({ get value() { started(); for (;;) count++; } })',
  'a getter of its final answer': 'final_answer({ get value() { started(); for (;;) count++; } })',
  'an inspected value':
    'console.log({ [Symbol.for("nodejs.util.inspect.custom")]() { started(); for (;;) count++; } })',
};

describe.each(process.platform === 'linux' ? ['thread', 'process'] : ['thread'])('isolation: %s', (isolation) => {
  /** Calls `work` with an executor whose runs say when they have begun. */
  async function withExecutor(options, work) {
    let began;
    const executor = new SESExecutor({
      isolation,
      keepState: true,
      maxOperations: 1e15,
      timeoutMs: 60_000,
      ...options,
    });
    await executor.init();
    const never = () => new Promise(() => {});
    await executor.sendTools({
      started: () => began.resolve(),
      hang: async () => never(),
      hangBlocking: () => never(),
    });
    /** The failure of a run that is aborted as soon as it has begun. */
    const interrupted = async (code) => {
      began = deferred();
      const controller = new AbortController();
      const run = rejection(executor.run(code, { signal: controller.signal }));
      await began.promise;
      controller.abort(new Error('enough'));
      return run;
    };
    try {
      await work(executor, interrupted);
    } finally {
      await executor.cleanup();
    }
  }

  test('an abort ends the run whatever the program does, and everything defined before is kept', () =>
    withExecutor({}, async (executor, interrupted) => {
      await executor.run('var count = 0; const kept = { list: [1] }; function twice(n) { return 2 * n; }');
      for (const [name, code] of Object.entries(ENDLESS)) {
        const error = await interrupted(code);
        expect(error.code, name).toBe('ERR_EXEC_TIMEOUT');
        expect(error.details, name).toMatchObject({ aborted: true, reason: 'enough', stateLost: false });
        expect(executor.state, name).toBe('READY');
        const { output } = await executor.run('kept.list.push(twice(2)); [typeof count, kept.list.length]');
        expect(output[0], name).toBe('number');
      }
      const { output } = await executor.run('kept.list.length');
      expect(output).toBe(1 + Object.keys(ENDLESS).length);
    }));

  test('the aborted program keeps what it had defined and has nothing that it had not reached', () =>
    withExecutor({}, async (executor, interrupted) => {
      await executor.run('let before = 1; let late = "earlier"');
      await interrupted(
        'let reached = 5; function f() { return reached; } before = 2; started(); for (;;); let late = 3;',
      );
      expect((await executor.run('[before, reached, f(), late]')).output).toStrictEqual([2, 5, 5, 'earlier']);
      await interrupted('const inTheMiddle = await hang((started(), 1));');
      expect((await executor.run('typeof inTheMiddle')).output).toBe('undefined');
      // Nothing of it goes on, and nothing of its signals is left.
      const { output, stats } = await executor.run('let n = 0; for (let i = 0; i < 1000; i++) n++; n');
      expect([output, stats.operations]).toStrictEqual([1_000, 1_000]);
    }));

  test('values that no function uses are kept too', () =>
    withExecutor({}, async (executor, interrupted) => {
      await interrupted('const rows = [1, 2]; let total = 3; var text = "a"; class C {} started(); for (;;);');
      expect((await executor.run('[rows, total, text, typeof C]')).output).toStrictEqual([[1, 2], 3, 'a', 'function']);
    }));

  test('an array can be joined again after an abort during its join', () =>
    withExecutor({}, async (executor, interrupted) => {
      await executor.run('const like = { length: 1, 0: { toString() { started(); for (;;); } } };');
      await interrupted('Array.prototype.join.call(like)');
      expect((await executor.run('like[0] = "a"; Array.prototype.join.call(like)')).output).toBe('a');
    }));

  test.each([
    ['at the deadline', {}, { timeoutMs: 50 }, 'deadline'],
    ...(process.platform === 'linux' ? [['where the processor time is used up', { maxCpuMs: 50 }, {}, 'cpu']] : []),
  ])('state is kept %s too', (_name, options, ofRun, reason) =>
    withExecutor(options, async (executor) => {
      await executor.run('let kept = 1');
      // On a machine that has too much to do it may be ended with its isolate.
      await expect
        .poll(
          async () => {
            if (executor.state === 'DIRTY') {
              await executor.cleanup();
              await executor.init();
              await executor.run('let kept = 1');
            }
            const { code, details } = await rejection(executor.run('for (;;);', ofRun));
            expect([code, details.reason]).toStrictEqual(['ERR_EXEC_TIMEOUT', reason]);
            expect(executor.state).toBe(details.stateLost ? 'DIRTY' : 'READY');
            return details.stateLost;
          },
          { timeout: 30_000, interval: 0 },
        )
        .toBe(false);
      expect((await executor.run('kept')).output).toBe(1);
    }),
  );

  test('a module whose evaluation was ended is evaluated again', () =>
    withExecutor(
      {
        authorizedImports: ['loops', 'waits'],
        modules: {
          loops: 'if (isSlow) { started(); /(a+)+$/.test("a".repeat(64) + "b"); } export const x = 1;',
          waits: 'if (isSlow) await hang(started()); export const x = 2;',
        },
      },
      async (executor, interrupted) => {
        await executor.run('let isSlow = true');
        for (const name of ['loops', 'waits']) {
          const { details } = await interrupted(`await import("${name}")`);
          expect(details, name).toMatchObject({ aborted: true, stateLost: false });
        }
        const { output } = await executor.run(
          'isSlow = false; return [(await import("loops")).x, (await import("waits")).x]',
        );
        expect(output).toStrictEqual([1, 2]);
      },
    ));

  test('an abort that arrives while variables of the host are being defined ends only the run', () =>
    withExecutor({ memoryLimitMb: 256 }, async (executor) => {
      await executor.run('let kept = 1');
      const named = (prefix, count, value) =>
        Object.fromEntries(Array.from({ length: count }, (_, i) => [prefix + i, value]));
      const rows = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `name ${id}` }));
      for (const [round, send, last] of [
        [0, () => executor.sendVariables(named('v', 20_000, 1)), 'v19999'],
        [1, () => executor.sendVariables({ rows }), 'rows'],
        [2, () => executor.sendTools(named('t', 3_000, () => 1)), 't2999'],
      ]) {
        const controller = new AbortController();
        const sent = send();
        const run = rejection(executor.run('kept = 2', { signal: controller.signal }));
        if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
        controller.abort(new Error('enough'));
        await sent;
        expect((await run).details).toMatchObject({ aborted: true, reason: 'enough' });
        expect((await executor.run(`[kept, typeof ${last}]`)).output[0]).toBe(1);
        expect((await executor.run(`typeof ${last}`)).output).not.toBe('undefined');
      }
    }));

  test('a final answer whose writing a deadline interrupts is not returned', () =>
    withExecutor({}, async (executor, interrupted) => {
      for (const code of [
        'final_answer(Promise.resolve({ get value() { started(); for (;;); } }))',
        'await 0; ({ get value() { started(); for (;;); } })',
      ]) {
        expect((await interrupted(code)).details, code).toMatchObject({ aborted: true, stateLost: false });
      }
    }));

  test('an abort before or after the run ends no other run', () =>
    withExecutor({ runConcurrency: 'queue', maxQueuedRuns: 4 }, async (executor) => {
      await executor.run('let kept = 0');
      for (let i = 0; i < 300; i++) {
        const controller = new AbortController();
        const run = executor.run('kept; [3, 2, 1].sort()', { signal: controller.signal }).catch((error) => error);
        const next = executor.run(`kept = ${i}; [2, 1].map((n) => n + kept)`);
        const vars = i % 3 === 0 ? executor.sendVariables({ sent: i }) : undefined;
        // A little later each time: from the beginning of the run to behind its end.
        for (let waited = 0; waited < i % 30; waited++) await null;
        if (i % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
        controller.abort();
        const given = await run;
        if (given instanceof Error) expect(given.details).toMatchObject({ aborted: true });
        expect(given.details?.stateLost ?? false).toBe(false);
        expect((await next).output).toStrictEqual([2 + i, 1 + i]);
        await vars;
      }
      expect((await executor.run('[kept, sent]')).output).toStrictEqual([299, 297]);
    }));
});

test('without keepState an abort makes the executor DIRTY', async () => {
  const executor = new SESExecutor({ autoInit: true });
  const controller = new AbortController();
  const began = deferred();
  await executor.sendTools({ started: () => began.resolve() });
  const run = rejection(executor.run('started(); await new Promise(() => {})', { signal: controller.signal }));
  await began.promise;
  controller.abort();
  expect((await run).details).not.toHaveProperty('stateLost');
  expect(executor.state).toBe('DIRTY');
  await executor.cleanup();
});
