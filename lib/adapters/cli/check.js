// @ts-check
'use strict';

const { diagnosticsText } = require('./diagnostics');
const { languageOf, readCode } = require('./input');
const { inspectLibrary, load, loadLibrary } = require('./library');
const { write } = require('./terminal');
const { UsageError, asUsage } = require('./usage-error');
const { prepareProgram } = require('../../ses/check');

/**
 * `ses-executor check`: 0 if the code may run, else 1.
 *
 * @type {import('./main').Command}
 */
async function check(file, options) {
  const { timeoutMs, maxOperations, authorizedImports, modules, json } = options;
  if (options.module) return checkLibrary(file, options);
  const language = languageOf(file);
  if (language === 'python') throw new UsageError('check reads JavaScript and TypeScript; Python is read when it runs');
  const code = await readCode(file);
  for (const [name, text] of Object.entries(modules)) {
    const { error } = await asUsage(() => load(name, text, authorizedImports, modules));
    if (error !== undefined) throw new UsageError(`the module ${name} does not load: ${error}`);
  }
  const limits = { language, timeoutMs, maxOperations, authorizedImports, modules };
  const { diagnostics } = await asUsage(() => prepareProgram(code, limits));
  const name = file === '-' ? 'stdin' : file;
  write(
    process.stdout,
    json ? `${JSON.stringify({ diagnostics }, null, 2)}\n` : diagnosticsText(diagnostics, name, code),
  );
  return diagnostics.some(({ severity }) => severity === 'ERROR') ? 1 : 0;
}

/**
 * `ses-executor check --module`: 0 if the library loads as a module of guest code, else 1.
 *
 * @type {import('./main').Command}
 */
async function checkLibrary(name, { authorizedImports, modules, json }) {
  let library;
  try {
    library = await loadLibrary(name);
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${/** @type {Error} */ (error).message}`);
  }
  const report = await asUsage(() => inspectLibrary(library, { authorizedImports, modules }));
  write(process.stdout, json ? `${JSON.stringify(report, null, 2)}\n` : libraryText(report));
  return report.error === undefined ? 0 : 1;
}

/** @param {import('./library').LibraryReport} report */
function libraryText({ name, bytes, lacks, imports, exports: names, error }) {
  const shown = names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '');
  return [
    `${name}: ${Math.ceil(bytes / 1024)} KiB`,
    error === undefined
      ? `  loads, with ${names.length} export${names.length === 1 ? '' : 's'}: ${shown}`
      : `  does not load: ${error}`,
    ...(imports.length === 0 ? [] : [`  imports, and needs as modules: ${imports.join(', ')}`]),
    ...(lacks.length === 0 ? ['  names no global that guest code lacks'] : ['  names globals that guest code lacks:']),
    ...lacks.map(({ name: global, fix }) => `    ${global}${fix === undefined ? '' : ` (${fix})`}`),
    '',
  ].join('\n');
}

module.exports = { check };
