// Pages of this package's `BrowserExecutor`.

import { readFileSync } from 'node:fs';

import { BrowserExecutor } from '../../build/browser/index.js';

/** As cases/browser.mjs asks for: `warm` is whether a page may be made ahead. */
export async function openBrowser({ warm = true, tools = {} } = {}) {
  const make = async (options) => {
    const executor = new BrowserExecutor({ fallback: false, maxToolCalls: 1e6, warmTabs: warm ? 1 : 0, ...options });
    await executor.init();
    await executor.sendTools(tools);
    return executor;
  };
  const executor = await make();
  const others = [];
  return {
    run: async (body) => (await executor.run(body)).output,
    ready: async (count) => {
      while (others.length < count) others.push(await make());
    },
    parallel: (bodies) => Promise.all(bodies.map(async (body, index) => (await others[index].run(body)).output)),
    overshoot: async (timeoutMs) => {
      const { stats } = await executor.run('for (;;);', { timeoutMs }).catch((error) => error);
      return stats.durationMs - timeoutMs;
    },
    hold: async () => {
      const session = await make({ isolation: 'session', warmTabs: 0 });
      await session.run('1');
    },
  };
}

/** Private memory of the page processes that this process has brought about, in MiB, and their number. */
export function pages(pids) {
  return pids.map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1024;
  });
}
