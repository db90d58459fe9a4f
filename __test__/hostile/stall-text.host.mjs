// attack: a string of 30 million two-byte characters
// outcome: value 30000000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 the text on both sides
// processPeak: 208 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return "\\u1234".repeat(30e6);`,
  ({ length }) => length,
);
