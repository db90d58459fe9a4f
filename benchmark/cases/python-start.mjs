// Python started for the first time in a process, with what an earlier process has left in the cache.

import { expectEqual } from './measure.mjs';
import { OURS_PYTHON, PYODIDE } from '../peers/index.mjs';

export default {
  id: 'python-start',
  title: 'Python, first in the process',
  rounds: 3,
  seconds: 40,
  isFreshEachRound: true,
  peers: [OURS_PYTHON, PYODIDE],
  variants: [{ id: 'python-first', title: 'Python: construct, init, `1+1`, first in the process' }],
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    peer.fillCache?.();
    return { state: peer };
  },

  async round(peer) {
    const started = performance.now();
    const session = await (peer.openPlain ?? peer.open)();
    expectEqual(await session.run('1+1'), 2, '1+1');
    return { time: [performance.now() - started] };
  },
};
