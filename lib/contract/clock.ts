// Timers and the clock as they were when this package was loaded: what a test of the host puts in their place stops no deadline,
// and has nothing wait that others need later.

import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers';

export const performance = { now: globalThis.performance.now.bind(globalThis.performance) };

export { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout };
