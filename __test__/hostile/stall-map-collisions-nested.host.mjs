// attack: Maps whose keys have one hash, many small ones
// outcome: value 30
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// processPeak: 32 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  const collide = () => new Map(Array.from({ length: 2_000 }, (_, i) => [(BigInt(i) << 64n) | 1n, i]));
  return Array.from({ length: 30 }, collide);`,
  ({ length }) => length,
);
