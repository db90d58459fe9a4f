// Runs per second of several sessions at once, each with a little to compute. Peers that work on the host's thread do
// one after the other.

import { expectEqual } from './measure.mjs';

const BODY = `let s = 0; for (let i = 0; i < 50000; i++) s = (s + i * i) % 1000003; return s;`;
const WANT = new Function(BODY)();
const SESSIONS = [1, 2, 4, 16];

export default {
  id: 'throughput',
  title: 'throughput',
  rounds: 3,
  seconds: 36,
  variants: SESSIONS.map((count) => ({
    id: `throughput-${count}`,
    title: `runs per second, ${count} session${count === 1 ? '' : 's'}`,
    count,
  })),
  metrics: [{ id: 'rate', unit: '/s', isHigherBetter: true }],

  async prepare(peer) {
    const sessions = [];
    for (let i = 0; i < Math.max(...SESSIONS); i++) sessions.push(await peer.open());
    await Promise.all(sessions.map(work));
    return { state: sessions };
  },

  async round(sessions, { count }, { isQuick }) {
    const started = performance.now();
    const end = started + (isQuick ? 120 : 300);
    let runs = 0;
    const serve = async (session) => {
      while (performance.now() < end) {
        await work(session);
        runs++;
        // Sessions on the host's thread take turns.
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await Promise.all(sessions.slice(0, count).map(serve));
    return { rate: [(runs * 1e3) / (performance.now() - started)] };
  },
};

let last = 0;

/** Each text is new, as those of agents are. */
async function work(session) {
  expectEqual(await session.run(`// ${++last}\n${BODY}`), WANT, 'the loop');
}
