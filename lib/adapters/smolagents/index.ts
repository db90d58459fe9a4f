/**
 * The executor of a smolagents-ts `CodeAgent`. It implements the methods that the agent calls. The agent needs no
 * changes.
 *
 * @packageDocumentation
 */

import { JavaScriptCodeAgent } from './agent';
import { SmolagentsExecutor, createSmolagentsExecutor } from './executor';
import { formatErrorObservation, formatObservation } from './observation';
import { toHostTools } from './tools';
import type { JavaScriptCodeAgentClass, JavaScriptCodeAgentConfig } from './agent';
import type { SmolagentsExecutorOptions } from './executor';
import type { PythonSmolagentsExecutor, PythonSmolagentsExecutorOptions } from './python';
import type {
  ManagedAgent,
  SmolagentsCallable,
  SmolagentsTool,
  SmolagentsToolRecord,
  SmolagentsTools,
} from './tool-types';

export {
  JavaScriptCodeAgent,
  SmolagentsExecutor,
  createSmolagentsExecutor,
  formatErrorObservation,
  formatObservation,
  toHostTools,
};
export type {
  JavaScriptCodeAgentClass,
  JavaScriptCodeAgentConfig,
  ManagedAgent,
  PythonSmolagentsExecutor,
  PythonSmolagentsExecutorOptions,
  SmolagentsCallable,
  SmolagentsExecutorOptions,
  SmolagentsTool,
  SmolagentsToolRecord,
  SmolagentsTools,
};
