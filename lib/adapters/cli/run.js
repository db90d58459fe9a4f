// @ts-check
'use strict';

const { errorText } = require('./diagnostics');
const { languageOf, loadTools, readCode, readVariables } = require('./input');
const { ownStdout, write } = require('./terminal');
const { asUsage } = require('./usage-error');
const { ExecutorError } = require('../../contract/errors');
const { BASE_BUILTIN_MODULES, PyodideExecutor } = require('../../python');
const { SESExecutor } = require('../../ses/executor');
const { preferredIsolation } = require('../../ses/isolation');
const { jsonForm, outputText, toJson } = require('../../contract/render');
const { languageText } = require('../code-tool/language');
const { toolsetOf } = require('../mcp/tools');

/**
 * `ses-executor run`: 0 if the code ran, 1 if it failed.
 *
 * @type {import('./main').Command}
 */
async function run(file, options) {
  const { vars, json } = options;
  const code = await readCode(file);
  const language = languageOf(file);
  const stdout = ownStdout();
  const { tools, end } = await asUsage(() => toolsOf(options.tools, language));
  const executor = await asUsage(() => newExecutor(language, options));
  await executor.init();
  await asUsage(() => (vars === undefined ? undefined : executor.sendVariables(readVariables(vars))));
  await asUsage(() => executor.sendTools(tools));
  try {
    const { logEntries: _, ...output } = await executor.run(code);
    write(stdout, json ? jsonText({ ...output }) : printed(output.output, language, stdout));
    return 0;
  } catch (error) {
    if (!(error instanceof ExecutorError)) throw error;
    if (json) write(stdout, jsonText({ error: error.toJSON() }));
    else write(process.stderr, errorText(error, file === '-' ? 'stdin' : file, code));
    return 1;
  } finally {
    end();
    await executor.cleanup();
  }
}

/** @param {import('../../../index').LogEntry} entry */
function writeLog({ message }) {
  write(process.stderr, `${message}\n`);
}

/**
 * @param {import('../../../index').Language | 'python'} language
 * @param {import('./main').CommandOptions} options
 */
function newExecutor(language, { timeoutMs, maxOperations, authorizedImports, modules, packages }) {
  // This program needs one executor.
  const common = { timeoutMs, isolation: preferredIsolation(), warmPool: 0, spares: 0, onLog: writeLog };
  if (language !== 'python') {
    if (packages !== undefined) throw new TypeError('--packages is for Python');
    return new SESExecutor({ ...common, language, maxOperations, authorizedImports, modules });
  }
  const [module] = Object.keys(modules);
  if (module !== undefined) throw new TypeError(`the module ${module} cannot have a text: the code is Python`);
  const imports = [...BASE_BUILTIN_MODULES, ...authorizedImports];
  return new PyodideExecutor(imports, { ...common, max_operations: maxOperations, mount: false, packages });
}

/**
 * The tools of a module, as one run calls them, and what has to be called when it has ended.
 *
 * @param {string | undefined} file
 * @param {import('../../../index').Language | 'python'} language
 */
async function toolsOf(file, language) {
  const { toolset } = toolsetOf({ tools: file === undefined ? {} : await loadTools(file) });
  return toolset.forRun(undefined, languageText(language));
}

/**
 * @param {unknown} output
 * @param {import('../../../index').Language | 'python'} language
 * @param {NodeJS.WriteStream} stream where it goes
 */
function printed(output, language, stream) {
  // As Python shows it: what gives nothing gives `None`.
  if (output === null && language === 'python') return '';
  const text = outputText(output, { colors: stream.isTTY === true && stream.hasColors() });
  return output === undefined || text.endsWith('\n') ? text : `${text}\n`;
}

/** @param {Record<string, unknown>} value */
function jsonText(value) {
  const form = 'output' in value ? { ...value, output: toJson(value.output) } : value;
  return `${JSON.stringify(form, jsonForm, 2)}\n`;
}

module.exports = { run };
