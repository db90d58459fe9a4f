// Section 2.3 of the specification: what a run() does while another one is under way.

import { describe, expect, test } from 'vitest';

import { deferred, expectCode, gateTool, neverTool } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeQueue({ make, withExecutor, can }) {
  const queue = (maxQueuedRuns) => ({ runConcurrency: 'queue', maxQueuedRuns });

  describe('runConcurrency: "reject"', () => {
    test.each([
      ['by default', {}],
      ['given', { runConcurrency: 'reject' }],
      ['whatever maxQueuedRuns is', { runConcurrency: 'reject', maxQueuedRuns: 5 }],
    ])('a second run fails immediately and does not disturb the first: %s', async (_, options) => {
      const gate = gateTool();
      let effects = 0;
      await withExecutor(options, { gate: gate.tool, effect: () => ++effects }, async (executor) => {
        const first = executor.run('console.log("first"); await gate()');
        const error = await expectCode(executor.run('effect()'), 'ERR_INVALID_STATE');
        expect(error.message).toBe(
          'Invalid executor state: RUNNING: run() is refused: a run is under way; wait for it, or use runConcurrency: "queue" and maxQueuedRuns',
        );
        expect(error).toMatchObject({ severity: 'ERROR', retryable: false });
        expect(error.details).toMatchObject({ state: 'RUNNING', operation: 'run' });
        expect(executor.state).toBe('RUNNING');
        await gate.called;
        gate.open('answer');
        expect(await first).toMatchObject({ output: 'answer', logs: 'first' });
        expect(effects).toBe(0);
      });
    });

    test('the next run may start as soon as the first has settled', async () => {
      await withExecutor({}, {}, async (executor) => {
        const outputs = [];
        await executor.run('1').then(async ({ output }) => {
          outputs.push(output, (await executor.run('2')).output);
        });
        expect(outputs).toStrictEqual([1, 2]);
      });
    });

    test('a tool cannot run code in the executor that calls it', async () => {
      const executor = make();
      await executor.init();
      const inner = deferred();
      await executor.sendTools({ tool: () => inner.resolve(expectCode(executor.run('1'), 'ERR_INVALID_STATE')) });
      await executor.run('tool()');
      await inner.promise;
      await executor.cleanup();
    });
  });

  describe('runConcurrency: "queue"', () => {
    test('runs execute first in, first out, one at a time, however they end', async () => {
      const gate = gateTool();
      const active = [];
      let most = 0;
      const enter = (name) => {
        active.push(name);
        most = Math.max(most, active.length);
      };
      const tools = { gate: gate.tool, enter, leave: (name) => active.splice(active.indexOf(name), 1) };
      await withExecutor(queue(6), tools, async (executor) => {
        const settled = [];
        const submit = (name, code) =>
          executor.run(code).then(
            ({ output }) => settled.push(`${name}: ${output}`),
            (error) => settled.push(`${name}: ${error.code}`),
          );
        const all = [
          submit('a', 'enter("a"); await gate(); leave("a"); "A"'),
          submit('b', 'this does not parse'),
          submit('c', 'enter("c"); await null; leave("c"); final_answer("C")'),
          submit('d', 'throw new Error("d")'),
          submit('e', can.limitOperations ? 'for (;;);' : 'null.x'),
          submit('f', ''),
          submit('g', 'enter("g"); leave("g"); "G"'),
        ];
        await gate.called;
        expect(settled).toStrictEqual([]);
        gate.open();
        await Promise.all(all);
        expect(settled).toStrictEqual([
          'a: A',
          'b: ERR_VALIDATION_FAILED',
          'c: C',
          'd: ERR_RUNTIME_EXCEPTION',
          `e: ${can.limitOperations ? 'ERR_MAX_OPS_EXCEEDED' : 'ERR_RUNTIME_EXCEPTION'}`,
          'f: ERR_VALIDATION_FAILED',
          'g: G',
        ]);
        expect(most).toBe(1);
        expect(executor.state).toBe('READY');
      });
    });

    test('a later run sees the variables of an earlier one, but not its logs', async () => {
      await withExecutor(queue(2), {}, async (executor) => {
        const runs = await Promise.all([
          executor.run('let n = 1; console.log("one"); n'),
          executor.run('n += 1; console.log("two"); n'),
          executor.run('n += 1; n'),
        ]);
        expect(runs.map(({ output, logs }) => [output, logs])).toStrictEqual([
          [1, 'one'],
          [2, 'two'],
          [3, ''],
        ]);
      });
    });

    test('the state stays RUNNING between a run and the next in the queue', async () => {
      await withExecutor(queue(1), {}, async (executor) => {
        const states = [];
        const first = executor.run('1').then(() => states.push(executor.state));
        const second = executor.run('2').then(() => states.push(executor.state));
        await Promise.all([first, second]);
        expect(states).toStrictEqual(['RUNNING', 'READY']);
      });
    });

    test.each([0, 1, 3])('maxQueuedRuns: %i runs may wait', async (maxQueuedRuns) => {
      const gate = gateTool();
      await withExecutor(queue(maxQueuedRuns), { gate: gate.tool }, async (executor) => {
        const running = executor.run('await gate()');
        await gate.called;
        const waiting = Array.from({ length: maxQueuedRuns }, (_, i) => executor.run(`${i}`));
        const error = await expectCode(executor.run('"too many"'), 'ERR_INVALID_STATE');
        expect(error.message).toBe(
          'Invalid executor state: RUNNING: run() is refused: the queue is full; raise maxQueuedRuns or wait',
        );
        expect(error.details.maxQueuedRuns).toBe(maxQueuedRuns);
        expect(executor.state).toBe('RUNNING');
        gate.open();
        await running;
        expect((await Promise.all(waiting)).map(({ output }) => output)).toStrictEqual(waiting.map((_, i) => i));
        // There is room again.
        const again = Array.from({ length: maxQueuedRuns + 1 }, (_, i) => executor.run(`${i}`));
        await expectCode(executor.run('"too many"'), 'ERR_INVALID_STATE');
        expect((await Promise.all(again)).map(({ output }) => output)).toStrictEqual(again.map((_, i) => i));
      });
    });

    test('maxQueuedRuns is 0 by default', async () => {
      await withExecutor({ runConcurrency: 'queue' }, {}, async (executor) => {
        const first = executor.run('1');
        await expectCode(executor.run('2'), 'ERR_INVALID_STATE');
        expect((await first).output).toBe(1);
      });
    });

    test('a run leaves its place in the queue when it starts', async () => {
      const gates = { a: gateTool(), b: gateTool() };
      await withExecutor(queue(1), { a: gates.a.tool, b: gates.b.tool }, async (executor) => {
        const first = executor.run('await a()');
        const second = executor.run('await b()');
        await expectCode(executor.run('3'), 'ERR_INVALID_STATE');
        await gates.a.called;
        gates.a.open(1);
        expect((await first).output).toBe(1);
        await gates.b.called;
        const third = executor.run('3');
        gates.b.open(2);
        expect((await second).output).toBe(2);
        expect((await third).output).toBe(3);
      });
    });

    test('time in the queue does not count against the deadline', async () => {
      const slow = async () => new Promise((resolve) => setTimeout(resolve, 1_600));
      await withExecutor(queue(1), { slow }, async (executor) => {
        const first = executor.run('await slow(); 1');
        const second = executor.run('2', { timeoutMs: 1_500 });
        expect((await first).output).toBe(1);
        const { output, stats } = await second;
        expect(output).toBe(2);
        expect(stats.durationMs).toBeLessThan(1_500);
      });
    });

    if (can.limitOperations) {
      test('each run has its own limits', async () => {
        await withExecutor({ ...queue(3), maxOperations: 10 }, {}, async (executor) => {
          const loop = 'for (let i = 0; i < 20; i++);';
          const [first, second, third] = await Promise.allSettled([
            executor.run(loop),
            executor.run(loop, { maxOperations: 20 }),
            executor.run(loop, { maxOperations: 19 }),
          ]);
          expect(first.reason.message).toBe('Max operations exceeded (10)');
          expect(second.status).toBe('fulfilled');
          expect(third.reason.message).toBe('Max operations exceeded (19)');
        });
      });
    }

    test.skipIf(can.outlives).each([
      ['a deadline', 'await new Promise(() => {})', { timeoutMs: 50 * can.pace }],
      ...(can.keepState
        ? []
        : [
            ['a tool that never answers', 'await never()', { timeoutMs: 50 }],
            ['a loop past its deadline', 'await never.name; for (;;);', { timeoutMs: 50, maxOperations: 1e15 }],
          ]),
    ])('DIRTY refuses the queued runs after %s', async (_, code, limits) => {
      const { tool } = neverTool();
      let effects = 0;
      await withExecutor(queue(2), { never: tool, effect: () => ++effects }, async (executor) => {
        const settled = [];
        const first = expectCode(executor.run(code, limits), 'ERR_EXEC_TIMEOUT').then(() => settled.push('first'));
        const waiting = ['second', 'third'].map(async (name) => {
          const error = await expectCode(executor.run('effect()'), 'ERR_INVALID_STATE');
          settled.push(name);
          return error;
        });
        await first;
        for (const error of await Promise.all(waiting)) {
          expect(error.message).toBe(
            'Invalid executor state: DIRTY: run() is refused: an earlier call left the executor DIRTY; call cleanup() and init()',
          );
          expect(error.retryable).toBe(false);
          expect(error.details).toMatchObject({ state: 'DIRTY', operation: 'run' });
        }
        expect(settled).toStrictEqual(['first', 'second', 'third']);
        expect(executor.state).toBe('DIRTY');
        await expectCode(executor.run('1'), 'ERR_INVALID_STATE');
        await executor.cleanup();
        await executor.init();
        expect((await executor.run('1')).output).toBe(1);
        expect(effects).toBe(0);
      });
    });

    if (can.keepState && !can.outlives) {
      test('a run that ends in time and keeps its state leaves the queue intact', async () => {
        const { tool } = neverTool();
        let effects = 0;
        await withExecutor(queue(1), { never: tool, effect: () => ++effects }, async (executor) => {
          let error;
          // On a machine that has too much to do it may not end in time.
          for (let tries = 0; tries < 20 && error?.details.stateLost !== false; tries++) {
            if (executor.state === 'DIRTY') {
              await executor.cleanup();
              await executor.init();
              await executor.sendTools({ never: tool, effect: () => ++effects });
            }
            const first = expectCode(executor.run('await never()', { timeoutMs: 200 }), 'ERR_EXEC_TIMEOUT');
            const second = executor.run('effect()').catch(() => {});
            error = await first;
            await second;
          }
          expect(error.details.stateLost).toBe(false);
          expect(effects).toBe(1);
          expect(executor.state).toBe('READY');
        });
      });
    }

    test('an aborted run leaves the queue without affecting other runs', async () => {
      const gate = gateTool();
      let effects = 0;
      await withExecutor(queue(2), { gate: gate.tool, effect: () => ++effects }, async (executor) => {
        const controller = new AbortController();
        const first = executor.run('await gate()');
        const aborted = executor.run('effect()', { signal: controller.signal });
        const third = executor.run('3');
        await expectCode(executor.run('4'), 'ERR_INVALID_STATE');
        await gate.called;
        controller.abort(new Error('changed my mind'));
        const error = await expectCode(aborted, 'ERR_EXEC_TIMEOUT');
        expect(error.details).toMatchObject({ aborted: true, reason: 'changed my mind' });
        expect(executor.state).toBe('RUNNING');
        const fourth = executor.run('4');
        gate.open(1);
        expect((await first).output).toBe(1);
        expect((await third).output).toBe(3);
        expect((await fourth).output).toBe(4);
        expect(effects).toBe(0);
        expect(executor.state).toBe('READY');
      });
    });

    // Node.js warns of more than ten listeners of a signal.
    test('many runs share one listener on their signal, which is removed when they have ended', async () => {
      const gate = gateTool();
      await withExecutor(queue(20), { gate: gate.tool }, async (executor) => {
        const { signal, abort } = countingSignal();
        const first = executor.run('await gate()', { signal });
        const others = Array.from({ length: 12 }, (_, i) => executor.run(`${i}`, { signal }));
        await gate.called;
        expect(signal.listeners).toBe(1);
        gate.open('first');
        expect((await first).output).toBe('first');
        expect((await Promise.all(others)).map(({ output }) => output)).toStrictEqual([
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
        ]);
        expect(signal.listeners).toBe(0);
        const { tool, called } = neverTool();
        await executor.sendTools({ never: tool });
        const all = ['await never()', '1', '2'].map((code) =>
          expectCode(executor.run(code, { signal }), 'ERR_EXEC_TIMEOUT'),
        );
        await called;
        abort();
        expect((await Promise.all(all)).map(({ details }) => details.aborted)).toStrictEqual([true, true, true]);
      });
    });

    test('sendVariables, sendTools and init are illegal during runs', async () => {
      const gate = gateTool();
      await withExecutor(queue(1), { gate: gate.tool }, async (executor) => {
        const runs = [executor.run('await gate(); 1'), executor.run('2')];
        await gate.called;
        const calls = [executor.sendVariables({ x: 1 }), executor.sendTools({ t: () => 1 }), executor.init()];
        const errors = await Promise.all(calls.map((call) => expectCode(call, 'ERR_INVALID_STATE')));
        const refused = 'is refused: the queue is full; raise maxQueuedRuns or wait';
        expect(errors.map(({ message }) => message)).toStrictEqual([
          `Invalid executor state: RUNNING: sendVariables() ${refused}`,
          `Invalid executor state: RUNNING: sendTools() ${refused}`,
          'Invalid executor state: RUNNING: init() was called during a run; await the run, or call cleanup() first',
        ]);
        gate.open();
        expect((await Promise.all(runs)).map(({ output }) => output)).toStrictEqual([1, 2]);
      });
    });

    test('a tool may queue a run that starts after its own run', async () => {
      const executor = make(queue(1));
      await executor.init();
      const inner = deferred();
      await executor.sendTools({ tool: () => inner.resolve(executor.run('2')) });
      expect((await executor.run('tool(); 1')).output).toBe(1);
      expect((await inner.promise).output).toBe(2);
      await executor.cleanup();
    });

    test('many runs can wait', async () => {
      await withExecutor(queue(500), {}, async (executor) => {
        await executor.run('var order = [];');
        const runs = Array.from({ length: 501 }, (_, i) => executor.run(`order.push(${i})`));
        await Promise.all(runs);
        expect((await executor.run('order')).output).toStrictEqual(runs.map((_, i) => i));
      });
    });

    test('variables and tools wait for their turn too', async () => {
      const gate = gateTool();
      await withExecutor(queue(4), { gate: gate.tool, tool: () => 'old' }, async (executor) => {
        const settled = [];
        const submit = (name, call) => call.then(({ output } = {}) => settled.push([name, output, executor.state]));
        const all = [
          submit(
            'first',
            executor.run('const before = [typeof x, tool()]; await gate(); [...before, typeof x, tool()]'),
          ),
          submit('variables', executor.sendVariables({ x: 1 })),
          submit('second', executor.run('[x, tool()]')),
          submit('tools', executor.sendTools({ tool: () => 'new', more: async () => 'more' })),
          submit('third', executor.run('[x, tool(), await more()]')),
        ];
        await gate.called;
        expect([settled, executor.state]).toStrictEqual([[], 'RUNNING']);
        gate.open();
        await Promise.all(all);
        expect(settled).toStrictEqual([
          ['first', ['undefined', 'old', 'undefined', 'old'], 'RUNNING'],
          ['variables', undefined, 'RUNNING'],
          ['second', [1, 'old'], 'RUNNING'],
          ['tools', undefined, 'RUNNING'],
          ['third', [1, 'new', 'more'], 'READY'],
        ]);
      });
    });

    test('the state is READY if only variables and tools have waited', async () => {
      const gate = gateTool();
      await withExecutor(queue(2), { gate: gate.tool }, async (executor) => {
        const run = executor.run('await gate()');
        const sent = [executor.sendVariables({ x: 20 }), executor.sendTools({ add: (a, b) => a + b })];
        await gate.called;
        gate.open();
        await Promise.all([run, ...sent]);
        expect(executor.state).toBe('READY');
        expect((await executor.run('add(x, 22)')).output).toBe(42);
      });
    });

    test('waiting variables and tools count towards maxQueuedRuns and are refused as runs are', async () => {
      const gate = gateTool();
      await withExecutor(queue(1), { gate: gate.tool }, async (executor) => {
        const run = executor.run('await gate()');
        const sent = executor.sendVariables({ x: 1 });
        for (const [operation, call] of [
          ['sendVariables', executor.sendVariables({ x: 2 })],
          ['sendTools', executor.sendTools({ gate: () => 'other' })],
        ]) {
          const error = await expectCode(call, 'ERR_INVALID_STATE');
          expect(error.details).toStrictEqual({
            state: 'RUNNING',
            operation,
            hint: 'the queue is full; raise maxQueuedRuns or wait',
            maxQueuedRuns: 1,
          });
        }
        await gate.called;
        gate.open('first');
        expect((await run).output).toBe('first');
        await sent;
        expect((await executor.run('x')).output).toBe(1);
      });
    });

    test('waiting calls are refused when the executor becomes DIRTY or is cleaned up', async () => {
      for (const end of ['timeout', 'cleanup']) {
        const started = deferred();
        const tools = { started: () => started.resolve() };
        await withExecutor(
          { ...queue(2), timeoutMs: end === 'timeout' ? 100 * can.pace : 60_000 },
          tools,
          async (executor) => {
            const run = executor.run('started(); await new Promise(() => {})');
            run.catch(() => {});
            const sent = [executor.sendVariables({ x: 1 }), executor.sendTools({ other: () => 1 })];
            for (const call of sent) call.catch(() => {});
            await Promise.race([started.promise, run.catch(() => {})]);
            if (end === 'cleanup') await executor.cleanup();
            for (const [at, operation] of ['sendVariables', 'sendTools'].entries()) {
              const error = await expectCode(sent[at], 'ERR_INVALID_STATE');
              expect(error.details).toMatchObject({ state: end === 'cleanup' ? 'DEAD' : 'DIRTY', operation });
            }
          },
        );
      }
    });
  });
}

/** A signal that counts its listeners, and what aborts it. */
function countingSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  signal.listeners = 0;
  for (const [name, by] of [
    ['addEventListener', 1],
    ['removeEventListener', -1],
  ]) {
    signal[name] = (...args) => {
      signal.listeners += by;
      return AbortSignal.prototype[name].apply(signal, args);
    };
  }
  return { signal, abort: () => controller.abort() };
}
