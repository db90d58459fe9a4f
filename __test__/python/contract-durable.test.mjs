// The contract, kept by sessions of Python whose journal is in memory.

import { describePythonContract } from './contract.mjs';
import { makeDurablePython } from './contract-durable.mjs';

// Without the suites about the life of an isolate, which a session does not have, and without those that only depend on
// Python, which its executors keep.
describePythonContract(
  'DurableSession of Python',
  ['queue', 'blocking tools', 'failures of tools', 're-entrance', 'approval', 'tracing', 'logs', 'conformance'],
  {
    make: makeDurablePython,
    outlives: true,
    pace: 10,
    inChild: `
    import { makeDurablePython } from './__test__/python/contract-durable.mjs';
    const make = makeDurablePython;`,
  },
);
