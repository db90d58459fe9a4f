// What pages hold and what they send is bounded, wherever it lies.

import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, test, vi } from 'vitest';

import { expectCode, gateTool } from '../helpers.mjs';
import { chromeProcesses, make, until, withBrowser } from './helpers.mjs';

// That of the library: what is imported here is loaded once more.
const { Tab } = createRequire(import.meta.url)('../../build/browser/tab.js');

const NEVER = 'await new Promise(() => {})';
const linux = test.runIf(process.platform === 'linux');

const HOGS = {
  heap: 'const all = []; for (;;) all.push({ at: all.length, list: [1, 2, 3] })',
  strings: 'const all = []; for (;;) all.push("x".repeat(1e6) + all.length, all.at(-1) + "y")',
  'array buffers': 'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))',
  'WebAssembly memory': `const all = []; for (;;) { const memory = new WebAssembly.Memory({ initial: 160 });
    new Uint8Array(memory.buffer).fill(1); all.push(memory); await null; }`,
  canvases: `const all = []; for (;;) { const canvas = new OffscreenCanvas(2000, 2000); const context = canvas.getContext('2d', { willReadFrequently: true });
    context.fillRect(0, 0, 2000, 2000); context.getImageData(0, 0, 1, 1); all.push(canvas); }`,
  'a worker': `new Worker(URL.createObjectURL(new Blob(['const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))']))); ${NEVER}`,
  DOM: 'for (;;) document.body.append(document.createElement("p"), "text".repeat(100))',
};

linux.each(Object.entries(HOGS))('%s', async (_, code) => {
  await withBrowser({ memoryLimitMb: 256 }, {}, async (executor) => {
    const error = await expectCode(executor.run(`console.log('began'); ${code}`), 'ERR_MEMORY_LIMIT_EXCEEDED');
    expect(error.message).toBe('Memory limit exceeded (256 MB)');
    expect(error).toMatchObject({ logs: 'began', details: { limitMb: 256 } });
    expect(executor.state).toBe('READY');
    expect((await executor.run('1')).output).toBe(1);
  });
});

linux('blobs are held by the browser, which is restarted if they exceed the limit', async () => {
  await withBrowser({ memoryLimitMb: 256 }, {}, async (executor) => {
    const code = `const all = []; for (let i = 0; i < 200; i++) { all.push(new Blob([new Uint8Array(2e7).fill(i)])); await all.at(-1).slice(0, 1).text(); }
      ${NEVER}`;
    const error = await expectCode(executor.run(code), 'ERR_MEMORY_LIMIT_EXCEEDED');
    expect(error.details).toMatchObject({ limitMb: 256 });
    expect((await executor.run('1')).output).toBe(1);
  });
});

linux("the memory of a session's page is also limited between runs", async () => {
  await withBrowser({ isolation: 'session', memoryLimitMb: 128 }, {}, async (executor) => {
    const lost = vi.spyOn(Tab.prototype, 'lost');
    try {
      await executor.run('const all = []; setInterval(() => all.push(new Uint8Array(1e7).fill(1)), 5); 1');
      await until(() => lost.mock.calls.length > 0);
    } finally {
      lost.mockRestore();
    }
    const error = await expectCode(executor.run('2'), 'ERR_MEMORY_LIMIT_EXCEEDED');
    expect(error).toMatchObject({ message: 'Memory limit exceeded (128 MB)', details: { limitMb: 128 } });
    expect(executor.state).toBe('DIRTY');
  });
});

linux('pages that are made during a run do not count as memory of the browser', async () => {
  const sessions = Array.from({ length: 8 }, () => make({ isolation: 'session' }));
  const { tool, called, open } = gateTool();
  await withBrowser({ memoryLimitMb: 64 }, { gate: tool }, async (executor) => {
    const run = executor.run('await gate()');
    run.catch(() => {});
    await called;
    try {
      // Each time there is another list of processes, some of which are those of pages that are not there yet.
      for (let round = 0; round < 4; round++) {
        await Promise.all(sessions.map((session) => session.init()));
        await Promise.all(sessions.map((session) => session.cleanup()));
      }
      open(7);
      expect((await run).output).toBe(7);
    } finally {
      await Promise.all(sessions.map((session) => session.cleanup()));
    }
  });
});

linux('prerendering and prefetching by a page start no process that could be mistaken for a page', async () => {
  await withBrowser({ isolation: 'session', warmTabs: 0 }, {}, async (executor) => {
    const code = `
      for (const kind of ['prerender', 'prefetch', 'prerender_until_script']) {
        const script = document.createElement('script');
        script.type = 'speculationrules';
        script.textContent = JSON.stringify({ [kind]: [{ source: 'list', urls: ['/x', '/y'], eagerness: 'immediate' }] });
        document.head.append(script);
      }
      await new Promise((done) => setTimeout(done, 500));
      return HTMLScriptElement.supports('speculationrules')`;
    expect((await executor.run(code)).output).toBe(true);
    expect(chromeProcesses().filter(({ type }) => type === 'renderer')).toHaveLength(1);
  });
});

test.each([
  [
    'Cache',
    `const cache = await caches.open('c'); for (let i = 0; i < 40; i++) await cache.put('/' + i, new Response(new Uint8Array(1e6).fill(1)))`,
  ],
  [
    'IndexedDB',
    `const open = indexedDB.open('d');
     await new Promise((done) => { open.onupgradeneeded = () => open.result.createObjectStore('s'); open.onsuccess = done; });
     for (let i = 0; i < 40; i++) {
       const bytes = new Uint8Array(1 << 20);
       for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
       const transaction = open.result.transaction('s', 'readwrite');
       transaction.objectStore('s').put(bytes, i);
       await new Promise((done, fail) => { transaction.oncomplete = done; transaction.onabort = () => fail(transaction.error); });
     }`,
  ],
  [
    'OPFS',
    `const root = await navigator.storage.getDirectory(); const file = await root.getFileHandle('f', { create: true });
     const out = await file.createWritable(); for (let i = 0; i < 40; i++) await out.write(new Uint8Array(1e6)); await out.close()`,
  ],
])('P14 %s has a quota', async (_, code) => {
  await withBrowser({}, {}, async (executor) => {
    const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
    expect(error.details.name).toBe('QuotaExceededError');
  });
});

test('floods of log entries, requests and frame messages delay neither the deadline nor the host', async () => {
  await withBrowser({ timeoutMs: 4_000 }, {}, async (executor) => {
    await executor.run('1', { timeoutMs: 30_000 });
    for (const [code, ...expected] of [
      ['for (;;) console.log("x".repeat(1000))', 'ERR_EXEC_TIMEOUT'],
      // Chrome keeps the entries of frames for as long as the page leaves it no time: whichever comes first.
      [
        'const f = document.createElement("iframe"); document.body.append(f); for (;;) f.contentWindow.console.log("x".repeat(1000))',
        'ERR_EXEC_TIMEOUT',
        'ERR_MEMORY_LIMIT_EXCEEDED',
      ],
      ['for (let i = 0; i < 1e5; i++) fetch("/" + i).catch(() => {}); await new Promise(() => {})', 'ERR_EXEC_TIMEOUT'],
      ['for (let i = 0; ; i++) history.replaceState(i, "")', 'ERR_EXEC_TIMEOUT', 'ERR_RUNTIME_EXCEPTION'],
    ]) {
      const before = process.memoryUsage().rss;
      let longest = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 5);
      const error = await executor.run(code).catch((found) => found);
      clearInterval(timer);
      expect(expected, code).toContain(error.code);
      // The host's own turns: a page that keeps it busy would have it wait for as long as it floods.
      expect(longest, code).toBeLessThan(3_000);
      expect(process.memoryUsage().rss - before, code).toBeLessThan(400 * (1 << 20));
    }
  });
});

/** Frees what nothing refers to. */
function collectGarbage() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

test('three hundred runs leak no process and no memory', async () => {
  await withBrowser({}, { echo: (value) => value }, async (executor) => {
    const code = 'console.log("x"); echo({ n: 1 }).n + (await echo(1))';
    for (let i = 0; i < 40; i++) await executor.run(code);
    collectGarbage();
    const before = process.memoryUsage();
    for (let i = 0; i < 260; i++) expect((await executor.run(code)).output).toBe(2);
    collectGarbage();
    const after = process.memoryUsage();
    expect(after.heapUsed - before.heapUsed).toBeLessThan(20 * (1 << 20));
    await until(() => chromeProcesses().filter(({ type }) => type === 'renderer').length <= 2);
  });
}, 400_000);
