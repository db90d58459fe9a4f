// A page reaches nothing: each way to make a request, against a listener on this machine, which hears of none. Also
// without the namespace of the network, where only what the browser itself holds back is in the way.

import { AsyncLocalStorage } from 'node:async_hooks';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { expectCode, runChild } from '../helpers.mjs';
import { serve } from '../http-server.mjs';
import { make, withBrowser } from './helpers.mjs';

// That of the library: what is imported here is loaded once more.
const require = createRequire(import.meta.url);
const { Connection } = require('../../build/browser/connection.js');
const { Requests } = require('../../build/browser/network.js');

/** Each gets the address of the listener as `at`, and its number as `port`. */
const VECTORS = {
  fetch: 'await fetch(at)',
  'fetch without CORS': 'await fetch(at, { mode: "no-cors", keepalive: true })',
  XMLHttpRequest: 'const r = new XMLHttpRequest(); r.open("GET", at, false); r.send()',
  sendBeacon: 'navigator.sendBeacon(at, "x")',
  WebSocket:
    'await new Promise((done) => { const s = new WebSocket(at.replace("http", "ws")); s.onerror = s.onopen = done; })',
  EventSource: 'await new Promise((done) => { const s = new EventSource(at); s.onerror = s.onopen = done; })',
  WebTransport: 'await new WebTransport(at.replace("http:", "https:")).ready',
  'RTCPeerConnection, STUN': `const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:" + port }] });
    c.createDataChannel("x"); await c.setLocalDescription(await c.createOffer());
    await new Promise((done) => { c.onicegatheringstatechange = () => c.iceGatheringState === "complete" && done(); setTimeout(done, 500); })`,
  'RTCPeerConnection, TURN over TCP': `const c = new RTCPeerConnection({ iceServers: [{ urls: "turn:127.0.0.1:" + port + "?transport=tcp", username: "a", credential: "b" }] });
    c.createDataChannel("x"); await c.setLocalDescription(await c.createOffer()); await new Promise((done) => setTimeout(done, 500))`,
  img: 'await load("img", { src: at })',
  srcset: 'await load("img", { srcset: at + " 2x" })',
  'SVG image': 'document.body.innerHTML = `<svg><image href="${at}"/></svg>`; await frame()',
  script: 'await load("script", { src: at })',
  'module script': 'await load("script", { src: at, type: "module" })',
  'import()': 'await import(at)',
  stylesheet: 'await load("link", { rel: "stylesheet", href: at })',
  '@import':
    'document.head.append(Object.assign(document.createElement("style"), { textContent: `@import "${at}";` })); await frame()',
  background: 'document.body.style.background = `url(${at})`; await frame()',
  'font face': 'await new FontFace("f", `url(${at})`).load()',
  video: 'await load("video", { src: at })',
  audio: 'await load("audio", { src: at })',
  object: 'await load("object", { data: at })',
  embed: 'await load("embed", { src: at })',
  iframe: 'await load("iframe", { src: at })',
  'fetch of a srcdoc frame': 'await load("iframe", { srcdoc: `<script>fetch("${at}")<\\/script>` }); await frame()',
  'image of a data frame': 'await load("iframe", { src: `data:text/html,<img src=${at}>` }); await frame()',
  'fetch of a worker': 'await work(`fetch("${at}")`)',
  importScripts: 'await work(`importScripts("${at}")`)',
  'WebSocket of a worker': 'await work(`new WebSocket("${at.replace("http", "ws")}")`)',
  Worker: 'await new Promise((done) => { new Worker(at).onerror = done; })',
  SharedWorker: 'await new Promise((done) => { new SharedWorker(at).onerror = done; })',
  prefetch: 'await load("link", { rel: "prefetch", href: at })',
  preload: 'await load("link", { rel: "preload", as: "image", href: at })',
  preconnect: 'await load("link", { rel: "preconnect", href: at })',
  'dns-prefetch': 'await load("link", { rel: "dns-prefetch", href: at })',
  modulepreload: 'await load("link", { rel: "modulepreload", href: at })',
  manifest: 'await load("link", { rel: "manifest", href: at })',
  icon: 'await load("link", { rel: "icon", href: at })',
  'speculation rules':
    'document.head.append(Object.assign(document.createElement("script"), { type: "speculationrules", textContent: JSON.stringify({ prefetch: [{ source: "list", urls: [at] }], prerender: [{ source: "list", urls: [at] }] }) })); await frame()',
  form: 'const f = document.createElement("form"); f.action = at; f.target = "_blank"; document.body.append(f); f.submit(); await frame()',
  ping: 'const a = document.createElement("a"); a.href = "#x"; a.ping = at; document.body.append(a); a.click(); await frame()',
  'form of the page':
    'const f = document.createElement("form"); f.action = at; f.method = "post"; document.body.append(f); f.submit(); await frame()',
  'service worker': 'await navigator.serviceWorker.register(at)',
  worklet: 'await CSS.paintWorklet.addModule(at)',
  'window.open': 'open(at); await frame()',
  'frame of a blob':
    'await load("iframe", { src: URL.createObjectURL(new Blob([`<script>fetch("${at}")<\\/script>`], { type: "text/html" })) }); await frame()',
};
/** These leave the page. */
const LEAVING = {
  location: 'location.href = at',
  'a link': 'const a = document.createElement("a"); a.href = at; a.click()',
  refresh:
    'document.head.append(Object.assign(document.createElement("meta"), { httpEquiv: "refresh", content: `0; url=${at}` }))',
};

const HELPERS = `
  const load = (tag, facts) => new Promise((done) => {
    const element = Object.assign(document.createElement(tag), facts);
    element.onload = element.onerror = done;
    document.body.append(element);
    setTimeout(done, 100);
  });
  const frame = () => new Promise((done) => setTimeout(done, 100));
  const work = (code) => new Promise((done) => {
    const text = 'try { ' + code + ' } catch {} setTimeout(() => postMessage(1), 50)';
    new Worker(URL.createObjectURL(new Blob([text]))).onmessage = done;
  });`;

const programs = (port) => {
  const start = `const at = 'http://127.0.0.1:${port}/'; const port = ${port};`;
  return [
    `${start}${HELPERS}
      const kinds = ${JSON.stringify(VECTORS)};
      const AsyncFunction = (async () => {}).constructor;
      const outcomes = {};
      await Promise.all(Object.entries(kinds).map(async ([name, code]) => {
        const late = new Promise((done) => setTimeout(done, 3000, 'late'));
        const attempt = new AsyncFunction('at', 'port', 'load', 'frame', 'work', code)(at, port, load, frame, work);
        outcomes[name] = await Promise.race([attempt.then(() => 'done', (error) => error.name), late]);
      }));
      return outcomes;`,
    ...Object.values(LEAVING).map((code) => `${start}${code}; await new Promise(() => {})`),
  ];
};

let listener;
let socket;
let port;
const heard = [];

beforeAll(async () => {
  listener = await serve((request, response) => response.end('x'), { isKept: true });
  listener.server.on('connection', () => heard.push('tcp'));
  ({ port } = listener);
  socket = createSocket('udp4');
  socket.on('message', () => heard.push('udp'));
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
});
afterAll(async () => {
  socket.close();
  await listener.close();
});

test('the listener of this test receives connections and datagrams', async () => {
  connect(port, '127.0.0.1').end();
  const sender = createSocket('udp4');
  sender.send('x', port, '127.0.0.1');
  await Promise.all([once(listener.server, 'connection'), once(socket, 'message')]);
  sender.close();
  expect(heard.sort()).toStrictEqual(['tcp', 'udp']);
  heard.length = 0;
});

test('P11 nothing that a page does reaches the listener', async () => {
  await withBrowser({}, {}, async (executor) => {
    const [all, ...leaving] = programs(port);
    const { output } = await executor.run(all);
    expect(Object.keys(output).sort()).toStrictEqual(Object.keys(VECTORS).sort());
    for (const code of leaving)
      await expect(executor.run(code)).rejects.toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION' });
    expect(heard).toStrictEqual([]);
  });
});

test.runIf(process.platform === 'linux')(
  'P11 nothing that a page does reaches the listener without a network namespace',
  async () => {
    // Without a search path there is no program that makes one.
    const { stdout, stderr } = await runChild(
      `
    import { BrowserExecutor } from './build/browser/index.js';
    import { readlinkSync, readdirSync, readFileSync } from 'node:fs';
    const executor = new BrowserExecutor({ fallback: false });
    await executor.init();
    const failures = [];
    for (const code of ${JSON.stringify(programs(port))}) await executor.run(code).catch((error) => failures.push(error.code));
    const browser = readdirSync('/proc').find((pid) => {
      try { return /chrom.*\\0--headless/s.test(readFileSync('/proc/' + pid + '/cmdline', 'latin1')) &&
        readFileSync('/proc/' + pid + '/cmdline', 'latin1').includes('ses-executor-browser-' + process.pid + '-'); } catch { return false; }
    });
    console.log(JSON.stringify([failures, readlinkSync('/proc/' + browser + '/ns/net') === readlinkSync('/proc/self/ns/net')]));
    process.exit(0);`,
      { env: { PATH: '' } },
    );
    expect([JSON.parse(stdout), stderr]).toStrictEqual([[Array(3).fill('ERR_RUNTIME_EXCEPTION'), true], '']);
    expect(heard).toStrictEqual([]);
  },
);

describe('P11 allowed origins', () => {
  test.each([
    'ftp://a.example',
    'data:,x',
    'https://a.example/path',
    'https://a.example/?x',
    'https://u:p@a.example',
    'https://*.example',
    'https://a;b.example',
    '',
  ])('are validated: %j is refused', (origin) => {
    expect(() => make({ network: { allow: ['https://a.example/', origin] } })).toThrow(
      new RangeError(
        `options.network.allow[1] must be an origin such as "https://api.example.com", got ${JSON.stringify(origin)}`,
      ),
    );
  });

  test('must use encryption or be local, as Chrome requires for secure contexts', async () => {
    for (const origin of [
      'http://a.example',
      'http://192.0.2.7:8080',
      'http://localhost.example',
      'http://[::1]:8080',
    ]) {
      expect(() => make({ network: { allow: [origin] } })).toThrow(
        new RangeError(
          `options.network.allow[0] must be an origin with https:, or one of this machine such as "http://localhost:8080", got "${origin}": pages are secure contexts, in which Chrome blocks all other requests`,
        ),
      );
    }
    const allow = ['http://localhost:8080', 'http://a.localhost', 'http://127.1.2.3:8080', 'https://a.example'];
    const asked = [];
    const onRequest = ({ url }) => {
      asked.push(url);
      return false;
    };
    await withBrowser({ network: { allow, onRequest } }, {}, async (executor) => {
      await executor.run('for (const origin of input) await fetch(origin).catch(() => {})', { input: allow });
      expect(asked).toStrictEqual(allow.map((origin) => `${origin}/`));
    });
  });

  /** Two servers of the same kind; the page has their origins as `input`. */
  async function withServers(respond, options, body) {
    const servers = [await serve(respond), await serve(respond)];
    const input = servers.map(({ url }) => url);
    await withBrowser({ ...options, network: { allow: input, ...options.network } }, {}, (executor) =>
      body((code, runOptions) => executor.run(code, { input, ...runOptions }), executor),
    );
  }
  /** What a server has got, as it answers with it. */
  const echo = async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { 'content-type': type, authorization } = request.headers;
    response.end(JSON.stringify([request.method, request.url, body, type, authorization]));
  };
  const redirect = (status, location) => (request, response) => response.writeHead(status, { location }).end();

  test("are reached through the host's onRequest; others and redirects to them are not", async () => {
    const seen = [];
    const respond = (request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (request.url === '/away') return redirect(302, `http://127.0.0.1:${port}/`)(request, response);
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () =>
        response
          .writeHead(201, { 'x-kind': 'k', 'content-type': 'application/json' })
          .end(JSON.stringify({ body, key: request.headers['x-key'] })),
      );
    };
    const asked = [];
    const onRequest = ({ url, method }) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      return !url.endsWith('/refused');
    };
    await withServers(respond, { network: { onRequest } }, async (run) => {
      const { output } = await run(`
        const [origin] = input;
        const response = await fetch(origin + '/a', { method: 'POST', body: 'text \\u00e9', headers: { 'x-key': '1' } });
        const failed = await Promise.all(['/refused', '/away'].map((path) => fetch(origin + path).catch((error) => error.name)));
        const other = await fetch('http://127.0.0.1:${port}/').catch((error) => error.name);
        return [response.status, response.headers.get('x-kind'), await response.json(), failed, other]`);
      expect(output).toStrictEqual([
        201,
        'k',
        { body: 'text \u00e9', key: '1' },
        ['TypeError', 'TypeError'],
        'TypeError',
      ]);
    });
    expect(seen).toStrictEqual(['POST /a', 'GET /away']);
    expect(asked).toStrictEqual(['POST /a', 'GET /refused', 'GET /away']);
    expect(heard).toStrictEqual([]);
  });

  test('answer all requests with credentials, to their origin, with all bytes of their headers', async () => {
    const respond = (request, response) =>
      response
        .writeHead(200, { 'x-text': 'caf\xe9', 'set-cookie': 'a=b' })
        .end(`${request.method} ${request.headers.cookie}`);
    await withServers(respond, {}, async (run) => {
      const { output } = await run(`
        const outputs = [];
        for (const credentials of ['omit', 'same-origin', 'include']) {
          for (const init of [{}, { method: 'PUT', headers: { 'x-own': '1' } }]) {
            const response = await fetch(input[0], { credentials, ...init });
            outputs.push([await response.text(), response.headers.get('x-text')]);
          }
        }
        const request = new XMLHttpRequest();
        request.withCredentials = true;
        request.open('GET', input[0]);
        request.send();
        await new Promise((done) => { request.onloadend = done; });
        return [...outputs, request.responseText, request.getResponseHeader('x-text')]`);
      const both = [
        ['GET undefined', 'caf\xe9'],
        ['PUT undefined', 'caf\xe9'],
      ];
      expect(output).toStrictEqual([...both, ...both, ...both, 'GET undefined', 'caf\xe9']);
    });
  });

  test('get and send no headers of the connection or the browser', async () => {
    const names = [];
    const onRequest = ({ headers }) => void names.push(...Object.keys(headers));
    const own = { 'x-own': '1', 'access-control-max-age': '9', 'content-security-policy': "default-src 'none'" };
    const respond = (request, response) => response.writeHead(200, { ...own, 'keep-alive': 'timeout=9' }).end();
    await withServers(respond, { network: { onRequest } }, async (run) => {
      const { output } = await run(`
        const response = await fetch(input[0], { headers: { 'x-own': '1' }, referrerPolicy: 'unsafe-url' });
        return [...response.headers.keys()]`);
      expect(output.filter((name) => name !== 'date' && !name.startsWith('access-control-'))).toStrictEqual(['x-own']);
      expect(output).not.toContain('access-control-max-age');
    });
    expect(names.map((name) => name.toLowerCase())).toContain('x-own');
    expect(
      names.filter((name) => /^(?:origin|referer|cookie|host|connection|sec-.*|proxy-.*)$/i.test(name)),
    ).toStrictEqual([]);
  });

  test('answer a frame with an opaque origin too', async () => {
    await withServers(echo, {}, async (run) => {
      const { output } = await run(`
        const frame = document.createElement('iframe');
        frame.src = 'data:text/html,<script>fetch("' + input[0] + '/x", { credentials: "include" })' +
          '.then((response) => response.json()).then((answer) => parent.postMessage(answer, "*"), ({ name }) => parent.postMessage(name, "*"))<\\/script>';
        const answered = new Promise((done) => { onmessage = ({ data }) => done(data); });
        document.body.append(frame);
        return await answered`);
      expect(output).toStrictEqual(['GET', '/x', '', null, null]);
    });
  });

  test('are passed to onRequest before each step of a redirect', async () => {
    const seen = [];
    const respond = (request, response) => {
      seen.push(request.url);
      const next = { '/first': '/second', '/second': '/refused' }[request.url];
      return redirect(302, next)(request, response);
    };
    const asked = [];
    const onRequest = ({ url }) => {
      asked.push(new URL(url).pathname);
      return !url.endsWith('/refused');
    };
    await withServers(respond, { network: { onRequest } }, async (run) => {
      const { output } = await run('await fetch(input[0] + "/first").catch((error) => error.name)');
      expect([output, seen, asked]).toStrictEqual([
        'TypeError',
        ['/first', '/second'],
        ['/first', '/second', '/refused'],
      ]);
    });
  });

  test('are passed to onRequest in the asynchronous context of the run', async () => {
    const storage = new AsyncLocalStorage();
    const asked = [];
    await withServers(echo, { network: { onRequest: () => asked.push(storage.getStore()) } }, async (run) => {
      for (const name of ['a', 'b']) await storage.run(name, () => run('await fetch(input[0])'));
    });
    expect(asked).toStrictEqual(['a', 'b']);
  });

  test('redirect with method, body and headers as fetch specifies', async () => {
    const respond = (request, response) => {
      const [, status, place] = /^\/(\d+)(.*)$/.exec(request.url) ?? [];
      return status === undefined ? echo(request, response) : redirect(Number(status), place)(request, response);
    };
    await withServers(respond, {}, async (run) => {
      const { output } = await run(`
        const [origin, other] = input;
        const init = { method: 'POST', body: 'b', headers: { 'content-type': 'a/b', authorization: 'secret' } };
        const answers = await Promise.all([301, 302, 303, 307, 308].map((status) => fetch(origin + '/' + status + '/end', init)));
        const across = await fetch(origin + '/307' + other + '/end', init);
        return [...await Promise.all(answers.map((answer) => answer.json())), await across.json(), across.redirected, across.url === other + '/end']`);
      const plain = ['GET', '/end', '', null, 'secret'];
      const whole = ['POST', '/end', 'b', 'a/b', 'secret'];
      const stripped = ['POST', '/end', 'b', 'a/b', null];
      expect(output).toStrictEqual([plain, plain, plain, whole, whole, stripped, true, true]);
    });
  });

  test('do not redirect if the page forbids it', async () => {
    const seen = [];
    const respond = (request, response) => {
      seen.push(request.url);
      return redirect(302, '/end')(request, response);
    };
    await withServers(respond, {}, async (run) => {
      const { output } = await run(`
        const manual = await fetch(input[0] + '/manual', { redirect: 'manual' });
        return [manual.type, manual.status, await fetch(input[0] + '/error', { redirect: 'error' }).catch((error) => error.name)]`);
      expect([output, seen]).toStrictEqual([
        ['opaqueredirect', 0, 'TypeError'],
        ['/manual', '/error'],
      ]);
    });
  });

  test('get no body that is a stream, and the log says so', async () => {
    const seen = [];
    await withServers(
      (request, response) => response.end(seen.push(request.url)),
      {},
      async (run) => {
        const { output, logs } = await run(
          'await fetch(input[0] + "/x", { method: "POST", duplex: "half", body: new Blob(["abc"]).stream() }).catch((error) => error.name)',
        );
        expect([output, seen]).toStrictEqual(['TypeError', []]);
        expect(logs).toMatch(
          /^POST http:\/\/127\.0\.0\.1:\d+\/x has failed: a body that is a stream cannot be sent\n?$/,
        );
      },
    );
  });

  test('can be requested from a dedicated worker', async () => {
    const asked = [];
    const onRequest = ({ url }) => void asked.push(new URL(url).pathname);
    await withServers(echo, { network: { onRequest } }, async (run) => {
      const { output } = await run(`
        const text = 'onmessage = async ({ data }) => postMessage(await Promise.all(data.map((url) => ' +
          'fetch(url).then((response) => response.json(), ({ name }) => name))))';
        const worker = new Worker(URL.createObjectURL(new Blob([text])));
        const answered = new Promise((done) => { worker.onmessage = ({ data }) => done(data); });
        worker.postMessage([input[0] + '/x', 'http://127.0.0.1:${port}/']);
        return await answered`);
      expect([output, asked]).toStrictEqual([[['GET', '/x', '', null, null], 'TypeError'], ['/x']]);
    });
    expect(heard).toStrictEqual([]);
  });

  test('can get 1,000 requests of a run, and one more ends it', { timeout: 60_000 }, async () => {
    await withServers(echo, { timeoutMs: 50_000 }, async (run) => {
      const error = await expectCode(
        run(`
          for (let i = 0; i < 1_000; i += 50) await Promise.all(Array.from({ length: 50 }, () => fetch(input[0])));
          console.log('1,000');
          await fetch(input[0]);`),
        'ERR_TOOL_CALL_LIMIT_EXCEEDED',
      );
      expect([error.message, error.details, error.logs]).toStrictEqual([
        'Request limit exceeded (1000)',
        { requests: 1_000 },
        '1,000',
      ]);
    });
  });

  test('get 16 requests of a page at the same time, and others wait', async () => {
    let asked = 0;
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const onRequest = async () => {
      asked++;
      await released;
    };
    await withServers(echo, { network: { onRequest } }, async (run, executor) => {
      await executor.sendTools({
        release: () => {
          release();
          return asked;
        },
      });
      // The host answers the question whether the method is allowed at once: it knows of the requests before it then.
      const { output } = await run(`
        const all = Array.from({ length: 40 }, (_, at) => fetch(input[0] + '/' + at));
        await fetch(input[0], { method: 'PURGE' }).catch(() => {});
        const before = release();
        return [before, (await Promise.all(all)).filter(({ ok }) => ok).length]`);
      expect([output, asked]).toStrictEqual([[16, 40], 40]);
    });
  });

  test('share one limit of bytes that the host holds for a page', async () => {
    const closed = [];
    const respond = (request, response) => {
      closed.push(once(response, 'close'));
      response.write(Buffer.alloc(20 << 20));
    };
    await withServers(respond, {}, async (run) => {
      const { output, logs } = await run(`
        const failures = Array.from({ length: 4 }, () => new Promise((fail) => fetch(input[0] + '/x').catch(fail)));
        return (await Promise.race(failures)).name`);
      expect(output).toBe('TypeError');
      expect(logs).toMatch(
        /^GET http:\/\/127\.0\.0\.1:\d+\/x has failed: the requests of the page would take more than 67108864 bytes at once\n?$/,
      );
      await Promise.all(closed);
    });
  });

  test('cannot send an answer that is too large, which is released', async () => {
    const closed = [];
    const respond = (request, response) => {
      closed.push(once(response, 'close'));
      response.write(Buffer.alloc((32 << 20) + 1));
    };
    await withServers(respond, {}, async (run) => {
      const { output, logs } = await run(`
        const names = [];
        for (let i = 0; i < 3; i++) await fetch(input[0] + '/x').catch(({ name }) => names.push(name));
        return names`);
      expect(output).toStrictEqual(Array(3).fill('TypeError'));
      expect(logs).toMatch(
        /^(?:GET http:\/\/127\.0\.0\.1:\d+\/x has failed: the answer has more than 33554432 bytes(?:\n|$)){3}$/,
      );
      await Promise.all(closed);
    });
  });

  test('share that limit with request bodies', async () => {
    await withServers(
      () => {},
      // The browser's own process holds it, too.
      { memoryLimitMb: 4096 },
      async (run) => {
        const { output, logs } = await run(`
          const body = new Blob([new Uint8Array(25 << 20).fill(97)]);
          const send = () => fetch(input[0] + '/x', { method: 'POST', body });
          return (await Promise.race(Array.from({ length: 3 }, () => new Promise((fail) => send().catch(fail))))).name`);
        expect(output).toBe('TypeError');
        expect(logs).toMatch(
          /^POST http:\/\/127\.0\.0\.1:\d+\/x has failed: the requests of the page would take more than 67108864 bytes at once\n?$/,
        );
      },
    );
  });

  test('get no body that is far too large, of which the host reads only its request id', () => {
    const given = new PassThrough();
    const connection = new Connection(new PassThrough(), given, () => {});
    const heard = [];
    connection.listen('A1', (method, params) => heard.push([method, params]));
    const body = Buffer.alloc(1 << 20, 'x');
    const request = { url: 'https://a.example/"', method: 'POST', headers: { 'x-key': ',"postData":"' } };
    const tell = (mebibytes) => {
      const [head] = JSON.stringify({ method: 'Fetch.requestPaused', params: { requestId: 'r', request } }).split(
        '}}}',
      );
      given.emit('data', Buffer.from(`${head}},"postData":"`));
      for (let at = 0; at < mebibytes; at++) given.emit('data', body);
      given.emit('data', Buffer.from('","hasPostData":true,"postDataEntries":[{"bytes":"eA=='));
      given.emit('data', Buffer.from('"}]},"frameId":"F","resourceType":"XHR"},"sessionId":"A1"}\0'));
    };
    const params = { requestId: 'r', frameId: 'F', resourceType: 'XHR' };
    tell(1);
    tell(130);
    tell(1);
    return vi.waitFor(() => {
      const whole = { ...request, hasPostData: true, postDataEntries: [{ bytes: 'eA==' }] };
      expect(heard).toStrictEqual([
        ['Fetch.requestPaused', { ...params, request: whole }],
        ['Fetch.requestPaused', { ...params, request: { ...request, isTooLarge: true } }],
        ['Fetch.requestPaused', { ...params, request: whole }],
      ]);
    }, 10_000);
  });

  test('fail such a request, and the log says so', () => {
    const refused = [];
    const lines = [];
    const requests = new Requests({ refuse: (id) => refused.push(id) });
    const request = { url: 'https://a.example/', method: 'POST', headers: {}, isTooLarge: true };
    requests.answer({ requestId: 'r', request }, { onRequest: undefined, warn: (line) => lines.push(line) });
    expect([refused, lines]).toStrictEqual([
      ['r'],
      ['POST https://a.example/ has failed: the requests of the page would take more than 67108864 bytes at once'],
    ]);
  });

  test('get no requests of a page that has ended', async () => {
    for (const isolation of ['run', 'session']) {
      let arrive;
      let close;
      const arrived = new Promise((resolve) => (arrive = resolve));
      const closed = new Promise((resolve) => (close = resolve));
      const respond = (request, response) => {
        response.on('close', close);
        arrive();
      };
      await withServers(respond, { isolation }, async (run, executor) => {
        await executor.sendTools({ arrived: () => arrived });
        await run('fetch(input[0]).catch(() => {}); await arrived()');
        if (isolation === 'session') await executor.cleanup();
        const from = performance.now();
        await closed;
        // Less than the half minute that a request may take.
        expect(performance.now() - from).toBeLessThan(20_000);
      });
    }
  });

  test('get no waiting requests of a closed page', async () => {
    let asked = 0;
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const onRequest = async ({ url }) => {
      asked++;
      await released;
      return !url.endsWith('/refused');
    };
    const posts = vi.spyOn(Connection.prototype, 'post');
    let told;
    try {
      await withServers(echo, { network: { onRequest } }, async (run) => {
        // The host answers the question whether the method is allowed behind the requests before it.
        await run(`
          for (let i = 0; i < 20; i++) fetch(input[0]).catch(() => {});
          await fetch(input[0], { method: 'PURGE' }).catch(() => {})`);
        expect(asked).toBe(16);
        release();
        const { output } = await run(`
          const { status } = await fetch(input[0]);
          return [status, await fetch(input[0] + '/refused').catch(({ name }) => name)]`);
        expect(output).toStrictEqual([200, 'TypeError']);
      });
      told = posts.mock.calls.map(([method]) => method);
    } finally {
      posts.mockRestore();
    }
    expect(asked).toBe(18);
    // That is of the last one.
    expect(told.filter((method) => method === 'Fetch.failRequest')).toHaveLength(1);
  });

  test('may answer a request of a session in the next run', async () => {
    let answer;
    const arrived = new Promise((resolve) => (answer = resolve));
    await withServers(
      (request, response) => answer(() => response.end('late')),
      { isolation: 'session' },
      async (run, executor) => {
        await executor.sendTools({ arrived: async () => void (await arrived) });
        await run('const request = fetch(input[0]); await arrived()');
        (await arrived)();
        const { output } = await run('return (await request).text()');
        expect(output).toBe('late');
      },
    );
  });
});
