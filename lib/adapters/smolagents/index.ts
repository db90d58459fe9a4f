/**
 * The executor of a smolagents-ts `CodeAgent`. It implements the methods that the agent calls. The agent needs no
 * changes.
 *
 * @packageDocumentation
 */

import { JavaScriptCodeAgent } from './agent';
import { SmolagentsExecutor as Implementation, createSmolagentsExecutor } from './executor';
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

/** See {@link SmolagentsExecutorConstructor}. */
type SmolagentsExecutor = Implementation;

/**
 * The class of executors for agents. The class that an agent requires in TypeScript has private members, which no other
 * class can have. An executor that is constructed in the agent's options gets that type:
 * `new CodeAgent({ model, tools, executor: new SmolagentsExecutor({ tools }) })`.
 */
export interface SmolagentsExecutorConstructor {
  /** See the constructor of {@link SmolagentsExecutor}. */
  new <AgentExecutor = SmolagentsExecutor>(
    options?: SmolagentsExecutorOptions | PythonSmolagentsExecutorOptions,
  ): AgentExecutor;
  readonly prototype: SmolagentsExecutor;
}

const SmolagentsExecutor: SmolagentsExecutorConstructor = Implementation as SmolagentsExecutorConstructor;

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
