// A durable session: what recording costs, and how long its replay takes.

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expectEqual } from './measure.mjs';

const CALLS = 900;
const WORK = `
let sum = 0;
for (let i = 0; i < ${CALLS}; i++) sum += await double(i);
return sum;
`;
const SUM = CALLS * (CALLS - 1);
const STEPS = Array.from({ length: 20 }, (_, i) => `const v${i} = await double(${i}); console.log(v${i}); v${i}`);
const TOOLS = { double: async (n) => 2 * n };
const KEYS = { sign: 'a key of the benchmark' };
const EXECUTOR = { maxOperations: Infinity, maxToolCalls: 1e6, timeoutMs: 120_000 };

export default {
  id: 'durable',
  title: 'durable sessions',
  peers: ['ses-executor'],
  rounds: 12,
  seconds: 15,
  roundsOfSlow: 4,
  variants: [
    { id: 'durable-plain', title: `${CALLS} async tool calls without latency, no journal` },
    { id: 'durable-recording', title: 'the same, recorded in a file with MAC and without fsync' },
    { id: 'durable-replay', title: 'opening that session, which replays it' },
    { id: 'durable-steps', title: `opening a session of ${STEPS.length} steps` },
  ],
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare() {
    const require = createRequire(import.meta.url);
    return { state: { ...require('../../build/durable/index.js'), ...require('../../index.js') } };
  },

  async round({ DurableSession, SESExecutor, fileStore }, { id }) {
    if (id === 'durable-plain') return plain(SESExecutor);
    const folder = mkdtempSync(join(tmpdir(), 'ses-bench-'));
    try {
      const store = fileStore(folder);
      const append = store.append.bind(store);
      store.append = (session, after, entries) => append(session, after, entries, { sync: false });
      const open = () => DurableSession.open('s', { store, keys: KEYS, tools: TOOLS, executor: EXECUTOR });
      const session = await open();
      const recorded = await timed(async () => {
        if (id === 'durable-steps') for (const step of STEPS) await session.run(step);
        else expectEqual((await session.run(WORK)).output, SUM, id);
      });
      await session.cleanup();
      if (id === 'durable-recording') return { time: [recorded] };
      let again;
      const time = await timed(async () => {
        again = await open();
      });
      await again.cleanup();
      return { time: [time] };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function plain(SESExecutor) {
  const executor = new SESExecutor(EXECUTOR);
  await executor.init();
  await executor.sendTools(TOOLS);
  const time = await timed(async () => expectEqual((await executor.run(WORK)).output, SUM, 'durable-plain'));
  await executor.cleanup();
  return { time: [time] };
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
