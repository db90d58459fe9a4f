import { clearTimeout, performance, setTimeout } from '../../contract/clock';
import type { LogEntry } from '../../contract/executor-types';
import type { ToolRequest } from './served';

/** Property of the context of calls, for tools of other servers. */
export const PROGRESS = Symbol('progress');

/**
 * Time without progress after which a run reports that it continues. Clients end calls that are silent for a minute.
 */
const HEARTBEAT_MS = 5_000;
/** Minimum time between two notifications. A server may report each step of a loop. */
const INTERVAL_MS = 100;
/** The key of what code says. No tool has this name. */
const SAID = '';
/** Maximum length of a message in characters. */
const MAX_CHARS = 1_000;

/** Passes the log of an executor on to the call whose run is under way. One executor runs them one after the other. */
export class LogProgress {
  #progress: Progress | undefined;

  /** A run begins. */
  begin(progress: Progress) {
    this.#progress = progress;
  }

  onLog = ({ message }: LogEntry) => this.#progress?.report('log', message);
}

/** Reports the progress of a call. Does nothing if the client has not asked for progress. */
export class Progress {
  #token;
  #send;
  #start = performance.now();
  /** Time of the last notification. */
  #sent = -Infinity;
  /** Number of notifications. The protocol requires a number that grows. */
  #count = 0;
  /** The last messages that have not been sent, by tool. */
  #waiting: Map<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;
  /** How much of its work is done, as code has last said. 0: unknown. */
  #fraction = 0;

  constructor({ _meta, sendNotification }: Pick<ToolRequest, '_meta' | 'sendNotification'>) {
    this.#token = _meta?.progressToken;
    this.#send = sendNotification;
    if (this.#token !== undefined) this.#wait(HEARTBEAT_MS);
  }

  /**
   * @param message a description of the work done; if one tool sends many messages quickly, only the last one is sent
   */
  report(tool: string, message: string) {
    this.#report(tool, `${tool}: ${message}`);
  }

  #report(source: string, text: string) {
    if (this.#token === undefined || this.#isEnded) return;
    this.#waiting.set(source, text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}...` : text);
    this.#wait(Math.max(0, this.#sent + INTERVAL_MS - performance.now()));
  }

  /** Reports what code says with `progress`. The protocol's `progress` must grow, so the fraction decides its total. */
  say(message: string, fraction: number | undefined) {
    if (fraction !== undefined) this.#fraction = fraction;
    this.#report(SAID, message);
  }

  /** Sends the last message and ends the reports. */
  async end() {
    if (this.#waiting.size > 0) await this.#notify();
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #wait(ms: number) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#notify(), ms);
  }

  async #notify() {
    if (this.#isEnded) return;
    const now = performance.now();
    const messages = [...this.#waiting.values()];
    if (messages.length === 0) messages.push(`running for ${Math.round((now - this.#start) / 1_000)} s`);
    this.#waiting.clear();
    this.#sent = now;
    this.#wait(HEARTBEAT_MS);
    try {
      for (const message of messages) {
        const progress = ++this.#count;
        const total = this.#fraction > 0 && { total: progress / this.#fraction };
        const params = { progressToken: this.#token, progress, ...total, message };
        await this.#send({ method: 'notifications/progress', params });
      }
    } catch {
      // The connection has ended.
    }
  }
}
