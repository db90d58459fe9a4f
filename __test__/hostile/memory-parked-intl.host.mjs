// attack: a thread that is parked with formatters
// outcome: value 'counted'
// state: READY
// options: {"timeoutMs":40000}
// peak: 160 what is beyond the limit until the thread is parked
// only: thread in a process nothing is parked
import { parked } from './parked.mjs';

const code = "return Array(1e6).fill('en').map(Intl.NumberFormat).length;";

export const scenario = parked(code, 64);
