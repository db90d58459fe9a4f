// attack: a Map of half a million entries, which grows by being copied
// outcome: value 500000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 Maps on both sides
// processPeak: 96 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return new Map(Array.from({ length: 500_000 }, (_, i) => [i, i]));`,
  ({ size }) => size,
);
