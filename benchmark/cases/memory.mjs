// Resident memory per session that rests: the growth of the process over 50 sessions that have run `1+1`, and over 8
// that have worked.

import { setTimeout as delay } from 'node:timers/promises';

import { expectEqual, memoryMiB } from './measure.mjs';

/** 800,000 objects, of which 20,000 are alive at a time, in four runs. */
const WORK = `
for (let k = 0; k < 10; k++) {
  const all = [];
  for (let i = 0; i < 20_000; i++) all.push({ i, text: 'a' + i });
}
return 1;
`;

/** How many sessions, what they run, and how long they then rest. */
const PARTS = {
  'memory-idle': { sessions: 50, runs: 0, restMs: 0 },
  'memory-worked': { sessions: 8, runs: 4, restMs: 4_000 },
};

export default {
  id: 'memory',
  title: 'memory',
  rounds: 3,
  seconds: 45,
  /** What a process has freed but kept would hide the growth. */
  isFreshEachRound: true,
  isLinuxOnly: true,
  variants: [
    { id: 'memory-idle', title: 'memory per idle session (50 sessions)' },
    { id: 'memory-worked', title: 'memory per session that has worked and then rested for 4 s (8 sessions)' },
  ],
  metrics: [{ id: 'size', unit: 'MiB' }],

  async prepare(peer) {
    if (!peer.traits.hasSessions) return { reason: 'no sessions' };
    return { state: { peer, first: await open(peer) } };
  },

  async round({ peer }, { id }) {
    const { sessions: count, runs, restMs } = PARTS[id];
    await settle();
    const before = memoryMiB('VmRSS');
    const sessions = [];
    for (let i = 0; i < count; i++) sessions.push(await open(peer));
    for (let i = 0; i < runs; i++) {
      for (const session of sessions) expectEqual(await session.run(WORK), 1, 'the work');
    }
    await delay(restMs);
    await settle();
    const size = [(memoryMiB('VmRSS') - before) / count];
    for (const session of sessions) await session.close();
    return { size };
  },
};

async function open(peer) {
  const session = await peer.open();
  expectEqual(await session.evaluate('1+1'), 2, '1+1');
  return session;
}

/** The host's own garbage is not the sessions'. */
async function settle() {
  globalThis.gc();
  await delay(100);
  globalThis.gc();
}
