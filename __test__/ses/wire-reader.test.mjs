// The reader for what V8's own one gives up at: it has to read everything else as that one does.
import v8 from 'node:v8';

import { describe, expect, test } from 'vitest';

import { decode } from '../../build/ses/transfer.js';
import { readWire } from '../../build/ses/wire-reader.js';
import fc from '../fast-check.mjs';

const agree = (value) => {
  // The base class writes views as V8 does; `v8.serialize` writes them in Node's own way.
  const writer = new v8.Serializer();
  writer.writeHeader();
  writer.writeValue(value);
  const wire = writer.releaseBuffer();
  const reader = new v8.Deserializer(wire);
  reader.readHeader();
  expect(readWire(wire)).toStrictEqual(reader.readValue());
};

test.each([
  [undefined],
  [null],
  [true],
  [[0, -1, 2 ** 30, -(2 ** 30), 2 ** 31, 2 ** 53, -0, 1.5, NaN, -Infinity]],
  [[0n, 1n, -1n, 2n ** 64n, -(2n ** 200n) + 12345n]],
  [['', 'ascii', 'Latin-1 \u00e9', 'wide \u4e2d \u{1f600}', 'lone \ud800', 'x'.repeat(1000)]],
  [[, 1, , 'two', ,]],
  [Object.assign([1, 2], { extra: 3 })],
  [Object.assign([], { 100_000: 1, name: 'sparse' })],
  [new Date(5)],
  [new Date(NaN)],
  [Object.fromEntries([['__proto__', { a: 1 }]])],
  [new Map([[{ a: 1 }, new Map([[NaN, new Set([1, 'a', {}])]])]])],
  [[Object(true), Object(false), Object(1.5), Object('text'), Object(5n)]],
  [[/a/, /b\/c/gimsuy, /\u4e2d/dv]],
  [new Error('message', { cause: [1] })],
  [Object.assign(new RangeError('m'), { stack: undefined })],
  [[new EvalError(), new ReferenceError('r'), new SyntaxError('s'), new TypeError('t'), new URIError('u')]],
  [new ArrayBuffer(5)],
  [[new Uint8Array([1, 2]), new Float64Array([0.5]), new BigInt64Array([-5n]), new DataView(new ArrayBuffer(3), 1)]],
])('case %# is read as V8 reads it', (value) => {
  agree(value);
});

test('errors keep class, message, stack and cause', () => {
  const error = new TypeError('message', { cause: { n: 1 } });
  const copy = readWire(v8.serialize(error));
  expect(copy).toBeInstanceOf(TypeError);
  expect(Object.keys(copy)).toStrictEqual([]);
  expect([copy.message, copy.stack, copy.cause]).toStrictEqual(['message', error.stack, { n: 1 }]);
});

test('shared references and cycles', () => {
  const value = { list: [], map: new Map(), set: new Set(), date: new Date(0), error: new Error('e') };
  value.list.push(value, value.date);
  value.map.set(value.map, value.set);
  value.set.add(value);
  value.again = value.error;
  const buffer = new ArrayBuffer(4);
  value.views = [new Uint8Array(buffer), new Uint16Array(buffer, 2), buffer];
  const writer = new v8.Serializer();
  writer.writeHeader();
  writer.writeValue(value);
  const copy = readWire(writer.releaseBuffer());
  expect(copy.list[0]).toBe(copy);
  expect(copy.list[1]).toBe(copy.date);
  expect(copy.map.get(copy.map)).toBe(copy.set);
  expect(copy.set.has(copy)).toBe(true);
  expect(copy.again).toBe(copy.error);
  expect(copy.views[0].buffer).toBe(copy.views[2]);
  expect(copy.views[1].buffer).toBe(copy.views[2]);
  expect([copy.views[1].byteOffset, copy.views[1].length]).toStrictEqual([2, 1]);
});

test('any value of plain data is read as it was written', () => {
  const leaf = fc.oneof(
    fc.anything({
      withBigInt: true,
      withDate: true,
      withTypedArray: true,
      withSparseArray: true,
      withMap: true,
      withSet: true,
    }),
    fc.string({ unit: 'binary' }),
    fc.double(),
  );
  fc.assert(
    fc.property(fc.array(leaf), (value) => agree(value)),
    { numRuns: 300 },
  );
});

describe('values that the V8 of Node.js may be unable to read', () => {
  test('nesting deeper than the stack is read', () => {
    const depth = 100_000;
    const wire = Buffer.concat([
      Buffer.from([0xff, 15]),
      Buffer.from('A\x01'.repeat(depth)),
      Buffer.from('A\x00$\x00\x00'),
      Buffer.from('$\x00\x01'.repeat(depth)),
    ]);
    let value = decode(wire);
    let levels = 0;
    for (; value.length === 1; [value] = value) levels++;
    expect(levels).toBe(depth);
  });

  test('deep nesting is refused if it is large, so guests cannot keep the host busy', () => {
    const wire = Buffer.concat([Buffer.from([0xff, 15]), Buffer.from('A\x01'.repeat(600_000))]);
    expect(() => decode(wire)).toThrow(new RangeError('Maximum call stack size exceeded'));
  });

  test('an error that is its own cause is read', () => {
    const error = new Error('loop');
    error.cause = { error };
    const copy = decode(v8.serialize(error));
    expect(copy.message).toBe('loop');
    expect(copy.cause.error).toBe(copy);
  });

  test('a Float16Array is read', () => {
    const halves = [0x3e00, 0x8000, 0x0001, 0x7c00, 0xfc00, 0x7e00, 0xc000];
    const bytes = Buffer.from(Uint16Array.from(halves).buffer);
    const wire = Buffer.concat([
      Buffer.from([0xff, 15, 0x42, bytes.length]),
      bytes,
      Buffer.from([0x56, 0x68, 0, bytes.length, 0]),
    ]);
    expect([...decode(wire)]).toStrictEqual([1.5, -0, 2 ** -24, Infinity, -Infinity, NaN, -2]);
  });
});

test.each(['', '\xff', '\xff\x0f', '\xff\x0f!', '\xff\x0fo', '\xff\x0f"\x05ab', '\xff\x0fA\xff\xff\x03', '\xff\x0fVB'])(
  'broken bytes %j are refused',
  (text) => {
    expect(() => decode(Buffer.from(text, 'latin1'))).toThrow(RangeError);
  },
);
