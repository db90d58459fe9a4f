// @ts-check
'use strict';

const { errorOf } = require('../contract/errors');
const { publicDiagnostic } = require('../ses/check');
const { codeFrame } = require('../ses/code-frame');

/**
 * VALIDATE and TRANSFORM of a program for a page, on a thread of its own.
 *
 * @param {string} code
 * @param {{ language: string, timeoutMs: number }} options of the run
 * @param {{ maxCodeBytes: number }} limits
 * @param {import('../../native').NativePageHistory} [history] of a page that runs several programs
 * @returns {Promise<import('../../native').NativePageProgram>}
 */
async function preparePage(code, { language, timeoutMs }, { maxCodeBytes }, history) {
  const program = await loadPreparation().preparePage({ code, language, timeoutMs, maxCodeBytes }, history);
  if (program.code !== '') return program;
  const diagnostics = program.diagnostics.map(publicDiagnostic);
  const { module } = program;
  if (module === null || module === undefined) throw refusal(code, diagnostics);
  throw errorOf('ERR_IMPORT_NOT_ALLOWED', { module }, { module, diagnostics, ...frameOf(code, diagnostics) });
}

/**
 * The failure of code that is not valid.
 *
 * @param {string} code as it was given
 * @param {any[]} diagnostics
 */
function refusal(code, diagnostics) {
  return errorOf('ERR_VALIDATION_FAILED', {}, { diagnostics, ...frameOf(code, diagnostics) });
}

/**
 * The lines around the first place that something is said of.
 *
 * @param {string} code
 * @param {any[]} diagnostics
 */
function frameOf(code, diagnostics) {
  const found = diagnostics.find(({ severity, location }) => severity === 'ERROR' && location !== undefined);
  if (found === undefined) return {};
  const { location, message } = found;
  return { codeFrame: codeFrame(code, location.line, location.column, message) };
}

/** The addon; later it is there at once. */
function loadPreparation() {
  return require('../../native.cjs');
}

module.exports = { loadPreparation, preparePage, refusal };
