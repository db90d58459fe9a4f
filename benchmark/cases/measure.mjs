// What all cases measure with, in the child process of a peer.

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/**
 * Calls `work` again and again and returns the milliseconds of each call: `samples` of them, fewer if they take longer
 * than `budgetMs`, but one at least.
 */
export async function repeat(work, { samples, budgetMs }) {
  const times = [];
  const end = performance.now() + budgetMs;
  do {
    const started = performance.now();
    await work(times.length);
    times.push(performance.now() - started);
  } while (times.length < samples && performance.now() < end);
  return times;
}

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Processor time of the main thread in milliseconds. Linux only; elsewhere NaN. */
export function threadCpuMs() {
  // The kernel brings its account up to date when the thread stops; else it is a tick of the clock behind.
  Atomics.wait(pause, 0, 0, 0.02);
  try {
    // The process's first thread, which is this one, has its number.
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return NaN;
  }
}

/** A figure of /proc/self/status in MiB, such as VmRSS or VmHWM. */
export function memoryMiB(name) {
  const status = readFileSync('/proc/self/status', 'latin1');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)[1]) / 1024;
}

/** A result that is wrong makes the peer's cell an error: a figure for it would mean nothing. */
export function expectEqual(actual, expected, what) {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what} gave ${abridge(actual)} instead of ${abridge(expected)}`);
}

function abridge(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
