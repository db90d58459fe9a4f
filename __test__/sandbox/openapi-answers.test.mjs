// Status and headers of answers, without which programs cannot page by `Link`, and integers that JSON.parse rounds.
import { describe, expect, test } from 'vitest';

import { withLongestTurn } from '../cpu-time.mjs';
import { expectCode } from '../helpers.mjs';
import { apiOf, documentOf } from './openapi-api.mjs';
import { managerOf } from './market.mjs';
import { anyState } from '../../build/sandbox/index.js';

const parameter = (name, schema = {}, place = 'query') => ({ name, in: place, schema, required: place === 'path' });
const json = (body, init) => () => new Response(body, { headers: { 'content-type': 'application/json' }, ...init });

describe('a call with { response: true }', () => {
  const document = documentOf({ '/a': { operationId: 'a', parameters: [parameter('page', { type: 'integer' })] } });
  const headers = { 'content-type': 'application/json', link: '</a?page=2>; rel="next"', 'X-Rate-Remaining': '7' };
  const options = { answer: json('[1]', { status: 206, headers }) };
  const expected = {
    status: 206,
    headers: { 'content-type': 'application/json', link: '</a?page=2>; rel="next"', 'x-rate-remaining': '7' },
    body: [1],
  };

  test.each([
    ['a call', 'sdk.api.a({ page: 1 }, { response: true })'],
    ['a call without parameters', 'sdk.api.a(undefined, { response: true })'],
    ['a call in parallel', 'utils.parallel(() => sdk.api.a({}, { response: true }))[0]'],
    ['a call in parallel without parameters', 'utils.parallel(() => sdk.api.a(void 0, { response: true }))[0]'],
    ['a promise', 'await sdk.api.a({ page: 1 }, { response: true })'],
    ['promises', '(await Promise.all([sdk.api.a({}, { response: true })]))[0]'],
    ['a spread', 'const args = [{ page: 1 }, { response: true }]; sdk.api.a(...args)'],
  ])('returns status, headers and body: %s', async (_, code) => {
    const { call } = await apiOf(document, options);
    expect(await call(code)).toStrictEqual(expected);
  });

  test.each([
    'sdk.api.a({ page: 1 })',
    'sdk.api.a({ page: 1 }, {})',
    'sdk.api.a({}, null)',
    'await sdk.api.a({}, { response: false })',
    'sdk.api.a({}, 5)',
  ])('without it a call returns the body: %s', async (code) => {
    const { call } = await apiOf(document, options);
    expect(await call(code)).toStrictEqual([1]);
  });

  test('can follow Link headers through pages', async () => {
    const answer = ({ url }) => {
      const page = Number(url.searchParams.get('page') ?? 1);
      return Response.json([page], {
        headers: page < 3 ? { link: `<${url.pathname}?page=${page + 1}>; rel="next"` } : {},
      });
    };
    const { call } = await apiOf(document, { answer });
    const code = `
      const all = [];
      for (let page = 1; page !== undefined;) {
        const { headers, body } = sdk.api.a({ page }, { response: true });
        all.push(...body);
        const next = /[?&]page=(\\d+)>; rel="next"/.exec(headers.link ?? '');
        page = next ? Number(next[1]) : undefined;
      }
      all`;
    expect(await call(code)).toStrictEqual([1, 2, 3]);
  });

  test('returns no cookies and no credentials of the host', async () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } };
    const secured = documentOf({ '/a': { operationId: 'a', security: [{ key: [] }] } }, { components });
    const answer = ({ url }) =>
      Response.json(null, {
        status: 200,
        headers: { link: `<${url}&page=2>; rel="next"`, 'set-cookie': 'session=secret' },
      });
    const { call } = await apiOf(secured, { answer, credentials: { key: 'the secret key' } });
    const { headers } = await call('sdk.api.a({}, { response: true })');
    expect(headers).toStrictEqual({
      'content-type': 'application/json',
      link: '<https://api.test/a?api_key=***&page=2>; rel="next"',
    });
  });

  test('returns the headers of an answer without a body, while an unsuccessful answer stays an error', async () => {
    const head = documentOf({ '/a': { method: 'head', operationId: 'a' } });
    const { call } = await apiOf(head, { answer: () => new Response(null, { status: 204, headers: { etag: '"x"' } }) });
    expect(await call('sdk.api.a({}, { response: true })')).toStrictEqual({
      status: 204,
      headers: { etag: '"x"' },
      body: null,
    });
    const failing = await apiOf(document, { answer: () => Response.json({}, { status: 404 }) });
    expect(
      (await expectCode(failing.call('sdk.api.a({}, { response: true })'), 'ERR_TOOL_PROXY_FAIL')).cause.code,
    ).toBe('HTTP_404');
  });

  const SEEN = `try { sdk.api.a() } catch ({ code, status, message, data }) { ({ code, status, message, data }) }`;
  const seen = async (body, init, options) => {
    const { call } = await apiOf(document, { answer: () => new Response(body, init), ...options });
    return call(SEEN);
  };
  const problem = { 'content-type': 'application/problem+json' };

  test('of an unsuccessful answer is in `data` of the error, next to its JSON', async () => {
    expect(
      await seen('{"left":0,"id":9007199254740993}', { status: 429, headers: { ...problem, 'retry-after': '7' } }),
    ).toStrictEqual({
      code: 'HTTP_429',
      status: 429,
      message: 'HTTP 429: {"left":0,"id":9007199254740993}',
      data: { headers: { ...problem, 'retry-after': '7' }, body: { left: 0, id: '9007199254740993' } },
    });
  });

  test.each([
    ['without a body', null, 'HTTP 503', { headers: { etag: '1' } }],
    ['with text', 'gone', 'HTTP 503: gone', { headers: { etag: '1', 'content-type': 'text/plain;charset=UTF-8' } }],
    ['with wrong JSON', '{"a":', 'HTTP 503: {"a":', { headers: { etag: '1', ...problem } }, problem],
    ['with long JSON', JSON.stringify('x'.repeat(6_000)), expect.any(String), { headers: { etag: '1', ...problem } }, problem],
    ['with long headers', '{"a":1}', 'HTTP 503: {"a":1}', { body: { a: 1 } }, { ...problem, 'x-a': 'x'.repeat(6_000) }],
  ])('of an unsuccessful answer %s', async (_, body, message, data, headers = {}) => {
    const error = await seen(body, { status: 503, headers: { etag: '1', 'set-cookie': 'a=b', ...headers } });
    expect(error).toStrictEqual({ code: 'HTTP_503', status: 503, message, data });
  }); // prettier-ignore

  test('of an unsuccessful answer has no credentials and no target of a redirect', async () => {
    const headers = { ...problem, location: 'https://user:password@other.test/', 'x-request': 'token the-secret' };
    const error = await seen(
      '{"sent":"the-secret"}',
      { status: 302, headers },
      { headers: { 'x-token': 'the-secret' } },
    );
    expect(error.message).toBe('HTTP 302 (to https://other.test/): {"sent":"***"}');
    expect(error.data).toStrictEqual({ headers: { ...problem, 'x-request': 'token ***' }, body: { sent: '***' } });
  });

  test('is marked for adapters of the host, which may ignore it', async () => {
    const seen = [];
    const manager = managerOf({
      stateSchema: anyState,
      adapters: async (_, __, params, call) => (seen.push(call.wantsResponse), 5),
    });
    expect(
      await manager.executeCode('[sdk.market.getQuote({}, { response: true }), sdk.market.getQuote({})]'),
    ).toStrictEqual([5, 5]);
    expect(seen).toStrictEqual([true, undefined]);
  });
});

describe('integers beyond 2^53 are strings with all digits', () => {
  test.each([
    ['9007199254740993', '9007199254740993'],
    ['{"id":12345678901234567890,"n":5}', { id: '12345678901234567890', n: 5 }],
    [
      '[-9007199254740993,9007199254740991, 9007199254740992 ]',
      ['-9007199254740993', 9007199254740991, '9007199254740992'],
    ],
    ['{"a":[{"b":18446744073709551615}]}', { a: [{ b: '18446744073709551615' }] }],
    [
      '{"9007199254740993":"9007199254740993","\\\\":1,"\\"9007199254740993":2}',
      { '9007199254740993': '9007199254740993', '\\': 1, '"9007199254740993': 2 },
    ],
    [
      '[1e400,12345678901234567890.5,12345678901234567890e2,0.12345678901234567890,1E12345678901234567]',
      [Infinity, Number('12345678901234567890.5'), Number('12345678901234567890e2'), 0.12345678901234568, Infinity],
    ],
    ['["\\\\\\"", 9007199254740993]', ['\\"', '9007199254740993']],
    ['{"a":00009007199254740993}', SyntaxError],
    ['[9007199254740993', SyntaxError],
  ])('in %s', async (body, expected) => {
    const { call } = await apiOf(documentOf({ '/a': { operationId: 'a' } }), { answer: json(body) });
    if (expected === SyntaxError) {
      expect((await expectCode(call('sdk.api.a()'), 'ERR_TOOL_PROXY_FAIL')).cause).toBeInstanceOf(SyntaxError);
    } else {
      expect(await call('sdk.api.a()')).toStrictEqual(expected);
    }
  });

  test('are accepted by integer parameters in each place, with all digits', async () => {
    const id = { type: 'integer', format: 'int64' };
    const schema = {
      type: 'object',
      properties: { id, ids: { type: 'array', items: { type: ['integer', 'null'] } }, text: { type: 'string' } },
    };
    const document = documentOf({
      '/a/{id}': {
        method: 'post',
        operationId: 'a',
        parameters: [parameter('id', id, 'path'), parameter('since', id), parameter('X-Id', id, 'header')],
        requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { body: schema } } } } },
      },
    });
    const { call, requests } = await apiOf(document, { answer: json('{"id":9007199254740993}') });
    await call(`const { id } = sdk.api.a({ id: 1 });
      sdk.api.a({ id, since: id, 'X-Id': id, body: { id, ids: [id, 2, null], text: id } });
      sdk.api.a({ id: BigInt(id), since: 5n, body: { ids: [18446744073709551615n] } })`);
    const big = '9007199254740993';
    expect([requests[1].url, requests[1].headers['x-id'], requests[1].body]).toStrictEqual([
      `https://api.test/a/${big}?since=${big}`,
      big,
      `{"body":{"id":${big},"ids":[${big},2,null],"text":"${big}"}}`,
    ]);
    expect([requests[2].url, requests[2].body]).toStrictEqual([
      `https://api.test/a/${big}?since=5`,
      '{"body":{"ids":[18446744073709551615]}}',
    ]);
    for (const wrong of ["'9007199254740993.5'", "'12'", "'x9007199254740993'", "'09007199254740993'"]) {
      await expectCode(call(`sdk.api.a({ id: ${wrong} })`), 'ERR_INVALID_PARAMS');
    }
  });

  test('are found in slices in a large answer', async () => {
    const body = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => `text ${i} 1234567890123456789`)).replace(
      /\]$/,
      ',9007199254740993]',
    );
    const { call } = await apiOf(documentOf({ '/a': { operationId: 'a' } }), { answer: json(body) });
    expect(await call('const all = sdk.api.a(); [all.length, all.at(-1), all[7]]')).toStrictEqual([
      100_001,
      '9007199254740993',
      'text 7 1234567890123456789',
    ]);
  });
});

// V8 lists the keys of an object in one step.
describe('objects with very many keys', () => {
  const keys = (count) => Array.from({ length: count }, (_, index) => `"${index * 7}-${index}":1`).join(',');

  test.each([
    ['the body', (text) => text],
    ['a part of it', (text) => `{"rows":[{"id":1,"counts":${text}}]}`],
  ])('fail their call and do not stall the host: %s', async (_, around) => {
    const { call } = await apiOf(documentOf({ '/a': { operationId: 'a' } }), {
      answer: json(around(`{${keys(400_000)}}`)),
    });
    const { result, longest } = await withLongestTurn(() => expectCode(call('sdk.api.a()'), 'ERR_TOOL_PROXY_FAIL'));
    expect(result.cause).toBeInstanceOf(RangeError);
    expect(result.cause.message).toBe(
      'the answer of GET /a cannot be read: an object in it has at least 100000 keys, and listing them takes too long',
    );
    expect(longest).toBeLessThan(2);
  });

  test('are given to programs if they have fewer than 100,000', async () => {
    const { call } = await apiOf(documentOf({ '/a': { operationId: 'a' } }), { answer: json(`[{${keys(99_999)}}]`) });
    const { result, longest } = await withLongestTurn(() => call('Object.keys(sdk.api.a()[0]).length'));
    expect(result).toBe(99_999);
    expect(longest).toBeLessThan(2);
  });
});
