// The contract for an executor whose code runs in one browser page. The tests are in contract-*.test.mjs.

import { describeExecutor } from '../contract/suite/index.mjs';
import { make } from './helpers.mjs';

/** Without options that are of isolates only. */
const ofPages = ({ maxOperations: _, owner: __, maxParkedMb: ___, hardenToolResults: ____, ...options } = {}) =>
  options;

/**
 * Pages import no modules, which the suite `imports` is about. They freeze no variables, and get them with the next
 * run, as text of any depth.
 *
 * @param {string[]} suites
 */
export function describeBrowser(suites) {
  const makeSession = (options) => make({ isolation: 'session', ...ofPages(options) });
  describeExecutor('BrowserExecutor with one page', makeSession, {
    suites,
    limitCpuTime: false,
    limitOperations: false,
    importModules: false,
    checkPatterns: false,
    harden: false,
    inspectNatives: false,
    survivesMemory: false,
    browse: true,
    countBytes: false,
    makeAtOnce: false,
    limitDepth: false,
    pace: 3,
    inChild: `
    import { BrowserExecutor } from './build/browser/index.js';
    const make = ({ maxOperations: _, ...options } = {}) =>
      new BrowserExecutor({ isolation: 'session', fallback: false, ...options });`,
  });
}
