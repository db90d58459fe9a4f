import { clearTimeout, setTimeout } from '../contract/clock';
import { Browser } from './browser';
import { ConcurrencyMeter } from './concurrency-meter';
import type { Tab } from './tab';

/** How long a browser is kept after the last executor has left it. */
const IDLE_MS = 30_000;
/** Maximum number of attempts (pages or browsers) to provide one tab. */
const MAX_ATTEMPTS = 4;
/** Recent concurrency is expected to return for this time, and at most for twice this time. */
const LATELY_MS = 10_000;
/** Maximum number of tabs created ahead in a browser, unless executors ask for more. Each takes about 15 MiB. */
const MAX_EXPECTED = 8;
/** Maximum number of tabs created ahead at the same time. Running code needs the processors. */
const MAX_MAKING = 2;

/**
 * The state that executors with the same options share: a browser, which is restarted after it has ended, and tabs that
 * are created ahead.
 */
export interface BrowserOptions {
  executablePath?: string | undefined;
  sandbox: boolean;
}

export interface Ahead {
  tab: Promise<Tab>;
  isReady: boolean;
  /** whether its creation began when a run ended */
  isAfterRun: boolean;
}

const shared: Map<string, SharedBrowser> = new Map();

export function sharedBrowser({ executablePath, sandbox }: BrowserOptions) {
  const key = JSON.stringify([executablePath ?? process.env.CHROME_PATH ?? '', sandbox]);
  const found = shared.get(key) ?? new SharedBrowser({ executablePath, sandbox });
  shared.set(key, found);
  return found;
}

/** No browser can be started. The message says why. */
export class NoBrowserError extends Error {}

export class SharedBrowser {
  #options;
  #latelyMs;
  #now;
  #browser: Promise<Browser> | undefined;
  /** Tabs that are ready or being created, by the origins that they may send requests to. */
  #warm: Map<string, Ahead[]> = new Map();
  /** Number of tabs that are being created for runs without one. */
  #making = 0;
  /** Whether tabs must be created ahead as soon as no run waits for one. */
  #isRefillDue = false;
  /** How many tabs each executor wants. */
  #users: Map<object, { key: string; origins: string[]; count: number }> = new Map();
  /** Runs that need their own tab, by the origins of that tab. */
  #demands: Map<string, ConcurrencyMeter> = new Map();
  #trim: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @param now current time in milliseconds, for the measure of recent concurrency */
  constructor(options: BrowserOptions, latelyMs: number = LATELY_MS, now?: () => number) {
    this.#options = options;
    this.#latelyMs = latelyMs;
    this.#now = now;
  }

  /**
   * Registers an executor, and starts the browser if none is running.
   *
   * @returns rejects with an Error that says why no browser can be started
   */
  async join(user: object, { origins, warmTabs }: { origins: string[]; warmTabs: number }): Promise<Browser> {
    clearTimeout(this.#idle);
    this.#users.set(user, { key: origins.join(' '), origins, count: warmTabs });
    try {
      const browser = await this.#running();
      this.#refill(false);
      return browser;
    } catch (error) {
      this.leave(user);
      throw error;
    }
  }

  leave(user: object) {
    if (!this.#users.delete(user)) return;
    if (this.#users.size > 0) return this.#trimLater();
    this.#idle = setTimeout(() => this.#end(), IDLE_MS);
    this.#idle.unref();
  }

  /** Counts a run that needs its own tab, until `run` has settled. */
  async expect<T>(origins: string[], run: Promise<T>): Promise<T> {
    const key = origins.join(' ');
    const demand = this.#demands.get(key) ?? new ConcurrencyMeter(this.#latelyMs, this.#now);
    this.#demands.set(key, demand);
    demand.begin();
    try {
      return await run;
    } finally {
      demand.end();
    }
  }

  /**
   * Provides a tab in which no code has run.
   *
   * @returns rejects with NoBrowserError, or with ProtocolError if browsers end again and again
   */
  async take(origins: string[]): Promise<Tab> {
    for (let attempt = 1; ;) {
      // After a failure, tabs that were created ahead are not used. If one has ended, the others may also be about to
      // end. The browser is judged by the tabs that are created after the failure.
      const ahead = attempt === 1 ? this.#warm.get(origins.join(' '))?.shift() : undefined;
      // Runs follow each other faster than pages are created. The next page is created in parallel.
      if (ahead?.isReady === false && ahead.isAfterRun) this.#refill(true);
      try {
        const tab = await (ahead?.tab ?? this.#make(origins));
        if (!tab.isLost) return tab;
        // It ended while it was waiting. The number of such tabs is at most the number of tabs created ahead.
        tab.close();
      } catch (error) {
        // The page's process or the browser has ended, or the browser did not answer and was ended.
        if (error instanceof NoBrowserError || attempt++ === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Starts to create the next tab. Called when a run no longer needs the processors for its own tab. Tabs that runs
   * wait for come first.
   */
  refill() {
    this.#isRefillDue = true;
    if (this.#making === 0) this.#refill(true);
  }

  async #make(origins: string[]) {
    this.#making++;
    try {
      return await (await this.#running()).openTab(origins);
    } finally {
      if (--this.#making === 0 && this.#isRefillDue) this.#refill(true);
    }
  }

  /** The running browser, or a new one if it has ended. */
  async #running() {
    const known = this.#browser;
    const browser = await known?.catch(() => undefined);
    if (browser !== undefined && !browser.hasEnded) return browser;
    if (this.#browser === known) this.#start();
    return this.#browser as Promise<Browser>;
  }

  #start() {
    const forget = () => {
      if (this.#browser !== starting) return;
      this.#browser = undefined;
      this.#warm.clear();
    };
    const starting = Browser.start(this.#options, forget).catch(({ message }) => {
      forget();
      throw new NoBrowserError(message);
    });
    this.#browser = starting;
  }

  #refill(isAfterRun: boolean) {
    this.#isRefillDue = false;
    const wanted = this.#wanted();
    // Tabs that executors ask for have priority.
    const taken = [...wanted].reduce(
      (sum, [key, { count }]) => sum + Math.max(this.#warm.get(key)?.length ?? 0, count),
      0,
    );
    let room = MAX_EXPECTED - taken;
    for (const [key, { origins, count }] of wanted) {
      const tabs = this.#warm.get(key) ?? [];
      this.#warm.set(key, tabs);
      const most = Math.max(count, this.#expected(key, count));
      let making = tabs.filter(({ isReady }) => !isReady).length;
      for (; tabs.length < most && (tabs.length < count || (making < MAX_MAKING && room > 0)); making++) {
        if (tabs.length >= count) room--;
        this.#makeAhead(tabs, origins, isAfterRun);
      }
    }
    this.#trimLater();
  }

  #makeAhead(tabs: Ahead[], origins: string[], isAfterRun: boolean) {
    const tab = this.#running().then((browser) => browser.openTab(origins));
    const ahead = { tab, isReady: false, isAfterRun };
    tabs.push(ahead);
    tab.then(
      () => {
        ahead.isReady = true;
        // Creates the next one afterwards.
        this.refill();
      },
      () => {
        const at = tabs.indexOf(ahead);
        if (at !== -1) tabs.splice(at, 1);
      },
    );
  }

  /** How many tabs are wanted ahead, by the origins that they may send requests to. */
  #wanted() {
    const wanted: Map<string, { origins: string[]; count: number }> = new Map();
    for (const { key, origins, count } of this.#users.values()) {
      wanted.set(key, { origins, count: Math.max(count, wanted.get(key)?.count ?? 0) });
    }
    return wanted;
  }

  /**
   * How many runs are expected at the same time.
   * @param count tabs that are wanted in any case. If it is 0, no tabs are expected either.
   */
  #expected(key: string, count: number) {
    return count === 0 ? 0 : Math.min(this.#demands.get(key)?.most ?? 0, MAX_EXPECTED);
  }

  #trimLater() {
    if (this.#trim !== undefined) return;
    this.#trim = setTimeout(() => this.#trimAll(), this.#latelyMs);
    this.#trim.unref();
  }

  /** Closes tabs that are no longer expected to be needed, and forgets measures that are no longer recent. */
  #trimAll() {
    this.#trim = undefined;
    // The browser, with all tabs, ends soon unless an executor joins.
    if (this.#users.size === 0) return;
    const wanted = this.#wanted();
    for (const [key, tabs] of this.#warm) {
      const count = wanted.get(key)?.count ?? 0;
      for (const { tab } of tabs.splice(Math.max(count, this.#expected(key, count)))) {
        tab.then(
          (surplus) => surplus.close(),
          () => {},
        );
      }
      if (!wanted.has(key)) this.#warm.delete(key);
    }
    for (const [key, demand] of this.#demands) {
      if (demand.most === 0) this.#demands.delete(key);
    }
    if (this.#demands.size > 0) this.#trimLater();
  }

  async #end() {
    if (this.#users.size > 0) return;
    const browser = await this.#browser?.catch(() => undefined);
    if (this.#users.size === 0) browser?.kill();
  }
}
