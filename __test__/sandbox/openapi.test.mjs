// Registry and adapters from OpenAPI documents: GitHub's, against a server that records what it is asked, and small ones for what
// that does not have.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { anyState, registryFromOpenApi } from '../../lib/sandbox/index.js';
import { readDocument } from '../../lib/sandbox/openapi/document.js';
import { expectCode, rejection } from '../helpers.mjs';
import { managerOf } from './market.mjs';

const githubText = brotliDecompressSync(
  readFileSync(new URL('./fixtures/github-openapi.json.br', import.meta.url)),
).toString();
const github = JSON.parse(githubText);

let server;
let baseUrl;
let requests = [];
let answer;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    const { status = 200, body = { ok: true }, headers: sent = {} } = answer(request) ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...sent });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${server.address().port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  requests = [];
  answer = () => undefined;
});

/** A manager of a document's operations. */
async function managerFrom(document, options) {
  const api = await registryFromOpenApi(document, { baseUrl, ...options });
  return managerOf({ ...api, stateSchema: anyState });
}

describe("GitHub's document", () => {
  let api;
  beforeAll(async () => {
    api = await registryFromOpenApi(github, { baseUrl, headers: { authorization: 'Bearer host-token', 'x-own': '1' } });
  });

  test('has all its operations', () => {
    const methods = api.registry.sources.flatMap(({ methods: own }) => own);
    const operations = Object.values(github.paths).flatMap((item) =>
      Object.keys(item).filter((key) => ['get', 'put', 'post', 'delete', 'patch'].includes(key)),
    );
    expect(methods.length).toBe(operations.length);
    expect(methods.length).toBeGreaterThan(900);
    const { result, params } = api.registry.sources
      .find(({ name }) => name === 'repos')
      .methods.find(({ name }) => name === 'get');
    expect(params.required).toEqual(['owner', 'repo']);
    expect(result.properties.full_name).toEqual({ type: 'string' });
  });

  test('every schema of parameters can be used', async () => {
    const { ParamsReader } = await import('../../lib/sandbox/params.js');
    const unusable = [];
    for (const { name: source, methods } of api.registry.sources) {
      for (const { name, params } of methods) {
        const error = (() => {
          try {
            new ParamsReader(`${source}.${name}`, JSON.stringify(params), 1e6).read('{}');
          } catch (it) {
            return it;
          }
        })();
        if (error?.code === 'ERR_INVALID_SCHEMA') unusable.push(error.message);
      }
    }
    expect(unusable).toEqual([]);
  });

  test('search, then execute', async () => {
    answer = ({ url }) => ({ body: url.includes('/issues') ? [{ title: 'one' }, { title: 'two' }] : { number: 7 } });
    const manager = managerOf({ ...api, stateSchema: anyState });
    const found = await manager.executeSearch(`spec.find('create an issue').map((it) => it.method)`);
    expect(found[0]).toBe('issues.create');
    const output = await manager.executeCode(`
      var both = utils.parallel(
        function () { return sdk.issues.listForRepo({ owner: 'octo cat', repo: 'a/b', labels: 'bug,ui', per_page: 2 }); },
        function () { return sdk.pulls.get({ owner: 'o', repo: 'r', pull_number: 7 }); }
      );
      sdk.issues.create({ owner: 'o', repo: 'r', title: 'new', labels: ['x'] });
      [both[0].map(function (issue) { return issue.title; }), both[1].number]`);
    expect(output).toEqual([['one', 'two'], 7]);
    expect(requests.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      'GET /repos/o/r/pulls/7',
      'GET /repos/octo%20cat/a%2Fb/issues?labels=bug%2Cui&per_page=2',
      'POST /repos/o/r/issues',
    ]);
    const created = requests.find(({ method }) => method === 'POST');
    expect(JSON.parse(created.body)).toEqual({ title: 'new', labels: ['x'] });
    expect(created.headers).toMatchObject({
      authorization: 'Bearer host-token',
      'x-own': '1',
      'content-type': 'application/json',
    });
    const error = await expectCode(
      manager.executeCode(`sdk.pulls.get({ owner: 'o', repo: 'r', pull_number: 'x' })`),
      'ERR_INVALID_PARAMS',
    );
    expect(error.message).toContain('pull_number must be integer, got "x"');
  });

  test('an answer that is no success is an error with its status', async () => {
    answer = () => ({ status: 404, body: { message: 'Not Found' } });
    const manager = managerOf({ ...api, stateSchema: anyState });
    const said = await manager.executeCode(
      `try { sdk.repos.get({ owner: 'o', repo: 'r' }) } catch (error) { [error.name, error.code, error.message] }`,
    );
    expect(said).toEqual(['HttpError', 'HTTP_404', 'HTTP 404 Not Found: {"message":"Not Found"}']);
  });

  test('a filter leaves out what it does not want', async () => {
    const { registry } = await registryFromOpenApi(github, {
      filter: ({ method, path }) => method === 'GET' && path.startsWith('/gists'),
    });
    expect(registry.sources.map(({ name }) => name)).toEqual(['gists']);
  });
});

// It was read on the host's thread, which did nothing else for seconds.
test("a large document does not take the host's thread", async () => {
  /** How long this thread has work while `read` goes on. */
  const activeDuring = async (read) => {
    const before = performance.eventLoopUtilization();
    await read();
    return performance.eventLoopUtilization(before).active;
  };
  const elsewhere = await activeDuring(() => registryFromOpenApi(githubText, { baseUrl }));
  const here = await activeDuring(() => readDocument(githubText));
  expect(elsewhere).toBeLessThan(here / 3);
});

const YAML = `
openapi: 3.1.0
info: { title: Test, version: '1' }
servers: [{ url: 'https://unused.example' }]
security: [{ key: [] }, { token: [] }]
tags: [{ name: pet store, description: Pets }]
paths:
  /pets/{petId}:
    parameters:
      - { name: petId, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
    get:
      tags: [pet store]
      operationId: get-pet
      parameters:
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: Authorization, in: header, schema: { type: string } }
        - { name: api_key, in: query, schema: { type: string } }
        - { name: tags, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: ids, in: query, schema: { type: array, items: { type: integer } } }
        - { name: filter, in: query, style: deepObject, schema: { type: object, additionalProperties: { type: string } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }
    put:
      tags: [pet store]
      security: [{ login: [] }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '204': { description: done } }
  /notes:
    post:
      security: []
      requestBody: { content: { text/plain: { schema: { type: string } } } }
      responses: { '200': { description: ok, content: { text/plain: {} } } }
  /form:
    post:
      security: [{ cookie: [] }]
      requestBody: { content: { application/x-www-form-urlencoded: { schema: { type: object } } } }
      responses: { '200': { description: ok } }
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: api_key }
    token: { type: http, scheme: bearer }
    login: { type: http, scheme: basic }
    cookie: { type: apiKey, in: cookie, name: session }
  schemas:
    Id: { type: string, minLength: 1 }
    Pet: { type: object, required: [petId, name], properties: { petId: { type: string }, name: { type: string }, parent: { $ref: '#/components/schemas/Pet' } } }
`;

describe('parameters and security', () => {
  test('all places, styles and bodies', async () => {
    const manager = await managerFrom(YAML, {
      credentials: { token: async ({ context }) => `t-${context}`, login: 'me:pw', cookie: 'c 1' },
    });
    expect(manager.sources).toEqual([
      { name: 'petStore', description: 'Pets', methods: 2 },
      { name: 'api', description: '', methods: 2 },
    ]);
    const schema = await manager.executeSearch(`spec.method('petStore.getPet').params`);
    expect(Object.keys(schema.properties)).toEqual(['petId', 'X-Trace', 'tags', 'ids', 'filter']);
    expect(schema.properties.petId).toEqual({ $ref: '#/$defs/Id' });
    answer = ({ method, url }) =>
      method === 'PUT'
        ? { status: 204, body: '' }
        : url === '/notes'
          ? { body: 'hello', headers: { 'content-type': 'text/plain' } }
          : undefined;
    const output = await manager.executeCode(
      `[sdk.petStore.getPet({ petId: 'a b', 'X-Trace': 'x', tags: ['a', 'b'], ids: [1, 2], filter: { color: 'red' } }),
        sdk.petStore.putPetsPetId({ petId: '1', body: { petId: '1', name: 'Rex', parent: { petId: '2', name: 'Max' } } }),
        sdk.api.postNotes({ body: 'text' }), sdk.api.postForm({ body: { a: 1, b: 'x y' } })]`,
      { context: 'tenant' },
    );
    expect(output).toEqual([{ ok: true }, null, 'hello', { ok: true }]);
    const [get, put, note, form] = requests;
    expect(get.url).toBe('/pets/a%20b?tags=a%2Cb&ids=1&ids=2&filter%5Bcolor%5D=red');
    expect(get.headers).toMatchObject({ 'x-trace': 'x', authorization: 'Bearer t-tenant' });
    expect(JSON.parse(put.body)).toEqual({ petId: '1', name: 'Rex', parent: { petId: '2', name: 'Max' } });
    expect(put.headers.authorization).toBe(`Basic ${btoa('me:pw')}`);
    expect([note.body, note.headers['content-type'], note.headers.authorization]).toEqual([
      'text',
      'text/plain',
      undefined,
    ]);
    expect([form.body, form.headers.cookie]).toEqual(['a=1&b=x+y', 'session=c%201']);
    const wrong = await expectCode(
      manager.executeCode(`sdk.petStore.putPetsPetId({ petId: '1', body: { petId: '1', parent: {} } })`),
      'ERR_INVALID_PARAMS',
    );
    expect(wrong.message).toContain('body.name is missing');
  });

  test('guests cannot leave the path, set headers of the host, or see credentials', async () => {
    const manager = await managerFrom(YAML, { credentials: { key: 'secret-key' }, headers: { 'x-trace': 'host' } });
    for (const id of ['..', '.', '']) {
      const error = await manager
        .executeCode(`sdk.petStore.getPet({ petId: ${JSON.stringify(id)} })`)
        .catch((it) => it);
      expect(error.code, id).toMatch(/^ERR_(TOOL_PROXY_FAIL|INVALID_PARAMS)$/);
    }
    await manager.executeCode(`sdk.petStore.getPet({ petId: '../admin?x=1#y', 'X-Trace': 'guest' })`);
    expect(requests[0].url).toBe('/pets/..%2Fadmin%3Fx%3D1%23y?api_key=secret-key');
    expect(requests[0].headers['x-trace']).toBe('host');
    for (const extra of [`Authorization: 'x'`, `api_key: 'x'`]) {
      await expectCode(manager.executeCode(`sdk.petStore.getPet({ petId: '1', ${extra} })`), 'ERR_INVALID_PARAMS');
    }
    await expectCode(
      manager.executeCode(`sdk.petStore.getPet({ petId: '1', 'X-Trace': 'a\\r\\nb: c' })`),
      'ERR_TOOL_PROXY_FAIL',
    );
    expect(requests).toHaveLength(1);
  });

  test('names of a document that objects have by themselves are names like others', async () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const operation = (tag) => ({
      tags: [tag],
      operationId: `${tag}/keys`,
      parameters: names.map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
      responses: { 200: { description: 'ok' } },
    });
    const document = {
      openapi: '3.1.0',
      info: { title: 't', version: '1' },
      paths: Object.fromEntries(names.map((tag) => [`/${tag}`, { get: operation(tag) }])),
    };
    const before = names.map((name) => Object.getOwnPropertyNames(Object.prototype[name]));
    const keysOfObject = Object.keys;
    try {
      const manager = await managerFrom(JSON.stringify(document));
      expect(Object.keys).toBe(keysOfObject);
      expect(names.map((name) => Object.getOwnPropertyNames(Object.prototype[name]))).toEqual(before);
      for (const name of names) {
        expect(await manager.executeCode(`sdk.${name}.keys({ valueOf: 'x' })`)).toEqual({ ok: true });
      }
      expect(requests.map(({ url }) => url)).toEqual(names.map((name) => `/${name}?valueOf=x`));
    } finally {
      // What it was, for the tests that follow.
      Object.keys = keysOfObject;
    }
  });

  test('redirects stay within the origin', async () => {
    const manager = await managerFrom(YAML, { credentials: { token: 'secret' } });
    answer = ({ url }) =>
      url === '/pets/1'
        ? { status: 302, headers: { location: '/pets/2' } }
        : url === '/pets/3'
          ? { status: 302, body: '', headers: { location: 'http://localhost:1/stolen' } }
          : { body: { url } };
    expect(await manager.executeCode(`sdk.petStore.getPet({ petId: '1' })`)).toEqual({ url: '/pets/2' });
    const error = await expectCode(manager.executeCode(`sdk.petStore.getPet({ petId: '3' })`), 'ERR_TOOL_PROXY_FAIL');
    expect(error.cause.code).toBe('HTTP_302');
  });

  test('an answer that is too large is refused, and one that is awaited ends with its execution', async () => {
    const manager = await managerFrom(YAML, { credentials: { token: 'x' }, maxResponseBytes: 1_000 });
    answer = () => ({ body: 'x'.repeat(2_000) });
    const error = await expectCode(manager.executeCode(`sdk.petStore.getPet({ petId: '1' })`), 'ERR_TOOL_PROXY_FAIL');
    expect(error.details.message).toBe('the answer takes more than 1000 bytes');
    let signal;
    const own = await managerFrom(YAML, {
      fetch: (url, init) => {
        ({ signal } = init);
        return new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const controller = new AbortController();
    const run = own.executeCode(`sdk.petStore.getPet({ petId: '1' })`, { signal: controller.signal });
    run.catch(() => {});
    while (signal === undefined) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await expectCode(run, 'ERR_EXEC_TIMEOUT');
    expect(signal.aborted).toBe(true);
  });
});

test('what is no document of 3.0 or 3.1 is refused', async () => {
  const refused = async (document, options) => (await rejection(registryFromOpenApi(document, options))).message;
  expect(await refused(5)).toBe('document must be an object or a text in JSON or YAML, got 5');
  expect(await refused('{"swagger":"2.0"}')).toBe('document must be OpenAPI 3.0 or 3.1, got version "2.0"');
  expect(await refused({ openapi: '3.0.0', info: {}, paths: {} }, { baseUrl })).toMatch(
    /^document is not valid OpenAPI: /,
  );
  expect(await refused('{')).toMatch(/JSON/);
  const info = { title: 'x', version: '1' };
  expect(await refused({ openapi: '3.0.0', info, paths: {} })).toBe(
    'options.baseUrl must be an http URL, since the document has none, got undefined',
  );
  expect(await refused({ openapi: '3.0.0', info, paths: {} }, { basurl: 1 })).toContain(
    'did you mean options.baseUrl?',
  );
  const paths = {
    '/x': { get: { parameters: [{ $ref: 'file:///etc/passwd' }], responses: { 200: { description: '' } } } },
  };
  expect(await refused({ openapi: '3.0.0', info, paths }, { baseUrl })).toMatch(/\$ref|reference/);
});
