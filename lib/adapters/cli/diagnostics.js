// @ts-check
'use strict';

const { codeFrame } = require('../../ses/code-frame');

/**
 * Diagnostics as people read them: place, severity, message, rule, the lines of code and what to do.
 *
 * @param {import('../../../index').Diagnostic[]} diagnostics
 * @param {string} file
 * @param {string} code
 */
function diagnosticsText(diagnostics, file, code) {
  return diagnostics.map((diagnostic) => diagnosticText(diagnostic, file, code)).join('\n');
}

/**
 * @param {import('../../../index').Diagnostic} diagnostic
 * @param {string} file
 * @param {string} code
 */
function diagnosticText({ rule, severity, message, location, fix }, file, code) {
  const place = location === undefined ? file : `${file}:${location.line}:${location.column}`;
  const lines = [`${place}: ${severity} ${message} (${rule})`];
  if (location !== undefined) lines.push(codeFrame(code, location.line, location.column, message));
  if (fix !== undefined) lines.push(`  fix: ${fix}`);
  return `${lines.join('\n')}\n`;
}

module.exports = { diagnosticsText };
