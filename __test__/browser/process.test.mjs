// The processes of the browser: what holds them, how runs end when they end, and that none is left.

import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import browserModule from '../../build/browser/browser.js';
import find from '../../build/browser/browser-path.js';
import { expectCode, neverTool, runChild, spawnProgram, withFolder } from '../helpers.mjs';
import { chromeProcesses, killAll, make, until, withBrowser } from './helpers.mjs';

const { Browser } = browserModule;
const { findChrome } = find;
const isLinux = process.platform === 'linux';
const status = (pid, name) =>
  new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1];
const namespace = (pid, name) => readlinkSync(`/proc/${pid}/ns/${name}`);

describe.runIf(isLinux)('on Linux', () => {
  test('P15 pages have seccomp, namespaces, and as root another user', async () => {
    const { tool, called } = neverTool();
    await withBrowser({ warmTabs: 0 }, { never: tool }, async (executor) => {
      executor.run('await never()').catch(() => {});
      await called;
      const pages = chromeProcesses().filter(({ type }) => type === 'renderer');
      expect(pages.length).toBeGreaterThan(0);
      for (const { pid } of pages) {
        expect(status(pid, 'Seccomp')).toBe('2');
        expect(namespace(pid, 'user')).not.toBe(namespace('self', 'user'));
        expect(namespace(pid, 'pid')).not.toBe(namespace('self', 'pid'));
        expect(namespace(pid, 'net')).not.toBe(namespace('self', 'net'));
        if (process.getuid() === 0) expect(status(pid, 'Uid')).not.toBe('0');
      }
      const browser = chromeProcesses().find(({ type }) => type === 'browser');
      expect(browser.args).not.toContain('--no-sandbox');
      expect(namespace(browser.pid, 'net')).not.toBe(namespace('self', 'net'));
      expect(browser.args.some((arg) => arg.startsWith('--remote-debugging-port'))).toBe(false);
    });
  });

  test.each(['renderer', 'gpu-process', 'browser'])(
    'a run whose %s is killed fails or continues, and the next one works',
    async (type) => {
      const { tool, called } = neverTool();
      await withBrowser({ warmTabs: 0, timeoutMs: 20_000 }, { never: tool }, async (executor) => {
        const run = executor.run(type === 'gpu-process' ? '1' : 'await never()');
        run.catch(() => {});
        if (type !== 'gpu-process') await called;
        killAll(chromeProcesses().filter((one) => one.type === type));
        if (type === 'gpu-process') await run;
        else {
          const error = await expectCode(run, 'ERR_BROWSER_CRASHED');
          expect(error).toMatchObject({
            retryable: true,
            severity: 'ERROR',
            details: { reason: 'the process of the page has ended' },
          });
          expect(error.stats.toolCalls).toBe(1);
        }
        expect(executor.state).toBe('READY');
        expect((await executor.run('7')).output).toBe(7);
      });
    },
  );

  test('a session whose page is killed between two runs reports that immediately', async () => {
    await withBrowser({ isolation: 'session', warmTabs: 0, timeoutMs: 120_000 }, {}, async (executor) => {
      await executor.run('1');
      killAll(chromeProcesses().filter(({ type }) => type === 'renderer'));
      await until(() => chromeProcesses().every(({ type }) => type !== 'renderer'));
      const error = await expectCode(executor.run('2'), 'ERR_BROWSER_CRASHED');
      expect(error.stats.durationMs).toBeLessThan(60_000);
      expect(executor.state).toBe('DIRTY');
      await executor.cleanup();
      await executor.init();
      expect((await executor.run('3')).output).toBe(3);
    });
  });

  test.each(['run', 'session'])('a page that ended before code ran in it is replaced: %s', async (isolation) => {
    await withBrowser({ isolation, timeoutMs: 60_000 }, {}, async (executor) => {
      if (isolation === 'run') await executor.run('1');
      await until(() => chromeProcesses().some(({ type }) => type === 'renderer'));
      // Nobody knows of it when the run gets it.
      killAll(chromeProcesses().filter(({ type }) => type === 'renderer'));
      expect((await executor.run('const kept = 7; kept')).output).toBe(7);
      expect(executor.state).toBe('READY');
    });
  });

  // Chrome goes on without the process that starts those of its pages, and each page ended at once, for as long as
  // executors used it.
  test.each(['run', 'session'])('a browser that cannot make pages any more is replaced: %s', async (isolation) => {
    await withBrowser({ isolation, warmTabs: 0, timeoutMs: 50_000 }, {}, async (executor) => {
      const before = chromeProcesses();
      killAll(before.filter(({ type }) => type === 'zygote'));
      await executor.cleanup();
      await executor.init();
      expect((await executor.run('40 + 2')).output).toBe(42);
      const [browser] = before.filter(({ type }) => type === 'browser');
      expect(chromeProcesses().map(({ pid }) => pid)).not.toContain(browser.pid);
    });
  });

  test('a run waits for its page no longer than its deadline', async () => {
    await withBrowser({ warmTabs: 0 }, {}, async (executor) => {
      const [{ pid }] = chromeProcesses().filter(({ type }) => type === 'browser');
      process.kill(pid, 'SIGSTOP');
      const error = await expectCode(executor.run('1', { timeoutMs: 300 }), 'ERR_EXEC_TIMEOUT');
      process.kill(pid, 'SIGCONT');
      expect(error.details).toStrictEqual({ timeoutMs: 300, reason: 'deadline' });
      // A browser that does not open a page is given up after 10 s.
      expect(error.stats.durationMs).toBeLessThan(9_000);
      expect((await executor.run('2')).output).toBe(2);
    });
  });

  test('a browser that does not answer is replaced', async () => {
    const { tool, called } = neverTool();
    await withBrowser({ timeoutMs: 8_000 }, { never: tool }, async (executor) => {
      const run = executor.run('await never()');
      run.catch(() => {});
      await called;
      const hung = chromeProcesses().filter(({ type }) => type === 'browser');
      for (const { pid } of hung) process.kill(pid, 'SIGSTOP');
      await expectCode(run, 'ERR_EXEC_TIMEOUT');
      expect((await executor.run('2', { timeoutMs: 30_000 })).output).toBe(2);
      for (const { pid } of hung) expect(chromeProcesses().map((one) => one.pid)).not.toContain(pid);
    });
  });

  test('P15 a killed Node.js leaves no process and no folder', async () => {
    const { stdout, signal } = await runChild(`
      import { BrowserExecutor } from './build/browser/index.js';
      import { chromeProcesses } from './__test__/browser/helpers.mjs';
      const executor = new BrowserExecutor({ fallback: false });
      await executor.init();
      await executor.sendTools({ die: () => {
        console.log(JSON.stringify(chromeProcesses().map(({ pid, args }) => [pid, args.find((arg) => arg.startsWith('--user-data-dir='))])));
        process.kill(process.pid, 'SIGKILL');
      } });
      await executor.run('die()');`);
    expect(signal).toBe('SIGKILL');
    const left = JSON.parse(stdout);
    expect(left.length).toBeGreaterThan(3);
    const isAlive = (pid) => {
      try {
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
      } catch {
        return false;
      }
    };
    await until(() => !left.some(([pid]) => isAlive(pid)));
    const folder = left.flatMap(([, arg]) => arg ?? [])[0].slice('--user-data-dir='.length);
    // A browser that is started sweeps what others have left.
    const { sweepProfiles } = await import('../../build/browser/profiles.js');
    sweepProfiles();
    expect(() => readFileSync(join(folder, 'Local State'))).toThrow('ENOENT');
  });
});

// The folder of such a browser stayed as long as the process, one for each thread.
test.runIf(isLinux)('the next start removes the folder of a browser whose worker thread was terminated', async () => {
  const { status, stdout, stderr } = await runChild(`
    import { readdirSync } from 'node:fs';
    import { once } from 'node:events';
    import { tmpdir } from 'node:os';
    import { Worker } from 'node:worker_threads';
    const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('ses-executor-browser-' + process.pid + '-'));
    const script = \`
      const { parentPort } = require('node:worker_threads');
      const { BrowserExecutor } = require(process.cwd() + '/build/browser/index.js');
      const executor = new BrowserExecutor({ autoInit: true });
      executor.run('1 + 1').then(({ output }) => parentPort.postMessage(output));
      setInterval(() => {}, 1_000);\`;
    const workers = [1, 2].map(() => new Worker(script, { eval: true, execArgv: [] }));
    const ready = await Promise.all(workers.map((worker) => once(worker, 'message')));
    const both = folders();
    await workers[0].terminate();
    const { sweepProfiles } = await import('./build/browser/profiles.js');
    while (folders().length > 1) {
      sweepProfiles();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    console.log(ready.join(), both.length, both.includes(folders()[0]));
    await workers[1].terminate();
    while (folders().length > 0) {
      sweepProfiles();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  `);
  expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '2,2 2 true\n', stderr: '' });
});

// What Chrome says in every container was told as the reason for whatever had ended it.
test.runIf(isLinux)('a missing D-Bus is not reported as the reason for the end of a browser', async () => {
  await withFolder(async (folder) => {
    const executablePath = join(folder, 'chrome');
    const bus = '[1:1:1128/0943:ERROR:dbus/bus.cc:408] Failed to connect to the bus: Failed to connect to socket';
    writeFileSync(executablePath, `#!/bin/sh\necho '${bus}' >&2\nexit 5\n`, { mode: 0o755 });
    await spawnProgram('chmod', ['755', folder]);
    const error = await expectCode(make({ executablePath }).init(), 'ERR_BROWSER_INIT_FAILED');
    expect(error.details.reason).toBe(`${executablePath} cannot be used: it has ended with exit status 5`);
  });
});

describe.runIf(isLinux)('a browser that is slow to start', () => {
  const slow = async (body) =>
    withFolder(async (folder) => {
      const executablePath = join(folder, 'chrome');
      writeFileSync(executablePath, '#!/bin/sh\nexec cat <&3 >/dev/null\n', { mode: 0o755 });
      await spawnProgram('chmod', ['755', folder]);
      const executor = make({ executablePath, autoInit: true, timeoutMs: 5_000 });
      try {
        await body(executor);
      } finally {
        await executor.cleanup();
      }
    });

  test('does not delay init() when cleanup() is called', async () => {
    await slow(async (executor) => {
      const waiting = [executor.init(), executor.run('1')].map((call) => expectCode(call, 'ERR_INVALID_STATE'));
      await executor.cleanup();
      for (const error of await Promise.all(waiting)) {
        expect(error.details).toStrictEqual({ state: 'DEAD', operation: 'init', hint: 'cleanup() was called' });
      }
    });
  });

  test('does not delay an aborted run', async () => {
    await slow(async (executor) => {
      const controller = new AbortController();
      const run = expectCode(executor.run('1', { signal: controller.signal }), 'ERR_EXEC_TIMEOUT');
      controller.abort(new Error('enough'));
      expect((await run).details).toStrictEqual({ timeoutMs: 5_000, aborted: true, reason: 'enough' });
      expect(executor.state).toBe('INITIALIZING');
    });
  });
});

test('a busy host does not mistake a browser for one that does not answer', async () => {
  const { stdout } = await runChild(`
    import { BrowserExecutor } from './build/browser/index.js';
    const make = (options) => new BrowserExecutor({ fallback: false, timeoutMs: 40_000, ...options });
    const block = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const session = make({ isolation: 'session' });
    const other = make();
    await Promise.all([session.init(), other.init()]);
    await session.run('let kept = 7');
    await other.run('1');
    // Its page is closed now, and the next one is made.
    block(11_000);
    await new Promise((done) => setTimeout(done, 100));
    console.log((await session.run('kept')).output);`);
  expect(stdout).toBe('7\n');
});

test('an idle browser does not keep the process alive', async () => {
  const { stdout, status: code } = await runChild(`
    import { BrowserExecutor } from './build/browser/index.js';
    const executor = new BrowserExecutor({ fallback: false });
    await executor.init();
    console.log((await executor.run('40 + 2')).output);`);
  expect([stdout, code]).toStrictEqual(['42\n', 0]);
});

// Node.js makes no pipes for a process that it has no descriptors for, and tells of that by an event that had no
// listener yet.
test.runIf(isLinux).each([1, 8])(
  'a host with %i free descriptors continues, and can start a browser later',
  async (left) => {
    const script = `
    import { closeSync, openSync, readdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { BrowserExecutor } from './build/browser/index.js';
    const open = [];
    try { for (;;) open.push(openSync('/dev/null')); } catch {}
    const free = (count) => open.splice(0, count).forEach((descriptor) => closeSync(descriptor));
    free(${left});
    const executor = new BrowserExecutor({ fallback: false });
    const { code, details: { reason } } = await executor.init().catch((error) => error);
    free(open.length);
    const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('ses-executor-browser-' + process.pid + '-'));
    await executor.init();
    console.log(JSON.stringify([code, reason, folders, (await executor.run('40 + 2')).output]));`;
    const node = ['ulimit -Sn 100; exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval', script];
    const { stdout, stderr, status } = await spawnProgram('sh', ['-c', ...node]);
    expect([status, stderr]).toStrictEqual([0, '']);
    const [code, reason, folders, output] = JSON.parse(stdout);
    expect([code, folders, output]).toStrictEqual(['ERR_BROWSER_INIT_FAILED', [], 42]);
    expect(reason).toMatch(/cannot be used: it could not be started: spawn \S+ EMFILE$/);
  },
);

// The browser that was killed had its folder removed when its end was heard of, which a process that has ended does not
// do.
test.runIf(isLinux).each(['', 'process.exit();'])(
  'a process that ends leaves no folder of its browser: "%s"',
  async (last) => {
    const { stdout, status } = await runChild(`
    import { BrowserExecutor } from './build/browser/index.js';
    import { chromeProcesses } from './__test__/browser/helpers.mjs';
    const executor = new BrowserExecutor({ fallback: false });
    await executor.init();
    await executor.run('40 + 2');
    const [folder] = chromeProcesses().flatMap(({ args }) => args.find((arg) => arg.startsWith('--user-data-dir=')) ?? []);
    console.log(folder.slice('--user-data-dir='.length));
    ${last}`);
    expect(status).toBe(0);
    expect(stdout).toContain('ses-executor-browser-');
    expect(existsSync(stdout.trim())).toBe(false);
  },
);

test('pages that are made ahead do not keep the process alive', async () => {
  const { stdout, status: code } = await runChild(`
    import { BrowserExecutor } from './build/browser/index.js';
    const executors = Array.from({ length: 3 }, () => new BrowserExecutor({ fallback: false }));
    await Promise.all(executors.map((executor) => executor.init()));
    const results = await Promise.all(executors.map((executor) => executor.run('40 + 2')));
    console.log(results.map(({ output }) => output).join());`);
  expect([stdout, code]).toStrictEqual(['42,42,42\n', 0]);
});

test('executors share a browser', async () => {
  await withBrowser({}, {}, async (one) => {
    await withBrowser({}, {}, async (other) => {
      expect((await Promise.all([one.run('1'), other.run('2')])).map(({ output }) => output)).toStrictEqual([1, 2]);
      if (isLinux) expect(chromeProcesses().filter(({ type }) => type === 'browser')).toHaveLength(1);
    });
  });
});

describe('without a browser', () => {
  const executablePath = '/nowhere/chrome';

  test('`fallback: false` fails with advice', async () => {
    const executor = make({ executablePath });
    const error = await expectCode(executor.init(), 'ERR_BROWSER_INIT_FAILED');
    expect(error.message).toMatch(
      /^Browser init failed: there is no program at \/nowhere\/chrome, which the option `executablePath` names; install Chrome or Chromium/,
    );
    expect(error).toMatchObject({ severity: 'FATAL', retryable: false });
    expect(executor.state).toBe('DEAD');
  });

  test('runs go to SESExecutor with a warning by default', async () => {
    const { stdout, stderr } = await runChild(`
      import { BrowserExecutor } from './build/browser/index.js';
      const executor = new BrowserExecutor({ executablePath: '/nowhere/chrome' });
      await executor.init();
      await executor.sendTools({ add: (a, b) => a + b });
      await executor.sendVariables({ v: 1 });
      console.log(JSON.stringify(await executor.run('add(v, input.n)', { input: { n: 2 } }).then(({ output, artifacts }) => [output, artifacts])));
      console.log(await executor.run('getCanvas(1, 1)').catch((error) => error.message));
      console.log(executor.state);
      await executor.cleanup();
      console.log(executor.state);`);
    expect(stdout).toBe(
      '[3,[]]\nTool execution failed: there is no browser here, and therefore no canvas: install Chrome or Chromium, and see the process warning\nREADY\nDEAD\n',
    );
    expect(stderr).toContain('SES_EXECUTOR_BROWSER_FALLBACK');
    expect(stderr).toContain('there is no program at /nowhere/chrome');
  });

  test('the fallback keeps nothing of earlier runs with isolation "run"', async () => {
    const { stdout } = await runChild(`
      import { BrowserExecutor } from './build/browser/index.js';
      for (const isolation of ['run', 'session']) {
        const executor = new BrowserExecutor({ executablePath: '/nowhere/chrome', isolation });
        await executor.init();
        await executor.run('globalThis.left = 1; let kept = 2');
        await executor.sendVariables({ v: 3 });
        console.log(JSON.stringify((await executor.run('[typeof left, typeof kept, v]')).output));
        await executor.cleanup();
      }`);
    expect(stdout).toBe('["undefined","undefined",3]\n["number","number",3]\n');
  });

  test('a run that is cleaned up before it has an isolate calls no tools', async () => {
    const { stdout } = await runChild(`
      import { BrowserExecutor } from './build/browser/index.js';
      for (const isolation of ['run', 'session']) {
        const executor = new BrowserExecutor({ executablePath: '/nowhere/chrome', isolation });
        await executor.init();
        await executor.sendTools({ tell: () => console.log('called') });
        const run = executor.run('tell()').catch(({ code, details }) => console.log(code, details.hint));
        await new Promise(queueMicrotask);
        await executor.cleanup();
        await run;
        await executor.init();
        await executor.sendTools({ tell: () => console.log('anew') });
        await executor.run('tell()');
        await executor.cleanup();
      }`);
    expect(stdout).toBe('ERR_INVALID_STATE cleanup() was called\nanew\n'.repeat(2));
  });

  test.runIf(isLinux)('runs keep tools and variables if the browser cannot be restarted', async () => {
    await withFolder(async (folder) => {
      await spawnProgram('chmod', ['755', folder]);
      const program = join(folder, 'chrome');
      const { stdout, stderr } = await runChild(`
        import { createRequire } from 'node:module';
        import { rmSync, writeFileSync } from 'node:fs';
        import { BrowserExecutor } from './build/browser/index.js';
        import { chromeProcesses, killAll, until } from './__test__/browser/helpers.mjs';
        const { findChrome } = createRequire(process.cwd() + '/x')('./build/browser/browser-path.js');
        writeFileSync(${JSON.stringify(program)}, '#!/bin/sh\\nexec ' + findChrome(undefined) + ' "$@"\\n', { mode: 0o755 });
        const executor = new BrowserExecutor({ executablePath: ${JSON.stringify(program)} });
        await executor.init();
        await executor.sendVariables({ v: new Map([[1, 2]]), gone: 1 });
        await executor.sendTools({ add: (a, b) => a + b, gone: () => 'tool' });
        console.log((await executor.run('typeof document')).output);
        rmSync(${JSON.stringify(program)});
        killAll(chromeProcesses());
        await until(() => chromeProcesses().length === 0);
        console.log((await executor.run('[typeof document, add(v.get(1), 1), gone()].join()')).output);
        console.log((await executor.run('input.n', { input: { n: 5 } })).output, executor.state);
        await executor.cleanup();`);
      expect(stdout).toBe('object\nundefined,3,tool\n5 READY\n');
      expect(stderr).toContain('SES_EXECUTOR_BROWSER_FALLBACK');
    });
  });

  test('`sandbox: false` warns', async () => {
    const { stderr } = await runChild(`
      import { BrowserExecutor } from './build/browser/index.js';
      new BrowserExecutor({ sandbox: false });`);
    expect(stderr).toContain('[SES_EXECUTOR_NO_SANDBOX] SESExecutorWarning: options.sandbox is false');
  });

  test.runIf(isLinux)('no page is made without user namespaces and thus without a sandbox', async () => {
    await withFolder(async (folder) => {
      if (process.getuid() === 0) await spawnProgram('chmod', ['755', folder]);
      const program = join(folder, 'chrome');
      // What limits namespaces in one holds for those below it. Chrome gets none of the rights that this takes.
      const script = `#!/bin/sh
exec unshare --user --map-current-user --keep-caps -- sh -c 'echo 0 > /proc/sys/user/max_user_namespaces &&
  exec setpriv --inh-caps=-all --ambient-caps=-all -- "$@"' sh ${findChrome(undefined)} "$@"
`;
      writeFileSync(program, script, { mode: 0o755 });
      const error = await expectCode(make({ executablePath: program }).init(), 'ERR_BROWSER_INIT_FAILED');
      expect(error.message).toContain('it has ended with exit status 1: No usable sandbox!');
      const { stdout, stderr } = await runChild(`
        import { BrowserExecutor } from './build/browser/index.js';
        const executor = new BrowserExecutor({ executablePath: ${JSON.stringify(program)} });
        await executor.init();
        console.log((await executor.run('[1 + 1, typeof document].join()')).output, executor.state);
        await executor.cleanup();`);
      expect(stdout).toBe('2,undefined READY\n');
      expect(stderr).toContain('[SES_EXECUTOR_BROWSER_FALLBACK]');
      expect(stderr).toContain('No usable sandbox!');
    });
  });
});

// Processes are told by their order. One whose tab is closed before it is known would be taken for that of the next
// tab, and so on.
test.runIf(isLinux)(
  'a tab that is closed before its process is known does not affect the processes of other tabs',
  async () => {
    const browser = await Browser.start({ executablePath: undefined, sandbox: true }, () => {});
    try {
      const { connection } = browser;
      const listen = connection.listen.bind(connection);
      const held = [];
      let release;
      // The first tab is slow: the events of its document come later.
      connection.listen = (session, listener) => {
        connection.listen = listen;
        release = () => {
          release = undefined;
          for (const event of held) listener(...event);
        };
        const isHeld = (method) => release !== undefined && method.startsWith('Page.');
        listen(session, (...event) => (isHeld(event[0]) ? held.push(event) : listener(...event)));
      };
      const slow = browser.openTab([]);
      await until(() => release !== undefined);
      const quick = await browser.openTab([]);
      expect(quick.pid).toBe(undefined);
      quick.close();
      release();
      const first = await slow;
      const second = await browser.openTab([]);
      expect([first.pid, second.pid].map((pid) => typeof pid)).toStrictEqual(['number', 'number']);
      first.close();
      await until(() => !chromeProcesses().some(({ pid }) => pid === first.pid));
      expect(chromeProcesses().some(({ pid, type }) => pid === second.pid && type === 'renderer')).toBe(true);
    } finally {
      browser.kill();
    }
  },
);
