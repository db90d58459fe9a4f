// attack: the same inside Maps and objects
// outcome: value [30000001,["30000000"]]
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  const sparse = [];
  sparse[30_000_000] = 1;
  let deep = sparse;
  for (let i = 0; i < 50; i++) deep = i % 2 ? new Map([[1, deep]]) : { in: deep };
  return deep;`,
  (output) => {
    let at = output;
    while (!Array.isArray(at)) at = at instanceof Map ? at.get(1) : at.in;
    return [at.length, Object.keys(at)];
  },
);
