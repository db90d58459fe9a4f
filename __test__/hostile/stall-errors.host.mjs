// attack: 20,000 errors with causes and stacks
// outcome: value 20000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 errors on both sides
// processPeak: 48 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return Array.from({ length: 20_000 }, (_, i) => new Error("e" + i, { cause: new TypeError("c") }));`,
  ({ length }) => length,
);
