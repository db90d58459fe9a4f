// Built-ins that loop over a guest's length are V8's own for plain arrays only (crates/engine/js/06_plain_arrays.js).
// For the rest, the same program has the same results, receivers and traps of proxies here as in Node.js, where all are
// V8's.
import { expect, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

const PRELUDE = `"use strict";
const log = [];
const traced = (target) => new Proxy(target, {
  get(object, key, receiver) { log.push('get ' + String(key)); return Reflect.get(object, key, receiver); },
  set(object, key, value, receiver) { log.push('set ' + String(key)); return Reflect.set(object, key, value, receiver); },
  has(object, key) { log.push('has ' + String(key)); return Reflect.has(object, key); },
  deleteProperty(object, key) { log.push('delete ' + String(key)); return Reflect.deleteProperty(object, key); },
  defineProperty(object, key, descriptor) {
    log.push('define ' + String(key) + Object.keys(descriptor));
    return Reflect.defineProperty(object, key, descriptor);
  },
});
class List extends Array {}
class Other { constructor(...args) { this.args = args.length + ':' + args[0]; } }
const withOwn = (list, key, value) => Object.defineProperty(list, key, { value });
const receivers = {
  plain: () => [3, 1, 2, undefined, 5], holes: () => [1, , 3, , 'a', null], empty: () => [],
  nested: () => [1, [2, [3, [4]]], , [[]], 5], subclass: () => List.from([3, 1, 2]),
  like: () => ({ length: 4, 0: 'b', 2: 'a', 3: undefined }), tracedLike: () => traced({ length: 4, 0: 'b', 2: 'a', 3: 3 }),
  traced: () => traced([2, , 1, [7]]), string: () => 'hello', number: () => 5, undefined: () => undefined, null: () => null,
  negative: () => ({ length: -3, 0: 1 }), nan: () => ({ length: NaN }), text: () => ({ length: '2', 0: 1, 1: 2 }),
  fraction: () => ({ length: 2.9, 0: 1, 1: 2, 2: 3 }), arguments: () => (function () { return arguments; })(1, 2, 3),
  frozen: () => Object.freeze([1, 2, 3]), frozenLike: () => Object.freeze({ length: 2, 0: 1, 1: 2 }),
  typed: () => new Uint8Array([5, 6, 7]),
  inherited: () => Object.setPrototypeOf([1, , 3], { __proto__: Array.prototype, 1: 'inherited' }),
  species: () => withOwn([1, 2, 3], 'constructor', { [Symbol.species]: function (length) { this.made = length; } }),
  noSpecies: () => withOwn(traced([1, 2]), 'constructor', 7),
  spreadable: () => ({ length: 2, 0: 'x', 1: 'y', [Symbol.isConcatSpreadable]: true }),
  notSpreadable: () => withOwn([1, 2], Symbol.isConcatSpreadable, false), symbol: () => ({ length: Symbol() }),
  bigint: () => ({ length: 5n }),
  cyclic: () => {
    const list = { length: 2, 1: 'z', toString() { return Array.prototype.join.call(this); } };
    list[0] = list;
    return list;
  },
};
const show = (value, depth = 0) => {
  if (typeof value === 'function') return 'function ' + value.name;
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : typeof value + String(value);
  if (depth > 4) return '...';
  const mark = log.length;
  const name = Array.isArray(value) ? 'Array:' + value.constructor?.name : Object.prototype.toString.call(value);
  const keys = Reflect.ownKeys(value).slice(0, 20).map((key) => {
    const found = Object.getOwnPropertyDescriptor(value, key);
    if (found === undefined) return '';
    const held = 'value' in found ? show(found.value, depth + 1) : 'accessor';
    return String(key) + ':' + held + [found.writable, found.enumerable, found.configurable].map(Number).join('');
  });
  log.length = mark;
  return name + '{' + keys + '}';
};
const results = [];
const trial = (label, call, receiver) => {
  log.length = 0;
  const on = receiver();
  let result;
  try { result = show(call(on)); } catch (error) { result = 'throws ' + error.constructor.name; }
  const traps = log.join('|').slice(0, 1500);
  results.push([label, result, show(on).slice(0, 500), traps]);
};
`;

/** The results of a program in the executor and in this realm. */
async function both(/** @type {string} */ program) {
  const code = `${PRELUDE}${program}\nreturn results;`;
  const here = await withExecutor(
    { timeoutMs: 60_000, maxOperations: 1e9 },
    {},
    async (executor) => (await executor.run(code)).output,
  );
  return { here, there: new Function(code)() };
}

test.each([
  ['concat', 'copyWithin', 'fill', 'flat', 'includes', 'indexOf', 'join', 'lastIndexOf', 'reverse', 'shift'],
  ['slice', 'splice', 'toReversed', 'toSpliced', 'unshift', 'with', 'at', 'pop', 'push'],
])('methods of values return what V8 returns: %s …', async (...methods) => {
  const { here, there } = await both(`
    const lists = [
      [], [undefined], [1], [-1], [0, 2], [1, 1, 'n', 'm'], [-2, 1, 'n'], [2, 0, 'p', 'q', 'r'], ['a'], [3, undefined], [3, -1],
      [1, 5], ['1', '2'], [Infinity], [-Infinity, Infinity], [NaN], [receivers.spreadable(), [9, , 8]], [[1]],
      [traced([1, , 2])], [null], [Symbol()], [5n],
    ];
    for (const method of ${JSON.stringify(methods)}) for (const [name, receiver] of Object.entries(receivers)) {
      lists.forEach((list, index) => trial(method + name + index, (on) => Array.prototype[method].apply(on, list), receiver));
    }`);
  expect(here).toStrictEqual(there);
});

test('array methods with callbacks return what V8 returns', async () => {
  const { here, there } = await both(`
    const callbacks = [
      [(...args) => { log.push(args.length); return args[0] === undefined ? [args[1], [args[1]]] : args[0]; }],
      [function (...args) { log.push(String(this), args.length); return args[1] === 1; }, 'this'],
      [(sum, value) => sum + String(value), 'initial'], [(sum, value) => sum + String(value)], [Boolean],
      [(value) => [value, , [value]]], [undefined], [null], [7], [],
    ];
    const methods = ['every', 'filter', 'find', 'findIndex', 'findLast', 'findLastIndex', 'flatMap', 'forEach', 'map', 'reduce',
      'reduceRight', 'some'];
    for (const method of methods) for (const [name, receiver] of Object.entries(receivers)) {
      callbacks.forEach((list, index) => trial(method + name + index, (on) => Array.prototype[method].apply(on, list), receiver));
    }
    const orders = [[], [undefined], [(a, b) => (String(a) < String(b) ? 1 : -1)], [null], [5]];
    for (const method of ['sort', 'toSorted']) for (const [name, receiver] of Object.entries(receivers)) {
      orders.forEach((list, index) => trial(method + name + index, (on) => Array.prototype[method].apply(on, list), receiver));
    }`);
  expect(here).toStrictEqual(there);
});

test('other built-ins that take array-likes return what V8 returns', async () => {
  const { here, there } = await both(`
    const { tracedLike: _, traced: __, noSpecies: ___, ...quiet } = receivers;
    for (const [name, receiver] of Object.entries(quiet)) {
      for (const Class of [Array, List, Other, undefined, Math.max, () => {}, Uint8Array]) {
        for (const mapped of [undefined, (value, index) => [value, index].length, 7]) {
          trial('from' + name, (on) => Array.from.call(Class, on, mapped, 'this'), receiver);
        }
      }
      for (const mapped of [undefined, (value, index) => index * 2, 7]) {
        trial('typed from' + name, (on) => Float64Array.from(on, mapped, 'this'), receiver);
      }
      for (const offset of [undefined, 0, 2, -1, 1.5, 'x', Infinity]) {
        trial('set' + name, (on) => { const bytes = new Uint8Array(6); bytes.set(on, offset); return bytes; }, receiver);
      }
      trial('set' + name, (on) => { const numbers = new BigInt64Array(6); numbers.set(on); return numbers; }, receiver);
      trial('apply' + name, (on) => ((...list) => list).apply(1, on), receiver);
      trial('Reflect.apply' + name, (on) => Reflect.apply((...list) => list, 1, on), receiver);
      trial('Reflect.construct' + name, (on) => Reflect.construct(List, on), receiver);
      trial('Reflect.construct' + name, (on) => Reflect.construct(Other, on, List), receiver);
      trial('raw' + name, (on) => String.raw({ raw: on }, 1, 2, 3), receiver);
      trial('raw' + name, (on) => String.raw(on, 1), receiver);
      trial('normalize' + name, (on) => String.prototype.normalize.call(on, 'NFD'), receiver);
      trial('localeCompare' + name, (on) => String.prototype.localeCompare.call(on, 'l'), receiver);
      trial('localeCompare' + name, (on) => 'l'.localeCompare(on), receiver);
      trial('compare' + name, (on) => ['l', 2].map((other) => new Intl.Collator().compare(on, other)), receiver);
      trial('stringify' + name, (on) => JSON.stringify({ a: 1, b: 2, 1: 3, 3: 4, x: 2 }, on), receiver);
    }
    const proxy = new Proxy([1, 2], {});
    const revocable = Proxy.revocable([1, 2], {});
    results.push([proxy.map(String), revocable.proxy.map(String), Array.isArray(proxy), typeof Proxy, 'prototype' in Proxy]);
    revocable.revoke();
    trial('revoked', () => revocable.proxy.map(String), () => 1);
    trial('called', () => Proxy({}, {}), () => 1);
    trial('target', () => new Proxy(1, {}), () => 1);
    trial('subclass', () => new (class extends Proxy {})({}, {}), () => 1);`);
  expect(here).toStrictEqual(there);
});

test("replaced methods have the length, name and attributes of V8's methods", async () => {
  const { here, there } = await both(`
    const shape = (object, key) => {
      const { enumerable } = Object.getOwnPropertyDescriptor(object, key);
      const method = object[key];
      let isConstructor = true;
      try { Reflect.construct(Object, [], method); } catch { isConstructor = false; }
      results.push([key, method.length, method.name, enumerable, 'prototype' in method, isConstructor]);
    };
    for (const key of Object.getOwnPropertyNames(Array.prototype).sort()) {
      if (typeof Array.prototype[key] === 'function') shape(Array.prototype, key);
    }
    const others = [[Array, 'from'], [Object.getPrototypeOf(Uint8Array), 'from'], [Uint8Array.prototype.__proto__, 'set'],
      [Function.prototype, 'apply'], [Reflect, 'apply'], [Reflect, 'construct'], [String, 'raw'], [JSON, 'stringify'],
      [globalThis, 'Proxy'], [Proxy, 'revocable'], [String.prototype, 'normalize'], [String.prototype, 'localeCompare']];
    for (const [object, key] of others) shape(object, key);`);
  expect(here).toStrictEqual(there);
});

test('strings with fewer than 128 consecutive marks are normalized and compared as V8 does', async () => {
  const { here, there } = await both(`
    const texts = ['\\u0301\\u0327', '\\uff9e\\u0301', '\\u{1e000}\\u0327'].flatMap((marks) =>
      [0, 1, 63, 64, 127, 128, 1000].map((before) => {
        const row = [...marks.repeat(64)].slice(1).join('');
        return 'a'.repeat(before) + row + 'b' + row + 'c'.repeat(before);
      }));
    for (const text of texts) {
      for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD', undefined]) results.push(text.normalize(form));
      results.push(texts.map((other) => text.localeCompare(other, 'ig')));
    }
    const collator = new Intl.Collator('de', { numeric: true });
    const { compare } = collator;
    results.push([texts.toSorted(compare), ['a10', 'a9', 'ä'].sort(compare), compare === collator.compare, compare.name, compare.length]);
    trial('compare', () => Object.getOwnPropertyDescriptor(Intl.Collator.prototype, 'compare').get.call({}), () => 1);`);
  expect(here).toStrictEqual(there);
});

test.each([
  ['', 0],
  ['in the middle', 5000],
])('strings with 128 or more consecutive marks are refused%s', async (_, before) => {
  await withExecutor({}, {}, async (executor) => {
    const { output } = await executor.run(`
      const text = 'a'.repeat(${before}) + '\\u0301'.repeat(256) + 'a'.repeat(${before});
      const shorter = text.replace(/(\\p{M}{30})\\p{M}+/gu, '$1');
      [() => text.normalize(), () => 'a'.localeCompare(text), () => new Intl.Collator().compare(text, 'a')].map((attempt) => {
        try { return attempt(); } catch (error) { return String(error); }
      }).concat(shorter.normalize().length)`);
    const refused =
      'RangeError: More than 127 combining marks in a row: take some out first, as by text.replace(/(\\p{M}{30})\\p{M}+/gu, "$1")';
    expect(output).toStrictEqual([refused, refused, refused, 2 * before + 30 - (before === 0 ? 0 : 1)]);
  });
});
