// The site of the documentation builds, works in a browser, and has no dead links.

import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, posix, relative, sep } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import browserPath from '../../lib/browser/browser-path.js';
import { ROOT, deferred, spawnNode, spawnProgram, withFolder } from '../helpers.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };
const ENTITIES = { '&amp;': '&', '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>' };

const over = deferred();
let workshop;
let site;
let server;
let address;

beforeAll(async () => {
  const made = deferred();
  workshop = withFolder((empty) => {
    made.resolve(empty);
    return over.promise;
  });
  site = join(await made.promise, 'site');
  const { status, stderr } = await spawnNode(['scripts/docs.mjs', '--out', site], { cwd: ROOT, timeoutMs: 240_000 });
  expect(status, stderr).toBe(0);
  server = createServer((request, response) => respond(request.url, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${server.address().port}`;
}, 300_000);

afterAll(async () => {
  server?.close();
  over.resolve();
  await workshop;
});

test.each([
  ['/index.html', 'ses-executor', 'npm install ses-executor'],
  ['/docs/reference/options.html', 'Options', 'maxOperations'],
  ['/docs/reference/api/ses-executor.html', 'ses-executor', 'SESExecutor'],
])('%s opens in a browser', async (path, title, text) => {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--enable-logging=stderr',
    '--virtual-time-budget=10000',
    '--dump-dom',
  ];
  const result = await spawnProgram(browserPath.findChrome(undefined), [...args, `${address}${path}`], { timeoutMs: 50_000 });
  expect(result).toMatchObject({ status: 0, signal: null });
  // The outline is made in the browser: the page's scripts have run.
  expect(result.stdout).toContain('class="outline-link"');
  expect(result.stdout).toMatch(new RegExp(`<h1[^>]*>${title} `));
  expect(result.stdout).toContain(text);
  expect(result.stderr.split('\n').filter((line) => line.includes(':CONSOLE'))).toEqual([]);
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
  expect(dead).toEqual([]);
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

function respond(url, response) {
  const path = decodeURIComponent(new URL(url, 'http://site').pathname);
  const file = join(site, path.endsWith('/') ? `${path}index.html` : path);
  try {
    if (relative(site, file).startsWith('..')) throw new Error('outside of the site');
    const body = readFileSync(file);
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}
