// A page that leaves its document, or closes itself, ends its run at once; what the browser refuses does not.

import { createRequire } from 'node:module';

import { expect, test, vi } from 'vitest';

import { expectCode } from '../helpers.mjs';
import { until, withBrowser } from './helpers.mjs';

// That of the library: what is imported here is loaded once more.
const { Tab } = createRequire(import.meta.url)('../../build/browser/tab.js');

test.each([
  ['location.href = "https://example.com/"'],
  ['location.reload()'],
  ['location.assign("about:blank")'],
  ['location.replace(URL.createObjectURL(new Blob(["x"], { type: "text/html" })))'],
  [
    'document.body.append(Object.assign(document.createElement("meta"), { httpEquiv: "refresh", content: "0; url=https://example.com/" }))',
  ],
  ['const a = document.createElement("a"); a.href = "https://example.com/"; a.click()'],
  ['open("https://example.com/", "_self")'],
  ['open("about:blank", "_top")'],
  ['navigation.navigate("https://example.com/")'],
  ['navigation.reload()'],
  ['history.go(0)'],
  ['location.pathname = "/other"'],
  ['location.protocol = "http"'],
  // It replaces the document, and Chrome tells of no navigation.
  ['location.href = "javascript:\'<p>text</p>\'"'],
  ['onbeforeunload = (event) => { event.preventDefault(); return "stay"; }; location.href = "https://example.com/"'],
])('a run that navigates away by %s fails', async (code) => {
  await withBrowser({}, {}, async (executor) => {
    const error = await expectCode(executor.run(`${code}; await new Promise(() => {})`), 'ERR_RUNTIME_EXCEPTION');
    expect(error.message).toBe('Runtime exception: the code has navigated away from its page');
    expect(executor.state).toBe('READY');
    expect((await executor.run('1')).output).toBe(1);
  });
});

test.each([['close()'], ['top.close()'], ['open("", "_self").close()']])(
  'a run that closes its page by %s fails',
  async (code) => {
    await withBrowser({}, {}, async (executor) => {
      const error = await expectCode(executor.run(`${code}; await new Promise(() => {})`), 'ERR_RUNTIME_EXCEPTION');
      expect(error.message).toBe('Runtime exception: the code has closed its page');
      expect(executor.state).toBe('READY');
      expect((await executor.run('1')).output).toBe(1);
    });
  },
);

test.each([
  ['location.href = "file:///etc/passwd"'],
  ['location.href = "chrome://version"'],
  ['location.href = "data:text/html,x"'],
  ['location.href = "mailto:a@b"'],
  ['location.href = "javascript:1"'],
  ['history.back()'],
  ['document.open(); document.write("<p>x"); document.close()'],
  [
    'document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: "<script>top.location.href = \'https://example.com/\'</script>" }))',
  ],
  [
    'const form = document.createElement("form"); form.action = "https://example.com/"; document.body.append(form); form.submit()',
  ],
])('%s is not a navigation, and the run continues', async (code) => {
  await withBrowser({}, {}, async (executor) => {
    const { output } = await executor.run(`${code}; await new Promise((done) => setTimeout(done, 200)); location.href`);
    expect(output).toBe('https://sandbox.invalid/');
  });
});

test('a session whose page navigated away between two runs reports that', async () => {
  await withBrowser({ isolation: 'session' }, {}, async (executor) => {
    const serve = vi.spyOn(Tab.prototype, 'serve');
    const left = vi.spyOn(Tab.prototype, 'lost');
    try {
      await executor.run('1');
      // A timer of the run could fire before its output is here.
      serve.mock.contexts[0].post('Runtime.evaluate', { expression: 'location.reload()' });
      await until(() => left.mock.calls.length > 0);
    } finally {
      serve.mockRestore();
      left.mockRestore();
    }
    const error = await expectCode(executor.run('1'), 'ERR_RUNTIME_EXCEPTION');
    expect(error.message).toBe('Runtime exception: the code has navigated away from its page');
    expect(executor.state).toBe('DIRTY');
  });
});

test('a fragment, a history entry and a frame do not count as navigations', async () => {
  await withBrowser({}, {}, async (executor) => {
    const { output } = await executor.run(`
      location.hash = 'x'; history.pushState({}, '', '/y');
      const frame = Object.assign(document.createElement('iframe'), { srcdoc: '<p>inside</p>' });
      await new Promise((done) => { frame.onload = done; document.body.append(frame); });
      return [location.pathname, frame.contentDocument.body.textContent];`);
    expect(output).toStrictEqual(['/y', 'inside']);
  });
});
