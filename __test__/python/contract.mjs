// The contract for Python. The tests are in contract-*.test.mjs.

import { describeExecutor } from '../contract/suite/index.mjs';
import { makePython } from './contract-subject.mjs';

const IN_CHILD = `
import { makePython } from './__test__/python/contract-subject.mjs';
const make = makePython;`;

/**
 * Operations are lines, nothing is hardened, and there is no console.
 *
 * @param {string} name
 * @param {string[]} suites
 * @param {object} [options] of the executors; `pace`, `outlives`, `make` and `inChild`: as of `describeExecutor`
 */
export function describePythonContract(name, suites, options = {}) {
  const { pace = 3, outlives = false, make = makePython, inChild = IN_CHILD, ...place } = options;
  describeExecutor(name, (given) => make({ ...given, ...place }), {
    suites,
    limitCpuTime: process.platform === 'linux',
    limitOperations: false,
    importModules: false,
    rebuildItself: true,
    keepState: true,
    harden: false,
    checkImports: false,
    callLater: false,
    hasConsole: false,
    outlives,
    pace,
    inChild,
  });
}
