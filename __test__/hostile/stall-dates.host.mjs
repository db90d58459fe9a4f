// attack: 600,000 dates
// outcome: value 600000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 dates on both sides
// processPeak: 176 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return Array.from({ length: 600_000 }, (_, i) => new Date(i));`,
  ({ length }) => length,
);
