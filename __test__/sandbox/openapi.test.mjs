// Registry and adapters from OpenAPI documents: GitHub's, against a server that records what it is asked, and small
// ones for what that does not have.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync } from 'node:zlib';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { anyState, registryFromOpenApi } from '../../build/sandbox/index.js';
import { readDocument } from '../../build/sandbox/openapi/document.js';
import { expectCode, rejection } from '../helpers.mjs';
import { serve } from '../http-server.mjs';
import { managerOf } from './market.mjs';

const require = createRequire(import.meta.url);
const { ParamsReader } = require('../../build/sandbox/params.js');
const { SharedSchemas } = require('../../build/json-schema/index.js');

const githubText = brotliDecompressSync(
  readFileSync(new URL('./fixtures/github-openapi.json.br', import.meta.url)),
).toString();
const github = JSON.parse(githubText);

let server;
let baseUrl;
let requests = [];
let answer;
beforeAll(async () => {
  server = await serve(
    async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const { status = 200, body = { ok: true }, headers: sent = {} } = answer(request) ?? {};
      response.writeHead(status, { 'content-type': 'application/json', ...sent });
      response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    },
    { isKept: true },
  );
  baseUrl = server.url;
});
afterAll(() => server.close());
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

  test('yields all its operations', () => {
    const methods = api.registry.sources.flatMap(({ methods: own }) => own);
    const operations = Object.values(github.paths).flatMap((item) =>
      Object.keys(item).filter((key) => ['get', 'put', 'post', 'delete', 'patch'].includes(key)),
    );
    expect(methods.length).toBe(operations.length);
    expect(methods.length).toBeGreaterThan(900);
    const { result, params } = api.registry.sources
      .find(({ name }) => name === 'repos')
      .methods.find(({ name }) => name === 'get');
    expect(params.required).toStrictEqual(['owner', 'repo']);
    expect(result.properties.full_name).toStrictEqual({ type: 'string' });
  });

  test('yields only usable schemas of parameters', async () => {
    const { sources, $defs } = api.registry;
    const schemas = new SharedSchemas(
      new Map(Object.entries($defs).map(([name, schema]) => [name, JSON.stringify(schema)])),
    );
    const unusable = [];
    const look = async (path, schema) => {
      const text = JSON.stringify(schema);
      const error = await rejection(new ParamsReader(path, text, 1e6, schemas).read('{"":0}')).catch(() => undefined);
      if (error?.code === 'ERR_INVALID_SCHEMA') unusable.push(error.message);
      for (const [, ref, name] of text.matchAll(/"\$ref":"(#\/\$defs\/([^"]*)|[^"]*)"/g)) {
        if (!Object.hasOwn($defs, name)) unusable.push(`${path} refers to ${ref}`);
      }
    };
    for (const { name: source, methods } of sources) {
      for (const { name, params } of methods) await look(`${source}.${name}`, params);
    }
    for (const [name, schema] of Object.entries($defs)) await look(name, schema);
    expect(unusable).toStrictEqual([]);
  });

  test('can be searched and executed', async () => {
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
    expect(output).toStrictEqual([['one', 'two'], 7]);
    expect(requests.map(({ method, url }) => `${method} ${url}`).sort()).toStrictEqual([
      'GET /repos/o/r/pulls/7',
      'GET /repos/octo%20cat/a%2Fb/issues?labels=bug%2Cui&per_page=2',
      'POST /repos/o/r/issues',
    ]);
    const created = requests.find(({ method }) => method === 'POST');
    expect(JSON.parse(created.body)).toStrictEqual({ title: 'new', labels: ['x'] });
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

  // `repos.get` was behind two hundred others.
  test('yields the wanted methods first in searches', async () => {
    const manager = managerOf({ ...api, stateSchema: anyState });
    const wanted = {
      'get repository': 'repos.get',
      'delete repository': 'repos.delete',
      'get authenticated user': 'users.getAuthenticated',
      'get a user': 'users.getByUsername',
      'list pull requests': 'pulls.list',
      'create pull request': 'pulls.create',
      'list my repos': 'repos.listForAuthenticatedUser',
      'create repository': 'repos.createForAuthenticatedUser',
      'fork a repo': 'repos.createFork',
      'list issues': 'issues.listForRepo',
    };
    const found = await manager.executeSearch(
      `${JSON.stringify(Object.keys(wanted))}.map((text) => spec.find(text).map((it) => it.method))`,
    );
    for (const [at, method] of Object.values(wanted).entries()) expect(found[at].slice(0, 5)).toContain(method);
  });

  test('yields an error with its status for an unsuccessful answer', async () => {
    answer = () => ({ status: 404, body: { message: 'Not Found' } });
    const manager = managerOf({ ...api, stateSchema: anyState });
    const said = await manager.executeCode(
      `try { sdk.repos.get({ owner: 'o', repo: 'r' }) } catch (error) { [error.name, error.code, error.message] }`,
    );
    expect(said).toStrictEqual(['HttpError', 'HTTP_404', 'HTTP 404 Not Found: {"message":"Not Found"}']);
  });

  test('can be filtered', async () => {
    const { registry } = await registryFromOpenApi(github, {
      filter: ({ method, path }) => method === 'GET' && path.startsWith('/gists'),
    });
    expect(registry.sources.map(({ name }) => name)).toStrictEqual(['gists']);
  });
});

// It was read on the host's thread, which did nothing else for seconds.
test("a large document does not block the host's thread", async () => {
  /** How long this thread has work while `read` goes on. */
  const activeDuring = async (read) => {
    const before = performance.eventLoopUtilization();
    await read();
    return performance.eventLoopUtilization(before).active;
  };
  const elsewhere = [];
  for (let i = 0; i < 3; i++) elsewhere.push(await activeDuring(() => registryFromOpenApi(githubText, { baseUrl })));
  const here = await activeDuring(() => readDocument(githubText));
  expect(Math.min(...elsewhere)).toBeLessThan(here / 3);
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
  test('all places, styles and bodies are supported', async () => {
    const manager = await managerFrom(YAML, {
      credentials: { token: async ({ context }) => `t-${context}`, login: 'me:pw', cookie: 'c 1' },
    });
    expect(manager.sources).toStrictEqual([
      { name: 'petStore', description: 'Pets', methods: 2 },
      { name: 'api', description: '', methods: 2 },
    ]);
    const schema = await manager.executeSearch(`spec.method('petStore.getPet').params`);
    expect(Object.keys(schema.properties)).toStrictEqual(['petId', 'X-Trace', 'tags', 'ids', 'filter']);
    expect(schema.properties.petId).toStrictEqual({ $ref: '#/$defs/Id' });
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
    expect(output).toStrictEqual([{ ok: true }, null, 'hello', { ok: true }]);
    const [get, put, note, form] = requests;
    expect(get.url).toBe('/pets/a%20b?tags=a,b&ids=1&ids=2&filter%5Bcolor%5D=red');
    expect(get.headers).toMatchObject({ 'x-trace': 'x', authorization: 'Bearer t-tenant' });
    expect(JSON.parse(put.body)).toStrictEqual({ petId: '1', name: 'Rex', parent: { petId: '2', name: 'Max' } });
    expect(put.headers.authorization).toBe(`Basic ${btoa('me:pw')}`);
    expect([note.body, note.headers['content-type'], note.headers.authorization]).toStrictEqual([
      'text',
      'text/plain',
      undefined,
    ]);
    expect([form.body, form.headers.cookie]).toStrictEqual(['a=1&b=x+y', 'session=c%201']);
    const wrong = await expectCode(
      manager.executeCode(`sdk.petStore.putPetsPetId({ petId: '1', body: { petId: '1', parent: {} } })`),
      'ERR_INVALID_PARAMS',
    );
    expect(wrong.message).toContain('body.name is missing');
  });

  test('guests cannot leave the path, set headers of the host or see credentials', async () => {
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

  test('a path parameter cannot be empty, whatever its schema says', async () => {
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    const manager = await managerFrom(documentOf({ '/pets/{id}': { operationId: 'get', parameters } }));
    for (const id of ['', '.', '..']) {
      const error = await expectCode(manager.executeCode(`sdk.api.get({ id: '${id}' })`), 'ERR_TOOL_PROXY_FAIL');
      expect(error.details.message).toBe(`id must not be "${id}": it is part of a path`);
    }
    expect(requests).toStrictEqual([]);
  });

  test('a header that a security scheme sets is not a parameter, in any letter case', async () => {
    const parameters = [{ name: 'x-api-key', in: 'header', required: true, schema: { type: 'string' } }];
    const securitySchemes = { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } };
    const document = documentOf(
      { '/a': { operationId: 'a', security: [{ key: [] }], parameters } },
      { securitySchemes },
    );
    const manager = await managerFrom(document, { credentials: { key: 'secret' } });
    expect(await manager.executeCode('sdk.api.a()')).toStrictEqual({ ok: true });
    expect(requests.map(({ headers }) => headers['x-api-key'])).toStrictEqual(['secret']);
  });

  test('names that no method or parameter may have get a number', async () => {
    const parameters = [{ name: '__proto__', in: 'query', schema: { type: 'string' } }];
    const manager = await managerFrom(
      documentOf({ '/a': { operationId: 'then' }, '/b': { operationId: 'b', parameters } }),
    );
    expect(await manager.executeCode(`sdk.api.then2(); await sdk.api.b({ __proto__2: 'x' })`)).toStrictEqual({
      ok: true,
    });
    expect(requests.map(({ url }) => url)).toStrictEqual(['/a', '/b?__proto__=x']);
  });

  test('names that all objects inherit are ordinary names in a document', async () => {
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
      expect(names.map((name) => Object.getOwnPropertyNames(Object.prototype[name]))).toStrictEqual(before);
      for (const name of names) {
        expect(await manager.executeCode(`sdk.${name}.keys({ valueOf: 'x' })`)).toStrictEqual({ ok: true });
      }
      expect(requests.map(({ url }) => url)).toStrictEqual(names.map((name) => `/${name}?valueOf=x`));
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
    expect(await manager.executeCode(`sdk.petStore.getPet({ petId: '1' })`)).toStrictEqual({ url: '/pets/2' });
    const error = await expectCode(manager.executeCode(`sdk.petStore.getPet({ petId: '3' })`), 'ERR_TOOL_PROXY_FAIL');
    expect(error.cause.code).toBe('HTTP_302');
  });

  test.each(['http://127.0.0.1:1/stolen', 'https://127.0.0.1:$PORT/stolen', '//localhost:$PORT/stolen'])(
    'another port, scheme or host is another origin: %s',
    async (to) => {
      const manager = await managerFrom(YAML, { credentials: { token: 'secret' } });
      const location = to.replace('$PORT', new URL(baseUrl).port);
      answer = () => ({ status: 307, headers: { location } });
      const error = await expectCode(manager.executeCode(`sdk.petStore.getPet({ petId: '1' })`), 'ERR_TOOL_PROXY_FAIL');
      expect([error.cause.code, requests.length]).toStrictEqual(['HTTP_307', 1]);
    },
  );

  test('at most five redirects are followed, and only for requests that change nothing', async () => {
    const manager = await managerFrom(YAML, { credentials: { token: 'secret' } });
    answer = ({ url }) => ({ status: 307, headers: { location: url } });
    const again = await expectCode(manager.executeCode(`sdk.petStore.getPet({ petId: '1' })`), 'ERR_TOOL_PROXY_FAIL');
    expect([again.cause.code, requests.length]).toStrictEqual(['HTTP_307', 6]);
    requests = [];
    const post = await expectCode(manager.executeCode(`sdk.api.postNotes({ body: 'x' })`), 'ERR_TOOL_PROXY_FAIL');
    expect([post.cause.code, requests.length]).toStrictEqual(['HTTP_307', 1]);
    expect(post.cause.message).toBe(`HTTP 307 Temporary Redirect (to ${baseUrl}/notes): {"ok":true}`);
  });

  test('a 303 redirect is followed to the created resource', async () => {
    const manager = await managerFrom(YAML, { credentials: { token: 'secret' }, headers: { 'x-own': '1' } });
    answer = ({ method }) => (method === 'POST' ? { status: 303, headers: { location: '/notes/7' } } : undefined);
    expect(await manager.executeCode(`sdk.api.postNotes({ body: 'x' })`)).toStrictEqual({ ok: true });
    expect(
      requests.map(({ method, url, headers, body }) => [method, url, headers['content-type'], headers['x-own'], body]),
    ).toStrictEqual([
      ['POST', '/notes', 'text/plain', '1', 'x'],
      ['GET', '/notes/7', undefined, '1', ''],
    ]);
    // What a query says may be a secret of the host.
    answer = () => ({ status: 303, body: '', headers: { location: 'http://user:pw@localhost:1/a?key=secret' } });
    const error = await expectCode(manager.executeCode(`sdk.api.postNotes({ body: 'x' })`), 'ERR_TOOL_PROXY_FAIL');
    expect(error.cause.message).toBe('HTTP 303 See Other (to http://localhost:1/a)');
  });

  test('a failed connection reports the cause and the address, and an answer that is not JSON reports its request', async () => {
    const said = async (manager, code) => {
      const { cause, details } = await expectCode(manager.executeCode(code), 'ERR_TOOL_PROXY_FAIL');
      return [cause.code, details.message];
    };
    const call = "sdk.petStore.getPet({ petId: '1' })";
    const closed = await serve();
    const host = `127.0.0.1:${closed.port}`;
    await closed.close();
    for (const [place, code, reason] of [
      [host, 'ECONNREFUSED', 'ECONNREFUSED'],
      ['127.0.0.1:1', undefined, 'bad port'],
    ]) {
      const gone = await managerFrom(YAML, { credentials: { key: 'secret' }, baseUrl: `http://${place}/v1` });
      expect(await said(gone, call)).toStrictEqual([code, `fetch failed: ${reason} (${place})`]);
    }
    const manager = await managerFrom(YAML, { credentials: { token: 'x' }, maxResponseBytes: 1_000 });
    answer = () => ({ body: '{"a":' });
    expect(await said(manager, call)).toStrictEqual([
      undefined,
      `the answer of GET /pets/{petId} is not valid JSON, although its type says so: ${(() => {
        try {
          return JSON.parse('{"a":');
        } catch (error) {
          return error.message;
        }
      })()}`,
    ]);
    answer = () => ({ status: 500, body: 'x'.repeat(2_000) });
    expect(await said(manager, call)).toStrictEqual([
      'HTTP_500',
      'HTTP 500 Internal Server Error: the answer takes more than 1000 bytes',
    ]);
  });

  test('the body of a redirect is cancelled', async () => {
    const cancelled = [];
    const manager = await managerFrom(YAML, {
      credentials: { token: 'x' },
      fetch: async ({ pathname }) =>
        pathname === '/pets/1'
          ? new Response(new ReadableStream({ cancel: () => void cancelled.push(pathname) }), {
              status: 302,
              headers: { location: '/pets/2' },
            })
          : Response.json({ pathname }),
    });
    expect(await manager.executeCode(`sdk.petStore.getPet({ petId: '1' })`)).toStrictEqual({ pathname: '/pets/2' });
    expect(cancelled).toStrictEqual(['/pets/1']);
  });

  test('an answer that is too large is refused, and a pending one ends with its execution', async () => {
    const manager = await managerFrom(YAML, { credentials: { token: 'x' }, maxResponseBytes: 1_000 });
    answer = () => ({ body: 'x'.repeat(2_000) });
    const error = await expectCode(manager.executeCode(`sdk.petStore.getPet({ petId: '1' })`), 'ERR_TOOL_PROXY_FAIL');
    expect(error.details.message).toBe('the answer takes more than 1000 bytes');
    answer = ({ url }) => ({
      body: 'x'.repeat(url === '/notes' ? 1_000 : 1_001),
      headers: { 'content-type': 'text/plain' },
    });
    expect(await manager.executeCode(`sdk.api.postNotes({ body: '' })`)).toHaveLength(1_000);
    await expectCode(manager.executeCode(`sdk.petStore.getPet({ petId: '1' })`), 'ERR_TOOL_PROXY_FAIL');
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

/** A document of one operation per path. */
const documentOf = (paths, components = {}) => ({
  openapi: '3.0.3',
  info: { title: 't', version: '1' },
  components,
  paths: Object.fromEntries(
    Object.entries(paths).map(([path, { method = 'get', ...operation }]) => [
      path,
      { [method]: { responses: { 200: { description: 'ok' } }, ...operation } },
    ]),
  ),
});

describe('serialization of parameters', () => {
  const ids = { type: 'array', items: { type: 'integer' } };
  const color = { type: 'object', additionalProperties: { type: 'integer' } };
  const parameter = (place, name, schema, how = {}) => ({
    name,
    in: place,
    required: place === 'path',
    schema,
    ...how,
  });
  /** What the server is asked by the calls, which are of the methods of the source `api`. */
  const asked = async (document, calls, options) => {
    const manager = await managerFrom(document, options);
    await manager.executeCode(calls.map((call) => `sdk.api.${call}`).join(';\n'));
    return requests;
  };

  test('supports simple, label and matrix style in paths', async () => {
    const styles = ['simple', 'label', 'matrix'].flatMap((style) => [
      { style, explode: false },
      { style, explode: true },
    ]);
    const calls = [];
    const paths = {};
    for (const { style, explode } of styles) {
      const name = `${style}${explode}`;
      paths[`/${name}/{p}`] = { operationId: name, parameters: [parameter('path', 'p', {}, { style, explode })] };
      calls.push(...["'a/b'", '[3, 4]', '{ R: 100, G: 200 }'].map((value) => `${name}({ p: ${value} })`));
    }
    calls.push("matrixfalse({ p: '' })");
    const urls = (await asked(documentOf(paths), calls)).map(({ url }) => url);
    expect(urls).toStrictEqual([
      '/simplefalse/a%2Fb',
      '/simplefalse/3,4',
      '/simplefalse/R,100,G,200',
      '/simpletrue/a%2Fb',
      '/simpletrue/3,4',
      '/simpletrue/R=100,G=200',
      '/labelfalse/.a%2Fb',
      '/labelfalse/.3,4',
      '/labelfalse/.R,100,G,200',
      '/labeltrue/.a%2Fb',
      '/labeltrue/.3.4',
      '/labeltrue/.R=100.G=200',
      '/matrixfalse/;p=a%2Fb',
      '/matrixfalse/;p=3,4',
      '/matrixfalse/;p=R,100,G,200',
      '/matrixtrue/;p=a%2Fb',
      '/matrixtrue/;p=3;p=4',
      '/matrixtrue/;R=100;G=200',
      '/matrixfalse/;p',
    ]);
  });

  test('leaves the path in no style', async () => {
    const label = parameter('path', 'p', {}, { style: 'label', explode: true });
    const manager = await managerFrom(documentOf({ '/a/{p}/b': { operationId: 'a', parameters: [label] } }));
    for (const value of ["''", "'.'", "['', '']"]) {
      await expectCode(manager.executeCode(`sdk.api.a({ p: ${value} })`), 'ERR_TOOL_PROXY_FAIL');
    }
    expect(requests).toStrictEqual([]);
  });

  test('supports arrays and objects in headers', async () => {
    const parameters = [
      parameter('header', 'X-Ids', ids),
      parameter('header', 'X-Color', color),
      parameter('header', 'X-Exploded', color, { explode: true }),
      { name: 'X-Json', in: 'header', content: { 'application/json': { schema: ids } } },
    ];
    const [{ headers }] = await asked(documentOf({ '/h': { operationId: 'h', parameters } }), [
      "h({ 'X-Ids': [3, 4, 5], 'X-Color': { R: 1, G: 2 }, 'X-Exploded': { R: 1, G: 2 }, 'X-Json': [6] })",
    ]);
    expect(headers).toMatchObject({ 'x-ids': '3,4,5', 'x-color': 'R,1,G,2', 'x-exploded': 'R=1,G=2', 'x-json': '[6]' });
  });

  // What the platform says of it names no parameter.
  test.each(['中文', 'a\nb'])('names a header that cannot be sent: %j', async (value) => {
    const document = documentOf({
      '/a': { operationId: 'a', parameters: [parameter('header', 'X-Name', { type: 'string' })] },
    });
    const manager = await managerFrom(document);
    const { details } = await expectCode(
      manager.executeCode(`sdk.api.a({ 'X-Name': ${JSON.stringify(value)} })`),
      'ERR_TOOL_PROXY_FAIL',
    );
    expect(details.message).toBe('X-Name is sent as a header, and must be one line of Latin-1 characters');
  });

  test('supports all styles in queries', async () => {
    const parameters = [
      parameter('query', 'form', color),
      parameter('query', 'closed', color, { explode: false }),
      parameter('query', 'space', ids, { style: 'spaceDelimited' }),
      parameter('query', 'pipe', ids, { style: 'pipeDelimited', explode: false }),
      parameter('query', 'deep', color, { style: 'deepObject', explode: true }),
    ];
    const [{ url }] = await asked(documentOf({ '/q': { operationId: 'q', parameters } }), [
      'q({ form: { R: 1, G: 2 }, closed: { B: 3 }, space: [1, 2], pipe: [1, 2], deep: { k: 4 } })',
    ]);
    expect(decodeURIComponent(url)).toBe('/q?R=1&G=2&closed=B,3&space=1 2&pipe=1|2&deep[k]=4');
  });

  test('supports deepObject of any depth in queries and forms', async () => {
    const deep = { style: 'deepObject', explode: true };
    const content = { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties: { items: {}, tax: {} } }, encoding: { items: deep, tax: deep } } }; // prettier-ignore
    const document = documentOf({
      '/list': { operationId: 'list', parameters: [parameter('query', 'expand', ids, deep)] },
      '/add': { method: 'post', operationId: 'add', requestBody: { content } },
    });
    const [list, add] = await asked(document, [
      'list({ expand: [5, 6] })',
      "add({ body: { items: [{ price: 'p1', tags: ['a'] }, { price: null }], tax: { of: { type: 'self', none: {} } } } })",
    ]);
    expect(decodeURIComponent(list.url)).toBe('/list?expand[0]=5&expand[1]=6');
    expect(decodeURIComponent(add.body)).toBe('items[0][price]=p1&items[0][tags][0]=a&tax[of][type]=self');
  });

  test('follows the encoding of forms', async () => {
    const properties = { list: ids, closed: ids, json: ids, deep: color, file: { type: 'string', format: 'binary' } };
    const encoding = {
      closed: { explode: false },
      json: { contentType: 'application/json' },
      deep: { style: 'deepObject', explode: true },
      file: { contentType: 'image/*, text/csv' },
    };
    const sendAs = (contentType) => {
      const content = { [contentType]: { schema: { type: 'object', properties }, encoding } };
      return documentOf({ '/f': { method: 'post', operationId: 'send', requestBody: { required: true, content } } });
    };
    const [sent] = await asked(sendAs('application/x-www-form-urlencoded'), [
      "send({ body: { list: [1, 2], closed: [1, 2], json: [1, 2], deep: { R: 1 }, object: { R: 1 }, text: 'a b' } })",
    ]);
    expect(sent.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(sent.body).toBe('list=1&list=2&closed=1,2&json=%5B1%2C2%5D&deep%5BR%5D=1&object=%7B%22R%22%3A1%7D&text=a+b');
    requests = [];
    const [{ headers, body: text }] = await asked(sendAs('multipart/form-data'), [
      `send({ body: { list: [1, 2], json: [1, 2], file: 'a,b\\nü', object: { R: 1 }, 'a"\\r\\nb': 'x' } })`,
    ]);
    const [, boundary] = /^multipart\/form-data; boundary=([\w-]+)$/.exec(headers['content-type']);
    const disposition = 'Content-Disposition: form-data; name=';
    expect(text.split(`--${boundary}`)).toStrictEqual([
      '',
      `\r\n${disposition}"list"\r\n\r\n1\r\n`,
      `\r\n${disposition}"list"\r\n\r\n2\r\n`,
      `\r\n${disposition}"json"\r\nContent-Type: application/json\r\n\r\n[1,2]\r\n`,
      `\r\n${disposition}"file"; filename="file"\r\nContent-Type: text/csv\r\n\r\na,b\nü\r\n`,
      `\r\n${disposition}"object"\r\nContent-Type: application/json\r\n\r\n{"R":1}\r\n`,
      `\r\n${disposition}"a%22%0D%0Ab"\r\n\r\nx\r\n`,
      '--\r\n',
    ]);
    // What others read of it.
    const read = await new Response(text, { headers: { 'content-type': headers['content-type'] } }).formData();
    expect([...read.keys()]).toStrictEqual(['list', 'list', 'json', 'file', 'object', 'a"\r\nb']);
    expect(await read.get('file').text()).toBe('a,b\nü');
  });

  test('sends a body whose type cannot encode objects as a string', async () => {
    const content = { 'application/xml': { schema: { type: 'object', properties: { a: ids } } } };
    const document = documentOf({
      '/x': { method: 'post', operationId: 'x', requestBody: { required: true, content } },
    });
    const { registry } = await registryFromOpenApi(document, { baseUrl });
    expect(registry.sources[0].methods[0].params.properties).toStrictEqual({
      body: { type: 'string', description: 'Text of type application/xml' },
    });
    const [{ headers, body }] = await asked(document, ["x({ body: '<a/>' })"]);
    expect([headers['content-type'], body]).toStrictEqual(['application/xml', '<a/>']);
  });
});

test('requests do not require readOnly properties, and answers do not have writeOnly ones', async () => {
  const schemas = {
    Id: { type: 'integer', readOnly: true },
    Pet: {
      type: 'object',
      required: ['id', 'name', 'password', 'made'],
      properties: {
        id: { $ref: '#/components/schemas/Id' },
        name: { type: 'string' },
        password: { type: 'string', writeOnly: true },
        made: { type: 'string', readOnly: true },
        parent: { $ref: '#/components/schemas/Pet' },
      },
    },
    // Requires what another part has.
    Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'object', required: ['made', 'breed'] }] },
  };
  const pet = (schema) => ({ content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } });
  const operation = (schema) => ({
    method: 'post',
    operationId: `add${schema}`,
    requestBody: { required: true, ...pet(schema) },
    responses: { 200: { description: 'ok', ...pet(schema) } },
  });
  const api = await registryFromOpenApi(
    documentOf({ '/pets': operation('Pet'), '/dogs': operation('Dog') }, { schemas }),
    {
      baseUrl,
    },
  );
  const [addPet] = api.registry.sources[0].methods;
  expect(addPet.params.required).toStrictEqual(['name', 'password']);
  expect(api.registry.$defs.Pet.required).toStrictEqual(['name', 'password']);
  expect(api.registry.$defs.Dog.allOf[1].required).toStrictEqual(['breed']);
  expect([addPet.result.required, Object.keys(addPet.result.properties)]).toStrictEqual([
    ['id', 'name', 'made'],
    ['id', 'name', 'made', 'parent'],
  ]);
  const manager = managerOf({ ...api, stateSchema: anyState });
  await manager.executeCode(`
    sdk.api.addPet({ name: 'Rex', password: 'p', parent: { name: 'Max', password: 'q' } });
    sdk.api.addDog({ body: { name: 'Rex', password: 'p', breed: 'b', id: 1 } })`);
  expect(requests.map(({ body }) => JSON.parse(body))).toStrictEqual([
    { name: 'Rex', password: 'p', parent: { name: 'Max', password: 'q' } },
    { name: 'Rex', password: 'p', breed: 'b', id: 1 },
  ]);
});

// With the two escapes in the wrong order, `~01` became `/`, and the reference led to another schema.
test('a reference unescapes ~1 and ~0 as RFC 6901 says, so that ~01 is ~1', async () => {
  const schemas = {
    All: { properties: { 'a~1b': { type: 'integer' }, 'a/b': { type: 'boolean' }, 'a~b': { type: 'string' } } },
  };
  const properties = Object.fromEntries(
    ['a~01b', 'a~1b', 'a~0b'].map((key, at) => [`p${at}`, { $ref: `#/components/schemas/All/properties/${key}` }]),
  );
  const content = { 'application/json': { schema: { type: 'object', properties } } };
  const operation = { method: 'get', operationId: 'find', responses: { 200: { description: 'ok', content } } };
  const { registry } = await registryFromOpenApi(documentOf({ '/find': operation }, { schemas }), { baseUrl });
  const { p0, p1, p2 } = registry.sources[0].methods[0].result.properties;
  expect([p0, p1, p2]).toStrictEqual([{ type: 'integer' }, { type: 'boolean' }, { type: 'string' }]);
});

// Ajv takes the one that fits of `oneOf`, and refused what two fit: the property that tells them apart is of both.
test('a body with a discriminator may match several schemas', async () => {
  const pet = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } };
  const schemas = {
    Cat: { allOf: [pet, { properties: { lives: { type: 'integer' } } }] },
    Dog: { allOf: [pet, { required: ['breed'], properties: { breed: { type: 'string' } } }] },
  };
  const schema = {
    oneOf: Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}` })),
    discriminator: { propertyName: 'kind' },
  };
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  const manager = await managerFrom(
    documentOf({ '/pets': { method: 'post', operationId: 'add', requestBody } }, { schemas }),
  );
  await manager.executeCode("sdk.api.add({ body: { kind: 'Dog', breed: 'b' } })");
  expect(JSON.parse(requests[0].body)).toStrictEqual({ kind: 'Dog', breed: 'b' });
  await expectCode(manager.executeCode("sdk.api.add({ body: { kind: 1, breed: 'b' } })"), 'ERR_INVALID_PARAMS');
});

// What is beside a reference was lost: a description of what it is for, and bounds.
test.each([
  ['3.1.0', { description: 'Of the owner', maxLength: 2 }],
  ['3.0.3', {}],
])('OpenAPI %s treats siblings of a reference as specified: %j', async (openapi, beside) => {
  const id = { $ref: '#/components/schemas/Id', description: 'Of the owner', maxLength: 2 };
  const schema = { type: 'object', properties: { id } };
  const content = { 'application/json': { schema } };
  const paths = {
    '/a': {
      method: 'post',
      operationId: 'a',
      requestBody: { content },
      responses: { 200: { description: '', content } },
    },
  };
  const document = documentOf(paths, { schemas: { Id: { type: 'string', description: 'An id' } } });
  const api = await registryFromOpenApi({ ...document, openapi }, { baseUrl });
  const [{ params, result }] = api.registry.sources[0].methods;
  expect(params.properties.id).toStrictEqual({ ...beside, $ref: '#/$defs/Id' });
  expect(result.properties.id).toStrictEqual({ type: 'string', description: beside.description ?? 'An id' });
  const run = managerOf({ ...api, stateSchema: anyState }).executeCode("sdk.api.a({ id: 'abc' })");
  if (beside.maxLength === undefined) expect(await run).toStrictEqual({ ok: true });
  else await expectCode(run, 'ERR_INVALID_PARAMS');
});

// The values of maps were left out, and of `allOf` the fifth part and all of them beside a `oneOf`, whose cases had its
// name.
test('results describe maps, constants, all parts of allOf and the number of alternatives', async () => {
  const part = (name) => ({ properties: { [name]: { type: 'string' } } });
  const schema = {
    allOf: ['a', 'b', 'c', 'd', 'e'].map(part),
    oneOf: [1, 2, 3, 4, 5, 6].map((version) => ({ properties: { version: { const: version } } })),
    additionalProperties: { type: 'object', additionalProperties: { type: 'number' } },
  };
  const responses = { 200: { description: 'ok', content: { 'application/json': { schema } } } };
  const { registry } = await registryFromOpenApi(
    { ...documentOf({ '/a': { operationId: 'a', responses } }), openapi: '3.1.0' },
    { baseUrl },
  );
  expect(registry.sources[0].methods[0].result).toStrictEqual({
    allOf: ['a', 'b', 'c', 'd', 'e'].map(part),
    anyOf: [
      ...[1, 2, 3, 4].map((version) => ({ properties: { version: { const: version } } })),
      { description: 'one of 2 others' },
    ],
    additionalProperties: { type: 'object', additionalProperties: { type: 'number' } },
  });
});

test('credentials may be optional, contain any characters and be two cookies', async () => {
  const schemes = {
    token: { type: 'http', scheme: 'bearer' },
    login: { type: 'http', scheme: 'basic' },
    first: { type: 'apiKey', in: 'cookie', name: 'a' },
    second: { type: 'apiKey', in: 'cookie', name: 'b' },
  };
  const document = documentOf(
    {
      '/optional': { operationId: 'optional', security: [{}, { token: [] }] },
      '/login': { operationId: 'login', security: [{ login: [] }] },
      '/cookies': { operationId: 'cookies', security: [{ first: [], second: [] }] },
    },
    { securitySchemes: schemes },
  );
  const sentWith = async (credentials, call) => {
    requests = [];
    await (await managerFrom(document, { credentials })).executeCode(`sdk.api.${call}()`);
    const { authorization, cookie } = requests[0].headers;
    return authorization ?? cookie;
  };
  expect(await sentWith({ token: 't' }, 'optional')).toBe('Bearer t');
  expect(await sentWith({}, 'optional')).toBe(undefined);
  expect(await sentWith({ login: 'me:пароль' }, 'login')).toBe(`Basic ${Buffer.from('me:пароль').toString('base64')}`);
  expect(await sentWith({ first: '1', second: '2' }, 'cookies')).toBe('a=1; b=2');
});

test('only credentials of the host are sent, with a scheme in any letter case', async () => {
  const securitySchemes = {
    constructor: { type: 'http', scheme: 'bearer' },
    login: { type: 'http', scheme: 'Basic' },
  };
  const document = documentOf(
    {
      '/a': { operationId: 'a', security: [{ constructor: [] }] },
      '/b': { operationId: 'b', security: [{ constructor: [] }, { login: [] }] },
    },
    { securitySchemes },
  );
  const manager = await managerFrom(document, { credentials: { login: 'me:pw' } });
  await manager.executeCode('sdk.api.a(); sdk.api.b()');
  expect(requests.map(({ headers }) => headers.authorization)).toStrictEqual([undefined, `Basic ${btoa('me:pw')}`]);
});

test('the error of an unsuccessful answer contains its beginning', async () => {
  answer = () => ({ status: 500, body: 'x'.repeat(10_000) });
  const manager = await managerFrom(documentOf({ '/a': { operationId: 'a' } }));
  const error = await expectCode(manager.executeCode('sdk.api.a()'), 'ERR_TOOL_PROXY_FAIL');
  expect(error.details.message).toBe(`HTTP 500 Internal Server Error: ${'x'.repeat(500)}...`);
});

test('a credential that is not a string fails the call without a request', async () => {
  const document = documentOf(
    { '/a': { operationId: 'a', security: [{ token: [] }] } },
    { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  );
  for (const given of [undefined, '']) {
    const manager = await managerFrom(document, { credentials: { token: () => given } });
    const error = await expectCode(manager.executeCode('sdk.api.a()'), 'ERR_TOOL_PROXY_FAIL');
    expect(error.details.message).toBe(
      `the host has no credential for the security scheme token: it must be a string, got ${given === '' ? '""' : 'undefined'}`,
    );
  }
  expect(requests).toStrictEqual([]);
  // Whose requests would go without it.
  expect(await rejection(registryFromOpenApi(document, { credentials: { tokn: 'x' } }))).toStrictEqual(
    new TypeError('options.credentials.tokn is not a security scheme of the document; they are token'),
  );
  expect(await rejection(registryFromOpenApi(document, { credentials: { token: undefined } }))).toStrictEqual(
    new TypeError('options.credentials.token must be a string or a function, got undefined'),
  );
});

describe('the server of a request', () => {
  const urls = async (document, options) => {
    const asked = [];
    const fetch = async (url) => (asked.push(String(url)), new Response('{}'));
    const manager = managerOf({
      ...(await registryFromOpenApi(document, { fetch, ...options })),
      stateSchema: anyState,
    });
    for (const { name } of (await manager.executeSearch('spec.sources'))[0].methods) {
      await manager.executeCode(`sdk.api.${name}()`);
    }
    return asked;
  };
  const operation = (operationId, servers) => ({
    operationId,
    responses: { 200: { description: 'ok' } },
    ...(servers && { servers }),
  });
  const document = {
    openapi: '3.0.3',
    info: { title: 't', version: '1' },
    servers: [
      {
        url: 'https://{region}.a.test/{version}',
        variables: { region: { default: 'eu' }, version: { default: 'v2', enum: ['v1', 'v2'] } },
      },
      { url: 'https://unused.test' },
    ],
    paths: {
      '/plain': { get: operation('plain') },
      '/upload': { get: operation('upload', [{ url: 'https://uploads.a.test/' }]) },
      '/files': { servers: [{ url: '/files/v1' }], get: operation('files'), put: operation('none', []) },
    },
  };

  test('is that of the operation, the path or the document, with default variables', async () => {
    expect(await urls(document)).toStrictEqual([
      'https://eu.a.test/v2/plain',
      'https://uploads.a.test/upload',
      'https://eu.a.test/files/v1/files',
      'https://eu.a.test/files/v1/files',
    ]);
  });

  test('is replaced by a base URL', async () => {
    expect(await urls(document, { baseUrl: 'https://own.test/x' })).toStrictEqual([
      'https://own.test/x/plain',
      'https://own.test/x/upload',
      // Its URL is relative.
      'https://own.test/files/v1/files',
      'https://own.test/files/v1/files',
    ]);
  });

  test('must be given as a base URL unless the document or the operation has one', async () => {
    const { servers: _, paths, ...others } = document;
    expect(await urls({ ...others, paths: { '/upload': paths['/upload'] } })).toStrictEqual([
      'https://uploads.a.test/upload',
    ]);
    expect(await rejection(registryFromOpenApi({ ...others, paths }))).toStrictEqual(
      new TypeError('options.baseUrl must be an http URL, since the document has none, got undefined'),
    );
  });
});

test('an answer may begin with a byte order mark', async () => {
  answer = () => ({ body: '\ufeff{"a":1}' });
  const manager = await managerFrom(documentOf({ '/a': { operationId: 'a' } }));
  expect(await manager.executeCode('sdk.api.a()')).toStrictEqual({ a: 1 });
});

describe('an answer that is not JSON', () => {
  const bytesOf = (...bytes) => Buffer.from(bytes);

  test.each([
    ['text/plain; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1'), 'café'],
    ['text/csv;Charset="UTF-16LE"', Buffer.from('a,ж', 'utf16le'), 'a,ж'],
    ['application/json; charset=windows-1251', bytesOf(0x22, 0xe6, 0x22), 'ж'],
    ['application/vnd.acme.diff; charset=utf-8', Buffer.from('ж'), 'ж'],
    ['text/plain; charset=acme', Buffer.from('ж'), 'ж'],
    ['image/svg+xml', Buffer.from('<svg/>'), '<svg/>'],
    ['application/json-seq', Buffer.from('\x1e{"a":1}\n'), '\x1e{"a":1}\n'],
    ['application/x-ndjson', Buffer.from('{}\n'), '{}\n'],
    ['', Buffer.from('ж'), 'ж'],
  ])('of %s is a string in its charset', async (type, body, expected) => {
    answer = () => ({ body, headers: { 'content-type': type } });
    const manager = await managerFrom(documentOf({ '/a': { operationId: 'a' } }));
    expect(await manager.executeCode('sdk.api.a()')).toBe(expected);
  });

  test.each([
    ['image/png', bytesOf(0x89, 0x50, 0x4e, 0x47, 0, 255, 1, 2)],
    ['application/octet-stream', Buffer.from('text')],
    ['text/plain', bytesOf(0xff, 0x41)],
  ])('of %s without a charset is bytes', async (type, body) => {
    answer = () => ({ body, headers: { 'content-type': type } });
    const manager = await managerFrom(documentOf({ '/a': { operationId: 'a' } }));
    expect(await manager.executeCode('const a = sdk.api.a(); [a instanceof Uint8Array, a]')).toStrictEqual([
      true,
      new Uint8Array(body),
    ]);
  });

  test('is described as bytes in its method, and by its size in errors', async () => {
    answer = () => ({ status: 500, body: bytesOf(1, 2), headers: { 'content-type': 'image/png' } });
    const content = { 'image/png': { schema: { type: 'string', format: 'binary' } } };
    const document = documentOf({ '/a': { operationId: 'a', responses: { 200: { description: '', content } } } });
    const manager = await managerFrom(document);
    expect(await manager.executeSearch('spec.method("api.a").result')).toStrictEqual({
      description: 'A Uint8Array of image/png',
    });
    const message = 'HTTP 500 Internal Server Error: 2 bytes';
    expect((await rejection(manager.executeCode('sdk.api.a()'))).message).toContain(message);
  });

  test('that may have several types is described as the requested JSON', async () => {
    const content = {
      'image/png': { schema: { type: 'string', format: 'binary' } },
      'application/json': { schema: { type: 'object', properties: { url: { type: 'string' } } } },
    };
    const document = documentOf({ '/a': { operationId: 'a', responses: { 200: { description: '', content } } } });
    const manager = await managerFrom(document);
    expect(await manager.executeSearch('spec.method("api.a").result')).toStrictEqual({
      type: 'object',
      properties: { url: { type: 'string' } },
    });
  });
});

test('names in any language become identifiers, and distinct tags become distinct sources', async () => {
  const operation = (tag, operationId) => ({ ...(tag && { tags: [tag] }), ...(operationId && { operationId }) });
  const api = await registryFromOpenApi(
    documentOf({
      '/users': operation('用户', '获取用户'),
      '/orders': operation('订单', 'получить_заказ'),
      '/stores': operation('Pet Store', '2nd-ação'),
      '/other': operation('pet-store', '🚀'),
      '/none/{id}': {
        ...operation('🚀', '---'),
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      },
      '/plain': operation(undefined, 'then'),
    }),
    { baseUrl },
  );
  expect(
    api.registry.sources.flatMap(({ name, methods }) => methods.map((method) => `${name}.${method.name}`)),
  ).toStrictEqual([
    '用户.获取用户',
    '订单.получитьЗаказ',
    'petStore._2ndAção',
    'petStore2.getOther',
    'api.getNoneId',
    'api2.then2',
  ]);
  const manager = managerOf({ ...api, stateSchema: anyState });
  expect(await manager.executeCode("[sdk.用户.获取用户(), sdk['订单'].получитьЗаказ()]")).toStrictEqual([
    { ok: true },
    { ok: true },
  ]);
  expect(await manager.executeSearch("[spec.find('订单')[0].method, spec.method('用户.获取用户').id]")).toStrictEqual([
    '订单.получитьЗаказ',
    '用户.获取用户',
  ]);
  const error = await expectCode(manager.executeCode('sdk.用户.获取用()'), 'ERR_RUNTIME_EXCEPTION');
  expect(error.details.hint).toBe('there is no sdk.用户.获取用; did you mean sdk.用户.获取用户?');
});

test('requests accept the content types of the documented answers', async () => {
  const responses = (...types) => ({
    200: { description: 'ok', content: Object.fromEntries(types.map((type) => [type, {}])) },
  });
  const document = documentOf({
    '/none': { operationId: 'none' },
    '/pdf': { operationId: 'pdf', responses: responses('application/pdf') },
    '/both': { operationId: 'both', responses: responses('text/xml', 'application/vnd.a+json') },
  });
  const manager = await managerFrom(document);
  await manager.executeCode('[sdk.api.none(), sdk.api.pdf(), sdk.api.both()]');
  expect(requests.map(({ headers }) => headers.accept)).toStrictEqual([
    'application/json, */*;q=0.1',
    'application/pdf, */*;q=0.1',
    'application/vnd.a+json, text/xml;q=0.5, */*;q=0.1',
  ]);
});

test('a GET has no body, whatever the document says', async () => {
  const body = {
    content: { 'application/json': { schema: { type: 'object', properties: { q: {} } } } },
    required: true,
  };
  const manager = await managerFrom(documentOf({ '/a': { operationId: 'a', requestBody: body } }));
  expect(await manager.executeSearch("spec.method('api.a').params.properties")).toStrictEqual({});
  expect(await manager.executeCode('sdk.api.a()')).toStrictEqual({ ok: true });
});

test('an optional body is given completely or not at all', async () => {
  const schema = { type: 'object', required: ['reason'], properties: { reason: { type: 'string' }, notify: {} } };
  const requestBody = { content: { 'application/json': { schema } } };
  const parameters = [{ name: 'id', in: 'query', schema: { type: 'string' } }];
  const manager = await managerFrom(
    documentOf({
      '/a': { method: 'post', operationId: 'a', requestBody },
      '/b': { method: 'post', operationId: 'b', requestBody, parameters },
      '/c': { method: 'post', operationId: 'c', requestBody: { ...requestBody, required: true }, parameters },
    }),
  );
  await manager.executeCode("sdk.api.a(); sdk.api.b({ id: '1' }); sdk.api.b({ id: '2', reason: 'x', notify: 1 })");
  expect(requests.map(({ url, headers, body }) => [url, headers['content-type'], body])).toStrictEqual([
    ['/a', undefined, ''],
    ['/b?id=1', undefined, ''],
    ['/b?id=2', 'application/json', '{"reason":"x","notify":1}'],
  ]);
  for (const call of ['a({ notify: 1 })', "b({ id: '1', notify: 1 })", "c({ id: '1' })"]) {
    const error = await expectCode(manager.executeCode(`sdk.api.${call}`), 'ERR_INVALID_PARAMS');
    expect(error.details.issues, call).toStrictEqual([{ path: 'reason', message: 'reason is missing' }]);
  }
});

test('a body with a range of types is sent as one of them', async () => {
  const typed = (type, schema) => ({
    method: 'post',
    requestBody: { required: true, content: { [type]: { schema } } },
  });
  const object = { type: 'object', properties: { q: { type: 'string' } } };
  const bytes = { type: 'string', format: 'binary' };
  const manager = await managerFrom(
    documentOf({
      '/a': { operationId: 'a', ...typed('*/*', object) },
      '/b': { operationId: 'b', ...typed('*/*', { type: 'string' }) },
      '/c': { operationId: 'c', ...typed('application/*', bytes) },
      '/d': { operationId: 'd', ...typed('*/*', bytes) },
    }),
  );
  await manager.executeCode("sdk.api.a({ q: 'x' }); ['b', 'c', 'd'].map((name) => sdk.api[name]({ body: 'x' }))");
  expect(requests.map(({ headers, body }) => [headers['content-type'], body])).toStrictEqual([
    ['application/json', '{"q":"x"}'],
    ['text/plain', 'x'],
    ['application/octet-stream', 'x'],
    ['application/octet-stream', 'x'],
  ]);
});

test('a body may have additional properties if its schema allows them', async () => {
  const bodyOf = (additionalProperties) => {
    const schema = { type: 'object', properties: { q: { type: 'string' } }, additionalProperties };
    return { method: 'post', requestBody: { content: { 'application/json': { schema } } } };
  };
  const manager = await managerFrom(
    documentOf(
      {
        '/text': { operationId: 'text', ...bodyOf({ $ref: '#/components/schemas/Text' }) },
        '/open': { operationId: 'open', ...bodyOf(true) },
        '/closed': { operationId: 'closed', ...bodyOf(undefined) },
      },
      { schemas: { Text: { type: 'string' } } },
    ),
  );
  await manager.executeCode("sdk.api.text({ q: 'a', z: 'b' }); sdk.api.open({ q: 'a', z: 1 })");
  expect(requests.map(({ body }) => JSON.parse(body))).toStrictEqual([
    { q: 'a', z: 'b' },
    { q: 'a', z: 1 },
  ]);
  const message = async (code) =>
    (await expectCode(manager.executeCode(code), 'ERR_INVALID_PARAMS')).details.issues[0].message;
  expect(await message('sdk.api.text({ z: 1 })')).toBe('z must be string, got 1');
  expect(await message('sdk.api.closed({ z: 1 })')).toBe('z is not a parameter');
});

test('a pattern that cannot be matched in linear time is left to the API', async () => {
  const parameters = ['(?=a)b', '^[\\u0061]$'].map((pattern, at) => ({
    name: 'ab'[at],
    in: 'query',
    required: true,
    schema: { type: 'string', pattern },
  }));
  const manager = await managerFrom(documentOf({ '/a': { operationId: 'a', parameters } }));
  expect(await manager.executeSearch("spec.method('api.a').params.properties")).toStrictEqual({
    a: { type: 'string', $comment: 'must match (?=a)b' },
    b: { type: 'string', pattern: '^[\\u0061]$' },
  });
  expect(await manager.executeCode("sdk.api.a({ a: 'x', b: 'a' })")).toStrictEqual({ ok: true });
  await expectCode(manager.executeCode("sdk.api.a({ a: 'x', b: 'b' })"), 'ERR_INVALID_PARAMS');
});

test('descriptions, examples and deprecations of the document are shown', async () => {
  const parameters = [
    { name: 'a', in: 'query', deprecated: true, example: 'x', schema: { type: 'string', description: 'A' } },
    { name: 'b', in: 'query', examples: { one: { value: 1 }, two: { value: 2 } }, schema: { type: 'integer' } },
    { name: 'c', in: 'query', schema: { type: 'string', example: 'y' } },
  ];
  const { registry } = await registryFromOpenApi(
    documentOf({
      '/a': { summary: 'List things.', description: 'At most 30.', deprecated: true, parameters },
      '/b': { summary: 'List', description: 'List all of them' },
      '/c': { description: 'x'.repeat(1_000) },
      '/d': {},
    }),
    { baseUrl },
  );
  const { methods } = registry.sources[0];
  expect(methods.map(({ description }) => description)).toStrictEqual([
    'List things. At most 30. (deprecated, GET /a)',
    'List all of them (GET /b)',
    `${'x'.repeat(400)}... (GET /c)`,
    '(GET /d)',
  ]);
  expect(methods[0].params.properties).toStrictEqual({
    a: { type: 'string', description: 'A', deprecated: true, examples: ['x'] },
    b: { type: 'integer', examples: [1, 2] },
    c: { type: 'string', examples: ['y'] },
  });
});

describe('schemas that refer to each other are read', () => {
  const answers = (name) => ({
    200: { description: 'ok', content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
  });

  test('in a long circle', async () => {
    const next = (i) => ({ anyOf: [{ type: 'string' }, { $ref: `#/components/schemas/e${(i + 1) % 2_000}` }] });
    const schemas = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [`e${i}`, { type: 'object', properties: { next: next(i) } }]),
    );
    const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/e0' } } } };
    const document = documentOf({ '/a': { method: 'post', requestBody: body, responses: answers('e0') } }, { schemas });
    const { registry } = await registryFromOpenApi(document, { baseUrl });
    expect(Object.keys(registry.$defs).length).toBe(2_000);
    expect(registry.sources[0].methods[0].params.properties).toStrictEqual({
      next: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/e1' }] },
    });
  });

  test('each to many others', async () => {
    const others = (i) => Array.from({ length: 40 }, (_, k) => [`p${k}`, { $ref: `#/components/schemas/e${(i * 7 + k * 13 + 1) % 200}` }]); // prettier-ignore
    const schemas = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`e${i}`, { type: 'object', properties: Object.fromEntries(others(i)) }]),
    );
    const document = documentOf({ '/a': { responses: answers('e0') } }, { schemas });
    const { registry } = await registryFromOpenApi(document, { baseUrl });
    expect(registry.sources[0].methods[0].result.properties.p0).toStrictEqual({ type: 'object' });
  });

  test('to missing ones', async () => {
    const document = documentOf({ '/a': { responses: answers('nothing') } });
    const { registry, warnings } = await registryFromOpenApi(document, { baseUrl });
    expect([registry.sources[0].methods[0].result, warnings]).toStrictEqual([{}, []]);
  });
});

test('flaws of answers and examples are ignored', async () => {
  const parameter = { name: 'a', in: 'query', schema: { type: 'string' } };
  const answers = [
    {},
    { 200: null },
    { 200: { content: { 'application/json': null } } },
    { 200: { description: 'ok', content: { 'application/json': { schema: null } } } },
    { 200: { description: 'ok', content: { 'application/json': { schema: { type: 'none' } } } } },
  ];
  const parameters = [{ ...parameter, examples: [5] }];
  const paths = answers.map((responses, at) => [`/${at}`, { operationId: `a${at}`, parameters, responses }]);
  const { registry } = await registryFromOpenApi(documentOf(Object.fromEntries(paths)), { baseUrl });
  expect(registry.sources[0].methods.map(({ params }) => params.properties)).toStrictEqual(
    answers.map(() => ({ a: { type: 'string' } })),
  );
});

test('a document may be a string in usual forms of JSON and YAML', async () => {
  const operations = (texts) =>
    texts.map((text, at) => `  /${at}: { get: { operationId: a${at}, ${text} } }`).join('\n');
  const head = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\n";
  const answers = "responses: { '200': { description: ok } }";
  const json = JSON.stringify(documentOf({ '/0': { operationId: 'a0' } }));
  const countOf = async (text) => (await registryFromOpenApi(text, { baseUrl })).registry.sources[0].methods.length;
  expect(await countOf(`\ufeff${json}`)).toBe(1);
  expect(await countOf(`\ufeff${head}paths:\n${operations([answers])}`)).toBe(1);
  expect(await countOf(`{ ${head.trim().replace('\n', ', ')}, paths: { /0: { get: { ${answers} } } } }`)).toBe(1);
  expect(await countOf(`${head}x-common: &common { ${answers} }\npaths:\n${operations(['<<: *common', '<<: *common'])}`)).toBe(2); // prettier-ignore
  const uses = Array.from({ length: 500 }, () => 'responses: *answers');
  expect(await countOf(`${head}x-a: { a: &answers { '200': { description: ok } } }\npaths:\n${operations(uses)}`)).toBe(
    500,
  );
  const refused = async (text) => (await rejection(registryFromOpenApi(text, { baseUrl }))).message;
  const lines = Array.from({ length: 9 }, (_, n) => `x-${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(9)}]`);
  expect(await refused(`${head}x-0: &a0 [x]\n${lines.join('\n')}\npaths: {}`)).toMatch('Excessive alias count');
  const large = `x-0: &a0 [${'x, '.repeat(1_000)}]\nx-1: [${'*a0, '.repeat(9_000)}]`;
  expect(await refused(`${head}${large}\npaths: {}`)).toBe('document has more than 5000000 values');
  expect(await refused(`{ // comment\n${json.slice(1)}`)).toMatch('JSON');
});

test('only documents of known versions are accepted', async () => {
  const refused = async (document, options) => (await rejection(registryFromOpenApi(document, options))).message;
  expect(await refused(5)).toBe('document must be an object, or a string of JSON or YAML, got 5');
  // A plain string is also YAML.
  expect(await refused('api.yaml')).toBe('document must be the text of a document, got "api.yaml"');
  const versions = { swagger: ['1.2', 2.1, '3.0.0'], openapi: ['2.0', '4.0.0', '3.3.0', 31, '3', null, {}] };
  for (const [word, values] of Object.entries(versions)) {
    for (const value of values) {
      expect(await refused({ [word]: value, paths: {} }), `${word}: ${value}`).toMatch(
        /^document must be Swagger 2\.0 or OpenAPI 3\.0, 3\.1 or 3\.2, got version /,
      );
    }
  }
  expect(await refused({ openapi: '3.0.0', paths: [] })).toBe('paths must be an object, got an array');
  // Errors of YAML's parser arrived from the other thread without their class: the command line took none for wrong
  // usage.
  for (const [text, form, reason] of [
    ['{', 'JSON', ''],
    ['a:\n  - b\n c: d', 'YAML', 'All mapping items must start at the same column at line 3, column 1'],
    ['a: *b', 'YAML', 'Unresolved alias (the anchor must be set before the alias): b'],
  ]) {
    const error = await rejection(registryFromOpenApi(text, { baseUrl }));
    expect(error).toBeInstanceOf(SyntaxError);
    expect(error.message).toMatch(`document cannot be read as ${form}: ${reason}`);
    expect(error.message).not.toContain('\n');
  }
  const info = { title: 'x', version: '1' };
  const some = { '/a': { get: { responses: { 200: { description: '' } } } } };
  expect(await refused({ openapi: '3.0.0', info, paths: some })).toBe(
    'options.baseUrl must be an http URL, since the document has none, got undefined',
  );
  expect(await refused({ openapi: '3.0.0', info, paths: {} }, { basurl: 1 })).toContain(
    'did you mean options.baseUrl?',
  );
  const paths = { '/x': { get: {} } };
  for (const $ref of ['file:///etc/passwd', `${baseUrl}/parameter.json`, '/etc/passwd']) {
    paths['/x'].get.parameters = [{ $ref }];
    const { warnings } = await registryFromOpenApi({ openapi: '3.0.0', info, paths }, { baseUrl });
    expect(warnings).toStrictEqual([
      `GET /x is left out: the reference ${$ref} leads to another file; options.readFile can read files in the folder of the document (#/paths/~1x/get)`,
    ]);
  }
  expect(requests).toStrictEqual([]);
  for (const url of ['file:///etc/passwd', 'ftp://example.com', 'data:,x', 'example.com']) {
    expect(await refused({ openapi: '3.0.0', info, paths: {} }, { baseUrl: url })).toContain(
      `options.baseUrl must be an http URL, got "${url}"`,
    );
  }
  expect(await refused({ openapi: '3.0.0', info, paths: {} }, { baseUrl, headers: { 'a b': 'c' } })).toContain(
    'options.headers must be headers by name, or a function that returns them: ',
  );
});
