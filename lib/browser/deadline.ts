import { readFileSync } from 'node:fs';

import { clearInterval, clearTimeout, performance, setInterval, setTimeout } from '../contract/clock';

/** Between two looks at what a page's process has computed. */
const INTERVAL_MS = 50;
/** What `/proc` counts in, on every Linux that Node.js runs on. */
const MS_PER_TICK = 10;

/**
 * Time that a run has. While it only waits for tools that have a limit of their own, what its page's process computes counts, and
 * not the time that passes: where that cannot be known, outside of Linux, all of it does.
 */
export class Deadline {
  #leftMs;
  #tab;
  #onReached;
  #timer: NodeJS.Timeout | undefined;
  #since = performance.now();
  /** Computed before it began to wait, in milliseconds; undefined if it does not wait. */
  #computed: number | undefined;

  /** @param onReached called once */
  constructor(ms: number, tab: { pid?: number }, onReached: () => void) {
    this.#leftMs = ms;
    this.#tab = tab;
    this.#onReached = onReached;
    this.#timer = setTimeout(() => this.#end(), ms);
  }

  /** @param isWaiting for nothing but tools that have a limit of their own */
  wait(isWaiting: boolean) {
    if (isWaiting === (this.#computed !== undefined)) return;
    if (isWaiting) {
      this.#computed = computedBy(this.#tab.pid);
      if (this.#computed === undefined) return;
      clearTimeout(this.#timer);
      this.#leftMs -= performance.now() - this.#since;
      this.#timer = setInterval(() => this.#look(), INTERVAL_MS);
      return;
    }
    this.#leftMs -= this.#computedMs();
    this.#computed = undefined;
    this.#since = performance.now();
    clearInterval(this.#timer);
    this.#timer = setTimeout(() => this.#end(), this.#leftMs);
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** Timers may be a moment too early. */
  #end() {
    const leftMs = this.#leftMs - (performance.now() - this.#since);
    if (leftMs > 0) this.#timer = setTimeout(() => this.#end(), 1);
    else this.#onReached();
  }

  #look() {
    if (this.#computedMs() < this.#leftMs) return;
    this.stop();
    this.#onReached();
  }

  #computedMs() {
    return Math.max(0, (computedBy(this.#tab.pid) ?? 0) - (this.#computed ?? 0));
  }
}

/** Processor time that a process has used, in milliseconds. */
function computedBy(pid: number | undefined) {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before them may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}
