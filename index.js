'use strict';

const { engineStats, prepareProgram, validateCode } = require('./lib/check');
const { ExecutorError } = require('./lib/errors');
const { SESExecutor } = require('./lib/executor');

module.exports = { SESExecutor, ExecutorError, validateCode, prepareProgram, engineStats };
