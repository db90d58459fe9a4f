// attack: 300 calls at once, each with an argument that takes the host a moment
// outcome: value 900000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 Maps on both sides
// processPeak: 80 the arguments reach the host, and are copied on their way
import { stalls } from './stalls.mjs';

export const tools = { count: async (/** @type {unknown[]} */ value) => value.length };
export const scenario = stalls(`
  const maps = Array.from({ length: 3_000 }, () => new Map());
  const counts = await Promise.all(Array.from({ length: 300 }, () => count(maps)));
  return counts.reduce((sum, n) => sum + n, 0);`);
