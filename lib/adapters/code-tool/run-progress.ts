import { clearTimeout, setTimeout } from '../../contract/clock';
import type { LogEntry } from '../../contract/executor-types';
import type { RunProgress } from './types';

/** Milliseconds between two reports. */
const INTERVAL_MS = 100;

/** Collects what a run does, and reports it. A guest that logs without end causes no more reports than others. */
export class ProgressReports {
  #report;
  #maxLogChars;
  #logs = '';
  #calls = 0;
  #running: string[] = [];
  #said: Pick<RunProgress, 'message' | 'fraction'> = {};
  #hasChanged = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(report: (progress: RunProgress) => void, maxLogChars: number) {
    this.#report = report;
    this.#maxLogChars = maxLogChars;
  }

  log({ message }: LogEntry) {
    const logs = this.#logs === '' ? message : `${this.#logs}\n${message}`;
    // Cutting a string copies it, so this is not done for each entry.
    this.#logs = logs.length > 2 * this.#maxLogChars ? logs.slice(-this.#maxLogChars) : logs;
    this.#change();
  }

  /** Code has called `progress`. */
  say = (message: string, fraction: number | undefined) => {
    this.#said = fraction === undefined ? { ...this.#said, message } : { message, fraction };
    this.#change();
  };

  /** Counts a call of a tool as long as it is under way. */
  async during<T>(name: string, call: () => Promise<T>): Promise<T> {
    this.#calls++;
    this.#running.push(name);
    this.#change();
    try {
      return await call();
    } finally {
      this.#running.splice(this.#running.indexOf(name), 1);
      this.#change();
    }
  }

  /** The run has ended. */
  end() {
    clearTimeout(this.#timer);
    this.#report = () => {};
  }

  #change() {
    this.#hasChanged = true;
    if (this.#timer === undefined) this.#next();
  }

  #next() {
    this.#timer = undefined;
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    this.#timer = setTimeout(() => this.#next(), INTERVAL_MS);
    const logs = this.#logs.slice(-this.#maxLogChars);
    this.#report({ logs, calls: this.#calls, running: [...this.#running], ...this.#said });
  }
}
