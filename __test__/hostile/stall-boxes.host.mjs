// attack: 700,000 objects around primitives
// outcome: value 700000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 objects on both sides
// processPeak: 160 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return Array.from({ length: 700_000 }, (_, i) => Object(i % 2 ? "text" : 5n));`,
  ({ length }) => length,
);
