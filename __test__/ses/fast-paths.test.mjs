// What V8 does slowly where prototypes are frozen, unless the engine takes care.
import { expect, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

/** V8 looks for read-only ones in each store once a prototype of arrays has frozen elements. 90_seal.js freezes those prototypes without that. */
test('elements of arrays are stored as fast as where no prototype is frozen', async () => {
  await withExecutor({ maxOperations: 1e9, timeoutMs: 60_000 }, {}, async (executor) => {
    const { output } = await executor.run(`
      const fill = (list) => { for (let i = 0; i < 500_000; i++) list[i] = i; };
      const fillBare = (list) => { for (let i = 0; i < 500_000; i++) list[i] = i; };
      let [usual, bare] = [Infinity, Infinity];
      for (let round = 0; round < 15; round++) {
        const start = Date.now();
        for (let i = 0; i < 4; i++) fill([]);
        const middle = Date.now();
        for (let i = 0; i < 4; i++) fillBare(Object.setPrototypeOf([], null));
        usual = Math.min(usual, middle - start);
        bare = Math.min(bare, Date.now() - middle);
      }
      [usual, bare]
    `);
    const [usual, bare] = output;
    expect(usual).toBeLessThan(3 * bare);
  });
});

/** V8 calls `add` for each element unless the prototype has the layout that it knows, which is that of the frozen one (build.rs). */
test('sets are made of others at once, and not by adding', async () => {
  await withExecutor({ maxOperations: 1e9, timeoutMs: 60_000 }, {}, async (executor) => {
    const { output } = await executor.run(`
      const set = new Set(Array.from({ length: 1_000 }, (_, i) => i * 7));
      const add = () => { const copy = new Set(); for (const value of set) copy.add(value); return copy; };
      let [made, added] = [Infinity, Infinity];
      for (let round = 0; round < 15; round++) {
        const start = Date.now();
        for (let i = 0; i < 400; i++) new Set(set);
        const middle = Date.now();
        for (let i = 0; i < 400; i++) add();
        made = Math.min(made, middle - start);
        added = Math.min(added, Date.now() - middle);
      }
      [made, added]
    `);
    const [made, added] = output;
    expect(made).toBeLessThan(0.8 * added);
  });
});
