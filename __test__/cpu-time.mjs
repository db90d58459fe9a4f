// Processor time instead of time: what other processes do hardly changes it. It still depends on the machine, so tests
// compare it with the processor time of work that they know.

/** Milliseconds of processor time that all threads of this process have used. */
export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Milliseconds of processor time that writing a list of 5,000,000 numbers as JSON takes now: about 100 on a usual
 * machine.
 */
export function referenceMs() {
  const list = Array(5e6).fill(1);
  const before = cpuMs();
  JSON.stringify(list);
  return cpuMs() - before;
}

/**
 * Awaits `work`.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<{ result: T, longest: number }>} with the most processor time between two turns of the event loop
 *   meanwhile, as a multiple of {@link referenceMs}
 */
export async function withLongestTurn(work) {
  let most = 0;
  let last = cpuMs();
  let isOver = false;
  const look = () => {
    const now = cpuMs();
    most = Math.max(most, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const result = await work();
  isOver = true;
  look();
  return { result, longest: most / referenceMs() };
}
