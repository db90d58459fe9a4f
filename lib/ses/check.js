// @ts-check
'use strict';

const { describe } = require('../contract/describe');
const { checkOptions } = require('../contract/options');

/** Loaded by the first call: who only holds these functions needs no addon. */
const native = () => require('../../native.cjs');

/**
 * VALIDATE alone (specification, section 6.1). Documented in `index.d.ts`.
 *
 * @param {string} code
 * @param {import('../../index').ExecutorOptions} [options]
 * @returns {import('../../index').Diagnostic[]}
 */
function validateCode(code, options) {
  return native().validateCode(text(code), prepareOptions(options)).map(publicDiagnostic);
}

/**
 * VALIDATE and TRANSFORM (specification, section 6.1). Documented in `index.d.ts`.
 *
 * @param {string} code
 * @param {import('../../index').ExecutorOptions} [options]
 * @returns {import('../../index').PreparedProgram}
 */
function prepareProgram(code, options) {
  const { transformedCode, diagnostics } = native().prepareProgram(text(code), prepareOptions(options));
  return { originalCode: code, transformedCode, diagnostics: diagnostics.map(publicDiagnostic) };
}

/**
 * What is found in the text of a module, without running it: as {@link validateCode}, for a module.
 *
 * @param {string} name
 * @param {string} code
 * @param {import('../../index').ExecutorOptions} [options]
 * @returns {import('../../index').Diagnostic[]}
 */
function checkModule(name, code, options) {
  return native().checkModule(text(code), name, prepareOptions(options)).map(publicDiagnostic);
}

/** Counters of the process. Documented in `index.d.ts`. */
function engineStats() {
  return native().engineStats();
}

/** @param {unknown} code */
function text(code) {
  if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
  return code;
}

/** @param {unknown} options */
function prepareOptions(options) {
  const { language, maxOperations, timeoutMs, authorizedImports, maxLogBytes, maxCodeBytes } = checkOptions(options);
  return { language, maxOperations, timeoutMs, authorizedImports, maxLogBytes, maxCodeBytes };
}

/**
 * @param {import('../../native').NativeDiagnostic} diagnostic
 * @returns {import('../../index').Diagnostic}
 */
function publicDiagnostic({ rule, severity, message, line, column, fix }) {
  return {
    rule,
    severity,
    message,
    ...(line !== undefined && column !== undefined && { location: { line, column } }),
    ...(fix !== undefined && { fix }),
  };
}

module.exports = { checkModule, engineStats, prepareProgram, publicDiagnostic, validateCode };
