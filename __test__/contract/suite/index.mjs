// What every executor keeps, whatever runs its code and wherever: the contract of index.d.ts as tests.

import { describe, expect } from 'vitest';

import { withExecutorOf } from '../../helpers.mjs';
import { describeApproval } from './approval.mjs';
import { describeBlocking } from './blocking.mjs';
import { describeConformance } from './conformance.mjs';
import { describeDeadlines } from './deadlines.mjs';
import { describeErrors } from './errors.mjs';
import { describeHints } from './hints.mjs';
import { describeHostValues } from './host-values.mjs';
import { describeImports } from './imports.mjs';
import { describeLifecycle } from './lifecycle.mjs';
import { describeLogs } from './logs.mjs';
import { describePersistence } from './persistence.mjs';
import { describeQueue } from './queue.mjs';
import { describeRecovery } from './recover.mjs';
import { describeReentrance } from './reentrance.mjs';
import { describeStats } from './stats.mjs';
import { describeToolDeadlines } from './tool-deadlines.mjs';
import { describeToolDefinition } from './tool-definition.mjs';
import { describeToolErrorDetails } from './tool-error-details.mjs';
import { describeToolFailures } from './tool-failures.mjs';
import { describeTools } from './tools.mjs';
import { describeTracing } from './tracing.mjs';
import { describePendingValues } from './values-pending.mjs';
import { describeLargeValues } from './values-large.mjs';
import { describeValues } from './values.mjs';

/**
 * What an executor can do beyond what each has to; a suite has no tests for what it cannot.
 *
 * @typedef {object} Capabilities
 * @property {boolean} limitCpuTime whether `maxCpuMs` is kept
 * @property {boolean} [limitOperations] whether it has `maxOperations`; default true
 * @property {boolean} [importModules] whether it has `authorizedImports` and `modules`; default true
 * @property {boolean} [rebuildItself] whether, with `autoInit`, it makes another isolate after one that was given up;
 *   default false
 * @property {boolean} [checkPatterns] whether validation warns of what code names; default true
 * @property {boolean} [harden] whether it has `harden`, and freezes the console and variables; default true
 * @property {boolean} [inspectNatives] whether it sees proxies, and what promises and iterators hold; default true
 * @property {boolean} [survivesMemory] whether it is READY, with what earlier runs have left, when a run has exceeded
 *   its memory;
 * default true
 * @property {boolean} [browse] whether guests find what browsers have, timers and the document among it; default false
 * @property {boolean} [countBytes] whether `maxTransferBytes` counts bytes, not characters of a string; default true
 * @property {boolean} [makeAtOnce] whether variables are made in the guest when they are sent, which fails the call
 *   where it cannot
 * be done; else the next run makes them, in its time; default true
 * @property {boolean} [limitDepth] whether values may be nested too deeply to cross; default true
 * @property {boolean} [checkImports] whether what may not be imported is refused before any code runs; default true
 * @property {boolean} [callLater] whether calls of asynchronous tools give promises, not their values; default true
 * @property {boolean} [hasConsole] whether guests have a console, with its levels and formats; default true
 * @property {boolean} [keepState] whether a run that its deadline or an abort ends may leave the state as it was, so
 *   that the executor is
 * READY; `details.stateLost` says whether it did; default false
 * @property {boolean} [outlives] whether its session outlives `cleanup()` and runs that are lost; default false
 * @property {number} [pace] how many times as long as an isolate it may take to begin, in tests of deadlines; default 1
 *
 * @typedef {(options?: import('../../../index').ExecutorOptions) => import('../../../index').Executor} Factory
 *
 * @typedef {object} Subject what the suites get
 * @property {Factory} make
 * @property {(options: object, tools: object, fn: (executor: any) => unknown) => Promise<any>} withExecutor as the
 *   helper
 * @property {string} inChild statements of an ES module, run in the folder of the checkout, that define `make` there
 * @property {Capabilities} can
 * @property {(executor: import('../../../index').Executor, error: any) => void} expectGivenUp asserts what an executor
 *   is when a run was
 * ended from outside: DIRTY, or, where `error` says that its state was kept, READY
 */

const SUITES = {
  lifecycle: describeLifecycle,
  queue: describeQueue,
  values: describeValues,
  'large values': describeLargeValues,
  'pending values': describePendingValues,
  persistence: describePersistence,
  imports: describeImports,
  'values of the host': describeHostValues,
  tools: describeTools,
  'definition of tools': describeToolDefinition,
  'failures of tools': describeToolFailures,
  'details of failures': describeToolErrorDetails,
  're-entrance': describeReentrance,
  'blocking tools': describeBlocking,
  'deadlines of tools': describeToolDeadlines,
  approval: describeApproval,
  tracing: describeTracing,
  errors: describeErrors,
  hints: describeHints,
  recovery: describeRecovery,
  logs: describeLogs,
  stats: describeStats,
  deadlines: describeDeadlines,
  conformance: describeConformance,
};

/**
 * Declares the tests of the contract for one kind of executor.
 *
 * @param {string} name
 * @param {Factory} make
 * @param {Capabilities & { inChild: string, suites?: string[], without?: string[] }} capabilities `suites`: those that
 *   it is held to, default all; `without`: those that it is not held to
 */
export function describeExecutor(name, make, { inChild, suites = Object.keys(SUITES), without = [], ...given }) {
  const can = {
    limitOperations: true,
    importModules: true,
    rebuildItself: false,
    checkPatterns: true,
    harden: true,
    inspectNatives: true,
    survivesMemory: true,
    browse: false,
    checkImports: true,
    callLater: true,
    countBytes: true,
    makeAtOnce: true,
    limitDepth: true,
    hasConsole: true,
    keepState: false,
    outlives: false,
    pace: 1,
    ...given,
  };
  const expectGivenUp = (executor, { details }) => {
    if (can.keepState) expect(details.stateLost).toBeTypeOf('boolean');
    expect(executor.state).toBe(can.keepState && !details.stateLost ? 'READY' : 'DIRTY');
  };
  const subject = { make, withExecutor: withExecutorOf(make), inChild, can, expectGivenUp };
  describe(name, () => {
    for (const suite of suites.filter((it) => !without.includes(it))) describe(suite, () => SUITES[suite](subject));
  });
}
