/**
 * Lets a model work with a large API through code. The model has two or three tools, which provide thousands of
 * methods. Sections refer to the specification of `SandboxManager`.
 *
 * @packageDocumentation
 */

import { SandboxError } from './errors';
import { SandboxManager } from './manager';
import { registryFromOpenApi } from './openapi';
import { renderSandboxPrompt } from './prompt';
import { anyState, dashboardState } from './state';
import { createSandboxTools } from './tools';
import type {
  JsonSchema,
  SandboxAdapter,
  SandboxAdapters,
  SandboxMethod,
  SandboxRegistry,
  SandboxSource,
  SdkCall,
} from './api';
import type { SandboxErrorCode, SandboxIssue } from './errors';
import type { OpenApiOperation, OpenApiOptions } from './openapi';
import type { ExecuteOptions, SandboxManagerOptions } from './options';
import type { ExecutionReport } from './report';
import type {
  DashboardPanel,
  DashboardState,
  StandardSchemaIssue,
  StandardSchemaResult,
  StandardSchemaV1,
  StateOf,
} from './state';
import type { SandboxToolResult, SandboxToolsOptions } from './tools';

export {
  SandboxError,
  SandboxManager,
  anyState,
  createSandboxTools,
  dashboardState,
  registryFromOpenApi,
  renderSandboxPrompt,
};
export type {
  DashboardPanel,
  DashboardState,
  ExecuteOptions,
  ExecutionReport,
  JsonSchema,
  OpenApiOperation,
  OpenApiOptions,
  SandboxAdapter,
  SandboxAdapters,
  SandboxErrorCode,
  SandboxIssue,
  SandboxManagerOptions,
  SandboxMethod,
  SandboxRegistry,
  SandboxSource,
  SandboxToolResult,
  SandboxToolsOptions,
  SdkCall,
  StandardSchemaIssue,
  StandardSchemaResult,
  StandardSchemaV1,
  StateOf,
};
