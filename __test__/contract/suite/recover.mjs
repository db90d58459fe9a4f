// `autoInit` with `recover`: the call after one that has lost the isolate finds a new one.

import { expect, test } from 'vitest';

import { expectCode, gateTool } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeRecovery({ make, withExecutor }) {
  const RECOVERING = { autoInit: true, recover: true };
  const FOREVER = 'await new Promise(() => {})';
  const lose = (executor) => expectCode(executor.run(FOREVER, { timeoutMs: 30 }), 'ERR_EXEC_TIMEOUT');

  test('the next run has the tools but no variables, and reports the recovery once', async () => {
    const tools = { add: (a, b) => a + b, Host: { later: async () => 'later' } };
    await withExecutor(RECOVERING, tools, async (executor) => {
      await executor.sendVariables({ sent: 1 });
      expect(await executor.run('const kept = 1; sent')).not.toHaveProperty('recovered');
      await lose(executor);
      expect(executor.state).toBe('DIRTY');
      const first = await executor.run('[typeof sent, typeof kept, add(1, 2), await Host.later()]');
      expect(first).toMatchObject({ output: ['undefined', 'undefined', 3, 'later'], recovered: true });
      expect(await executor.run('1')).not.toHaveProperty('recovered');
    });
  });

  test('a failed run reports the recovery too', async () => {
    await withExecutor(RECOVERING, {}, async (executor) => {
      await executor.run('const kept = 1');
      await lose(executor);
      const error = await expectCode(executor.run('kept + 1'), 'ERR_RUNTIME_EXCEPTION');
      expect(error.details.recovered).toBe(true);
      expect(error.explanation.split('\n').at(-1)).toBe(
        'Hint: Correct the code at that place and run it again. ' +
          'Variables and functions of earlier runs are gone: define again what is still needed.',
      );
      const next = await expectCode(executor.run('kept + 1'), 'ERR_RUNTIME_EXCEPTION');
      expect(next.details).not.toHaveProperty('recovered');
    });
  });

  test('variables and tools sent during the recovery are available, with the earlier tools', async () => {
    await withExecutor(RECOVERING, { old: () => 'old', both: () => 'first' }, async (executor) => {
      await lose(executor);
      await Promise.all([executor.sendVariables({ x: 1 }), executor.sendTools({ both: () => 'second' })]);
      expect(executor.state).toBe('READY');
      expect(await executor.run('[x, old(), both()]')).toMatchObject({ output: [1, 'old', 'second'], recovered: true });
    });
  });

  test('simultaneous calls share the new isolate, and runs wait for their turn', async () => {
    const gate = gateTool();
    const options = { ...RECOVERING, runConcurrency: 'queue', maxQueuedRuns: 2 };
    await withExecutor(options, { gate: gate.tool }, async (executor) => {
      await lose(executor);
      const runs = [executor.run('globalThis.x = await gate()'), executor.run('x + 1')];
      await gate.called;
      gate.open(1);
      expect((await Promise.all(runs)).map(({ output, recovered }) => [output, recovered])).toStrictEqual([
        [1, true],
        [2, undefined],
      ]);
    });
  });

  test('cleanup() ends a recovery and its run, and later calls get their own isolate', async () => {
    const calls = [];
    await withExecutor(RECOVERING, { effect: (name) => void calls.push(name) }, async (executor) => {
      await lose(executor);
      const run = expectCode(executor.run('effect("before")'), 'ERR_INVALID_STATE');
      const cleaned = executor.cleanup();
      const next = executor.run('typeof effect');
      expect((await run).details).toStrictEqual({
        state: expect.any(String),
        operation: expect.any(String),
        hint: 'cleanup() was called',
      });
      await cleaned;
      const outcome = await next;
      expect(outcome).toMatchObject({ output: 'undefined' });
      expect(outcome).not.toHaveProperty('recovered');

      await lose(executor);
      const last = expectCode(executor.run('1'), 'ERR_INVALID_STATE');
      await executor.cleanup();
      await last;
      expect(executor.state).toBe('DEAD');
    });
    expect(calls).toStrictEqual([]);
  });

  test('a recovery after cleanup() gives the isolate no tool from before cleanup()', async () => {
    await withExecutor(RECOVERING, { old: () => 'old', Host: { old: () => 'old' } }, async (executor) => {
      await executor.cleanup();
      await executor.sendTools({ fresh: () => 'fresh' });
      await lose(executor);
      const { output, recovered } = await executor.run('[typeof old, typeof Host, fresh()]');
      expect({ output, recovered }).toStrictEqual({ output: ['undefined', 'undefined', 'fresh'], recovered: true });
    });
  });

  test.each([
    ['without recover', { autoInit: true }],
    ['without autoInit', { recover: true }],
  ])('the executor stays DIRTY %s', async (_, options) => {
    const executor = make(options);
    await executor.init();
    await lose(executor);
    for (const call of [executor.run('1'), executor.sendVariables({}), executor.sendTools({ f: () => 1 })]) {
      await expectCode(call, 'ERR_INVALID_STATE');
    }
    expect(executor.state).toBe('DIRTY');
    await executor.cleanup();
  });
}
