// @ts-check
'use strict';

const { limitsText, registerRun } = require('./run-tool');
const { languageText } = require('../code-tool/language');
const { Session } = require('../../contract/session');
const { BASE_BUILTIN_MODULES, PyodideExecutor } = require('../../python');
const { checkPythonOptions } = require('../../python/options');
const { codeFrame } = require('../../ses/code-frame');
const { preferredIsolation } = require('../../ses/isolation');

/**
 * Adds the tool `run_python`, with a session of its own.
 *
 * @param {any} server
 * @param {import('./toolset').Toolset} toolset
 * @param {object} options
 * @param {number} [options.timeoutMs]
 * @param {number} [options.toolTimeoutMs]
 * @param {number} [options.memoryLimitMb]
 * @param {number} [options.maxOperations] lines
 * @param {string[]} [options.authorizedImports]
 * @param {string} [options.packages]
 * @param {Record<string, unknown>} [options.variables]
 * @param {object} options.annotations
 * @returns {Session}
 */
function registerPython(server, toolset, { timeoutMs, memoryLimitMb, authorizedImports = [], ...others }) {
  const { toolTimeoutMs, maxOperations, packages, variables, annotations } = others;
  const language = languageText('python');
  const imports = [...BASE_BUILTIN_MODULES, ...authorizedImports];
  const options = {
    ...{ timeoutMs, toolTimeoutMs, memoryLimitMb, isolation: preferredIsolation() },
    ...{ max_operations: maxOperations, mount: false, packages },
  };
  const session = new Session(new PyodideExecutor(imports, options), { livesOn: true, codeFrame, variables });
  const limits = { timeoutMs, memoryLimitMb, maxOperations: checkPythonOptions(imports, options).maxOperations };
  const offer = { imports, variables: Object.keys(variables ?? {}) };
  const declarations = toolset.declarationsIn(language);
  const description = language.description(declarations, true, offer, limitsText(language, limits));
  registerRun(server, toolset, session, { language, description, timeoutMs, annotations });
  return session;
}

module.exports = { registerPython };
