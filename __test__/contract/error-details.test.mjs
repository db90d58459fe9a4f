// Errors of tools may come from third parties. Reading them ends soon, throws nothing, and gives plain data only.

import { createRequire } from 'node:module';
import { types } from 'node:util';
import vm from 'node:vm';

import { describe, expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const { errorDetails, hideDetails, wrapDetails } = require('../../build/contract/error-details.js');
const wire = require('../../build/ses/transfer.js');

const trap = () => {
  throw new Error('trap');
};
const hostileProxy = (target = {}) =>
  new Proxy(target, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap });
const revoked = (target) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};
const withParts = (parts) => Object.assign(new Error('x'), parts);
/** An error whose properties are getters. */
const withGetters = (getters) =>
  Object.defineProperties(
    new Error('x'),
    Object.fromEntries(Object.entries(getters).map(([key, get]) => [key, { get }])),
  );
/** A part that is an error without code and details. */
const errorPart = (message, name = 'Error') => [name, message, undefined, undefined];

describe('the details of an error', () => {
  const inner = Object.assign(new RangeError('inner'), { code: 'E_IN', status: 1, path: '/etc' });

  test.each([
    ['of nothing but a message', new Error('x'), undefined],
    ['with a cause', withParts({ cause: inner }), { cause: ['RangeError', 'inner', 'E_IN', { status: 1 }] }],
    ['with a string as cause', withParts({ cause: 'why' }), { cause: ['why'] }],
    ['with null as cause', withParts({ cause: null }), { cause: [null] }],
    ['without a cause', withParts({ cause: undefined }), undefined],
    ['with errors', withParts({ errors: [inner] }), { errors: [['RangeError', 'inner', 'E_IN', { status: 1 }]] }],
    ['with values as errors', withParts({ errors: ['a', 1, undefined] }), { errors: [['a'], [1], [undefined]] }],
    ['with errors by name', withParts({ errors: { name: ['is missing'] } }), undefined],
    ['with a status', withParts({ status: 404 }), { status: 404 }],
    ['with a name as status', withParts({ status: 'NOT_FOUND' }), { status: 'NOT_FOUND' }],
    ['with a status code', withParts({ statusCode: 429 }), { status: 429 }],
    ['with two statuses', withParts({ status: 500, statusCode: 429 }), { status: 500 }],
    ['with an object as status', withParts({ status: { code: 1 }, statusCode: 429 }), { status: 429 }],
    ['with a status that is not a number', withParts({ status: NaN, statusCode: Infinity }), undefined],
    ['with an empty status', withParts({ status: '' }), undefined],
    ['with a long status', withParts({ status: 'x'.repeat(101), statusCode: 1 }), { status: 1 }],
    ['with data', withParts({ data: { a: [1, 'b', null, 5n, true] } }), { data: { a: [1, 'b', null, 5n, true] } }],
    ['with dates in data', withParts({ data: [new Date(5)] }), { data: [new Date(5)] }],
    ['with null as data', withParts({ data: null }), { data: null }],
    ['that is an AggregateError', new AggregateError([1], 'x'), { isAggregate: true, errors: [[1]] }],
    ['that is an empty AggregateError', new AggregateError([], 'x'), { isAggregate: true, errors: [] }],
    [
      'that is an AggregateError of another realm',
      vm.runInNewContext('new AggregateError([new TypeError("t")])'),
      { isAggregate: true, errors: [errorPart('t', 'TypeError')] },
    ],
    ['that is a plain object', { message: 'x', status: 5, cause: inner.code }, { status: 5, cause: ['E_IN'] }],
    ['that is a string', 'text', undefined],
    ['that is null', null, undefined],
  ])('%s', (_title, thrown, details) => {
    expect(errorDetails(thrown)).toStrictEqual(details);
  });
});

describe('hostile errors', () => {
  class Instance {
    a = 1;
  }
  const cyclicData = {};
  cyclicData.self = cyclicData;
  const OF_DATA = [
    ['a symbol', Symbol('s')],
    ['a function', () => 1],
    ['a function inside', { a: [() => 1] }],
    ['a long BigInt', 1n << 5_000n],
    ['an instance of a class', new Instance()],
    ['a map', new Map([[1, 2]])],
    ['bytes', Buffer.from('a')],
    ['a URL', new URL('http://me:secret@a.test')],
    ['a response', Response.json({})],
    ['an error', new Error('x')],
    ['a proxy', hostileProxy()],
    ['a proxy inside', { a: hostileProxy([]) }],
    ['a revoked proxy', revoked([])],
    ['an object whose prototype is a proxy', Object.create(hostileProxy())],
    ['an object with a getter that throws', { get a() { return trap(); } }], // prettier-ignore
    ['a cycle', cyclicData],
    ['a long string', 'x'.repeat(16_385)],
    ['a long key', { ['x'.repeat(16_385)]: 1 }],
    ['a long array', Array(2_000).fill(0)],
    ['an array that consists of holes', Array(2 ** 32 - 1)],
    ['a million keys', Object.fromEntries(Array.from({ length: 1e6 }, (_, at) => [`k${at}`, 1]))],
    ['many parts that share parts', Array.from({ length: 40 }).reduce((part) => [part, part], 1)],
    ['fifty-one levels', Array.from({ length: 51 }).reduce((part) => [part], 1)],
  ];

  test.each(OF_DATA)('data is omitted: %s', (_title, data) => {
    expect(errorDetails(withParts({ data, status: 1 }))).toStrictEqual({ status: 1 });
    if (!types.isNativeError(data)) expect(errorDetails(withParts({ cause: data }))).toBe(undefined);
  });

  test('data at the limits crosses', () => {
    const deep = Array.from({ length: 50 }).reduce((part) => [part], 1);
    for (const data of ['x'.repeat(16_384), Array(1_999).fill(0), deep]) {
      expect(errorDetails(withParts({ data }))).toStrictEqual({ data });
    }
  });

  test('a key `__proto__` stays a key', () => {
    const { data } = errorDetails(withParts({ data: JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') }));
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(Object.entries(data)).toStrictEqual([
      ['__proto__', { a: 1 }],
      ['constructor', 2],
    ]);
  });

  test.each([
    ['a proxy', hostileProxy(new Error('x'))],
    ['a revoked proxy', revoked(new Error('x'))],
    ['an error whose prototype is a proxy', Object.setPrototypeOf(withParts({}), hostileProxy())],
    ['getters that throw', withGetters({ cause: trap, errors: trap, status: trap, statusCode: trap, data: trap })],
    ['proxies as parts', withParts({ cause: hostileProxy(), errors: hostileProxy([]), data: revoked({}) })],
    ['symbols as parts', withParts({ cause: Symbol('s'), errors: Symbol('s'), status: Symbol('s') })],
    ['a cause that is the error', Object.assign(new Error('x'), { get cause() { return this; } })], // prettier-ignore
  ])('nothing is taken from %s', (_title, thrown) => {
    expect(errorDetails(thrown)).toBe(undefined);
  });

  test('getters are called once, and `stack` never', () => {
    const calls = [];
    const once = (key, ...values) => [key, () => (calls.push(key), values.shift())];
    const data = Object.defineProperty({}, 'a', { get: once('a', 'short', 'x'.repeat(1e6))[1], enumerable: true });
    const thrown = withGetters(
      Object.fromEntries([
        once('cause', new Error('first'), new Error('second')),
        once('errors', ['first'], Array(1e6)),
        once('status', 1, Symbol('s')),
        once('data', data, () => 1),
        once('stack', '/etc/secret'),
      ]),
    );
    calls.length = 0;
    expect(errorDetails(thrown)).toStrictEqual({
      cause: errorPart('first'),
      errors: [['first']],
      status: 1,
      data: { a: 'short' },
    });
    expect(calls.sort()).toStrictEqual(['a', 'cause', 'data', 'errors', 'status']);
  });

  test('a cycle of causes and errors ends where it returns to an error that contains it', () => {
    const [a, b] = [withParts({}), Object.assign(new Error('b'), { status: 2 })];
    Object.assign(a, { cause: b, errors: [a, b] });
    b.cause = a;
    expect(errorDetails(a)).toStrictEqual({
      cause: ['Error', 'b', undefined, { status: 2 }],
      errors: [['Error', 'b', undefined, { status: 2 }], errorPart('errors left out: 1')],
    });
    const list = [];
    list.push(list);
    expect(errorDetails(withParts({ errors: list }))).toStrictEqual({ errors: [errorPart('errors left out: 1')] });
  });

  test('a chain of 10,000 causes ends after eight', () => {
    let thrown = new Error('0');
    for (let depth = 1; depth <= 10_000; depth++) thrown = new Error(`${depth}`, { cause: thrown });
    const messages = [];
    for (let at = errorDetails(thrown); at !== undefined; [, , , at] = at.cause ?? []) messages.push(at.cause?.[1]);
    expect(messages).toStrictEqual(['9999', '9998', '9997', '9996', '9995', '9994', '9993', '9992']);
  });

  test.each([
    ['a million errors', Array(1e6).fill(new Error('same')), errorPart('same')],
    ['holes', Array(2 ** 32 - 1), [undefined]],
  ])('twenty of %s are kept, and one more says how many there are', (_title, errors, part) => {
    const parts = errorDetails(withParts({ errors })).errors;
    expect(parts).toStrictEqual([...Array(20).fill(part), errorPart(`errors left out: ${errors.length - 20}`)]);
  });

  test('the texts of inner errors are cut, and other messages are described', () => {
    const long = 'x'.repeat(10_000_000);
    const cut = `${long.slice(0, 4_096)}...`;
    const cause = Object.assign(new Error(long), { name: long, code: long });
    expect(errorDetails(withParts({ cause }))).toStrictEqual({ cause: [cut, cut, cut, undefined] });
    const odd = Object.assign(new Error(), { message: { toString: trap }, name: 5, code: {} });
    expect(errorDetails(withParts({ cause: odd })).cause).toStrictEqual(errorPart('an object'));
  });

  const text = (length) => '\u4e00'.repeat(length);
  test.each([
    ['errors', () => '', undefined, { errors: 64 }],
    ['characters', () => text(4_000), text(16_000), { chars: 65_536 }],
    ['parts', () => '', Array(1_990).fill(0), { parts: 10_000 }],
  ])('all %s together are bounded', (_title, message, data, limit) => {
    let thrown = new Error('innermost');
    for (let depth = 0; depth < 12; depth++) {
      const errors = Array(30).fill(thrown);
      thrown = Object.assign(new AggregateError(errors, message()), { cause: thrown, data, status: 'x'.repeat(100) });
    }
    const details = errorDetails(thrown);
    const found = sizeOf(details);
    for (const [what, most] of Object.entries(limit)) {
      expect(found[what]).toBeLessThanOrEqual(most);
      expect(found[what]).toBeGreaterThan(0.8 * most);
    }
    // It is never a promise.
    expect(wire.payloadOf(wire.kindOf(details), details, 'details', 1 << 20)).toBeInstanceOf(Uint8Array);
  });

  /** How many errors details have, and of the values in them the characters and parts. */
  function sizeOf(details) {
    const size = { errors: 0, chars: 0, parts: 0 };
    const ofValue = (value) => {
      size.parts++;
      if (typeof value === 'string') size.chars += value.length;
      else if (typeof value === 'object') for (const part of Object.values(value)) ofValue(part);
    };
    const ofDetails = ({ cause = [], errors = [], data }) => {
      if (data !== undefined) ofValue(data);
      for (const [name, message, , inner] of [cause, ...errors]) {
        if (name === undefined || message.startsWith('errors left out')) continue;
        size.errors++;
        size.chars += name.length + message.length;
        if (inner !== undefined) ofDetails(inner);
      }
    };
    ofDetails(details);
    return size;
  }
});

describe('errors of the layers above', () => {
  test('hidden details do not cross, except for the status', () => {
    const secret = withParts({ cause: new Error('secret'), errors: ['secret'], data: 'secret', status: 404 });
    expect(hideDetails(secret)).toBe(secret);
    expect(errorDetails(secret)).toStrictEqual({ status: 404 });
    expect(errorDetails(withParts({ cause: secret }))).toStrictEqual({
      cause: ['Error', 'x', undefined, { status: 404 }],
    });
    expect(hideDetails('text')).toBe('text');
  });

  test('an error that wraps another one for the host has its details', () => {
    const thrown = withParts({ status: 404, cause: 'why' });
    const wrapper = new Error('x', { cause: thrown });
    wrapDetails(wrapper, thrown);
    expect(errorDetails(wrapper)).toStrictEqual({ status: 404, cause: ['why'] });
    const ofText = new Error('x', { cause: 'text' });
    wrapDetails(ofText, 'text');
    expect(errorDetails(ofText)).toBe(undefined);
  });
});
