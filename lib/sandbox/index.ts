import { SandboxError } from './errors';
import { SandboxManager } from './manager';
import { registryFromOpenApi } from './openapi';
import { renderSandboxPrompt } from './prompt';
import { anyState, dashboardState } from './state';
import { createSandboxTools } from './tools';

export {
  SandboxError,
  SandboxManager,
  anyState,
  createSandboxTools,
  dashboardState,
  registryFromOpenApi,
  renderSandboxPrompt,
};
