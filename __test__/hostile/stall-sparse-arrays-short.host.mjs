// attack: 20,000 arrays of 4,095 places without an element, seven bytes each on their way
// outcome: ERR_TRANSFER_LIMIT_EXCEEDED
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000}
import { stalls } from './stalls.mjs';

export const scenario = stalls(`
  const short = () => {
    const array = [];
    array[1e8] = 1;
    array.length = 4095;
    return array;
  };
  return Array.from({ length: 20_000 }, short);`);
