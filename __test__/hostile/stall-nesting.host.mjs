// attack: arrays that are nested 300 levels deep, many of them
// outcome: value 1500
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 arrays on both sides
// processPeak: 128 the output reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  const nest = () => {
    let deep = [];
    for (let i = 0; i < 300; i++) deep = [deep];
    return deep;
  };
  return Array.from({ length: 1_500 }, nest);`,
  ({ length }) => length,
);
