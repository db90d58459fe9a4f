// @ts-check
'use strict';

const { errorOf } = require('../contract/errors');
const { publicDiagnostic } = require('../ses/check');

/**
 * VALIDATE and TRANSFORM of a program for a page, on a thread of its own.
 *
 * @param {string} code
 * @param {{ language: string, timeoutMs: number }} options of the run
 * @param {{ maxCodeBytes: number }} limits
 * @param {boolean} isLasting whether the page has run other programs, or will
 * @returns {Promise<import('../../native').NativePageProgram>}
 */
async function preparePage(code, { language, timeoutMs }, { maxCodeBytes }, isLasting) {
  const program = await loadPreparation().preparePage({ code, language, timeoutMs, maxCodeBytes, isLasting });
  if (program.code !== '') return program;
  const diagnostics = program.diagnostics.map(publicDiagnostic);
  const { module } = program;
  if (module === null || module === undefined) throw errorOf('ERR_VALIDATION_FAILED', {}, { diagnostics });
  throw errorOf('ERR_IMPORT_NOT_ALLOWED', { module }, { module, diagnostics });
}

/** The addon; later it is there at once. */
function loadPreparation() {
  return require('../../native.cjs');
}

module.exports = { loadPreparation, preparePage };
