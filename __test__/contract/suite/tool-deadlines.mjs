// The time of tool calls: `toolTimeoutMs`, limits of single tools, and what of it counts against the run's deadline.

import { describe, expect, test } from 'vitest';

import { blocking, withTimeout } from '../../../index.mjs';
import { deferred, expectCode, neverTool, testIf } from '../../helpers.mjs';

const FOREVER_MS = 3_600_000;

/** @param {import('./index.mjs').Subject} subject */
export function describeToolDeadlines({ withExecutor, can, expectGivenUp }) {
  /** Deadline of runs here, and a time of tools beyond it. */
  const TIMEOUT_MS = 300 * can.pace;
  const LONG_MS = 700 * can.pace;

  const later = (value) => new Promise((resolve) => setTimeout(() => resolve(value), LONG_MS));
  const never = () => new Promise(() => {});

  describe('a late tool call', () => {
    test.each([
      ['an async tool', { tool: async () => never() }],
      ['a tool that returns a promise', { tool: () => never() }],
      ['a blocking tool', { tool: blocking(() => never()) }],
    ])('is an error in the guest, and the run continues: %s', async (_, tools) => {
      await withExecutor({ toolTimeoutMs: 20 }, tools, async (executor) => {
        await executor.run('const kept = 42');
        const { output } = await executor.run(`
          try { await tool(); } catch (error) { return [error instanceof Error, error.name, error.code, error.message, kept]; }`);
        expect(output).toStrictEqual([
          true,
          'TimeoutError',
          'ERR_TOOL_TIMEOUT',
          'tool did not answer within 20 ms',
          42,
        ]);
        expect(executor.state).toBe('READY');
      });
    });

    test('is a tool failure if the guest does not handle it', async () => {
      await withExecutor({ toolTimeoutMs: 20 }, { Host: { ask: async () => never() } }, async (executor) => {
        const error = await expectCode(executor.run('await Host.ask()'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.message).toBe('Tool execution failed: TimeoutError: Host.ask did not answer within 20 ms');
        expect(error.details).toMatchObject({ tool: 'Host.ask', name: 'TimeoutError', code: 'ERR_TOOL_TIMEOUT' });
        expect(error.details).not.toHaveProperty('bridge');
        expect(error.cause).toMatchObject({ name: 'TimeoutError', code: 'ERR_TOOL_TIMEOUT' });
        expect((await executor.run('1 + 1')).output).toBe(2);
      });
    });

    test('is not affected by later values or errors of the tool', async () => {
      const gate = deferred();
      const second = deferred();
      const tools = { first: async () => gate.promise, second: async () => second.promise };
      const told = deferred();
      await withExecutor({ onLog: told.resolve }, tools, async (executor) => {
        const run = executor.run(
          `const late = await first().catch((error) => error.code); console.log(late); [late, await second()]`,
          { toolTimeoutMs: 50 },
        );
        await told.promise;
        gate.reject(new Error('too late'));
        second.resolve('in time');
        expect((await run).output).toStrictEqual(['ERR_TOOL_TIMEOUT', 'in time']);
      });
    });

    test('is subject to the limit of its run', async () => {
      await withExecutor({ toolTimeoutMs: FOREVER_MS }, { tool: async () => never() }, async (executor) => {
        const error = await expectCode(executor.run('await tool()', { toolTimeoutMs: 30 }), 'ERR_TOOL_PROXY_FAIL');
        expect(error.details.message).toBe('tool did not answer within 30 ms');
      });
    });

    test("in a queued run is subject to that run's limit, not to that of the run before", async () => {
      const options = { runConcurrency: 'queue', maxQueuedRuns: 1 };
      await withExecutor(options, { tool: async () => never() }, async (executor) => {
        const code = 'await tool().catch((error) => error.message)';
        const [first, second] = await Promise.all([
          executor.run(code, { toolTimeoutMs: 20 }),
          executor.run(code, { toolTimeoutMs: 30 }),
        ]);
        expect([first.output, second.output]).toStrictEqual([
          'tool did not answer within 20 ms',
          'tool did not answer within 30 ms',
        ]);
      });
    });
  });

  describe('waiting for tools with a limit does not count towards the deadline', () => {
    const tools = {
      asyncTool: async (value) => later(value),
      promise: (value) => later(value),
      wait: blocking((value) => later(value)),
    };

    test.each([
      ['an async tool', 'await asyncTool(1)', 1],
      ['a tool that returns a promise', 'await promise(1)', 1],
      ['a blocking tool', 'wait(1)', 1],
      ['several together', 'await Promise.all([asyncTool(1), asyncTool(2), promise(3)])', [1, 2, 3]],
      ['several in turn', '[await asyncTool(1), wait(2)]', [1, 2]],
      ['a final answer that is a promise', 'final_answer(asyncTool(1))', 1],
    ])('%s', async (_, code, expected) => {
      await withExecutor({ timeoutMs: TIMEOUT_MS, toolTimeoutMs: FOREVER_MS }, tools, async (executor) => {
        expect((await executor.run(code)).output).toStrictEqual(expected);
        expect((await executor.run('1 + 1')).output).toBe(2);
      });
    });

    testIf(can.importModules)('a module function counts as a tool', async () => {
      const options = {
        timeoutMs: TIMEOUT_MS,
        authorizedImports: ['m'],
        modules: { m: { slow: withTimeout(later, FOREVER_MS) } },
      };
      await withExecutor(options, {}, async (executor) => {
        expect((await executor.run('const { slow } = await import("m"); await slow(5)')).output).toBe(5);
      });
    });

    test.each([
      ['a loop after the answer', 'await asyncTool(1); for (;;);'],
      ['a loop after a blocking tool', 'wait(1); for (;;);'],
      ['a promise that never settles', 'await asyncTool(1); await new Promise(() => {})'],
      ['a promise that never settles during a call', 'const call = asyncTool(1); await new Promise(() => {})'],
      ['a loop during a call', 'const call = never(); for (;;);'],
    ])('except what the guest does: %s', async (_, code) => {
      const options = { timeoutMs: TIMEOUT_MS, toolTimeoutMs: FOREVER_MS, maxOperations: 1e15 };
      await withExecutor(options, { ...tools, never: async () => never() }, async (executor) => {
        const error = await expectCode(executor.run(code), 'ERR_EXEC_TIMEOUT');
        const { timeoutMs, reason } = error.details;
        expect({ timeoutMs, reason }).toStrictEqual({ timeoutMs: TIMEOUT_MS, reason: 'deadline' });
        expectGivenUp(executor, error);
      });
    });

    test('the wait ends with an abort or a cleanup', async () => {
      const first = neverTool();
      const options = { timeoutMs: TIMEOUT_MS, toolTimeoutMs: FOREVER_MS };
      await withExecutor(options, { never: first.tool }, async (executor) => {
        const controller = new AbortController();
        const run = executor.run('await never()', { signal: controller.signal });
        await first.called;
        controller.abort(new Error('enough'));
        expect((await expectCode(run, 'ERR_EXEC_TIMEOUT')).details).toMatchObject({ aborted: true, reason: 'enough' });
      });
      const second = neverTool();
      await withExecutor(options, { never: second.tool }, async (executor) => {
        const run = executor.run('await never()');
        run.catch(() => {});
        await second.called;
        await executor.cleanup();
        await expectCode(run, 'ERR_INVALID_STATE');
      });
    });
  });

  describe('withTimeout', () => {
    test('limits one tool, whatever the limit of the run', async () => {
      const tools = {
        slow: withTimeout(async () => later('slow'), FOREVER_MS),
        never: withTimeout(async () => never(), 40),
      };
      await withExecutor({ timeoutMs: TIMEOUT_MS, toolTimeoutMs: 20 }, tools, async (executor) => {
        const { output } = await executor.run('[await slow(), await never().catch((error) => error.message)]');
        expect(output).toStrictEqual(['slow', 'never did not answer within 40 ms']);
      });
    });

    test('excludes only the time spent waiting for such tools if the run has no limit', async () => {
      const tools = { ask: withTimeout(async () => later('yes'), FOREVER_MS), other: async () => later('no') };
      await withExecutor({ timeoutMs: TIMEOUT_MS }, tools, async (executor) => {
        expect((await executor.run('await ask()')).output).toBe('yes');
        await expectCode(executor.run('await Promise.all([ask(), other()])'), 'ERR_EXEC_TIMEOUT');
      });
    });

    test('can be combined with blocking() and keeps `this`, name, length and asynchronous functions', async () => {
      const both = [
        withTimeout(
          blocking(async () => never()),
          20,
        ),
        blocking(withTimeout(async () => never(), 20)),
      ];
      const tools = {
        Host: {
          first: both[0],
          second: both[1],
          own: withTimeout(async function own(a, b) {
            return [Object.keys(this), a + b];
          }, 50),
        },
      };
      await withExecutor({}, tools, async (executor) => {
        const { output } = await executor.run(`
          const code = (call) => { try { call(); } catch (error) { return error.code; } };
          const made = Host.own(1, 2);
          [code(Host.first), code(Host.second), made instanceof Promise, await made, Host.own.name, Host.own.length]`);
        const codes = ['ERR_TOOL_TIMEOUT', 'ERR_TOOL_TIMEOUT'];
        expect(output).toStrictEqual([...codes, true, [['first', 'second', 'own'], 3], 'own', 2]);
      });
    });

    test.each([
      [[5, 10], new TypeError('fn must be a function, got 5')],
      [[() => 1, '10'], new TypeError('timeoutMs must be an integer, got "10"')],
      [[() => 1, 0], new RangeError('timeoutMs must be an integer from 1 to 2147483647, got 0')],
      [[() => 1, 2 ** 31], new RangeError('timeoutMs must be an integer from 1 to 2147483647, got 2147483648')],
    ])('refuses %o', (args, expected) => {
      expect(() => withTimeout(...args)).toThrow(expected);
    });
  });
}
