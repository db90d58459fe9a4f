// Requests of pages under the policy that `fetch` of other guests has too: methods, bytes, number, headers of the host
// and addresses. A real Chrome, and real servers of this machine.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { serve } from '../http-server.mjs';
import { make, withBrowser } from './helpers.mjs';

const SECRET = 'Bearer abcdefgh-12345678';

/** Requests that the servers got: name of the server, method, path, `authorization`. */
let seen = [];
const servers = [];
async function listen(name) {
  const server = await serve(
    async (request, response) => {
      const { method, url, headers } = request;
      seen.push([name, method, url, headers.authorization]);
      await request.resume().toArray();
      if (url === '/to-other') return response.writeHead(302, { location: `${other}/there` }).end();
      if (url === '/to-private') return response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end();
      if (url === '/large') return response.end(Buffer.alloc(5_000, 'x'));
      response.setHeader('x-seen', String(headers.authorization)).end(`${headers.host} ${headers.authorization}`);
    },
    { isKept: true },
  );
  servers.push(server);
  return server.url;
}

let api;
let other;
beforeAll(async () => {
  api = await listen('api');
  other = await listen('other');
});
beforeEach(() => {
  seen = [];
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

const SAFE = 'const ask = (url, init) => fetch(url, init).then((it) => it.text(), ({ name }) => name);';
const run = (network, code, options = {}) =>
  withBrowser({ network, ...options }, {}, (executor) => executor.run(`${SAFE}${code}`, { input: [api, other] }));

describe('P23: destinations of pages', () => {
  test('a method that is not listed is refused', async () => {
    const { output, logs } = await run(
      { allow: [api], methods: ['GET'] },
      "return [await ask(input[0], { method: 'POST', body: 'x' }), await ask(input[0], { method: 'PUT' }), (await ask(input[0])).length > 0]",
    );
    expect(output).toStrictEqual(['TypeError', 'TypeError', true]);
    expect(logs).toContain(`POST ${api}/ has failed: the method POST is not allowed; allowed here: GET`);
    expect(seen.map(([, method]) => method)).toStrictEqual(['GET']);
  });

  test('bytes of responses and requests are limited', async () => {
    const { output, logs } = await run(
      { allow: [api], maxBytes: 4_000 },
      "return [await ask(input[0] + '/large'), await ask(input[0], { method: 'POST', body: 'x'.repeat(4_001) })]",
    );
    expect(output).toStrictEqual(['TypeError', 'TypeError']);
    expect(logs).toContain(`GET ${api}/large has failed: the response has more than 4000 bytes (network.maxBytes)`);
    expect(logs).toContain(`POST ${api}/ has failed: the body of the request has more than 4000 bytes`);
    expect(seen).toHaveLength(1);
  });

  test('requests of a run are limited, redirects included, and the next run begins at zero', async () => {
    await withBrowser(
      { network: { allow: [api, other], maxRequests: 3 }, isolation: 'session' },
      {},
      async (executor) => {
        const code = `{ ${SAFE} globalThis.found = [(await ask(input[0] + '/to-other')).length > 9, (await ask(input[0])).length > 9, await ask(input[0])]; } return found`;
        for (let runs = 1; runs <= 2; runs++) {
          const { output, logs } = await executor.run(code, { input: [api, other] });
          expect(output).toStrictEqual([true, true, 'TypeError']);
          expect(logs).toContain('a run may make at most 3 requests (network.maxRequests)');
          expect(seen).toHaveLength(3 * runs);
        }
      },
    );
  });

  test('each step of a redirect is checked', async () => {
    const code = "return [await ask(input[0] + '/to-other'), await ask(input[0] + '/to-private')]";
    const { output } = await run({ allow: [api] }, code);
    expect(output).toStrictEqual(['TypeError', 'TypeError']);
    expect(seen.map(([name]) => name)).toStrictEqual(['api', 'api']);
  });

  test('the request goes to the address that was checked, and names of other addresses are refused', async () => {
    const { port } = new URL(api);
    const asked = [];
    const lookup = (name, options, done) => {
      asked.push(name);
      done(null, [{ address: name === 'a.localhost' ? '127.0.0.1' : '10.1.2.3', family: 4 }]);
    };
    const allow = [`http://a.localhost:${port}`, `http://b.localhost:${port}`, 'api.example.com'];
    const { output, logs } = await run(
      { allow, lookup },
      `return [await ask('http://a.localhost:${port}/'), await ask('http://b.localhost:${port}/'), await ask('https://api.example.com/')]`,
    );
    expect(output).toStrictEqual([`a.localhost:${port} undefined`, 'TypeError', 'TypeError']);
    expect(logs).toContain('b.localhost resolves to an address that is neither public nor in network.allow');
    expect(logs).toContain('api.example.com resolves to an address that is neither public nor in network.allow');
    expect(asked).toStrictEqual(['a.localhost', 'b.localhost', 'api.example.com']);
  });

  test('a range allows addresses of names', async () => {
    const { port } = new URL(api);
    const lookup = (name, options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
    const network = { allow: [`https://inside.example:${port}`, '127.0.0.0/8'], lookup };
    const { output, logs } = await run(network, `return ask('https://inside.example:${port}/')`);
    // The server was reached. It does not speak TLS.
    expect([output, logs]).toStrictEqual(['TypeError', '']);
  });

  test('hosts without a scheme and subdomains can be listed', async () => {
    const urls = [];
    const onRequest = ({ url }) => {
      urls.push(url);
      return false;
    };
    const asked = [
      'https://api.example.com/',
      'https://a.b.example.org/',
      'https://x.example.net:8443/',
      'https://example.org/',
      'https://x.example.net/',
      'https://notexample.org/',
    ];
    await withBrowser(
      { network: { allow: ['api.example.com', '*.example.org', '*.example.net:8443'], onRequest } },
      {},
      (executor) => executor.run('for (const url of input) await fetch(url).catch(() => {})', { input: asked }),
    );
    expect(urls).toStrictEqual(asked.slice(0, 3));
  });
});

describe('P24: credentials of pages', () => {
  test('headers of the host go to their host only, and the page does not see them', async () => {
    const headers = { [api]: { authorization: SECRET } };
    const heard = [];
    const onRequest = (request) => void heard.push(request);
    const { output, logs } = await run(
      { allow: [api, other], headers, onRequest },
      `const response = await fetch(input[0], { headers: { Authorization: 'mine' } });
       return [await response.text(), response.headers.get('x-seen'), await ask(input[1]), await ask(input[0] + '/to-other')]`,
    );
    expect(seen).toStrictEqual([
      ['api', 'GET', '/', SECRET],
      ['other', 'GET', '/', undefined],
      ['api', 'GET', '/to-other', SECRET],
      ['other', 'GET', '/there', undefined],
    ]);
    const hidden = '*'.repeat(SECRET.length);
    expect(output).toStrictEqual([
      `${new URL(api).host} ${hidden}`,
      hidden,
      `${new URL(other).host} undefined`,
      `${new URL(other).host} undefined`,
    ]);
    expect(JSON.stringify([output, logs, heard])).not.toContain('abcdefgh');
  });
});

test.each([
  [{ allow: ['a b'] }, 'options.network.allow[0] must be an origin such as'],
  [{ allow: ['a;b.example'] }, 'options.network.allow[0] must be an origin such as'],
  [{ allow: ['a.example'], methods: ['BREW'] }, 'options.network.methods[0] must be "DELETE" or'],
  [{ allow: ['a.example'], maxBytes: -1 }, 'options.network.maxBytes must be an integer from 0 to'],
  [{ allow: ['a.example'], maxRequests: 1.5 }, 'options.network.maxRequests must be an integer from 0 to'],
  [{ allow: ['a.example'], headers: { 'b.example': {} } }, 'must be a host of options.network.allow'],
])('wrong policies are refused: %j', (network, message) => {
  expect(() => make({ network })).toThrow(message);
});
