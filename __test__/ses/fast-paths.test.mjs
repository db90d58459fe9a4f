// What V8 does slowly where prototypes are frozen, unless the engine takes care.
import { expect, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

/** How long two statements take in a guest behind `setup`, in ms: each the fastest of 15 rounds, by turns. */
async function fastest(setup, first, second) {
  const code = `
    ${setup}
    const best = [Infinity, Infinity];
    for (let round = 0; round < 15; round++) {
      const start = Date.now();
      ${first}
      const middle = Date.now();
      ${second}
      best[0] = Math.min(best[0], middle - start);
      best[1] = Math.min(best[1], Date.now() - middle);
    }
    best`;
  return withExecutor({ maxOperations: 1e9, timeoutMs: 60_000 }, {}, async (executor) => {
    return (await executor.run(code)).output;
  });
}

/**
 * V8 looks for read-only ones in each store once a prototype of arrays has frozen elements. 90_seal.js freezes those
 * prototypes without that.
 */
test('elements of arrays are stored as fast as without frozen prototypes', async () => {
  const [usual, bare] = await fastest(
    `const fill = (list) => { for (let i = 0; i < 500_000; i++) list[i] = i; };
     const fillBare = (list) => { for (let i = 0; i < 500_000; i++) list[i] = i; };`,
    'for (let i = 0; i < 4; i++) fill([]);',
    'for (let i = 0; i < 4; i++) fillBare(Object.setPrototypeOf([], null));',
  );
  expect(usual).toBeLessThan(3 * bare);
});

/**
 * V8 calls `add` for each element unless the prototype has the layout that it knows, which is that of the frozen one
 * (build.rs).
 */
test('sets are copied from sets in one operation, not element by element', async () => {
  const [made, added] = await fastest(
    `const set = new Set(Array.from({ length: 1_000 }, (_, i) => i * 7));
     const add = () => { const copy = new Set(); for (const value of set) copy.add(value); return copy; };`,
    'for (let i = 0; i < 400; i++) new Set(set);',
    'for (let i = 0; i < 400; i++) add();',
  );
  expect(made).toBeLessThan(0.8 * added);
});

/**
 * What V8 has not learned it looks up in each round: here at the end of a long chain
 * (crates/engine/src/platform/tiers.rs).
 */
test.runIf(process.platform === 'linux')('V8 collects feedback for a function from its first call on', async () => {
  const functions = (rounds) => Array(400).fill(`(o) => { for (let i = 0; i < ${rounds}; i++) o.far; }`);
  const code = `
    let chain = { far: 1 };
    for (let i = 0; i < 5000; i++) chain = Object.create(chain);
    const time = (functions) => { const start = Date.now(); for (const f of functions) f(chain); return Date.now() - start; };
    [time([${functions(1)}]), time([${functions(6)}])]`;
  const times = await withExecutor({ timeoutMs: 60_000 }, {}, async (executor) => {
    const runs = [];
    for (let run = 0; run < 5; run++) runs.push((await executor.run(`${code} // ${run}`)).output);
    return runs;
  });
  const [once, often] = [0, 1].map((which) => Math.min(...times.map((pair) => pair[which])));
  expect(often).toBeLessThan(2 * once);
});
