// Sections 4.1 to 4.3 of the specification: each edge of the table of transitions, each call in each state.

import { describe, expect, test } from 'vitest';

import { ExecutorError } from '../../../index.mjs';
import { deferred, expectCode, neverTool, runChild, testIf } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeLifecycle({ make, withExecutor, inChild, can }) {
  /**
   * Makes an executor DIRTY: one that keeps its state does, too, unless the guest has come to what nothing interrupts.
   */
  async function lose(executor) {
    for (let timeoutMs = 1; executor.state !== 'DIRTY'; timeoutMs *= 2) {
      await expectCode(executor.run('await new Promise(() => {})', { timeoutMs }), 'ERR_EXEC_TIMEOUT');
    }
  }

  /** How an executor gets into each state. Whatever is under way then fails when it is cleaned up. */
  const ENTER = {
    NEW: async () => {},
    INITIALIZING: async (executor) => {
      executor.init().catch(() => {});
    },
    READY: async (executor) => {
      await executor.init();
    },
    RUNNING: async (executor) => {
      const { tool, called } = neverTool();
      await executor.init();
      await executor.sendTools({ never: tool });
      executor.run('await never()').catch(() => {});
      await called;
    },
    DIRTY: async (executor) => {
      await executor.init();
      await lose(executor);
    },
    DEAD: async (executor) => {
      await executor.init();
      await executor.cleanup();
    },
  };

  /** Calls `fn` with an executor that is in `state`. */
  async function inState(state, fn, options = {}) {
    const executor = make(options);
    try {
      await ENTER[state](executor);
      expect(executor.state).toBe(state);
      await fn(executor);
    } finally {
      await executor.cleanup();
    }
  }

  const CALLS = {
    init: (executor) => executor.init(),
    sendVariables: (executor) => executor.sendVariables({ x: 1 }),
    sendTools: (executor) => executor.sendTools({ tool: () => 1 }),
    run: (executor) => executor.run('1'),
    cleanup: (executor) => executor.cleanup(),
    asyncDispose: (executor) => executor[Symbol.asyncDispose](),
  };

  /** The state after each legal call (section 4.3); a call that is missing here is illegal. */
  const LEGAL = {
    NEW: { init: 'READY', cleanup: 'DEAD', asyncDispose: 'DEAD' },
    INITIALIZING: { init: 'READY', cleanup: 'DEAD', asyncDispose: 'DEAD' },
    READY: {
      init: 'READY',
      sendVariables: 'READY',
      sendTools: 'READY',
      run: 'READY',
      cleanup: 'DEAD',
      asyncDispose: 'DEAD',
    },
    RUNNING: { cleanup: 'DEAD', asyncDispose: 'DEAD' },
    DIRTY: { cleanup: 'DEAD', asyncDispose: 'DEAD' },
    DEAD: { init: 'READY', cleanup: 'DEAD', asyncDispose: 'DEAD' },
  };

  /** The message of a call that `cleanup()` ends. */
  function ended(call) {
    return `Invalid executor state: DEAD: ${call}() was ended by cleanup(); call init() before further calls`;
  }

  /** What to do instead of an illegal call. */
  function hintOf(state, call) {
    if (call === 'init') return 'call cleanup() before init()';
    if (state === 'RUNNING') return 'a run is under way; wait for it, or use runConcurrency: "queue" and maxQueuedRuns';
    if (call !== 'run') return 'it is legal in state READY only';
    return state === 'DIRTY' ? 'call cleanup() and init() first' : 'await init() first';
  }

  /** What the message of an illegal call says of it. */
  function reasonOf(state, call) {
    if (state === 'RUNNING' && call !== 'init') return `is refused: ${hintOf(state, call)}`;
    const situations = {
      NEW: 'before init(); call init() first',
      INITIALIZING: 'before init() was done; await init() first',
      RUNNING: 'during a run; await the run, or call cleanup() first',
      DIRTY: 'after a call that lost the isolate; call cleanup() and init() first',
      DEAD: 'after cleanup() or a failed init(); call init() first',
    };
    return `was called ${situations[state]}`;
  }

  describe.each(Object.keys(ENTER))('4.3 in state %s', (state) => {
    for (const [name, call] of Object.entries(CALLS)) {
      const next = LEGAL[state][name];
      if (next !== undefined) {
        test(`${name} is legal and leads to ${next}`, async () => {
          await inState(state, async (executor) => {
            const result = await call(executor);
            if (name === 'run') expect(result.output).toBe(1);
            else expect(result).toBeUndefined();
            expect(executor.state).toBe(next);
          });
        });
      } else {
        test(`${name} is illegal and changes nothing`, async () => {
          await inState(state, async (executor) => {
            const error = await expectCode(call(executor), 'ERR_INVALID_STATE');
            expect(error).toBeInstanceOf(ExecutorError);
            expect(error.message).toBe(`Invalid executor state: ${state}: ${name}() ${reasonOf(state, name)}`);
            expect(error).toMatchObject({ severity: 'ERROR', retryable: false, details: { state, operation: name } });
            expect(error.details.hint).toBe(hintOf(state, name));
            expect(executor.state).toBe(state);
          });
        });
      }
    }
  });

  describe('4.2 transitions', () => {
    test('NEW, init() begins: INITIALIZING immediately; success: READY', async () => {
      const executor = make();
      expect(executor.state).toBe('NEW');
      const init = executor.init();
      expect(executor.state).toBe('INITIALIZING');
      expect(await init).toBeUndefined();
      expect(executor.state).toBe('READY');
      await executor.cleanup();
    });

    test('DEAD, init() begins: INITIALIZING immediately; success: READY, with nothing of the old realm', async () => {
      await withExecutor({}, { tool: () => 1 }, async (executor) => {
        await executor.sendVariables({ variable: 1 });
        await executor.run('var declared = 1; globalThis.assigned = 1;');
        await executor.cleanup();
        const init = executor.init();
        expect(executor.state).toBe('INITIALIZING');
        await init;
        expect(executor.state).toBe('READY');
        const { output } = await executor.run('[typeof tool, typeof variable, typeof declared, typeof assigned]');
        expect(output).toStrictEqual(['undefined', 'undefined', 'undefined', 'undefined']);
      });
    });

    test('READY, init(): READY, and state is kept', async () => {
      await withExecutor({}, { tool: () => 'tool' }, async (executor) => {
        await executor.run('let kept = 1;');
        const init = executor.init();
        expect(executor.state).toBe('READY');
        await init;
        expect(executor.state).toBe('READY');
        expect((await executor.run('[kept, tool()]')).output).toStrictEqual([1, 'tool']);
      });
    });

    test('READY, run() starts: RUNNING immediately; RUNNING, success: READY', async () => {
      await withExecutor({}, {}, async (executor) => {
        const run = executor.run('1');
        expect(executor.state).toBe('RUNNING');
        await run;
        expect(executor.state).toBe('READY');
      });
    });

    test.each([
      ['ERR_RUNTIME_EXCEPTION', 'throw new Error("x")'],
      ['ERR_TOOL_PROXY_FAIL', 'fail()'],
      ['ERR_VALIDATION_FAILED', 'let = ;'],
      ...(can.importModules
        ? [
            ['ERR_IMPORT_NOT_ALLOWED', 'await import("x-denied")'],
            ['ERR_IMPORT_NOT_ALLOWED', 'await import("x-" + "denied")'],
          ]
        : []),
      ...(can.limitOperations ? [['ERR_MAX_OPS_EXCEEDED', 'for (;;);']] : []),
    ])('7.6 RUNNING, %s: READY, and the next run works (%s)', async (code, program) => {
      const fail = () => {
        throw new Error('tool');
      };
      await withExecutor({}, { fail }, async (executor) => {
        await executor.run('var kept = 1;');
        await expectCode(executor.run(program), code);
        expect(executor.state).toBe('READY');
        expect((await executor.run('kept + 1')).output).toBe(2);
      });
    });

    test('RUNNING, final_answer: READY', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.run('final_answer(1)');
        expect(executor.state).toBe('READY');
      });
    });

    test('RUNNING, timeout: DIRTY', async () => {
      await withExecutor({}, {}, async (executor) => {
        const timeoutMs = 30 * can.pace;
        await expectCode(executor.run('await new Promise(() => {})', { timeoutMs }), 'ERR_EXEC_TIMEOUT');
        expect(executor.state).toBe('DIRTY');
      });
    });

    test('DIRTY, cleanup(): DEAD; then init(): READY', async () => {
      await inState('DIRTY', async (executor) => {
        await executor.cleanup();
        expect(executor.state).toBe('DEAD');
        await executor.init();
        expect(executor.state).toBe('READY');
        expect((await executor.run('1')).output).toBe(1);
      });
    });

    test('READY, cleanup(): DEAD', async () => {
      await inState('READY', async (executor) => {
        await executor.cleanup();
        expect(executor.state).toBe('DEAD');
      });
    });

    test('DEAD, cleanup(): DEAD, any number of times', async () => {
      await inState('DEAD', async (executor) => {
        await executor.cleanup();
        await Promise.all([executor.cleanup(), executor.cleanup()]);
        expect(executor.state).toBe('DEAD');
      });
    });
  });

  describe('the state getter', () => {
    test('returns the state inside tools, inside onLog and in reactions to promises', async () => {
      const seen = [];
      const note = (moment) => seen.push(`${moment}: ${executor.state}`);
      const executor = make({ onLog: () => note('onLog') });
      note('made');
      const init = executor.init().then(() => note('initialised'));
      note('init called');
      await init;
      const send = executor.sendTools({ look: () => note('tool') }).then(() => note('tools sent'));
      note('sendTools called');
      await send;
      const run = executor.run('look(); console.log(1)').then(() => note('run ended'));
      note('run called');
      await run;
      await executor.run('throw 1').catch(() => note('run failed'));
      await executor
        .run('await new Promise(() => {})', { timeoutMs: 30 * can.pace })
        .catch(() => note('run timed out'));
      const cleanup = executor.cleanup().then(() => note('cleaned up'));
      note('cleanup called');
      await cleanup;
      expect(seen).toStrictEqual([
        'made: NEW',
        'init called: INITIALIZING',
        'initialised: READY',
        'sendTools called: READY',
        'tools sent: READY',
        'run called: RUNNING',
        'tool: RUNNING',
        'onLog: RUNNING',
        'run ended: READY',
        'run failed: READY',
        'run timed out: DIRTY',
        'cleanup called: DEAD',
        'cleaned up: DEAD',
      ]);
    });

    test('cannot be assigned', () => {
      const executor = make();
      expect(() => {
        executor.state = 'READY';
      }).toThrow(TypeError);
      expect(executor.state).toBe('NEW');
    });
  });

  describe('init()', () => {
    test('shares one isolate among concurrent calls', async () => {
      const executor = make();
      const calls = [executor.init(), executor.init(), executor.init()];
      expect(executor.state).toBe('INITIALIZING');
      expect(await Promise.all(calls)).toStrictEqual([undefined, undefined, undefined]);
      expect(executor.state).toBe('READY');
      await executor.run('var kept = 1;');
      await executor.init();
      expect((await executor.run('kept')).output).toBe(1);
      await executor.cleanup();
    });

    test('joins a call in state INITIALIZING, also after a rebuild', async () => {
      await inState('INITIALIZING', async (executor) => {
        await executor.init();
        expect(executor.state).toBe('READY');
        await executor.cleanup();
        await Promise.all([executor.init(), executor.init()]);
        expect(executor.state).toBe('READY');
      });
    });

    test('of several executors at the same time do not disturb one another', async () => {
      const executors = Array.from({ length: 8 }, () => make());
      await Promise.all(executors.map((executor) => executor.init()));
      const runs = await Promise.all(executors.map((executor, i) => executor.run(`var me = ${i}; me`)));
      expect(runs.map(({ output }) => output)).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      const later = await Promise.all(executors.map((executor) => executor.run('me')));
      expect(later.map(({ output }) => output)).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      await Promise.all(executors.map((executor) => executor.cleanup()));
    });

    test('keeps the order of calls that do not wait for one another', async () => {
      await withExecutor({}, {}, async (executor) => {
        const variables = executor.sendVariables({ x: 20 });
        const tools = executor.sendTools({ add: (a, b) => a + b });
        expect((await executor.run('add(x, 1)')).output).toBe(21);
        await Promise.all([variables, tools]);
      });
    });
  });

  describe('cleanup()', () => {
    test('on NEW leads to DEAD, and init() works afterwards', async () => {
      const executor = make();
      await executor.cleanup();
      expect(executor.state).toBe('DEAD');
      await executor.init();
      expect((await executor.run('1')).output).toBe(1);
      await executor.cleanup();
    });

    test('on INITIALIZING makes every pending init() fail with ERR_INVALID_STATE', async () => {
      const executor = make();
      const inits = [executor.init(), executor.init()].map((init) => expectCode(init, 'ERR_INVALID_STATE'));
      await executor.cleanup();
      expect(executor.state).toBe('DEAD');
      for (const error of await Promise.all(inits)) {
        expect(error.message).toBe(ended('init'));
        expect(error.details).toMatchObject({ state: 'DEAD', operation: 'init' });
      }
      await executor.init();
      expect(executor.state).toBe('READY');
      await executor.cleanup();
    });

    test('on RUNNING makes the run fail with ERR_INVALID_STATE and its logs', async () => {
      const { tool, called } = neverTool();
      await withExecutor({}, { never: tool }, async (executor) => {
        const run = expectCode(executor.run('console.log("before"); await never()'), 'ERR_INVALID_STATE');
        await called;
        await executor.cleanup();
        expect(executor.state).toBe('DEAD');
        const error = await run;
        expect(error.message).toBe(ended('run'));
        expect(error.details).toMatchObject({ state: 'DEAD', operation: 'run' });
        expect(error.logs).toBe('before');
      });
    });

    test('on RUNNING with a queue makes the run and all waiting ones fail with ERR_INVALID_STATE', async () => {
      const { tool, called } = neverTool();
      const options = { runConcurrency: 'queue', maxQueuedRuns: 3 };
      let effects = 0;
      await withExecutor(options, { never: tool, effect: () => ++effects }, async (executor) => {
        const runs = ['await never()', 'effect()', 'effect()', 'effect()'].map((code) =>
          expectCode(executor.run(code), 'ERR_INVALID_STATE'),
        );
        await called;
        await executor.cleanup();
        expect(executor.state).toBe('DEAD');
        for (const error of await Promise.all(runs)) expect(error.message).toBe(ended('run'));
        await executor.init();
        expect((await executor.run('1')).output).toBe(1);
        expect(effects).toBe(0);
      });
    });

    test('works while guest code is in an endless loop', async () => {
      await withExecutor({ maxOperations: 1e15, timeoutMs: 60_000 }, {}, async (executor) => {
        const run = expectCode(executor.run('for (;;);'), 'ERR_INVALID_STATE');
        await executor.cleanup();
        await run;
        await executor.init();
        expect((await executor.run('1')).output).toBe(1);
      });
    });

    test('works during a call of a synchronous tool', async () => {
      let cleanup;
      const tool = () => {
        cleanup = executor.cleanup();
        return 1;
      };
      const executor = make();
      await executor.init();
      await executor.sendTools({ tool });
      const error = await expectCode(executor.run('tool()'), 'ERR_INVALID_STATE');
      expect(error.message).toBe(ended('run'));
      await cleanup;
      expect(executor.state).toBe('DEAD');
    });

    test('right after sendVariables() and sendTools() lets both settle', async () => {
      const executor = make();
      await executor.init();
      const sends = [executor.sendVariables({ x: 1 }), executor.sendTools({ tool: () => 1 })];
      const [settled] = await Promise.all([Promise.allSettled(sends), executor.cleanup()]);
      // Each was quicker than cleanup(), or was refused.
      for (const { status, reason } of settled) {
        if (status === 'rejected') expect(reason.code).toBe('ERR_INVALID_STATE');
      }
      expect(executor.state).toBe('DEAD');
    });

    test('succeeds for concurrent calls', async () => {
      await inState('READY', async (executor) => {
        await Promise.all([executor.cleanup(), executor.cleanup(), executor[Symbol.asyncDispose]()]);
        expect(executor.state).toBe('DEAD');
      });
    });

    test('need not be awaited before init()', async () => {
      for (const state of ['READY', 'RUNNING', 'DIRTY']) {
        await inState(state, async (executor) => {
          const cleanup = executor.cleanup();
          const init = executor.init();
          expect(executor.state).toBe('INITIALIZING');
          await Promise.all([cleanup, init]);
          expect(executor.state).toBe('READY');
          expect((await executor.run('1')).output).toBe(1);
        });
      }
    });

    test('prevents late tool answers of the old isolate from reaching the new one', async () => {
      const called = deferred();
      const answer = deferred();
      const late = () => {
        called.resolve();
        return answer.promise;
      };
      await withExecutor({}, { late }, async (executor) => {
        const old = expectCode(executor.run('await late()'), 'ERR_INVALID_STATE');
        await called.promise;
        await executor.cleanup();
        await old;
        await executor.init();
        const { tool, called: inNewRun } = neverTool();
        await executor.sendTools({ never: tool });
        const run = executor.run('await never()', { timeoutMs: 200 });
        const settled = expectCode(run, 'ERR_EXEC_TIMEOUT');
        await Promise.race([inNewRun, settled]);
        answer.resolve('late');
        await settled;
      });
    });
  });

  describe('asyncDispose', () => {
    test('calls cleanup(), for `await using`', async () => {
      const executor = make();
      await executor.init();
      expect(await executor[Symbol.asyncDispose]()).toBeUndefined();
      expect(executor.state).toBe('DEAD');
      await expectCode(executor.run('1'), 'ERR_INVALID_STATE');
    });
  });

  describe('autoInit', () => {
    const FIRST_USES = {
      sendVariables: (executor) => executor.sendVariables({ x: 1 }),
      sendTools: (executor) => executor.sendTools({ tool: () => 1 }),
      run: (executor) => executor.run('1'),
    };

    describe.each(Object.keys(FIRST_USES))('%s', (name) => {
      test.each(['NEW', 'DEAD'])('initialises an executor that is %s', async (state) => {
        await inState(
          state,
          async (executor) => {
            await FIRST_USES[name](executor);
            expect(executor.state).toBe('READY');
          },
          { autoInit: true },
        );
      });

      test('joins a pending init()', async () => {
        await inState(
          'INITIALIZING',
          async (executor) => {
            await FIRST_USES[name](executor);
            expect(executor.state).toBe('READY');
          },
          { autoInit: true },
        );
      });

      test.each(['NEW', 'INITIALIZING', 'DEAD'])('is illegal without autoInit in state %s', async (state) => {
        for (const options of [{}, { autoInit: false }, { autoInit: undefined }]) {
          await inState(
            state,
            async (executor) => {
              await expectCode(FIRST_USES[name](executor), 'ERR_INVALID_STATE');
              expect(executor.state).toBe(state);
            },
            options,
          );
        }
      });
    });

    test('keeps the order of first uses that do not wait for one another', async () => {
      const executor = make({ autoInit: true });
      const variables = executor.sendVariables({ x: 20 });
      const tools = executor.sendTools({ add: (a, b) => a + b });
      const run = executor.run('add(x, 1)');
      expect(executor.state).toBe('INITIALIZING');
      expect((await run).output).toBe(21);
      await Promise.all([variables, tools]);
      await executor.cleanup();
    });

    test(`${can.rebuildItself ? 'rebuilds' : 'does not rebuild'} a DIRTY executor`, async () => {
      await inState(
        'DIRTY',
        async (executor) => {
          if (can.rebuildItself) {
            expect((await executor.run('1')).output).toBe(1);
            return expect(executor.state).toBe('READY');
          }
          for (const use of Object.values(FIRST_USES)) await expectCode(use(executor), 'ERR_INVALID_STATE');
          expect(executor.state).toBe('DIRTY');
          await executor.cleanup();
          expect((await executor.run('1')).output).toBe(1);
        },
        { autoInit: true },
      );
    });

    testIf(can.rebuildItself)(
      'cleanup() during a rebuild fails the run, and later calls get their own isolate',
      async () => {
        await inState(
          'DIRTY',
          async (executor) => {
            const run = expectCode(executor.run('1'), 'ERR_INVALID_STATE');
            const cleaned = executor.cleanup();
            const next = executor.run('2');
            expect((await run).details).toMatchObject({ operation: 'init', hint: 'cleanup() was called' });
            await cleaned;
            expect((await next).output).toBe(2);
            await executor.cleanup();
            expect(executor.state).toBe('DEAD');
          },
          { autoInit: true },
        );
      },
    );

    test('still allows init()', async () => {
      const executor = make({ autoInit: true });
      await executor.init();
      await executor.run('var kept = 1;');
      await executor.init();
      expect((await executor.run('kept')).output).toBe(1);
      await executor.cleanup();
    });

    test('lets the first use fail if cleanup() is called during the start', async () => {
      const executor = make({ autoInit: true });
      const run = expectCode(executor.run('1'), 'ERR_INVALID_STATE');
      await executor.cleanup();
      await run;
      expect(executor.state).toBe('DEAD');
    });
  });

  describe('the process exits by itself', () => {
    const scripts = {
      'with an executor that was never initialised': `
      make();
      console.log('done');`,
      'with an executor that is idle': `
      const executor = make();
      await executor.init();
      await executor.sendTools({ tool: async () => 1 });
      await executor.run('await tool()');
      console.log('done');`,
      'with an executor that is cleaned up': `
      const executor = make();
      await executor.init();
      await executor.cleanup();
      console.log('done');`,
      'with executors that nothing refers to': `
      for (let i = 0; i < 4; i++) await make({ autoInit: true }).run('1');
      console.log('done');`,
      'with an executor that is DIRTY': `
      const executor = make({ autoInit: true });
      await executor.run('await new Promise(() => {})', { timeoutMs: 20 }).catch((error) => console.log(error.code));
      console.log('done');`,
      'with an executor whose thread does not stop': `
      const executor = make({ autoInit: true, memoryLimitMb: 2048 });
      await executor.run('Array(1e8).fill(1)', { timeoutMs: 100 }).catch((error) => console.log(error.code));
      console.log('done');`,
    };
    test.each(Object.entries(scripts))('%s', async (_, script) => {
      const { status, signal, stdout, stderr } = await runChild(`${inChild}${script}`);
      expect({ status, signal, stderr }).toStrictEqual({ status: 0, signal: null, stderr: '' });
      expect(stdout).toMatch(/^(ERR_EXEC_TIMEOUT\n)?done\n$/);
    });

    test('only after pending calls have settled', async () => {
      const { status, stdout, stderr } = await runChild(`
      ${inChild}
      const executor = make();
      executor.init().then(() => console.log('init')).then(() => {
        executor.run('await new Promise(() => {})', { timeoutMs: 300 }).catch((error) => console.log(error.code));
      });
    `);
      expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: 'init\nERR_EXEC_TIMEOUT\n', stderr: '' });
    });

    test.each([
      ['process.exit() while guest code runs', 'setImmediate(() => process.exit(7));', 7],
      [
        'an uncaught exception while guest code runs',
        // Bun goes on after one as long as there is something to do.
        `if (process.versions.bun) process.on('uncaughtException', () => process.exit(1));
        setImmediate(() => { throw new Error("host"); });`,
        1,
      ],
    ])('with its own status on %s', async (_, script, expected) => {
      const { status, signal } = await runChild(`
      ${inChild}
      const executor = make({ maxOperations: 1e15, timeoutMs: 60_000 });
      await executor.init();
      const runs = [executor.run('for (;;);')];
      ${script}
      await Promise.all(runs);
    `);
      expect({ status, signal }).toStrictEqual({ status: expected, signal: null });
    });

    test('from a process.exit() inside a tool', async () => {
      const { status, signal, stdout } = await runChild(`
      ${inChild}
      const executor = make({ autoInit: true });
      await executor.sendTools({ leave: () => process.exit(7) });
      await executor.run('leave()');
      console.log('unreachable');
    `);
      expect({ status, signal, stdout }).toStrictEqual({ status: 7, signal: null, stdout: '' });
    });
  });

  describe('an unreferenced executor', () => {
    test('is not collected while its run is awaited', async () => {
      const { status, stdout, stderr } = await runChild(
        `
      ${inChild}
      const start = async () => {
        const executor = make({ autoInit: true });
        let answer;
        const promise = new Promise((resolve) => (answer = resolve));
        let called;
        const isCalled = new Promise((resolve) => (called = resolve));
        await executor.sendTools({ tool: () => (called(), promise) });
        return { run: executor.run('await tool()'), isCalled, answer };
      };
      const { run, isCalled, answer } = await start();
      await isCalled;
      for (let i = 0; i < 20; i++) {
        globalThis.gc();
        await new Promise((resolve) => setImmediate(resolve));
      }
      answer('answered');
      console.log((await run).output);
    `,
        { nodeArgs: ['--expose-gc'] },
      );
      expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: 'answered\n', stderr: '' });
    });
  });
}
