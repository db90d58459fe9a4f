// When a page is ready, told by a browser whose events come when the test says so. A run has begun before the page's body was
// parsed: `document.body` was null then.

import { setImmediate as turn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import tabs from '../../lib/browser/tab.js';

/** A browser that answers each command at once, and what it was sent. */
function fakeBrowser() {
  const sent = [];
  let listener;
  const connection = {
    send: async (method) => {
      sent.push(method);
      return {
        targetId: 'target',
        result: { type: 'function', objectId: 'kit' },
      };
    },
    listen: (_, listen) => (listener = listen),
  };
  return {
    sent,
    tell: (method, params = {}) => listener(method, params),
    browser: {
      connection,
      tabs: new Map(),
      attachedIn: async () => ({ sessionId: 'session', targetId: 'target' }),
      takeContext: async () => 'context',
      expectRenderer: () => {},
      mapRenderers: async () => {},
    },
  };
}

test('a page is ready when all of its document is there', async () => {
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
