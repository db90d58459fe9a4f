// The contract, kept by an executor whose code runs in one page of a browser. Loops are not counted there, nothing is hardened,
// no module is given and the time of tools counts, so that it is held to the parts that are about none of that.

import { describeExecutor } from '../contract/suite/index.mjs';
import { make } from './helpers.mjs';

/** What other executors need to run a loop for long. */
const withoutOperations = ({ maxOperations: _, ...options } = {}) => options;

describeExecutor(
  'BrowserExecutor with one page',
  (options) => make({ isolation: 'session', ...withoutOperations(options) }),
  {
    suites: ['lifecycle', 'queue', 'blocking tools', 'approval', 'tracing', 'logs'],
    limitCpuTime: false,
    limitOperations: false,
    importModules: false,
    inChild: `
    import { BrowserExecutor } from './lib/browser/index.js';
    const make = ({ maxOperations: _, ...options } = {}) =>
      new BrowserExecutor({ isolation: 'session', fallback: false, ...options });`,
  },
);
