// What a worker process can reach: nothing of its host, and less of the system than any other program. What the kernel
// answers to each thing that a worker could try is tested by `crates/sandbox/tests/probes.rs`.

import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

import { describe, expect, test } from 'vitest';

import { threadsOf } from '../children/threads.mjs';
import { runChild, spawnProgram } from '../helpers.mjs';
import { descriptorsOf, inProcess, isLinux, pidOf, withProcess } from './helpers.mjs';

/** Fields of `/proc/<pid>/status`, by their names. */
const fieldsOf = (text) => Object.fromEntries(text.split('\n').map((line) => line.split(/:\s+/)));
const statusOf = (pid) => fieldsOf(readFileSync(`/proc/${pid}/status`, 'utf8'));
/** The same fields of each thread that has not ended. */
const statusesOf = (pid) => threadsOf(pid, 'status').map(({ id, text }) => ({ id, ...fieldsOf(text) }));

/** Soft and hard limits of a process, by their names. */
const limitsOf = (pid) =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/limits`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => [line.slice(0, 26).trim(), line.slice(26, 66).trim().split(/\s+/)]),
  );

describe.runIf(isLinux)('P8 a worker process', () => {
  test('has three pipes to its host and no other descriptor', async () => {
    const server = createServer();
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    await withProcess({ spares: 0, sandbox: 'best-effort' }, {}, async (executor) => {
      const descriptors = descriptorsOf(pidOf(executor));
      expect(Object.values(descriptors).every((target) => target.startsWith('pipe:'))).toBe(true);
      expect(new Set(Object.values(descriptors)).size).toBe(3);
    });
    await new Promise((resolve) => server.close(resolve));
  });

  test('gets no descriptor that the host left open for its children', async () => {
    // Descriptor 3 of this child is open for those that it starts.
    const { status, stdout, stderr } = await runChild(`
      import { spawnSync } from 'node:child_process';
      import { openSync } from 'node:fs';
      const script = \`
        import { SESExecutor } from './index.mjs';
        import { descriptorsOf } from './__test__/process/helpers.mjs';
        const executor = new SESExecutor({ isolation: 'process' });
        await executor.init();
        console.log(JSON.stringify(Object.keys(descriptorsOf(executor.isolation.pid)).length));
        console.log(Object.values(descriptorsOf(executor.isolation.pid)).some((target) => target.includes('passwd')));
        await executor.cleanup();
      \`;
      const stdio = ['ignore', 'pipe', 'inherit', openSync('/etc/passwd'), openSync('/etc/passwd')];
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { stdio, encoding: 'utf8' });
      process.stdout.write(stdout);
    `);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '4\nfalse\n', stderr: '' });
  });

  test('has an empty environment, its own folder and group, no terminal, and no program file except the addon', async () => {
    await withProcess({}, {}, async (executor) => {
      const pid = pidOf(executor);
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
      expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
      const standing = (id) => {
        const stat = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1];
        const [, , group, session, terminal] = stat.split(' ').map(Number);
        return { group, session, terminal };
      };
      // Processors are divided among sessions first: in another one it would not be nicer than its host.
      expect(standing(pid)).toStrictEqual({ group: pid, session: standing(process.pid).session, terminal: 0 });
      expect(readlinkSync(`/proc/${pid}/exe`)).toMatch(/\/ses-executor-worker$/);
    });
  });

  test('is killed before its host when memory runs out', async () => {
    await withProcess({}, {}, async (executor) => {
      const scoreOf = (pid) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'));
      expect(scoreOf(pidOf(executor))).toBe(Math.max(scoreOf(process.pid), 300));
    });
  });

  test('is under landlock and seccomp with all of its threads and cannot gain privileges', async () => {
    await withProcess({ sandbox: 'required' }, {}, async (executor) => {
      expect(executor.isolation).toStrictEqual({
        mode: 'process',
        pid: pidOf(executor),
        sandbox: { landlock: true, seccomp: true },
      });
      const pid = pidOf(executor);
      const threads = statusesOf(pid);
      expect(threads[0].id).toBe(pid);
      expect(threads.length).toBeGreaterThan(1);
      const confined = threads.map(({ id }) => ({ id, NoNewPrivs: '1', Seccomp: '2' }));
      expect(threads.map(({ id, NoNewPrivs, Seccomp }) => ({ id, NoNewPrivs, Seccomp }))).toStrictEqual(confined);
    });
  });

  test('receives the signal that ends guest code on its first thread only', async () => {
    await withProcess({ sandbox: 'best-effort' }, {}, async (executor) => {
      const pid = pidOf(executor);
      // SIGUSR1.
      const takes = ({ SigBlk, SigCgt }) => ((BigInt(`0x${SigCgt}`) & ~BigInt(`0x${SigBlk}`)) >> 9n) & 1n;
      const takers = () => statusesOf(pid).filter((thread) => takes(thread) === 1n);
      expect(statusesOf(pid).length).toBeGreaterThan(1);
      // A thread blocks all signals for the moment in which it starts another one.
      await expect.poll(() => takers().map(({ id }) => id)).toStrictEqual([pid]);
    });
  });

  // None begins once limits and filter are set. The thread that compiles came when a function was hot: there was none
  // where the host is not root, which is exempt from that limit, and guests waited for each function that V8 optimised.
  test('has all of its threads before it gets code, including the compile thread', async () => {
    await withProcess({ spares: 0, maxOperations: 1e9 }, {}, async (executor) => {
      const threads = () => readdirSync(`/proc/${pidOf(executor)}/task`);
      // A thread has the name of the one that starts it until it gives itself its own.
      await expect.poll(() => statusesOf(pidOf(executor)).map(({ Name }) => Name)).toContain('ses-compile');
      const before = threads();
      await executor.run(
        'const f = (n) => { let s = 0; for (let i = 0; i < n; i++) s = (s + i) & 255; return s; }; f(1e7)',
      );
      expect(before).toStrictEqual(expect.arrayContaining(threads()));
    });
  });

  test('can make no processes, descriptors, files or core dumps, whatever its sandbox', async () => {
    for (const sandbox of ['off', 'best-effort']) {
      await withProcess({ sandbox }, {}, async (executor) => {
        const limits = limitsOf(pidOf(executor));
        expect(limits['Max processes']).toStrictEqual(['0', '0']);
        expect(limits['Max open files']).toStrictEqual(['3', '3']);
        expect(limits['Max file size']).toStrictEqual(['0', '0']);
        expect(limits['Max core file size']).toStrictEqual(['0', '0']);
        expect((await executor.run('1 + 1')).output).toBe(2);
      });
    }
  });

  // Workers with folders asked for 512 descriptors, which only privileges get beyond what the host may have.
  test('may have no more descriptors than its host', async () => {
    const script = `
      import { readFileSync } from 'node:fs';
      import { PyodideExecutor } from './build/python/index.js';
      const executor = new PyodideExecutor([], { isolation: 'process' });
      await executor.init();
      const [limit] = /Max open files.*/.exec(readFileSync('/proc/' + executor.isolation.pid + '/limits', 'latin1'));
      console.log(limit.split(/ {2,}/).slice(1, 3).join(' '), (await executor.run('40 + 2')).output);
      await executor.cleanup();`;
    const node = ['ulimit -n 256; exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval', script];
    const { status, stdout, stderr } = await spawnProgram('sh', ['-c', ...node]);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '256 256 42\n', stderr: '' });
  });

  test('has no sandbox if that is off', async () => {
    await withProcess({ sandbox: 'off' }, {}, async (executor) => {
      expect(executor.isolation.sandbox).toStrictEqual({ landlock: false, seccomp: false });
      expect(statusOf(pidOf(executor)).Seccomp).toBe('0');
    });
  });

  test('has the time zone and the locale of its host', async () => {
    const script = `
      import { SESExecutor } from './index.mjs';
      const seen = 'const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions(); [timeZone, locale, String(new Date(0))].join()';
      for (const isolation of ['thread', 'process']) {
        const executor = new SESExecutor({ isolation });
        await executor.init();
        console.log((await executor.run(seen)).output);
        await executor.cleanup();
      }
    `;
    const env = { TZ: 'Asia/Kolkata', LC_ALL: 'de_DE.UTF-8' };
    const { status, stdout, stderr } = await runChild(script, { env });
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    const [thread, own] = stdout.trim().split('\n');
    expect(own).toBe(thread);
    expect(own).toContain('GMT+0530');
  });
});

test('isolation describes the process and the sandbox of the isolate', async () => {
  const executor = inProcess();
  expect(executor.isolation).toStrictEqual({ mode: 'process', pid: undefined, sandbox: undefined });
  await executor.init();
  const { pid } = executor.isolation;
  expect(pid).toBeGreaterThan(0);
  expect(pid).not.toBe(process.pid);
  await executor.cleanup();
  expect(executor.isolation.pid).toBe(undefined);
});
