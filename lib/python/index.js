'use strict';

const { AgentExecutionError } = require('./errors');
const { PyodideExecutor } = require('./executor');
const { BASE_BUILTIN_MODULES } = require('./options');

module.exports = {
  AgentExecutionError,
  BASE_BUILTIN_MODULES,
  PyodideExecutor,
  /** @type {typeof import('./packages').addPackages} */
  addPackages: async (folder, wheels) => require('./packages').addPackages(folder, wheels),
};
