// A page reaches nothing: each way to make a request, against a listener on this machine, which hears of none. Also without the
// namespace of the network, where only what the browser itself holds back is in the way.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';
import { withBrowser } from './helpers.mjs';

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

let server;
let socket;
let port;
const heard = [];

beforeAll(async () => {
  server = createServer((request, response) => response.end('x'));
  server.on('connection', () => heard.push('tcp'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address());
  socket = createSocket('udp4');
  socket.on('message', () => heard.push('udp'));
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
});
afterAll(() => {
  server.close();
  socket.close();
});

test('the listener hears what reaches it', async () => {
  connect(port, '127.0.0.1').end();
  const sender = createSocket('udp4');
  sender.send('x', port, '127.0.0.1');
  await Promise.all([once(server, 'connection'), once(socket, 'message')]);
  sender.close();
  expect(heard.sort()).toEqual(['tcp', 'udp']);
  heard.length = 0;
});

test('nothing of a page does', async () => {
  await withBrowser({}, {}, async (executor) => {
    const [all, ...leaving] = programs(port);
    const { output } = await executor.run(all);
    expect(Object.keys(output).sort()).toEqual(Object.keys(VECTORS).sort());
    for (const code of leaving)
      await expect(executor.run(code)).rejects.toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION' });
    expect(heard).toEqual([]);
  });
});

test.runIf(process.platform === 'linux')('nor without the namespace of the network', async () => {
  // Without a search path there is no program that makes one.
  const { stdout, stderr } = await runChild(
    `
    import { BrowserExecutor } from './lib/browser/index.js';
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
  expect([JSON.parse(stdout), stderr]).toEqual([[Array(3).fill('ERR_RUNTIME_EXCEPTION'), true], '']);
  expect(heard).toEqual([]);
});

describe('origins that are allowed', () => {
  test('are reached through the host, which is asked; others are not, redirects to them neither', async () => {
    const seen = [];
    const api = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (request.url === '/away') return response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end();
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () =>
        response
          .writeHead(201, { 'x-kind': 'k', 'content-type': 'application/json' })
          .end(JSON.stringify({ body, key: request.headers['x-key'] })),
      );
    });
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    const origin = `http://127.0.0.1:${api.address().port}`;
    const asked = [];
    const onRequest = ({ url, method }) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      return !url.endsWith('/refused');
    };
    await withBrowser({ network: { allow: [origin], onRequest } }, {}, async (executor) => {
      const { output } = await executor.run(`
        const origin = ${JSON.stringify(origin)};
        const response = await fetch(origin + '/a', { method: 'POST', body: 'text \\u00e9', headers: { 'x-key': '1' } });
        const failed = await Promise.all(['/refused', '/away'].map((path) => fetch(origin + path).catch((error) => error.name)));
        const other = await fetch('http://127.0.0.1:${port}/').catch((error) => error.name);
        return [response.status, response.headers.get('x-kind'), await response.json(), failed, other]`);
      expect(output).toEqual([201, 'k', { body: 'text \u00e9', key: '1' }, ['TypeError', 'TypeError'], 'TypeError']);
    });
    expect(seen).toEqual(['POST /a', 'GET /away']);
    expect(asked).toEqual(['POST /a', 'GET /refused', 'GET /away']);
    expect(heard).toEqual([]);
    api.close();
  });
});
