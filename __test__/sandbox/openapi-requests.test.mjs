// Requests as documents describe them: what real documents need, and what was refused or sent wrongly.
import { describe, expect, test } from 'vitest';

import { registryFromOpenApi } from '../../build/sandbox/index.js';
import { createCodeTool } from '../../build/adapters/code-tool/index.js';
import { expectCode, rejection } from '../helpers.mjs';
import { apiOf, documentOf } from './openapi-api.mjs';

const parameter = (place, name, schema = {}, how = {}) => ({
  name,
  in: place,
  required: place === 'path',
  schema,
  ...how,
});
const jsonBody = (schema) => ({ required: true, content: { 'application/json': { schema } } });
const text = { type: 'string' };
const ids = { type: 'array', items: { type: 'integer' } };
const names = { type: 'array', items: { type: ['string', 'null'] } };

describe('a path template with a query or a fragment', () => {
  test.each([
    ['/chat?beta=true', [], 'a()', '/chat?beta=true'],
    ['/files/{id}#add_shared_link', [parameter('path', 'id')], "a({ id: '1' })", '/files/1'],
    ['/a?x=1&y=%20#name', [parameter('query', 'q')], "a({ q: 'z' })", '/a?x=1&y=%20&q=z'],
    ['/a?x={x}', [parameter('path', 'x')], "a({ x: 'a b&c' })", '/a?x=a%20b%26c'],
    ['/a?x=1', [parameter('query', 'x')], 'a({ x: 2 })', '/a?x=2'],
    ['/a?x=1', [parameter('query', 'x')], 'a()', '/a?x=1'],
    [
      '/a/{id}?fields={fields}#{name}',
      [parameter('path', 'id'), parameter('path', 'fields')],
      "a({ id: '?#', fields: 'b' })",
      '/a/%3F%23?fields=b',
    ],
    ['/a/{+name}', [parameter('path', 'name')], "a({ name: 'b' })", '/a/b'],
    [
      '/a/{key+}/{rest*}',
      [parameter('path', 'key'), parameter('path', 'rest')],
      "a({ key: 'b', rest: 'c/d' })",
      '/a/b/c%2Fd',
    ],
    ['/a/{id}:publish', [parameter('path', 'id')], 'a({ id: 7 })', '/a/7:publish'],
    ['/a{?q}', [parameter('query', 'q')], "a({ q: 'x' })", '/a?q=x'],
  ])('keeps them: %s', async (path, parameters, code, expected) => {
    const { call, paths, warnings } = await apiOf(documentOf({ [path]: { operationId: 'a', parameters } }));
    await call(`sdk.api.${code}`);
    expect([paths(), warnings]).toStrictEqual([[expected], []]);
  });
});

describe('overlapping alternatives accept', () => {
  test.each([
    ['integer and number', { oneOf: [{ type: 'integer' }, { type: 'number' }] }, '5'],
    ['string and enum', { oneOf: [text, { enum: ['a', 'b'] }] }, "'a'"],
    [
      'objects without required properties',
      {
        oneOf: [
          { type: 'object', properties: { a: text } },
          { type: 'object', properties: { b: text } },
        ],
      },
      "{ a: 'x' }",
    ],
    [
      'both values of an enum',
      { oneOf: [{ type: 'integer' }, { type: 'number' }], anyOf: [{ minimum: 1 }, { maximum: 9 }] },
      '5',
    ],
    ['in an item', { type: 'array', items: { oneOf: [{ type: 'integer' }, { type: 'number' }] } }, '[1, 2.5]'],
    [
      'a date and a time',
      {
        oneOf: [
          { type: 'string', format: 'date' },
          { type: 'string', format: 'date-time' },
        ],
      },
      "'2024-01-01'",
    ],
  ])('values of %s', async (_, schema, value) => {
    const { call, requests } = await apiOf(
      documentOf({
        '/a': {
          method: 'post',
          operationId: 'a',
          requestBody: jsonBody({ type: 'object', properties: { value: schema } }),
        },
      }),
    );
    await call(`sdk.api.a({ value: ${value} })`);
    expect(requests).toHaveLength(1);
    await expectCode(call('sdk.api.a({ value: null })'), 'ERR_INVALID_PARAMS');
  });
});

describe('schemas that no value matches or that cannot be compiled', () => {
  const schema = { type: 'object', properties: { value: { type: 'string', enum: [] }, size: { type: 'integer' } } };

  test('an empty enum leaves a method callable, and other parameters are checked', async () => {
    const document = documentOf({
      '/a': {
        operationId: 'a',
        parameters: [
          parameter('query', 'value', { type: 'string', enum: [] }),
          parameter('query', 'size', { type: 'integer', enum: [] }),
        ],
      },
    });
    const { call, paths } = await apiOf(document);
    await call("sdk.api.a({ value: 'x', size: 3 })");
    expect(paths()).toStrictEqual(['/a?value=x&size=3']);
    await expectCode(call("sdk.api.a({ size: 'x' })"), 'ERR_INVALID_PARAMS');
  });

  test.each([
    ['an empty enum', schema],
    [
      'a pattern that RE2 does not have',
      { ...schema, properties: { ...schema.properties, value: { type: 'string', pattern: '(?=a)' } } },
    ],
    ['an unknown type', { ...schema, properties: { ...schema.properties, value: { type: 'text' } } }],
    [
      'a reference that leads nowhere',
      { ...schema, properties: { ...schema.properties, value: { $ref: '#/$defs/none' } } },
    ],
  ])('in a code tool, %s does not disable the other checks', async (_, inputSchema) => {
    const seen = [];
    const tool = createCodeTool({
      tools: { add: { description: 'adds', inputSchema, execute: async (input) => seen.push(input) } },
    });
    const good = await tool.execute("await add({ value: 'x', size: 1 })");
    const bad = await tool.execute("await add({ value: 'x', size: 'large' })");
    expect([good.error, bad.error?.code, seen]).toStrictEqual([
      undefined,
      'ERR_TOOL_PROXY_FAIL',
      [{ value: 'x', size: 1 }],
    ]);
  });

  test.each([
    [0.01, 19.99],
    [0.01, 1234567.89],
    [0.1, 0.3],
    [0.001, 4.035],
    [1e-7, 0.1234567],
    [0.05, -2.35],
  ])('multipleOf %d accepts %d', async (multipleOf, value) => {
    const { call } = await apiOf(
      documentOf({
        '/a': { operationId: 'a', parameters: [parameter('query', 'price', { type: 'number', multipleOf })] },
      }),
    );
    await call(`sdk.api.a({ price: ${value} })`);
    await expectCode(call(`sdk.api.a({ price: ${value + multipleOf / 3} })`), 'ERR_INVALID_PARAMS');
  });
});

describe('parts of an allOf of which one forbids the properties of the others', () => {
  const key = { type: 'object', properties: { key: text }, required: ['key'] };
  const closed = { type: 'object', properties: { email: text }, additionalProperties: false };
  const schemas = {
    Key: key,
    Closed: closed,
    Both: { allOf: [{ $ref: '#/components/schemas/Key' }, { $ref: '#/components/schemas/Closed' }] },
  };

  test.each([
    ['in a list', { allOf: [key, closed] }],
    ['by reference', { $ref: '#/components/schemas/Both' }],
    ['next to the list', { ...closed, allOf: [{ $ref: '#/components/schemas/Key' }] }],
    ['at different depths', { allOf: [{ allOf: [{ allOf: [key] }] }, closed] }],
    ['that both do', { allOf: [{ ...key, additionalProperties: false }, closed] }],
    ['with a part that may be null', { allOf: [{ ...key, nullable: true }, closed] }],
  ])('accept the properties of all, and no others: %s', async (_, schema) => {
    const document = documentOf(
      { '/a': { method: 'post', operationId: 'a', requestBody: jsonBody(schema) } },
      { components: { schemas } },
    );
    const { call, requests, warnings } = await apiOf(document);
    await call("sdk.api.a({ body: { key: 'k', email: 'e' } })");
    expect([requests[0].body, warnings]).toStrictEqual(['{"key":"k","email":"e"}', []]);
    await expectCode(call("sdk.api.a({ body: { key: 'k', other: 1 } })"), 'ERR_INVALID_PARAMS');
    await expectCode(call("sdk.api.a({ body: { email: 'e' } })"), 'ERR_INVALID_PARAMS');
    await expectCode(call("sdk.api.a({ body: { key: 5, email: 'e' } })"), 'ERR_INVALID_PARAMS');
  });

  test('accept the properties of all in a form with a file', async () => {
    const file = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } };
    const content = { 'multipart/form-data': { schema: { allOf: [file, closed] } } };
    const document = documentOf({ '/a': { method: 'post', operationId: 'a', requestBody: { content } } });
    const { call, requests } = await apiOf(document);
    await call("sdk.api.a({ body: { file: new Uint8Array([1]), email: 'e' } })");
    expect(requests).toHaveLength(1);
    await expectCode(call("sdk.api.a({ body: { email: 'e', other: 1 } })"), 'ERR_INVALID_PARAMS');
  });
});

describe('several JSON content types of a body', () => {
  const patch = (types, schema = {}) => ({
    method: 'patch',
    operationId: 'patch',
    requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) },
  });

  test('require a choice if none is plain JSON', async () => {
    const types = [
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
      'application/apply-patch+yaml',
    ];
    const { call, requests, registry } = await apiOf(documentOf({ '/pods': patch(types) }));
    const { params } = registry.sources[0].methods[0];
    expect(params.properties.contentType.enum).toStrictEqual(types.slice(0, 3));
    expect(params.required).toStrictEqual(['body', 'contentType']);
    await call(
      `sdk.api.patch({ body: { a: null }, contentType: 'application/merge-patch+json' }); sdk.api.patch({ body: [{ op: 'remove' }], contentType: 'application/json-patch+json' })`,
    );
    expect(requests.map(({ headers, body }) => [headers['content-type'], body])).toStrictEqual([
      ['application/merge-patch+json', '{"a":null}'],
      ['application/json-patch+json', '[{"op":"remove"}]'],
    ]);
    for (const code of ['{ body: {} }', "{ body: {}, contentType: 'application/json' }"]) {
      await expectCode(call(`sdk.api.patch(${code})`), 'ERR_INVALID_PARAMS');
    }
  });

  test.each([
    [
      'of one schema',
      { type: 'object', properties: { a: { type: 'integer' } } },
      '{ a: 1 }',
      "{ a: 1, contentType: 'application/merge-patch+json' }",
    ],
    ['of any value', {}, '{ body: { a: 1 } }', "{ body: { a: 1 }, contentType: 'application/merge-patch+json' }"],
  ])('require a choice with an optional body, %s', async (_, schema, without, chosen) => {
    const types = ['application/json-patch+json', 'application/merge-patch+json'];
    const content = Object.fromEntries(types.map((type) => [type, { schema }]));
    const { call, requests } = await apiOf(
      documentOf({ '/a': { method: 'patch', operationId: 'patch', requestBody: { content } } }),
    );
    await call(`sdk.api.patch({}); sdk.api.patch(${chosen})`);
    expect(requests.map(({ headers, body }) => [headers['content-type'], body])).toStrictEqual([
      [undefined, undefined],
      ['application/merge-patch+json', '{"a":1}'],
    ]);
    await expectCode(call(`sdk.api.patch(${without})`), 'ERR_INVALID_PARAMS');
  });

  test('allow a choice if one is plain JSON, with the schema of each', async () => {
    const content = {
      'application/merge-patch+json': { schema: { type: 'object', properties: { name: text } } },
      'application/json': { schema: ids },
    };
    const { call, requests } = await apiOf(
      documentOf({ '/a': { method: 'patch', operationId: 'patch', requestBody: { required: true, content } } }),
    );
    await call(
      `sdk.api.patch({ body: [1] }); sdk.api.patch({ body: { name: 'x' }, contentType: 'application/merge-patch+json' })`,
    );
    expect(requests.map(({ headers, body }) => [headers['content-type'], body])).toStrictEqual([
      ['application/json', '[1]'],
      ['application/merge-patch+json', '{"name":"x"}'],
    ]);
  });

  test('keep the properties of one schema as parameters, and names do not collide', async () => {
    const schema = { type: 'object', required: ['contentType'], properties: { contentType: text, name: text } };
    const { call, requests, registry } = await apiOf(
      documentOf({ '/a': patch(['application/json', 'application/vnd.acme+json'], schema) }),
    );
    expect(Object.keys(registry.sources[0].methods[0].params.properties)).toStrictEqual([
      'contentType',
      'name',
      'contentType2',
    ]);
    await call("sdk.api.patch({ contentType: 'x', name: 'y', contentType2: 'application/vnd.acme+json' })");
    expect([requests[0].headers['content-type'], requests[0].body]).toStrictEqual([
      'application/vnd.acme+json',
      '{"contentType":"x","name":"y"}',
    ]);
  });

  test.each([
    [['application/json', 'text/json', 'application/*+json']],
    [['application/json; charset=utf-8', 'application/json']],
    [['application/json', 'application/xml']],
  ])('that mean the same need no choice: %j', async (types) => {
    const { registry } = await apiOf(
      documentOf({ '/a': patch(types, { type: 'object', properties: { name: text } }) }),
    );
    expect(Object.keys(registry.sources[0].methods[0].params.properties)).toStrictEqual(['name']);
  });

  test('of an optional body send no body by themselves', async () => {
    const content = {
      'application/json': { schema: { type: 'object', properties: { q: text } } },
      'application/merge-patch+json': { schema: { type: 'object', properties: { q: text } } },
    };
    const { call, requests } = await apiOf(
      documentOf({ '/a': { method: 'patch', operationId: 'patch', requestBody: { content } } }),
    );
    await call("sdk.api.patch({ contentType: 'application/merge-patch+json' })");
    expect([requests[0].body, requests[0].headers['content-type']]).toStrictEqual([undefined, undefined]);
  });
});

describe('null values are omitted', () => {
  const orNull = { type: 'string', nullable: true };
  test.each([
    ['query', [parameter('query', 'q', orNull), parameter('query', 'r')], '{ q: null, r: 1 }', '/a?r=1'],
    ['query, in a list', [parameter('query', 'q', names)], "{ q: ['x', null, 'y'] }", '/a?q=x&q=y'],
    [
      'query, in a list that is not exploded',
      [parameter('query', 'q', names, { explode: false })],
      "{ q: [null, 'x'] }",
      '/a?q=x',
    ],
    ['query, in a list of nulls', [parameter('query', 'q', names, { explode: false })], '{ q: [null] }', '/a'],
    ['query, in an object', [parameter('query', 'q', {})], '{ q: { a: 1, b: null } }', '/a?a=1'],
    [
      'query, in a deep object',
      [parameter('query', 'q', {}, { style: 'deepObject' })],
      '{ q: { a: { b: null }, c: [1, null] } }',
      '/a?q%5Bc%5D%5B0%5D=1',
    ],
    [
      'query, of another type',
      [parameter('query', 'q'), parameter('query', 'r', { type: 'string' })],
      '{ q: null, r: null }',
      '/a',
    ],
    [
      'query, of a choice',
      [parameter('query', 'q', { oneOf: [{ type: 'integer' }, { enum: ['all'] }] })],
      '{ q: null }',
      '/a',
    ],
    ['query, as JSON', [{ name: 'q', in: 'query', content: { 'application/json': {} } }], '{ q: null }', '/a'],
  ])('%s', async (_, parameters, params, expected) => {
    const { call, paths } = await apiOf(documentOf({ '/a': { operationId: 'a', parameters } }, { openapi: '3.0.3' }));
    await call(`sdk.api.a(${params})`);
    expect(paths()).toStrictEqual([expected]);
  });

  test('in headers and cookies', async () => {
    const parameters = [
      parameter('header', 'X-A', orNull),
      parameter('header', 'X-B', names),
      parameter('header', 'X-C', names),
      parameter('cookie', 'd', orNull),
      parameter('cookie', 'e'),
    ];
    const { call, requests } = await apiOf(documentOf({ '/a': { operationId: 'a', parameters } }));
    await call("sdk.api.a({ 'X-A': null, 'X-B': ['x', null], 'X-C': [null], d: null, e: 1 })");
    const { 'x-a': a, 'x-b': b, 'x-c': c, cookie } = requests[0].headers;
    expect([a, b, c, cookie]).toStrictEqual([undefined, 'x', undefined, 'e=1']);
  });

  test('of other types in headers, cookies and forms, but not in JSON or if they are required', async () => {
    const parameters = [
      parameter('header', 'X-A', { type: 'string' }),
      parameter('cookie', 'c', { type: 'integer' }),
      { ...parameter('query', 'r', { type: 'string' }), required: true },
    ];
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } };
    const form = (type) => ({ content: { [type]: { schema } } });
    const { call, requests } = await apiOf(
      documentOf({
        '/a': { operationId: 'a', parameters },
        '/form': { method: 'post', operationId: 'form', requestBody: form('application/x-www-form-urlencoded') },
        '/parts': { method: 'post', operationId: 'parts', requestBody: form('multipart/form-data') },
        '/json': { method: 'post', operationId: 'json', requestBody: form('application/json') },
      }),
    );
    await call("sdk.api.a({ 'X-A': null, c: null, r: 'x' })");
    await call('sdk.api.form({ body: { a: null, b: 1 } })');
    await call('sdk.api.parts({ body: { a: null, b: 1 } })');
    expect([requests[0].headers['x-a'], requests[0].headers.cookie]).toStrictEqual([undefined, undefined]);
    expect([requests[1].body, requests[2].body.match(/name="\w"\r\n\r\n.*/g)]).toStrictEqual([
      'b=1',
      ['name="b"\r\n\r\n1'],
    ]);
    const missing = await expectCode(call("sdk.api.a({ 'X-A': null, r: null })"), 'ERR_INVALID_PARAMS');
    expect(missing.details.message).toBe('the parameters of sdk.api.a are not valid: r is missing');
    await expectCode(call('sdk.api.json({ a: null, b: 1 })'), 'ERR_INVALID_PARAMS');
    expect(requests).toHaveLength(3);
  });

  test('in forms, but not in a path, where they are refused', async () => {
    const content = (type) => ({ content: { [type]: { schema: { type: 'object' } } } });
    const { call, requests } = await apiOf(
      documentOf({
        '/form': { method: 'post', operationId: 'form', requestBody: content('application/x-www-form-urlencoded') },
        '/parts': { method: 'post', operationId: 'parts', requestBody: content('multipart/form-data') },
        '/p/{id}': { operationId: 'path', parameters: [parameter('path', 'id', names)] },
      }),
    );
    await call(
      'sdk.api.form({ body: { a: null, b: 1, c: [null, 2] } }); sdk.api.parts({ body: { a: null, b: [1, null] } })',
    );
    expect([requests[0].body, requests[1].body.match(/name="\w"\r\n\r\n.*/g)]).toStrictEqual([
      'b=1&c=2',
      ['name="b"\r\n\r\n1'],
    ]);
    await expectCode(call('sdk.api.path({ id: null })'), 'ERR_INVALID_PARAMS');
    await call("sdk.api.path({ id: ['x', null] })");
    expect(requests[2].url).toMatch(/\/p\/x$/);
    const { details } = await expectCode(call('sdk.api.path({ id: [null] })'), 'ERR_TOOL_PROXY_FAIL');
    expect(details.message).toBe('id must not be "": it is part of a path');
  });
});

describe('cookies', () => {
  const components = { securitySchemes: { key: { type: 'apiKey', in: 'cookie', name: 'session' } } };
  const parameters = [
    parameter('cookie', 'theme', text),
    parameter('cookie', 'ids', ids),
    parameter('cookie', 'session', text),
    parameter('cookie', 'csv', ids, { explode: false }),
  ];
  const document = documentOf({ '/a': { operationId: 'a', parameters, security: [{ key: [] }] } }, { components });
  const cookieOf = async (options, params) => {
    const { call, requests } = await apiOf(document, options);
    await call(`sdk.api.a(${params})`);
    return requests[0].headers.cookie;
  };

  test('are parameters and use the styles of forms', async () => {
    expect(await cookieOf({}, "{ theme: 'a;b=c ü', ids: [1, 2], csv: [3, 4] }")).toBe(
      'theme=a%3Bb%3Dc%20%C3%BC; ids=1; ids=2; csv=3,4',
    );
  });

  test('of guests follow those of the host and cannot repeat them', async () => {
    expect(await cookieOf({ credentials: { key: 's' } }, "{ theme: 'x' }")).toBe('session=s; theme=x');
    expect(await cookieOf({ headers: { cookie: 'theme=host; b=c' } }, "{ theme: 'x', ids: [1] }")).toBe(
      'theme=host; b=c; ids=1',
    );
    const { call } = await apiOf(document);
    await expectCode(call("sdk.api.a({ session: 'stolen' })"), 'ERR_INVALID_PARAMS');
  });
});

describe('delimiters and reserved characters are escaped', () => {
  test.each([
    ['a comma', parameter('query', 'q', names, { explode: false }), "['a,b', 'c d']", 'q=a%2Cb,c%20d'],
    ['a space', parameter('query', 'q', names, { style: 'spaceDelimited' }), "['a b', 'c']", 'q=a%20b%20c'],
    ['a pipe', parameter('query', 'q', names, { style: 'pipeDelimited' }), "['a|b', 'c']", 'q=a%7Cb|c'],
    ['an object', parameter('query', 'q', {}, { explode: false }), "{ a: '1,2', b: 3 }", 'q=a,1%2C2,b,3'],
    ['plus and ampersand', parameter('query', 'q', text), "'a+b&c=d#e'", 'q=a%2Bb%26c%3Dd%23e'],
    ['half a surrogate pair', parameter('query', 'q', text), String.raw`'\ud800'`, 'q=%EF%BF%BD'],
    ['allowReserved', parameter('query', 'q', text, { allowReserved: true }), "'/a:b?c@d,e;f=g'", 'q=/a:b?c@d,e;f=g'],
    [
      'allowReserved, except characters that end the value',
      parameter('query', 'q', text, { allowReserved: true }),
      "'a&b=c#d+e f'",
      'q=a%26b=c%23d%2Be%20f',
    ],
    ['allowReserved, escapes', parameter('query', 'q', text, { allowReserved: true }), "'%2Fa%zz'", 'q=%2Fa%25zz'],
    [
      'allowReserved in a list',
      parameter('query', 'q', names, { allowReserved: true, explode: false }),
      "['a/b', 'c']",
      'q=a/b,c',
    ],
  ])('%s', async (_, given, value, expected) => {
    const { call, requests } = await apiOf(documentOf({ '/a': { operationId: 'a', parameters: [given] } }));
    await call(`sdk.api.a({ q: ${value} })`);
    expect(requests[0].url.split('/a?')[1]).toBe(expected);
  });

  test('next to a credential in the query, which no parameter can repeat', async () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } };
    const parameters = [parameter('query', 'q', names, { explode: false }), parameter('query', 'filter', {})];
    const document = documentOf({ '/a': { operationId: 'a', parameters, security: [{ key: [] }] } }, { components });
    const { call, paths } = await apiOf(document, { credentials: { key: 'a b' } });
    await call("sdk.api.a({ q: ['x', 'y'], filter: { key: 'stolen', b: 1 } })");
    expect(paths()).toStrictEqual(['/a?q=x,y&b=1&key=a%20b']);
  });

  test('in forms with allowReserved in their encoding', async () => {
    const content = {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: { q: names } },
        encoding: { q: { explode: false } },
      },
    };
    const { call, requests } = await apiOf(
      documentOf({ '/a': { method: 'post', operationId: 'a', requestBody: { content } } }),
    );
    await call("sdk.api.a({ body: { q: ['a,b', 'c d'], r: 'x+y &' } })");
    expect(requests[0].body).toBe('q=a%2Cb,c+d&r=x%2By+%26');
  });
});

describe('bytes as parameters', () => {
  const bytes = 'new Uint8Array([0, 255, 128, 10, 13])';
  const expected = [0, 255, 128, 10, 13];
  const binary = { type: 'string', format: 'binary' };
  const bodyOf = (content) => ({
    '/a': { method: 'post', operationId: 'a', requestBody: { required: true, content } },
  });

  test.each([
    ['application/octet-stream', { schema: binary }, bytes],
    ['image/png', {}, bytes],
    ['application/pdf', { schema: { type: 'string' } }, `${bytes}.buffer`],
    ['application/zip', { schema: {} }, `new DataView(${bytes}.buffer)`],
    ['image/*', { schema: binary }, `new Uint8Array([9, ...${bytes}]).subarray(1)`],
  ])('are the body of %s', async (type, media, value) => {
    const { call, requests } = await apiOf(documentOf(bodyOf({ [type]: media })));
    await call(`sdk.api.a({ body: ${value} })`);
    expect([...requests[0].body]).toStrictEqual(expected);
  });

  test('are a file of a form, with its name and type', async () => {
    const schema = { $ref: '#/components/schemas/Upload' };
    const Upload = {
      type: 'object',
      required: ['file'],
      properties: {
        file: { ...binary, description: 'The picture' },
        more: { type: 'array', items: binary },
        title: text,
      },
    };
    const { call, requests, registry } = await apiOf(
      documentOf(bodyOf({ 'multipart/form-data': { schema } }), { components: { schemas: { Upload } } }),
    );
    expect(registry.sources[0].methods[0].params.properties.body.properties.file.description).toBe('The picture');
    await call(
      `sdk.api.a({ body: { file: { content: ${bytes}, filename: 'ü "a".png', contentType: 'image/png' }, more: [${bytes}, 'text', { content: 'x', filename: 'b.txt' }], title: 'T' } })`,
    );
    const { headers, body } = requests[0];
    const form = await new Response(body, { headers: { 'content-type': headers['content-type'] } }).formData();
    const file = form.get('file');
    expect([file.name, file.type, [...new Uint8Array(await file.arrayBuffer())]]).toStrictEqual([
      'ü "a".png',
      'image/png',
      expected,
    ]);
    const more = await Promise.all(
      form
        .getAll('more')
        .map(async (one) => [one.name, one.type, Buffer.from(await one.arrayBuffer()).toString('latin1')]),
    );
    expect(more).toStrictEqual([
      ['more', 'application/octet-stream', Buffer.from(expected).toString('latin1')],
      ['more', 'application/octet-stream', 'text'],
      ['b.txt', 'application/octet-stream', 'x'],
    ]);
    expect(form.get('title')).toBe('T');
  });

  test('are a file of a form whose schema is composed', async () => {
    const schema = {
      allOf: [
        { type: 'object', properties: { file: binary } },
        { type: 'object', properties: { title: text } },
      ],
    };
    const { call, requests } = await apiOf(documentOf(bodyOf({ 'multipart/form-data': { schema } })));
    await call(`sdk.api.a({ body: { file: { content: ${bytes}, filename: 'a.bin' }, title: 'T' } })`);
    expect(Buffer.from(requests[0].body).toString('latin1')).toContain('name="file"; filename="a.bin"');
  });

  test.each([
    [
      "{ content: 'x', contentType: 'a/b\\r\\nx: y' }",
      'contentType of a file must be a media type, got "a/b\\r\\nx: y"',
    ],
    ["{ content: 'x', contentType: 'png' }", 'contentType of a file must be a media type, got "png"'],
  ])('are refused for a file with a wrong type: %s', async (file, message) => {
    const schema = { type: 'object', properties: { file: binary } };
    const { call, requests } = await apiOf(documentOf(bodyOf({ 'multipart/form-data': { schema } })));
    const { details } = await expectCode(call(`sdk.api.a({ body: { file: ${file} } })`), 'ERR_TOOL_PROXY_FAIL');
    expect([details.message, requests]).toStrictEqual([message, []]);
    await expectCode(call('sdk.api.a({ body: { file: { name: 5 } } })'), 'ERR_INVALID_PARAMS');
  });

  test('are base64 in JSON, queries and forms, while lists of other numbers stay lists', async () => {
    const { call, requests } = await apiOf(
      documentOf({
        '/a': {
          method: 'post',
          operationId: 'a',
          requestBody: jsonBody({
            type: 'object',
            properties: { data: { type: 'string', format: 'byte' }, list: { type: 'array' } },
          }),
          parameters: [parameter('query', 'q', text)],
        },
      }),
    );
    await call(`sdk.api.a({ data: ${bytes}, list: new Float64Array([1.5, 2]), q: ${bytes} })`);
    const base64 = Buffer.from(expected).toString('base64');
    expect([requests[0].body, requests[0].url.split('?')[1]]).toStrictEqual([
      `{"data":"${base64}","list":[1.5,2]}`,
      `q=${encodeURIComponent(base64)}`,
    ]);
  });

  test('are checked like strings and count towards the size of parameters', async () => {
    const { call } = await apiOf(
      documentOf(
        bodyOf({ 'application/json': { schema: { type: 'object', properties: { n: { type: 'integer' } } } } }),
      ),
    );
    await expectCode(call(`sdk.api.a({ n: ${bytes} })`), 'ERR_INVALID_PARAMS');
    const large = await apiOf(documentOf(bodyOf({ 'application/octet-stream': { schema: binary } })));
    await large.call('sdk.api.a({ body: new Uint8Array(40000) })');
    expect(large.requests[0].body.length).toBe(40_000);
    await expectCode(large.call('sdk.api.a({ body: new Uint8Array(60000) })'), 'ERR_INVALID_PARAMS');
  });
});

describe('unsupported security schemes', () => {
  test.each([
    ['digest', { type: 'http', scheme: 'digest' }, 'HTTP scheme "digest"'],
    ['Digest', { type: 'http', scheme: 'Digest' }, 'HTTP scheme "Digest"'],
    ['negotiate', { type: 'http', scheme: 'negotiate' }, 'HTTP scheme "negotiate"'],
    ['a certificate', { type: 'mutualTLS' }, 'type "mutualTLS"'],
    ['a key without a place', { type: 'apiKey', name: 'x' }, 'type "apiKey"'],
  ])('cause an error for %s, which is not sent as Bearer', async (_, scheme, what) => {
    const document = documentOf(
      { '/a': { operationId: 'a', security: [{ own: [] }] } },
      { components: { securitySchemes: { own: scheme } } },
    );
    const error = await rejection(
      registryFromOpenApi(document, { baseUrl: 'https://api.test', credentials: { own: 'me:pw' } }),
    );
    expect(error).toStrictEqual(
      new TypeError(
        `options.credentials.own cannot be sent: the ${what} is not supported; use options.headers or options.fetch`,
      ),
    );
    const { call, requests } = await apiOf(document);
    await call('sdk.api.a()');
    expect(requests[0].headers.authorization).toBe(undefined);
  });

  test.each([['oauth2'], ['openIdConnect']])('do not include %s, which is sent as Bearer', async (type) => {
    const document = documentOf(
      { '/a': { operationId: 'a', security: [{ own: [] }] } },
      { components: { securitySchemes: { own: { type } } } },
    );
    const { call, requests } = await apiOf(document, { credentials: { own: 'token' } });
    await call('sdk.api.a()');
    expect(requests[0].headers.authorization).toBe('Bearer token');
  });

  test.each([
    ['Bearer token', 'Bearer token'],
    ['bearer  token', 'Bearer token'],
    ['bearer-token', 'Bearer bearer-token'],
  ])('say Bearer once if the token is %j', async (own, sent) => {
    const document = documentOf(
      { '/a': { operationId: 'a', security: [{ own: [] }] } },
      { components: { securitySchemes: { own: { type: 'http', scheme: 'bearer' } } } },
    );
    const { call, requests } = await apiOf(document, { credentials: { own } });
    await call('sdk.api.a()');
    expect(requests[0].headers.authorization).toBe(sent);
  });
});

describe('a relative server', () => {
  test.each([
    ['/api/v3', 'https://pets.test', 'https://pets.test/api/v3/a'],
    ['/api/v3', 'https://pets.test/api/v3', 'https://pets.test/api/v3/a'],
    ['/api/v3/', 'https://pets.test/other', 'https://pets.test/api/v3/a'],
    ['v2', 'https://pets.test/base', 'https://pets.test/base/v2/a'],
    ['./v2', 'https://pets.test/base/', 'https://pets.test/base/v2/a'],
    ['//other.test/x', 'https://pets.test', 'https://other.test/x/a'],
    ['/', 'https://pets.test/base', 'https://pets.test/base/a'],
    ['', 'https://pets.test/base', 'https://pets.test/base/a'],
    ['/v1', 'https://pets.test/?key=1', 'https://pets.test/v1/a?key=1'],
    ['https://unused.test/x', 'https://pets.test/base', 'https://pets.test/base/a'],
  ])('%s is resolved against the base URL %s', async (url, baseUrl, expected) => {
    const { call, requests } = await apiOf(documentOf({ '/a': { operationId: 'a' } }, { servers: [{ url }] }), {
      baseUrl,
    });
    await call('sdk.api.a()');
    expect(requests[0].url).toBe(expected);
  });

  test.each([
    ['the first one of HTTP', [{ url: 'wss://a.test/x' }, { url: 'https://b.test/y' }]],
    ['the first one without an open variable', [{ url: 'https://{tenant}.test' }, { url: 'https://b.test/y' }]],
  ])('is %s', async (_, servers) => {
    const { call, requests } = await apiOf(documentOf({ '/a': { operationId: 'a' } }, { servers }), {
      baseUrl: undefined,
    });
    await call('sdk.api.a()');
    expect(requests[0].url).toBe('https://b.test/y/a');
  });

  test('with a variable that has no default needs a base URL', async () => {
    const document = documentOf({ '/a': { operationId: 'a' } }, { servers: [{ url: 'https://{tenant}.api.test/v1' }] });
    const error = await rejection(registryFromOpenApi(document));
    expect(error.message).toBe(
      'options.baseUrl must be an http URL, since the document has none, got "https://{tenant}.api.test/v1"',
    );
    const { call, requests } = await apiOf(document, { baseUrl: 'https://acme.api.test/v2' });
    await call('sdk.api.a()');
    expect(requests[0].url).toBe('https://acme.api.test/v2/a');
  });

  test('without a base URL is refused', async () => {
    expect(await rejection(registryFromOpenApi(documentOf({ '/a': {} }, { servers: [{ url: '/v1' }] })))).toStrictEqual(
      new TypeError('options.baseUrl must be an http URL, since the document has none, got "/v1"'),
    );
  });
});
