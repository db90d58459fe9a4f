// `fetch` of guests: requests that the host makes under `network`, to real servers of this machine.

import { constants, brotliCompressSync, gzipSync } from 'node:zlib';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { deferred, expectCode, withExecutor } from '../helpers.mjs';
import { serve } from '../http-server.mjs';

const SECRET = 'Bearer abcdefgh-12345678';

/** 50 MiB, of which a few hundred bytes are sent. */
const BOMB = brotliCompressSync(Buffer.alloc(50 << 20), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

/** Requests that the servers got: name of the server, method, path, `authorization`. */
let seen = [];
/** Resolves with the next request that a server never answers, when its connection is closed. */
let closed;
/** Resolves with the next request that a server never answers, when it has arrived. */
let asked;

const servers = [];
async function listen(name, answers) {
  const server = await serve(
    (request, response) => {
      seen.push([name, request.method, request.url, request.headers.authorization]);
      const answer = answers[request.url];
      if (answer === undefined) response.writeHead(404).end();
      else answer(response, request);
    },
    { isKept: true },
  );
  servers.push(server);
  return server.url;
}

let other;
let api;
let port;
beforeAll(async () => {
  other = await listen('other', { '/there': (response) => response.end('there') });
  const redirect = (status, location) => (response) => response.writeHead(status, { location }).end();
  api = await listen('api', {
    '/json': (response) => response.setHeader('content-type', 'application/json').end('{"a":1}'),
    '/headers': (response, { headers }) =>
      response.setHeader('x-seen', String(headers.authorization)).end(JSON.stringify(headers)),
    '/raw': (response, { rawHeaders }) => {
      const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : []));
      response.end(JSON.stringify(pairs));
    },
    '/post': async (response, request) => {
      let text = '';
      for await (const part of request) text += part;
      response.end(JSON.stringify([request.headers['content-type'], text]));
    },
    '/self': redirect(303, '/json'),
    '/moved': redirect(308, '/post'),
    '/other': (response) => redirect(302, `${other}/there`)(response),
    '/metadata': redirect(302, 'http://169.254.169.254/latest/meta-data/'),
    '/file': redirect(302, 'file:///etc/passwd'),
    '/loop': redirect(302, '/loop'),
    '/gzip': (response) => response.setHeader('content-encoding', 'gzip').end(gzipSync('zipped')),
    '/bomb': (response) => response.setHeader('content-encoding', 'br').end(BOMB),
    '/endless': (response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(16 << 10)), 1);
      response.on('close', () => clearInterval(timer));
    },
    '/silent': (response) => {
      asked.resolve();
      response.on('close', () => closed.resolve());
    },
    '/begun': (response) => {
      response.write('first');
      response.on('close', () => closed.resolve());
    },
    '/cut': (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x', () => response.destroy());
    },
  });
  ({ port } = new URL(api));
});
beforeEach(() => {
  seen = [];
  closed = deferred();
  asked = deferred();
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

const policy = (more = {}) => ({ allow: [api], methods: ['GET', 'HEAD', 'POST'], maxBytes: 1 << 20, ...more });
const withFetch = (network, fn, more = {}) => withExecutor({ globals: ['fetch'], network, ...more }, {}, fn);
const output = (network, code, more) => withFetch(network, async (it) => (await it.run(code)).output, more);
/** The message of the `TypeError` that a request of the guest fails with. */
const failure = async (network, url, init = {}) => {
  const code = `try { (await fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})).status } catch (error) { [error instanceof TypeError, error.message] }`;
  const [isTypeError, message] = await output(network, code);
  expect(isTypeError).toBe(true);
  return message;
};

describe('requests that are allowed', () => {
  test('a response has status, headers and body', async () => {
    const code = `const response = await fetch('${api}/json?x=1'.replace('?x=1', ''));
      [response.status, response.ok, response.statusText, response.url, response.redirected,
        response.headers.get('Content-Type'), response.headers.has('x-none'), await response.json(), response.bodyUsed,
        response instanceof Response, response.headers instanceof Headers]`;
    const expected = [200, true, 'OK', `${api}/json`, false, 'application/json', false, { a: 1 }, true, true, true];
    expect(await output(policy(), code)).toStrictEqual(expected);
  });

  test('bodies can be read as text, JSON and bytes, each once', async () => {
    const code = `const get = () => fetch('${api}/json');
      const response = await get();
      const copy = response.clone();
      const again = async () => { try { await response.text(); } catch (error) { return error.message; } };
      [await response.text(), await copy.text(), await again(), (await (await get()).bytes()).length,
        (await (await get()).arrayBuffer()).byteLength]`;
    const message = 'The body was read already; use clone() before it is read';
    expect(await output(policy(), code)).toStrictEqual(['{"a":1}', '{"a":1}', message, 7, 7]);
  });

  test('bodies are sent with their usual types', async () => {
    const code = `const post = async (body, headers) => (await fetch('${api}/post', { method: 'post', body, headers })).json();
      [await post('é'), await post(new URLSearchParams({ a: 'b c' })), await post(new Uint8Array([65, 66])),
        await post(JSON.stringify({ a: 1 }), { 'Content-Type': 'application/json' }),
        await (await fetch(new Request('${api}/post', { method: 'POST', body: 'r' }))).json()]`;
    expect(await output(policy(), code)).toStrictEqual([
      ['text/plain;charset=UTF-8', 'é'],
      ['application/x-www-form-urlencoded;charset=UTF-8', 'a=b+c'],
      [null, 'AB'],
      ['application/json', '{"a":1}'],
      ['text/plain;charset=UTF-8', 'r'],
    ]);
  });

  test('a compressed body arrives decompressed', async () => {
    expect(await output(policy(), `(await fetch('${api}/gzip')).text()`)).toBe('zipped');
  });

  test('an answer with an error status is a response', async () => {
    expect(await output(policy(), `const { ok, status } = await fetch('${api}/none'); [ok, status]`)).toStrictEqual([
      false,
      404,
    ]);
  });

  test('as an output, a response shows its status', async () => {
    const shown = await output(policy(), `await fetch('${api}/json')`);
    expect(shown).toMatchObject({ status: 200, ok: true, url: `${api}/json` });
  });

  test('requests run at the same time, and in worker processes', async () => {
    const code = `const all = await Promise.all(Array.from({ length: 20 }, () => fetch('${api}/json'))); all.map(({ status }) => status)`;
    expect(await output(policy(), code, { isolation: 'process' })).toStrictEqual(Array(20).fill(200));
  });

  test('a request is a tool call named fetch', async () => {
    const calls = [];
    const onToolCall = ({ name, args: [url, { method }] }) => {
      calls.push([name, url, method]);
      if (url.endsWith('/mine')) return { result: { status: 203, body: 'of the host' } };
      if (url.endsWith('/no')) throw new Error('not today');
    };
    const code = `const mine = await fetch('${api}/mine');
      const no = await fetch('${api}/no').catch((error) => error.message);
      [mine.status, await mine.text(), no]`;
    await withFetch(
      policy(),
      async (executor) => {
        const { output: value, stats } = await executor.run(code);
        expect(value).toStrictEqual([203, 'of the host', 'not today']);
        expect(stats.toolCalls).toBe(2);
        expect(calls).toStrictEqual([
          ['fetch', `${api}/mine`, 'GET'],
          ['fetch', `${api}/no`, 'GET'],
        ]);
        expect(seen).toStrictEqual([]);
      },
      { onToolCall },
    );
  });

  test('a call that is not awaited is reported', async () => {
    await withFetch(policy(), async (executor) => {
      const { logs } = await executor.run(`fetch('${api}/json'); 1`);
      expect(logs).toMatch(/1 tool call was not awaited and dropped when the run ended: fetch; `await` it/);
    });
  });
});

// P23.
describe('requests that the policy refuses', () => {
  test('without a policy nothing is allowed', async () => {
    expect(await failure(undefined, api)).toBe('fetch: this host allows no requests (network.allow)');
  });

  test('other hosts, ports and protocols are refused by name', async () => {
    const network = { allow: ['api.example.com', '*.example.org'] };
    const allowed = 'is not allowed; allowed here: api.example.com, *.example.org';
    for (const origin of [
      'https://example.com',
      'https://api.example.com:8443',
      'http://api.example.com',
      'https://example.org',
      'https://xexample.org',
      'https://api.example.com.evil.test',
      'http://127.0.0.1',
    ]) {
      expect(await failure(network, `${origin}/x`), origin).toBe(`fetch: ${origin} ${allowed}`);
    }
    expect(await failure(network, 'file:///etc/passwd')).toBe('fetch: file: is not allowed; use https:');
    expect(await failure(network, 'https://me:pw@api.example.com/')).toBe('fetch: a URL must not contain credentials');
  });

  test('methods are refused, by default all but GET and HEAD', async () => {
    const message = (list) => `fetch: the method DELETE is not allowed; allowed here: ${list}`;
    expect(await failure({ allow: [api] }, api, { method: 'DELETE' })).toBe(message('GET, HEAD'));
    expect(await failure(policy(), api, { method: 'delete' })).toBe(message('GET, HEAD, POST'));
    expect(seen).toStrictEqual([]);
  });

  test('each redirect is checked', async () => {
    const url = (path) => `${api}${path}`;
    const refused = (origin) => `fetch: ${origin} is not allowed; allowed here: ${api}`;
    expect(
      await output(policy(), `const r = await fetch('${url('/self')}'); [r.url, r.redirected, await r.json()]`),
    ).toStrictEqual([`${api}/json`, true, { a: 1 }]);
    expect(await failure(policy(), url('/other'))).toBe(refused(other));
    expect(await failure(policy(), url('/metadata'))).toBe(refused('http://169.254.169.254'));
    expect(await failure(policy(), url('/file'))).toBe('fetch: file: is not allowed; use https:');
    expect(await failure(policy(), url('/loop'))).toBe('fetch: more than 20 redirects');
    expect(await failure(policy(), url('/self'), { redirect: 'error' })).toBe(
      'fetch: the response is a redirect, which the request refuses',
    );
    const code = `const r = await fetch('${url('/self')}', { redirect: 'manual' }); [r.status, r.headers.get('location')]`;
    expect(await output(policy(), code)).toStrictEqual([303, '/json']);
    expect(seen.filter(([name]) => name === 'other')).toStrictEqual([]);
  });

  test('a redirect keeps method and body if its status says so', async () => {
    const code = `(await fetch('${api}/moved', { method: 'POST', body: 'kept' })).json()`;
    expect(await output(policy(), code)).toStrictEqual(['text/plain;charset=UTF-8', 'kept']);
  });

  test('names that resolve to addresses that are not public are refused, unless these are listed', async () => {
    const url = `http://api.example.com:${port}/json`;
    const named = (addresses, listed = []) => ({
      allow: [`http://api.example.com:${port}`, ...listed],
      lookup: (_name, _options, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
    });
    const message = 'fetch: api.example.com resolves to an address that is neither public nor in network.allow';
    for (const address of [
      ...[
        '127.0.0.1',
        '10.0.0.1',
        '172.16.0.1',
        '192.168.1.1',
        '169.254.169.254',
        '100.64.0.1',
        '0.0.0.0',
        '224.0.0.1',
      ],
      ...['::1', '::', 'fe80::1', 'fd00::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::'],
      ...['168.63.129.16', '255.255.255.255', '198.18.0.1', 'ff02::1', '2001:db8::1', 'not an address'],
    ]) {
      expect(await failure(named([address]), url), address).toBe(message);
      expect(await failure(named(['93.184.215.14', address]), url), address).toBe(message);
    }
    expect(seen).toStrictEqual([]);
    const code = `(await fetch('${url}')).json()`;
    expect(await output(named(['127.0.0.1'], ['127.0.0.0/8']), code)).toStrictEqual({ a: 1 });
    expect(
      await output({ allow: [`http://localhost:${port}`] }, `(await fetch('http://localhost:${port}/json')).json()`),
    ).toStrictEqual({ a: 1 });
  });

  test('the address that was checked is the one that is connected to', async () => {
    // The name leads to another address each time it is asked.
    let asked = 0;
    const lookup = (_name, _options, callback) => {
      asked++;
      callback(null, [{ address: asked % 2 === 1 ? '127.0.0.1' : '10.255.255.1', family: 4 }]);
    };
    const network = { allow: [`http://rebind.example.com:${port}`, '127.0.0.1/32'], lookup };
    const url = `http://rebind.example.com:${port}/json`;
    expect(await output(network, `(await fetch('${url}')).json()`)).toStrictEqual({ a: 1 });
    expect(asked).toBe(1);
    expect(await failure(network, url)).toMatch(/resolves to an address that is neither public/);
    expect(asked).toBe(2);
    expect(seen).toHaveLength(1);
  });

  test('names that cannot be found and servers that refuse have short errors', async () => {
    const lookup = (_name, _options, callback) =>
      callback(Object.assign(new Error('at 10.0.0.53'), { code: 'ENOTFOUND' }));
    expect(await failure({ allow: ['api.example.com'], lookup }, 'https://api.example.com/')).toBe(
      'fetch: the request to api.example.com failed (ENOTFOUND)',
    );
    expect(await failure(policy(), `${api}/cut`)).toBe('fetch: the request to 127.0.0.1 failed (ECONNRESET)');
  });

  test('a run may make maxRequests requests, and redirects count', async () => {
    const code = `const messages = [];
      for (let i = 0; i < 3; i++) {
        try { messages.push((await fetch('${api}/self')).status); } catch (error) { messages.push(error.message); }
      }
      messages`;
    const network = policy({ maxRequests: 5 });
    const message = 'fetch: a run may make at most 5 requests (network.maxRequests)';
    await withFetch(network, async (executor) => {
      expect((await executor.run(code)).output).toStrictEqual([200, 200, message]);
      // Another run has its own.
      expect((await executor.run(code)).output).toStrictEqual([200, 200, message]);
    });
  });
});

// P23.
describe('bytes and time', () => {
  test('large, endless and compressed bodies end at maxBytes', async () => {
    const message = 'fetch: the response has more than 1048576 bytes (network.maxBytes)';
    expect(await failure(policy(), `${api}/endless`)).toBe(message);
    expect(await failure(policy(), `${api}/bomb`)).toBe(message);
    expect(await failure(policy({ maxBytes: 3 }), `${api}/json`)).toBe(
      'fetch: the response has more than 3 bytes (network.maxBytes)',
    );
    expect(await failure(policy({ maxBytes: 3 }), api, { method: 'POST', body: 'four' })).toBe(
      'fetch: the body of the request has more than 3 bytes (network.maxBytes)',
    );
  });

  test('a request ends with its run', async () => {
    await withFetch(policy(), async (executor) => {
      const controller = new AbortController();
      const run = executor.run(`await fetch('${api}/silent')`, { signal: controller.signal });
      await asked.promise;
      controller.abort();
      await expectCode(run, 'ERR_EXEC_TIMEOUT');
    });
    await closed.promise;
    closed = deferred();
    await withFetch(policy(), async (executor) => {
      expect(
        (await executor.run(`fetch('${api}/begun'); await (await fetch('${api}/json')).text(); 'over'`)).output,
      ).toBe('over');
      // The connection closes although the executor lives on.
      if (seen.some(([, , path]) => path === '/begun')) await closed.promise;
    });
  });

  test('toolTimeoutMs ends one request', async () => {
    const code = `try { await fetch('${api}/silent') } catch (error) { [error.name, error.message] }`;
    expect(await output(policy(), code, { toolTimeoutMs: 100 })).toStrictEqual([
      'TimeoutError',
      'fetch did not answer within 100 ms',
    ]);
    // On a busy machine the request may end before it has been sent.
    if (seen.length > 0) await closed.promise;
  });

  test('a signal that has no room for a request refuses it before it is made', async () => {
    const code = `const { signal } = new AbortController();
      for (let i = 0; i < 1_000; i++) AbortSignal.any([signal]);
      await fetch('${api}/json', { signal }).catch(({ name, message }) => [name, message])`;
    const more = { globals: ['fetch', 'abort'] };
    const { output: failed, stats } = await withFetch(policy(), (executor) => executor.run(code), more);
    expect(failed).toStrictEqual(['RangeError', 'More than 1000 operations or signals depend on one AbortSignal']);
    expect(stats.toolCalls).toBe(0);
  });

  test('a signal ends a request, here and at the server', async () => {
    const code = `const controller = new AbortController();
      const pending = fetch('${api}/silent', { signal: controller.signal });
      await isAsked();
      controller.abort(new RangeError('mine'));
      const first = await pending.catch((error) => error.message);
      const second = await fetch('${api}/json', { signal: controller.signal }).catch((error) => error.message);
      [first, second, await fetch('${api}/silent', { signal: AbortSignal.timeout(20) }).catch(({ name }) => name)]`;
    const tools = { isAsked: async () => asked.promise };
    await withExecutor({ globals: ['fetch', 'abort', 'timers'], network: policy() }, tools, async (executor) => {
      expect((await executor.run(code)).output).toStrictEqual(['mine', 'mine', 'TimeoutError']);
    });
    await closed.promise;
  });
});

// P24.
describe('headers of the host', () => {
  const withSecret = (more = {}) => policy({ headers: { [api]: { Authorization: SECRET } }, ...more });

  test('they are sent to their host, in place of headers of the guest', async () => {
    await output(withSecret(), `(await fetch('${api}/json', { headers: { authorization: 'of the guest' } })).status`);
    expect(seen).toStrictEqual([['api', 'GET', '/json', SECRET]]);
  });

  test('they are not sent to other hosts, nor are credentials of the guest', async () => {
    const network = withSecret({ allow: [api, other] });
    const init = "{ headers: { authorization: 'of the guest', cookie: 'c=1', accept: 'x/y' } }";
    expect(await output(network, `(await fetch('${api}/other', ${init})).text()`)).toBe('there');
    expect(seen).toStrictEqual([
      ['api', 'GET', '/other', SECRET],
      ['other', 'GET', '/there', undefined],
    ]);
  });

  test('guests do not see them, not even where a server repeats them', async () => {
    const code = `const request = new Request('${api}/headers');
      const response = await fetch(request);
      [[...request.headers], response.headers.get('x-seen'), await response.text(), Object.getOwnPropertyNames(response)]`;
    const shown = JSON.stringify(await output(withSecret(), code));
    expect(shown).toContain('*'.repeat(SECRET.length));
    expect(shown).not.toMatch(/abcdefgh/);
  });

  test('those of the exact host replace those of wildcards, and longer wildcards those of shorter ones', async () => {
    const lookup = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const [exact, near, far] = ['a.b.example.com', '*.b.example.com', '*.example.com'].map(
      (name) => `http://${name}:${port}`,
    );
    const headers = {
      [exact]: { AUTHORIZATION: 'exact' },
      [near]: { Authorization: 'near', 'X-Near': 'near' },
      [far]: { authorization: 'far', 'x-near': 'far', 'X-Far': 'far' },
    };
    const sentTo = async (name) => {
      const network = { allow: [exact, near, far, '127.0.0.1/32'], headers, lookup };
      const pairs = await output(network, `(await fetch('http://${name}:${port}/raw')).json()`);
      return pairs.filter(([header]) => /^(?:authorization|x-)/i.test(header));
    };
    const others = [
      ['x-near', 'near'],
      ['x-far', 'far'],
    ];
    expect((await sentTo('a.b.example.com')).sort()).toStrictEqual([['authorization', 'exact'], ...others].sort());
    expect((await sentTo('c.b.example.com')).sort()).toStrictEqual([['authorization', 'near'], ...others].sort());
    expect((await sentTo('example.example.com')).sort()).toStrictEqual([
      ['authorization', 'far'],
      ['x-far', 'far'],
      ['x-near', 'far'],
    ]);
  });

  test('each name is sent once, whatever its case', async () => {
    const headers = { [api]: { 'X-Twice': '1', 'x-twice': '2', Host: 'other', 'Accept-Encoding': 'x', Accept: 'a/b' } };
    const init =
      "{ headers: [['X-Mine', '1'], ['x-mine', '2'], ['accept', 'c/d'], ['Cookie', 'a=1'], ['cookie', 'b=2']] }";
    const pairs = await output(policy({ headers }), `(await fetch('${api}/raw', ${init})).json()`);
    expect(Object.fromEntries(pairs)).toStrictEqual({
      host: new URL(api).host,
      accept: 'a/b',
      'user-agent': 'ses-executor',
      'x-mine': '1, 2',
      cookie: 'a=1; b=2',
      'x-twice': '2',
      'accept-encoding': expect.stringMatching(/gzip/),
      connection: 'close',
    });
    expect(new Set(pairs.map(([name]) => name)).size).toBe(pairs.length);
  });

  test('errors and messages about options do not show them', async () => {
    expect(await failure(withSecret(), `${api}/cut`)).not.toMatch(/abcdefgh/);
    for (const headers of [{ [api]: { authorization: 'a\nabcdefgh' } }, { [api]: { authorization: 7 } }]) {
      expect(() => new SESExecutor({ globals: ['fetch'], network: policy({ headers }) })).toThrow(
        /^options\.network\.headers\["http:\/\/127\.0\.0\.1:\d+"\]\.authorization must (?:have no line breaks and only characters of Latin-1|be a string)$/,
      );
    }
  });

  test('headers of the connection are the host’s', async () => {
    const code = `const init = { headers: { Host: 'evil', Connection: 'keep-alive', 'Transfer-Encoding': 'chunked', 'X-Mine': '1', 'Proxy-Authorization': 'x' } };
      (await fetch('${api}/headers', init)).json()`;
    const headers = await output(policy(), code);
    expect(headers).toMatchObject({ host: new URL(api).host, connection: 'close', 'x-mine': '1' });
    expect(headers).not.toHaveProperty('proxy-authorization');
    expect(headers).not.toHaveProperty('transfer-encoding');
  });
});

describe('wrong policies', () => {
  const refused = (network) => expect(() => new SESExecutor({ globals: ['fetch'], network }));

  test('are refused with what is expected', () => {
    refused('api.example.com').toThrow(
      new TypeError('options.network must be an object such as { allow: ["api.example.com"] }, got "api.example.com"'),
    );
    refused({}).toThrow(new TypeError('options.network.allow must be an array of strings, got undefined'));
    refused({ allow: [''] }).toThrow(new TypeError('options.network.allow[0] must be a non-empty string, got ""'));
    for (const entry of ['https://a.b/path', 'ftp://a.b', 'a b', '*', 'a.*.b', 'u:p@a.b', '*.1.2.3.4'])
      refused({ allow: [entry] }).toThrow(/^options\.network\.allow\[0\] must be a host such as/);
    refused({ allow: ['10.0.0.0/33'] }).toThrow(/^options\.network\.allow\[0\] must be a range such as/);
    refused({ allow: [], methods: ['TRACE'] }).toThrow(/^options\.network\.methods\[0\] must be "DELETE" or/);
    refused({ allow: [], maxBytes: -1 }).toThrow(
      'options.network.maxBytes must be an integer from 0 to 1073741824, got -1',
    );
    refused({ allow: [], other: 1 }).toThrow(/^options\.network\.other is not an option/);
    refused({ allow: ['a.b'], headers: { 'c.d': { x: '1' } } }).toThrow(
      new RangeError('options.network.headers["c.d"] must be a host of options.network.allow'),
    );
    refused({ allow: [], lookup: 1 }).toThrow(new TypeError('options.network.lookup must be a function, got 1'));
  });
});
