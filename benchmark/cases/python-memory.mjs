// Memory of Python's sessions, in a process that had none before: what others have left would be used again.

import { readFileSync } from 'node:fs';

import { OURS_PYTHON, PYODIDE } from '../peers/index.mjs';

const SESSIONS = 5;

export default {
  id: 'python-memory',
  title: 'Python, memory',
  isLinuxOnly: true,
  rounds: 3,
  seconds: 60,
  isFreshEachRound: true,
  peers: [OURS_PYTHON, PYODIDE],
  variants: [{ id: 'python-memory', title: 'Python: memory per further session' }],
  metrics: [{ id: 'size', unit: 'MiB' }],

  async prepare(peer) {
    peer.fillCache?.();
    return { state: { open: peer.openPlain ?? peer.open, sessions: [] } };
  },

  async round({ open, sessions }) {
    let before;
    for (let i = 0; i <= SESSIONS; i++) {
      const session = await open();
      await session.run('1+1');
      sessions.push(session);
      // The first one brings what all of them share.
      if (i === 0) before = ownMiB();
    }
    return { size: [(ownMiB() - before) / SESSIONS] };
  },
};

/** Proportional memory of the process: of what sessions share, each has a part. */
function ownMiB() {
  globalThis.gc();
  const rollup = readFileSync('/proc/self/smaps_rollup', 'latin1');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)[1]) / 1024;
}
