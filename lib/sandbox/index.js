// @ts-check
'use strict';

const { SandboxError } = require('./errors');
const { SandboxManager } = require('./manager');
const { registryFromOpenApi } = require('./openapi');
const { renderSandboxPrompt } = require('./prompt');
const { anyState, dashboardState } = require('./state');
const { createSandboxTools } = require('./tools');

module.exports = {
  SandboxError,
  SandboxManager,
  anyState,
  createSandboxTools,
  dashboardState,
  registryFromOpenApi,
  renderSandboxPrompt,
};
