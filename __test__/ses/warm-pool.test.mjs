// The pools of isolates that `init()` takes one from. The process counts them together, so each case has its own
// process.

import { describe, expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

const PRELUDE = `
  import { SESExecutor, engineStats } from './index.mjs';
  import { threads } from './__test__/children/measure.mjs';
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const warm = async (count) => { while (engineStats().warm !== count) await turn(); };
  const report = (facts) => console.log(JSON.stringify(facts));
  const codeOf = (promise) => promise.then(() => 'none', (error) => error.code);
`;

/** What `script` reports, from a process that must end by itself and say nothing else. */
async function facts(script) {
  const { stdout, ...rest } = await runChild(`${PRELUDE}${script}`);
  expect(rest).toStrictEqual({ status: 0, signal: null, stderr: '' });
  return JSON.parse(stdout);
}

describe('the pool', () => {
  test('has one isolate as soon as an executor exists, and that isolate does not count as live', async () => {
    expect(
      await facts(`
        const before = engineStats();
        new SESExecutor();
        await warm(1);
        report({ before, after: engineStats() });
      `),
    ).toStrictEqual({
      before: { live: 0, warm: 0, parked: 0, parkedBytes: 0, stuck: 0, stuckBytes: 0, terminated: 0 },
      after: { live: 0, warm: 1, parked: 0, parkedBytes: 0, stuck: 0, stuckBytes: 0, terminated: 0 },
    });
  });

  test('provides the isolate for init() and makes another in its place', async () => {
    expect(
      await facts(`
        const executor = new SESExecutor();
        await warm(1);
        const initialized = executor.init();
        const taken = { state: executor.state, live: engineStats().live, warm: engineStats().warm };
        await initialized;
        const { output } = await executor.run('40 + 2');
        await warm(1);
        const { live } = engineStats();
        await executor.cleanup();
        report({ taken, output, live, after: engineStats().live, state: executor.state });
      `),
    ).toStrictEqual({
      taken: { state: 'INITIALIZING', live: 1, warm: 0 },
      output: 42,
      live: 1,
      after: 0,
      state: 'DEAD',
    });
  });

  test('never hands one isolate to two executors', async () => {
    expect(
      await facts(`
        const seen = [];
        for (let i = 0; i < 20; i++) {
          const executor = new SESExecutor();
          await warm(1);
          await executor.init();
          await executor.sendVariables({ mine: i });
          await executor.sendTools({ tool: () => i });
          const { output, logs } = await executor.run(\`
            console.log(mine);
            const left = [typeof earlier, Object.keys(globalThis)];
            globalThis.earlier = mine;
            [left, tool()];
          \`);
          seen.push([output, logs]);
          await executor.cleanup();
        }
        report(seen);
      `),
    ).toStrictEqual(Array.from({ length: 20 }, (_, i) => [[['undefined', ['mine', 'tool']], i], `${i}`]));
  });

  test('is shared by executors with the same options and leaves other pools alone', async () => {
    expect(
      await facts(`
        const kept = [];
        const counts = [];
        for (const [warmPool, expected] of [[3, 3], [undefined, 4], [1, 4], [3, 4], [2, 6], [0, 6]]) {
          kept.push(new SESExecutor({ warmPool }));
          await warm(expected);
          counts.push(engineStats().warm);
        }
        const [none] = kept.slice(-1);
        await none.init();
        const { live, warm: left } = engineStats();
        await none.cleanup();
        report({ counts, live, left });
      `),
    ).toStrictEqual({ counts: [3, 4, 4, 4, 6, 6], live: 1, left: 6 });
  });

  test.runIf(process.platform === 'linux')('ends its threads with its last executor', async () => {
    expect(
      await facts(`
        import { setFlagsFromString } from 'node:v8';
        import { runInNewContext } from 'node:vm';
        setFlagsFromString('--expose-gc');
        const collect = runInNewContext('gc');
        let executor = new SESExecutor({ warmPool: 3 });
        await warm(3);
        const waiting = threads(/^ses-warm/);
        executor = undefined;
        while (engineStats().warm > 0 || threads(/^ses-warm/) > 0) {
          collect();
          await turn();
        }
        report({ waiting });
      `),
    ).toStrictEqual({ waiting: 3 });
  });
});

describe('the memory limit', () => {
  test('of an isolate from the pool is that of the executor', async () => {
    expect(
      await facts(`
        const bombs = [
          'const all = []; for (;;) all.push({ all });',
          'const all = []; for (;;) all.push(new Uint8Array(1 << 20));',
        ];
        const errors = [];
        for (const bomb of bombs) {
          const executor = new SESExecutor({ memoryLimitMb: 16, maxOperations: 1e9 });
          await warm(1);
          const initialized = executor.init();
          const { warm: left } = engineStats();
          await initialized;
          const { code, details } = await executor.run(bomb).catch((error) => error);
          errors.push({ left, code, limitBytes: details.limitBytes ?? details.name });
          await executor.cleanup();
        }
        report(errors);
      `),
    ).toStrictEqual([
      { left: 0, code: 'ERR_MEMORY_LIMIT_EXCEEDED', limitBytes: 16 * 2 ** 20 },
      { left: 0, code: 'ERR_RUNTIME_EXCEPTION', limitBytes: 'RangeError' },
    ]);
  });

  test('selects the isolate: at the second miss in a row, an isolate with the other limit replaces it', async () => {
    expect(
      await facts(`
        const left = [];
        const use = async (memoryLimitMb) => {
          const executor = new SESExecutor({ memoryLimitMb });
          const initialized = executor.init();
          left.push(engineStats().warm);
          await initialized;
          await executor.run('1');
          await executor.cleanup();
        };
        new SESExecutor({ memoryLimitMb: 32 });
        await warm(1);
        await use(64);
        await use(32);
        await warm(1);
        await use(64);
        await use(64);
        await warm(1);
        await use(64);
        await warm(1);
        report(left);
      `),
    ).toStrictEqual([1, 0, 1, 0, 0]);
  });
});

test('processor time before the hand-over does not count for a run', async () => {
  expect(
    await facts(`
      const executor = new SESExecutor({ maxCpuMs: 40, maxOperations: 1e15 });
      await warm(1);
      await executor.init();
      const { output } = await executor.run('1 + 1');
      const error = await executor.run('for (;;);').catch((error) => error);
      report({ output, code: error.code, reason: error.details.reason });
    `),
  ).toStrictEqual({ output: 2, code: 'ERR_EXEC_TIMEOUT', reason: 'cpu' });
});

test('cleanup() during the hand-over and a second init() both work', async () => {
  expect(
    await facts(`
      const codes = new Set();
      const outputs = new Set();
      for (let i = 0; i < 50; i++) {
        const executor = new SESExecutor();
        await warm(1);
        const initialized = codeOf(executor.init());
        await executor.cleanup();
        codes.add(await initialized);
        await executor.init();
        outputs.add((await executor.run('1 + 1')).output);
        await executor.cleanup();
      }
      // The thread of a session that was given up while it got its isolate finds that out a moment later.
      while (engineStats().live > 0) await new Promise(setImmediate);
      report({ codes: [...codes], outputs: [...outputs], live: engineStats().live });
    `),
  ).toStrictEqual({ codes: ['ERR_INVALID_STATE'], outputs: [2], live: 0 });
});

test('an isolate of the pool that V8 cannot continue is parked, and the pool continues', async () => {
  const { stdout } = await runChild(`${PRELUDE}
    const executor = new SESExecutor({ memoryLimitMb: 32, timeoutMs: 45_000 });
    await warm(1);
    await executor.init();
    const { code, details } = await executor.run('return "".split.call(new String("a".repeat(2 ** 28)), "");').catch((error) => error);
    const { parked, live } = engineStats();
    await executor.cleanup();
    await warm(1);
    await executor.init();
    const { output } = await executor.run('1 + 1');
    report({ code, isParked: details.parked, parked, live, output });
  `);
  expect(JSON.parse(stdout)).toStrictEqual({
    code: 'ERR_MEMORY_LIMIT_EXCEEDED',
    isParked: true,
    parked: 1,
    live: 0,
    output: 2,
  });
});

test('worker threads share the pool, and it outlives them', async () => {
  expect(
    await facts(`
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      new SESExecutor();
      await warm(1);
      const outputs = [];
      for (const end of ['await executor.cleanup();', '', 'setInterval(() => executor.state, 1e6);']) {
        const worker = new Worker(\`
          const { parentPort } = require('node:worker_threads');
          const { SESExecutor, engineStats } = require('ses-executor');
          (async () => {
            const executor = new SESExecutor();
            const initialized = executor.init();
            const { warm } = engineStats();
            await initialized;
            parentPort.postMessage([warm, (await executor.run('1 + 1')).output]);
            \${end}
          })();
        \`, { eval: true, execArgv: [] });
        const exited = once(worker, 'exit');
        const [message] = await once(worker, 'message');
        outputs.push(message);
        if (end.startsWith('setInterval')) await worker.terminate();
        await exited;
        await warm(1);
      }
      report(outputs);
    `),
  ).toStrictEqual([
    [0, 2],
    [0, 2],
    [0, 2],
  ]);
});

describe('the end of the process', () => {
  test.each([
    ['while isolates are made', ''],
    ['while they are ready', 'await warm(8);'],
  ])('is not delayed, %s', async (_, script) => {
    for (const exit of ['', 'process.exit();']) {
      const { stdout, ...rest } = await runChild(`${PRELUDE}
        const executor = new SESExecutor({ warmPool: 8 });
        await executor.init();
        ${script}
        console.log((await executor.run('1 + 1')).output);
        ${exit}
      `);
      expect({ stdout, ...rest }).toStrictEqual({ stdout: '2\n', status: 0, signal: null, stderr: '' });
    }
  });
});
