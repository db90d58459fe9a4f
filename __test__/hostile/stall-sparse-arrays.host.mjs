// attack: arrays of one element and 30 million places, nine bytes each on their way
// outcome: value [100,30000001,1]
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  const sparse = () => {
    const array = [];
    array[30_000_000] = 1;
    return array;
  };
  return Array.from({ length: 100 }, sparse);`,
  (output) => [output.length, output[99].length, output[99].at(-1)],
);
