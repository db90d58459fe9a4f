// attack: twelve million strings, which take ten times as much memory on the host
// outcome: ERR_TRANSFER_LIMIT_EXCEEDED
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// processPeak: 32 the heap of Node.js alone comes close to 16 MB
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return Array(12e6).fill("ab");`,
);
