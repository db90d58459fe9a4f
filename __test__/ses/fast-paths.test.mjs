// V8 stores elements twice as slowly, or worse, once a prototype of arrays has frozen elements: it then looks for read-only ones
// in each store. `crates/engine/js/90_seal.js` freezes those prototypes without that.
import { expect, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

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
