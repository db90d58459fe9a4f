// One flaw used to refuse a whole document: its validator knows nothing that can be left out.
import { describe, expect, test } from 'vitest';

import { registryFromOpenApi } from '../../build/sandbox/index.js';
import { rejection } from '../helpers.mjs';
import { apiOf, documentOf, methodsOf } from './openapi-api.mjs';

const baseUrl = 'https://api.test';
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const jsonBody = (schema) => ({ required: true, content: { 'application/json': { schema } } });
/** An operation without flaws, next to those that have some. */
const fine = { '/fine': { operationId: 'fine' } };
const loaded = (document, options) => registryFromOpenApi(document, { baseUrl, ...options });

describe('flaws that do not affect requests are ignored', () => {
  test.each([
    [
      'a sibling of a reference in 3.0',
      { parameters: [{ $ref: '#/components/parameters/Id', description: 'x', schema: 5 }] },
    ],
    [
      'a reference in an extension',
      { 'x-code': { $ref: './samples.md' }, parameters: [{ ...id, 'x-type': { $ref: '#/nowhere' } }] },
    ],
    [
      'a null for each part',
      {
        tags: null,
        summary: null,
        description: null,
        deprecated: null,
        security: null,
        servers: null,
        requestBody: null,
        callbacks: null,
        parameters: [id, null],
      },
    ],
    ['an unknown keyword', { summery: 'x', parameters: [{ ...id, reqired: true, scheme: {} }] }],
    ['an invalid example', { parameters: [{ ...id, example: { $ref: '#/nowhere' }, examples: [5] }] }],
    ['descriptions that are not strings', { summary: 5, description: ['x'], parameters: [{ ...id, description: {} }] }],
    ['invalid responses', { responses: { 200: null, 404: 'x' }, parameters: [id] }],
    ['responses that lead nowhere', { responses: { 200: { $ref: '#/components/responses/None' } }, parameters: [id] }],
    [
      'a response whose schema leads nowhere',
      {
        responses: { 200: { description: '', content: { 'application/json': { schema: { $ref: '#/nowhere' } } } } },
        parameters: [id],
      },
    ],
    ['no responses', { responses: undefined, parameters: [id] }],
    ['a parameter of another path', { parameters: [id, { ...id, name: 'other' }] }],
    ['a parameter without a schema', { parameters: [{ name: 'id', in: 'path', required: true }] }],
    ['tags that are not a list', { tags: '', parameters: [id] }],
  ])('%s', async (_, operation) => {
    const components = { parameters: { Id: id } };
    const document = documentOf({ '/a/{id}': { operationId: 'a', ...operation }, ...fine }, { components });
    const { call, paths, warnings, ...api } = await apiOf(document);
    expect([methodsOf(api), warnings]).toStrictEqual([['api.a', 'api.fine'], []]);
    await call("sdk.api.a({ id: '1' })");
    expect(paths()).toStrictEqual(['/a/1']);
  });

  test.each([
    ['an extension in paths', { 'x-notes': { get: 5 }, 'x-ref': { $ref: '#/nowhere' } }],
    ['an extension that is a string', { 'x-summary': 'about' }],
    ['a null', { '/none': null }],
  ])('%s next to the paths', async (_, others) => {
    const document = documentOf(fine);
    const api = await loaded({ ...document, paths: { ...others, ...document.paths } });
    expect([methodsOf(api), api.warnings]).toStrictEqual([['api.fine'], []]);
  });

  test.each([
    ['unquoted versions', 'openapi: 3.0\ninfo: { title: t, version: 1.0 }'],
    ['an unquoted 3.1', 'openapi: 3.1\ninfo: { title: 5, version: 2024-01-01 }'],
    ['no title', 'openapi: 3.0.3\ninfo: { version: null }'],
    ['no info', "openapi: '3.1.1'"],
    ['nulls around', 'openapi: 3.0.3\ninfo:\ntags:\nservers:\nsecurity:\ncomponents:\nexternalDocs:'],
    [
      'nulls in components',
      'openapi: 3.0.3\ncomponents: { schemas: , parameters: { A: }, securitySchemes: { a: , b: { $ref: "#/x" } } }',
    ],
    ['duplicate tags', 'openapi: 3.0.3\ntags: [{ name: a }, { name: a }, null, { description: x }]'],
  ])('%s', async (_, head) => {
    const api = await loaded(`${head}\npaths:\n  /fine: { get: { operationId: fine } }\n`);
    expect([methodsOf(api), api.warnings]).toStrictEqual([['api.fine'], []]);
  });

  test('two operations with one operationId get two names', async () => {
    const same = { operationId: 'list' };
    const api = await loaded(documentOf({ '/a': same, '/b': same, '/c': { operationId: 'list', tags: ['c'] } }));
    expect([methodsOf(api), api.warnings]).toStrictEqual([['api.list', 'api.list2', 'c.list'], []]);
  });

  test.each([
    ['required: []', { type: 'object', required: [], properties: { q: { type: 'string' } } }],
    ['required: null', { type: 'object', required: null, properties: { q: { type: 'string' } } }],
    ['required: true in a property', { type: 'object', properties: { q: { type: 'string', required: true } } }],
    [
      'nulls',
      {
        type: 'object',
        allOf: null,
        title: null,
        additionalProperties: null,
        properties: { q: { type: 'string', enum: null, pattern: null, items: null }, z: null },
      },
    ],
    ['unknown types', { type: 'object', properties: { q: { type: 'uuid', 'x-a': 1 }, r: { type: 'any' } } }],
    ['an empty enum', { type: 'object', properties: { q: { type: 'string', enum: [] } } }],
    [
      'numbers that are strings',
      { type: 'object', properties: { q: { type: 'string', maxLength: '10', minLength: -1 }, n: { minimum: '1' } } },
    ],
    ['a type that is a list in 3.0', { type: 'object', properties: { q: { type: ['string', 'null'] } } }],
    [
      'keywords that JSON Schema does not have',
      { type: 'object', properties: { q: { type: 'string', optional: true, exemple: 'x' } } },
    ],
    [
      'a property named like a reference',
      { type: 'object', properties: { q: { type: 'string' }, $ref: { type: 'string' } } },
    ],
  ])('a schema is repaired: %s', async (_, schema) => {
    const { call, requests, warnings } = await apiOf(
      documentOf(
        { '/a': { method: 'post', operationId: 'a', requestBody: jsonBody({ $ref: '#/components/schemas/Q' }) } },
        { components: { schemas: { Q: schema } } },
      ),
    );
    await call("sdk.api.a({ q: 'x' })");
    expect([requests[0].body, warnings]).toStrictEqual(['{"q":"x"}', []]);
  });
});

describe('a flaw in an operation omits that operation with a warning', () => {
  const left = '(#/paths/~1a~1{id}/get)';
  test.each([
    ['a path parameter that is not declared', { parameters: [] }, 'no parameter describes {id} of its path'],
    [
      'a path parameter that is in the query',
      { parameters: [{ ...id, in: 'query' }] },
      'no parameter describes {id} of its path',
    ],
    [
      'a parameter without a name',
      { parameters: [id, { in: 'query' }] },
      'one of its parameters has no name, got undefined',
    ],
    [
      'a parameter whose name is a number',
      { parameters: [id, { in: 'query', name: 5 }] },
      'one of its parameters has no name, got 5',
    ],
    [
      'a parameter without a place',
      { parameters: [id, { name: 'q' }] },
      'its parameter q must be in path, query, header, cookie, got undefined',
    ],
    [
      'a place of another OpenAPI version',
      { parameters: [id, { name: 'q', in: 'formData' }] },
      'its parameter q must be in path, query, header, cookie, got "formData"',
    ],
    ['a parameter that is a string', { parameters: [id, 'limit'] }, 'one of its parameters is not an object'],
    [
      'a parameter that leads nowhere',
      { parameters: [id, { $ref: '#/components/parameters/None' }] },
      'the reference #/components/parameters/None leads nowhere',
    ],
    [
      'a parameter in another file',
      { parameters: [id, { $ref: 'common.yaml#/Limit' }] },
      'the reference common.yaml#/Limit leads to another file; options.readFile can read files in the folder of the document',
    ],
    [
      'a parameter on another host',
      { parameters: [id, { $ref: 'https://other.test/a.json' }] },
      'the reference https://other.test/a.json leads to another file; options.readFile can read files in the folder of the document',
    ],
    [
      'a schema that leads nowhere',
      { parameters: [{ ...id, schema: { $ref: '#/components/schemas/None' } }] },
      'the reference #/components/schemas/None leads nowhere',
    ],
    [
      'a reference that leads to itself',
      { parameters: [id, { $ref: '#/components/parameters/Loop' }] },
      'the reference #/components/parameters/Loop leads to itself',
    ],
  ])('%s', async (_, operation, reason) => {
    const components = { parameters: { Loop: { $ref: '#/components/parameters/Loop' } } };
    const api = await loaded(documentOf({ '/a/{id}': operation, ...fine }, { components }));
    expect([methodsOf(api), api.warnings]).toStrictEqual([
      ['api.fine'],
      [`GET /a/{id} is left out: ${reason} ${left}`],
    ]);
  });

  test('a body that leads nowhere, and an operation or a path that is not an object', async () => {
    const document = documentOf({ '/a': { method: 'post', requestBody: { $ref: '#/x' } }, ...fine });
    Object.assign(document.paths, { '/b': { get: 'x', put: [] }, '/c': 5, '/d': { $ref: '#/nowhere' } });
    const api = await loaded(document);
    expect([methodsOf(api), api.warnings]).toStrictEqual([
      ['api.fine'],
      [
        'POST /a is left out: the reference #/x leads nowhere (#/paths/~1a/post)',
        'GET /b is left out: it is not an object (#/paths/~1b/get)',
        'PUT /b is left out: it is not an object (#/paths/~1b/put)',
        '/c is left out: it is not an object (#/paths/~1c)',
        '/d is left out: the reference #/nowhere leads nowhere (#/paths/~1d)',
      ],
    ]);
  });

  // The second pass of the validator deleted parts to which others referred, and then refused those.
  test('parts that refer to a response or an example of another operation are kept', async () => {
    const schema = { type: 'object', properties: { q: { type: 'string' } } };
    const responses = { 200: { description: 'ok', content: { 'application/json': { schema } } }, 500: null };
    const ref = { $ref: '#/paths/~1a/get/responses/200/content/application~1json/schema' };
    const { call, requests, warnings } = await apiOf(
      documentOf({
        '/a': { responses },
        '/b': { method: 'post', operationId: 'b', requestBody: jsonBody(ref), parameters: [{ name: 5 }] },
        '/c': { method: 'post', operationId: 'c', requestBody: jsonBody(ref) },
      }),
    );
    await call("sdk.api.c({ q: 'x' })");
    expect([requests[0].body, warnings.length]).toStrictEqual(['{"q":"x"}', 1]);
  });

  test.each([
    ['leads nowhere', '#/components/schemas/Owner', 'the reference #/components/schemas/Owner leads nowhere'],
    ['is empty', '', 'a reference is empty'],
  ])('a shared schema whose properties are parameters is not checked where a reference %s', async (_, $ref, reason) => {
    const Pet = { type: 'object', properties: { name: { type: 'string' }, owner: { $ref } } };
    const requestBody = jsonBody({ $ref: '#/components/schemas/Pet' });
    const document = documentOf(
      { '/a': { method: 'post', operationId: 'a', requestBody } },
      { components: { schemas: { Pet } } },
    );
    const { call, requests, warnings } = await apiOf(document);
    await call("sdk.api.a({ name: 'Rex', owner: 5 })");
    expect([requests[0].body, warnings]).toStrictEqual([
      '{"name":"Rex","owner":5}',
      [`in the schema #/components/schemas/Pet values are not checked: ${reason}`],
    ]);
  });

  test('a shared schema is not checked where its own references lead nowhere', async () => {
    const schemas = {
      Pet: { type: 'object', properties: { name: { type: 'string' }, owner: { $ref: '#/components/schemas/Owner' } } },
    };
    const { call, requests, warnings } = await apiOf(
      documentOf(
        {
          '/a': {
            method: 'post',
            operationId: 'a',
            requestBody: jsonBody({ type: 'array', items: { $ref: '#/components/schemas/Pet' } }),
          },
        },
        { components: { schemas } },
      ),
    );
    await call("sdk.api.a({ body: [{ name: 'Rex', owner: 5 }] })");
    expect([requests[0].body, warnings]).toStrictEqual([
      '[{"name":"Rex","owner":5}]',
      [
        'in the schema #/components/schemas/Pet values are not checked: the reference #/components/schemas/Owner leads nowhere',
      ],
    ]);
  });
});

describe('Swagger 2.0', () => {
  const swagger = (paths, others = {}) => ({ swagger: '2.0', info: { title: 't', version: '1' }, ...others, paths });

  test('is converted: places, styles, bodies, forms and security', async () => {
    const document = swagger(
      {
        '/pets/{id}': {
          parameters: [{ $ref: '#/parameters/Id' }],
          get: {
            operationId: 'get',
            parameters: [
              { name: 'tags', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
              { name: 'sort', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'multi' },
            ],
          },
          put: { operationId: 'put', parameters: [{ $ref: '#/parameters/Pet' }], security: [{ key: [] }] },
          post: {
            operationId: 'form',
            consumes: ['application/x-www-form-urlencoded'],
            parameters: [
              { name: 'name', in: 'formData', type: 'string', required: true },
              { name: 'age', in: 'formData', type: 'integer' },
            ],
          },
        },
      },
      {
        host: 'pets.test',
        basePath: '/v1',
        schemes: ['http', 'https'],
        parameters: {
          Id: { name: 'id', in: 'path', required: true, type: 'string' },
          Pet: { name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } },
        },
        definitions: {
          Pet: { type: 'object', required: ['name'], properties: { name: { type: 'string', 'x-nullable': true } } },
        },
        securityDefinitions: { key: { type: 'apiKey', in: 'header', name: 'X-Key' }, login: { type: 'basic' } },
      },
    );
    const { call, requests, warnings } = await apiOf(document, { baseUrl: undefined, credentials: { key: 'k' } });
    await call(
      `sdk.api.get({ id: '1', tags: ['a', 'b'], sort: ['x', 'y'] }); sdk.api.put({ id: '1', name: null }); sdk.api.form({ id: '1', body: { name: 'Rex', age: 3 } })`,
    );
    expect(warnings).toStrictEqual([]);
    expect(requests.map(({ method, url, body }) => [method, decodeURIComponent(url), body])).toStrictEqual([
      ['GET', 'https://pets.test/v1/pets/1?tags=a|b&sort=x&sort=y', undefined],
      ['PUT', 'https://pets.test/v1/pets/1', '{"name":null}'],
      ['POST', 'https://pets.test/v1/pets/1', 'name=Rex&age=3'],
    ]);
    expect(requests[1].headers['x-key']).toBe('k');
  });

  const list = (place, collectionFormat) => ({
    name: 'x',
    in: place,
    required: place === 'path',
    type: 'array',
    items: { type: 'string' },
    collectionFormat,
  });
  test.each([
    ['query', 'csv', '/a?x=a%20b,c%2Cd'],
    ['query', 'ssv', '/a?x=a%20b%20c%2Cd'],
    ['query', 'tsv', '/a?x=a%20b%09c%2Cd'],
    ['query', undefined, '/a?x=a%20b,c%2Cd'],
    ['path', 'pipes', '/a/a%20b|c%2Cd'],
    ['path', 'ssv', '/a/a%20b%20c%2Cd'],
    ['path', 'tsv', '/a/a%20b%09c%2Cd'],
    ['path', undefined, '/a/a%20b,c%2Cd'],
    ['header', 'pipes', 'a b|c,d'],
    ['header', 'tsv', 'a b\tc,d'],
    ['header', 'csv', 'a b,c,d'],
    ['formData', 'multi', 'x=a+b&x=c%2Cd'],
    ['formData', undefined, 'x=a+b,c%2Cd'],
    ['formData', 'pipes', 'x=a+b|c%2Cd'],
    ['formData', 'ssv', 'x=a+b+c%2Cd'],
    ['formData', 'tsv', 'x=a+b%09c%2Cd'],
  ])('sends a list in the %s with the separator of %s', async (place, collectionFormat, expected) => {
    const path = place === 'path' ? '/a/{x}' : '/a';
    const operation = { operationId: 'a', parameters: [list(place, collectionFormat)] };
    const { call, requests, paths } = await apiOf(swagger({ [path]: { post: operation } }));
    const params = "{ x: ['a b', 'c,d'] }";
    await call(`sdk.api.a(${place === 'formData' ? `{ body: ${params} }` : params})`);
    const { headers, body } = requests[0];
    expect({ header: headers.x, formData: body }[place] ?? paths()[0]).toBe(expected);
  });

  test.each([
    ['no types', undefined, 'string', 'application/x-www-form-urlencoded'],
    ['other types', ['application/json'], 'string', 'application/x-www-form-urlencoded'],
    ['a type', ['application/json', 'multipart/form-data'], 'string', 'multipart/form-data'],
    ['no types and a file', undefined, 'file', 'multipart/form-data'],
    ['a type that has no files', ['application/x-www-form-urlencoded'], 'file', 'multipart/form-data'],
  ])('sends a form with %s (%j, %s) as %s', async (_, consumes, type, contentType) => {
    const parameters = [{ name: 'x', in: 'formData', type }];
    const { call, requests } = await apiOf(swagger({ '/a': { post: { operationId: 'a', consumes, parameters } } }));
    await call("sdk.api.a({ body: { x: 'y' } })");
    expect(requests[0].headers['content-type'].split(';')[0]).toBe(contentType);
  });

  test('has responses, and files are bytes', async () => {
    const document = swagger(
      {
        '/a': {
          get: {
            operationId: 'a',
            produces: ['application/json'],
            responses: { 200: { description: '', schema: { type: 'array', items: { $ref: '#/definitions/P' } } } },
          },
        },
      },
      { definitions: { P: { type: 'object', properties: { q: { type: 'string' } } } } },
    );
    const { registry } = await loaded(document);
    expect(registry.sources[0].methods[0].result).toStrictEqual({
      type: 'array',
      items: { type: 'object', properties: { q: { type: 'string' } } },
    });
  });

  test.each([
    [
      'a parameter without a place',
      { parameters: [{ name: 'q', type: 'string' }] },
      'its parameter q has no location: `in` is missing',
    ],
    ['a parameter that is a string', { parameters: ['q'] }, 'one of its parameters is not an object'],
    [
      'a reference that leads nowhere',
      { parameters: [{ $ref: '#/parameters/None' }] },
      'the reference #/parameters/None leads nowhere',
    ],
    [
      'a body that leads nowhere',
      { parameters: [{ in: 'body', name: 'b', schema: { $ref: '#/definitions/None' } }] },
      'the reference #/components/schemas/None leads nowhere',
    ],
  ])('loses the operation with %s', async (_, operation, reason) => {
    const api = await loaded(
      swagger(
        {
          '/a': { post: operation },
          '/fine': { get: { operationId: 'fine', parameters: null, responses: null, tags: null } },
          'x-own': 5,
        },
        { definitions: { A: null }, responses: { A: null }, securityDefinitions: { a: null }, parameters: null },
      ),
    );
    expect([methodsOf(api), api.warnings]).toStrictEqual([
      ['api.fine'],
      [`POST /a is left out: ${reason} (#/paths/~1a/post)`],
    ]);
  });

  test('may have an unquoted version number', async () => {
    const api = await loaded('swagger: 2.0\ninfo: { version: 1.0 }\npaths: { /fine: { get: { operationId: fine } } }');
    expect(methodsOf(api)).toStrictEqual(['api.fine']);
  });
});

test('OpenAPI 3.2 is supported as far as it equals 3.1', async () => {
  const document = documentOf(
    { ...fine, '/a': { operationId: 'a', parameters: [{ name: 'q', in: 'querystring', content: {} }] } },
    { openapi: '3.2.0', $self: 'https://x.test' },
  );
  document.paths['/b'] = { query: { operationId: 'b' }, additionalOperations: { COPY: {} }, get: { operationId: 'c' } };
  const api = await loaded(document);
  expect([methodsOf(api), api.warnings]).toStrictEqual([
    ['api.fine', 'api.c'],
    [
      'GET /a is left out: its parameter q must be in path, query, header, cookie, got "querystring" (#/paths/~1a/get)',
      'QUERY /b is left out: only methods of OpenAPI 3.1 are read (#/paths/~1b/query)',
      'ADDITIONALOPERATIONS /b is left out: only methods of OpenAPI 3.1 are read (#/paths/~1b/additionalOperations)',
    ],
  ]);
});

describe('a document of several files', () => {
  const files = {
    'paths/pets.yaml':
      "get:\n  operationId: pets\n  parameters: [{ $ref: '../common.json#/Limit' }]\n  responses: { '200': { $ref: '#/ok' } }\nok: { description: ok, content: { application/json: { schema: { $ref: ../schemas/Pet.yaml } } } }\n",
    'common.json':
      '{ "Limit": { "name": "limit", "in": "query", "schema": { "$ref": "#/Count" } }, "Count": { "type": "integer", "maximum": 9 } }',
    'schemas/Pet.yaml': 'type: object\nproperties: { name: { type: string }, parent: { $ref: Pet.yaml } }\n',
  };
  const document = {
    openapi: '3.0.3',
    paths: {
      '/pets': { $ref: './paths/pets.yaml' },
      '/fine': { get: { operationId: 'fine', parameters: [{ $ref: 'common.json#/Limit' }] } },
    },
  };

  test('is bundled by a function that reads each file once', async () => {
    const read = [];
    const { call, paths, warnings, registry } = await apiOf(document, {
      readFile: async (path) => (read.push(path), files[path]),
    });
    await call('sdk.api.pets({ limit: 3 }); sdk.api.fine({ limit: 4 })');
    expect([paths(), warnings]).toStrictEqual([['/pets?limit=3', '/fine?limit=4'], []]);
    expect(read.sort()).toStrictEqual(Object.keys(files).sort());
    expect(registry.sources[0].methods[0].result.properties.name).toStrictEqual({ type: 'string' });
    expect((await rejection(call('sdk.api.pets({ limit: 30 })'))).code).toBe('ERR_INVALID_PARAMS');
  });

  test('may have each operation in its own file', async () => {
    const operation = 'operationId: one\nparameters: [{ $ref: "common.json#/Limit" }]\n';
    const document = { openapi: '3.1.0', paths: { '/a': { get: { $ref: 'a.yaml' }, put: { $ref: 'a.yaml#/none' } } } };
    const readFile = (path) => ({ ...files, 'a.yaml': operation })[path];
    const { call, paths, warnings } = await apiOf(document, { readFile });
    await call('sdk.api.one({ limit: 3 })');
    expect([paths(), warnings.length]).toStrictEqual([['/a?limit=3'], 1]);
    expect((await loaded(document)).warnings[0]).toBe(
      'GET /a is left out: the reference a.yaml leads to another file; options.readFile can read files in the folder of the document (#/paths/~1a/get)',
    );
  });

  test('causes an error that lists the files if there is no function to read them', async () => {
    const api = await loaded(document);
    expect(api.warnings).toStrictEqual([
      '/pets is left out: the reference ./paths/pets.yaml leads to another file; options.readFile can read files in the folder of the document (#/paths/~1pets)',
      'GET /fine is left out: the reference common.json#/Limit leads to another file; options.readFile can read files in the folder of the document (#/paths/~1fine/get)',
    ]);
  });

  test('causes an error for files that cannot be read, are not JSON or YAML, or are outside', async () => {
    const refs = {
      '/a': 'gone.yaml',
      '/b': 'bad.json',
      '/c': '../secret.yaml',
      '/d': '/etc/passwd',
      '/e': 'file:///etc/passwd',
    };
    const paths = Object.fromEntries(Object.entries(refs).map(([path, $ref]) => [path, { $ref }]));
    const read = [];
    const readFile = (path) => {
      read.push(path);
      if (path === 'gone.yaml') throw new Error('ENOENT');
      return '{';
    };
    const { warnings } = await loaded({ openapi: '3.1.0', paths }, { readFile });
    expect(read.sort()).toStrictEqual(['bad.json', 'gone.yaml']);
    expect(
      warnings.map((line) => line.replace(/^(\S+) is left out: the reference (\S+) leads to another file; /, '$1 $2 ')),
    ).toStrictEqual([
      '/a gone.yaml it cannot be read: ENOENT (#/paths/~1a)',
      expect.stringMatching(/^\/b bad\.json it cannot be read: bad\.json cannot be read as JSON: /),
      '/c ../secret.yaml options.readFile can read files in the folder of the document (#/paths/~1c)',
      '/d /etc/passwd options.readFile can read files in the folder of the document (#/paths/~1d)',
      '/e file:///etc/passwd options.readFile can read files in the folder of the document (#/paths/~1e)',
    ]);
  });
});
