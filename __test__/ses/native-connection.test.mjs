// How answers of tools go back to the native side: one that nobody has to wait with goes at once.

import { createRequire } from 'node:module';

import { describe, expect, test, vi } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { checkOptions } from '../../build/contract/options.js';
import { NativeConnection } from '../../build/ses/native-connection.js';
import { deferred, expectCode, gateTool, neverTool, rejection, runChild, withExecutor } from '../helpers.mjs';
import { flattenTools } from '../../build/contract/tool-registry.js';
import { ToolTimes } from '../../build/contract/tool-times.js';

// Calls that a run had left unanswered counted in all later runs, whose answers then waited for others that never came.
test('a run that has ended leaves no unanswered call', async () => {
  const core = new NativeConnection(checkOptions({}));
  const { native } = core;
  const sent = [];
  core.native = new Proxy(native, {
    get: (target, name) => {
      if (name === 'toolResult' || name === 'toolResults') sent.push(name);
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const run = (code) => {
    const call = core.nextCall();
    return core.settled(call, native.run(call, code, null, null, false, null), { run: { toolTimes: new ToolTimes() } });
  };
  await core.call((call) => native.init(call));
  try {
    const tools = flattenTools({ never: async () => new Promise(() => {}), quick: async () => 1 });
    const { specs, commit } = core.tools.stage(tools);
    await core.call((call) => native.sendTools(call, specs), commit);
    for (let i = 0; i < 3; i++) await run('never(); 0');
    expect(sent).toStrictEqual([]);
    await run('await quick()');
    expect(sent).toStrictEqual(['toolResult']);
  } finally {
    await core.cleanup();
  }
});

// A queued run that was aborted made the one under way forget what its tools had thrown.
test('a run that is aborted in the queue does not affect the previous run', async () => {
  const thrown = new Error('kept');
  const failed = deferred();
  const gate = gateTool();
  const tools = {
    fail: async () => {
      failed.resolve();
      throw thrown;
    },
    gate: gate.tool,
  };
  await withExecutor({ runConcurrency: 'queue', maxQueuedRuns: 1 }, tools, async (executor) => {
    const running = rejection(
      executor.run('let kept; try { await fail() } catch (e) { kept = e } await gate(); throw kept'),
    );
    await gate.called;
    const controller = new AbortController();
    const queued = rejection(executor.run('1', { signal: controller.signal }));
    controller.abort();
    expect((await queued).code).toBe('ERR_EXEC_TIMEOUT');
    gate.open();
    expect(await running).toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', cause: thrown });
  });
});

test('a late answer to a tool call of an ended run does not reach a later run', async () => {
  const late = deferred();
  const next = async () => {
    late.resolve('late');
    await new Promise((resolve) => setImmediate(resolve));
    return 'next';
  };
  await withExecutor({}, { late: async () => late.promise, next }, async (executor) => {
    await executor.run('globalThis.promise = late(); 0');
    expect((await executor.run('await Promise.race([promise, next()])')).output).toBe('next');
  });
});

test('an error that a tool threw is not kept after its run', async () => {
  const { stdout, stderr } = await runChild(
    `
    import { SESExecutor } from './index.mjs';
    const executor = new SESExecutor({ autoInit: true });
    let thrown;
    const fail = async () => {
      const error = new Error('no');
      thrown = new WeakRef(error);
      throw error;
    };
    await executor.sendTools({ fail });
    await executor.run('try { await fail() } catch {}');
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
    console.log(thrown.deref());
    await executor.cleanup();`,
    { nodeArgs: ['--expose-gc'] },
  );
  expect([stdout, stderr]).toStrictEqual(['undefined\n', '']);
});

test('a run with an already aborted signal makes no isolate', async () => {
  const executor = new SESExecutor({ autoInit: true });
  try {
    const error = await rejection(executor.run('1', { signal: AbortSignal.abort() }));
    expect([error.code, executor.state]).toStrictEqual(['ERR_EXEC_TIMEOUT', 'NEW']);
  } finally {
    await executor.cleanup();
  }
});

describe.each(['thread', 'process'])('fake timers of the host, in a %s', (isolation) => {
  /** @param {(executor: any) => Promise<void>} use */
  const withFakeTimers = (options, tools, use) =>
    withExecutor({ isolation, ...options }, tools, async (executor) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
      try {
        await use(executor);
      } finally {
        vi.useRealTimers();
      }
    });
  const LARGE = 'Array.from({ length: 20_000 }, (_, i) => ({ i }))';

  test('do not stop the deadline of a tool', async () => {
    await withFakeTimers({ toolTimeoutMs: 20 }, { tool: async () => new Promise(() => {}) }, async (executor) => {
      expect((await executor.run('try { await tool() } catch (error) { error.code }')).output).toBe('ERR_TOOL_TIMEOUT');
    });
  });

  test('do not delay outputs, arguments or log entries, neither during nor after their use', async () => {
    const entries = [];
    const onLog = (entry) => entries.push(entry);
    await withFakeTimers({ onLog }, { count: async (list) => list.length }, async (executor) => {
      expect((await executor.run(LARGE)).output).toHaveLength(20_000);
      expect((await executor.run(`await count(${LARGE})`)).output).toBe(20_000);
      await executor.run('for (let i = 0; i < 5_000; i++) console.log(i)', { maxOperations: 1e6 });
      expect(entries).toHaveLength(5_000);
    });
    await withExecutor({ isolation }, {}, async (executor) => {
      expect((await executor.run(LARGE)).output).toHaveLength(20_000);
    });
  });
});

// A guest cannot tell such a promise from one that takes long.
describe.each(['thread', 'process'])(
  'a timeout in the run after one that left calls unawaited, in a %s',
  (isolation) => {
    const HINT =
      'Do less in one run, and await only promises that settle. Promises of tool calls that an earlier run did not await never settle. Call the tools again and await them in the same run.';
    const OTHER =
      'Do less in one run, and await only promises that settle. At the deadline the host had not answered a tool call: waiting for tools counts, unless `toolTimeoutMs` limits calls.';
    const timeoutMs = 500;
    const tools = { search: async (query) => query, never: async () => new Promise(() => {}) };

    test.each([
      ['declared', 'const jobs = [1, 2].map(() => never())', 'await Promise.all(jobs)'],
      ['in a run that failed', 'const job = never(); null.x', 'await job'],
    ])('has a hint about the unawaited calls: %s', async (_, before, code) => {
      await withExecutor({ isolation }, tools, async (executor) => {
        await executor.run(before).catch(() => {});
        const { details } = await rejection(executor.run(code, { timeoutMs: 100 }));
        expect(details).toStrictEqual({ timeoutMs: 100, reason: 'deadline', hint: HINT });
        await executor.cleanup();
        await executor.init();
        await executor.sendTools(tools);
        const afresh = await rejection(executor.run('await never()', { timeoutMs }));
        expect(afresh.details).toStrictEqual({ timeoutMs, reason: 'deadline', hint: OTHER });
      });
    });

    test('has the general hint if the calls were awaited', async () => {
      await withExecutor({ isolation }, tools, async (executor) => {
        await executor.run('const found = await search("a")');
        const { details } = await rejection(executor.run('await never()', { timeoutMs }));
        expect(details).toStrictEqual({ timeoutMs, reason: 'deadline', hint: OTHER });
      });
    });
  },
);

test.each([
  ['no isolate', 'init'],
  ['an isolate that could not be given the tools', 'sendTools'],
])('a renewal that failed with %s is repeated, with all tools', async (_, failing) => {
  const recovering = { autoInit: true, recover: true, maxOperations: 1e12 };
  await withExecutor(recovering, { f: () => 42 }, async (executor) => {
    await rejection(executor.run('for (;;);', { timeoutMs: 50 }));
    // That of the executor: here vitest has loaded another.
    const { prototype } = createRequire(import.meta.url)('../../build/ses/native-connection.js').NativeConnection;
    const { call } = prototype;
    const refuse = vi.spyOn(prototype, 'call').mockImplementation(function (start, ...more) {
      if (!String(start).includes(`native.${failing}(`)) return call.call(this, start, ...more);
      refuse.mockRestore();
      return Promise.reject(new Error('no more of them'));
    });
    expect((await rejection(executor.run('f()'))).message).toBe('no more of them');
    expect(await executor.run('f()')).toMatchObject({ output: 42, recovered: true });
    expect(await executor.run('f()')).not.toHaveProperty('recovered');
  });
});

test.each([
  ['one call', 'await never()', {}, 'a tool call'],
  ['several calls', 'await Promise.all([never(), never()])', {}, '2 tool calls'],
  ['no call', 'await new Promise(() => {})', {}, undefined],
  ['a call with a limit', 'never(); for (;;);', { toolTimeoutMs: 1e6, maxOperations: 1e15 }, undefined],
])('a run that ended at its deadline with %s unanswered has a hint that says so', async (_, code, options, calls) => {
  const { tool: never } = neverTool();
  await withExecutor({ timeoutMs: 500 }, { never }, async (executor) => {
    const error = await expectCode(executor.run(code, options), 'ERR_EXEC_TIMEOUT');
    expect(error.details).toMatchObject({ timeoutMs: 500, reason: 'deadline' });
    const hint =
      `Do less in one run, and await only promises that settle. At the deadline the host had not answered ${calls}: ` +
      'waiting for tools counts, unless `toolTimeoutMs` limits calls.';
    expect(error.details.hint).toBe(calls && hint);
  });
});

test('promise-returning calls wait for their turn with a promise, even if they then return a value', async () => {
  const started = [];
  const gate = deferred();
  let seen;
  const tools = {
    take: (i) => {
      started.push(i);
      return i === 4 ? 'value' : gate.promise;
    },
    note: () => {
      seen = [...started];
      gate.resolve('done');
    },
  };
  await withExecutor({ maxConcurrentToolCalls: 2 }, tools, async (executor) => {
    const { output } = await executor.run(
      'const all = [0, 1, 2, 3, 4].map((i) => take(i)); note(); await Promise.all(all)',
    );
    expect([seen, output]).toStrictEqual([
      [0, 1],
      ['done', 'done', 'done', 'done', 'value'],
    ]);
  });
});
