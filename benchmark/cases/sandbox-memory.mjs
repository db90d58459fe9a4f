// Resident memory of an isolate that waits for a program and knows 2,500 methods: the growth of the process over 20 of them.

import { setTimeout as delay } from 'node:timers/promises';

import { memoryMiB } from './measure.mjs';
import { registryOf } from './sandbox.mjs';

const POOLED = 20;

export default {
  id: 'sandbox-memory',
  title: 'memory of a sandbox',
  rounds: 3,
  seconds: 20,
  /** What a process has freed but kept would hide the growth. */
  isFreshEachRound: true,
  isLinuxOnly: true,
  variants: [{ id: 'sandbox-memory', title: 'sandbox: memory per isolate that waits and knows 2,500 methods' }],
  metrics: [{ id: 'size', unit: 'MiB' }],

  async prepare(peer) {
    if (peer.openSandbox === undefined) return { reason: 'no sandbox' };
    const registry = registryOf(2_500);
    const first = await peer.openSandbox({ registry, call: async () => 0, poolSize: 1 });
    await first.ready();
    return { state: { peer, registry, first } };
  },

  async round({ peer, registry }) {
    await delay(200);
    const before = memoryMiB('VmRSS');
    const sandbox = await peer.openSandbox({ registry, call: async () => 0, poolSize: POOLED });
    await sandbox.ready();
    await delay(200);
    const size = [(memoryMiB('VmRSS') - before) / POOLED];
    await sandbox.close();
    return { size };
  },
};
