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
  /** Tabs that wait, or are made, by the origins that they may have requests to. @type {Map<string, Promise<import('./tab').Tab>[]>} */
  #warm = new Map();
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
      this.#refill();
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
      const warm = this.#warm.get(origins.join(' '))?.shift();
      try {
        const tab = await (warm ?? this.#make(origins));
        if (!tab.isLost) return tab;
        tab.close();
      } catch (error) {
        // The browser has ended meanwhile, or did not answer and was ended.
        if (error instanceof NoBrowserError || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** A tab has been taken, and what the run needed it for is done: the next one can be made. */
  refill() {
    this.#refill();
  }

  /** @param {string[]} origins */
  async #make(origins) {
    return (await this.#running()).openTab(origins);
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

  #refill() {
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
        tabs.push(tab);
        tab.catch(() => {
          const at = tabs.indexOf(tab);
          if (at !== -1) tabs.splice(at, 1);
        });
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
