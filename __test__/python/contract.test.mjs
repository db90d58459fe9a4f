// The contract, kept by Python in a worker process. A run that ends in time keeps its state, so that less becomes DIRTY than the other
// suites expect: isolate.test.mjs and suite.mjs have lifecycle, queue and deadlines. Operations are lines, and nothing is hardened.

import { describeExecutor } from '../contract/suite/index.mjs';
import { makePython } from './contract-subject.mjs';

describeExecutor('PyodideExecutor', makePython, {
  suites: ['approval'],
  limitCpuTime: false,
  limitOperations: false,
  importModules: false,
  rebuildItself: true,
  inChild: `
    import { makePython } from './__test__/python/contract-subject.mjs';
    const make = makePython;`,
});
