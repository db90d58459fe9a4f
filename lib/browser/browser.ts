import { readFileSync } from 'node:fs';

import { setTimeout } from '../contract/clock';
import { startResponsiveTimer } from './responsive-timer';
import { processesOf } from './connection';
import { launch } from './launch';
import { MemoryWatch, kill } from './memory';
import { Tab } from './tab';
import type { Foreign } from '../contract/foreign';
import type { Connection } from './connection';
import type { Running } from './launch';
import type { BrowserOptions } from './browsers';

/** A browser that does not close a tab within this time is considered dead. */
const CLOSE_MS = 5_000;
/** A browser that does not open a tab within this time is also considered dead. A busy machine needs about a second. */
const OPEN_MS = 10_000;
/**
 * After this many consecutive tabs were lost before they were ready, the browser is considered broken. The process that
 * starts its renderers may have ended.
 */
const MAX_LOST = 3;
/** If the GPU process uses no processor for this time, it is idle. */
const GRAPHICS_MS = 500;

/** One process tree of Chrome, for all executors of this process with the same options. */
export class Browser {
  connection;

  #running: Running;
  /** Callbacks for the target of each context. */
  #attaching: Map<string, (target: { sessionId: string; targetId: string }) => void> = new Map();
  /** Tabs whose process is not known yet, in the order in which the browser creates processes. */
  #unmapped: Tab[] = [];
  /** Number of the last process that is known to belong to a tab. */
  #lastRenderer = 0;
  /** Number of tabs that were lost before they were ready, since the last success. */
  #lost = 0;
  #looksAtGraphics = false;
  /** A context that is created ahead for the next tab. */
  #nextContext: Promise<string> | undefined;
  /** by target */
  tabs: Map<string, Tab> = new Map();
  memory;

  constructor(running: Running, context: Promise<string>) {
    this.#running = running;
    this.#nextContext = context;
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

  /** @param onEnd called once, when the browser has ended */
  static async start(options: BrowserOptions, onEnd: () => void) {
    let end: () => void = () => {};
    let context!: ReturnType<typeof makeContext>;
    const onConnection = (connection: Connection) => (context = makeContext(connection));
    const ended = () => {
      end();
      onEnd();
    };
    const browser = new Browser(await launch(options, ended, onConnection), context);
    end = () => browser.#ended();
    return browser;
  }

  get version() {
    return this.#running.version;
  }

  /**
   * Whether a target makes its first request before it can be intercepted. All variants except the headless shell do.
   */
  get navigatesAtOnce() {
    return !this.version.startsWith('HeadlessChrome/');
  }

  get hasOwnNetwork() {
    return this.#running.hasOwnNetwork;
  }

  /** Whether the browser no longer answers. */
  get hasEnded() {
    return this.connection.isClosed;
  }

  /** Ends the browser. Its tabs are no longer used from this call on, although the process needs a moment to end. */
  kill() {
    this.#running.kill();
    this.connection.close();
    this.#ended();
  }

  async openTab(origins: string[]): Promise<Tab> {
    const tab = new Tab(this);
    const stopWaiting = startResponsiveTimer(OPEN_MS, () => this.kill());
    try {
      await tab.open(origins);
      this.#lost = 0;
      this.#nextContext ??= makeContext(this.connection);
      return tab;
    } catch (error) {
      if (tab.isLost && ++this.#lost !== MAX_LOST) this.#giveUp(tab);
      // If no tab was lost, the next processes can no longer be matched to tabs.
      else this.kill();
      throw error;
    } finally {
      stopWaiting();
    }
  }

  /** A browser context without a tab. */
  takeContext() {
    const context = this.#nextContext ?? makeContext(this.connection);
    this.#nextContext = undefined;
    return context;
  }

  /** @param tab whose process the browser creates next */
  expectRenderer(tab: Tab) {
    this.#unmapped.push(tab);
  }

  /** @param tab that is being closed. If its process is not known, it need not be found any more. */
  forgetRenderer(tab: Tab) {
    this.#unmapped = this.#unmapped.filter((one) => one !== tab);
  }

  /** @param tab whose process ended before the tab was ready */
  #giveUp(tab: Tab) {
    tab.close();
    // The tabs queued after this one were waiting for it.
    this.mapRenderers().catch(() => {});
  }

  /**
   * Matches processes to the tabs whose documents have begun. Processes are numbered in the order of their creation.
   */
  async mapRenderers() {
    if (process.platform !== 'linux') return;
    const renderers = (await processesOf(this.connection))
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => ({ pid: id, number: rendererNumber(id) }))
      .filter(({ number }) => number > this.#lastRenderer)
      .sort((a, b) => a.number - b.number);
    // For a single tab it is the last process: tabs that were closed before their process was known may have left
    // others.
    if (this.#unmapped.length === 1) renderers.splice(0, renderers.length - 1);
    for (const { pid, number } of renderers) {
      const [first] = this.#unmapped;
      if (first === undefined || !first.hasBegun) return;
      this.#unmapped.shift();
      this.#lastRenderer = number;
      first.pid = pid;
    }
  }

  /** Ends the browser if it does not answer in time. */
  expect(answer: Promise<unknown>) {
    const stopWaiting = startResponsiveTimer(CLOSE_MS, () => this.kill());
    answer.then(stopWaiting, stopWaiting);
  }

  /**
   * A page was ended in the middle of its work. The GPU process, which all pages share, continues to run the page's
   * shaders. If it does not draw for another page in the meantime, it is ended, and Chrome restarts it.
   */
  async lookAtGraphics() {
    if (this.#looksAtGraphics || process.platform !== 'linux') return;
    this.#looksAtGraphics = true;
    try {
      const before = await this.#graphics();
      await new Promise((resolve) => setTimeout(resolve, GRAPHICS_MS).unref());
      const { id, cpuTime } = await this.#graphics();
      if (id !== before.id || cpuTime === before.cpuTime) return;
      const tab = await this.openTab([]);
      const stopWaiting = startResponsiveTimer(OPEN_MS, () => kill(id));
      await tab.draw().finally(() => {
        stopWaiting();
        tab.close();
      });
    } catch {
      // The browser or its page has ended. The next page shows whether the browser draws.
    } finally {
      this.#looksAtGraphics = false;
    }
  }

  async #graphics() {
    const found = (await processesOf(this.connection)).find(({ type }) => type === 'GPU');
    if (found === undefined) throw new Error('the browser has no GPU process');
    return found;
  }

  /**
   * Reports the target that is created in a context, and its session, before any other event of that target.
   *
   * @param take called once
   */
  onAttached(context: string, take: (target: { sessionId: string; targetId: string }) => void) {
    this.#attaching.set(context, take);
  }

  #ended() {
    this.memory.stop();
    for (const tab of [...this.tabs.values()]) tab.lost('crashed');
    this.tabs.clear();
  }

  #onEvent(method: string, params: Foreign) {
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

function makeContext(connection: Connection): Promise<string> {
  const made = connection.send('Target.createBrowserContext', {}).then(({ browserContextId }) => browserContextId);
  // The caller that takes the context handles the failure.
  made.catch(() => {});
  return made;
}

/**
 * The number of a process among the renderers of its browser. 0 if the number is unknown, or if the process belongs to
 * the browser's own interface, such as the frame of a window.
 */
function rendererNumber(pid: number) {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    if (line.includes('--top-chrome-webui')) return 0;
    return Number(/--renderer-client-id=(\d+)/.exec(line)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
