'use strict';

// The modules below load it when they need it; a process that cannot load it learns so here.
require('./native.cjs');

const { engineStats, prepareProgram, validateCode } = require('./build/ses/check');
const { checkTypes } = require('./build/ses/check-types');
const { ExecutorError } = require('./build/contract/errors');
const { SESExecutor } = require('./build/ses/executor');
const { npmModules } = require('./build/ses/npm-modules');
const { blocking, withTimeout } = require('./build/contract/tool-traits');

module.exports = {
  SESExecutor,
  ExecutorError,
  validateCode,
  checkTypes,
  prepareProgram,
  npmModules,
  engineStats,
  blocking,
  withTimeout,
};
