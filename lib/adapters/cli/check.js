// @ts-check
'use strict';

const { diagnosticsText } = require('./diagnostics');
const { languageOf, readCode } = require('./input');
const { UsageError } = require('./usage-error');
const { prepareProgram } = require('../../ses/check');

/**
 * `ses-executor check`: 0 if the code may run, else 1.
 *
 * @type {import('./main').Command}
 */
async function check(file, { timeoutMs, maxOperations, authorizedImports, modules, json }) {
  const language = languageOf(file);
  if (language === 'python') throw new UsageError('check reads JavaScript and TypeScript; Python is read when it runs');
  const code = await readCode(file);
  const options = { language, timeoutMs, maxOperations, authorizedImports, modules };
  const { diagnostics } = prepareProgram(code, options);
  const name = file === '-' ? 'stdin' : file;
  process.stdout.write(
    json ? `${JSON.stringify({ diagnostics }, null, 2)}\n` : diagnosticsText(diagnostics, name, code),
  );
  return diagnostics.some(({ severity }) => severity === 'ERROR') ? 1 : 0;
}

module.exports = { check };
