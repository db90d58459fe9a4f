// How long the host's thread stands still while a guest's values arrive: the longest time between two turns of its event loop. On
// Linux that is the time for which the thread itself was at work, and compared with work that takes a known time on a quiet machine;
// elsewhere it is the wall's, and compared with an honest run in the same process.

import { openSync, readSync } from 'node:fs';

/** What may pass between two turns of a quiet machine is 50 ms. */
const MAX_WORK_MS = 150;
/** The same on a machine that is slow or busy, as a multiple of {@link referenceMs}, which is 40 on a quiet one. */
const MAX_WORK = 4;
/** What other processes of a busy machine, and collections of garbage, may add. What this is about takes seconds. */
const GRACE_MS = 500;
/** Longer than an honest run's, by this factor. */
const FACTOR = 5;
const HONEST = 'return Array.from({ length: 20_000 }, (_, i) => ({ i, name: "row " + i }))';

/** Read at each turn of the loop: nothing is allocated for it but the text of a number. */
const room = Buffer.alloc(64);
const statistics = opened('/proc/self/schedstat');

/** @param {string} path */
function opened(path) {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

/** Milliseconds for which the main thread was at work; undefined if the system does not say. */
function workMs() {
  if (statistics === undefined) return undefined;
  const length = readSync(statistics, room, 0, room.length, 0);
  const nanoseconds = Number.parseInt(room.latin1Slice(0, length), 10);
  return nanoseconds > 0 ? nanoseconds / 1e6 : undefined;
}

/** Milliseconds that the main thread takes now for thirty million multiplications in turn. */
function referenceMs() {
  const before = now();
  let product = 1;
  for (let i = 0; i < 3e7; i++) product = (Math.imul(product, 31) + i) | 0;
  // What is not used is not computed.
  return product === 0 ? 0 : now() - before;
}

const isMeasured = workMs() !== undefined;
const now = () => workMs() ?? performance.now();

/**
 * What `work` gives, and the longest time between two turns of the loop meanwhile, in milliseconds.
 *
 * @template T
 * @param {() => Promise<T>} work
 */
async function withStall(work) {
  let largest = 0;
  let last = now();
  let isOver = false;
  const turn = () => {
    const time = now();
    largest = Math.max(largest, time - last);
    last = time;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  // The loop has to be at work before.
  await new Promise((resolve) => setImmediate(resolve));
  largest = 0;
  const result = await work();
  await new Promise((resolve) => setImmediate(resolve));
  isOver = true;
  return { result, largest };
}

/**
 * The outcome of `attack` if the host went on meanwhile; else how long it did not. A second attempt shows whether it was the
 * attack that took the time.
 *
 * @param {any} host
 * @param {() => Promise<string>} attack
 */
export async function unlessStalled(host, attack) {
  const honest = await withStall(() => host.executor.run(HONEST));
  const bound = () =>
    isMeasured ? Math.max(MAX_WORK_MS, MAX_WORK * referenceMs()) : GRACE_MS + FACTOR * honest.largest;
  const first = await withStall(attack);
  if (first.largest <= bound()) return first.result;
  const second = await withStall(attack);
  if (second.largest <= bound()) return second.result;
  return `value 'the host stood still for ${Math.round(second.largest)} ms; an honest run: ${Math.round(honest.largest)} ms'`;
}

/**
 * A scenario: runs `code`, and looks at its output.
 *
 * @param {string} code
 * @param {(output: any) => unknown} [look] what the outcome shows of the output
 */
export function stalls(code, look = (output) => output) {
  return (/** @type {any} */ host) =>
    unlessStalled(host, async () => {
      try {
        const { output } = await host.executor.run(code);
        return `value ${JSON.stringify(look(output))}`;
      } catch (error) {
        return /** @type {any} */ (error).code ?? `no ExecutorError: ${error}`;
      }
    });
}
