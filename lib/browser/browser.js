// @ts-check
'use strict';

const { launch } = require('./launch');
const { MemoryWatch } = require('./memory');
const { Tab } = require('./tab');

/** A browser that does not close a tab in this time does not answer at all. */
const CLOSE_MS = 5_000;
/** One that does not make a tab in this time does not, either: a busy machine takes a second. */
const OPEN_MS = 10_000;

/** One process tree of Chrome, for all executors of this process with the same options. */
class Browser {
  /** @type {import('./launch').Running} */
  #running;
  /** Tabs under way are made one at a time: a new process is that of the new tab. */
  #opening = Promise.resolve();
  /** Those who wait for the target of their context. @type {Map<string, (target: any) => void>} */
  #attaching = new Map();
  /** Numbers of processes that are known to be those of tabs. @type {Set<number>} */
  #pids = new Set();
  /** @type {Map<string, Tab>} by target */
  tabs = new Map();
  memory;

  /** @param {import('./launch').Running} running */
  constructor(running) {
    this.#running = running;
    this.connection = running.connection;
    this.memory = new MemoryWatch(this);
    this.connection.listen(undefined, (method, params) => this.#onEvent(method, params));
    this.connection.post('Target.setDiscoverTargets', { discover: true });
    const filter = [{ type: 'page' }];
    this.connection.post('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter,
    });
  }

  /**
   * @param {import('./browsers').BrowserOptions} options
   * @param {() => void} onEnd called once when it has ended
   */
  static async start(options, onEnd) {
    /** @type {() => void} */
    let end = () => {};
    const running = await launch(options, () => {
      end();
      onEnd();
    });
    const browser = new Browser(running);
    end = () => browser.#ended();
    return browser;
  }

  get version() {
    return this.#running.version;
  }

  get hasOwnNetwork() {
    return this.#running.hasOwnNetwork;
  }

  /** Whether it does not answer any more. */
  get hasEnded() {
    return this.connection.isClosed;
  }

  kill() {
    this.#running.kill();
  }

  /**
   * @param {string[]} origins
   * @returns {Promise<Tab>}
   */
  openTab(origins) {
    const opened = this.#opening.then(() => this.#openTab(origins));
    this.#opening = opened.then(
      () => {},
      () => {},
    );
    return opened;
  }

  /**
   * Something that the browser has to answer soon.
   *
   * @param {Promise<unknown>} answer
   */
  expect(answer) {
    const late = setTimeout(() => this.kill(), CLOSE_MS);
    late.unref();
    answer.then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    );
  }

  /**
   * The target that comes into being in a context, and the session with it.
   *
   * @param {string} context
   * @returns {Promise<{ sessionId: string, targetId: string }>}
   */
  attachedIn(context) {
    return new Promise((resolve) => this.#attaching.set(context, resolve));
  }

  /** @param {string[]} origins */
  async #openTab(origins) {
    const tab = new Tab(this);
    const late = setTimeout(() => this.kill(), OPEN_MS);
    late.unref();
    try {
      await tab.open(origins);
      tab.pid = await this.#newRenderer();
      return tab;
    } catch (error) {
      tab.close();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  #ended() {
    this.memory.stop();
    for (const tab of [...this.tabs.values()]) tab.lost('crashed');
    this.tabs.clear();
  }

  async #newRenderer() {
    const { processInfo } = await this.connection.send('SystemInfo.getProcessInfo', {});
    const pids = processInfo
      .filter((/** @type {any} */ { type }) => type === 'renderer')
      .map((/** @type {any} */ { id }) => id);
    const found = pids.filter((/** @type {number} */ pid) => !this.#pids.has(pid));
    this.#pids = new Set(pids);
    return /** @type {number | undefined} */ (found.at(-1));
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  #onEvent(method, params) {
    if (method === 'Target.attachedToTarget') {
      const { sessionId, targetInfo } = params;
      const { targetId, browserContextId } = targetInfo;
      this.#attaching.get(browserContextId)?.({ sessionId, targetId });
      this.#attaching.delete(browserContextId);
      return;
    }
    const tab = this.tabs.get(params.targetId);
    if (tab === undefined) return;
    if (method === 'Target.targetCrashed') tab.lost('crashed');
    if (method === 'Target.targetDestroyed') tab.lost('closed');
  }
}

module.exports = { Browser };
