// The writer of V8's format in JavaScript: byte by byte what V8 writes, in every runtime.
import { createRequire } from 'node:module';
import v8 from 'node:v8';

import { describe, expect, test } from 'vitest';

import fc from '../fast-check.mjs';

// The classes that the writer throws: vitest would load others.
const require = createRequire(import.meta.url);
const { TransferLimitError } = require('../../build/contract/errors.js');
const { hasV8Format } = require('../../build/ses/v8-format.js');
const { readWire } = require('../../build/ses/wire-reader.js');
const { writeWire, writing } = require('../../build/ses/wire-writer.js');
const { WorkBudget, atOnce, inSlices } = require('../../build/contract/budget.js');

const error = Object.assign(new TypeError('m', { cause: 5 }), { stack: 'S' });
const shared = { n: 1 };

describe('writes the bytes that V8 writes', () => {
  test.each([
    [[undefined, null, true, false], 'A\x04_0TF$\x00\x04'],
    [[0, 1, -1, 2 ** 30, -(2 ** 31)], 'A\x05I\x00I\x02I\x01I\x80\x80\x80\x80\x08I\xff\xff\xff\xff\x0f$\x00\x05'],
    [-0, 'N\x00\x00\x00\x00\x00\x00\x00\x80'],
    [2 ** 31, 'N\x00\x00\x00\x00\x00\x00\xe0A'],
    ['caf\xe9', '"\x04caf\xe9'],
    ['\u4e2d', 'c\x02\x2dN'],
    // The units of a 16-bit string are at an even offset.
    [['a', '\u4e2d'], 'A\x02"\x01a\x00c\x02\x2dN$\x00\x02'],
    [0n, 'Z\x00'],
    [-5n, 'Z\x11\x05\x00\x00\x00\x00\x00\x00\x00'],
    [2n ** 64n, 'Z\x20\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00'],
    [{ 1: 2, b: 3, 4294967295: 2, '-1': 0 }, 'oI\x02I\x04"\x01bI\x06"\x0a4294967295I\x04"\x02-1I\x00{\x04'],
    [Object.fromEntries([['__proto__', 1]]), 'o"\x09__proto__I\x02{\x01'],
    [Object.assign([1], { x: 1 }), 'A\x01I\x02"\x01xI\x02$\x01\x01'],
    [[shared, shared], 'A\x02o"\x01nI\x02{\x01^\x01$\x00\x02'],
    [new Map([[1, 2]]), ';I\x02I\x04:\x02'],
    [new Set(['a']), '\'"\x01a,\x01'],
    [new Date(5), 'D\x00\x00\x00\x00\x00\x00\x14@'],
    [/a\/b/gi, 'R"\x04a\\/b\x03'],
    [Object('x'), 's"\x01x'],
    [Object(5n), 'z\x10\x05\x00\x00\x00\x00\x00\x00\x00'],
    [Object(true), 'y'],
    [error, 'rTm"\x01ms"\x01ScI\x0a.'],
    [Uint8Array.of(1, 2).buffer, 'B\x02\x01\x02'],
    [Uint8Array.of(1, 2), '\\B\x02\x01\x02VB\x00\x02\x00'],
  ])('case %#', (value, text) => {
    expect(writeWire(value, Infinity).toString('latin1')).toBe(`\xff\x0f${text}`);
  });

  test('holes are kept, and are written one by one in a short array', () => {
    expect(writeWire([1, , 3], Infinity).toString('latin1')).toBe('\xff\x0fA\x03I\x02-I\x06$\x00\x03');
  });

  test('any value of plain data is read as it was written', () => {
    const values = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: false,
      withSet: true,
      withSparseArray: true,
    });
    fc.assert(
      fc.property(values, (value) => {
        const wire = writeWire(value, Infinity);
        // An array of more than a few elements, which is left to V8.
        if (wire === undefined) return expect(hasV8Format).toBe(true);
        expect(readWire(wire)).toStrictEqual(value);
        if (!hasV8Format) return;
        const reader = new v8.Deserializer(wire);
        reader.readHeader();
        expect(reader.readValue()).toStrictEqual(value);
      }),
      { numRuns: 300 },
    );
  });
});

test('a getter may write another value meanwhile', () => {
  const value = {
    a: 1,
    get b() {
      return readWire(writeWire({ inner: [1, 2] }, Infinity));
    },
    c: 3,
  };
  expect(readWire(writeWire(value, Infinity))).toStrictEqual({ a: 1, b: { inner: [1, 2] }, c: 3 });
});

test('arrays that a getter shortens and objects that lose a property are written as they then are', () => {
  const array = [1, 2, 3];
  Object.defineProperty(array, 0, {
    get() {
      array.length = 2;
      return 1;
    },
    enumerable: true,
  });
  expect(readWire(writeWire(array, Infinity))).toStrictEqual([1, 2, ,]);
  const object = {
    get a() {
      delete object.b;
      return 1;
    },
    b: undefined,
  };
  expect(Object.keys(readWire(writeWire(object, Infinity)))).toStrictEqual(['a']);
});

test('an array that a getter extends to the maximum is written with its first length', () => {
  const array = [1, 2, 3];
  Object.defineProperty(array, 0, {
    get() {
      array.length = 2 ** 32 - 1;
      return 1;
    },
    enumerable: true,
  });
  expect(readWire(writeWire(array, Infinity))).toStrictEqual([1, 2, 3]);
});

test('a value that exceeds the limit is not written to its end', () => {
  let reads = 0;
  const value = { text: 'x'.repeat(5_000) };
  Object.defineProperty(value, 'later', { get: () => ++reads, enumerable: true });
  expect(() => writeWire(value, 4_000)).toThrow(TransferLimitError);
  expect(reads).toBe(0);
});

// V8 compiles reading by index so that it stores arrays, which it only reads, in another way once it has met such ones,
// and writes those as sparse. Reading by index made arrays of the host so.
test('a packed array is written as packed after many arrays with holes', () => {
  const holey = () => [1, , 3, { a: 1 }];
  for (let round = 0; round < 20_000; round++) writeWire([holey(), [1, 2, {}], ['a']], Infinity);
  const packed = [{}, 'a', 1];
  writeWire(packed, Infinity);
  if (hasV8Format) expect(v8.serialize(packed).toString('latin1')).toBe('\xff\x0fA\x03o{\x00"\x01aI\x02$\x00\x03');
  expect(writeWire(packed, Infinity).toString('latin1')).toBe('\xff\x0fA\x03o{\x00"\x01aI\x02$\x00\x03');
});

// With V8 at hand these are left to V8.
const readBack = (value) => {
  const wire = writeWire(value, Infinity);
  if (hasV8Format) expect(wire).toBe(undefined);
  else expect(readWire(wire)).toStrictEqual(value);
};

test('long arrays of every kind, with and without further properties, are written', () => {
  const numbers = Array.from({ length: 100_000 }, (_, index) => index);
  readBack(numbers);
  readBack(numbers.map(String));
  readBack(Object.assign([...numbers], { extra: 'kept' }));
  readBack(Object.assign([], { 1_000_000: 1 }));
});

describe('writes in slices', () => {
  const written = (value, limit = Infinity) => {
    const budget = new WorkBudget({ parts: Infinity, ms: Infinity });
    return inSlices(writing(value, limit, budget), budget);
  };
  const deep = (levels) => {
    let list = [];
    for (let level = 0; level < levels; level++) list = [list];
    return list;
  };

  test('small values with the same bytes', () => {
    const values = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
    });
    const cyclic = { list: [shared, shared, error] };
    cyclic.self = cyclic;
    const same = (value) => {
      const wire = writeWire(value, Infinity);
      const sliced = atOnce(writing(value, Infinity, new WorkBudget()));
      if (wire !== undefined) expect(sliced).toStrictEqual(wire);
    };
    fc.assert(fc.property(values, same), { numRuns: 300 });
    [cyclic, [, 1, , 2], Object.assign([1], { x: [2] }), [Uint8Array.of(1, 2), /a/g, Object('x')]].forEach(same);
    same(new Error('m', { cause: new Map([[shared, [shared]]]) }));
  });

  test.runIf(hasV8Format)('large values that are read as they were', async () => {
    const lists = Array.from({ length: 100_000 }, (_, at) => (at % 3 === 0 ? [] : { at, list: [at, null] }));
    const sparse = Object.assign([shared], { 5_000_000: shared, extra: 'kept' });
    const value = [lists, lists, shared, sparse, ['\u4e2d', 'x'.repeat(100_000)], 2n ** 200n, new Set([lists[1]])];
    const read = v8.deserialize(await written(value));
    expect(read).toStrictEqual(value);
    expect([read[0] === read[1], read[6].has(read[0][1]), read[3][0] === read[2]]).toStrictEqual([true, true, true]);
    expect(v8.deserialize(await written(deep(1_500)))).toStrictEqual(deep(1_500));
    for (const elements of [Array(100_000).fill(7), Array(100_000), lists]) {
      const keyed = Object.assign([...elements], { extra: 'kept', 4294967295: 1 });
      expect(v8.deserialize(await written(keyed))).toStrictEqual(keyed);
    }
  });

  test('while the event loop turns and the limit holds', async () => {
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const wire = await written(Array.from({ length: 700_000 }, () => []));
    isOver = true;
    expect(wire.length).toBeGreaterThan(700_000 * 4);
    expect(turns).toBeGreaterThan(3);
    await expect(written(Array(1e6).fill(['x']), 100_000)).rejects.toBeInstanceOf(TransferLimitError);
  });

  // A long value is written into several blocks.
  test.each([
    ['strings of both widths', () => Array.from({ length: 60 }, (_, i) => (i % 2 ? 'é' : '中').repeat(99_991 + i))],
    ['a string that is longer than a block', () => ['a', 'b'.repeat(5_000_001), '\u4e2d'.repeat(3_000_000), 1]],
    ['bytes', () => [1, new Uint8Array(5_000_000).fill(7).buffer, new Uint8Array(3).fill(8).buffer, 'x']],
    ['numbers', () => Array.from({ length: 900_000 }, (_, i) => i / 3)],
    [
      'keys',
      () => Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key ${'k'.repeat(i % 90)} ${i}`, -i])),
    ],
    ['a large integer', () => [1n, -(1n << 50_000_000n), 'x']],
    // The beginning is written again, as that of a sparse array.
    ['an array whose many holes come late', () => { const list = Array(500_000).fill('ten bytes.'); list.length = 560_000; list.push({ a: 1 }); return list; }], // prettier-ignore
  ])('%s over the ends of blocks', async (_, make) => {
    const value = make();
    const budget = new WorkBudget();
    const bytes = await inSlices(writing(value, 256 << 20, budget), budget);
    expect(bytes.length).toBeGreaterThan(2 << 20);
    expect(readWire(bytes)).toStrictEqual(value);
    const exact = new WorkBudget();
    expect((await inSlices(writing(value, bytes.length, exact), exact)).equals(bytes)).toBe(true);
    const small = new WorkBudget();
    await expect(inSlices(writing(value, bytes.length - 1, small), small)).rejects.toThrow(TransferLimitError);
  });

  test('a value that changes meanwhile as one consistent value', async () => {
    const list = Array.from({ length: 200_000 }, (_, at) => ({ at }));
    const writes = written([list, { a: 1, b: { c: 2 } }]);
    await new Promise((resolve) => setImmediate(resolve));
    list.length = 10;
    const [read, last] = readWire(await writes);
    expect([read.length, read[0], last]).toStrictEqual([200_000, { at: 0 }, { a: 1, b: { c: 2 } }]);
  });

  test('nothing that only V8 can write', async () => {
    expect(await written([new (class {})()])).toStrictEqual(hasV8Format ? undefined : expect.any(Buffer));
    expect(await written(deep(3_000))).toBe(undefined);
    await expect(written([() => {}])).rejects.toThrow('a value of type function could not be cloned');
  });
});
