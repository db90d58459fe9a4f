import { describe } from '../contract/describe';
import { checkOptions } from '../contract/options';
import type { Diagnostic } from '../contract/diagnostic';
import type { ExecutorOptions } from '../contract/executor-options';
import type { NativeDiagnostic, NativePrepareOptions } from '../../native';

/** Loaded lazily: code that only references these functions must not load the addon. */
const native = () => require('../../native.cjs') as typeof import('../../native.cjs');

/** Isolates of all executors in the process. */
export interface EngineStats {
  /** Isolates of executors, except parked ones. V8 frees an isolate a moment after `cleanup()`. */
  live: number;
  /** Isolates that are ready and wait for an executor ({@link ExecutorOptions.warmPool}). */
  warm: number;
  /**
   * Isolates that V8 could not continue because memory ran out. Their threads and their memory remain until the process
   * ends.
   */
  parked: number;
  /**
   * Memory that the parked isolates hold, in bytes: their heaps, array buffers and other memory of V8, measured when
   * they were parked.
   */
  parkedBytes: number;
  /**
   * Isolates that still run a second after they were given up, in a built-in that does not check for termination. They
   * run at the lowest priority until the built-in returns. They count as live, too.
   */
  stuck: number;
  /** Sum of the memory limits of the stuck isolates, in bytes: the most that they can hold. */
  stuckBytes: number;
  /** Isolates that were given up while they worked: at a deadline, after an abort, or by `cleanup()`. */
  terminated: number;
}

/** Code before and after TRANSFORM (section 6.1). */
export interface PreparedProgram {
  originalCode: string;
  /** The code that `run()` would evaluate; empty if a diagnostic is an `ERROR`. */
  transformedCode: string;
  diagnostics: Diagnostic[];
}

/**
 * Checks code without running it (section 6.1). The check runs on separate threads; the calling thread waits for it at
 * most 50 ms. An idle machine checks about 100 KB of code in that time. If a check takes longer, the only finding is
 * the ERROR `not_checked`. `run()` checks code of any length without blocking the caller.
 *
 * On a busy machine, for code up to 32 KB, time in which the checking threads are not scheduled does not count toward
 * the 50 ms, up to five seconds.
 *
 * @returns all findings, sorted by position
 * @throws `TypeError` or `RangeError` for wrong arguments, never for the code
 */
export function validateCode(code: string, options?: ExecutorOptions): Diagnostic[] {
  return native().validateCode(text(code), prepareOptions(options)).map(publicDiagnostic);
}

/**
 * Checks and transforms code without running it (section 6.1), on separate threads. The calling thread waits for them
 * at most `timeoutMs`.
 *
 * @throws `TypeError` or `RangeError` for wrong arguments, never for the code
 */
export function prepareProgram(code: string, options?: ExecutorOptions): PreparedProgram {
  const { transformedCode, diagnostics } = native().prepareProgram(text(code), prepareOptions(options));
  return { originalCode: code, transformedCode, diagnostics: diagnostics.map(publicDiagnostic) };
}

/**
 * Checks the source of a module without running it: {@link validateCode} for modules.
 *
 * @internal
 */
export function checkModule(name: string, code: string, options?: ExecutorOptions): Diagnostic[] {
  return native().checkModule(text(code), name, prepareOptions(options)).map(publicDiagnostic);
}

/** Counters of the process, worker threads included. */
export function engineStats(): EngineStats {
  return native().engineStats();
}

function text(code: unknown) {
  if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
  return code;
}

/** @internal */
export function prepareOptions(options: unknown): NativePrepareOptions {
  const given = checkOptions(options);
  const { language, maxOperations, timeoutMs, authorizedImports, maxLogBytes, maxCodeBytes, globals } = given;
  return { language, maxOperations, timeoutMs, authorizedImports, maxLogBytes, maxCodeBytes, globals };
}

/** @internal */
export function publicDiagnostic({ rule, severity, message, line, column, fix }: NativeDiagnostic): Diagnostic {
  return {
    rule,
    severity,
    message,
    ...(line !== undefined && column !== undefined && { location: { line, column } }),
    ...(fix !== undefined && { fix }),
  };
}
