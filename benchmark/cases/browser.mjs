// Runs in pages of Chrome, against plain puppeteer-core on the same one.

import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

import { expectEqual } from './measure.mjs';

const CALLS = 1_000;
const IN_A_ROW = 20;
const PARALLEL = 8;
const TOOLS = { add: (a, b) => a + b, addLater: async (a, b) => a + b };
const SUM = (CALLS * (CALLS - 1)) / 2;
/** A page is made ahead in this time, also on a busy machine. */
const WARM_MS = 500;

const row = (id, title, unit = 'ms') => ({ id, title, metrics: [{ id: 'figure', unit }] });

export default {
  id: 'browser',
  peers: ['browser', 'puppeteer-core'],
  title: 'browser',
  rounds: 8,
  seconds: 120,
  isFreshEachRound: true,
  isLinuxOnly: true,
  variants: [
    row('browser-launch', 'start of the browser and first run'),
    row('browser-warm', 'run, the page made ahead if the peer does that'),
    row('browser-cold', 'run, no page made ahead'),
    row('browser-row', `${IN_A_ROW} runs in a row, per run`),
    row('browser-parallel', `${PARALLEL} runs in parallel, after as many lately`),
    row('browser-first-parallel', 'the same for the first time, one page made ahead if the peer does that'),
    // Plain pages share storage and cookies; this is what keeps runs apart with the other peer, too.
    row('browser-contexts', 'the same, each run in a new browser context for all peers'),
    row('browser-async', 'async tool call', 'µs'),
    row('browser-sync', 'sync tool call; puppeteer: the async one', 'µs'),
    row('browser-overshoot', 'end of an endless loop after its deadline'),
    row('browser-memory', 'private memory of an idle page', 'MiB'),
  ],

  async prepare(peer) {
    return { state: peer };
  },

  async round(peer, { id }) {
    const figure = await FIGURES[id.slice('browser-'.length)](peer);
    await endBrowsers();
    return { figure: Array.isArray(figure) ? figure : [figure] };
  },
};

const FIGURES = {
  launch: (peer) => timed(async () => expectEqual(await (await peer.openBrowser()).run('return 2;'), 2, 'launch')),

  async warm(peer) {
    const browser = await peer.openBrowser();
    const times = [];
    for (let i = 0; i < 6; i++) {
      await delay(WARM_MS);
      times.push(await timed(() => browser.run('return 2;')));
    }
    return times.slice(1);
  },

  async cold(peer) {
    const browser = await peer.openBrowser({ warm: false });
    await browser.run('return 2;');
    const times = [];
    for (let i = 0; i < 6; i++) {
      await delay(100);
      times.push(await timed(() => browser.run('return 2;')));
    }
    return times;
  },

  async row(peer) {
    const browser = await peer.openBrowser();
    await browser.run('return 2;');
    const ms = await timed(async () => {
      for (let i = 0; i < IN_A_ROW; i++) await browser.run('return 2;');
    });
    return ms / IN_A_ROW;
  },

  async parallel(peer) {
    const browser = await peer.openBrowser();
    await parallel(browser);
    return parallel(browser);
  },

  'first-parallel': async (peer) => parallel(await peer.openBrowser()),

  contexts: async (peer) => parallel(await peer.openBrowser({ isContextEach: true })),

  async: (peer) =>
    calls(peer, `let s = 0; const t = performance.now(); for (let i = 0; i < ${CALLS}; i++) s = await addLater(s, i);`),

  sync: (peer) =>
    calls(
      peer,
      // Where there is no synchronous one, the same work is done with the other.
      `let s = 0; const t = performance.now(); for (let i = 0; i < ${CALLS}; i++) { s = add(s, i); if (typeof s !== 'number') s = await s; }`,
    ),

  async overshoot(peer) {
    const browser = await peer.openBrowser();
    if (browser.overshoot === undefined) return NaN;
    const times = [];
    for (let i = 0; i < 4; i++) {
      await delay(WARM_MS);
      times.push(await browser.overshoot(300));
    }
    return times;
  },

  async memory(peer) {
    const browser = await peer.openBrowser({ warm: false });
    if (browser.hold === undefined) return NaN;
    await browser.hold();
    await delay(WARM_MS);
    const before = new Set(renderers());
    await browser.hold();
    await delay(WARM_MS);
    return peer.pages(renderers().filter((pid) => !before.has(pid)));
  },
};

/** Time of the runs, once nothing is made that anybody has asked for before; nor is anything when it returns. */
async function parallel(browser) {
  const bodies = Array.from({ length: PARALLEL }, (_, index) => `return ${index};`);
  await browser.ready(PARALLEL);
  await isQuiet();
  const time = await timed(() => browser.parallel(bodies));
  await isQuiet();
  return time;
}

/** Page processes neither come nor go for a while. */
async function isQuiet() {
  for (let before = ''; ;) {
    const now = renderers().join(' ');
    if (now === before) return;
    before = now;
    await delay(WARM_MS);
  }
}

async function calls(peer, body) {
  const browser = await peer.openBrowser({ tools: TOOLS });
  const times = [];
  for (let i = 0; i < 4; i++) {
    const [sum, ms] = await browser.run(`${body} return [s, performance.now() - t];`);
    expectEqual(sum, SUM, 'calls');
    times.push((ms * 1e3) / CALLS);
  }
  return times.slice(1);
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Ends all browsers of this process, so that none is about when the next peer has its turn. */
async function endBrowsers() {
  for (let pids = browserProcesses(); pids.length > 0; pids = browserProcesses()) {
    for (const { pid } of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    await delay(50);
  }
}

/** Numbers of page processes below this one. */
function renderers() {
  return browserProcesses()
    .filter(({ args }) => args.includes('--type=renderer'))
    .map(({ pid }) => pid);
}

/** What runs below this process, zombies and `ps` not counted: number and command. */
function browserProcesses() {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).trim().split('\n');
  const all = lines
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .map(([, pid, parent, state, args]) => ({ pid: Number(pid), parent: Number(parent), state, args }))
    .filter(({ state, args }) => !state.startsWith('Z') && !args.startsWith('ps '));
  const below = new Set([process.pid]);
  for (let before = -1; before !== below.size;) {
    before = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all.filter(({ pid }) => pid !== process.pid && below.has(pid));
}
