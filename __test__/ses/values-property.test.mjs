// Any cloneable value survives the round trip: host -> guest -> host, and through the arguments and the result of a
// tool call, with its kinds, its identities and its order.
import { inspect, isDeepStrictEqual } from 'node:util';

import { expect, test } from 'vitest';

import fc from '../fast-check.mjs';
import { withExecutor } from '../helpers.mjs';

const RUNS = 250;

const utf16 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));

const primitive = fc.oneof(
  fc.constantFrom(undefined, null, true, false, 0, -0, NaN, Infinity, -Infinity, 2 ** 31, -(2 ** 31), 2 ** 53, 0n, -1n),
  fc.double(),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
  fc.string(),
  utf16,
);

const VIEWS = [
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
];

const bytes = fc.uint8Array({ maxLength: 40 }).map((source) => Uint8Array.from(source));

/// Values without references to others.
const leaf = fc.oneof(
  primitive,
  fc.integer({ min: -8.64e15, max: 8.64e15 }).map((ms) => new Date(ms)),
  fc.constant(new Date(NaN)),
  fc
    .tuple(fc.constantFrom('a', '(?<x>b)|c', '[^\\/]+', '\\u{1F600}?'), fc.constantFrom('u', 'gu', 'dgimsuy', 'iu'))
    .map(([source, flags]) => new RegExp(source, flags)),
  fc.oneof(fc.double(), fc.boolean(), fc.string(), fc.bigInt()).map((value) => Object(value)),
  bytes.map((source) => source.buffer),
  fc.tuple(bytes, fc.constantFrom(...VIEWS)).map(([source, View]) => {
    const length = Math.floor(source.length / View.BYTES_PER_ELEMENT);
    return new View(source.buffer, 0, length);
  }),
  fc.tuple(bytes, fc.nat(8), fc.nat(8)).map(([source, from, length]) => source.subarray(from, from + length)),
  bytes.map((source) => new DataView(source.buffer)),
  bytes.map((source) => Buffer.from(source)),
  fc
    .tuple(fc.constantFrom(Error, TypeError, RangeError, SyntaxError), fc.string())
    .map(([Class, message]) => new Class(message)),
);

const key = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '0', '-1', 'length'),
  utf16,
);

/// A graph: containers that hold leaves and one another, in any direction, cycles included.
const graph = fc
  .record({
    kinds: fc.array(fc.constantFrom('object', 'bare', 'array', 'sparse', 'map', 'set', 'error'), {
      minLength: 1,
      maxLength: 8,
    }),
    edges: fc.array(fc.record({ from: fc.nat(), to: fc.nat(), key, leaf, kind: fc.nat(4), index: fc.nat(20) }), {
      maxLength: 30,
    }),
  })
  .map(({ kinds, edges }) => {
    const nodes = kinds.map((kind) => {
      if (kind === 'object') return {};
      if (kind === 'bare') return Object.create(null);
      if (kind === 'map') return new Map();
      if (kind === 'set') return new Set();
      if (kind === 'error') return new Error('node');
      return [];
    });
    for (const edge of edges) {
      const from = edge.from % nodes.length;
      const node = nodes[from];
      const target = edge.kind < 2 ? nodes[edge.to % nodes.length] : edge.leaf;
      if (kinds[from] === 'map') node.set(edge.kind % 2 ? target : edge.key, target);
      else if (kinds[from] === 'set') node.add(target);
      else if (kinds[from] === 'array') node.push(target);
      else if (kinds[from] === 'sparse') node[edge.index] = target;
      else if (kinds[from] === 'error')
        Object.defineProperty(node, 'cause', { value: target, configurable: true, writable: true });
      else
        Object.defineProperty(node, edge.key, { value: target, enumerable: true, configurable: true, writable: true });
    }
    return nodes[0];
  });

const value = fc.oneof(leaf, graph, fc.array(leaf, { maxLength: 6 }), fc.dictionary(key, leaf, { maxKeys: 6 }));

/// A string in which two values are the same if and only if structured clone cannot tell them apart: objects are
/// numbered in the order of their discovery, so that identities and order count.
const fingerprint = (root) => {
  const numbers = new Map();
  const lines = [];
  const name = (item) => {
    if (typeof item === 'string') return `s${JSON.stringify(item)}`;
    if (typeof item === 'bigint') return `${item}n`;
    if (Object.is(item, -0)) return '-0';
    if (typeof item !== 'object' || item === null) return String(item);
    if (!numbers.has(item)) numbers.set(item, numbers.size);
    return `#${numbers.get(item)}`;
  };
  const pairs = (object, keys) => keys.map((k) => `${JSON.stringify(k)}: ${name(object[k])}`).join(', ');
  const describeNode = (item) => {
    const tag = Object.prototype.toString.call(item).slice(8, -1);
    if (item instanceof Date) return `Date ${item.getTime()}`;
    if (item instanceof RegExp) return `RegExp ${item}`;
    if (item instanceof Map) return `Map ${[...item].map(([k, v]) => `${name(k)} => ${name(v)}`).join(', ')}`;
    if (item instanceof Set) return `Set ${[...item].map(name).join(', ')}`;
    if (item instanceof Error)
      return `${item.name} ${JSON.stringify(item.message)} ${Object.hasOwn(item, 'cause') ? name(item.cause) : ''}`;
    if (item instanceof ArrayBuffer) return `ArrayBuffer ${new Uint8Array(item)}`;
    if (item instanceof DataView) return `DataView ${new Uint8Array(item.buffer, item.byteOffset, item.byteLength)}`;
    if (ArrayBuffer.isView(item)) return `${tag} ${new Uint8Array(item.buffer, item.byteOffset, item.byteLength)}`;
    if (['Number', 'String', 'Boolean', 'BigInt'].includes(tag) && typeof item.valueOf() !== 'object')
      return `boxed ${name(item.valueOf())}`;
    if (Array.isArray(item)) return `Array(${item.length}) ${pairs(item, Object.keys(item))}`;
    return `Object ${pairs(item, Object.keys(item))}`;
  };
  name(root);
  if (numbers.size === 0) return name(root);
  // Grows while it is walked.
  for (const [item, number] of numbers) lines.push(`#${number} = ${describeNode(item)}`);
  return lines.join('\n');
};

// What Node's own clone keeps of an error differs between its versions, and two invalid dates are not equal for it.
const isBeyondNode = (root) => /^#\d+ = (\w*Error "|Date NaN)/m.test(fingerprint(root));

const expectSurvived = (actual, original) => {
  expect(fingerprint(actual)).toBe(fingerprint(original));
  if (isBeyondNode(original)) return;
  if (!isDeepStrictEqual(actual, structuredClone(original))) {
    expect.fail(`got ${inspect(actual, { depth: 9 })}\nwant ${inspect(structuredClone(original), { depth: 9 })}`);
  }
};

/// Calls `check`; what it throws tells the value in full.
const checkValue = async (original, check) => {
  try {
    await check();
  } catch (error) {
    error.message += `\n--- value ---\n${fingerprint(original)}`;
    throw error;
  }
};

test('the fingerprint distinguishes values that deep equality does not', () => {
  const shared = {};
  expect(fingerprint([shared, shared])).not.toBe(fingerprint([{}, {}]));
  expect(fingerprint(new Set([1, 2]))).not.toBe(fingerprint(new Set([2, 1])));
  expect(fingerprint([, 1])).not.toBe(fingerprint([undefined, 1]));
  expect(fingerprint('\ud800')).not.toBe(fingerprint('\ufffd'));
  expect(fingerprint(structuredClone({ a: [new Map([[1, shared]]), shared] }))).toBe(
    fingerprint({ a: [new Map([[1, shared]]), shared] }),
  );
});

test('any value survives the way from host to guest to host', async () => {
  await withExecutor({}, {}, async (executor) => {
    await fc.assert(
      fc.asyncProperty(value, (original) =>
        checkValue(original, async () => {
          await executor.sendVariables({ v: original });
          expectSurvived((await executor.run('return v;')).output, original);
        }),
      ),
      { numRuns: RUNS, includeErrorInReport: true },
    );
  });
});

test('any value survives as argument and result of a synchronous tool', async () => {
  let original;
  let received;
  const tools = {
    give: () => original,
    echo: (...args) => {
      received = args;
      return args;
    },
  };
  await withExecutor({}, tools, async (executor) => {
    await fc.assert(
      fc.asyncProperty(value, (generated) =>
        checkValue(generated, async () => {
          original = generated;
          const { output } = await executor.run('const v = give(); return echo(v, [v])[1][0];');
          expectSurvived(received[0], original);
          if (typeof received[0] === 'object' && received[0] !== null) expect(received[1][0]).toBe(received[0]);
          expectSurvived(output, original);
        }),
      ),
      { numRuns: RUNS, includeErrorInReport: true },
    );
  });
});

test('any value survives as argument and result of an asynchronous tool', async () => {
  let original;
  let received;
  const tools = {
    give: async () => original,
    echo: async (...args) => {
      received = args;
      return { result: args[0] };
    },
  };
  await withExecutor({}, tools, async (executor) => {
    await fc.assert(
      fc.asyncProperty(value, (generated) =>
        checkValue(generated, async () => {
          original = generated;
          const { output } = await executor.run('return (await echo(await give())).result;');
          expectSurvived(received[0], original);
          expectSurvived(output, original);
        }),
      ),
      { numRuns: RUNS, includeErrorInReport: true },
    );
  });
});

test('any value survives as a final answer and next to a value that cannot be cloned', async () => {
  await withExecutor({}, {}, async (executor) => {
    await fc.assert(
      fc.asyncProperty(value, (original) =>
        checkValue(original, async () => {
          await executor.sendVariables({ v: original });
          expectSurvived((await executor.run('final_answer(v)')).output, original);
          const { output } = await executor.run('return [v, () => {}];');
          expect(output[1]).toBe('[Function (anonymous)]');
          expectSurvived(output[0], original);
        }),
      ),
      { numRuns: RUNS, includeErrorInReport: true },
    );
  });
});
