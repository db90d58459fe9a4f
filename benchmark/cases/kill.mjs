// How long past the deadline the host hears that a loop was ended.

const DEADLINE_MS = 50;

export default {
  id: 'kill',
  title: 'kill latency',
  rounds: 4,
  seconds: 15,
  variants: [{ id: 'kill-loop', title: 'an endless loop ended: time past the deadline' }],
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    if (!peer.traits.isStoppable) return { reason: 'cannot be stopped' };
    await kill(peer);
    return { state: peer };
  },

  async round(peer, _variant, { isQuick }) {
    const time = [];
    for (let i = 0; i < (isQuick ? 3 : 5); i++) time.push(await kill(peer));
    return { time };
  },
};

async function kill(peer) {
  // What starts in the background is not to be waited for within the deadline.
  const first = await peer.open();
  await first.evaluate('1+1');
  await first.close();
  const session = await peer.open({ timeoutMs: DEADLINE_MS });
  if (peer.traits.hasSessions) await session.evaluate('1+1');
  const started = performance.now();
  const outcome = await session.evaluate('(() => { for (;;); })()').then(
    () => 'went on',
    () => 'ended',
  );
  const elapsed = performance.now() - started;
  await session.close();
  if (outcome !== 'ended') throw new Error('the loop was not ended');
  return elapsed - DEADLINE_MS;
}
