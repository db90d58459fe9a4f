// Start from a pool of isolates that are ready. The pool is full again before each start; that time is not measured.

import { expectEqual } from './measure.mjs';

export default {
  id: 'warm-start',
  title: 'warm start',
  rounds: 16,
  seconds: 12,
  variants: [{ id: 'warm-start', title: 'warm start from the pool: construct, init, `1+1`, cleanup' }],
  metrics: [
    { id: 'time', unit: 'ms' },
    { id: 'open', unit: 'ms', title: 'warm start: construct and init of that' },
  ],

  async prepare(peer) {
    const isPooled = peer.hasWarmPool ?? !peer.traits.hasSessions;
    if (!isPooled) return { reason: peer.hasWarmPool === false ? 'not supported' : 'no pool' };
    for (let i = 0; i < 3; i++) await start(peer);
    return { state: peer };
  },

  async round(peer, _variant, { isQuick }) {
    const starts = [];
    for (let i = 0; i < (isQuick ? 5 : 12); i++) starts.push(await start(peer));
    const open = peer.traits.hasSessions ? starts.map((one) => one.open) : [];
    return { time: starts.map(({ time }) => time), open };
  },
};

async function start(peer) {
  if (peer.hasWarmPool) {
    // The pool fills once an executor was made.
    await (await peer.open({ warmPool: 1 })).close();
    await peer.warm(1);
  }
  const started = performance.now();
  const session = await peer.open({ warmPool: 1 });
  const open = performance.now() - started;
  const result = await session.evaluate('1+1');
  await session.close();
  const time = performance.now() - started;
  expectEqual(result, 2, '1+1');
  return { time, open };
}
