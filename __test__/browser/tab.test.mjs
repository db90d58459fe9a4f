// What a page does with events that come when the test says so.

import { setImmediate as turn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import browsers from '../../build/browser/browser.js';
import tabs from '../../build/browser/tab.js';

/** A browser that answers each command at once, and what it was sent. */
function fakeBrowser() {
  const sent = [];
  const commands = [];
  let listener;
  const connection = {
    send: async (method, params) => {
      sent.push(method);
      commands.push({ method, params });
      return {
        targetId: 'target',
        result: { type: 'function', objectId: 'kit' },
      };
    },
    post: (method, params) => void connection.send(method, params),
    listen: (_, listen) => (listener = listen),
  };
  return {
    sent,
    commands,
    tell: (method, params = {}) => listener(method, params),
    browser: {
      connection,
      tabs: new Map(),
      onAttached: (_, take) => take({ sessionId: 'session', targetId: 'target' }),
      takeContext: async () => 'context',
      expectRenderer: () => {},
      forgetRenderer: () => {},
      mapRenderers: async () => {},
    },
  };
}

/** A page that has a run, and what the run is told. */
async function openTab() {
  const fake = fakeBrowser();
  const tab = new tabs.Tab(fake.browser);
  const opened = tab.open([]);
  await turn();
  fake.tell('Page.frameNavigated', { frame: { url: 'https://sandbox.invalid/' } });
  fake.tell('Page.domContentEventFired');
  await opened;
  const told = [];
  tab.serve({
    onTold: (payload) => told.push(payload),
    onAsked: (payload) => told.push(`asked: ${payload}`),
    onRequest: (request) => told.push(request),
    onGone: (reason) => told.push(reason),
  });
  const { params } = fake.commands.find(({ method }) => method === 'Runtime.evaluate');
  const [, key] = /"key":"(\w+)"/.exec(params.expression);
  const answers = () =>
    fake.commands.filter(({ method }) => method === 'Page.handleJavaScriptDialog').map(({ params: answer }) => answer);
  return { ...fake, tab, told, key, answers };
}

test('a dialog of a guest ends immediately and counts as a request', async () => {
  const { tell, told, answers } = await openTab();
  for (const type of ['alert', 'confirm', 'prompt', 'beforeunload']) {
    tell('Page.javascriptDialogOpening', { type, message: 'x', defaultPrompt: '' });
  }
  expect(answers()).toStrictEqual(Array(4).fill({ accept: false }));
  expect(told).toStrictEqual(Array(4).fill(undefined));
});

test('a synchronous call is handled after earlier messages of the page, and answered once', async () => {
  const { tab, tell, told, key, answers } = await openTab();
  tell('Page.javascriptDialogOpening', { type: 'prompt', message: `${key}2`, defaultPrompt: 'call' });
  tell('Runtime.bindingCalled', { payload: 'first' });
  expect(told).toStrictEqual(['first']);
  tell('Runtime.bindingCalled', { payload: 'second' });
  expect(told).toStrictEqual(['first', 'second', 'asked: call']);
  tab.respond('answer');
  tab.respond('again');
  tab.refuseCall();
  expect(answers()).toStrictEqual([{ accept: true, promptText: 'answer' }]);
});

test('a browser that does not delay requests gets its page in a second step', async () => {
  const { browser, commands, tell } = fakeBrowser();
  browser.navigatesAtOnce = true;
  const opened = new tabs.Tab(browser).open([]);
  await turn();
  const sent = commands.map(({ method, params }) => [method, params.url]);
  expect(sent).toContainEqual(['Target.createTarget', 'about:blank']);
  // What intercepts requests is there before.
  expect(sent.at(-1)).toStrictEqual(['Page.navigate', 'https://sandbox.invalid/']);
  tell('Page.frameNavigated', { frame: { url: 'https://sandbox.invalid/' } });
  tell('Page.domContentEventFired');
  await opened;
});

test.each(['before it is attached to', 'while it is prepared'])(
  'a page whose process ends %s is abandoned immediately',
  async (when) => {
    const { browser, commands, tell } = fakeBrowser();
    const tab = new tabs.Tab(browser);
    const opened = tab.open([]);
    if (when === 'while it is prepared') {
      await turn();
      tell('Page.frameNavigated', { frame: { url: 'https://sandbox.invalid/' } });
      await turn();
      tell('Inspector.targetCrashed');
    } else tab.lost('crashed');
    await expect(opened).rejects.toThrow('the process of the page has ended');
    await turn();
    expect(commands.some(({ method }) => method === 'Runtime.evaluate')).toBe(when === 'while it is prepared');
  },
);

// A browser whose pages all ended at once was asked for the next one for ever.
test('a browser is ended after three pages in a row ended before they were complete', async () => {
  const listeners = new Map();
  const tell = (method, params) => listeners.get(undefined)(method, params);
  let contexts = 0;
  const connection = {
    listen: (session, listener) => listeners.set(session, listener),
    forget: () => {},
    close: () => {},
    post: () => {},
    send: async (method, { browserContextId }) => {
      if (method === 'Target.createBrowserContext') return { browserContextId: `${++contexts}` };
      if (method !== 'Target.createTarget') return { processInfo: [] };
      const targetInfo = { targetId: browserContextId, browserContextId };
      tell('Target.attachedToTarget', { sessionId: browserContextId, targetInfo });
      return tell('Target.targetCrashed', { targetId: browserContextId });
    },
  };
  let killed = 0;
  const running = { connection, version: 'HeadlessChrome/1', kill: () => killed++ };
  const browser = new browsers.Browser(running, connection.send('Target.createBrowserContext', {}));
  for (const expected of [0, 0, 1]) {
    await expect(browser.openTab([])).rejects.toThrow('the process of the page has ended');
    expect(killed).toBe(expected);
  }
});

// A run has begun before the page's body was parsed: `document.body` was null then.
test('a page is ready when its document is complete', async () => {
  const { browser, sent, tell } = fakeBrowser();
  let isOpen = false;
  const opened = new tabs.Tab(browser).open([]).then(() => (isOpen = true));
  await turn();
  expect(sent).toContain('Runtime.runIfWaitingForDebugger');
  // Of the empty document that was there before.
  tell('Page.domContentEventFired');
  tell('Page.frameNavigated', { frame: { url: 'https://sandbox.invalid/' } });
  await turn();
  expect(sent).toContain('Runtime.evaluate');
  expect(isOpen).toBe(false);
  tell('Page.domContentEventFired');
  await opened;
});
