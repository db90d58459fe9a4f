// attack: two million strings as the argument of a tool, five times
// outcome: value [2000000,2000000,2000000,2000000,2000000]
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 the array in the isolate, its wires, and the strings on the host
// processPeak: 720 the arguments reach the host, and are copied on their way
import { stalls } from './stalls.mjs';

export const tools = { count: async (/** @type {unknown[]} */ value) => value.length };
export const scenario = stalls(`
  const strings = Array(2e6).fill('ab');
  const counts = [];
  for (let i = 0; i < 5; i++) counts.push(await count(strings));
  return counts;`);
