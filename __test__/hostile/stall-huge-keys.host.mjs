// attack: thirty keys of a megabyte, in objects and in Maps
// outcome: value [30,30]
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 keys on both sides
// processPeak: 208 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  const key = (i) => String.fromCharCode(97 + i).repeat(2 ** 20);
  const keys = Array.from({ length: 30 }, (_, i) => key(i));
  return [Object.fromEntries(keys.map((k) => [k, 1])), new Map(keys.map((k) => [k, 1]))];`,
  ([object, map]) => [Object.keys(object).length, map.size],
);
