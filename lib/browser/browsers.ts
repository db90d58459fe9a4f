import { clearTimeout, setTimeout } from '../contract/clock';
import { Browser } from './browser';
import { ConcurrencyMeter } from './concurrency-meter';
import type { Tab } from './tab';

/** A browser that no executor uses is kept for so long. */
const IDLE_MS = 30_000;
/** Pages, or browsers, that are tried for one tab. */
const MAX_ATTEMPTS = 4;
/** Runs that were under way at once are expected to come again for so long, and for twice that at most. */
const LATELY_MS = 10_000;
/** Tabs that are made ahead in a browser, unless executors ask for more. Each takes some 15 MiB. */
const MAX_EXPECTED = 8;
/** Tabs that are made ahead at the same time: runs that have theirs need the processors. */
const MAX_MAKING = 2;

/**
 * What executors with the same options share: a browser, started again when it has ended, and tabs that are made ahead.
 */
export interface BrowserOptions {
  executablePath: string | undefined;
  sandbox: boolean;
}

export interface Ahead {
  tab: Promise<Tab>;
  isReady: boolean;
  /** whether a run has ended when it was begun */
  isAfterRun: boolean;
}

const shared: Map<string, SharedBrowser> = new Map();

export function sharedBrowser({ executablePath, sandbox }: BrowserOptions) {
  const key = JSON.stringify([executablePath ?? process.env.CHROME_PATH ?? '', sandbox]);
  const found = shared.get(key) ?? new SharedBrowser({ executablePath, sandbox });
  shared.set(key, found);
  return found;
}

/** No browser can be started; the message says why. */
export class NoBrowserError extends Error {}

export class SharedBrowser {
  #options;
  #latelyMs;
  #now;
  #browser: Promise<Browser> | undefined;
  /** Tabs that wait, or are made, by the origins that they may have requests to. */
  #warm: Map<string, Ahead[]> = new Map();
  /** Tabs that are made for runs that have none. */
  #making = 0;
  /** Whether tabs have to be made ahead as soon as no run waits for one. */
  #isRefillDue = false;
  /** How many tabs each executor wants. */
  #users: Map<object, { key: string; origins: string[]; count: number }> = new Map();
  /** Runs that need a tab each, by the origins of that. */
  #demands: Map<string, ConcurrencyMeter> = new Map();
  #trim: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @param now milliseconds, for what has been lately */
  constructor(options: BrowserOptions, latelyMs: number = LATELY_MS, now?: () => number) {
    this.#options = options;
    this.#latelyMs = latelyMs;
    this.#now = now;
  }

  /**
   * An executor begins to use it: starts the browser if there is none.
   *
   * @returns rejects with an Error that says why there is none
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

  /** A run that needs a tab of its own is under way until `run` has settled. */
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
   * A tab in which nothing has run.
   *
   * @returns rejects with NoBrowserError, or with ProtocolError if browsers end again and again
   */
  async take(origins: string[]): Promise<Tab> {
    for (let attempt = 1; ;) {
      // Where one has ended, those that are made beside it may end, too: the browser tells by those that are made after it.
      const ahead = attempt === 1 ? this.#warm.get(origins.join(' '))?.shift() : undefined;
      // Runs follow each other faster than pages are made: the next one is made beside this one.
      if (ahead?.isReady === false && ahead.isAfterRun) this.#refill(true);
      try {
        const tab = await (ahead?.tab ?? this.#make(origins));
        if (!tab.isLost) return tab;
        // It has ended while it waited: there are no more of those than were made ahead.
        tab.close();
      } catch (error) {
        // The process of the page has ended, or the browser, or that did not answer and was ended.
        if (error instanceof NoBrowserError || attempt++ === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * A tab has been taken, and what the run needed it for is done: the next one can be made, behind those that runs wait for.
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

  /** The browser, or a new one in place of one that has ended. */
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
    // Those that executors ask for have their room.
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
        // Behind it the next one.
        this.refill();
      },
      () => {
        const at = tabs.indexOf(ahead);
        if (at !== -1) tabs.splice(at, 1);
      },
    );
  }

  /** How many tabs are wanted ahead, by what they may have requests to. */
  #wanted() {
    const wanted: Map<string, { origins: string[]; count: number }> = new Map();
    for (const { key, origins, count } of this.#users.values()) {
      wanted.set(key, { origins, count: Math.max(count, wanted.get(key)?.count ?? 0) });
    }
    return wanted;
  }

  /**
   * How many runs may come at once.
   *
   * @param count tabs that are wanted in any case; none: nor is any other
   */
  #expected(key: string, count: number) {
    return count === 0 ? 0 : Math.min(this.#demands.get(key)?.most ?? 0, MAX_EXPECTED);
  }

  #trimLater() {
    if (this.#trim !== undefined) return;
    this.#trim = setTimeout(() => this.#trimAll(), this.#latelyMs);
    this.#trim.unref();
  }

  /** Closes what is not expected to be needed any more, and forgets what has not been lately. */
  #trimAll() {
    this.#trim = undefined;
    // All of it ends soon, with the browser, unless somebody joins.
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
