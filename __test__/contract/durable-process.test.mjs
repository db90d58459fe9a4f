// The contract, kept by sessions whose journal is in memory and whose isolate is in a process.

import { describeExecutor } from './suite/index.mjs';
import { OpeningSession } from './opening-session.mjs';

/** Rules about the life of an isolate, which a session does not keep. A lost run is undone. */
const OF_ISOLATES = ['lifecycle', 'recovery'];
/**
 * Rules that a session on a thread and an executor in a process keep, and that no journal or process comes between: how
 * values, variables, modules and hints look. To apply them here as well would double the time of this file.
 */
const OF_EITHER = [
  ...['values', 'large values', 'pending values', 'values of the host', 'persistence'],
  ...['imports', 'hints', 'stats'],
];

describeExecutor('DurableSession in a process', (options) => new OpeningSession({ ...options, isolation: 'process' }), {
  limitCpuTime: process.platform === 'linux',
  // A run that was ended from outside is undone, and the session goes on.
  keepState: true,
  outlives: true,
  without: [...OF_ISOLATES, ...OF_EITHER],
  inChild: `
    import { OpeningSession } from './__test__/contract/opening-session.mjs';
    const make = (options) => new OpeningSession({ ...options, isolation: 'process' });`,
});
