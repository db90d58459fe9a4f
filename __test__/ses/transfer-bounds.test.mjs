// What tools return may come from third parties. To refuse a value took seconds: a function after a million objects 4
// s, since all of them were searched for the part to name, and four million levels 11.6 s.

import { createRequire } from 'node:module';

import { expect, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

const require = createRequire(import.meta.url);
const { encode } = require('../../build/ses/transfer.js');
const MAX_BYTES = 64 << 20;

function nested(levels, around) {
  let value = [];
  for (let level = 0; level < levels; level++) value = around(value);
  return value;
}

/** What `encode` says. Times are not compared: the messages tell how far the search went. */
function refused(value) {
  try {
    encode(value, 'result', MAX_BYTES);
  } catch (error) {
    return { message: error.message, cause: error.cause.message };
  }
  throw new Error('nothing was refused');
}

const TOO_DEEP = 'result cannot be cloned: it is nested too deeply or too large';

test.each([
  ['lists', (value) => [value]],
  ['objects', (value) => ({ value })],
  ['Maps', (value) => new Map([[1, value]])],
  ['lists of two', (value) => [1, value]],
])('two million levels of %s are refused before they are written', (_name, around) => {
  const { message, cause } = refused(nested(2_000_000, around));
  expect(message).toBe(TOO_DEEP);
  expect(cause).toBe('it is nested more than 100000 levels deep');
});

const many = () => Array.from({ length: 1_000_000 }, (_, id) => ({ id }));
test.each([
  ['in an array', (f) => [...many(), f], '()=>{} could not be cloned.'],
  ['in a Set', (f) => new Set([...many(), f]), '()=>{} could not be cloned.'],
  ['in a Map', (f) => new Map([...many().map((object) => [object, 1]), [1, f]]), '()=>{} could not be cloned.'],
  ['in an object', (f) => ({ list: many(), f: [f] }), '()=>{} could not be cloned.'],
])('a function after a million objects %s is refused without a search for its path', (_name, valueOf, reason) => {
  // prettier-ignore
  const { message } = refused(valueOf(()=>{}));
  expect(message).toBe(`result cannot be cloned: ${reason}`);
});

test('a part that cannot be cloned is named if it is among the first 20,000', () => {
  const list = Array.from({ length: 3_000 }, (_, id) => ({ id, tags: ['a'] }));
  expect(refused([...list, { callback: () => {} }]).message).toBe('result[3000].callback (function) cannot be cloned');
  expect(refused(new Map([[list, new Set([Symbol('s')])]])).message).toContain('(symbol) cannot be cloned');
  expect(refused(Object.assign(list, { name: () => {} })).message).toBe('result.name (function) cannot be cloned');
});

test('large data crosses to the guest and back', async () => {
  const nodes = Array.from({ length: 120_000 }, (_, id) => ({ id, tags: ['a', 'b'], of: { x: id / 2, y: null } }));
  const deep = nested(1_000, (value) => ({ value }));
  const values = { numbers: Array.from({ length: 1_000_000 }, (_, i) => i), nodes, deep };
  await withExecutor({ maxTransferBytes: MAX_BYTES, timeoutMs: 60_000 }, {}, async (executor) => {
    await executor.sendTools({ get: (name) => values[name] });
    const { output } = await executor.run(`
      let depth = 0;
      for (let at = get('deep'); at.value; at = at.value) depth++;
      return [get('numbers').length, get('nodes').at(-1).of.x, depth];`);
    expect(output).toStrictEqual([1_000_000, 59_999.5, 1_000]);
  });
});
