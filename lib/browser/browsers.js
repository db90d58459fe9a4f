// @ts-check
'use strict';

const { Browser } = require('./browser');

/** A browser that no executor uses is kept for so long. */
const IDLE_MS = 30_000;
/** Browsers that are tried for one tab. */
const MAX_ATTEMPTS = 4;

/**
 * What executors with the same options share: a browser, started again when it has ended, and tabs that are made ahead.
 *
 * @typedef {object} BrowserOptions
 * @property {string | undefined} executablePath
 * @property {boolean} sandbox
 *
 * @typedef {object} Ahead
 * @property {Promise<import('./tab').Tab>} tab
 * @property {boolean} isReady
 * @property {boolean} isAfterRun whether a run has ended when it was begun
 */

/** @type {Map<string, SharedBrowser>} */
const shared = new Map();

/** @param {BrowserOptions} options */
function sharedBrowser({ executablePath, sandbox }) {
  const key = JSON.stringify([executablePath ?? process.env.CHROME_PATH ?? '', sandbox]);
  const found = shared.get(key) ?? new SharedBrowser({ executablePath, sandbox });
  shared.set(key, found);
  return found;
}

/** No browser can be started; the message says why. */
class NoBrowserError extends Error {}

class SharedBrowser {
  #options;
  /** @type {Promise<Browser> | undefined} */
  #browser;
  /** Tabs that wait, or are made, by the origins that they may have requests to. @type {Map<string, Ahead[]>} */
  #warm = new Map();
  /** Tabs that are made for runs that have none. */
  #making = 0;
  /** Whether tabs have to be made ahead as soon as no run waits for one. */
  #isRefillDue = false;
  /** How many tabs each executor wants. @type {Map<object, { key: string, origins: string[], count: number }>} */
  #users = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #idle;

  /** @param {BrowserOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /**
   * An executor begins to use it: starts the browser if there is none.
   *
   * @param {object} user
   * @param {{ origins: string[], warmTabs: number }} wants
   * @returns {Promise<Browser>} rejects with an Error that says why there is none
   */
  async join(user, { origins, warmTabs }) {
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

  /** @param {object} user */
  leave(user) {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
    this.#idle = setTimeout(() => this.#end(), IDLE_MS);
    this.#idle.unref();
  }

  /**
   * A tab in which nothing has run.
   *
   * @param {string[]} origins
   * @returns {Promise<import('./tab').Tab>} rejects with NoBrowserError, or with ProtocolError if browsers end again and again
   */
  async take(origins) {
    for (let attempt = 1; ; attempt++) {
      const ahead = this.#warm.get(origins.join(' '))?.shift();
      // Runs follow each other faster than pages are made: the next one is made beside this one.
      if (ahead?.isReady === false && ahead.isAfterRun) this.#refill(true);
      try {
        const tab = await (ahead?.tab ?? this.#make(origins));
        if (!tab.isLost) return tab;
        tab.close();
      } catch (error) {
        // The browser has ended meanwhile, or did not answer and was ended.
        if (error instanceof NoBrowserError || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** A tab has been taken, and what the run needed it for is done: the next one can be made, behind those that runs wait for. */
  refill() {
    this.#isRefillDue = true;
    if (this.#making === 0) this.#refill(true);
  }

  /** @param {string[]} origins */
  async #make(origins) {
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
    return /** @type {Promise<Browser>} */ (this.#browser);
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

  /** @param {boolean} isAfterRun */
  #refill(isAfterRun) {
    this.#isRefillDue = false;
    /** @type {Map<string, { origins: string[], count: number }>} */
    const wanted = new Map();
    for (const { key, origins, count } of this.#users.values()) {
      wanted.set(key, { origins, count: Math.max(count, wanted.get(key)?.count ?? 0) });
    }
    for (const [key, { origins, count }] of wanted) {
      const tabs = this.#warm.get(key) ?? [];
      this.#warm.set(key, tabs);
      while (tabs.length < count) {
        const tab = this.#running().then((browser) => browser.openTab(origins));
        const ahead = { tab, isReady: false, isAfterRun };
        tabs.push(ahead);
        tab.then(
          () => (ahead.isReady = true),
          () => {
            const at = tabs.indexOf(ahead);
            if (at !== -1) tabs.splice(at, 1);
          },
        );
      }
    }
  }

  async #end() {
    if (this.#users.size > 0) return;
    const browser = await this.#browser?.catch(() => undefined);
    if (this.#users.size === 0) browser?.kill();
  }
}

module.exports = { NoBrowserError, sharedBrowser };
