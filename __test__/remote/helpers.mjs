// A fleet for tests: a broker, and workers in separate processes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { openBroker } from '../broker.mjs';
import { ROOT, ownEnvironment } from '../children/spawn.mjs';
import { gateTool } from '../helpers.mjs';
import { workersOf } from '../process/helpers.mjs';

/** The command of the package. */
export const CLI = fileURLToPath(new URL('../../bin/ses-executor.js', import.meta.url));

/** A process of Node.js whose lines the test reads. */
export class Program {
  #child;
  #lines = [];
  #waiting = new Set();

  constructor(args) {
    const options = { cwd: ROOT, env: ownEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] };
    this.#child = spawn(process.execPath, args, options);
    let text = '';
    this.#child.stderr.setEncoding('utf8').on('data', (part) => {
      const lines = (text + part).split('\n');
      text = lines.pop();
      this.#lines.push(...lines);
      for (const look of this.#waiting) look();
    });
    this.#child.once('exit', () => {
      for (const look of this.#waiting) look();
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** Resolves to the first line that matches. */
  line(pattern, from = 0) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const line = this.#lines.slice(from).find((candidate) => pattern.test(candidate));
        if (line === undefined && this.#child.exitCode === null && this.#child.signalCode === null) return;
        this.#waiting.delete(look);
        if (line === undefined) reject(new Error(`the process has ended:\n${this.#lines.join('\n')}`));
        else resolve(line);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Resolves to the first line from now on that matches. */
  nextLine(pattern) {
    return this.line(pattern, this.#lines.length);
  }

  kill(signal = 'SIGKILL') {
    this.#child.kill(signal);
  }

  /** Resolves to the exit status, or to the signal. */
  async ended() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  async close() {
    this.kill('SIGKILL');
    this.kill('SIGCONT');
    await this.ended();
  }
}

/** A worker of a fleet: `ses-executor worker`. */
class Worker extends Program {
  constructor(url, args) {
    super([CLI, 'worker', '--servers', url, '--sandbox', 'best-effort', ...args]);
  }

  /** The processes of its sessions, spares among them. */
  get children() {
    return workersOf(this.pid);
  }
}

/** Starts a worker, which is closed when the test has finished. Resolves when it takes sessions. */
export async function startWorker(url, { args = [], isKept = false } = {}) {
  const worker = new Worker(url, args);
  if (!isKept) onTestFinished(() => worker.close());
  await worker.line(/takes sessions of pool/);
  return worker;
}

/** A broker and one worker for a test. */
export async function openFleet({ args = [], broker: options } = {}) {
  const broker = await openBroker(options);
  const worker = await startWorker(broker.url, { args });
  return { broker, worker, remote: { servers: broker.url } };
}

/**
 * A broker and workers for all tests of a file. Sets the environment variable that child processes read.
 *
 * @returns has the fleet when the tests run
 */
export function fleetOfFile({ args = [] } = {}) {
  const fleet = {};
  beforeAll(async () => {
    fleet.broker = await openBroker({ isKept: true });
    fleet.worker = await startWorker(fleet.broker.url, { args, isKept: true });
    fleet.remote = { servers: fleet.broker.url };
    process.env.SES_EXECUTOR_SERVERS = fleet.broker.url;
  }, 60_000);
  afterAll(async () => {
    await fleet.worker?.close();
    await fleet.broker?.close();
  });
  return fleet;
}

/**
 * Starts a process with an executor on the fleet, which is closed when the test has finished.
 *
 * @param code runs in the process, with `executor` and `say(line)`
 */
export function startClient(remote, code) {
  const options = { isolation: 'remote', remote, timeoutMs: 600_000, maxOperations: 1e15, maxLogBytes: 200_000_000 };
  const script = `
    import { writeSync } from 'node:fs';
    import { SESExecutor } from './index.mjs';
    const say = (line) => writeSync(2, line + '\\n');
    const executor = new SESExecutor({ ...${JSON.stringify(options)}, onLog: ({ message }) => say(message) });
    await executor.init();
    ${code}
  `;
  const client = new Program(['--input-type=module', '--eval', script]);
  onTestFinished(() => client.close());
  return client;
}

/** An executor on the fleet, which is cleaned up when the test has finished. */
export async function makeRemote(remote, options = {}, tools = {}) {
  const executor = new SESExecutor({ isolation: 'remote', remote, ...options });
  onTestFinished(() => executor.cleanup());
  await executor.init();
  await executor.sendTools(tools);
  return executor;
}

/** A run on the fleet that waits for its tool. `open(value)` answers the call. */
export async function waitingRun(remote, options) {
  const { tool, called, open } = gateTool();
  const executor = await makeRemote(remote, options, { tool });
  const run = executor.run('await tool()');
  await called;
  return { executor, run, open };
}

/** The process of the only session of a worker. */
export const childOf = (worker) => until(() => worker.children[0]);

/** An executor that has lost its session gets another one. */
export async function expectAnotherSession(executor) {
  await executor.cleanup();
  await executor.init();
  expect((await executor.run('40 + 2')).output).toBe(42);
}

/** Resolves when `look` returns something other than undefined or false. */
export async function until(look) {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
