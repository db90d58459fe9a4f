// attack: three million strings by final_answer
// outcome: value 3000000
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 the array in the isolate, its wire, and the strings on the host
// processPeak: 256 the answer reaches the host, and is copied on its way
import { stalls } from './stalls.mjs';

export const scenario = stalls(
  `
  final_answer(Array(3e6).fill("ab"));`,
  ({ length }) => length,
);
