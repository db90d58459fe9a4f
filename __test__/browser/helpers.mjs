// What the tests of the browser share. A browser that cannot be started fails them.

import { readFileSync, readdirSync } from 'node:fs';

import { expect } from 'vitest';

import { BrowserExecutor } from '../../build/browser/index.js';
import { expectCode, withExecutorOf } from '../helpers.mjs';

export const make = (options) => new BrowserExecutor({ fallback: false, ...options });

/** As `withExecutor` of all tests. */
export const withBrowser = withExecutorOf(make);

/** Processes of browsers that this process has started: what `/proc` says of each. */
export function chromeProcesses(root = process.pid) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        // Chrome writes its arguments anew, with spaces.
        const args = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split(/[\0 ]/);
        return [{ pid: Number(pid), parent: Number(parent), state, args }];
      } catch {
        return [];
      }
    });
  const found = [];
  const below = new Set([root]);
  for (let before = -1; before !== below.size;) {
    before = below.size;
    for (const one of all) if (below.has(one.parent)) below.add(one.pid);
  }
  for (const one of all) {
    if (one.pid === root || !below.has(one.pid) || one.state === 'Z') continue;
    const type = one.args.find((arg) => arg.startsWith('--type='))?.slice(7);
    if (one.args.some((arg) => arg.startsWith('--user-data-dir=')) || type !== undefined) {
      found.push({ ...one, type: type ?? (one.args[0].endsWith('sh') ? 'shell' : 'browser') });
    }
  }
  return found;
}

/** Processor time that processes have used, in milliseconds; of those that have ended none. */
export function computedMs(processes) {
  let ticks = 0;
  for (const { pid } of processes) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended.
    }
  }
  return 10 * ticks;
}

/**
 * The error that a run ends with at its deadline. The deadline is short at first: where a busy machine does not get to
 * the code in that time, what `hasBegun` sees in the error, a longer one is tried.
 */
export async function atDeadline(executor, code, hasBegun = ({ logs }) => logs.startsWith('began')) {
  for (const timeoutMs of [400, 2_000, 10_000, 30_000]) {
    const error = await expectCode(executor.run(code, { timeoutMs }), 'ERR_EXEC_TIMEOUT');
    if (!hasBegun(error)) continue;
    expect(error.message).toBe(`Execution timed out after ${timeoutMs}ms`);
    expect(error.details).toStrictEqual({ timeoutMs, reason: 'deadline' });
    return Object.assign(error, { lateMs: error.stats.durationMs - timeoutMs });
  }
  throw new Error(`the code has not begun: ${code}`);
}

/** Kills processes, of which some end with others. */
export function killAll(processes) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/** Waits until `condition` holds. Something other than time must make it true. */
export async function until(condition, ms = 40_000) {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
