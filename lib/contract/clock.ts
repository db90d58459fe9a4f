// Timers and the clock, captured when this package was loaded. Replacements that a test of the host installs later stop
// no deadline and delay no other work.

import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers';

export const performance = { now: globalThis.performance.now.bind(globalThis.performance) };

export { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout };
