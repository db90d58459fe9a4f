// Cause: V8 lists all keys of an object in one step. If a tool returned an object of a guest with 1,000,000 properties,
// the event loop stood still for 0.8 s.

import { expect, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

const OPTIONS = { maxOperations: 1e9, memoryLimitMb: 256, timeoutMs: 60_000 };
const echo = { now: (value) => value, later: async (value) => value };

test.each([
  ['an object', 'const value = {}; for (let i = 0; i < 100_000; i++) value["k" + i] = i'],
  [
    'an object in a Map',
    'const o = {}; for (let i = 0; i < 100_000; i++) o[i * 3] = i; const value = new Map([[1, [o]]])',
  ],
  ['an array with other keys', 'const value = Object.assign(Array.from({ length: 400_000 }, () => 1), { x: 1 })'],
  [
    'an array with many holes',
    'const value = Array(120_000).fill(1); for (let i = 0; i < 120_000; i += 10) delete value[i]',
  ],
])('a result that contains %s of a guest with 100,000 keys or more is refused', async (_name, make) => {
  await withExecutor(OPTIONS, echo, async (executor) => {
    const code = `${make};
      const said = [];
      try { now(value) } catch (error) { said.push(error) }
      try { await later(value) } catch (error) { said.push(error) }
      return said.map((error) => [error.name, error.message])`;
    const what = 'the result contains an object or array with at least 100000 keys, and listing them takes too long';
    const failure = ['TypeError', `${what}; use a Map, or a list of keys and values`];
    expect((await executor.run(code)).output).toStrictEqual([failure, failure]);
  });
});

test('a result with slightly fewer keys, or with a long array that a guest has filled, is passed on', async () => {
  await withExecutor(OPTIONS, echo, async (executor) => {
    const code = `
      const wide = {}; for (let i = 0; i < 99_999; i++) wide["k" + i] = i;
      const [a, b, c] = await later([wide, Array(150_000).fill(1), Object.assign([1, , 2], { x: 3 })]);
      return [Object.keys(a).length, b.length, Object.keys(c)]`;
    expect((await executor.run(code)).output).toStrictEqual([99_999, 150_000, ['0', '2', 'x']]);
  });
});

test('a variable with such an object is passed on: the object belongs to the host', async () => {
  await withExecutor(OPTIONS, {}, async (executor) => {
    const { output } = await executor.run('const o = {}; for (let i = 0; i < 100_000; i++) o["k" + i] = i; return o');
    executor.sendVariables({ given: output });
    expect((await executor.run('return Object.keys(given).length')).output).toBe(100_000);
  });
});
