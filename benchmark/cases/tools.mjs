// Calls of host functions from guest code, within one run.

import { expectEqual, repeat, threadCpuMs } from './measure.mjs';

const CALLS = 200;
const PARALLEL = 100;
const TOOLS = { add: (a, b) => a + b, addLater: async (a, b) => a + b };

export default {
  id: 'tools',
  title: 'tool calls',
  rounds: 12,
  seconds: 40,
  roundsOfSlow: 4,
  variants: [
    { id: 'tool-async-sequential', title: 'async tool call, in sequence, per call' },
    { id: 'tool-async-parallel', title: '100 async tool calls in parallel' },
    { id: 'tool-sync', title: 'sync tool call, per call' },
  ],
  metrics: [
    { id: 'time', unit: 'µs' },
    { id: 'host', unit: 'µs', title: (variant) => `thread time of the host: ${variant.title}` },
  ],

  async prepare(peer) {
    const state = { session: await peer.open({ tools: TOOLS }), last: 0 };
    for (const kind of Object.keys(KINDS)) for (let i = 0; i < 3; i++) await once(state, kind);
    return { state };
  },

  async round(state, { id }, { isQuick }) {
    const { divisor } = KINDS[id];
    const before = threadCpuMs();
    const times = await repeat(() => once(state, id), { samples: isQuick ? 6 : 15, budgetMs: isQuick ? 100 : 250 });
    const host = (threadCpuMs() - before) / (divisor * times.length);
    return { time: times.map((ms) => (ms * 1e3) / divisor), host: [host * 1e3] };
  },
};

const KINDS = {
  'tool-async-sequential': {
    divisor: CALLS,
    body: (n) => `let s${n} = 0; for (let i = 0; i < ${CALLS}; i++) s${n} = await addLater(s${n}, i); return s${n};`,
    want: (CALLS * (CALLS - 1)) / 2,
  },
  'tool-async-parallel': {
    divisor: 1,
    body: (n) =>
      `const a${n} = await Promise.all(Array.from({ length: ${PARALLEL} }, (_, i) => addLater(i, 1))); ` +
      `return a${n}.reduce((s, x) => s + x, 0);`,
    want: (PARALLEL * (PARALLEL + 1)) / 2,
  },
  'tool-sync': {
    divisor: CALLS,
    body: (n) => `let t${n} = 0; for (let i = 0; i < ${CALLS}; i++) t${n} = add(t${n}, i); return t${n};`,
    want: (CALLS * (CALLS - 1)) / 2,
  },
};

async function once(state, kind) {
  const { body, want } = KINDS[kind];
  expectEqual(await state.session.run(body(++state.last)), want, kind);
}
