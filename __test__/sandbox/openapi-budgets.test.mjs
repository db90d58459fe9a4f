// References that double kept a thread busy forever: the validator followed each path through them.
import { describe, expect, test } from 'vitest';

import { registryFromOpenApi } from '../../build/sandbox/index.js';
import { rejection } from '../helpers.mjs';
import { documentOf, methodsOf } from './openapi-api.mjs';

const baseUrl = 'https://api.test';
const loaded = (document, options) => registryFromOpenApi(document, { baseUrl, ...options });
/** 28 levels, each of which refers to the next one twice. */
const doubled = (at, { words = ['a', 'b'], levels = 28 } = {}) =>
  Object.fromEntries(
    Array.from({ length: levels }, (_, i) => [
      `s${i}`,
      { type: 'object', properties: Object.fromEntries(words.map((word) => [word, { $ref: `${at}s${i + 1}` }])) },
    ]).concat([[`s${levels}`, { type: 'string' }]]),
  );
const jsonBody = (schema) => ({ required: true, content: { 'application/json': { schema } } });
const answers = (schema) => ({ 200: { description: 'ok', content: { 'application/json': { schema } } } });

describe('references that double are read quickly', () => {
  const places = {
    extension: ['#/x-own/', (own) => ({ 'x-own': own })],
    components: ['#/components/schemas/', (schemas) => ({ components: { schemas } })],
    headers: ['#/components/headers/', (headers) => ({ components: { headers } })],
    paths: ['#/paths/~1x/x-own/', (own) => ({ paths: { '/x': { 'x-own': own } } })],
  };
  test.each(Object.keys(places))('in %s', async (name) => {
    const [at, withThem] = places[name];
    const schema = { $ref: `${at}s0` };
    const document = documentOf({
      '/body': { method: 'post', operationId: 'body', requestBody: jsonBody(schema) },
      '/query': { operationId: 'query', parameters: [{ name: 'q', in: 'query', schema }] },
      '/answer': { operationId: 'answer', responses: answers(schema) },
    });
    const { paths = {}, ...others } = withThem(doubled(at));
    Object.assign(document.paths, paths);
    Object.assign(document, others);
    expect(JSON.stringify(document).length).toBeLessThan(4_000);
    const api = await loaded(document, { timeoutMs: 5_000 });
    expect([methodsOf(api), api.warnings]).toStrictEqual([['api.body', 'api.query', 'api.answer'], []]);
    expect(JSON.stringify(api.registry).length).toBeLessThan(20_000);
  });

  test('of alternatives, of lists of many, and of a chain of parts', async () => {
    const at = '#/x-own/';
    const lists = Object.fromEntries(
      Array.from({ length: 28 }, (_, i) => [
        `s${i}`,
        { allOf: [{ $ref: `${at}s${i + 1}` }, { $ref: `${at}s${i + 1}` }] },
      ]).concat([['s28', { type: 'string' }]]),
    );
    const wide = doubled('#/x-wide/', { words: Array.from({ length: 40 }, (_, i) => `p${i}`), levels: 8 });
    const document = documentOf({
      '/lists': {
        method: 'post',
        operationId: 'lists',
        requestBody: jsonBody({ $ref: '#/x-own/s0' }),
        responses: answers({ $ref: '#/x-own/s0' }),
      },
      '/wide': {
        method: 'post',
        operationId: 'wide',
        requestBody: jsonBody({ $ref: '#/x-wide/s0' }),
        responses: answers({ $ref: '#/x-wide/s0' }),
      },
    });
    const api = await loaded({ ...document, 'x-own': lists, 'x-wide': wide }, { timeoutMs: 5_000 });
    expect([methodsOf(api), api.warnings]).toStrictEqual([['api.lists', 'api.wide'], []]);
  });

  test.each(['multipart/form-data', 'application/x-www-form-urlencoded'])(
    'of the parts of a form: %s',
    async (type) => {
      const parts = (at, width, levels) =>
        Object.fromEntries(
          Array.from({ length: levels }, (_, i) => [
            `s${i}`,
            { allOf: Array.from({ length: width }, () => ({ $ref: `${at}s${i + 1}` })) },
          ]).concat([
            [`s${levels}`, { properties: { f: { type: 'string', format: 'binary' }, n: { type: 'integer' } } }],
          ]),
        );
      const form = ($ref) => ({ required: true, content: { [type]: { schema: { $ref } } } });
      const document = documentOf({
        '/deep': { method: 'post', operationId: 'deep', requestBody: form('#/x-deep/s0') },
        '/wide': { method: 'post', operationId: 'wide', requestBody: form('#/x-wide/s0') },
      });
      const api = await loaded({
        ...document,
        'x-deep': parts('#/x-deep/', 2, 28),
        'x-wide': parts('#/x-wide/', 40, 9),
      });
      expect([methodsOf(api), api.warnings]).toStrictEqual([['api.deep', 'api.wide'], []]);
      expect(JSON.stringify(api.registry).length).toBeLessThan(40_000);
    },
  );

  test('of a chain of thousands of parts, with properties that are only read', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [
        `s${i}`,
        { allOf: [{ $ref: `#/components/schemas/s${i + 1}` }], required: ['own', 'id'], properties: { own: {} } },
      ]).concat([['s20000', { type: 'object', properties: { id: { type: 'string', readOnly: true } } }]]),
    );
    const document = documentOf({
      '/a': { method: 'post', operationId: 'a', requestBody: jsonBody({ $ref: '#/components/schemas/s0' }) },
    });
    const api = await loaded({ ...document, components: { schemas } });
    expect([methodsOf(api), api.warnings]).toStrictEqual([['api.a'], []]);
    const required = Object.values(api.registry.$defs).map((schema) => schema.required);
    expect(required).toStrictEqual(expect.arrayContaining([['own']]));
    expect(required.some((names) => names?.includes('id'))).toBe(false);
  });

  test('of parameters, paths and answers that refer to each other', async () => {
    const parameters = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`p${i}`, { $ref: `#/components/parameters/p${i + 1}` }]),
    );
    const document = documentOf(
      { '/a': { parameters: [{ $ref: '#/components/parameters/p0' }] } },
      { components: { parameters } },
    );
    Object.assign(document.paths, { '/b': { $ref: '#/paths/~1c' }, '/c': { $ref: '#/paths/~1b' } });
    const { warnings } = await loaded(document, { timeoutMs: 5_000 });
    expect(warnings).toStrictEqual([
      'GET /a is left out: the reference #/components/parameters/p0 leads to itself (#/paths/~1a/get)',
      '/b is left out: the reference #/paths/~1c leads to itself (#/paths/~1b)',
      '/c is left out: the reference #/paths/~1b leads to itself (#/paths/~1c)',
    ]);
  });
});

describe('oversized documents are refused with a clear error', () => {
  test('an object in which each level contains the next one twice', async () => {
    let schema = { type: 'string' };
    for (let level = 0; level < 28; level++) schema = { type: 'object', properties: { a: schema, b: schema } };
    const document = documentOf({ '/a': { method: 'post', requestBody: jsonBody(schema) } });
    expect(await rejection(loaded(document))).toStrictEqual(new TypeError('document has more than 5000000 values'));
  });

  test('doubling aliases of YAML', async () => {
    const lines = Array.from({ length: 28 }, (_, i) => `x-${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);
    const text = `openapi: 3.0.3\nx-0: &a0 [x]\n${lines.join('\n')}\npaths: {}`;
    const error = await rejection(loaded(text));
    expect(error).toBeInstanceOf(SyntaxError);
    expect(error.message).toMatch(/^document cannot be read as YAML: Excessive alias count/);
  });

  test('copies of the same parameter schemas in many operations', async () => {
    const schema = {
      enum: Array.from({ length: 10 }, (_, i) => i),
      allOf: Array.from({ length: 3_000 }, () => ({})),
    };
    const parameters = { P: { name: 'p', in: 'query', schema } };
    const paths = Array.from({ length: 8_000 }, (_, i) => [
      `/${i}`,
      { get: { parameters: [{ $ref: '#/components/parameters/P' }] } },
    ]);
    const document = { openapi: '3.0.3', components: { parameters }, paths: Object.fromEntries(paths) };
    expect(await rejection(loaded(JSON.stringify(document), { timeoutMs: 60_000 }))).toStrictEqual(
      new RangeError('document takes more than 5000000 values when it is read'),
    );
  });

  // A message between threads copies a string each time it occurs: 1 MB of text ended a host with a heap of 1 GB.
  test.each([
    ['a description', { description: 'x'.repeat(1_000_000), schema: { type: 'string' } }],
    ['an example', { example: Array(100_000).fill({ a: 1 }), schema: { type: 'string' } }],
    ['members', { schema: { enum: Array.from({ length: 100_000 }, (_, i) => `member ${i}`) } }],
    ['a default', { schema: { type: 'array', default: Array(500_000).fill(1) } }],
    ['required names', { schema: { type: 'object', required: Array.from({ length: 90_000 }, (_, i) => `name${i}`) } }],
  ])('%s in the parameter of many operations', async (_, parameter) => {
    const parameters = { P: { name: 'p', in: 'query', ...parameter } };
    const paths = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [
        `/${i}`,
        { get: { parameters: [{ $ref: '#/components/parameters/P' }] } },
      ]),
    );
    expect(await rejection(loaded({ openapi: '3.0.3', components: { parameters }, paths }))).toStrictEqual(
      new RangeError('document takes more than 67108864 characters when it is read'),
    );
  });

  test('members in the parameter of many operations of Swagger', async () => {
    const members = Array.from({ length: 20_000 }, (_, i) => `member ${i}`);
    const parameters = { P: { name: 'p', in: 'query', type: 'string', enum: members } };
    const operation = { parameters: [{ $ref: '#/parameters/P' }], responses: {} };
    const paths = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`/${i}`, { get: operation }]));
    expect(await rejection(loaded({ swagger: '2.0', host: 'api.test', parameters, paths }))).toStrictEqual(
      new RangeError('document takes more than 67108864 characters when it is read'),
    );
  });

  test.each([
    ['JSON', (inner) => `{"openapi":"3.0.3","paths":{},"x-a":${inner}}`],
    ['YAML', (inner) => `openapi: 3.0.3\npaths: {}\nx-a: ${inner}`],
  ])('nested brackets, as %s', async (form, text) => {
    const error = await rejection(loaded(text('['.repeat(2_000) + ']'.repeat(2_000))));
    expect([form, error.message]).toStrictEqual([form, 'document is nested more than 500 levels deep']);
  });

  test('a document beyond its limit, before it is read', async () => {
    const text = `openapi: 3.0.3\npaths: {}\nx-a: ${'ü'.repeat(600)}`;
    const refused = async (maxDocumentBytes) => (await rejection(loaded(text, { maxDocumentBytes }))).message;
    expect(await refused(1_000)).toBe('document has more than 1000 bytes, the limit of options.maxDocumentBytes');
    expect(await refused(500)).toBe('document has more than 500 bytes, the limit of options.maxDocumentBytes');
    expect((await loaded(text, { maxDocumentBytes: 2_000 })).warnings).toStrictEqual([]);
  });

  test('files beyond their total limit', async () => {
    const document = { openapi: '3.0.3', paths: { '/a': { $ref: 'a.yaml' }, '/b': { $ref: 'b.yaml' } } };
    const readFile = () => `x-a: ${'x'.repeat(600)}`;
    expect(await rejection(loaded(document, { readFile, maxDocumentBytes: 1_000 }))).toStrictEqual(
      new RangeError('the files of the document have more than 1000 characters'),
    );
  });
});

describe('documents with many parts of one kind are read quickly', () => {
  test('keys of a mapping in YAML, of which the last of two counts', async () => {
    const keys = Array.from({ length: 100_000 }, (_, i) => `  k${i}: {}`).join('\n');
    const path = 'get: { operationId: NAME, responses: {} }';
    const paths = `paths:\n  /a: { ${path.replace('NAME', 'first')} }\n  /a: { ${path.replace('NAME', 'last')} }`;
    const api = await loaded(`openapi: 3.0.3\nx-own:\n${keys}\n${paths}`);
    expect([methodsOf(api), api.warnings]).toStrictEqual([['api.last'], []]);
  });

  test('operations with the same name, and alternatives of credentials', async () => {
    const schemes = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [`s${i}`, { type: 'http', scheme: 'bearer' }]),
    );
    const document = documentOf(
      Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`/${i}`, { operationId: 'same' }])),
      { components: { securitySchemes: schemes }, security: Object.keys(schemes).map((name) => ({ [name]: [] })) },
    );
    const api = await loaded(document);
    const names = methodsOf(api);
    expect([names.length, names[0], names[1], names.at(-1)]).toStrictEqual([
      20_000,
      'api.same',
      'api.same2',
      'api.same20000',
    ]);
  });

  test('content types, of which a program can choose 20', async () => {
    const content = Object.fromEntries(
      Array.from({ length: 1_500 }, (_, i) => [
        `application/x${i}+json`,
        {
          schema: {
            title: `t${i}`,
            properties: Object.fromEntries(Array.from({ length: 50 }, (_, j) => [`p${j}`, {}])),
          },
        },
      ]),
    );
    const api = await loaded(documentOf({ '/a': { method: 'post', operationId: 'a', requestBody: { content } } }));
    expect(api.registry.sources[0].methods[0].params.properties.contentType.enum.length).toBe(20);
  });

  test('parameters, more than 1,000 of which leave out their operation', async () => {
    const parametersOf = (length) => Array.from({ length }, (_, i) => ({ name: `p${i}`, in: 'query', schema: {} }));
    const api = await loaded(
      documentOf({
        '/a': { operationId: 'a', parameters: parametersOf(1_000) },
        '/b': { operationId: 'b', parameters: parametersOf(1_001) },
      }),
    );
    expect([methodsOf(api), api.warnings]).toStrictEqual([
      ['api.a'],
      ['GET /b is left out: it has more than 1000 parameters (#/paths/~1b/get)'],
    ]);
  });
});

test.each([
  ['a function', { 'x-a': () => 1 }],
  ['a symbol', { 'x-a': Symbol('a') }],
  ['a proxy', { 'x-a': new Proxy({}, {}) }],
])('an object with %s is refused, because it is not data', async (_, others) => {
  const error = await rejection(loaded({ openapi: '3.0.3', paths: {}, ...others }));
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toMatch(/^document must be data, as JSON represents it: /);
});

describe('reading a document ends', () => {
  const endless = { openapi: '3.0.3', paths: { '/a': { $ref: 'a.yaml' } } };
  const readFile = () => new Promise(() => {});

  test('at its deadline', async () => {
    expect(await rejection(loaded(endless, { readFile, timeoutMs: 50 }))).toStrictEqual(
      new RangeError('document cannot be read within 50 ms, the limit of options.timeoutMs'),
    );
  });

  test('when its signal is aborted, before and during the reading', async () => {
    const reason = new Error('not wanted');
    expect(await rejection(loaded(endless, { readFile, signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    const aborting = () => {
      controller.abort(reason);
      return readFile();
    };
    expect(await rejection(loaded(endless, { readFile: aborting, signal: controller.signal }))).toBe(reason);
  });

  test('in the middle of work that nothing else interrupts', async () => {
    const deep = `{"openapi":"3.0.3","paths":{},"x-a":[${'[],'.repeat(2_000_000)}[]]}`;
    expect(await rejection(loaded(deep, { timeoutMs: 1 }))).toStrictEqual(
      new RangeError('document cannot be read within 1 ms, the limit of options.timeoutMs'),
    );
  });

  test.each([
    [{ timeoutMs: 0 }, 'options.timeoutMs must be a positive integer, got 0'],
    [{ maxDocumentBytes: '1' }, 'options.maxDocumentBytes must be a positive integer, got "1"'],
    [{ signal: {} }, 'options.signal must be an AbortSignal, got an object'],
    [{ readFile: 'x' }, 'options.readFile must be a function, got "x"'],
  ])('with an error for the option %j', async (options, message) => {
    expect(await rejection(loaded({ openapi: '3.0.3', paths: {} }, options))).toStrictEqual(new TypeError(message));
  });
});

test('a cyclic object, as made by tools that resolve references, is read', async () => {
  const pet = { type: 'object', properties: { name: { type: 'string' } } };
  pet.properties.parent = pet;
  const api = await loaded(
    documentOf({ '/a': { method: 'post', operationId: 'a', requestBody: jsonBody(pet), responses: answers(pet) } }),
  );
  expect(api.registry.sources[0].methods[0].params.properties).toStrictEqual({
    name: { type: 'string' },
    parent: { type: 'object', properties: { name: { type: 'string' }, parent: {} } },
  });
});
