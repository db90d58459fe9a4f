// Plain puppeteer-core on the same Chrome: a page for each run, closed afterwards.

import { createRequire } from 'node:module';

import puppeteer from 'puppeteer-core';

const { findChrome } = createRequire(import.meta.url)('../../build/browser/browser-path.js');

/** The interface for cases/browser.mjs. `isContextEach`: whether each page has its own browser context. */
export async function openBrowser({ tools = {}, isContextEach = false } = {}) {
  // Chrome has no sandbox for root, and puppeteer cannot start it as somebody else.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await puppeteer.launch({
    executablePath: findChrome(undefined),
    headless: 'shell',
    pipe: true,
    args,
  });
  const run = async (body) => {
    const context = isContextEach ? await browser.createBrowserContext() : undefined;
    const page = await (context ?? browser).newPage();
    for (const [name, tool] of Object.entries(tools)) await page.exposeFunction(name, tool);
    try {
      return await page.evaluate(`(async () => { ${body} })()`);
    } finally {
      await (context ?? page).close();
    }
  };
  return { run, ready: async () => {}, parallel: (bodies) => Promise.all(bodies.map(run)) };
}
