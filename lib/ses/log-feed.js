// @ts-check
'use strict';

const { performance, setImmediate } = require('../contract/clock');
const { safeListener } = require('../contract/logs');

/** Time of one turn of the event loop for the entries of a log, and how many of them come between two looks at the clock. */
const SLICE_MS = 5;
const ENTRIES_PER_LOOK = 64;

/** What the host's `onLog` is told of, for a moment of each turn of the event loop; what is reported after it waits. */
class LogFeed {
  #onLog;
  #deliver;
  /** Entries that `#onLog` has not been told of. */
  /** @type {Iterator<import('../../index').LogEntry, undefined> | undefined} */
  #entries;
  /** What was reported after them. @type {[kind: number, parts: any[]][]} */
  #kept = [];

  /**
   * @param {((entry: any) => unknown) | undefined} onLog
   * @param {(kind: number, parts: any[]) => void} deliver takes what was kept, in the order in which it was reported
   */
  constructor(onLog, deliver) {
    this.#onLog = onLog && safeListener(onLog);
    this.#deliver = deliver;
  }

  /**
   * @param {number} kind
   * @param {any[]} parts
   * @returns {boolean} whether it comes later, since entries come first
   */
  keeps(kind, parts) {
    if (this.#entries === undefined) return false;
    this.#kept.push([kind, parts]);
    return true;
  }

  /** @param {Iterator<import('../../index').LogEntry, undefined>} entries */
  begin(entries) {
    this.#entries = entries;
    this.#passOn();
  }

  #passOn() {
    const end = performance.now() + SLICE_MS;
    for (let count = 1; ; count++) {
      const next = this.#entries?.next();
      if (next === undefined || next.done) break;
      this.#onLog?.(next.value);
      if (count % ENTRIES_PER_LOOK === 0 && performance.now() > end) {
        setImmediate(() => this.#passOn());
        return;
      }
    }
    this.#entries = undefined;
    while (this.#entries === undefined && this.#kept.length > 0) {
      const [kind, parts] = /** @type {[number, any[]]} */ (this.#kept.shift());
      this.#deliver(kind, parts);
    }
  }
}

module.exports = { LogFeed };
