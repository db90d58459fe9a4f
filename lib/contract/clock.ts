// Timers and the clock, captured when this package is loaded. If a test of the host replaces them later, deadlines and
// delays still work.

import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers';

export const performance = { now: globalThis.performance.now.bind(globalThis.performance) };

export { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout };
