// attack: 40,000 regular expressions
// outcome: value [40000,true]
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// processPeak: 32 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return Array.from({ length: 40_000 }, (_, i) => new RegExp('a' + i));`,
  (output) => [output.length, output.every((item) => item instanceof RegExp)],
);
