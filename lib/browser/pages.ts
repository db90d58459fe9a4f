import { Programs } from './failures';
import { Log } from './log';
import type { Tab } from './tab';
import type { SharedBrowser } from './browsers';
import type { Endowments } from './endowments';

/**
 * Where the runs of an executor take place, from its start to its cleanup: each in a page of its own, or all in one.
 */
export class Pages {
  #options;
  #shared;
  #endowments;
  #isClosed = false;
  /** The page of the session. */
  #tab: Tab | undefined;
  /** Of the session. */
  #log: Log | undefined;
  /** Those that the page of the session has run. */
  #programs = new Programs();

  /**
   * @param options of the executor
   * @param shared where pages come from
   * @param given what the executor was sent
   */
  constructor(options: any, shared: SharedBrowser, given: Endowments) {
    this.#options = options;
    this.#shared = shared;
    this.#endowments = given;
  }

  /** Whether the next run has the page of this one. */
  get isLasting() {
    return this.#options.isolation === 'session';
  }

  /** Programs of the page that the next run gets. */
  get programs() {
    return this.isLasting ? this.#programs : new Programs();
  }

  /** The log of the next run. */
  newLog() {
    if (!this.isLasting) return new Log(this.#options);
    this.#log ??= new Log(this.#options);
    this.#log.clear();
    return this.#log;
  }

  /**
   * A page of a run's own, or that of the session.
   *
   * @returns rejects as `SharedBrowser.take()`, and if it is closed meanwhile
   */
  async take(): Promise<Tab> {
    if (!this.isLasting) return this.#shared.take(this.#options.origins);
    const before = this.#tab;
    // One that has ended before code ran in it is like none.
    if (before !== undefined && (before.hasRun || !before.isLost)) return before;
    const tab = await this.#shared.take(this.#options.origins);
    if (this.#isClosed) {
      tab.close();
      throw new Error('nobody waits for the page any more');
    }
    // A run that has not waited any longer has got one all the same.
    const other = this.#tab;
    if (other !== undefined && other !== before) {
      tab.close();
      return other;
    }
    before?.close();
    this.#tab = tab;
    this.#endowments.forgetPage();
    return tab;
  }

  /** The page of the session cannot be used again. */
  forget() {
    this.#tab = undefined;
    this.#log = undefined;
    this.#programs = new Programs();
    this.#endowments.forgetPage();
  }

  /** No run takes place any more. */
  close() {
    this.#isClosed = true;
    this.#tab?.close();
    this.forget();
  }
}
