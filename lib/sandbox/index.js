// @ts-check
'use strict';

const { SandboxError } = require('./errors');
const { SandboxManager } = require('./manager');
const { anyState, dashboardState } = require('./state');

module.exports = { SandboxError, SandboxManager, anyState, dashboardState };
