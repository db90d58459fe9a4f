// attack: 700,000 Maps, three bytes each on their way
// outcome: value 700000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 Maps on both sides
// processPeak: 288 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return Array.from({ length: 700_000 }, () => new Map());`,
  ({ length }) => length,
);
