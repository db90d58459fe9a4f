// attack: a thrown error with a message, a stack and a cause of many megabytes
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
import { stalls } from './stalls.mjs';

export const scenario = stalls(`
  const error = new Error('m'.repeat(2 ** 24), { cause: Array(1e6).fill('ab') });
  error.stack = 'Error' + '\\n    at a (b:1:1)'.repeat(2 ** 20);
  throw error;`);
