// A run in a session that has run before: text in, result out. Each text is new, so that no compilation is cached.

import { expectEqual, repeat, threadCpuMs } from './measure.mjs';

export default {
  id: 'warm-run',
  title: 'warm run',
  rounds: 14,
  seconds: 14,
  roundsOfSlow: 4,
  variants: [{ id: 'warm-run', title: 'warm run of `1+n`' }],
  metrics: [
    { id: 'time', unit: 'µs' },
    { id: 'host', unit: 'µs', title: 'thread time of the host: warm run' },
  ],

  async prepare(peer) {
    const state = { session: await peer.open(), last: 0 };
    await batch(state, 100);
    return { state };
  },

  async round(state, _variant, { isQuick }) {
    const runs = 40;
    const before = threadCpuMs();
    const times = await repeat(() => batch(state, runs), {
      samples: isQuick ? 6 : 12,
      budgetMs: isQuick ? 100 : 250,
    });
    const host = (threadCpuMs() - before) / (runs * times.length);
    return { time: times.map((ms) => (ms * 1e3) / runs), host: [host * 1e3] };
  },
};

async function batch(state, runs) {
  for (let i = 0; i < runs; i++) {
    const n = ++state.last;
    expectEqual(await state.session.evaluate(`1+${n}`), n + 1, `1+${n}`);
  }
}
