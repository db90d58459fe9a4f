// @ts-check
'use strict';

const { callables, functionDeclaration } = require('./definition');
const { hostTools } = require('./host-tools');
const { languageOf } = require('./language');
const { OWN_OPTIONS, settingsOf } = require('./settings');
const { describe } = require('../../contract/describe');
const { isExecutor, offerOf, refuseBeside } = require('../../contract/executor');
const { isIdentifier } = require('../../contract/identifiers');
const { checkAnyLanguage, checkSignal, record } = require('../../contract/options');
const { MAX_CHARS, modelFailure, modelLogs, modelValue, reportText } = require('../../contract/model-text');
const { Session } = require('../../contract/session');
const { refuseWrongOptions } = require('../../ses/check-options');
const { codeFrame } = require('../../ses/code-frame');
const { SESExecutor } = require('../../ses/executor');
const { PyodideExecutor } = require('../../python');
const { checkPythonOptions, offerWith } = require('../../python/options');

/**
 * @typedef {import('./index').CodeToolResult} CodeToolResult
 */

/** Least number of characters that a model is told: less says nothing. */
const MIN_CHARS = 100;
const CALL_OPTIONS = ['signal', 'context'];

/**
 * The tool by which a model calls other tools from code, and what writes its description with other descriptions of these, by the
 * names that code calls them by.
 *
 * @param {import('./index').CodeToolOptions} options
 * @param {readonly string[]} [known] names of options that are not the executor's, for messages
 * @returns {{ tool: import('./index').CodeTool, describe: (descriptions: Record<string, string | undefined>) => string }}
 */
function makeCodeTool(options, known = OWN_OPTIONS) {
  const given = settingsOf(options);
  const { tools, executor, name, description, maxOutputChars = MAX_CHARS, approve, ...executorOptions } = given;
  if (executor === undefined) refuseWrong(executorOptions, known);
  else refuseBeside(executorOptions, known);
  for (const [key, value] of Object.entries({ approve, description })) {
    if (value === undefined || typeof value === 'function') continue;
    throw new TypeError(`options.${key} must be a function, got ${describe(value)}`);
  }
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    throw new TypeError(`options.name must be a non-empty string, got ${describe(name)}`);
  }
  if (!Number.isInteger(maxOutputChars) || maxOutputChars < MIN_CHARS) {
    throw new RangeError(`options.maxOutputChars must be an integer >= ${MIN_CHARS}, got ${describe(maxOutputChars)}`);
  }
  const language = languageOf(given);
  const callable = callables(tools, language);
  const session = executor === undefined ? undefined : sessionOf(executor);
  const offer = executor === undefined ? ownOffer(executorOptions) : offerBeside(callable, executor);
  const sent = (offer.tools ?? []).map((it) => functionDeclaration(it.path.join('.'), it, language));
  const describeWith = (/** @type {Record<string, string | undefined>} */ descriptions) => {
    const own = callable.map((it) => it.declaration(language, descriptions[it.name]));
    const declarations = [...own, ...sent].map((text) => text.trim()).join('\n\n');
    return description?.(declarations) ?? language.description(declarations, session !== undefined, offer);
  };
  /** @type {import('./index').CodeTool} */
  const tool = {
    name: name ?? language.toolName,
    description: describeWith({}),
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string', description: `The program to run, in ${language.program}` } },
      required: ['code'],
      additionalProperties: false,
    },
    execute: async (code, of = {}) => {
      if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
      const { signal, context } = record(of, 'options', CALL_OPTIONS);
      checkSignal(signal);
      const { tools, end } = hostTools(callable, { approve, language, signal, context });
      const own = session ?? new Session(executorOf(executorOptions), { livesOn: false, codeFrame });
      try {
        return resultOf(await own.run(code, { tools, signal }), maxOutputChars);
      } finally {
        end();
        if (own !== session) await own.close();
      }
    },
  };
  return { tool, describe: describeWith };
}

/**
 * Wrong options are refused here and not in each result.
 *
 * @param {any} options
 * @param {readonly string[]} known
 */
function refuseWrong({ language, ...others }, known) {
  checkAnyLanguage(language);
  if (language === 'python') checkPythonOptions(undefined, others, known);
  else refuseWrongOptions({ language, ...others }, known);
}

/**
 * @param {any} options
 * @returns {import('../../../index').Executor}
 */
function executorOf({ language, ...others }) {
  if (language !== 'python') return new SESExecutor({ language, ...others });
  return new PyodideExecutor(undefined, pythonOptions(others));
}

/**
 * What code finds in an executor that `executorOf` makes.
 *
 * @param {any} options
 * @returns {import('../../contract/executor').Offer}
 */
function ownOffer({ language, ...others }) {
  if (language === 'python') return offerWith(checkPythonOptions(undefined, pythonOptions(others)));
  return { imports: others.authorizedImports ?? [] };
}

/**
 * Without a folder, unless one is given.
 *
 * @param {any} options
 */
function pythonOptions(options) {
  const { mount = options.workDir !== undefined } = options;
  return { ...options, mount };
}

/**
 * What code finds in an executor of the caller's, as far as it can be named and the tools do not take its place.
 *
 * @param {{ name: string }[]} callable
 * @param {import('../../../index').Executor} executor
 * @returns {import('../../contract/executor').Offer}
 */
function offerBeside(callable, executor) {
  const { variables = [], tools = [], ...others } = offerOf(executor);
  const taken = new Set(callable.map(({ name }) => name.split('.')[0]));
  const sent = new Set(tools.map(({ path }) => path[0]));
  return {
    ...others,
    // Of a name that was sent as both nobody knows what it is.
    variables: variables.filter((name) => !taken.has(name) && !sent.has(name)),
    tools: tools.filter(({ path }) => !taken.has(path[0]) && !variables.includes(path[0]) && path.every(isIdentifier)),
  };
}

/** @param {import('../../../index').Executor} executor */
function sessionOf(executor) {
  if (isExecutor(executor)) return new Session(executor, { livesOn: true, codeFrame });
  throw new TypeError(`options.executor must be an executor, got ${describe(executor)}`);
}

/**
 * @param {import('../../contract/session').Report} report
 * @param {number} maxChars
 * @returns {CodeToolResult}
 */
function resultOf(report, maxChars) {
  const { output, failure, note } = report;
  const logs = modelLogs(report.logs, maxChars);
  const text = reportText(report, maxChars);
  return failure === undefined
    ? { output: modelValue(output, maxChars), logs, ...(note !== undefined && { note }), text }
    : { error: modelFailure(failure, maxChars), logs, text };
}

module.exports = { makeCodeTool };
