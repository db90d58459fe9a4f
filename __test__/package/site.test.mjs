// The site of the documentation builds, works in a browser, and has no dead links.

import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join, posix, relative, sep } from 'node:path';
import { json } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, test } from 'vitest';

import browserPath from '../../build/browser/browser-path.js';
import { ROOT, deferred, spawnNode, withFolder } from '../helpers.mjs';
import { serve } from '../http-server.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };
const ENTITIES = { '&amp;': '&', '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>' };

const over = deferred();
let workshop;
let site;
let server;
let address;
/** Takes what a page reports. */
let onReport;

/** Reports a page as soon as its outline is there, which the page's own scripts make in the browser. */
const REPORTER = `<script>
  const errors = [];
  addEventListener('error', ({ message }) => errors.push(message));
  addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
  console.error = (...args) => errors.push(args.join(' '));
  const observer = new MutationObserver(() => {
    if (document.querySelector('.outline-link') === null) return;
    observer.disconnect();
    const report = { title: document.querySelector('h1').textContent, text: document.body.textContent, errors };
    fetch('/report', { method: 'POST', body: JSON.stringify(report) });
  });
  observer.observe(document, { subtree: true, childList: true });
</script>`;

beforeAll(async () => {
  const made = deferred();
  workshop = withFolder((empty) => {
    made.resolve(empty);
    return over.promise;
  });
  site = join(await made.promise, 'site');
  const { status, stderr } = await spawnNode(['scripts/docs.mjs', '--out', site], { cwd: ROOT, timeoutMs: 240_000 });
  expect(status, stderr).toBe(0);
  server = await serve((request, response) => respond(request, response), { isKept: true });
  address = server.url;
}, 300_000);

afterAll(async () => {
  await server?.close();
  over.resolve();
  await workshop;
});

test.each([
  ['/index.html', 'ses-executor', 'npm install ses-executor'],
  ['/docs/reference/options.html', 'Options', 'maxOperations'],
  ['/docs/reference/api/ses-executor.html', 'ses-executor', 'SESExecutor'],
])('%s opens in a browser', async (path, title, text) => {
  const report = await reportOf(path);
  expect(report).toMatchObject({ title: expect.stringContaining(title), errors: [] });
  expect(report.text).toContain(text);
});

test('every link of the site leads to a page, and every fragment to an element', () => {
  const pages = new Map(
    readdirSync(site, { recursive: true })
      .filter((name) => name.endsWith('.html'))
      .map((name) => [`/${name.replaceAll(sep, '/')}`, readFileSync(join(site, name), 'utf8')]),
  );
  const ids = new Map([...pages].map(([path, html]) => [path, new Set(attributes(html, 'id'))]));
  const dead = [...pages].flatMap(([path, html]) =>
    attributes(html.replaceAll(/<link [^>]*>/g, ''), 'href')
      .filter((href) => !/^[a-z]+:/.test(href))
      .filter((href) => !leads(path, href, ids))
      .map((href) => `${path}: ${href}`),
  );
  expect(pages.size).toBeGreaterThan(20);
  expect(dead).toStrictEqual([]);
});

/** Whether a link of the page at `from` leads to a page, and to an element of that if it has a fragment. */
function leads(from, href, ids) {
  const [path, fragment] = href.split('#');
  const absolute = path === '' ? from : posix.resolve(posix.dirname(from), decodeURIComponent(path));
  const page = path.endsWith('/') ? posix.join(absolute, 'index.html') : absolute;
  const known = ids.get(page);
  if (known === undefined) return false;
  return fragment === undefined || fragment === '' || known.has(decodeURIComponent(fragment));
}

/** The values of an attribute in a page. */
function attributes(html, name) {
  const values = html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'));
  return Array.from(values, ([, value]) => value.replaceAll(/&(?:amp|quot|#39|lt|gt);/g, (entity) => ENTITIES[entity]));
}

/** What the page at `path` reports from a browser. */
async function reportOf(path) {
  const reported = new Promise((resolve) => (onReport = resolve));
  await withFolder(async (profile) => {
    const args = ['--no-sandbox', '--disable-gpu', '--headless', `--user-data-dir=${profile}`, `${address}${path}`];
    // A group, since the program may be a script that starts the browser.
    const browser = spawn(browserPath.findChrome(undefined), args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [browser.stdout, browser.stderr]) stream.resume();
    // All its processes hold these streams: none of them writes into the folder any more.
    const ended = new Promise((resolve) => browser.once('close', resolve));
    const early = ended.then((status) => Promise.reject(new Error(`the browser has ended with ${status}`)));
    try {
      await Promise.race([reported, early]);
    } finally {
      early.catch(() => {});
      if (browser.exitCode === null) killGroup(browser);
      await ended;
    }
  });
  return reported;
}

/** Ends a process and those that it has started. */
function killGroup(child) {
  if (process.platform === 'win32') child.kill();
  else process.kill(-child.pid, 'SIGKILL');
}

async function respond(request, response) {
  const path = decodeURIComponent(new URL(request.url, 'http://site').pathname);
  if (path === '/report') {
    onReport(await json(request));
    response.end();
    return;
  }
  const file = join(site, path.endsWith('/') ? `${path}index.html` : path);
  try {
    if (relative(site, file).startsWith('..')) throw new Error('outside of the site');
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    const body = readFileSync(file);
    response.writeHead(200, { 'content-type': type });
    response.end(type === 'text/html' ? body.toString().replace('<head>', `<head>${REPORTER}`) : body);
  } catch {
    response.writeHead(404).end();
  }
}
