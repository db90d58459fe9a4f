// Peak memory of programs that want 256 MiB and more where 64 MiB is the limit: growth of the process's resident memory
// at its peak. One that gets all it wants ends by itself, and the figure shows it.

import { writeFileSync } from 'node:fs';

import { memoryMiB } from './measure.mjs';

const LIMIT_MB = 64;
const TIMEOUT_MS = 5_000;

const BOMBS = {
  objects: {
    title: 'objects',
    body: `const hoard = []; for (let i = 0; i < 2_500_000; i++) hoard.push({ a: i, b: [i], c: i / 2 }); return 'all';`,
  },
  strings: {
    title: 'string that doubles',
    // The copy in capitals is flat; what `+` makes is not.
    body: `let s = 'xy'; const kept = []; while (s.length < 2 ** 27) { s += s; kept.push(s.toUpperCase()); } return 'all';`,
  },
  'typed-arrays': {
    title: 'typed arrays',
    body: `const hoard = []; for (let i = 0; i < 256; i++) hoard.push(new Uint8Array(2 ** 20).fill(1)); return 'all';`,
  },
  bigints: {
    title: 'BigInts',
    body: `const hoard = []; for (let i = 0; i < 256; i++) hoard.push((1n << 8388600n) + BigInt(i)); return 'all';`,
  },
  maps: {
    title: 'Map',
    body: `const map = new Map(); for (let i = 0; i < 4_000_000; i++) map.set(i, i + 0.5); return 'all';`,
  },
  closures: {
    title: 'closures',
    body: `const hoard = []; for (let i = 0; i < 2_500_000; i++) { const x = [i]; hoard.push(() => x); } return 'all';`,
  },
};

export default {
  id: 'bombs',
  title: 'bombs',
  rounds: 1,
  seconds: 60,
  isFreshEachRound: true,
  isLinuxOnly: true,
  variants: Object.entries(BOMBS).map(([id, { title }]) => ({
    id: `bomb-${id}`,
    title: `peak memory of a bomb: ${title}`,
  })),
  metrics: [{ id: 'size', unit: 'MiB' }],

  async prepare(peer) {
    if (!peer.traits.hasMemoryLimit) return { reason: 'no limit' };
    const session = await peer.open({ memoryLimitMb: LIMIT_MB, timeoutMs: TIMEOUT_MS });
    await session.evaluate('1+1');
    return { state: session };
  },

  async round(session, { id }) {
    const { body } = BOMBS[id.slice('bomb-'.length)];
    globalThis.gc();
    // Sets VmHWM to VmRSS.
    writeFileSync('/proc/self/clear_refs', '5');
    const before = memoryMiB('VmRSS');
    const started = performance.now();
    let note;
    try {
      const result = await session.run(body);
      note = result === 'all' ? 'not stopped' : `gave ${result}`;
    } catch {
      if (performance.now() - started >= TIMEOUT_MS) note = 'by timeout';
    }
    return { size: [memoryMiB('VmHWM') - before], note };
  },
};
