// Resident memory of an isolate that waits for a program and knows 2,500 methods: the growth of the process over 20 of
// them.

import { setTimeout as delay } from 'node:timers/promises';

import { memoryMiB } from './measure.mjs';
import { registryOf } from './large-apis.mjs';

const POOLED = 20;

export default {
  id: 'api-memory',
  title: 'memory for large APIs',
  rounds: 3,
  seconds: 20,
  /** What a process has freed but kept would hide the growth. */
  isFreshEachRound: true,
  isLinuxOnly: true,
  variants: [{ id: 'api-memory', title: 'large APIs: memory per isolate that waits and knows 2,500 methods' }],
  metrics: [{ id: 'size', unit: 'MiB' }],

  async prepare(peer) {
    if (peer.openApi === undefined) return { reason: 'not supported' };
    const registry = registryOf(2_500);
    const first = await peer.openApi({ registry, call: async () => 0, poolSize: 1 });
    await first.ready();
    return { state: { peer, registry, first } };
  },

  async round({ peer, registry }) {
    await delay(200);
    const before = memoryMiB('VmRSS');
    const manager = await peer.openApi({ registry, call: async () => 0, poolSize: POOLED });
    await manager.ready();
    await delay(200);
    const size = [(memoryMiB('VmRSS') - before) / POOLED];
    await manager.close();
    return { size };
  },
};
