// A program that makes many values, in a session that holds none, half and three quarters of its memory limit.

import { expectEqual, repeat } from './measure.mjs';

const LIMIT_MB = 128;
/** An object of four numbers, and its place in the list. */
const BYTES_OF_ONE = 64;
const SHARES = { 'held-nothing': 0, 'held-half': 1 / 2, 'held-most': 3 / 4 };
const PROGRAM = `
const rows = [];
for (let i = 0; i < 60000; i++) rows.push({ id: i, category: 'c' + (i % 17), price: (i * 37) % 1000 });
const totals = new Map();
for (const { category, price } of rows.map((row) => ({ ...row, price: row.price / 10 }))) {
  totals.set(category, (totals.get(category) ?? 0) + price);
}
return totals.size;
`;

export default {
  id: 'held',
  title: 'what a session holds',
  peers: ['ses-executor', 'isolated-vm'],
  rounds: 6,
  seconds: 15,
  roundsOfSlow: 6,
  variants: [
    { id: 'held-nothing', title: 'a program that makes many values' },
    { id: 'held-half', title: 'the same where half of the memory limit is held' },
    { id: 'held-most', title: 'the same where three quarters are held' },
  ],
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    return { state: { peer } };
  },

  async round({ peer }, { id }, { isQuick }) {
    const session = await peer.open({ memoryLimitMb: LIMIT_MB });
    const count = Math.round((SHARES[id] * LIMIT_MB * 2 ** 20) / BYTES_OF_ONE);
    const hold = `globalThis.held = []; for (let i = 0; i < ${count}; i++) held.push({ a: i, b: i, c: i, d: i }); return held.length;`;
    expectEqual(await session.run(hold), count, id);
    const time = await repeat(async () => expectEqual(await session.run(PROGRAM), 17, id), {
      samples: isQuick ? 5 : 15,
      budgetMs: 2_000,
    });
    await session.close();
    return { time };
  },
};
