// For child processes of leaks.test.mjs: what the process holds, and a wait until it has let go of it.

import { readdirSync } from 'node:fs';

import { engineStats } from '../../index.mjs';
import { threadsOf } from './threads.mjs';

const THREAD_OF_EXECUTOR = /^ses-executor/;

/** Threads of this process whose name matches `name`; all by default. */
export const threads = (name = /(?:)/) => threadsOf('self', 'comm').filter(({ text }) => name.test(text)).length;

/** Threads of executors that have not ended. */
export const executorThreads = () => threads(THREAD_OF_EXECUTOR);

/** Threads that compile for guests. One that its isolate has done without may end a moment after the isolate's own. */
export const compileThreads = () => threads(/^ses-compile/);

/** Open file descriptors of this process; the one that lists them is always among them. */
export const descriptors = () => readdirSync('/proc/self/fd').length;

/** Resident memory in MiB. */
export const rssMb = () => process.memoryUsage.rss() / (1 << 20);

/** What the process holds now. */
export const held = () => ({
  executorThreads: executorThreads(),
  threads: threads(),
  descriptors: descriptors(),
  rssMb: rssMb(),
});

/**
 * Waits until `condition()` holds, for `boundMs` at most.
 *
 * @returns {Promise<boolean>} whether it did
 */
export async function until(condition, boundMs = 20_000) {
  const end = performance.now() + boundMs;
  while (!condition()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}

/**
 * What the process holds once garbage is collected, no more than `executors` threads of executors are left, nothing is
 * compiled for them and the pool is full again; or after a bound of time.
 */
export async function settled({ executors = 0 } = {}) {
  await until(() => {
    globalThis.gc();
    return executorThreads() <= executors && compileThreads() === 0 && engineStats().warm === 1;
  });
  return held();
}
