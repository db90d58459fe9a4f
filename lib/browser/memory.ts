import { readFileSync } from 'node:fs';

import { clearTimeout, performance, setTimeout } from '../contract/clock';
import type { Browser } from './browser';

/** Between two looks. A page fills about a megabyte in a millisecond. */
const INTERVAL_MS = 50;
/** The same where no run is under way, and between two lists of the browser's processes. */
const IDLE_INTERVAL_MS = 500;
const MIB = 1 << 20;

/** A run whose memory is bounded, or a page that no run uses, whose timers go on. */
export interface Watched {
  tab: { pid?: number };
  limitMb: number;
  isIdle: boolean;
  onExceeded: (facts: Record<string, unknown>) => void;
}

/**
 * What the processes of a browser hold that has runs under way, or pages of sessions: each tab by itself, and all that belongs to no
 * tab together, which is where blobs, caches and databases of pages are. Linux only; elsewhere only the engine's own limit of the heap holds.
 */
export class MemoryWatch {
  #browser;
  #watched: Set<Watched> = new Set();
  #timer: NodeJS.Timeout | undefined;
  /** When the next look is due, and when the last one was that took in all. */
  #nextAt = 0;
  #listedAt = -Infinity;
  /** Numbers of processes that are no tab's. */
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

  /** Nothing that comes or goes puts off the look that is due. */
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

  /** Ends the browser, and all that is watched, if its own processes hold too much. */
  #endsShared() {
    let bytes = 0;
    for (const pid of this.#shared) bytes += heldBy(pid);
    if (this.#baseBytes === 0) this.#baseBytes = bytes;
    let limitMb = 0;
    for (const one of this.#watched) limitMb = Math.max(limitMb, one.limitMb);
    if (limitMb === 0 || bytes - this.#baseBytes <= limitMb * MIB) return false;
    // Whose it is cannot be told, and only the end of the process gives it back.
    for (const one of [...this.#watched]) one.onExceeded({ limitMb, shared: true });
    this.#browser.kill();
    return true;
  }

  /**
   * Which processes there are that are no tab's: those of tabs that are made just now, or end, have no number yet, or none any more.
   */
  async #list() {
    const { processInfo } = await this.#browser.connection
      .send('SystemInfo.getProcessInfo', {})
      .catch(() => ({ processInfo: [] }));
    const shared = processInfo.filter(({ type }: any) => type !== 'renderer');
    this.#shared = shared.map(({ id }: any) => id);
  }
}

/**
 * Memory that a process has for itself or shares with other processes of the browser, in bytes; what is mapped from files is
 * everybody's.
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
