// The host's half of the wire format. The isolate reads a host object as one nested value; so does `Reader` here.
import { createRequire } from 'node:module';
import v8 from 'node:v8';

import { describe, expect, test } from 'vitest';

import { isLargerThan } from '../../build/ses/wire-size.js';
import { WIRE, decode, encode, kindOf, payloadOf, withoutWire } from '../../build/ses/transfer.js';

// The class that `transfer.ts` throws: vitest would load another one.
const { TransferLimitError, UncloneableError } = createRequire(import.meta.url)('../../build/contract/errors.js');

class Reader extends v8.Deserializer {
  _readHostObject() {
    return this.readValue();
  }
}

const roundTrip = (value) => {
  const reader = new Reader(encode(value, 'value', Infinity));
  reader.readHeader();
  return reader.readValue();
};

const refusal = (value) => {
  try {
    encode(value, 'result', Infinity);
  } catch (error) {
    expect(error).toBeInstanceOf(UncloneableError);
    expect(error).toBeInstanceOf(TypeError);
    return error.message;
  }
  throw new Error('it was cloned');
};

describe('values survive a round trip', () => {
  test.each([
    undefined,
    null,
    NaN,
    -0,
    10n ** 30n,
    'text \u{1f600} \ud800',
    new Date(0),
    /a+/giu,
    new Map([[{ k: 1 }, new Set([1, 'a'])]]),
    [1, , 3],
    new Error('message', { cause: new TypeError('inner') }),
    Object(5),
    new ArrayBuffer(3),
    Object.fromEntries([['__proto__', 5]]),
  ])('%o', (value) => {
    expect(roundTrip(value)).toStrictEqual(value);
    expect(decode(v8.serialize(value))).toStrictEqual(value);
  });

  test('a DOMException becomes an error with its message and stack', () => {
    const error = new DOMException('The operation timed out', 'TimeoutError');
    const [{ status, reason }] = roundTrip([{ status: 'rejected', reason: error }]);
    expect(status).toBe('rejected');
    expect(reason).toBeInstanceOf(Error);
    expect(reason.message).toBe('The operation timed out');
    expect(reason.stack).toBe(error.stack);
    // What only inherits from the class is none.
    expect(roundTrip(Object.create(DOMException.prototype))).toStrictEqual({});
  });

  test('shared references and cycles', () => {
    const inner = { n: 1 };
    const outer = { a: inner, b: inner };
    outer.self = outer;
    const copy = roundTrip(outer);
    expect(copy.self).toBe(copy);
    expect(copy.a).toBe(copy.b);
  });
});

describe('views survive a round trip', () => {
  const kinds = [
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
    DataView,
  ];

  test.each(kinds.map((kind) => [kind.name, kind]))('%s, whole and partial', (_, View) => {
    const buffer = Uint8Array.from({ length: 64 }, (__, index) => index).buffer;
    const whole = roundTrip(new View(buffer));
    expect(whole).toBeInstanceOf(View);
    expect(new Uint8Array(whole.buffer)).toStrictEqual(new Uint8Array(buffer));
    const part = roundTrip(new View(buffer, 16, 2));
    expect(part).toBeInstanceOf(View);
    expect(part.byteOffset).toBe(0);
    expect(part.buffer.byteLength).toBe(part.byteLength);
    expect(new Uint8Array(part.buffer)).toStrictEqual(new Uint8Array(buffer, 16, part.byteLength));
  });

  test('a Buffer is copied out of the pool', () => {
    const buffer = Buffer.from('the secret of another request, public').subarray(-6);
    const wire = encode({ buffer }, 'value', Infinity);
    expect(wire.includes('secret')).toBe(false);
    expect(roundTrip({ buffer }).buffer).toStrictEqual(Uint8Array.from(Buffer.from('public')));
  });

  test('a view of a whole resizable buffer is copied out of it', () => {
    const copy = roundTrip(new Uint8Array(new ArrayBuffer(4, { maxByteLength: 8 })));
    expect([copy.length, copy.buffer.resizable]).toStrictEqual([4, false]);
  });

  test('views of one buffer still share it', () => {
    const buffer = new ArrayBuffer(8);
    const bytes = new Uint8Array(buffer);
    const copy = roundTrip({ bytes, again: bytes, floats: new Float64Array(buffer), buffer, after: { bytes } });
    expect(copy.again).toBe(copy.bytes);
    expect(copy.after.bytes).toBe(copy.bytes);
    expect(copy.floats.buffer).toBe(copy.bytes.buffer);
    expect(copy.buffer).toBe(copy.bytes.buffer);
  });

  test('references after a view have the right number', () => {
    const shared = { n: 1 };
    const value = [shared, new Uint8Array(3), Buffer.from('x'), shared, { shared }];
    const copy = roundTrip(value);
    expect(copy[3]).toBe(copy[0]);
    expect(copy[4].shared).toBe(copy[0]);
  });

  test('an instance of a subclass becomes one of the class', () => {
    class Bytes extends Uint8Array {}
    expect(roundTrip(new Bytes([1, 2])).constructor).toBe(Uint8Array);
  });
});

describe('values that need no serializer', () => {
  test('do not include arrays on shared memory, whose bytes change while they are copied', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(8_192));
    expect([kindOf(shared), kindOf(new Uint8Array(8_192)) === WIRE]).toStrictEqual([WIRE, false]);
    expect(refusal(shared)).toMatch(/^result \(view of a SharedArrayBuffer\) cannot be cloned/);
  });

  test.each([['x'.repeat(5_000)], [new Uint8Array(5_000)]])('are refused if they are too large', (value) => {
    const kind = kindOf(value);
    expect(payloadOf(kind, value, 'result', 5_000)).toBe(value);
    expect(() => payloadOf(kind, value, 'result', 4_999)).toThrow(TransferLimitError);
    expect(withoutWire([value, 1], 'variables', 5_001)).toStrictEqual([kind, value, 0, 1]);
    expect(() => withoutWire([value, 1], 'variables', 5_000)).toThrow(TransferLimitError);
  });
});

describe('a value that is certainly too large', () => {
  test('is recognized without calling traps of a proxy', () => {
    const traps = [];
    const handler = new Proxy({}, { get: (_, trap) => void traps.push(trap) });
    expect(isLargerThan([new Proxy({ a: 1 }, handler), new Proxy([1], handler)], 1_000)).toBe(false);
    expect(traps).toStrictEqual([]);
  });

  test('is recognized without visiting four billion holes', () => {
    expect(isLargerThan(Object.assign([], { 4_000_000_000: 'x'.repeat(1_000) }), 1_000)).toBe(true);
    expect(isLargerThan(Object.assign([], { 4_000_000_000: 'x'.repeat(999) }), 1_000)).toBe(false);
  });
});

describe('refused values are named by their path', () => {
  const proxy = new Proxy({}, {});
  const detached = new Uint8Array(4);
  structuredClone(detached, { transfer: [detached.buffer] });

  test.each([
    ['a function', () => () => 1, 'result (function) cannot be cloned'],
    ['a symbol', () => [Symbol('s')], 'result[0] (symbol) cannot be cloned'],
    ['nested', () => ({ items: [1, 2, 3, { callback() {} }] }), 'result.items[3].callback (function) cannot be cloned'],
    ['a key that is not an identifier', () => ({ 'a-b': () => 1 }), 'result["a-b"] (function) cannot be cloned'],
    ['a promise', () => ({ p: Promise.resolve() }), 'result.p (Promise) cannot be cloned'],
    ['a proxy', () => ({ proxy }), 'result.proxy (Proxy) cannot be cloned'],
    ['a WeakMap', () => ({ w: new WeakMap() }), 'result.w (WeakMap) cannot be cloned'],
    ['a WeakRef', () => ({ w: new WeakRef({}) }), 'result.w (WeakRef) cannot be cloned'],
    ['a generator', () => [(function* () {})()], 'result[0] (generator) cannot be cloned'],
    ['an iterator', () => ({ i: new Map().entries() }), 'result.i (Object) cannot be cloned'],
    ['a class of Intl', () => ({ f: new Intl.NumberFormat() }), 'result.f (NumberFormat) cannot be cloned'],
    [
      'a class of the host',
      () => ({ b: new Blob([]) }),
      'result.b (Blob) cannot be cloned; pass what its `text()` or `arrayBuffer()` resolves to',
    ],
    ['an object of the host', () => ({ env: process.env }), 'result.env (object of the host) cannot be cloned'],
    [
      'arguments',
      () => {
        const ofCall = function () {
          return arguments;
        };
        return [ofCall(1)];
      },
      'result[0] (arguments object) cannot be cloned',
    ],
    ['shared memory', () => [new SharedArrayBuffer(1)], 'result[0] (SharedArrayBuffer) cannot be cloned'],
    [
      'a view of it',
      () => [new Uint8Array(new SharedArrayBuffer(1))],
      'result[0] (view of a SharedArrayBuffer) cannot be cloned',
    ],
    ['a detached view', () => ({ detached }), 'result.detached (Uint8Array) cannot be cloned'],
    ['a value of a Map', () => new Map([['k', { f() {} }]]), 'result.get("k").f (function) cannot be cloned'],
    ['a key of a Map', () => new Map([[() => 1, 1]]), 'result[key a function] (function) cannot be cloned'],
    ['an item of a Set', () => new Set([1, () => 1]), 'result[item a function] (function) cannot be cloned'],
    ['a cause', () => new Error('x', { cause: () => 1 }), 'result.cause (function) cannot be cloned'],
  ])('%s', (_, make, message) => {
    expect(refusal(make())).toBe(message);
  });

  test('a getter that throws is called twice: to write it and to name it', () => {
    let calls = 0;
    const value = {
      a: {
        get b() {
          calls++;
          throw new Error('no');
        },
      },
    };
    expect(refusal(value)).toBe('result.a.b (getter that throws) cannot be cloned');
    expect(calls).toBe(2);
  });

  test('getters after the refused part are not called', () => {
    let calls = 0;
    const value = {
      f() {},
      get g() {
        calls++;
        return 1;
      },
    };
    expect(refusal(value)).toBe('result.f (function) cannot be cloned');
    expect(calls).toBe(0);
  });

  test('cycles', () => {
    const value = { list: [] };
    value.list.push(value, { value, f() {} });
    expect(refusal(value)).toBe('result.list[1].f (function) cannot be cloned');
  });

  test('nesting deeper than the stack', () => {
    let value = [];
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    expect(refusal(value)).toBe('result cannot be cloned: it is nested too deeply or too large');
  });

  test('the value that messages describe may differ from the value that is written', () => {
    expect(() => encode([1, () => 1], 'variables', Infinity, { one: 1, two: () => 1 })).toThrow(
      new UncloneableError('variables.two (function) cannot be cloned'),
    );
  });
});
