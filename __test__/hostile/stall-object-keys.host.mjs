// attack: an object of 300,000 properties
// outcome: value 299999
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 the object on both sides
// processPeak: 96 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  const object = {};
  for (let i = 0; i < 300_000; i++) object["k" + i] = i;
  return object;`,
  (output) => output.k299999,
);
