// attack: 40,000 typed arrays of one byte
// outcome: value 40000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 arrays on both sides
// processPeak: 48 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return Array.from({ length: 40_000 }, () => new Uint8Array(1));`,
  ({ length }) => length,
);
