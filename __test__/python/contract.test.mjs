// The contract, kept by Python in a worker process. On a thread a run that ends in time keeps its state, so that less becomes DIRTY
// there than the suite expects; isolate.test.mjs has that. Operations are lines, and nothing is hardened.

import { describeExecutor } from '../contract/suite/index.mjs';
import { makePython } from './contract-subject.mjs';

describeExecutor('PyodideExecutor', makePython, {
  suites: ['lifecycle', 'queue', 'blocking tools', 'approval'],
  limitCpuTime: false,
  limitOperations: false,
  importModules: false,
  rebuildItself: true,
  inChild: `
    import { makePython } from './__test__/python/contract-subject.mjs';
    const make = makePython;`,
});
