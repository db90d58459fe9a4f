// attack: a thread that is parked while it compiles a pattern
// outcome: value 'counted'
// state: READY
// options: {"timeoutMs":40000}
// peak: 128 what is beyond the limit until the thread is parked
// only: thread in a process nothing is parked
import { parked } from './parked.mjs';

const code = "return new RegExp('(?!a)'.repeat(1e6)).test('c');";

export const scenario = parked(code, 64);
