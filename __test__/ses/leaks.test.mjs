// What executors take they give back: threads, file descriptors and memory return to the starting level, however the
// executors end. Each case has its own process, since it measures the process.
import { describe, expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

// /proc is what the measures read.
const onLinux = process.platform === 'linux';

/** Growth of resident memory that is not taken for a leak: heap of Node.js, caches of allocators. */
const RSS_BOUND_MB = 48;

const PRELUDE = `
  import { SESExecutor } from './index.mjs';
  import { compileThreads, descriptors, executorThreads, held, rssMb, settled, until } from './__test__/children/measure.mjs';
`;

/** What `script` passes to `report`, from a process that must end by itself and say nothing else. */
async function measure(script, { nodeArgs = ['--expose-gc'], timeoutMs = 60_000 } = {}) {
  const outcome = await runChild(
    `${PRELUDE}
    const report = (facts) => console.log(JSON.stringify(facts));
    ${script}`,
    { nodeArgs, timeoutMs },
  );
  expect({ ...outcome, stdout: '' }).toStrictEqual({ status: 0, signal: null, stdout: '', stderr: '' });
  return JSON.parse(outcome.stdout);
}

function expectNothingKept({ before, after }, rssBoundMb = RSS_BOUND_MB) {
  expect(after.executorThreads).toBe(0);
  expect(after.threads).toBeLessThanOrEqual(before.threads);
  expect(after.descriptors).toBe(before.descriptors);
  expect(after.rssMb - before.rssMb, JSON.stringify({ before, after })).toBeLessThan(rssBoundMb);
}

describe.runIf(onLinux)('1,000 executors that are created, used and cleaned up', () => {
  const USE = `
    const use = async (i) => {
      const executor = new SESExecutor();
      await executor.init();
      await executor.sendTools({ add: (a, b) => a + b, later: async (x) => x });
      await executor.sendVariables({ user: { i } });
      const { output, logs } = await executor.run(\`
        const list = [];
        for (let i = 0; i < 100; i++) list.push({ i });
        console.log(list.length);
        add(user.i, await later(list.length));
      \`);
      if (output !== i + 100 || logs !== '100') throw new Error('wrong: ' + output + ' ' + logs);
      await executor.cleanup();
    };
    const useMany = async (count, atOnce) => {
      let next = 0;
      const worker = async () => {
        while (next < count) await use(next++);
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      return settled();
    };
  `;

  test.each([
    ['in sequence', 1],
    ['16 at a time', 16],
  ])(
    'leave nothing behind %s',
    async (_, atOnce) => {
      const facts = await measure(`${USE}
      const before = await useMany(100, ${atOnce});
      const after = await useMany(1000, ${atOnce});
      report({ before, after });
    `);
      expectNothingKept(facts);
    },
    90_000,
  );
});

describe.runIf(onLinux)('10,000 runs on one executor', () => {
  /** Whatever steps leave, it must not add up: the limit is one that a leak of 2 KiB per run reaches. */
  const LIMIT_MB = 16;
  const RUNS = 10_000;
  const BOUND_MS = 40_000;

  test.each([
    [
      'that declare the same names',
      'let list = []; for (let i = 0; i < 20; i++) list.push({ i }); const f = () => list; 1',
    ],
    ['that throw', 'try { null.x } catch (e) { e.stack } Promise.reject(new Error("x")).catch(() => {}); 1'],
    ['that call tools and log', 'console.log("line", { a: 1 }); (await later(1)) + add(0, 0)'],
  ])(
    'leave nothing behind %s',
    async (_, code) => {
      const { before, after, heap, failed, runs } = await measure(
        `
      const executor = new SESExecutor({ memoryLimitMb: ${LIMIT_MB} });
      await executor.init();
      await executor.sendTools({ add: (a, b) => a + b, later: async (x) => x });
      const failed = {};
      let heap = 0;
      const step = async (n) => {
        try {
          const { output, stats } = await executor.run(${JSON.stringify(code)});
          heap = Math.max(heap, stats.heapUsedBytes);
          if (output !== 1) failed[n] = output;
        } catch (error) {
          failed[n] = error.message;
        }
      };
      const warmUp = ${RUNS} / 10;
      let runs = 0;
      while (runs < warmUp) await step(runs++);
      const idle = () => until(() => compileThreads() === 0);
      globalThis.gc();
      await idle();
      const before = held();
      // Several times what they take: what cannot be collected near the limit makes every run a collection.
      const end = performance.now() + ${BOUND_MS};
      while (runs < ${RUNS} && performance.now() < end) await step(runs++);
      globalThis.gc();
      await idle();
      report({ before, after: held(), heap, failed, runs });
    `,
        { timeoutMs: 80_000 },
      );
      expect(failed).toStrictEqual({});
      expect(runs).toBe(RUNS);
      expect(heap).toBeLessThan(LIMIT_MB * (1 << 20));
      expect(after.descriptors).toBe(before.descriptors);
      expect(after.threads).toBeLessThanOrEqual(before.threads);
      expect(after.rssMb - before.rssMb).toBeLessThan(LIMIT_MB + 16);
    },
    90_000,
  );
});

test.runIf(onLinux)(
  'pages of ended isolates are returned to the system, whenever they end',
  { timeout: 180_000 },
  async () => {
    // V8 looks for them no more when there are none, and for five seconds after that nobody made it begin again.
    const levels = await measure(
      `
    const use = async () => {
      const executor = new SESExecutor({ memoryLimitMb: 64, maxOperations: 1e6, autoInit: true });
      await executor.run('const all = []; for (let i = 0; i < 90_000; i++) all.push({ i, text: "a" + i }); all.length');
      await executor.cleanup();
    };
    const useMany = async () => {
      for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 4 }, use));
    };
    await use();
    await settled();
    // V8 looks once a second, and gives back what was there the time before.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const before = rssMb();
    const levels = [];
    for (let i = 0; i < 2; i++) {
      await useMany();
      const peak = rssMb() - before;
      const isGivenBack = await until(() => rssMb() < before + ${RSS_BOUND_MB} / 2, 60_000);
      levels.push({ isGivenBack, peak, now: rssMb() - before });
    }
    report(levels);
  `,
      // On a machine with much else to do V8 looks later.
      { timeoutMs: 170_000 },
    );
    expect(levels.filter(({ isGivenBack }) => !isGivenBack)).toStrictEqual([]);
  },
);

test.runIf(onLinux)('an idle session takes less than 2.2 MiB of memory', async () => {
  const perSession = await measure(`
    const open = async () => {
      const executor = new SESExecutor({ memoryLimitMb: 64, warmPool: 0 });
      await executor.init();
      await executor.run('1 + 1');
      return executor;
    };
    const executors = [];
    const openMany = async (count) => {
      for (let i = 0; i < count; i++) executors.push(await open());
    };
    await openMany(10);
    const before = rssMb();
    await openMany(60);
    report((rssMb() - before) / 60);
    for (const executor of executors) await executor.cleanup();
  `);
  expect(perSession).toBeLessThan(2.2);
});

test.runIf(onLinux)('an idle session keeps little of the memory that its runs used, whatever they did', async () => {
  const { used, kept } = await measure(`
    const executors = Array.from({ length: 8 }, () => new SESExecutor({ memoryLimitMb: 256, warmPool: 0, maxOperations: 1e9 }));
    const runAll = async (code) => {
      for (const executor of executors) await executor.run(code);
    };
    for (const executor of executors) await executor.init();
    await runAll('1 + 1');
    const before = rssMb();
    const code = \`
      for (let k = 0; k < 10; k++) {
        const all = [];
        for (let i = 0; i < 20_000; i++) all.push({ i, text: 'a' + i });
      }
    \`;
    for (let i = 0; i < 4; i++) await runAll(code);
    const used = rssMb() - before;
    await until(() => rssMb() - before < used / 2, 20_000);
    report({ used, kept: rssMb() - before });
    for (const executor of executors) await executor.cleanup();
  `);
  expect(kept).toBeLessThan(used / 2);
});

describe.runIf(onLinux)('strings that the host has dropped are collected', () => {
  test.each([
    ['outputs', 'for (let i = 0; i < 400; i++) add((await executor.run(`"x".repeat(2e6)`)).output);'],
    ['arguments', 'await executor.run(`const text = "x".repeat(4e7); for (let i = 0; i < 20; i++) take(text);`);'],
  ])('also %s', async (_name, use) => {
    const { units, grownMb } = await measure(`
      let units = 0;
      let peak = 0;
      const add = (text) => {
        units += text.length;
        peak = Math.max(peak, rssMb());
      };
      const executor = new SESExecutor({ autoInit: true, timeoutMs: 60_000 });
      await executor.sendTools({ take: (text) => void add(text) });
      await executor.run('1');
      const before = rssMb();
      ${use}
      report({ units, grownMb: peak - before });
      await executor.cleanup();
    `);
    expect(units).toBe(8e8);
    expect(grownMb).toBeLessThan(400);
  });
});

describe.runIf(onLinux)('executors that are never cleaned up', () => {
  test('are collected with their threads, in whatever state they were left', async () => {
    const facts = await measure(`
      const quietly = (promise) => promise.then(() => {}, (error) => error.code);
      const states = {};
      const abandon = async () => {
        const made = Array.from({ length: 5 }, () => new SESExecutor({ autoInit: true, maxOperations: 1e15 }));
        const [, idle, timedOut, failed, stuck] = made;
        await idle.sendTools({ later: async (x) => x, self: () => idle.state });
        await idle.run('var kept = await later(1); self()');
        await quietly(timedOut.run('for (;;);', { timeoutMs: 5 }));
        await quietly(failed.run('null.x'));
        await quietly(stuck.run('await new Promise(() => {})', { timeoutMs: 5 }));
        for (const { state } of made) states[state] = (states[state] ?? 0) + 1;
      };
      // Few at a time: what allocators keep depends on how many there were at once.
      const rounds = async (count) => {
        let now;
        for (let i = 0; i < count; i++) {
          for (let k = 0; k < 4; k++) await abandon();
          now = await settled();
        }
        return now;
      };
      const before = await rounds(2);
      const after = await rounds(10);
      report({ before, after, states });
    `);
    expect(facts.states).toStrictEqual({ NEW: 48, READY: 96, DIRTY: 96 });
    expectNothingKept(facts);
  }, 60_000);

  test.each(['thread', 'process'])(
    'are collected without an explicit collection, with everything they hold: in a %s',
    async (isolation) => {
      const facts = await measure(
        `
      import { engineStats } from './index.mjs';
      let most = 0;
      const use = async () => {
        const executor = new SESExecutor({ isolation: '${isolation}', autoInit: true });
        await executor.sendTools({ later: async (x) => x });
        await executor.run('await later(1)');
        most = Math.max(most, engineStats().live);
      };
      for (let i = 0; i < 300; i++) await use();
      report({ most });
    `,
        { nodeArgs: [] },
      );
      expect(facts.most).toBeLessThan(200);
    },
    60_000,
  );

  test('are collected after their last run if nothing refers to them during that run', async () => {
    const facts = await measure(`
      const results = [];
      const start = (n) => {
        const executor = new SESExecutor({ autoInit: true });
        results.push(executor.sendTools({ later: async (x) => x }).then(() => executor.run('await later(' + n + ')')));
      };
      const round = async () => {
        for (let n = 0; n < 8; n++) start(n);
        globalThis.gc();
        const outputs = (await Promise.all(results.splice(0))).map(({ output }) => output);
        return { outputs, ...(await settled()) };
      };
      const before = await round();
      let after;
      for (let i = 0; i < 10; i++) after = await round();
      report({ before, after });
    `);
    expect(facts.after.outputs).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expectNothingKept(facts);
  }, 60_000);
});

test('a kept error keeps no executor, thread or worker process alive', async () => {
  const facts = await measure(`
    import { engineStats } from './index.mjs';
    const errors = [];
    const fail = async (isolation) => {
      await new SESExecutor({ isolation, autoInit: true }).run('null.x').catch((error) => errors.push(error));
    };
    for (const isolation of ['thread', 'process']) for (let i = 0; i < 5; i++) await fail(isolation);
    const isGone = await until(() => {
      globalThis.gc();
      return engineStats().live === 0;
    });
    report({ isGone, errors: errors.map(({ code }) => code) });
  `);
  expect(facts).toStrictEqual({ isGone: true, errors: Array(10).fill('ERR_RUNTIME_EXCEPTION') });
}, 60_000);

describe.runIf(onLinux)('worker threads that are terminated with executors alive inside', () => {
  const WORKER = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { SESExecutor } = require('ses-executor');
    (async () => {
      const executor = new SESExecutor({ autoInit: true, maxOperations: 1e15, timeoutMs: 60_000 });
      const inside = () => parentPort.postMessage('inside');
      await executor.sendTools({
        inside,
        block: () => {
          inside();
          for (;;);
        },
      });
      const run = executor.run(workerData.code);
      if (workerData.isIdle) {
        await run;
        inside();
        setInterval(() => executor.state, 1e6);
      }
    })();
  `;
  const KINDS = [
    { name: 'idle', code: '1', isIdle: true },
    { name: 'a loop', code: 'inside(); for (;;);' },
    { name: 'inside a synchronous tool', code: 'block()' },
  ];

  test('release everything, 50 times: idle, in a loop and inside a synchronous tool', async () => {
    const facts = await measure(
      `
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      const executor = new SESExecutor();
      await executor.init();
      await executor.run('var kept = 1;');
      const end = async (workerData) => {
        const worker = new Worker(${JSON.stringify(WORKER)}, { eval: true, execArgv: [], workerData });
        const [message] = await once(worker, 'message');
        if (message !== 'inside') throw new Error(message);
        return worker.terminate();
      };
      const statuses = {};
      const rounds = async (count) => {
        for (let i = 0; i < count; i++) {
          for (const status of await Promise.all(${JSON.stringify(KINDS)}.map(end))) {
            statuses[status] = (statuses[status] ?? 0) + 1;
          }
        }
        // The executor of the main thread stays.
        return settled({ executors: 1 });
      };
      const before = await rounds(5);
      const after = await rounds(50);
      const { output } = await executor.run('kept');
      await executor.cleanup();
      report({ before, after: { ...after, ...(await settled()), threads: after.threads }, statuses, output });
    `,
      { timeoutMs: 100_000 },
    );
    expect(facts.statuses).toStrictEqual({ 1: 165 });
    expect(facts.output).toBe(1);
    expectNothingKept(facts, 2 * RSS_BOUND_MB);
  }, 120_000);
});

describe.runIf(onLinux)('executors that time out', () => {
  test('release their threads once V8 has released the guest', async () => {
    // Searches a third of a second without looking at interrupts.
    const STUCK = 'Array.prototype.lastIndexOf.call({ length: 3e7 }, 1)';
    const facts = await measure(`
      const round = async () => {
        const executors = Array.from({ length: 8 }, () => new SESExecutor({ autoInit: true }));
        await Promise.all(executors.map((executor) => executor.init()));
        const codes = await Promise.all(
          executors.map((executor) => executor.run(${JSON.stringify(STUCK)}, { timeoutMs: 10 }).catch((error) => error.code)),
        );
        const states = executors.map(({ state }) => state);
        await Promise.all(executors.map((executor) => executor.cleanup()));
        const stuck = executorThreads();
        await Promise.all(executors.map((executor) => executor.init()));
        const again = await Promise.all(executors.map((executor) => executor.run('1 + 1')));
        await Promise.all(executors.map((executor) => executor.cleanup()));
        const outputs = again.map(({ output }) => output);
        return { codes: [...new Set(codes)], states: [...new Set(states)], outputs: [...new Set(outputs)], stuck, ...(await settled()) };
      };
      const before = await round();
      let after;
      for (let i = 0; i < 3; i++) after = await round();
      report({ before, after });
    `);
    for (const round of [facts.before, facts.after]) {
      expect(round).toMatchObject({ codes: ['ERR_EXEC_TIMEOUT'], states: ['DIRTY'], outputs: [2] });
    }
    // Else nothing was stuck, and the test shows nothing.
    expect(facts.before.stuck).toBeGreaterThan(0);
    expectNothingKept(facts);
  }, 60_000);
});

describe('process.exit() while 16 executors run', () => {
  const RUNS = {
    loops: 'for (;;);',
    'loops with allocations': 'let list = []; for (;;) { list.push({}); if (list.length > 1e4) list = []; }',
    'waits for tools': 'await never()',
    microtasks: 'const spin = async () => { for (;;) await null; }; await spin();',
    'tool calls': 'for (;;) tick();',
    'log lines': 'for (;;) console.log("line");',
    'built-ins that ignore interrupts': 'for (;;) Array.prototype.lastIndexOf.call({ length: 1e7 }, 1);',
    'expressions that backtrack': 'for (;;) /(a*)*b/.test("a".repeat(40));',
  };

  test.each(Object.entries(RUNS))('%s', async (_, code) => {
    const { status, signal, stdout, stderr } = await runChild(`
      import { SESExecutor } from './index.mjs';
      const executors = Array.from({ length: 16 }, () => new SESExecutor({ maxOperations: 1e15, timeoutMs: 60_000 }));
      await Promise.all(executors.map((executor) => executor.init()));
      let started = 0;
      const begin = () => {
        if (++started === executors.length) setImmediate(() => {
          console.log('leaving');
          process.exit(7);
        });
      };
      const tools = { begin, tick: () => 1, never: () => new Promise(() => {}) };
      await Promise.all(executors.map((executor) => executor.sendTools(tools)));
      const outcomes = executors.map((executor) => executor.run('begin();' + ${JSON.stringify(code)}));
      await Promise.race(outcomes);
      console.log('unreachable');
    `);
    expect({ status, signal, stdout, stderr }).toStrictEqual({
      status: 7,
      signal: null,
      stdout: 'leaving\n',
      stderr: '',
    });
  });
});
