// Python as the suite of the contract takes an executor: with the contract's options and words, and with the suite's
// programs written in Python.

import { BASE_BUILTIN_MODULES, PyodideExecutor } from '../../build/python/index.js';
import { pythonOf } from './contract-programs.mjs';

/** A `PyodideExecutor` that takes the suite's programs, and words messages, logs and nothing as other executors do. */
class PythonSubject extends PyodideExecutor {
  /**
   * @param {string} code
   * @param {any} [options]
   */
  async run(code, options) {
    return inWordsOfTheSuite(super.run(pythonOf(code), options));
  }
}

/**
 * What a run of Python gives, in the words of other executors.
 *
 * @param {Promise<any>} running
 */
export async function inWordsOfTheSuite(running) {
  try {
    const outcome = await running;
    outcome.output = withoutNull(outcome.output);
    return Object.defineProperties(outcome, logsOf(outcome));
  } catch (error) {
    const { details } = /** @type {any} */ (error);
    if (details?.cause === undefined) throw error;
    // The specification's wording says where in the code that was, and what was logged.
    const [cause] = String(details.cause).split('\nCode execution failed');
    delete details.cause;
    const value = cause
      .replace(/^ToolError: /, 'Tool execution failed: ')
      .replace(/^ImportError: Import of '(\w+)' is not authorized$/, 'Import not allowed: node:$1');
    throw Object.defineProperties(/** @type {object} */ (error), { message: { value }, ...logsOf(error) });
  }
}

/** As the log of others: lines do not end, and what is an error does not begin with so much. @param {any} of */
function logsOf({ logs = '', logEntries = [] }) {
  return {
    logs: { value: logs.replace(/\n$/, '').replaceAll(/^stderr: /gm, '') },
    logEntries: { value: logEntries.map(plainEntry) },
  };
}

/** @param {import('../../index').LogEntry} entry */
function plainEntry(entry) {
  return { ...entry, message: entry.message.replace(/^stderr: /, '') };
}

/** JSON has no `undefined`. @param {unknown} value @returns {any} */
function withoutNull(value) {
  return Array.isArray(value) ? value.map(withoutNull) : (value ?? undefined);
}

/**
 * The options of the contract as options of Python: nothing starts by itself, `maxOperations` counts for loops as well.
 *
 * @param {any} [options]
 */
export function optionsOfPython({ maxOperations = 1e6, onLog, ...options } = {}) {
  return {
    // An isolate that nobody will have would cost as much as the one that is tested.
    warmPool: 0,
    spares: 0,
    mount: false,
    max_operations: maxOperations,
    max_while_iterations: maxOperations,
    ...options,
    ...(onLog && { onLog: (entry) => onLog(plainEntry(entry)) }),
  };
}

export const IMPORTS = [...BASE_BUILTIN_MODULES, 'sys'];

/**
 * An executor with the options of the contract.
 *
 * @param {any} [options]
 */
export function makePython({ autoInit = false, ...options } = {}) {
  return new PythonSubject(IMPORTS, { autoInit, ...optionsOfPython(options) });
}
