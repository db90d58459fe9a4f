// attack: regular expressions of 25 KB each, which the host would parse on its thread
// outcome: value [8,"object","u"]
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// processPeak: 32 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  const names = (i) => '\\\\p{L}'.repeat(5_000) + i;
  return Array.from({ length: 8 }, (_, i) => new RegExp(names(i), 'u'));`,
  (output) => [output.length, typeof output[0].source === "string" && typeof output[0], output[0].flags],
);
