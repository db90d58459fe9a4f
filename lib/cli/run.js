// @ts-check
'use strict';

const { inspect } = require('node:util');

const { diagnosticsText } = require('./diagnostics');
const { languageOf, loadTools, readCode, readVariables } = require('./input');
const { UsageError } = require('./usage-error');
const { ExecutorError } = require('../errors');
const { SESExecutor } = require('../executor');

/**
 * `ses-executor run`: 0 if the code ran, 1 if it failed.
 *
 * @type {import('./main').Command}
 */
async function run(file, { vars, tools, timeoutMs, maxOperations, authorizedImports, json }) {
  const code = await readCode(file);
  const executor = newExecutor({
    language: languageOf(file),
    timeoutMs,
    maxOperations,
    authorizedImports,
    onLog: writeLog,
  });
  await executor.init();
  await prepare(() => (vars === undefined ? undefined : executor.sendVariables(readVariables(vars))));
  await prepare(async () => (tools === undefined ? undefined : executor.sendTools(await loadTools(tools))));
  try {
    const { logEntries: _, ...output } = await executor.run(code);
    process.stdout.write(json ? jsonText(output) : outputText(output.output));
    return 0;
  } catch (error) {
    if (!(error instanceof ExecutorError)) throw error;
    if (json) process.stdout.write(jsonText({ error: error.toJSON() }));
    else process.stderr.write(errorText(error, file === '-' ? 'stdin' : file, code));
    return 1;
  } finally {
    await executor.cleanup();
  }
}

/** @param {import('../../index').LogEntry} entry */
function writeLog({ message }) {
  process.stderr.write(`${message}\n`);
}

/** @param {import('../../index').ExecutorOptions} options */
function newExecutor(options) {
  try {
    return new SESExecutor(options);
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/**
 * Variables and tools that the executor refuses are wrong use too.
 *
 * @param {() => unknown} send
 */
async function prepare(send) {
  try {
    await send();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

/** @param {unknown} output */
function outputText(output) {
  if (output === undefined) return '';
  if (typeof output === 'string') return output.endsWith('\n') ? output : `${output}\n`;
  return `${inspect(output, { depth: 6, colors: process.stdout.isTTY === true && process.stdout.hasColors() })}\n`;
}

/**
 * @param {ExecutorError} error
 * @param {string} file
 * @param {string} code
 */
function errorText({ code: errorCode, message, details = {} }, file, code) {
  const { diagnostics, line, column, codeFrame } = /** @type {import('../../index').ExecutorErrorDetails} */ (details);
  const lines = [`${errorCode}: ${message}\n`];
  if (line !== undefined) lines.push(`  at ${file}:${line}:${column}\n`);
  if (codeFrame !== undefined) lines.push(`${codeFrame.trimEnd()}\n`);
  else if (diagnostics !== undefined) lines.push(diagnosticsText(diagnostics, file, code));
  return lines.join('');
}

/**
 * JSON of any output: what JSON has no form for gets the nearest one, and cycles their text.
 *
 * @param {Record<string, unknown>} value
 */
function jsonText(value) {
  try {
    return `${JSON.stringify(value, jsonForm, 2)}\n`;
  } catch {
    return `${JSON.stringify({ ...value, output: inspect(value.output) }, jsonForm, 2)}\n`;
  }
}

/**
 * @param {string} key
 * @param {unknown} value
 */
function jsonForm(key, value) {
  if (typeof value === 'bigint') return String(value);
  if (value === undefined && key === 'output') return null;
  if (value instanceof Map) return [...value];
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(/** @type {any} */ (value));
  return value;
}

module.exports = { run };
