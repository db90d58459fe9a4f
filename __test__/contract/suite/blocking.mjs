// Tools that guests wait for without `await`.

import { expect, test } from 'vitest';

import { blocking } from '../../../index.mjs';
import { deferred, expectCode, neverTool } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeBlocking({ withExecutor, expectGivenUp }) {
  test('the guest of a blocking tool gets the value or the error of the promise', async () => {
    const tools = {
      later: blocking(async (value) => value * 2),
      Host: {
        self: blocking(async function () {
          return Object.keys(this);
        }),
      },
      fails: blocking(async () => {
        throw Object.assign(new RangeError('no'), { code: 'E_NO' });
      }),
      direct: blocking((value) => value),
    };
    await withExecutor({}, tools, async (executor) => {
      const { output } = await executor.run(`
      const caught = (() => { try { fails(); } catch (error) { return [error.name, error.message, error.code]; } })();
      [later(21), Host.self(), caught, direct(3), [1, 2].map((n) => later(n))]`);
      expect(output).toStrictEqual([42, ['self'], ['RangeError', 'no', 'E_NO'], 3, [2, 4]]);
      const error = await expectCode(executor.run('fails()'), 'ERR_TOOL_PROXY_FAIL');
      expect(error.cause.code).toBe('E_NO');
    });
  });

  test('answers to promises that arrive during a blocking call are kept', async () => {
    const first = deferred();
    const tools = { soon: async () => first.promise, wait: blocking(async () => first.resolve('first')) };
    await withExecutor({}, tools, async (executor) => {
      const { output } = await executor.run(`const p = soon(); wait(); await p`);
      expect(output).toBe('first');
    });
  });

  test('the host continues during a blocking call, and a deadline, an abort and a cleanup end it', async () => {
    const { tool, called } = neverTool();
    await withExecutor({ timeoutMs: 150 }, { never: blocking(tool) }, async (executor) => {
      const run = expectCode(executor.run('never()'), 'ERR_EXEC_TIMEOUT');
      await Promise.race([called, run]);
      expectGivenUp(executor, await run);
    });
    const second = neverTool();
    await withExecutor({}, { never: blocking(second.tool) }, async (executor) => {
      const controller = new AbortController();
      const run = executor.run('never()', { signal: controller.signal });
      await second.called;
      controller.abort(new Error('enough'));
      const error = await expectCode(run, 'ERR_EXEC_TIMEOUT');
      expect(error.details).toMatchObject({ aborted: true, reason: 'enough' });
    });
    const third = neverTool();
    await withExecutor({}, { never: blocking(third.tool) }, async (executor) => {
      const run = executor.run('never()');
      run.catch(() => {});
      await third.called;
      await executor.cleanup();
      await expectCode(run, 'ERR_INVALID_STATE');
    });
  });

  test('blocking() refuses values that are not functions', () => {
    expect(() => blocking(5)).toThrow(new TypeError('fn must be a function, got 5'));
    expect(blocking((a, b) => [a, b])).toHaveLength(2);
  });
}
