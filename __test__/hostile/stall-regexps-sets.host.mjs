// attack: short regular expressions that take long: sets and properties of characters
// outcome: value [2000,0]
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  return Array.from({ length: 2_000 }, (_, i) => new RegExp('\\\\p{L}\\\\p{Lu}\\\\P{N}' + i, 'u'));`,
  (output) => [output.length, output.filter((item) => item instanceof RegExp).length],
);
