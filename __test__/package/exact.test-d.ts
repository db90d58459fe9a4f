// Compiled with `exactOptionalPropertyTypes`, never run: an option that is undefined is one that is left out.
import { SESExecutor, type ExecutorOptions, type RunOptions } from '../../index.js';
import type { CodeToolOptions as AiCodeToolOptions } from '../../build/adapters/ai';
import type { CallOptions, CodeToolOptions } from '../../build/adapters/code-tool';
import type { CodemodeExecutorOptions } from '../../build/adapters/codemode';
import type { CodeMiddlewareOptions } from '../../build/adapters/langchain';
import type { CodeModeTransportOptions } from '../../build/adapters/mastra';
import type { McpServerOptions } from '../../build/adapters/mcp';
import type { InstrumentOptions } from '../../build/adapters/opentelemetry';
import type { SystemPromptOptions, ToolDefinition } from '../../build/adapters/prompts';
import type { PythonSmolagentsExecutorOptions, SmolagentsExecutorOptions } from '../../build/adapters/smolagents';
import type { IsolateDriverOptions } from '../../build/adapters/tanstack-ai';
import type { BrowserExecutorOptions, BrowserRunOptions, NetworkOptions } from '../../build/browser';
import { createFileTools, type FileToolLimits, type GrepArguments, type ReadArguments } from '../../build/files';
import type { PyodideExecutorOptions, PythonRunOptions } from '../../build/python';
import type { ExecuteOptions, OpenApiOptions, SandboxManagerOptions, SandboxToolsOptions } from '../../build/sandbox';

/** The properties that may be left out, and those of them that may be undefined. */
type Optional<T> = { [K in keyof T]-?: {} extends Pick<T, K> ? K : never }[keyof T];
type Undefinable<T> = { [K in Optional<T>]: undefined extends Required<T>[K] ? K : never }[Optional<T>];
/** Names of those that may be left out and not undefined. */
type Exact<T> = Exclude<Optional<T>, Undefinable<T>>;
const holds = <_ extends never>(): void => {};

// @ts-expect-error: as it is without `| undefined`.
holds<Exact<{ at?: number }>>();

holds<Exact<ExecutorOptions>>();
holds<Exact<RunOptions>>();
holds<Exact<AiCodeToolOptions>>();
holds<Exact<CodeToolOptions>>();
holds<Exact<CallOptions>>();
holds<Exact<CodemodeExecutorOptions>>();
holds<Exact<CodeMiddlewareOptions>>();
holds<Exact<CodeModeTransportOptions>>();
holds<Exact<McpServerOptions>>();
holds<Exact<InstrumentOptions>>();
holds<Exact<SystemPromptOptions>>();
holds<Exact<ToolDefinition>>();
holds<Exact<SmolagentsExecutorOptions>>();
holds<Exact<PythonSmolagentsExecutorOptions>>();
holds<Exact<IsolateDriverOptions>>();
holds<Exact<BrowserExecutorOptions>>();
holds<Exact<BrowserRunOptions>>();
holds<Exact<NetworkOptions>>();
holds<Exact<FileToolLimits>>();
holds<Exact<ReadArguments>>();
holds<Exact<GrepArguments>>();
holds<Exact<PyodideExecutorOptions>>();
holds<Exact<PythonRunOptions>>();
holds<Exact<ExecuteOptions>>();
holds<Exact<OpenApiOptions>>();
holds<Exact<SandboxManagerOptions>>();
holds<Exact<SandboxToolsOptions>>();

export function undefinedOptions(maybe: number | undefined, isReadOnly: boolean | undefined): void {
  new SESExecutor({ timeoutMs: maybe });
  createFileTools({ root: '.', readOnly: isReadOnly, limits: { maxLines: maybe } });
  createFileTools({ root: '.', readOnly: undefined }).write('a', 'b');
  // @ts-expect-error: the flag is on.
  const exact: { at?: number } = { at: maybe };
  void exact;
}
