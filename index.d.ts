/**
 * Runs the JavaScript that an AI agent writes, in its own hardened V8 isolate inside the Node.js process. Sections refer to
 * the executor specification.
 *
 * @packageDocumentation
 */

// `scripts/compile.mjs` writes these declarations from the sources in `lib/`.
export type { Diagnostic } from './build/contract/diagnostic';
export type { ExecutorErrorCode } from './build/contract/error-codes';
export { ExecutorError } from './build/contract/errors';
export type { ExecutorErrorDetails, ExecutorErrorSeverity, NormalizedExecutorError } from './build/contract/errors';
export type { ExecutorOptions, Language, Modules, RunOptions } from './build/contract/executor-options';
export type {
  CodeOutput,
  DurableState,
  Executor,
  ExecutorState,
  GuestGlobal,
  ICodeExecutor,
  Isolation,
  LogEntry,
  LogLevel,
  RemoteOptions,
  RunStats,
} from './build/contract/executor-types';
export type { Lookup, NetworkPolicy } from './build/contract/network-policy';
export { blocking, withTimeout } from './build/contract/tool-traits';
export type { OnToolCall, ToolCall, ToolCallDecision, Tools } from './build/contract/tool-types';
export type { TracedRun, TracedToolCall } from './build/contract/tracing';
export { engineStats, prepareProgram, validateCode } from './build/ses/check';
export type { EngineStats, PreparedProgram } from './build/ses/check';
export { checkTypes } from './build/ses/check-types';
export { npmModules } from './build/ses/npm-modules';
export type { LibraryReport, NpmModules, NpmModulesOptions } from './build/ses/npm-modules';
export type { CheckTypesOptions } from './build/ses/check-types';
export { SESExecutor } from './build/ses/executor';
