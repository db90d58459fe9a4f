// The contract for Python. The tests are in contract-*.test.mjs.

import { describeExecutor } from '../contract/suite/index.mjs';
import { makePython } from './contract-subject.mjs';

/**
 * Operations are lines, nothing is hardened, and there is no console.
 *
 * @param {string} name
 * @param {string[]} suites
 * @param {object} [options] of the executors; `pace`: as the capability
 */
export function describePythonContract(name, suites, { pace = 3, ...place } = {}) {
  describeExecutor(name, (options) => makePython({ ...options, ...place }), {
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
    pace,
    inChild: `
    import { makePython } from './__test__/python/contract-subject.mjs';
    const make = makePython;`,
  });
}
