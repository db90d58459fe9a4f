// Processor time of one thread.

/** Linux: the first number of this file is the processor time of the thread in nanoseconds. */
const SCHEDULED = '/proc/thread-self/schedstat';

/**
 * Milliseconds of processor time that this thread has used.
 *
 * Older versions of Node.js have no function for it. There, it is read from a file, which takes about 0.1 ms, or it is
 * the time of all threads if there is no such file.
 */
export function threadMs(): number {
  // `@types/node` does not have it yet.
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
  return threadCpuUsage === undefined ? (scheduledMs() ?? processMs()) : milliseconds(threadCpuUsage());
}

/** Milliseconds of processor time that all threads of this process have used. */
export function processMs() {
  return milliseconds(process.cpuUsage());
}

function scheduledMs() {
  try {
    // No import, which bundles for browsers could not resolve.
    const nanoseconds = process.getBuiltinModule('node:fs').readFileSync(SCHEDULED, 'latin1').split(' ')[0];
    return nanoseconds === '' ? undefined : Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}

function milliseconds({ user, system }: NodeJS.CpuUsage) {
  return (user + system) / 1_000;
}
