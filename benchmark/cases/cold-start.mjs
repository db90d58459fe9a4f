// Cold start: construct, initialise, run `1+1`, clean up. Code and libraries are loaded, nothing is pooled.

import { expectEqual, repeat } from './measure.mjs';

export default {
  id: 'cold-start',
  title: 'cold start',
  rounds: 8,
  seconds: 10,
  variants: [{ id: 'cold-start', title: 'cold start: construct, init, `1+1`, cleanup' }],
  metrics: [
    { id: 'time', unit: 'ms' },
    { id: 'open', unit: 'ms', title: 'cold start: construct and init of that' },
  ],

  async prepare(peer) {
    // `run` keeps its threads whatever its user does; its runs are in the next case.
    if (!peer.traits.hasSessions) return { reason: 'pools always' };
    for (let i = 0; i < 3; i++) await start(peer);
    return { state: peer };
  },

  async round(peer, _variant, { isQuick }) {
    const open = [];
    const time = await repeat(async () => open.push(await start(peer)), {
      samples: isQuick ? 8 : 16,
      budgetMs: isQuick ? 150 : 300,
    });
    return { time, open };
  },
};

/** Resolves to the milliseconds until the session was there. */
async function start(peer) {
  const started = performance.now();
  const session = await peer.open({ warmPool: 0 });
  const opened = performance.now() - started;
  const result = await session.evaluate('1+1');
  await session.close();
  expectEqual(result, 2, '1+1');
  return opened;
}
