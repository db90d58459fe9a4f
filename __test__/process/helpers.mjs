// What the tests of worker processes share.

import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

import { SESExecutor } from '../../index.mjs';
import { threadsOf } from '../children/threads.mjs';
import { withExecutorOf } from '../helpers.mjs';

/** The rows of the tests that look at processes need `/proc`. */
export const isLinux = process.platform === 'linux';

/** @param {import('../../index').ExecutorOptions} [options] */
export const inProcess = (options) => new SESExecutor({ isolation: 'process', ...options });

/** Calls a function with an executor in a process, initialised, with tools. */
export const withProcess = withExecutorOf(inProcess);

/** The process of the executor's isolate. */
export const pidOf = (executor) => {
  const { pid } = executor.isolation;
  if (pid === undefined) throw new Error('the executor has no worker process');
  return pid;
};

/** Whether there is a process of this number that has not ended. */
export function isAlive(pid) {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resolves when the process has ended. */
export async function ended(pid) {
  while (isAlive(pid) || hasThreads(pid)) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Whether a process whose first thread has ended has others that have not: its parent is not told before. */
function hasThreads(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** Stops a process, and resolves when it does nothing any more. */
export async function stop(pid) {
  process.kill(pid, 'SIGSTOP');
  const isStopped = ({ text }) => /^\d+ \(.*\) T/.test(text);
  while (!threadsOf(pid, 'stat').every(isStopped)) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** What each descriptor of a process leads to. */
export function descriptorsOf(pid) {
  return Object.fromEntries(
    readdirSync(`/proc/${pid}/fd`).map((name) => [name, readlinkSync(`/proc/${pid}/fd/${name}`)]),
  );
}

/** Running worker processes that this process has started. */
export function workersOf(parent) {
  const isWorker = (pid) => {
    try {
      const [, name, ppid] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return name === 'ses-executor-wo' && Number(ppid) === parent && isAlive(pid);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isWorker(name))
    .map(Number);
}
