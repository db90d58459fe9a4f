import { performance, setImmediate } from '../contract/clock';
import { safeListener } from '../contract/logs';
import type { LogEntry } from '../contract/executor-types';

/**
 * Time for log entries in one turn of the event loop, and the number of entries that are passed on before the clock is
 * read again.
 */
const SLICE_MS = 5;
const ENTRIES_PER_LOOK = 64;

/**
 * Calls the host's `onLog` for a short time in each turn of the event loop. Later reports wait for the entries before
 * them.
 */
export class LogFeed {
  #onLog;
  #deliver;
  /** Entries that have not been reported to `#onLog`. */
  #entries: Iterator<LogEntry, undefined> | undefined;
  /** Reports that arrived after them. */
  #kept: [kind: number, parts: unknown[]][] = [];

  /** @param deliver takes the kept reports, in the order of their arrival */
  constructor(onLog: ((entry: LogEntry) => unknown) | undefined, deliver: (kind: number, parts: unknown[]) => void) {
    this.#onLog = onLog && safeListener(onLog);
    this.#deliver = deliver;
  }

  /** @returns whether the report is kept for later, because entries come first */
  keeps(kind: number, parts: unknown[]): boolean {
    if (this.#entries === undefined) return false;
    this.#kept.push([kind, parts]);
    return true;
  }

  /** Reports one entry immediately. */
  tell(entry: LogEntry) {
    this.#onLog?.(entry);
  }

  begin(entries: Iterator<LogEntry, undefined>) {
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
      const [kind, parts] = this.#kept.shift() as [number, unknown[]];
      this.#deliver(kind, parts);
    }
  }
}
