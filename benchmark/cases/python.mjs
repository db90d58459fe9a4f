// Python in further sessions of a process.

import { expectEqual, repeat } from './measure.mjs';
import { OURS_PYTHON, PYODIDE } from '../peers/index.mjs';

const DEADLINE_MS = 200;
const CALLS = 500;
const CPU = {
  fib: ['def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(20)', 6765],
  sieve: [
    'n = 100_000\np = [True] * n\nfor i in range(2, 317):\n    if p[i]:\n        for j in range(i * i, n, i): p[j] = False\nsum(p) - 2',
    9592,
  ],
  words: ['d = {}\nfor i in range(50_000):\n    w = str(i % 997)\n    d[w] = d.get(w, 0) + 1\nlen(d)', 997],
};

export default {
  id: 'python',
  title: 'Python',
  rounds: 3,
  seconds: 90,
  peers: [OURS_PYTHON, PYODIDE],
  variants: [
    { id: 'python-next', title: 'Python: construct, init, `1+1`, cleanup, next in the process', measure: start },
    { id: 'python-warm', title: 'Python: the same from the warm pool', measure: startWarm },
    { id: 'python-import', title: 'Python: `import statistics` at first use', measure: importStatistics },
    { id: 'python-run', title: 'Python: run `1+1`', measure: run },
    { id: 'python-sync', title: 'Python: sync tool call', measure: callsOf('inc(1)') },
    { id: 'python-async', title: 'Python: async tool call', measure: callsOf('await later(1)') },
    ...Object.entries(CPU).map(([id, program]) => ({
      id: `python-cpu-${id}`,
      title: `Python: ${id}`,
      measure: (state) => compute(state, program),
    })),
    { id: 'python-kill', title: 'Python: an endless loop ended: time past the deadline', measure: kill },
  ],
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    peer.fillCache?.();
    await start({ peer });
    const tools = { inc: (n) => n + 1, later: async (n) => n + 1 };
    return { state: { peer, session: await peer.open({ tools }) } };
  },

  async round(state, { id }) {
    const { measure } = this.variants.find((variant) => variant.id === id);
    return { time: await measure(state) };
  },
};

/** A session as the peer has it by itself. */
const openPlain = (peer) => (peer.openPlain ?? peer.open)();

const few = (work) => repeat(work, { samples: 5, budgetMs: 2_000 });

function start({ peer }) {
  return few(async () => {
    const session = await openPlain(peer);
    expectEqual(await session.run('1+1'), 2, '1+1');
    await session.close();
  });
}

/** A peer without a pool starts as ever. */
async function startWarm({ peer }) {
  if (peer.warm === undefined) return start({ peer });
  const warmPool = 1;
  await (await peer.open({ warmPool })).close();
  const times = [];
  for (let i = 0; i < 5; i++) {
    await peer.warm(1);
    const started = performance.now();
    const session = await peer.open({ warmPool });
    times.push(performance.now() - started);
    await session.close();
  }
  return times;
}

async function importStatistics({ peer }) {
  const session = await openPlain(peer);
  const started = performance.now();
  await session.run('import statistics');
  const time = performance.now() - started;
  await session.close();
  return [time];
}

function run({ session }) {
  return repeat(() => session.run('1+1'), { samples: 200, budgetMs: 300 });
}

/** Each of many calls in one run, of the runs in a row that a session makes. */
function callsOf(call) {
  const code = `n = 0\nfor i in range(${CALLS}): n += ${call}\nn`;
  return async ({ session }) => {
    const times = await few(async () => expectEqual(await session.run(code), 2 * CALLS, call));
    return times.map((time) => time / CALLS);
  };
}

function compute({ session }, [code, expected]) {
  return few(async () => expectEqual(await session.run(code), expected, code));
}

async function kill({ peer }) {
  if (!peer.traits.isStoppable) return [];
  const session = await peer.open({ timeoutMs: DEADLINE_MS });
  await session.run('1+1');
  const times = [];
  for (const code of ['while True: pass', 'sum(range(10**12))']) {
    const started = performance.now();
    const outcome = await session.run(code).then(
      () => 'went on',
      () => 'ended',
    );
    times.push(performance.now() - started - DEADLINE_MS);
    if (outcome !== 'ended') throw new Error('the loop was not ended');
  }
  await session.close();
  return times;
}
