// Cold start: construct, initialise, run `1+1`, clean up. Code and libraries are loaded, nothing is pooled.

import { expectEqual, repeat } from './measure.mjs';

export default {
  id: 'cold-start',
  title: 'cold start',
  rounds: 8,
  variants: [{ id: 'cold-start', title: 'cold start: construct, init, `1+1`, cleanup' }],
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    // `run` keeps its threads whatever its user does; its runs are in the next case.
    if (!peer.traits.hasSessions) return { reason: 'pools always' };
    for (let i = 0; i < 3; i++) await start(peer);
    return { state: peer };
  },

  async round(peer, _variant, { isQuick }) {
    return { time: await repeat(() => start(peer), { samples: isQuick ? 8 : 16, budgetMs: isQuick ? 150 : 300 }) };
  },
};

async function start(peer) {
  const session = await peer.open({ warmPool: 0 });
  const result = await session.evaluate('1+1');
  await session.close();
  expectEqual(result, 2, '1+1');
}
