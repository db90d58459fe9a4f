import { readFileSync } from 'node:fs';

import { clearTimeout, performance, setTimeout } from '../contract/clock';
import { processesOf } from './connection';
import type { Browser } from './browser';

/** Interval between two checks. A page can fill about a megabyte per millisecond. */
const INTERVAL_MS = 50;
/** The interval when no run is in progress, and between two listings of the browser's processes. */
const IDLE_INTERVAL_MS = 500;
const MIB = 1 << 20;

/** A run with a memory limit, or a page without a run, whose timers continue. */
export interface Watched {
  tab: { pid?: number };
  limitMb: number;
  isIdle: boolean;
  onExceeded: (facts: Record<string, unknown>) => void;
}

/**
 * Measures the memory of browser processes while runs are in progress or session pages exist. Each tab is measured by
 * itself. Processes that belong to no tab are measured together: they hold the blobs, caches and databases of pages.
 * Linux only; elsewhere only the engine's own heap limit applies.
 */
export class MemoryWatch {
  #browser;
  #watched: Set<Watched> = new Set();
  #timer: NodeJS.Timeout | undefined;
  /** Time of the next check, and of the last check that included everything. */
  #nextAt = 0;
  #listedAt = -Infinity;
  /** Ids of the processes that belong to no tab. */
  #shared: number[] = [];
  #baseBytes = 0;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  add(watched: Watched) {
    if (process.platform !== 'linux') return;
    this.#watched.add(watched);
    this.#schedule();
  }

  remove(watched: Watched) {
    this.#watched.delete(watched);
    if (this.#watched.size === 0) this.stop();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#listedAt = -Infinity;
    this.#shared = [];
  }

  /** Changes of the watched items do not delay a check that is due. */
  #schedule() {
    const now = performance.now();
    const isIdle = [...this.#watched].every((one) => one.isIdle);
    const at = now + (isIdle ? IDLE_INTERVAL_MS : INTERVAL_MS);
    if (this.#watched.size === 0 || (this.#timer !== undefined && this.#nextAt <= at)) return;
    clearTimeout(this.#timer);
    this.#nextAt = at;
    this.#timer = setTimeout(() => this.#look(), at - now);
    this.#timer.unref();
  }

  #look() {
    this.#timer = undefined;
    const now = performance.now();
    const takesInAll = now - this.#listedAt >= IDLE_INTERVAL_MS;
    if (takesInAll) {
      this.#listedAt = now;
      void this.#list();
    }
    for (const one of this.#watched) {
      const { pid } = one.tab;
      if (one.isIdle && !takesInAll) continue;
      if (pid === undefined || heldBy(pid) <= one.limitMb * MIB) continue;
      kill(pid);
      one.onExceeded({ limitMb: one.limitMb });
    }
    if (!this.#endsShared()) this.#schedule();
  }

  /** Ends the browser and all watched items if its shared processes hold too much. */
  #endsShared() {
    let bytes = 0;
    for (const pid of this.#shared) bytes += heldBy(pid);
    if (this.#baseBytes === 0) this.#baseBytes = bytes;
    let limitMb = 0;
    for (const one of this.#watched) limitMb = Math.max(limitMb, one.limitMb);
    if (limitMb === 0 || bytes - this.#baseBytes <= limitMb * MIB) return false;
    // The memory cannot be attributed to a tab, and only the end of the process frees it.
    for (const one of [...this.#watched]) one.onExceeded({ limitMb, shared: true });
    this.#browser.kill();
    return true;
  }

  /**
   * Lists the processes that belong to no tab. Processes of tabs that are just starting or ending may have no number.
   */
  async #list() {
    const processes = await processesOf(this.#browser.connection).catch(() => []);
    this.#shared = processes.filter(({ type }) => type !== 'renderer').map(({ id }) => id);
  }
}

/**
 * Memory that a process holds alone or shares with other processes of the browser, in bytes. Mapped files are not
 * counted, because all processes share them.
 */
function heldBy(pid: number) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return (kilobytes(status, 'RssAnon') + kilobytes(status, 'RssShmem') + kilobytes(status, 'VmSwap')) * 1024;
  } catch {
    return 0;
  }
}

function kilobytes(status: string, name: string) {
  const from = status.indexOf(`${name}:`);
  return from === -1 ? 0 : Number.parseInt(status.slice(from + name.length + 1, from + name.length + 24), 10);
}

export function kill(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
