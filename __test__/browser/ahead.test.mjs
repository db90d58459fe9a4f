// Pages that are made ahead: for runs that come one by one, and for runs that lately came at once.

import { expect, test } from 'vitest';

import browsers from '../../build/browser/browsers.js';
import demand from '../../build/browser/concurrency-meter.js';
import { chromeProcesses, killAll, make, until } from './helpers.mjs';

const SPAN_MS = 1_000;
const renderers = () => chromeProcesses().filter(({ type }) => type === 'renderer').length;

test('the number of concurrent runs is remembered for one to two spans of time', () => {
  let now = 0;
  const lately = new demand.ConcurrencyMeter(SPAN_MS, () => now);
  const at = (time) => {
    now = time;
    return lately.most;
  };
  expect(at(0)).toBe(0);
  for (let i = 0; i < 3; i++) lately.begin();
  for (let i = 0; i < 3; i++) lately.end();
  lately.begin();
  lately.end();
  expect([at(0), at(999), at(1_000), at(1_999), at(2_000)]).toStrictEqual([3, 3, 3, 3, 0]);
  lately.begin();
  // A run that goes on counts whenever it began.
  expect([at(3_000), at(30_000), at(31_000)]).toStrictEqual([1, 1, 1]);
  lately.end();
  expect([at(31_999), at(32_000), at(99_000)]).toStrictEqual([1, 1, 0]);
});

/** A browser whose executor asks for `warmTabs`, and a clock that the test turns. */
async function withShared(warmTabs, work) {
  let now = 0;
  const shared = new browsers.SharedBrowser({ executablePath: undefined, sandbox: true }, SPAN_MS / 10, () => now);
  const user = {};
  const browser = await shared.join(user, { origins: [], warmTabs });
  // The first one is begun in a later turn.
  const pages = { begun: 0, ready: 0 };
  const openTab = browser.openTab.bind(browser);
  browser.openTab = async (origins) => {
    pages.begun++;
    const tab = await openTab(origins);
    pages.ready++;
    return tab;
  };
  try {
    await work(shared, { pages, turnClock: () => (now += SPAN_MS) });
  } finally {
    shared.leave(user);
    browser.kill();
    await until(() => chromeProcesses().length === 0);
  }
}

/** As many runs at once. */
async function runAtOnce(shared, count, origins = []) {
  const run = async () => {
    const tab = await shared.take(origins);
    tab.close();
  };
  await Promise.all(Array.from({ length: count }, () => shared.expect(origins, run())));
  shared.refill();
}

test.runIf(process.platform === 'linux')(
  'after concurrent runs there is a page for each of them for a while',
  async () => {
    await withShared(1, async (shared, { turnClock }) => {
      await until(() => renderers() === 1);
      await runAtOnce(shared, 4);
      await until(() => renderers() === 4);
      const tabs = await Promise.all(Array.from({ length: 4 }, () => shared.take([])));
      expect(tabs.map(({ isLost }) => isLost)).toStrictEqual([false, false, false, false]);
      for (const tab of tabs) tab.close();
      shared.refill();
      await until(() => renderers() === 4);
      turnClock();
      await until(() => renderers() === 1);
    });
  },
);

test.runIf(process.platform === 'linux')('at most eight pages are made ahead, and none with warmTabs: 0', async () => {
  await withShared(1, async (shared, { pages }) => {
    await until(() => renderers() === 1);
    await runAtOnce(shared, 10);
    // Ten for the runs, one of them ahead, and eight for the next ones.
    await until(() => pages.ready === 18 && renderers() === 8);
    await new Promise(setImmediate);
    expect(pages).toStrictEqual({ begun: 18, ready: 18 });
  });
  await withShared(0, async (shared, { pages }) => {
    await runAtOnce(shared, 3);
    await until(() => renderers() === 0);
    await new Promise(setImmediate);
    expect(pages).toStrictEqual({ begun: 3, ready: 3 });
  });
});

test.runIf(process.platform === 'linux')(
  'all lists of origins share the eight pages, and pages for an unused list are closed',
  async () => {
    const other = { origins: ['https://api.example.com'], warmTabs: 1 };
    await withShared(1, async (shared, { pages }) => {
      await shared.join(other, other);
      await until(() => pages.ready === 2 && renderers() === 2);
      await runAtOnce(shared, 8);
      await until(() => pages.ready === 2 + 7 + 7 && renderers() === 8);
      await runAtOnce(shared, 3, other.origins);
      // Two ahead, eight runs, of which one had its page, and seven for the next ones: the eighth is the one that
      // `other` asks for. Three runs of that, of which one had its page, and one for the next.
      await until(() => pages.ready === 2 + 7 + 7 + 2 + 1 && renderers() === 8);
      await new Promise(setImmediate);
      expect(pages.begun).toBe(19);
      shared.leave(other);
      await until(() => renderers() === 7);
    });
  },
);

test.runIf(process.platform === 'linux')('after a crash the next browser has as many pages ahead', async () => {
  await withShared(1, async (shared) => {
    await runAtOnce(shared, 3);
    await until(() => renderers() === 3);
    for (const { pid, type } of chromeProcesses()) if (type === 'browser') process.kill(pid, 'SIGKILL');
    await runAtOnce(shared, 3);
    await until(() => renderers() === 3);
    const next = await shared.join({}, { origins: [], warmTabs: 1 });
    next.kill();
  });
});

test.runIf(process.platform === 'linux')(
  'a page whose process ends while it is made is made again, without affecting others',
  async () => {
    await withShared(0, async (shared, { pages }) => {
      const beside = await shared.take([]);
      const known = chromeProcesses().map(({ pid }) => pid);
      const taken = shared.take([]);
      const isNew = ({ pid, type }) => type === 'renderer' && !known.includes(pid);
      await until(() => chromeProcesses().some(isNew));
      killAll(chromeProcesses().filter(isNew));
      const tab = await taken;
      // Chrome may have had a process ready for the page after it, which is gone, too.
      expect([tab.isLost, beside.isLost, pages.begun > 2, pages.ready]).toStrictEqual([false, false, true, 2]);
      const pids = chromeProcesses().flatMap(({ pid, type }) => (type === 'renderer' ? pid : []));
      expect(pids).toStrictEqual(expect.arrayContaining([beside.pid, tab.pid]));
      expect(tab.pid).not.toBe(beside.pid);
      beside.close();
      tab.close();
    });
  },
);

test.runIf(process.platform === 'linux')('runs of executors count for pages ahead, sessions do not', async () => {
  const executors = Array.from({ length: 3 }, () => make({}));
  const sessions = Array.from({ length: 3 }, () => make({ isolation: 'session' }));
  try {
    await Promise.all(sessions.map((executor) => executor.init()));
    await Promise.all(sessions.map((executor) => executor.run('1')));
    await until(() => renderers() === 4);
    await Promise.all(executors.map((executor) => executor.init()));
    const outputs = await Promise.all(executors.map((executor, index) => executor.run(`${index}`)));
    expect(outputs.map(({ output }) => output)).toStrictEqual([0, 1, 2]);
    // A page of each session, and three ahead.
    await until(() => renderers() === 6);
  } finally {
    await Promise.all([...executors, ...sessions].map((executor) => executor.cleanup()));
  }
});
