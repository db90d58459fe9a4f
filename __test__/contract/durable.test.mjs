// The contract, kept by sessions whose journal is in memory. Without the suites about `autoInit` and about isolates
// that are given up: a session has neither. `__test__/durable/` has the tests of its own lifecycle.

import { describeExecutor } from './suite/index.mjs';
import { OpeningSession } from './opening-session.mjs';

describeExecutor('DurableSession', (options) => new OpeningSession(options), {
  limitCpuTime: process.platform === 'linux',
  // A run that was ended from outside is undone, and the session goes on.
  keepState: true,
  outlives: true,
  without: ['lifecycle', 'recovery'],
  inChild: `
    import { OpeningSession } from './__test__/contract/opening-session.mjs';
    const make = (options) => new OpeningSession(options);`,
});
