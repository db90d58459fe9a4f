// attack: 200,000 integers of 1,000 bits
// outcome: value 200000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 integers on both sides
// processPeak: 128 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return Array.from({ length: 200_000 }, (_, i) => (1n << 1_000n) + BigInt(i));`,
  ({ length }) => length,
);
