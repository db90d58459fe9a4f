// The executor, called by its own tools.

import { expect, test } from 'vitest';

import { expectCode, rejection } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeReentrance({ withExecutor, can }) {
  test('run() from a synchronous and from an asynchronous tool is ERR_INVALID_STATE', async () => {
    let executor;
    const inner = () => rejection(executor.run('1')).then((error) => error.code);
    await withExecutor({}, { sync: () => inner(), later: async () => inner() }, async (it) => {
      executor = it;
      expect((await executor.run('[await sync(), await later()]')).output).toStrictEqual([
        'ERR_INVALID_STATE',
        'ERR_INVALID_STATE',
      ]);
      expect(executor.state).toBe('READY');
    });
  });

  test('sendTools() and sendVariables() from a tool are ERR_INVALID_STATE', async () => {
    let executor;
    const tools = {
      tools: async () => (await rejection(executor.sendTools({ x: () => 1 }))).code,
      variables: async () => (await rejection(executor.sendVariables({ x: 1 }))).code,
      state: () => executor.state,
    };
    await withExecutor({}, tools, async (it) => {
      executor = it;
      expect((await executor.run('[await tools(), await variables(), state(), typeof x]')).output).toStrictEqual([
        'ERR_INVALID_STATE',
        'ERR_INVALID_STATE',
        'RUNNING',
        'undefined',
      ]);
      expect((await executor.run('state()')).output).toBe('RUNNING');
    });
  });

  test.skipIf(can.outlives).each([
    ['a synchronous tool', (stop) => () => void stop()],
    ['a synchronous tool that returns the promise', (stop) => () => stop()],
    ['an asynchronous tool', (stop) => async () => void stop()],
    ['an asynchronous tool that waits for it', (stop) => async () => stop()],
  ])('cleanup() from inside %s settles the run and releases the executor', async (_name, make) => {
    let executor;
    let cleaned;
    const marks = [];
    const stop = () => (cleaned = executor.cleanup());
    await withExecutor({}, { stop: make(stop), mark: (x) => void marks.push(x) }, async (it) => {
      executor = it;
      await expectCode(executor.run('await stop(); mark("after"); for (;;);'), 'ERR_INVALID_STATE');
      await cleaned;
      expect(executor.state).toBe('DEAD');
      await executor.init();
      expect((await executor.run('1 + 1')).output).toBe(2);
    });
    expect(marks).toStrictEqual([]);
  });

  test('another executor may be used from a tool', async () => {
    await withExecutor({}, { double: (n) => n * 2 }, async (other) => {
      await withExecutor({}, { delegate: async (code) => (await other.run(code)).output }, async (executor) => {
        expect((await executor.run('await delegate("double(21)")')).output).toBe(42);
      });
    });
  });
}
