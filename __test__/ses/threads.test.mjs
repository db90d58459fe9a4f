// The threads of executors: how many there are, who gets the processor, and that none outlives what it was made for.

import { describe, expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

const onLinux = process.platform === 'linux';

/** For child processes: threads by their name, how many executor threads there are, and a wait until there are none. */
const COUNT_THREADS = `
  import { threadsOf } from './__test__/children/threads.mjs';
  const threadsNamed = (name) =>
    threadsOf('self', 'comm').filter(({ text }) => text.startsWith(name)).map(({ id }) => id);
  const threads = () => threadsNamed('ses-executor').length;
  // A thread has the name of the one that starts it until it gives itself its own.
  const threadsFall = async (count) => {
    while (threads() > count) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const threadsEnd = () => threadsFall(0);
`;

describe.runIf(onLinux)('init()', () => {
  test('fails without a thread: DEAD, ERR_SES_INIT_FAILED; a later init() can succeed', async () => {
    // Without address space for its stack the executor's thread cannot be made; one of the pool would be there already.
    const { status, stdout, stderr } = await runChild(`
      import { execFileSync } from 'node:child_process';
      import { readFileSync } from 'node:fs';
      import { SESExecutor } from './index.mjs';
      const limitTo = (bytes) => execFileSync('prlimit', ['--pid', String(process.pid), '--as=' + bytes + ':']);
      const size = () => 1024 * Number(/VmSize:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
      const executor = new SESExecutor({ warmPool: 0 });
      limitTo('unlimited');
      limitTo(size() + (1 << 20));
      let error;
      try {
        await executor.init();
      } catch (thrown) {
        error = thrown;
      }
      const state = executor.state;
      limitTo('unlimited');
      await executor.init();
      const { output } = await executor.run('1 + 1');
      const { name, severity, code, message, retryable } = error;
      console.log(JSON.stringify({ name, severity, code, message, retryable, state, output }));
    `);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toStrictEqual({
      name: 'ExecutorError',
      severity: 'FATAL',
      code: 'ERR_SES_INIT_FAILED',
      message: expect.stringMatching(/^SES init failed: ./),
      retryable: false,
      state: 'DEAD',
      output: 2,
    });
  });

  test('fails while the system denies V8 its threads; a later init() succeeds', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { spawn } from 'node:child_process';
      import { readFile } from 'node:fs/promises';
      import { createInterface } from 'node:readline';
      import { SESExecutor } from './index.mjs';
      // The threads of Node.js itself are there, which ends without them.
      await readFile('package.json');
      // The limit is none of root's.
      const uid = process.getuid() || 12345;
      const lines = 'while read limit; do prlimit --pid ' + process.pid + ' --nproc=$limit: && echo; done';
      const helper = spawn('sh', ['-c', lines], { uid });
      const answers = createInterface({ input: helper.stdout })[Symbol.asyncIterator]();
      const limitTo = async (threads) => {
        helper.stdin.write(threads + '\\n');
        await answers.next();
      };
      process.setuid(uid);
      const executor = new SESExecutor({ warmPool: 0 });
      const said = new Set();
      let threads = 0;
      while (executor.state !== 'READY') {
        if (executor.state === 'DEAD') await executor.cleanup();
        await limitTo(++threads);
        await executor.init().catch(({ code, message }) => said.add(code + ' ' + message));
      }
      await limitTo(threads + 100);
      const { output } = await executor.run('1 + 1');
      await executor.cleanup();
      helper.stdin.end();
      console.log(JSON.stringify([...said, output]));
    `);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    const refused = 'Resource temporarily unavailable (os error 11)';
    expect(JSON.parse(stdout)).toStrictEqual([
      `ERR_SES_INIT_FAILED SES init failed: no thread: ${refused}`,
      "ERR_SES_INIT_FAILED SES init failed: V8 cannot start threads: raise the system's limit (ulimit -u, RLIMIT_NPROC, " +
        `or pids.max of a container): ${refused}`,
      2,
    ]);
  });

  test('starts one thread for concurrent calls, and cleanup() ends it', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { SESExecutor } from './index.mjs';
      ${COUNT_THREADS}
      const executor = new SESExecutor();
      await Promise.all([executor.init(), executor.init(), executor.init()]);
      await threadsFall(1);
      const alive = threads();
      await executor.cleanup();
      await threadsEnd();
      console.log(alive, threads());
    `);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '1 0\n', stderr: '' });
  });

  test("threads that run, collect and compile for guests have a lower priority than the host's", async () => {
    const { status, stdout, stderr } = await runChild(`
      import { getPriority } from 'node:os';
      import { SESExecutor } from './index.mjs';
      ${COUNT_THREADS}
      const executor = new SESExecutor({ warmPool: 0 });
      await executor.init();
      await executor.run('1');
      const steps = async (name) => {
        let found;
        while ((found = threadsNamed(name)).length === 0) await new Promise((resolve) => setImmediate(resolve));
        return [...new Set(found.map((thread) => getPriority(thread) - getPriority(process.pid)))];
      };
      console.log(JSON.stringify([await steps('ses-executor'), await steps('V8 DefaultWorke')]));
      await executor.cleanup();
    `);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '[[5],[5]]\n', stderr: '' });
  });
});

test.runIf(onLinux).each([
  ['keeps the results of built-ins', 'const hoard = []; for (;;) hoard.push(new Array(10));'],
  ['calls a built-in', 'const a = new Array(10); for (;;) a.fill(0.5);'],
])('the thread of a run that timed out ends even if its loop only %s', async (_, code) => {
  const { status, signal, stdout, stderr } = await runChild(`${COUNT_THREADS}
    import { SESExecutor, engineStats } from './index.mjs';
    const executor = new SESExecutor({ maxOperations: 1e12, memoryLimitMb: 2048 });
    await executor.init();
    const error = await executor.run(${JSON.stringify(`(() => { ${code} })()`)}, { timeoutMs: 200 }).catch((e) => e);
    await threadsEnd();
    console.log(error.code, engineStats().parked);
  `);
  expect({ status, signal, stdout, stderr }).toStrictEqual({
    status: 0,
    signal: null,
    stdout: 'ERR_EXEC_TIMEOUT 0\n',
    stderr: '',
  });
});

describe.runIf(onLinux)('an unreferenced executor', () => {
  test('is collected with its thread, in whatever state it was left', async () => {
    const { status, stdout, stderr } = await runChild(
      `
      import { SESExecutor } from './index.mjs';
      ${COUNT_THREADS}
      let collected = 0;
      const registry = new FinalizationRegistry(() => collected++);
      const make = async () => {
        const idle = new SESExecutor();
        await idle.init();
        await idle.sendTools({ tool: async () => 1, self: () => idle.state });
        await idle.run('await tool(); self()');
        const listening = new SESExecutor({ autoInit: true, onLog: () => listening.state });
        await listening.run('console.log(1)');
        const dirty = new SESExecutor({ autoInit: true });
        await dirty.run('await new Promise(() => {})', { timeoutMs: 10 }).catch(() => {});
        const dead = new SESExecutor({ autoInit: true });
        await dead.run('1');
        await dead.cleanup();
        const made = [new SESExecutor(), idle, listening, dirty, dead];
        made.forEach((executor) => registry.register(executor));
        return made.length;
      };
      let made = 0;
      for (let i = 0; i < 3; i++) made += await make();
      while (collected < made) {
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await threadsEnd();
      console.log(made, collected, threads());
    `,
      { nodeArgs: ['--expose-gc'] },
    );
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '15 15 0\n', stderr: '' });
  });
});

describe('worker threads', () => {
  /** What workers run; `workerData.code` is what their guest runs. */
  const WORKER = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { SESExecutor } = require('ses-executor');
    (async () => {
      const executor = new SESExecutor({ autoInit: true, maxOperations: 1e15, maxToolCalls: 2 ** 32 - 1, timeoutMs: 60_000 });
      await executor.sendTools({ started: (n) => (parentPort.postMessage('started'), n), never: () => new Promise(() => {}) });
      const { output } = await executor.run(workerData.code);
      parentPort.postMessage(output);
    })();
  `;
  const PRELUDE = `
    import { once } from 'node:events';
    import { Worker } from 'node:worker_threads';
    import { SESExecutor } from './index.mjs';
    const start = (code) => new Worker(${JSON.stringify(WORKER)}, { eval: true, execArgv: [], workerData: { code } });
    const messages = (worker) => {
      const all = [];
      worker.on('message', (message) => all.push(message));
      return once(worker, 'exit').then(([status]) => [...all, status]);
    };
  `;

  test('a worker runs code and ends although its executor is idle', async () => {
    const { status, stdout, stderr } = await runChild(`${PRELUDE}
      console.log(JSON.stringify(await messages(start('started(20) + 1'))));
    `);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '["started",21,0]\n', stderr: '' });
  });

  test('two workers and the main thread run guests at the same time', async () => {
    const { status, stdout, stderr } = await runChild(`${PRELUDE}
      const executor = new SESExecutor({ autoInit: true });
      const results = await Promise.all([
        messages(start('started(1); let n = 0; for (let i = 0; i < 1e5; i++) n += i; n')),
        messages(start('started(2); let n = 0; for (let i = 0; i < 1e5; i++) n += 2 * i; n')),
        executor.run('"main"').then(({ output }) => output),
      ]);
      console.log(JSON.stringify([...results, (await executor.run('"still here"')).output]));
    `);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toStrictEqual([
      ['started', 4999950000, 0],
      ['started', 9999900000, 0],
      'main',
      'still here',
    ]);
  });

  test.runIf(onLinux).each([
    ['while guest code loops', 'started(); for (;;);'],
    ['while guest code waits for a tool', 'started(); await never()'],
    ['while its tools are called without end', 'for (;;) started()'],
  ])('a worker can be terminated with an executor alive inside, %s', async (_, code) => {
    const { status, signal, stdout, stderr } = await runChild(`${PRELUDE}${COUNT_THREADS}
      const executor = new SESExecutor({ autoInit: true });
      await executor.run('var kept = 1;');
      const worker = start(${JSON.stringify(code)});
      await once(worker, 'message');
      await worker.terminate();
      while (threads() > 1) await new Promise((resolve) => setTimeout(resolve, 2));
      console.log((await executor.run('kept')).output, threads());
    `);
    expect({ status, signal, stdout, stderr }).toStrictEqual({ status: 0, signal: null, stdout: '1 1\n', stderr: '' });
  });

  test('a worker can be terminated with an idle executor inside', async () => {
    const { status, signal, stdout, stderr } = await runChild(`${PRELUDE}
      const worker = new Worker(${JSON.stringify(`${WORKER}; setInterval(() => {}, 1e6);`)}, {
        eval: true,
        execArgv: [],
        workerData: { code: '"ran"' },
      });
      const [output] = await once(worker, 'message');
      const status = await worker.terminate();
      console.log(output, status);
    `);
    expect({ status, signal, stdout, stderr }).toStrictEqual({
      status: 0,
      signal: null,
      stdout: 'ran 1\n',
      stderr: '',
    });
  });

  test('workers can start and end many times', async () => {
    const { status, signal, stdout, stderr } = await runChild(`${PRELUDE}
      for (let i = 0; i < 5; i++) {
        const workers = [start('started(); for (;;);'), start('started(); await never()')];
        await Promise.all(workers.map((worker) => once(worker, 'message')));
        await Promise.all(workers.map((worker) => worker.terminate()));
      }
      console.log((await new SESExecutor({ autoInit: true }).run('"fine"')).output);
    `);
    expect({ status, signal, stdout, stderr }).toStrictEqual({ status: 0, signal: null, stdout: 'fine\n', stderr: '' });
  });
});
