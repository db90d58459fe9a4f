'use strict';

// The modules below load it when they need it; a process that cannot load it learns so here.
require('./native.cjs');

const { engineStats, prepareProgram, validateCode } = require('./lib/ses/check');
const { ExecutorError } = require('./lib/contract/errors');
const { SESExecutor } = require('./lib/ses/executor');
const { blocking, withTimeout } = require('./lib/contract/tool-registry');

module.exports = { SESExecutor, ExecutorError, validateCode, prepareProgram, engineStats, blocking, withTimeout };
