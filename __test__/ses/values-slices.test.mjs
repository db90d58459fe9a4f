// Values that Node.js reads in slices: they have to be what they are when they are read at once.
import { createRequire } from 'node:module';
import v8 from 'node:v8';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { mayReadNow, readInSlices } from '../../build/ses/read-scheduler.js';
import { gateTool } from '../helpers.mjs';

// The one that the library has loaded.
const require = createRequire(import.meta.url);
const clock = require('../../build/contract/clock.js');
const { SliceReader } = require('../../build/ses/slices.js');

/** As `SliceReader` in `lib/ses/slices.ts` puts values together, kind by kind. */
const VALUES = {
  'an array with holes at its beginning, in it and at its end':
    'const a = Array.from({ length: 200_000 }, (_, i) => i); delete a[0]; delete a[150_000]; a.length = 200_010; return a',
  'an array with undefined elements and other properties':
    'const a = Array(120_000).fill(undefined); a.name = "n"; a["7x"] = [1]; return a',
  'a sparse array': 'const a = []; a[1e7] = { deep: [1] }; a[5] = 5; a.name = "n"; return a',
  'a sparse array beyond the size that V8 allocates': 'const a = []; a[4e9] = 1; return [a, Array(200_000).fill(0)]',
  'an array that ends in a hole': 'const a = []; a[0] = 1; a.length = 5e6; return a',
  'an object': 'return Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => ["k" + i, [i]]))',
  'keys that are indices, and __proto__':
    'const o = JSON.parse(\'{"__proto__":{"a":1}}\'); for (let i = 0; i < 60_000; i++) o[i * 3] = i; return o',
  'a Map': 'return new Map(Array.from({ length: 600 }, (_, i) => [{ i }, i]))',
  'a Set': 'return new Set(Array.from({ length: 600 }, (_, i) => [i]))',
  'a Map of large values': 'return new Map([[Array(90_000).fill(1), Array(90_000).fill("x")], ["k", new Map()]])',
  'an error with a large cause': 'return new TypeError("m", { cause: { list: Array(90_000).fill("c") } })',
  'nesting of 900 levels with much at the bottom':
    'let deep = Array(90_000).fill("x"); for (let i = 0; i < 300; i++) deep = { in: [new Map([[i, deep]])] }; return deep',
  'two-byte strings, in several batches':
    'return Array.from({ length: 30_000 }, (_, i) => (i % 2 ? "日本語" : "é") + i)',
  'views, buffers, dates, boxes, regular expressions': `return Array.from({ length: 3_000 }, (_, i) => [new Uint16Array([i, 2]), new DataView(new ArrayBuffer(3)), new Date(i), Object(1n), /a/g])`,
  'costly regular expressions among other values':
    'return Array.from({ length: 3_000 }, (_, i) => (i % 2 ? [/a/g] : [/\\\\p{L}/u, { i }]))'.replaceAll('\\\\', '\\'),
};

let executor;
beforeAll(async () => {
  executor = new SESExecutor({ maxOperations: 1e9, memoryLimitMb: 512, timeoutMs: 60_000 });
  await executor.init();
});
afterAll(() => executor.cleanup());

/** What the code gives, made by this process. */
const here = (code) => new Function(code)();

describe('the output of a run is read in slices', () => {
  test.each(Object.keys(VALUES).slice(0, -1))('%s', async (name) => {
    const { output } = await executor.run(VALUES[name]);
    expect(Object.getPrototypeOf(output)).toBe(Object.getPrototypeOf(here(VALUES[name])));
    // The stack of an error is another one here.
    if (output instanceof Error) {
      expect([output.name, output.message]).toStrictEqual(['TypeError', 'm']);
      expect(output.cause).toStrictEqual({ list: Array(90_000).fill('c') });
    } else {
      expect(output).toStrictEqual(here(VALUES[name]));
    }
  });

  test('even with costly regular expressions', async () => {
    const { output } = await executor.run(VALUES['costly regular expressions among other values']);
    expect(output.slice(0, 4)).toStrictEqual([
      [{ source: '\\p{L}', flags: 'u' }, { i: 0 }],
      [/a/g],
      [{ source: '\\p{L}', flags: 'u' }, { i: 2 }],
      [/a/g],
    ]);
    expect(output).toHaveLength(3_000);
  });
});

test('references keep their targets, across slices and to values that are not complete yet', async () => {
  const { output } = await executor.run(`
    const first = { is: 'first' };
    const map = new Map(Array.from({ length: 2_000 }, (_, i) => [i, { i }]));
    const root = { first, map, list: Array.from({ length: 50_000 }, () => [first]) };
    map.set('root', root).set('list', root.list).set(map, map);
    root.list.push(root.list, map, map.get(1_999));
    return root;`);
  const { first, map, list } = output;
  expect(list.slice(0, 50_000).every((item) => item.length === 1 && item[0] === first)).toBe(true);
  expect(first).toStrictEqual({ is: 'first' });
  expect([map.get('root') === output, map.get('list') === list, map.get(map) === map]).toStrictEqual([
    true,
    true,
    true,
  ]);
  expect([list[50_000] === list, list[50_001] === map, list[50_002] === map.get(1_999)]).toStrictEqual([
    true,
    true,
    true,
  ]);
  expect(map.get(1_999)).toStrictEqual({ i: 1_999 });
});

test('tools are called in the order of the calls, however long their arguments take', async () => {
  const seen = [];
  await executor.sendTools({ take: async (value, tag) => void seen.push([tag, value.length ?? value]) });
  await executor.run(`
    const calls = [take(1, 'a'), take(Array(300_000).fill('x'), 'b'), take(2, 'c'), take(Array(200_000).fill([]), 'd'), take(3, 'e')];
    await Promise.all(calls);`);
  expect(seen).toStrictEqual([
    ['a', 1],
    ['b', 300_000],
    ['c', 2],
    ['d', 200_000],
    ['e', 3],
  ]);
});

test('a synchronous tool gets its arguments too', async () => {
  await executor.sendTools({ count: (value) => value.size });
  const { output } = await executor.run('return count(new Map(Array.from({ length: 70_000 }, (_, i) => [i, i])))');
  expect(output).toBe(70_000);
});

test('tools are not called if the run ended before their arguments were read', async () => {
  // On a busy machine the arguments may have been read before the run ended.
  const late = [];
  let isOver;
  const take = async () => void (isOver && late.push('called'));
  await executor.sendTools({ take, now: (value) => value });
  // The arguments take several turns of the loop, and the run does not wait for them.
  const runAlone = async () => {
    isOver = false;
    await executor.run(`take(Array(1_500_000).fill('x')); take('small'); 1`);
    isOver = true;
  };
  await runAlone();
  await executor.run('now(1)');
  expect(late).toStrictEqual([]);
  // Nor do they become calls of the next one, which waits meanwhile.
  const gate = gateTool();
  await executor.sendTools({ gate: gate.tool });
  await runAlone();
  const next = executor.run('await gate()');
  await gate.called;
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  gate.open();
  await next;
  expect(late).toStrictEqual([]);
});

test('an output whose slices take too long fails as too large', async () => {
  const { now } = clock.performance;
  // A slice is over after the first look at the clock then.
  const fast = vi.spyOn(clock.performance, 'now').mockImplementation(() => 1e6 * now());
  try {
    await expect(executor.run('return Array(200_000).fill("x")')).rejects.toMatchObject({
      code: 'ERR_TRANSFER_LIMIT_EXCEEDED',
      details: { maxTransferBytes: 64 << 20, value: 'output' },
    });
  } finally {
    fast.mockRestore();
  }
  expect((await executor.run('return Array(200_000).fill("x")')).output).toHaveLength(200_000);
});

test('at most 64 KiB are read immediately per turn of the event loop', async () => {
  const wire = v8.serialize('x'.repeat(33 << 10));
  expect([mayReadNow(wire), mayReadNow(wire), mayReadNow(v8.serialize(1))]).toStrictEqual([true, false, true]);
  expect(await readInSlices(wire)).toBe('x'.repeat(33 << 10));
  await new Promise((resolve) => setImmediate(resolve));
  expect(mayReadNow(wire)).toBe(true);
});

describe('the budget of host memory', () => {
  const REFUSED = { code: 'ERR_TRANSFER_LIMIT_EXCEEDED', details: { maxTransferBytes: 64 << 20, value: 'output' } };

  test.each(['Array(12e6).fill("ab")', 'Array.from({ length: 1_200_000 }, () => new Map())', 'Array(9e6).fill(1)'])(
    'refuses %s',
    async (code) => {
      await expect(executor.run(`return ${code}`)).rejects.toMatchObject(REFUSED);
    },
  );

  test('also limits arguments of tools', async () => {
    await executor.sendTools({ take: async () => 'taken' });
    const { output } = await executor.run(
      'try { await take(Array(9e6).fill(1)) } catch (error) { return [error.name, error.code] }',
    );
    expect(output).toStrictEqual(['RangeError', 'ERR_TRANSFER_LIMIT_EXCEEDED']);
  });

  test('is at least 1 MiB', async () => {
    const small = new SESExecutor({ maxTransferBytes: 60_000 });
    await small.init();
    expect((await small.run('Array(25_000).fill(1)')).output).toHaveLength(25_000);
    await expect(small.run('Array(5_000).fill().map(() => new Map())')).rejects.toMatchObject({
      code: 'ERR_TRANSFER_LIMIT_EXCEEDED',
    });
    await small.cleanup();
  });
});

// They were read to their end, a slice in each turn of the event loop, and dropped then.
test('arguments of a run that has ended are read no further', async () => {
  const own = new SESExecutor();
  await own.init();
  await own.sendTools({ take: async () => 'taken' });
  const reads = vi.spyOn(SliceReader.prototype, 'read');
  const abort = new AbortController();
  reads.mockImplementationOnce(() => {
    abort.abort();
    return false;
  });
  await expect(own.run('await take(Array(400_000).fill("x"))', { signal: abort.signal })).rejects.toMatchObject({
    code: 'ERR_EXEC_TIMEOUT',
  });
  const before = reads.mock.calls.length;
  // Others are read in the turns that they would have been read in.
  const wire = v8.serialize(1);
  await readInSlices(wire);
  await readInSlices(wire);
  expect(reads).toHaveBeenCalledTimes(before);
  reads.mockRestore();
  await own.cleanup();
});
