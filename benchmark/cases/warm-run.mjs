// A run in a session that has run before: text in, result out. Each text is new, so that no compilation is cached.

import { setTimeout } from 'node:timers/promises';

import { expectEqual, repeat, threadCpuMs } from './measure.mjs';

const PAUSE_MS = 10;

export default {
  id: 'warm-run',
  title: 'warm run',
  rounds: 14,
  seconds: 14,
  roundsOfSlow: 4,
  variants: [
    {
      id: 'warm-run',
      title: 'warm run of `1+n`',
      metrics: [
        { id: 'time', unit: 'µs' },
        { id: 'host', unit: 'µs', title: 'thread time of the host: warm run' },
      ],
    },
    // What a step of an agent costs, since the model writes for seconds in between.
    { id: 'paused-run', title: `the same after a pause of ${PAUSE_MS} ms`, metrics: [{ id: 'time', unit: 'µs' }] },
  ],

  async prepare(peer) {
    const state = { session: await peer.open(), last: 0 };
    await batch(state, 100);
    return { state };
  },

  async round(state, { id }, { isQuick }) {
    if (id === 'paused-run') return { time: await paused(state, isQuick ? 6 : 12) };
    const runs = 40;
    const results = [];
    const first = state.last + 1;
    const before = threadCpuMs();
    const times = await repeat(async () => results.push(await batch(state, runs)), {
      samples: isQuick ? 6 : 12,
      budgetMs: isQuick ? 100 : 250,
    });
    const host = (threadCpuMs() - before) / (runs * times.length);
    // Not while the clock runs.
    const expected = Array.from({ length: runs * times.length }, (_, i) => first + i + 1);
    expectEqual(results.flat(), expected, 'warm run');
    return { time: times.map((ms) => (ms * 1e3) / runs), host: [host * 1e3] };
  },
};

async function batch(state, runs) {
  const results = [];
  for (let i = 0; i < runs; i++) results.push(await state.session.evaluate(`1+${++state.last}`));
  return results;
}

async function paused(state, runs) {
  const times = [];
  for (let i = 0; i < runs; i++) {
    await setTimeout(PAUSE_MS);
    const start = performance.now();
    const [result] = await batch(state, 1);
    times.push((performance.now() - start) * 1e3);
    expectEqual(result, 1 + state.last, 'warm run');
  }
  return times;
}
