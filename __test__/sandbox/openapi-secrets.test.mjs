// P7. Credentials of the host reached guests, models and logs in the texts of errors: the platform shows what it
// refuses.
import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import { registryFromOpenApi } from '../../build/sandbox/index.js';
import { expectCode, rejection } from '../helpers.mjs';
import { apiOf, documentOf } from './openapi-api.mjs';

const SECRET = 'hunter2-of-the-host';
const components = {
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer' },
    login: { type: 'http', scheme: 'basic' },
    header: { type: 'apiKey', in: 'header', name: 'X-Key' },
    query: { type: 'apiKey', in: 'query', name: 'key' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  },
};
const documentWith = (scheme) =>
  documentOf({ '/a': { operationId: 'a', ...(scheme && { security: [{ [scheme]: [] }] }) } }, { components });

/** What a guest sees of the failure of a call, and the failure as the host logs it. */
async function failureOf(scheme, options) {
  const { manager, requests } = await apiOf(documentWith(scheme), options);
  const guest = await manager.executeCode(
    'try { sdk.api.a() } catch (error) { [error.name, error.message, error.stack, JSON.stringify(error), error.cause, error.errors].join() }',
  );
  const error = await expectCode(manager.executeCode('sdk.api.a()'), 'ERR_TOOL_PROXY_FAIL');
  const host = [
    inspect(error, { depth: 10 }),
    error.explanation,
    JSON.stringify(error.report),
    error.cause?.stack,
  ].join();
  return { texts: `${guest}${host}`, message: error.details.message, requests };
}

describe('a credential that cannot be sent is not printed', () => {
  const broken = `${SECRET}\nsecond`;
  test.each([
    ['token', broken],
    ['header', broken],
    ['token', `${SECRET}\u4e2d`],
    ['header', `${SECRET}\r\nx: y`],
    ['token', async () => broken],
    ['header', () => `a\0${SECRET}`],
  ])('%s: %j', async (scheme, credential) => {
    const { texts, message, requests } = await failureOf(scheme, { credentials: { [scheme]: credential } });
    expect(texts).not.toContain(SECRET);
    expect(message).toBe(
      `the credential of the host for the security scheme ${scheme} cannot be sent: it must be one line`,
    );
    expect(requests).toStrictEqual([]);
  });

  test.each([
    ['authorization', `Bearer ${broken}`],
    ['cookie', `session=${broken}`],
    ['x-key', `${SECRET}\u4e2d`],
  ])('%s of headers() is not printed', async (name, value) => {
    for (const headers of [() => ({ [name]: value }), async () => [[name, value]]]) {
      const { texts, message } = await failureOf(undefined, { headers });
      expect(texts).not.toContain(SECRET);
      expect(message).toBe(`the header ${JSON.stringify(name)} of the host has a name or a value that cannot be sent`);
    }
    const error = await rejection(registryFromOpenApi(documentWith(), { headers: { [name]: value } }));
    expect(inspect(error)).not.toContain(SECRET);
    expect(error.message).toBe(
      `options.headers must be headers by name, or a function that returns them: the header ${JSON.stringify(name)} of the host has a name or a value that cannot be sent`,
    );
  });

  test.each([
    ['token', { credentials: { token: () => [SECRET] } }],
    ['token', { credentials: { token: () => ({ token: SECRET }) } }],
    ['token', { credentials: { token: () => 12345678 } }],
  ])('%s of a wrong type is not printed', async (scheme, options) => {
    const { texts, message } = await failureOf(scheme, options);
    expect(texts).not.toMatch(/hunter2|12345678/);
    expect(message).toMatch(
      /^the host has no credential for the security scheme token: it must be a string, got (?:object|number)$/,
    );
  });
});

test.each([
  [
    'headers',
    { headers: () => Promise.reject(new Error(`POST /token?secret=${SECRET}`)) },
    undefined,
    'headers of the request',
  ],
  [
    'credentials',
    {
      credentials: {
        token: () => {
          throw new Error(SECRET);
        },
      },
    },
    'token',
    'credential for the security scheme token',
  ],
  [
    'headers',
    {
      headers: () => ({
        'x-key': {
          toString() {
            throw new Error(SECRET);
          },
        },
      }),
    },
    undefined,
    'headers of the request',
  ],
  ['headers', { headers: async () => [[SECRET]] }, undefined, 'headers of the request'],
  ['credentials', { credentials: { login: async () => null.x } }, 'login', 'credential for the security scheme login'],
])('guests do not learn why %s() failed', async (_, options, scheme, what) => {
  const { manager } = await apiOf(documentWith(scheme), options);
  const said = await manager.executeCode('try { sdk.api.a() } catch (error) { [error.name, error.message] }');
  expect(said).toStrictEqual(['Error', `the host has failed to make the ${what}`]);
});

// What a `fetch` of the host throws may show the request in any form, also one that is not known to be a secret.
test('guests see only message, code and status of an error of `fetch`', async () => {
  const request = new Error(`GET https://api.test/a?key=${SECRET}`, { cause: `authorization: Bearer ${SECRET}` });
  const answer = () => {
    const cause = Object.assign(new AggregateError([request], 'connect failed', { cause: request }), { code: 'EAWAY' });
    const shown = { status: 503, data: { url: 'https://internal.test/a', session: 'a1b2' }, errors: ['internal.test'] };
    throw Object.assign(new TypeError('fetch failed', { cause }), shown);
  };
  const code = `const see = ({ message, code, status, ...others }) => ({ message, code, status, others });
    try { sdk.api.a() } catch (error) { [see(error), Reflect.ownKeys(error).sort()] }`;
  for (const scheme of [undefined, 'token']) {
    const { manager } = await apiOf(documentWith(scheme), { answer, credentials: scheme && { token: SECRET } });
    const [seen, keys] = await manager.executeCode(code);
    expect([seen.code, seen.others]).toStrictEqual(['EAWAY', {}]);
    expect(keys).not.toContain('cause');
    expect(keys).not.toContain('errors');
    expect(keys).not.toContain('data');
  }
  const { manager } = await apiOf(documentWith(), { answer: () => new Response('no', { status: 418 }) });
  expect(await manager.executeCode(code)).toStrictEqual([
    {
      message: 'HTTP 418: no',
      code: 'HTTP_418',
      status: 418,
      others: { data: { headers: { 'content-type': 'text/plain;charset=UTF-8' } } },
    },
    ['code', 'data', 'message', 'name', 'stack', 'status'],
  ]);
});

describe('a URL with user and password', () => {
  const login = `https://me:${SECRET}@api.test/v1`;

  test.each([
    ['base URL', { baseUrl: login }, {}],
    ['server', { baseUrl: undefined }, { servers: [{ url: login }] }],
    ['escaped base URL', { baseUrl: `https://me:${encodeURIComponent(SECRET)}%21@api.test/v1` }, {}],
  ])('as %s is sent as a header and never printed', async (_, options, others) => {
    const { call, requests, manager } = await apiOf({ ...documentWith(), ...others }, options);
    await call('sdk.api.a()');
    expect(requests[0].url).toBe('https://api.test/v1/a');
    expect(Buffer.from(requests[0].headers.authorization.slice('Basic '.length), 'base64').toString()).toMatch(
      `me:${SECRET}`,
    );
    expect(JSON.stringify(await manager.executeSearch('spec'))).not.toContain(SECRET);
    const { texts } = await failureOf(undefined, {
      ...options,
      baseUrl: login,
      answer: () => {
        throw new TypeError(`no ${login}`);
      },
    });
    expect(texts).not.toMatch(SECRET);
  });

  test.each([
    [`ftp://me:${SECRET}@api.test`, 'ftp://api.test'],
    [`//me:${SECRET}@api.test`, '//api.test'],
    [`https://me:${SECRET}@:99999`, 'https://:99999'],
    [`api.test?key=${SECRET}`, 'api.test'],
  ])('that is refused is printed without them: %s', async (baseUrl, shown) => {
    const error = await rejection(registryFromOpenApi(documentWith(), { baseUrl }));
    expect(inspect(error)).not.toContain(SECRET);
    expect(error.message).toBe(`options.baseUrl must be an http URL, got "${shown}"`);
  });

  test('is replaced by the credentials and headers of the host', async () => {
    const { call, requests } = await apiOf(documentWith('token'), {
      baseUrl: login,
      credentials: { token: 'own-token' },
    });
    await call('sdk.api.a()');
    const other = await apiOf(documentWith(), { baseUrl: login, headers: { Authorization: 'Custom x' } });
    await other.call('sdk.api.a()');
    expect([requests[0].headers.authorization, other.requests[0].headers.authorization]).toStrictEqual([
      'Bearer own-token',
      'Custom x',
    ]);
  });
});

describe('a redirect with credentials', () => {
  const redirect = (location) => new Response('', { status: 302, headers: { location } });

  test.each([`https://me:${SECRET}@other.test/b?key=${SECRET}#${SECRET}`, `//:${SECRET}@other.test/b`])(
    'to another origin is reported without them: %s',
    async (location) => {
      const { texts, message } = await failureOf(undefined, { answer: () => redirect(location) });
      expect(texts).not.toContain(SECRET);
      expect(message).toMatch(/HTTP 302 \(to https:\/\/other\.test\/b\)(?!:)/);
    },
  );

  test.each([`https://me:${SECRET}@api.test/b`, `//${SECRET}@api.test/b`, 'https://:@api.test/b'])(
    'within the origin is followed without them: %s',
    async (location) => {
      const { call, requests } = await apiOf(documentWith(), {
        answer: ({ url }) => (url.pathname === '/b' ? Response.json('there') : redirect(location)),
      });
      expect([await call('sdk.api.a()'), requests[1].url]).toStrictEqual(['there', 'https://api.test/b']);
    },
  );
});

describe('messages of others about a request are printed without its credentials', () => {
  const options = {
    token: [{ credentials: { token: SECRET } }, 'token'],
    login: [{ credentials: { login: `me:${SECRET}` } }, 'login'],
    query: [{ credentials: { query: SECRET } }, 'query'],
    cookie: [{ credentials: { cookie: `${SECRET}; x` } }, 'cookie'],
    headers: [{ headers: { authorization: `Bearer ${SECRET}` } }],
    'headers()': [{ headers: async () => ({ 'x-api-key': SECRET, cookie: `a=1; session=${SECRET}` }) }],
    'base URL': [{ baseUrl: `https://api.test/?api_key=${SECRET}` }],
  };
  const others = {
    'an error of fetch': ({ url, headers }) => {
      throw new TypeError(`cannot reach ${url} with ${JSON.stringify([...headers])}`);
    },
    'the cause of an error': ({ url, headers }) => {
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('x'), { code: 'E_X', url: String(url), headers: [...headers] }),
      });
    },
    'properties of an error': ({ url, headers }) => {
      throw Object.assign(new Error('failed'), { config: { url: String(url), headers: Object.fromEntries(headers) } });
    },
    'an answer': ({ url, headers }) => Response.json({ url: String(url), headers: [...headers] }, { status: 401 }),
    'a status text': ({ headers }) =>
      new Response('', {
        status: 400,
        statusText: String(headers.get('authorization') ?? headers.get('x-api-key') ?? ''),
      }),
  };
  const cases = Object.keys(options).flatMap((name) => Object.keys(others).map((other) => [name, other]));
  test.each(cases)('%s: %s', async (name, other) => {
    const [given, scheme] = options[name];
    const { texts } = await failureOf(scheme, { ...given, answer: others[other] });
    expect(texts).not.toContain(SECRET);
    expect(texts).not.toContain(Buffer.from(`me:${SECRET}`).toString('base64'));
  });

  test('an error without credentials stays the same object, and other errors keep their code', async () => {
    const mine = Object.assign(new RangeError('far away'), { code: 'E_FAR' });
    const { manager } = await apiOf(documentWith('token'), {
      credentials: { token: SECRET },
      answer: () => {
        throw mine;
      },
    });
    expect((await expectCode(manager.executeCode('sdk.api.a()'), 'ERR_TOOL_PROXY_FAIL')).cause).toBe(mine);
    const { cause } = await expectCode(
      (
        await apiOf(documentWith('token'), {
          credentials: { token: SECRET },
          answer: () => Response.json({ token: SECRET }, { status: 403 }),
        })
      ).call('sdk.api.a()'),
      'ERR_TOOL_PROXY_FAIL',
    );
    expect([cause.name, cause.code, cause.status, cause.message]).toStrictEqual([
      'HttpError',
      'HTTP_403',
      403,
      'HTTP 403: {"token":"***"}',
    ]);
  });
});
