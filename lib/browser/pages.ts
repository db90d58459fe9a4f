import { Programs } from './failures';
import { Log } from './log';
import type { CheckedBrowserOptions } from './options';
import type { Tab } from './tab';
import type { SharedBrowser } from './browsers';
import type { Endowments } from './endowments';

/** The pages for an executor's runs, from its start to its cleanup: one for each run, or one for all. */
export class Pages {
  #options;
  #shared;
  #endowments;
  #isClosed = false;
  /** The page of the session. */
  #tab: Tab | undefined;
  /** The log of the session. */
  #log: Log | undefined;
  /** Programs that the page of the session has run. */
  #programs = new Programs();

  /**
   * @param options of the executor
   * @param shared source of the pages
   * @param given the variables and tools that the executor was sent
   */
  constructor(options: CheckedBrowserOptions, shared: SharedBrowser, given: Endowments) {
    this.#options = options;
    this.#shared = shared;
    this.#endowments = given;
  }

  /** Whether the next run uses the same page as this one. */
  get isLasting() {
    return this.#options.isolation === 'session';
  }

  /** Programs of the page for the next run. */
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
   * A new page for one run, or the page of the session.
   *
   * @returns rejects as `SharedBrowser.take()`, and if it is closed in the meantime
   */
  async take(): Promise<Tab> {
    if (!this.isLasting) return this.#takeLoaded();
    const before = this.#tab;
    // A page that ended before code ran in it is replaced silently.
    if (before !== undefined && (before.hasRun || !before.isLost)) return before;
    const tab = await this.#takeLoaded();
    if (this.#isClosed) {
      tab.close();
      throw new Error('nobody waits for the page any more');
    }
    // A run that stopped waiting may still have received a page.
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

  /** A new page that has run the host's libraries. */
  async #takeLoaded(): Promise<Tab> {
    const { origins, libraries } = this.#options;
    const tab = await this.#shared.take(origins);
    try {
      await tab.load(libraries);
      return tab;
    } catch (error) {
      tab.close();
      throw error;
    }
  }

  /** The page of the session cannot be used again. */
  forget() {
    this.#tab = undefined;
    this.#log = undefined;
    this.#programs = new Programs();
    this.#endowments.forgetPage();
  }

  /** No more runs follow. */
  close() {
    this.#isClosed = true;
    this.#tab?.close();
    this.forget();
  }
}
