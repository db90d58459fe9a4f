// The contract, kept by Python: on a thread of the host, and, as far as worker processes go other ways, in one of them. Operations are
// lines, and nothing is hardened.

import { describeExecutor } from '../contract/suite/index.mjs';
import { makePython } from './contract-subject.mjs';

const PYTHON = {
  limitCpuTime: false,
  limitOperations: false,
  importModules: false,
  rebuildItself: true,
  keepState: true,
  pace: 6,
  inChild: `
    import { makePython } from './__test__/python/contract-subject.mjs';
    const make = makePython;`,
};

describeExecutor('PyodideExecutor on a thread', makePython, {
  suites: ['lifecycle', 'queue', 'blocking tools', 'approval'],
  ...PYTHON,
});

describeExecutor('PyodideExecutor in a process', (options) => makePython({ ...options, isolation: 'process' }), {
  suites: ['queue', 'blocking tools'],
  ...PYTHON,
});
