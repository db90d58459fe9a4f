// How all adapters show outputs. What is cut is counted, so that each of these ends however large the value is.

import { createRequire } from 'node:module';
import { inspect } from 'node:util';

import { describe, expect, test, vi } from 'vitest';

import { describe as describeValue } from '../../build/contract/describe.js';
import { describeThrown } from '../../build/contract/errors.js';
import { modelOutput, modelReport, modelText } from '../../build/contract/model-text.js';
import { isSmall, outputText, toJson } from '../../build/contract/render.js';

// Those that the modules above have loaded.
const library = createRequire(new URL('../../build/contract/', import.meta.url));
const { KeyCount } = library('./wide-objects.js');
const util = library('node:util');

const shared = (levels, part = 1) => {
  let graph = [part];
  for (let level = 0; level < levels; level++) graph = [graph, graph];
  return graph;
};
const wide = (levels, make) => {
  let graph = make(1);
  for (let level = 0; level < levels; level++) graph = make(graph);
  return graph;
};
const longError = (lines = 100_000) => {
  const stack = lines === 100_000 ? `Error: x${'\n    at a (b:1:1)'.repeat(lines)}` : 'a\n'.repeat(lines);
  const cause = Object.assign(new Error('x'), { stack });
  return Object.assign(new Error('y', { cause }), { stack });
};
const deep = (levels) => {
  let graph = [];
  for (let level = 0; level < levels; level++) graph = [graph];
  return graph;
};

const keyed = (count, object = {}) => {
  for (let i = 0; i < count; i++) object[`k${i}`] = i;
  return object;
};
/** The parts of the value are one level deeper than what a model sees. Printers list their keys. */
const nested = (value) => {
  for (let level = 0; level < 19; level++) value = [value];
  return value;
};

/** Values that take a printer without bounds for ever, or for much longer than the guest took to make them. */
const LARGE = {
  'a graph of pairs': shared(40),
  'a graph of objects': wide(40, (part) => ({ a: part, b: part })),
  'a graph of Maps': wide(40, (part) => new Map([[part, part]])),
  'a graph of Sets': wide(9, (part) => new Set(Array.from({ length: 100 }, () => [part]))),
  'a wide graph': wide(9, (part) => Array(100).fill(part)),
  'a large integer': 1n << 400_000_000n,
  'a negative one': -1n << 400_000_000n,
  'an object around one': Object(1n << 400_000_000n),
  'many integers': Array(100_000).fill(1n << 1_000n),
  'a large integer as a key': new Map([[1n << 5_000_000n, 1]]),
  'many elements': Array(5e6).fill('ab'),
  'an array of holes': Object.assign([], { 4_000_000_000: 1 }),
  'a typed array': new Uint8Array(50e6),
  'long strings': Array(100).fill('x'.repeat(1e6)),
  'long keys': { ['k'.repeat(2 ** 24)]: 1 },
  'deep nesting': deep(100_000),
  'errors with long stacks': longError(),
  'many errors': Array(100).fill(Array(1_000).fill(Object.assign(new Error('y'), { stack: 'x'.repeat(9_000) }))),
  'long patterns': Array(100).fill(new RegExp('x'.repeat(1e6))),
  'objects around long strings': Array(100).fill(Object('x'.repeat(1e6))),
};

/** An object of so many properties that readers of guests' values note it. */
const noted = () => {
  const object = {};
  const count = new KeyCount(object);
  for (let i = 0; i < 100_000; i++) {
    object[`k${i}`] = i;
    count.add(`k${i}`);
  }
  return object;
};

describe('toJson', () => {
  test.each(Object.keys(LARGE))('converts %s', (name) => {
    expect(isSmall(LARGE[name])).toBe(false);
    expect(JSON.stringify(toJson(LARGE[name])).length).toBeLessThan(600_000);
  });

  test('values within the budget are complete', () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}` }));
    expect(toJson(rows)).toStrictEqual(rows);
    expect(toJson(shared(10))).toStrictEqual(shared(10));
    expect(toJson('x'.repeat(2 ** 24))).toHaveLength(2 ** 24);
    expect(toJson(deep(400))).toStrictEqual(deep(400));
    expect(toJson({ a: [1n, 2n ** 900n], m: new Map([[1, new Set([NaN])]]), e: new TypeError('m') })).toStrictEqual({
      a: ['1', `${2n ** 900n}`],
      m: [[1, ['NaN']]],
      e: { name: 'TypeError', message: 'm' },
    });
  });

  // A pass counts the parts before any is created. It must count neither more nor fewer of them.
  test.each([
    ['a list', () => [], 1],
    ['an object', () => ({ a: 1, b: undefined, c: null }), 4],
    ['a Map', () => new Map([[1, 2]]), 4],
    ['a Set', () => new Set([1, 2]), 3],
    ['bytes', () => new Uint8Array(5).buffer, 6],
    ['a typed array', () => new Float32Array(5), 6],
    ['an error with a cause', () => Object.assign(new Error('m', { cause: [1] }), { code: 'X' }), 6],
    ['a date', () => new Date(0), 1],
    ['a cycle', () => { const list = [1]; list.push(/** @type {any} */ (list)); return list; }, 3], // prettier-ignore
    ['an object with an inherited property', () => Object.create({ inherited: [1, 2] }), 1],
  ])('exactly 100,000 parts with %s are complete, and one more is cut', (_, make, parts) => {
    const filled = (/** @type {number} */ count) => [make(), Array(count - parts - 2).fill(7)];
    expect(/** @type {any[]} */ (toJson(filled(100_000)))[1]).toHaveLength(100_000 - parts - 2);
    expect(/** @type {any[]} */ (toJson(filled(100_001)))[1].length).toBeLessThan(100_000 - parts - 2);
  });

  test('values that are cut say so', () => {
    const list = /** @type {any[]} */ (toJson(Array(1e6).fill(1)));
    expect(list.slice(0, 2)).toStrictEqual([1, 1]);
    expect(list.at(-1)).toBe('... of 1000000 items');
    const keys = Object.entries(toJson(Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i]))));
    expect([keys[0], keys.at(-1)]).toStrictEqual([
      ['k0', 0],
      ['...', '... more'],
    ]);
    expect(toJson([{ __proto__: null, ['__proto__']: 1 }, Array(100_000).fill(0)])[0]).toStrictEqual(
      Object.fromEntries([['__proto__', 1]]),
    );
    expect(toJson(['x'.repeat(5_000_000)])[0]).toMatch(/^x+\.\.\. \d+ more characters$/);
    const cycle = { list: Array(200_000).fill(1) };
    cycle.self = cycle;
    expect(toJson(cycle).self).toBe('[Circular]');
    expect(JSON.stringify(toJson(deep(600)))).toBe(`${'['.repeat(500)}"[Array]"${']'.repeat(500)}`);
  });

  test('a wide object is cut and shows its remaining keys', () => {
    const object = noted();
    expect(isSmall(object)).toBe(false);
    delete object.k1;
    expect(outputText(object)).toMatch(/^\{\n {2}k0: 0,\n {2}k2: 2,\n/);
  });
});

/** How each of them ends as text, or where it is cut. */
const ENDS = {
  'a graph of pairs': /^\[\n {2}\[\n.*\[ \[Array\], \[Array\] \].*\n\]$/s,
  'a graph of objects': /^\{\n {2}a: \{\n.*\{ a: \[Object\], b: \[Object\] \}.*\n\}$/s,
  'a graph of Maps': /^Map\(1\) \{\n {2}Map\(1\) \{.*\[Map\] => \[Map\].*\n\}$/s,
  'a graph of Sets': /^Set\(100\) \{\n {2}\[\n.*\[ Set\(1\) \{ \.\.\. of 100 items \} \]\n\}$/s,
  'a wide graph': /^\[\n {2}\[\n.* \[ \.\.\. of 100 items \]\n\]$/s,
  'a large integer': /^\[a BigInt of more than 1048576 bits\]$/,
  'a negative one': /^\[a BigInt of more than 1048576 bits\]$/,
  'an object around one': /^\[BigInt: \[a BigInt of more than 1048576 bits\]\]$/,
  'many integers': /^\[\n {2}\d{302}n,\n.*\n {2}\.\.\. 99900 more items\n\]$/s,
  'a large integer as a key': /^Map\(1\) \{ \[a BigInt of more than 1048576 bits\] => 1 \}$/,
  'many elements': /^\[\n {2}'ab', .*\n {2}\.\.\. 4999900 more items\n\]$/s,
  'an array of holes': /^\[ <4000000000 empty items>, 1 \]$/,
  'a typed array': /^Uint8Array\(50000000\) \[\n {2}0, .*\n {2}\.\.\. 49999900 more items\n\]$/s,
  'long strings': /^\[\n {2}'x{9}.*'\.\.\. \d+ more characters,\n {2}\.\.\. of 100 items\n\]$/s,
  'long keys': /^\{\n {2}'k{65536}\.\.\. 16711680 more characters': 1\n\}$/,
  'deep nesting': /^\[\n.* \[Array\] \].*\n\]$/s,
  'errors with long stacks': /^\[Error: y\]$/,
  'many errors': /^\[\n {2}\[\n {4}\[Error: y\], .* \[ \.\.\. of 1000 items \]\n\]$/s,
  'long patterns': /^\[\n {2}\/x{9}.*\.\.\. 9344\d\d more characters,\n {2}\.\.\. of 100 items\n\]$/s,
  'objects around long strings':
    /^\[\n {2}\[String: 'x{9}.*\.\.\. 9344\d\d more characters'\],\n {2}\.\.\. of 100 items\n\]$/s,
};

describe('outputText', () => {
  test.each(Object.keys(LARGE))('shows %s', (name) => {
    const text = outputText(LARGE[name]);
    expect(text.length).toBeLessThan(100_000);
    expect(text).toMatch(ENDS[name]);
  });

  test('long lists are formatted as in Node.js', () => {
    const list = Array(1e6).fill(1);
    expect(outputText(list)).toBe(inspect(list));
    expect(outputText(new Set(Array.from({ length: 300 }, (_, i) => i)))).toMatch(/^Set\(300\) \{.*200 more items/s);
    expect(outputText([1n << 900n])).toBe(`[\n  ${1n << 900n}n\n]`);
  });

  test('integers that are too long are replaced by their length', () => {
    expect(outputText(1n << 400_000_000n)).toBe('[a BigInt of more than 1048576 bits]');
    expect(outputText(new Map([[1n << 5_000n, -(1n << 5_000n)]]))).toBe(
      'Map(1) {\n  [a BigInt of more than 4096 bits] => [a BigInt of more than 4096 bits]\n}',
    );
    expect(describeValue(1n << 400_000_000n)).toBe('[a BigInt of more than 1048576 bits]');
    expect(describeValue(-5n)).toBe('-5n');
  });

  test('getters and proxies of the host do not throw', () => {
    const odd = {
      get boom() {
        throw new Error('boom');
      },
    };
    expect(outputText(odd)).toBe('{ boom: [Getter] }');
    expect(outputText(new Proxy([1], {}))).toBe('[ 1 ]');
  });
});

/**
 * Values that take a printer much longer than their number of parts shows. It lists the keys of parts that it omits and
 * of arrays that lack elements, it escapes characters, and it splits lines. Each has two expectations, for `outputText`
 * and `modelText`: a copy of its first parts is printed, or the value itself with at most that many items of a list.
 */
const SLOW = {
  'one object of many keys, many times': [Array(2_000).fill(keyed(90_000)), 'a copy', 'a copy'],
  'the same nested too deeply to be shown': [nested(Array(100).fill(keyed(50_000))), 100, 100],
  'an array that lacks an element': [Object.assign(Array(2e6).fill(1), { 2_000_001: 1 }), 100, 3_000],
  'a graph under a key of an array': [Object.assign([NaN], { graph: wide(40, (part) => [part, { part }]) }), 100, 100],
  'many keys of an array, many times': [Array(1_000).fill(keyed(20_000, [NaN])), 'a copy', 'a copy'],
  'many keys of an array of holes': [Object.assign(keyed(40_000, Array(50_000)), { 0: NaN }), 'a copy', 'a copy'],
  'elements after holes': [Object.assign(Array(49_000), { 48_999: wide(40, (part) => [part, { part }]) }), 100, 100],
  'line ends': [[undefined, ...Array(50).fill('\n'.repeat(10_000))], 'a copy', 'a copy'],
  'characters to escape': [[undefined, ...Array(25).fill("\x01'".repeat(10_000))], 'a copy', 'a copy'],
  'many errors': [Array.from({ length: 30_000 }, () => Object.assign(new Error('x'), { stack: 'Error: x' })), 100, 300],
  'lines of a stack and its cause': [Array(25).fill(longError(4_900)), 'a copy', 'a copy'],
};

describe('a value that takes long to print', () => {
  const cpuMs = (/** @type {() => unknown} */ work) => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  /** About as many parts as a value can have that is printed completely. */
  const usual = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ({ a: 'text' })));
  const printUsual = () => {
    for (let i = 0; i < 5; i++) inspect(usual, { depth: 6 });
  };

  test.each(Object.entries(SLOW))('%s: only as much is printed as the budget allows', (_, [value, ...expected]) => {
    const printer = vi.spyOn(util, 'inspect');
    try {
      const texts = [outputText(value), modelText(value)];
      const printed = printer.mock.calls.map(([it, options]) => (it === value ? options.maxArrayLength : 'a copy'));
      expect(printed).toStrictEqual(expected);
      expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(1_200_000);
    } finally {
      printer.mockRestore();
    }
  });

  // None takes more than three times as long as the usual values. Without a budget, the slowest take over a hundred
  // times as long.
  test.each(Object.entries(SLOW))('%s: printing it takes at most ten times as long as usual values', (_, [value]) => {
    printUsual();
    const ratio = () => cpuMs(() => [outputText(value), modelText(value)]) / cpuMs(printUsual);
    expect([1, 2, 3].some(() => ratio() < 10)).toBe(true);
  });
});

test('each output is read for the model three times, for content, as text and as data, with turns of the event loop between', async () => {
  let gets = 0;
  const list = Array.from({ length: 20_000 }, () => NaN);
  const output = [undefined, Object.defineProperty({}, 'once', { enumerable: true, get: () => ++gets }), list];
  expect((await modelReport({ output, logs: '' })).text).toMatch(/^\[\n {2}undefined,\n {2}\{ once: \[Getter\] \},/);
  expect(gets).toBe(3);
});

describe('modelText', () => {
  const left = '[... parts of the output are left out; return a slice, a count or a summary ...]';

  test.each([
    ...Object.entries(LARGE),
    ['many dates', Array(99_999).fill(new Date(0))],
    ['many line ends', Array(20).fill(Array(20).fill('\n'.repeat(10_000)))],
    ['an ArrayBuffer', new ArrayBuffer(1e8)],
    ['one ArrayBuffer, many times', Array(1_000).fill(new DataView(new ArrayBuffer(20_000)))],
  ])('shows %s', (_, value) => {
    expect(modelText(value).length).toBeLessThan(20_200);
  });

  test.each([
    ['a list of Dates', Array.from({ length: 300 }, () => ({ at: new Date(0) }))],
    ['a Map', new Map(Array.from({ length: 300 }, (_, i) => [i, i]))],
    ['a Set', new Set(Array.from({ length: 300 }, (_, i) => i))],
    ['a typed array', new Uint8Array(300)],
    ['a string', { text: 'x'.repeat(15_000), when: undefined }],
    ['levels', { a: { b: { c: { d: { e: { f: { g: { h: { i: NaN } } } } } } } } }],
  ])('%s is shown completely if there is room', (_, value) => {
    const whole = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, breakLength: 120 };
    expect(modelText(value)).toBe(inspect(value, whole));
  });

  test('text beyond the limit loses its middle', () => {
    const text = modelText([...Array(10_000).keys(), NaN]);
    expect(text).toMatch(/^\[\n\s+0,\s+1,/);
    expect(text).toMatch(
      /\n\[\.\.\. \d+ of \d+ characters of the output; return a part, a count or a summary \.\.\.\]\n/,
    );
    expect(text).toMatch(/ 9999,\s+NaN\n\]$/);
  });

  test('text far beyond the limit is not formatted to its end, and says so', () => {
    const text = modelText(Array(100_000).fill({ id: 1, at: new Date(0) }));
    expect(text).toMatch(/\n\[\.\.\. \d+ of \d+ characters of this text \.\.\.\]\n/);
    expect(text.endsWith(`\n  ... 97000 more items\n]\n${left}`)).toBe(true);
    expect(modelText(shared(40))).toMatch(/\[Array\][\s\]]+\n\[\.\.\. parts of the output are left out; [^\n]+\]$/);
  });

  test('complete text does not mention a cut', () => {
    expect(modelText(Object.assign([], { 4_000_000_000: 1 }))).toBe('[ <4000000000 empty items>, 1 ]');
    expect(modelText(1n << 400_000_000n)).toBe('[a BigInt of more than 1048576 bits]');
  });

  test('limits count characters', () => {
    const text = modelText({ text: 'x'.repeat(30_000), when: undefined }, { maxChars: 40_000 });
    expect(text).toBe(`{\n  text: '${'x'.repeat(30_000)}',\n  when: undefined\n}`);
    expect(modelText({ text: 'x'.repeat(200), when: undefined }, { maxChars: 100 })).toBe(
      `{\n  text: '${'x'.repeat(39)}\n[... 56 of 156 characters of the output; return a part, a count or a summary ...]\n` +
        `${'x'.repeat(5)}'... 100 more characters,\n  when: undefined\n}`,
    );
  });
});

test('values that tools throw are described quickly', () => {
  expect(describeThrown(1n << 400_000_000n).message).toBe('[a BigInt of more than 1048576 bits]');
  expect(describeThrown({ message: shared(40) }).message).toBe('an array');
  expect(describeThrown(shared(40)).message).toBe('an array');
  expect(describeThrown({ message: { a: 1 } }).message).toBe('{"a":1}');
});

test('values up to 200 levels deep are shown to a model as JSON', async () => {
  const text = `${'['.repeat(200)}${']'.repeat(200)}`;
  expect(await modelOutput(deep(199))).toStrictEqual({ text, value: deep(199) });
  const printed = inspect(deep(200), { depth: 19, breakLength: 120 });
  // As data, it is whole.
  expect(await modelOutput(deep(200))).toStrictEqual({ text: printed, value: deep(200) });
});
