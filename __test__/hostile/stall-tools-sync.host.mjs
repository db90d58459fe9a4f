// attack: 300 calls one after the other, the next of which comes before the event loop has its turn
// outcome: value 900000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// processPeak: 80 the arguments reach the host, and are copied on their way
import { stalls } from './stalls.mjs';

export const tools = { count: (/** @type {unknown[]} */ value) => value.length };
export const scenario = stalls(`
  const maps = Array.from({ length: 3_000 }, () => new Map());
  let sum = 0;
  for (let i = 0; i < 300; i++) sum += count(maps);
  return sum;`);
