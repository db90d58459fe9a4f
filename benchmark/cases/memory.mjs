// Resident memory per idle session: the growth of the process over 50 sessions that have run `1+1`.

import { setTimeout as delay } from 'node:timers/promises';

import { expectEqual, memoryMiB } from './measure.mjs';

const SESSIONS = 50;

export default {
  id: 'memory',
  title: 'memory',
  rounds: 3,
  seconds: 20,
  /** What a process has freed but kept would hide the growth. */
  isFreshEachRound: true,
  isLinuxOnly: true,
  variants: [{ id: 'memory-idle', title: 'memory per idle session (50 sessions)' }],
  metrics: [{ id: 'size', unit: 'MiB' }],

  async prepare(peer) {
    if (!peer.traits.hasSessions) return { reason: 'no sessions' };
    return { state: { peer, first: await open(peer) } };
  },

  async round({ peer }) {
    await settle();
    const before = memoryMiB('VmRSS');
    const sessions = [];
    for (let i = 0; i < SESSIONS; i++) sessions.push(await open(peer));
    await settle();
    const size = [(memoryMiB('VmRSS') - before) / SESSIONS];
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
