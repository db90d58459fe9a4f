// The cost of a boundary: the same work on a host thread, in a separate process, and in the equivalents of Node.js.

import { setTimeout as delay } from 'node:timers/promises';

import { proportionalMiB } from '../../scripts/scale/processes.mjs';
import { expectEqual, repeat } from './measure.mjs';

const CALLS = 100;
const PARALLEL = 64;
const SESSIONS = 8;
const TOOLS = { add: (a, b) => a + b, addLater: async (a, b) => a + b };
const SUM = (CALLS * (CALLS - 1)) / 2;

const KINDS = {
  'isolation-run': { divisor: 1, body: () => 'return 2;', want: 2 },
  'isolation-sync': {
    divisor: CALLS,
    body: (n) => `let t${n} = 0; for (let i = 0; i < ${CALLS}; i++) t${n} = add(t${n}, i); return t${n};`,
    want: SUM,
  },
  'isolation-async': {
    divisor: CALLS,
    body: (n) => `let s${n} = 0; for (let i = 0; i < ${CALLS}; i++) s${n} = await addLater(s${n}, i); return s${n};`,
    want: SUM,
  },
  'isolation-parallel': {
    divisor: 1,
    body: (n) =>
      `const a${n} = await Promise.all(Array.from({ length: ${PARALLEL} }, (_, i) => addLater(i, 1))); ` +
      `return a${n}.reduce((s, x) => s + x, 0);`,
    want: (PARALLEL * (PARALLEL + 1)) / 2,
  },
};

const row = (id, title, unit) => ({ id, title, metrics: [{ id: 'figure', unit }] });

export default {
  id: 'isolation',
  peers: ['ses-executor', 'ses-executor-process', 'ses-executor-unconfined', 'node-child', 'worker-threads'],
  title: 'isolation',
  rounds: 12,
  seconds: 60,
  isLinuxOnly: true,
  variants: [
    row('isolation-run', 'run of a new program', 'µs'),
    row('isolation-sync', 'sync tool call', 'µs'),
    row('isolation-async', 'async tool call', 'µs'),
    row('isolation-parallel', `${PARALLEL} async tool calls in parallel`, 'µs'),
    row('isolation-cold', 'init without a spare', 'ms'),
    row('isolation-spare', 'init from a spare', 'ms'),
    row('isolation-memory', 'proportional memory of each further session', 'MiB'),
    row('isolation-death', 'from the death of the process to the coded error', 'ms'),
  ],

  async prepare(peer) {
    const session = await peer.open({ tools: TOOLS });
    return { state: { peer, session, last: 0 } };
  },

  async round(state, { id }, { isQuick }) {
    if (id in KINDS) {
      const { divisor } = KINDS[id];
      const times = await repeat(() => once(state, id), { samples: isQuick ? 6 : 20, budgetMs: isQuick ? 100 : 200 });
      return { figure: times.map((ms) => (ms * 1e3) / divisor) };
    }
    return { figure: await OTHERS[id](state.peer, isQuick) };
  },
};

const OTHERS = {
  async 'isolation-cold'(peer, isQuick) {
    const times = [];
    for (let i = 0; i < (isQuick ? 2 : 4); i++) {
      const started = performance.now();
      const session = await peer.open();
      times.push(performance.now() - started);
      await session.close();
    }
    return times;
  },

  async 'isolation-spare'(peer, isQuick) {
    if (!peer.hasWarmPool) return [];
    const times = [];
    for (let i = 0; i < (isQuick ? 2 : 4); i++) {
      await (await peer.open({ warmPool: 1 })).close();
      await peer.warm(1);
      const started = performance.now();
      const session = await peer.open({ warmPool: 1 });
      times.push(performance.now() - started);
      await session.close();
    }
    return times;
  },

  async 'isolation-memory'(peer) {
    const first = await peer.open();
    if (first.pid === undefined) {
      await first.close();
      return [];
    }
    const sessions = [first];
    for (let i = 0; i < SESSIONS; i++) sessions.push(await peer.open());
    for (const session of sessions) expectEqual(await session.evaluate('1+1'), 2, '1+1');
    await delay(50);
    const all = sessions.reduce((sum, { pid }) => sum + proportionalMiB(pid), 0);
    const last = sessions.splice(1);
    for (const session of last) await session.close();
    const alone = proportionalMiB(first.pid);
    await first.close();
    // What the first one shares with the others counts for them in part, so that the difference is what they add.
    return [(all - alone) / SESSIONS];
  },

  async 'isolation-death'(peer, isQuick) {
    const times = [];
    for (let i = 0; i < (isQuick ? 3 : 6); i++) {
      const never = async () => new Promise(() => {});
      const session = await peer.open({ tools: { never } });
      if (session.pid === undefined) return [];
      const run = session.run('await never()').then(
        () => 'a value',
        (error) => error.code ?? 'ended',
      );
      await delay(5);
      const started = performance.now();
      process.kill(session.pid, 'SIGKILL');
      const code = await run;
      times.push(performance.now() - started);
      expectEqual(['ERR_WORKER_LOST', 'ended'].includes(code), true, 'the death of the process');
      await session.close().catch(() => {});
    }
    return times;
  },
};

async function once(state, kind) {
  const { body, want } = KINDS[kind];
  expectEqual(await state.session.run(`${body(++state.last)} // ${state.last}`), want, kind);
}
