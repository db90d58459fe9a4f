import { readFileSync } from 'node:fs';

import { clearInterval, clearTimeout, performance, setInterval, setTimeout } from '../contract/clock';

/** Interval between two measurements of a page process's processor time. */
const INTERVAL_MS = 50;
/** The unit of `/proc`, on every Linux that Node.js runs on. */
const MS_PER_TICK = 10;

/**
 * The time limit of a run. While the run waits only for tools that have their own limit, only the processor time of the
 * page's process counts. Outside Linux that time is unknown, and all elapsed time counts.
 */
export class Deadline {
  #leftMs;
  #tab;
  #onReached;
  #timer: NodeJS.Timeout | undefined;
  #since = performance.now();
  /** Processor time before the wait began, in milliseconds; undefined if the run does not wait. */
  #computed: number | undefined;

  /** @param onReached called once */
  constructor(ms: number, tab: { pid?: number }, onReached: () => void) {
    this.#leftMs = ms;
    this.#tab = tab;
    this.#onReached = onReached;
    this.#timer = setTimeout(() => this.#end(), ms);
  }

  /** @param isWaiting whether the run waits only for tools that have their own limit */
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

  /** Timers may fire slightly early. */
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
    // The name before these fields may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}
