// A step of a session that reads, writes and calls what an earlier one has declared, and the same as one program.

import { expectEqual } from './measure.mjs';

const DECLARATIONS = `
let n = 0;
const weights = [1, 2, 3, 4];
function add(i) {
  n = (n + i) & 1023;
  return n;
}
`;
const WORK = `
let seen = 0;
for (let i = 0; i < 1e7; i++) {
  n = (n + i) & 1023;
  seen += add(weights[i & 3]);
}
return [n, seen];
`;
/** What a session has run, and what is measured in it. */
const PARTS = {
  'steps-one': ['', DECLARATIONS + WORK],
  'steps-later': [DECLARATIONS, WORK],
  'steps-again': [DECLARATIONS, DECLARATIONS + WORK],
};

export default {
  id: 'steps',
  title: 'steps of a session',
  peers: ['ses-executor'],
  rounds: 10,
  seconds: 12,
  roundsOfSlow: 4,
  variants: [
    { id: 'steps-one', title: 'a loop over variables and a function of the same program' },
    { id: 'steps-later', title: 'the same over those of an earlier run' },
    { id: 'steps-again', title: 'the same over those that it declares again' },
  ],
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    return { state: { peer } };
  },

  async round({ peer }, { id }) {
    const session = await peer.open({ memoryLimitMb: 512 });
    const [before, measured] = PARTS[id];
    if (before !== '') await session.run(before);
    const started = performance.now();
    const result = await session.run(measured);
    const time = performance.now() - started;
    await session.close();
    expectEqual(result, [256, 4_954_999_872], id);
    return { time: [time] };
  },
};
