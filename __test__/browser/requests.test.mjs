// What the host does with the requests of a page, without a browser: a tab that notes what it is told, and a server.

import { createRequire } from 'node:module';

import { expect, test, vi } from 'vitest';

import { deferred } from '../helpers.mjs';
import { serve } from '../http-server.mjs';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { Requests } = require('../../build/browser/network.js');
const { checkNetwork } = require('../../build/contract/network-policy.js');
const { Policy } = require('../../build/network/requests.js');

const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/** The address of a server that answers with `respond`. */
const addressOf = async (respond) => `${(await serve(respond)).url}/`;

/** Requests of a page, and the answer to its tab for each: a promise by id. */
function page() {
  const told = new Map();
  const of = (id) => told.get(id) ?? told.set(id, deferred()).get(id);
  const tab = {
    fulfill: async (id, status, headers, body) => of(id).resolve({ status, headers, body: body.toString() }),
    refuse: (id) => of(id).resolve('refused'),
  };
  const requests = new Requests(tab);
  const warnings = [];
  let last = 0;
  const ask = (request, asking = {}) => {
    const requestId = String(++last);
    const whole = { method: 'GET', headers: {}, ...request };
    // The tab has compared the origin.
    const policy = new Policy(
      checkNetwork({ allow: [new URL(whole.url).origin], methods: METHODS, maxBytes: 64 << 20 }),
    );
    const known = { policy, made: { made: 0 }, warn: (text) => warnings.push(text) };
    requests.answer({ requestId, request: whole }, { ...known, ...asking });
    return of(requestId).promise;
  };
  return { requests, ask, warnings };
}

test('an answer is passed on without cookies and headers of the connection', async () => {
  const url = await addressOf((_, response) =>
    response
      .writeHead(201, {
        'set-cookie': ['a=b', 'c=d'],
        'keep-alive': 'timeout=9',
        'access-control-max-age': '9',
        'content-security-policy': "default-src 'none'",
        'strict-transport-security': 'max-age=9',
        'content-type': 'text/plain',
        'x-own': '1',
      })
      .end('body'),
  );
  const { status, headers, body } = await page().ask({ url, headers: { Origin: 'http://page' } });
  expect({ status, body }).toStrictEqual({ status: 201, body: 'body' });
  expect(headers.filter(([name]) => name !== 'date')).toStrictEqual([
    ['content-type', 'text/plain'],
    ['x-own', '1'],
    ['access-control-allow-origin', 'http://page'],
    ['access-control-allow-credentials', 'true'],
    ['access-control-expose-headers', 'content-type, x-own, date'],
    ['access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
    ['access-control-allow-headers', '*'],
  ]);
});

test('a request is sent without cookies and headers that name the page', async () => {
  const heard = deferred();
  const url = await addressOf((request, response) => {
    heard.resolve(request.headers);
    response.end();
  });
  const names = ['Cookie', 'Origin', 'Referer', 'Sec-Fetch-Site', 'Proxy-Authorization', 'Upgrade', 'X-Own'];
  const asked = vi.fn();
  await page().ask({ url, headers: Object.fromEntries(names.map((name) => [name, 'x'])) }, { onRequest: asked });
  const headers = await heard.promise;
  for (const name of ['cookie', 'origin', 'referer', 'proxy-authorization', 'upgrade', 'sec-fetch-site']) {
    expect([name, headers[name]]).toStrictEqual([name, undefined]);
  }
  expect(headers['x-own']).toBe('x');
  expect(asked.mock.calls).toStrictEqual([[{ url, method: 'GET', headers: { 'X-Own': 'x' } }]]);
});

test('a preflight is answered without asking onRequest', async () => {
  const asked = vi.fn();
  const { ask } = page();
  const headers = { 'Access-Control-Request-Headers': 'x-own' };
  const { status, headers: given, body } = await ask({ url: 'http://127.0.0.1:1/', method: 'OPTIONS', headers }, { onRequest: asked }); // prettier-ignore
  expect({ status, body }).toStrictEqual({ status: 204, body: '' });
  expect(given).toContainEqual(['access-control-allow-headers', 'x-own']);
  expect(asked).not.toHaveBeenCalled();
});

test.each([
  ['returns false', async () => false],
  ['throws', async () => Promise.reject(new Error('no'))],
])('onRequest that %s refuses the request, and the server does not receive it', async (_, onRequest) => {
  const heard = vi.fn();
  const url = await addressOf((_request, response) => (heard(), response.end()));
  const { ask, warnings } = page();
  expect(await ask({ url }, { onRequest })).toBe('refused');
  expect(heard).not.toHaveBeenCalled();
  expect(warnings).toStrictEqual([]);
});

test('a redirect is passed to the page unchanged', async () => {
  const url = await addressOf((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
  const { status, headers } = await page().ask({ url });
  expect(status).toBe(302);
  expect(headers).toContainEqual(['location', 'http://127.0.0.1:1/']);
});

test('a body is sent as the sum of its parts, and a stream is refused with a warning', async () => {
  const bodies = [];
  const url = await addressOf(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString('latin1'));
    response.end();
  });
  const { ask, warnings } = page();
  const entry = (text) => ({ bytes: Buffer.from(text, 'latin1').toString('base64') });
  await ask({ url, method: 'POST', postDataEntries: [entry('a\xff'), entry('b')] });
  await ask({ url, method: 'POST', postData: 'text' });
  expect(bodies).toStrictEqual(['a\xffb', 'text']);
  expect(await ask({ url, method: 'POST', postDataEntries: [entry('a'), {}] })).toBe('refused');
  expect(warnings).toStrictEqual([`POST ${url} has failed: a body that is a stream cannot be sent`]);
  expect(bodies).toHaveLength(2);
});

test('a request that arrived without its body is refused', async () => {
  const { ask, warnings } = page();
  expect(await ask({ url: 'http://127.0.0.1:1/', method: 'POST', isTooLarge: true })).toBe('refused');
  expect(warnings).toStrictEqual([
    'POST http://127.0.0.1:1/ has failed: the requests of the page would take more than 67108864 bytes at once',
  ]);
});

test('an answer may have 32 MiB, and one byte more is refused', async () => {
  const url = await addressOf((request, response) => response.end(Buffer.alloc(Number(request.url.slice(1)))));
  const { ask, warnings } = page();
  const { body } = await ask({ url: url + (32 << 20) });
  expect(body.length).toBe(32 << 20);
  expect(await ask({ url: url + ((32 << 20) + 1) })).toBe('refused');
  expect(warnings).toStrictEqual([`GET ${url}33554433 has failed: the answer has more than 33554432 bytes`]);
  // What was held for them is free again.
  for (let i = 0; i < 2; i++) expect((await ask({ url: url + (32 << 20) })).body.length).toBe(32 << 20);
});

test('sixteen requests are made at the same time, and the next one when one has settled', async () => {
  const waiting = [];
  const arrived = [deferred(), deferred()];
  const url = await addressOf((_, response) => {
    waiting.push(response);
    if (waiting.length === 16) arrived[0].resolve();
    if (waiting.length === 18) arrived[1].resolve();
  });
  const { ask } = page();
  const all = Array.from({ length: 18 }, () => ask({ url }));
  await arrived[0].promise;
  expect(waiting).toHaveLength(16);
  waiting[0].end();
  waiting[1].destroy();
  await arrived[1].promise;
  for (const response of waiting) response.end();
  const told = await Promise.all(all);
  expect(told.filter((it) => it === 'refused')).toHaveLength(1);
});

test('the requests of a page end with it without being reported', async () => {
  const arrived = deferred();
  const gone = deferred();
  const url = await addressOf((request, response) => {
    response.on('close', gone.resolve);
    arrived.resolve();
  });
  const { requests, ask, warnings } = page();
  const told = vi.fn();
  ask({ url }).then(told);
  await arrived.promise;
  requests.end();
  await gone.promise;
  ask({ url: 'http://127.0.0.1:1/' }).then(told);
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).not.toHaveBeenCalled();
  expect(warnings).toStrictEqual([]);
});
