// A program that comes again: the same text in a session that has run it before, with all that the peer keeps of it.

import { expectEqual, repeat } from './measure.mjs';
import { readProgram } from './programs.mjs';

const PROGRAM = readProgram('price-orders');
const RESULT = [8, '31 x b31, 2 x b: 150.2'];

export default {
  id: 'reruns',
  title: 'a program that comes again',
  rounds: 10,
  seconds: 20,
  roundsOfSlow: 4,
  variants: [{ id: 'reruns', title: 'a program of 25 lines that comes again' }],
  metrics: [{ id: 'time', unit: 'µs' }],

  async prepare(peer) {
    const session = await peer.open();
    const state = { run: (await session.compile?.(PROGRAM)) ?? (() => session.run(PROGRAM)) };
    await batch(state, 100);
    return { state };
  },

  async round(state, _variant, { isQuick }) {
    const runs = 20;
    const times = await repeat(() => batch(state, runs), {
      samples: isQuick ? 6 : 12,
      budgetMs: isQuick ? 100 : 250,
    });
    return { time: times.map((ms) => (ms * 1e3) / runs) };
  },
};

async function batch({ run }, runs) {
  let result;
  for (let i = 0; i < runs; i++) result = await run();
  expectEqual(result, RESULT, 'a program that comes again');
}
