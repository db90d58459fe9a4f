// @ts-check
'use strict';

const { readFileSync } = require('node:fs');

const { clearInterval, setInterval } = require('../contract/clock');

/** Between two looks. A page fills about a megabyte in a millisecond. */
const INTERVAL_MS = 50;
/** Looks between two lists of the browser's processes. */
const LOOKS_PER_LIST = 10;
const MIB = 1 << 20;

/**
 * A run whose memory is bounded.
 *
 * @typedef {object} Watched
 * @property {{ pid?: number }} tab
 * @property {number} limitMb
 * @property {(facts: Record<string, unknown>) => void} onExceeded
 */

/**
 * What the processes of a browser hold while runs are under way: each tab by itself, and all that belongs to no tab together,
 * which is where blobs, caches and databases of pages are. Linux only; elsewhere only the engine's own limit of the heap holds.
 */
class MemoryWatch {
  #browser;
  /** @type {Set<Watched>} */
  #watched = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** Numbers of processes that are no tab's. @type {number[]} */
  #shared = [];
  #baseBytes = 0;
  #looks = 0;

  /** @param {import('./browser').Browser} browser */
  constructor(browser) {
    this.#browser = browser;
  }

  /** @param {Watched} run */
  add(run) {
    this.#watched.add(run);
    if (this.#timer !== undefined || process.platform !== 'linux') return;
    this.#looks = 0;
    this.#shared = [];
    this.#timer = setInterval(() => this.#look(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** @param {Watched} run */
  remove(run) {
    this.#watched.delete(run);
    if (this.#watched.size === 0) this.stop();
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look() {
    if (this.#looks++ % LOOKS_PER_LIST === 0) void this.#list();
    for (const run of this.#watched) {
      const { pid } = run.tab;
      if (pid === undefined || heldBy(pid) <= run.limitMb * MIB) continue;
      kill(pid);
      run.onExceeded({ limitMb: run.limitMb });
    }
    let bytes = 0;
    for (const pid of this.#shared) bytes += heldBy(pid);
    if (this.#baseBytes === 0) this.#baseBytes = bytes;
    let limitMb = 0;
    for (const run of this.#watched) limitMb = Math.max(limitMb, run.limitMb);
    if (limitMb === 0 || bytes - this.#baseBytes <= limitMb * MIB) return;
    // Whose it is cannot be told, and only the end of the process gives it back.
    for (const run of [...this.#watched]) run.onExceeded({ limitMb, shared: true });
    this.#browser.kill();
  }

  /** Which processes there are, and which of them are no tab's. */
  async #list() {
    const { processInfo } = await this.#browser.connection
      .send('SystemInfo.getProcessInfo', {})
      .catch(() => ({ processInfo: [] }));
    const tabs = new Set([...this.#browser.tabs.values()].map(({ pid }) => pid));
    const pids = processInfo.map((/** @type {any} */ { id }) => id);
    this.#shared = pids.filter((/** @type {number} */ pid) => !tabs.has(pid));
  }
}

/**
 * Memory that a process has for itself or shares with other processes of the browser, in bytes; what is mapped from files is
 * everybody's.
 *
 * @param {number} pid
 */
function heldBy(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return (kilobytes(status, 'RssAnon') + kilobytes(status, 'RssShmem') + kilobytes(status, 'VmSwap')) * 1024;
  } catch {
    return 0;
  }
}

/**
 * @param {string} status
 * @param {string} name
 */
function kilobytes(status, name) {
  const from = status.indexOf(`${name}:`);
  return from === -1 ? 0 : Number.parseInt(status.slice(from + name.length + 1, from + name.length + 24), 10);
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

module.exports = { MemoryWatch };
