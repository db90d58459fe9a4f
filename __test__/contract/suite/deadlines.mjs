// Section 7.5 of the specification, and beyond it: a deadline holds whatever guest code does.

import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import { describeIf, expectCode, gateTool, neverTool, runChild } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeDeadlines({ make, withExecutor, inChild, can, expectGivenUp }) {
  /** Milliseconds after which an answer is no longer prompt. An answer that waits for the guest would never come. */
  const PROMPT_MS = Math.max(10_000, 2_000 * can.pace);
  /** A deadline that a run reaches soon, and not before it has begun. */
  const SHORT_MS = 150 * can.pace;

  /**
   * Loops and recursions as long as they like: only the deadline ends them. On a busy machine an isolate may take a
   * while to end, which is nothing that other tests have to do with.
   */
  const UNLIMITED = {
    maxOperations: 1e15,
    maxToolCalls: 2 ** 32 - 1,
    memoryLimitMb: 1024,
    owner: 'deadlines',
    maxParkedMb: 65_536,
  };

  describe('P3 the deadline', () => {
    test.each([
      ['a tool that never answers', 'await never()'],
      ['a tool that never answers, after the first await', 'await null; await never()'],
      ['one of several tools', 'await Promise.all([1, never(), null])'],
      ['a promise that never settles', 'await new Promise(() => {})'],
      ['a thenable that never calls back', 'await { then() {} }'],
      ['a promise that is returned', 'return new Promise(() => {})'],
      ['final_answer of a promise', 'final_answer(new Promise(() => {}))'],
      ['a microtask flood', 'const f = () => { Promise.resolve().then(f); }; f(); await new Promise(() => {})'],
      ['a microtask flood after the last statement', 'const f = () => { Promise.resolve().then(f); }; f(); 1;'],
      ['an await in a loop', 'for (;;) await null;'],
      ['a loop', 'for (;;);'],
      ['a loop after the first await', 'await null; for (;;);'],
      ['a loop in a callback', 'await Promise.resolve().then(() => { for (;;); })'],
      ['a loop in a getter of the output', '({ get x() { for (;;); } })'],
      [
        'a loop in a getter of a logged value',
        'console.log(Object.defineProperty(Error(), "name", { get() { for (;;); } }))',
      ],
      ['a loop that catches everything', 'for (;;) { try { for (;;) { null.x; } } catch {} }'],
      ['a loop in a generator', 'for (const _ of (function* () { for (;;) yield; })());'],
      ['a synchronous recursion that catches its overflow', 'const f = () => { try { f(); } finally { f(); } }; f()'],
      [
        'an endless asynchronous recursion',
        'const f = async () => { await null; f(); }; f(); await new Promise(() => {})',
      ],
      ['a built-in that calls back', 'Array.from({ length: 1e9 }, () => { for (;;); })'],
      ['a regular expression that backtracks', '/^(a+)+$/.test("a".repeat(50) + "!")'],
      ['a sort with a comparison that never ends', '[2, 1].sort(() => { for (;;); })'],
      ['a proxy whose trap never ends', 'new Proxy({}, { get() { for (;;); } }).x'],
      ['a toString that never ends', '`${{ toString() { for (;;); } }}`'],
      ['synchronous tools called without end', 'for (;;) tick()'],
      ['asynchronous tools called without end', 'for (;;) await tock()'],
    ])('ends %s', async (_, code) => {
      const { tool } = neverTool();
      const tools = { never: tool, tick: () => 1, tock: async () => 1 };
      await withExecutor({ ...UNLIMITED, timeoutMs: SHORT_MS }, tools, async (executor) => {
        const start = performance.now();
        const error = await expectCode(executor.run(code), 'ERR_EXEC_TIMEOUT');
        const elapsed = performance.now() - start;
        expect(error.message).toBe(`Execution timed out after ${SHORT_MS}ms`);
        expect(error).toMatchObject({ severity: 'ERROR', retryable: true });
        expect(error.details).toMatchObject({ timeoutMs: SHORT_MS, reason: 'deadline' });
        expect(error.details.aborted).toBeUndefined();
        expect(error.stats.durationMs).toBeGreaterThanOrEqual(SHORT_MS);
        expect(elapsed).toBeLessThan(PROMPT_MS);
        expectGivenUp(executor, error);
        // Nothing of the old isolate is waited for.
        const recovery = performance.now();
        await executor.cleanup();
        expect(executor.state).toBe('DEAD');
        await executor.init();
        expect((await executor.run('1 + 1', { timeoutMs: 10_000 })).output).toBe(2);
        expect(performance.now() - recovery).toBeLessThan(PROMPT_MS);
      });
    });

    test('an endless chain of asynchronous calls that wait for one another is ended', async () => {
      await withExecutor({ ...UNLIMITED, memoryLimitMb: 4096, timeoutMs: 100 }, {}, async (executor) => {
        const code = 'const f = async () => { await null; return f(); }; await f()';
        expectGivenUp(executor, await expectCode(executor.run(code), 'ERR_EXEC_TIMEOUT'));
      });
    });

    test('a run that finishes earlier is not affected, nor is the executor afterwards', async () => {
      await withExecutor({ timeoutMs: SHORT_MS }, {}, async (executor) => {
        for (let i = 0; i < 3; i++) expect((await executor.run('await null; 1')).output).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 2 * SHORT_MS));
        expect(executor.state).toBe('READY');
        expect((await executor.run('1')).output).toBe(1);
      });
    });

    test('a timed-out run keeps its logs', async () => {
      await withExecutor({ timeoutMs: SHORT_MS }, {}, async (executor) => {
        const code = 'console.log("one"); await null; console.error("two"); await new Promise(() => {})';
        const error = await expectCode(executor.run(code), 'ERR_EXEC_TIMEOUT');
        expect(error.logs).toBe('one\ntwo');
        expect(error.logEntries.map(({ level }) => level)).toStrictEqual(['log', 'error']);
      });
    });

    test('a run may set a shorter deadline', async () => {
      await withExecutor({ timeoutMs: 60_000 }, {}, async (executor) => {
        const error = await expectCode(
          executor.run('await new Promise(() => {})', { timeoutMs: 60 }),
          'ERR_EXEC_TIMEOUT',
        );
        expect(error.message).toBe('Execution timed out after 60ms');
        expect(error.details.timeoutMs).toBe(60);
      });
    });

    test('a run may set a longer deadline, for that run only', async () => {
      const slow = async () => new Promise((resolve) => setTimeout(resolve, 2 * SHORT_MS));
      await withExecutor({ timeoutMs: SHORT_MS }, { slow }, async (executor) => {
        expect((await executor.run('await slow(); 1', { timeoutMs: 20_000 })).output).toBe(1);
        const error = await expectCode(executor.run('await slow(); 1'), 'ERR_EXEC_TIMEOUT');
        expect(error.message).toBe(`Execution timed out after ${SHORT_MS}ms`);
      });
    });

    test('the longest deadline is accepted', async () => {
      await withExecutor({ timeoutMs: 2 ** 31 - 1 }, { later: async () => 1 }, async (executor) => {
        expect((await executor.run('await later()')).output).toBe(1);
        expect((await executor.run('await later()', { timeoutMs: 2 ** 31 - 1 })).output).toBe(1);
      });
    });

    test('a tool that fails after the deadline causes no unhandled rejection', async () => {
      const { status, stdout, stderr } = await runChild(`
      ${inChild}
      const executor = make({ autoInit: true });
      let fail;
      const tool = () => new Promise((_, reject) => (fail = reject));
      await executor.sendTools({ sync: tool, asyncTool: async () => tool() });
      for (const name of ['sync', 'asyncTool']) {
        if (executor.state === 'DEAD') await executor.sendTools({ sync: tool, asyncTool: async () => tool() });
        await executor.run('await ' + name + '()', { timeoutMs: ${200 * can.pace} }).catch((error) => console.log(error.code));
        fail(new Error('late'));
        await new Promise((resolve) => setImmediate(resolve));
        await executor.cleanup();
      }
    `);
      expect({ status, stdout, stderr }).toStrictEqual({
        status: 0,
        stdout: 'ERR_EXEC_TIMEOUT\nERR_EXEC_TIMEOUT\n',
        stderr: '',
      });
    });

    test('timeouts can repeat, with a new isolate each time', async () => {
      await withExecutor({ ...UNLIMITED, timeoutMs: 5, autoInit: true }, {}, async (executor) => {
        for (let i = 0; i < 20; i++) {
          expectGivenUp(executor, await expectCode(executor.run('for (;;);'), 'ERR_EXEC_TIMEOUT'));
          await executor.cleanup();
        }
        expect((await executor.run('1', { timeoutMs: 10_000 })).output).toBe(1);
      });
    });

    test('a run whose tool blocks the host fails as soon as the tool returns', async () => {
      const block = () => {
        const end = performance.now() + 300;
        while (performance.now() < end);
        return 1;
      };
      await withExecutor({ timeoutMs: 100 }, { block }, async (executor) => {
        expectGivenUp(executor, await expectCode(executor.run('block()'), 'ERR_EXEC_TIMEOUT'));
      });
    });

    test('guest code that continues after the deadline calls no tools', async () => {
      let calls = 0;
      await withExecutor({ ...UNLIMITED, timeoutMs: SHORT_MS }, { tick: () => ++calls }, async (executor) => {
        await expectCode(executor.run('for (;;) { try { tick(); } catch {} }'), 'ERR_EXEC_TIMEOUT');
        const atDeadline = calls;
        expect(atDeadline).toBeGreaterThan(0);
        for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
        expect(calls).toBe(atDeadline);
      });
    });

    test('guest code that continues after the deadline logs nothing', async () => {
      const logged = [];
      const options = { ...UNLIMITED, timeoutMs: SHORT_MS, onLog: ({ message }) => logged.push(message) };
      await withExecutor(options, {}, async (executor) => {
        const error = await expectCode(executor.run('for (let i = 0; ; i++) console.log(i)'), 'ERR_EXEC_TIMEOUT');
        for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
        expect(logged).toStrictEqual(error.logEntries.map(({ message }) => message));
      });
    });

    test('a thread that does not stop delays neither the answer, nor the recovery, nor the end of the process', async () => {
      const { status, signal, stdout, stderr } = await runChild(`
      ${inChild}
      const executor = make({ memoryLimitMb: 4096, maxOperations: 1e15, autoInit: true });
      await executor.init();
      const timed = async (work) => {
        const start = performance.now();
        const result = await work();
        return [result, performance.now() - start];
      };
      const [error, answered] = await timed(() =>
        executor.run('for (;;) Array(1e8).fill(1)', { timeoutMs: ${200 * can.pace} }).catch((error) => error));
      const state = executor.state;
      const [output, recovered] = await timed(async () => {
        await executor.cleanup();
        await executor.init();
        return (await executor.run('1 + 1', { timeoutMs: 10_000 })).output;
      });
      console.log(JSON.stringify({ code: error.code, message: error.message, answered, state, output, recovered }));
    `);
      expect({ status, signal, stderr }).toStrictEqual({ status: 0, signal: null, stderr: '' });
      const report = JSON.parse(stdout);
      expect(report).toMatchObject({ code: 'ERR_EXEC_TIMEOUT', state: can.outlives ? 'READY' : 'DIRTY', output: 2 });
      expect(report.message).toBe(`Execution timed out after ${200 * can.pace}ms`);
      expect(report.answered).toBeLessThan(PROMPT_MS);
      expect(report.recovered).toBeLessThan(PROMPT_MS);
    });
  });

  describeIf(can.limitCpuTime)('maxCpuMs', () => {
    test('maxCpuMs ends a run that computes too long, long before its deadline', async () => {
      await withExecutor({ ...UNLIMITED, timeoutMs: 60_000, maxCpuMs: 100 }, {}, async (executor) => {
        const start = performance.now();
        const error = await expectCode(executor.run('console.log("before"); for (;;);'), 'ERR_EXEC_TIMEOUT');
        // A guest that computes gets what others leave of the processors.
        expect(performance.now() - start).toBeLessThan(30_000);
        expect(error.details).toMatchObject({ timeoutMs: 60_000, maxCpuMs: 100, reason: 'cpu' });
        expect(error.logs).toBe('before');
        expectGivenUp(executor, error);
      });
    });

    // Its clock stands still while code runs.
    test.skipIf(can.outlives)(
      'maxCpuMs does not count the time that a run waits, nor that of earlier runs',
      async () => {
        const slow = async () => new Promise((resolve) => setTimeout(resolve, 400));
        await withExecutor({ ...UNLIMITED, maxCpuMs: 200 }, { slow }, async (executor) => {
          expect((await executor.run('await slow(); 1')).output).toBe(1);
          const busy = 'const end = Date.now() + 80; while (Date.now() < end); 1';
          for (let i = 0; i < 4; i++) expect((await executor.run(busy)).output).toBe(1);
        });
      },
    );
  });

  describe("P5 the host's event loop", () => {
    test.each([
      ['a loop', 'for (;;);'],
      ['a microtask flood', 'const f = () => { Promise.resolve().then(f); }; f(); await new Promise(() => {})'],
      ['a regular expression', '/^(a+)+$/.test("a".repeat(50) + "!")'],
      ['a program that takes long to parse', `[${'[1, { a: 1 }], '.repeat(60_000)}]; for (;;);`],
      ['a flood of logs', 'for (;;) console.log("text")'],
    ])('continues during %s', async (_, code) => {
      await withExecutor({ ...UNLIMITED, timeoutMs: 500 * can.pace }, {}, async (executor) => {
        let turns = 0;
        const run = expectCode(executor.run(code), 'ERR_EXEC_TIMEOUT');
        let isOver = false;
        run.finally(() => (isOver = true)).catch(() => {});
        while (!isOver) {
          await new Promise((resolve) => setImmediate(resolve));
          turns++;
        }
        await run;
        expect(turns).toBeGreaterThan(50);
      });
    });
  });

  describe('an aborted signal', () => {
    test('prevents a run that has not begun: the code does not run and the executor stays READY', async () => {
      let effects = 0;
      await withExecutor({ timeoutMs: 10_000 }, { effect: () => ++effects }, async (executor) => {
        const signal = AbortSignal.abort(new Error('too late'));
        const error = await expectCode(executor.run('effect()', { signal }), 'ERR_EXEC_TIMEOUT');
        expect(error.message).toBe('Execution timed out after 10000ms');
        expect(error).toMatchObject({ severity: 'ERROR', retryable: true });
        expect(error.details).toStrictEqual({ timeoutMs: 10_000, aborted: true, reason: 'too late' });
        expect(executor.state).toBe('READY');
        expect((await executor.run('1')).output).toBe(1);
        expect(effects).toBe(0);
      });
    });

    test.each([
      ['an await', 'started(); await new Promise(() => {})'],
      ['a loop', 'started(); for (;;);'],
      ['a tool', 'await never()'],
      [
        'a microtask flood',
        'started(); const f = () => { Promise.resolve().then(f); }; f(); await new Promise(() => {})',
      ],
    ])('ends a run immediately, like a timeout, during %s', async (_, code) => {
      const { tool, called } = neverTool();
      let hasStarted;
      const started = new Promise((resolve) => (hasStarted = resolve));
      const tools = { never: tool, started: () => hasStarted() };
      await withExecutor({ ...UNLIMITED, timeoutMs: 60_000 }, tools, async (executor) => {
        const controller = new AbortController();
        const run = expectCode(
          executor.run(`console.log("before"); ${code}`, { signal: controller.signal }),
          'ERR_EXEC_TIMEOUT',
        );
        await Promise.race([called, started]);
        const start = performance.now();
        controller.abort(new Error('the user left'));
        const error = await run;
        expect(performance.now() - start).toBeLessThan(PROMPT_MS);
        expect(error.message).toBe('Execution timed out after 60000ms');
        expect(error.details).toMatchObject({ timeoutMs: 60_000, aborted: true, reason: 'the user left' });
        expect(error.logs).toBe('before');
        expectGivenUp(executor, error);
        await executor.cleanup();
        await executor.init();
        expect((await executor.run('1')).output).toBe(1);
      });
    });

    test('leaves no hint about the deadline on a run that waits for a tool', async () => {
      const { tool, called } = neverTool();
      await withExecutor({}, { never: tool }, async (executor) => {
        const controller = new AbortController();
        const run = expectCode(executor.run('await never()', { signal: controller.signal }), 'ERR_EXEC_TIMEOUT');
        await called;
        controller.abort('enough');
        const { details, explanation } = await run;
        expect(details).not.toHaveProperty('hint');
        expect(explanation.split('\n')[1]).toMatch(/^Hint: The caller has ended this run; the code is not to blame\./);
      });
    });

    test('keeps the log of the run up to the last entry that the guest wrote', async () => {
      for (let round = 0; round < 500 / can.pace ** 3; round++) {
        const { tool, called } = neverTool();
        await withExecutor(UNLIMITED, { never: tool }, async (executor) => {
          const controller = new AbortController();
          const run = expectCode(
            executor.run('console.log("before"); await never()', { signal: controller.signal }),
            'ERR_EXEC_TIMEOUT',
          );
          await called;
          // Time enough for the guest's thread to wait for the answer: it looks around as soon as it is woken.
          await new Promise(setImmediate);
          controller.abort();
          const error = await run;
          expect([round, error.logs]).toStrictEqual([round, 'before']);
        });
      }
    });

    test('ends a run in the turn in which it began', async () => {
      await withExecutor({}, {}, async (executor) => {
        const controller = new AbortController();
        const run = executor.run('await new Promise(() => {})', { signal: controller.signal });
        controller.abort();
        const error = await expectCode(run, 'ERR_EXEC_TIMEOUT');
        expect(error.details.aborted).toBe(true);
      });
    });

    test('ends a run while the executor initialises', async () => {
      const executor = make({ autoInit: true });
      const controller = new AbortController();
      const run = executor.run('1', { signal: controller.signal });
      controller.abort(new Error('gone'));
      const error = await expectCode(run, 'ERR_EXEC_TIMEOUT');
      expect(error.details).toMatchObject({ aborted: true, reason: 'gone' });
      // What others may wait for goes on.
      await executor.init();
      expect(executor.state).toBe('READY');
      await executor.cleanup();
    });

    test('ends only the run itself in the queue, and the executor continues', async () => {
      const gate = gateTool();
      await withExecutor({ runConcurrency: 'queue', maxQueuedRuns: 1 }, { gate: gate.tool }, async (executor) => {
        const controller = new AbortController();
        const first = executor.run('await gate()');
        const second = executor.run('2', { signal: controller.signal, timeoutMs: 77 });
        await gate.called;
        controller.abort('no longer wanted');
        const error = await expectCode(second, 'ERR_EXEC_TIMEOUT');
        expect(error.message).toBe('Execution timed out after 77ms');
        expect(error.details).toMatchObject({ timeoutMs: 77, aborted: true, reason: 'no longer wanted' });
        expect(executor.state).toBe('RUNNING');
        gate.open(1);
        expect((await first).output).toBe(1);
        expect(executor.state).toBe('READY');
      });
    });

    test.each([
      ['an error', new RangeError('out of patience'), 'out of patience'],
      ['a string', 'enough', 'enough'],
      ['a number', 42, '42'],
      ['null', null, 'null'],
      ['nothing', undefined, AbortSignal.abort().reason.message],
    ])('is reported in details.reason: %s', async (_, reason, text) => {
      await withExecutor({}, {}, async (executor) => {
        const controller = new AbortController();
        const run = executor.run('await new Promise(() => {})', { signal: controller.signal });
        controller.abort(reason);
        expect((await expectCode(run, 'ERR_EXEC_TIMEOUT')).details.reason).toBe(text);
      });
    });

    test('may be AbortSignal.timeout()', async () => {
      await withExecutor({}, {}, async (executor) => {
        const signal = AbortSignal.timeout(50);
        const error = await expectCode(executor.run('await new Promise(() => {})', { signal }), 'ERR_EXEC_TIMEOUT');
        // Each runtime has its own words.
        expect(error.details).toMatchObject({ aborted: true, reason: signal.reason.message });
      });
    });

    test('has no effect and no listeners after the run', async () => {
      await withExecutor({}, {}, async (executor) => {
        const controller = new AbortController();
        const { signal } = controller;
        expect((await executor.run('1', { signal })).output).toBe(1);
        await expectCode(executor.run('null.x', { signal }), 'ERR_RUNTIME_EXCEPTION');
        await expectCode(executor.run('let = ;', { signal }), 'ERR_VALIDATION_FAILED');
        expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
        controller.abort();
        expect(executor.state).toBe('READY');
        expect((await executor.run('1')).output).toBe(1);
      });
    });

    test('may be shared by several executors', async () => {
      const executors = Array.from({ length: 3 }, () => make({ autoInit: true }));
      const gates = executors.map(() => gateTool());
      await Promise.all(executors.map((executor, i) => executor.sendTools({ gate: gates[i].tool })));
      const controller = new AbortController();
      const runs = executors.map((executor) =>
        expectCode(executor.run('await gate()', { signal: controller.signal }), 'ERR_EXEC_TIMEOUT'),
      );
      await Promise.all(gates.map(({ called }) => called));
      controller.abort();
      for (const [i, error] of (await Promise.all(runs)).entries()) expectGivenUp(executors[i], error);
      await Promise.all(executors.map((executor) => executor.cleanup()));
    });
  });
}
