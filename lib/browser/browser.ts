import { readFileSync } from 'node:fs';

import { setTimeout } from '../contract/clock';
import { startResponsiveTimer } from './responsive-timer';
import { launch } from './launch';
import { MemoryWatch, kill } from './memory';
import { Tab } from './tab';
import type { Connection } from './connection';
import type { Running } from './launch';
import type { BrowserOptions } from './browsers';

/** A browser that does not close a tab in this time does not answer at all. */
const CLOSE_MS = 5_000;
/** One that does not make a tab in this time does not, either: a busy machine takes a second. */
const OPEN_MS = 10_000;
/**
 * One whose pages end before they are there, so many one after the other, can make none: what starts their processes may have ended.
 */
const MAX_LOST = 3;
/** A process of the graphics that has nothing to do uses no processor in this time. */
const GRAPHICS_MS = 500;

/** One process tree of Chrome, for all executors of this process with the same options. */
export class Browser {
  connection;

  #running: Running;
  /** Who is told of the target of a context. */
  #attaching: Map<string, (target: { sessionId: string; targetId: string }) => void> = new Map();
  /** Tabs whose process is not known yet, in the order in which the browser makes processes. */
  #unmapped: Tab[] = [];
  /** Number of the last process that is known to be a tab's. */
  #lastRenderer = 0;
  /** Tabs that were lost before they were there, since one was made. */
  #lost = 0;
  #looksAtGraphics = false;
  /** A context that the next tab takes: it is there already when one is wanted. */
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

  /** @param onEnd called once when it has ended */
  static async start(options: BrowserOptions, onEnd: () => void) {
    let end: () => void = () => {};
    let context: any;
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

  /** Whether a target's first request is made before anybody can intercept it: all but the headless shell do that. */
  get navigatesAtOnce() {
    return !this.version.startsWith('HeadlessChrome/');
  }

  get hasOwnNetwork() {
    return this.#running.hasOwnNetwork;
  }

  /** Whether it does not answer any more. */
  get hasEnded() {
    return this.connection.isClosed;
  }

  /** Ends it. None of its tabs is taken from now on, although it takes a moment until the process has ended. */
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
      // If none was lost, it is not known any more whose the next processes are.
      else this.kill();
      throw error;
    } finally {
      stopWaiting();
    }
  }

  /** A browser context that no tab has. */
  takeContext() {
    const context = this.#nextContext ?? makeContext(this.connection);
    this.#nextContext = undefined;
    return context;
  }

  /** @param tab whose process the browser makes next */
  expectRenderer(tab: Tab) {
    this.#unmapped.push(tab);
  }

  /** @param tab that is closed: if its process is not known, nobody has to know it any more */
  forgetRenderer(tab: Tab) {
    this.#unmapped = this.#unmapped.filter((one) => one !== tab);
  }

  /** @param tab whose process has ended before it was there */
  #giveUp(tab: Tab) {
    tab.close();
    // Those behind it have waited for it.
    this.mapRenderers().catch(() => {});
  }

  /**
   * Finds out which processes are those of the tabs whose documents have begun: they are numbered as they are made.
   */
  async mapRenderers() {
    if (process.platform !== 'linux') return;
    const { processInfo } = await this.connection.send('SystemInfo.getProcessInfo', {});
    const renderers = processInfo
      .filter(({ type }: any) => type === 'renderer')
      .map(({ id }: any) => ({ pid: id, number: rendererNumber(id) }))
      .filter(({ number }: any) => number > this.#lastRenderer)
      .sort((a: any, b: any) => a.number - b.number);
    // Of one tab it is the last: a tab that was closed before its process was known may have left others.
    if (this.#unmapped.length === 1) renderers.splice(0, renderers.length - 1);
    for (const { pid, number } of renderers) {
      const [first] = this.#unmapped;
      if (first === undefined || !first.hasBegun) return;
      this.#unmapped.shift();
      this.#lastRenderer = number;
      first.pid = pid;
    }
  }

  /** Something that the browser has to answer soon. */
  expect(answer: Promise<unknown>) {
    const stopWaiting = startResponsiveTimer(CLOSE_MS, () => this.kill());
    answer.then(stopWaiting, stopWaiting);
  }

  /**
   * A page was ended in the middle of what it did. What its shaders draw goes on in the process of the graphics, which all pages share:
   * if that draws nothing for another page, it is ended, and Chrome starts it again.
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
      // The browser has ended, or its page: the next one shows whether it draws.
    } finally {
      this.#looksAtGraphics = false;
    }
  }

  async #graphics(): Promise<{ id: number; cpuTime: number }> {
    const { processInfo } = await this.connection.send('SystemInfo.getProcessInfo', {});
    return processInfo.find(({ type }: any) => type === 'GPU');
  }

  /**
   * Tells of the target that comes into being in a context, and of the session with it, before what becomes of them.
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

  #onEvent(method: string, params: any) {
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
  // Who takes it learns of a failure.
  made.catch(() => {});
  return made;
}

/**
 * Which one it is among those of its browser; 0 if that cannot be known, or if it has what is around pages, of which windows have some.
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
