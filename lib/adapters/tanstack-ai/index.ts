/**
 * `ses-executor/tanstack-ai`: an isolate driver for the code mode of TanStack AI (`@tanstack/ai-code-mode`).
 *
 * @packageDocumentation
 */

import { partsOfContent } from '../../contract/content';
import { refuseOtherMarks } from '../../contract/approval-marks';
import { describe, isPlainObject } from '../../contract/describe';
import { failureText } from '../../contract/failure-text';
import { OPTION_NAMES, objectOf, optionsOf } from '../../contract/options';
import { abortController, onAbort } from '../../contract/signals';
import { asciiIdentifier, byIdentifier } from '../../contract/tool-names';
import { defined } from '../../contract/tool-traits';
import { collecting, collector } from '../code-tool/collected-content';
import { RunHelpers } from '../code-tool/helpers';
import { ApprovedPlan, checkApprovePlan } from '../code-tool/approved-plan';
import { IsolatedRuns, deadlineOf, limitOf } from '../../ses/isolated-runs';
import type { ApprovePlan, ApprovePlanOption } from '../code-tool/types';
import type { ContentParts, Media } from '../../contract/content';
import type { ExecutorOptions } from '../../contract/executor-options';
import type { Executor, LogEntry } from '../../contract/executor-types';
import type { Foreign } from '../../contract/foreign';
import type { Tools } from '../../contract/tool-types';

/** Limits and modules of each execution, or an executor with its own. */
export interface IsolateDriverOptions extends ExecutorOptions, ApprovePlanOption {
  /**
   * The executor that runs the code. It is cleaned up before and after each execution. Executions share a queue with
   * each other and with code tools that use the same executor.
   */
  executor?: Executor | undefined;
  /** Ends all executions of the driver. Code mode does not pass on the signal of a chat. */
  signal?: AbortSignal | undefined;
}

/** A function that code can call. */
export interface ToolBinding {
  name: string;
  description: string;
  /** JSON Schemas, for {@link IsolateDriverOptions.typecheck} */
  inputSchema?: Record<string, unknown> | undefined;
  outputSchema?: Record<string, unknown> | undefined;
  execute: (args: unknown) => Promise<unknown>;
}

/** What code mode asks of a context. */
export interface IsolateConfig {
  /**
   * By the name in the code. A name that is not an identifier is changed: `external_get-user` to `external_get_user`.
   */
  bindings: Record<string, ToolBinding>;
  /** Milliseconds. 0 means no limit. The lower of this and the driver's `timeoutMs` applies. */
  timeout?: number;
  /** In MiB. The lower of this and the driver's `memoryLimitMb` applies. An `executor` keeps its own limit. */
  memoryLimit?: number;
}

/** A failure in a form for the model. */
export interface NormalizedError {
  name: string;
  /** Code, message, location, code frame and hint. */
  message: string;
  code?: string;
}

/** The result of an execution. */
export interface ExecutionResult<T = unknown> {
  success: boolean;
  /**
   * The value of the code, if JSON can represent it completely and briefly. Otherwise the string that `util.inspect`
   * returns, shortened if it is long.
   */
  value?: T;
  error?: NormalizedError;
  /** Console output. A line begins with `ERROR: `, `WARN: ` or `INFO: ` if it has this level. */
  logs?: string[];
}

/** A place where code runs. */
export interface IsolateContext {
  /** Never rejects. */
  execute: <T = unknown>(code: string) => Promise<ExecutionResult<T>>;
  /** Ends the executions of the context, and waits for their end. */
  dispose: () => Promise<void>;
}

/** An `IsolateDriver` of `@tanstack/ai-code-mode`. */
export interface IsolateDriver {
  createContext: (config: IsolateConfig) => Promise<IsolateContext>;
}

/** The names of options that are not those of executors. */
const OWN = ['executor', 'signal', 'approvePlan'];
/** Code mode reads these prefixes. */
const PREFIXES: Partial<Record<LogEntry['level'], string>> = { error: 'ERROR: ', warn: 'WARN: ', info: 'INFO: ' };

/**
 * Creates a driver for `createCodeMode` of `@tanstack/ai-code-mode`. Each execution has its own isolate, so executions
 * share nothing and may overlap.
 *
 * The value of the code is that of its `return` or of its last expression. A Markdown fence around the code is removed.
 * Code that has types runs too, so code mode needs no `transpile` step: positions in errors are then those of the
 * model's own code.
 *
 * @throws `TypeError` or `RangeError`, as the constructor of `SESExecutor`
 *
 * @example
 * ```js
 * const { tools, systemPrompt } = createCodeMode({
 *   driver: createSESIsolateDriver({ timeoutMs: 10_000 }),
 *   tools: [getWeather],
 *   transpile: (code) => code,
 * });
 * ```
 */
export function createSESIsolateDriver(options: IsolateDriverOptions = {}): IsolateDriver {
  const { signal, approvePlan: given, ...others } = optionsOf(options, 'options', [...OWN, ...OPTION_NAMES]);
  const approvePlan = checkApprovePlan(given);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError(`options.signal must be an AbortSignal, got ${describe(signal)}`);
  }
  const runs = new IsolatedRuns(others, OWN);
  return { createContext: async (config) => new Context(runs, config, { signal, approvePlan }) };
}

/**
 * Lets the model see images, audio and PDF files: programs show them with `display(value)`, or return them. Then the
 * tool returns content parts of TanStack AI, the first of which is its result as JSON.
 *
 * @param tool the tool of `createCodeMode`, whose driver is that of {@link createSESIsolateDriver}
 * @returns a tool without `outputSchema`, because the schema of code mode has no content parts
 *
 * @example
 * ```js
 * const { tool, systemPrompt } = createCodeMode({ driver: createSESIsolateDriver(), tools: [getMap] });
 * const stream = chat({ adapter, messages, systemPrompts: [systemPrompt], tools: [withContent(tool)] });
 * ```
 */
export function withContent<T extends object>(tool: T): T {
  const { execute } = tool as Foreign;
  if (typeof execute !== 'function') {
    throw new TypeError(`tool must be a tool of code mode, got ${describe(tool)}`);
  }
  const executeWith = async (...args: unknown[]) => {
    const { result, content } = await collecting(() => Reflect.apply(execute, tool, args));
    return content.length === 0 ? result : [PARTS.text(JSON.stringify(result)), ...partsOfContent(content, PARTS)];
  };
  return { ...tool, outputSchema: undefined, execute: executeWith };
}

const mediaPart = (type: string) => (media: Media) => ({
  type,
  source: { type: 'data', value: media.data, mimeType: media.mimeType },
});
/** Content parts of messages in TanStack AI. */
const PARTS: ContentParts<object> = {
  text: (content) => ({ type: 'text', content }),
  image: mediaPart('image'),
  audio: mediaPart('audio'),
  pdf: mediaPart('document'),
};

class Context implements IsolateContext {
  #runs: IsolatedRuns;
  #approvePlan: ApprovePlan | undefined;
  #tools: Tools;
  #limits: { timeoutMs: number | undefined; memoryLimitMb: number | undefined };
  /** Ends the executions. */
  #end = abortController();
  #stopListening = () => {};
  #isDisposed = false;
  #running: Set<Promise<unknown>> = new Set();

  /** @throws {TypeError} for a wrong configuration, which code mode reports to the model */
  constructor(
    runs: IsolatedRuns,
    config: unknown,
    { signal, approvePlan }: Pick<IsolateDriverOptions, 'signal' | 'approvePlan'>,
  ) {
    const { bindings, timeout, memoryLimit } = objectOf(config, 'config');
    this.#runs = runs;
    this.#approvePlan = approvePlan;
    this.#tools = toolsOf(bindings);
    this.#limits = {
      timeoutMs: deadlineOf(timeout, 'config.timeout'),
      memoryLimitMb: memoryLimit === undefined ? undefined : limitOf(memoryLimit, 'config.memoryLimit'),
    };
    if (signal === undefined) return;
    const end = () => this.#end.abort(signal.reason);
    if (signal.aborted) end();
    else this.#stopListening = onAbort(signal, end);
  }

  execute = async <T>(code: string): Promise<ExecutionResult<T>> => {
    const execution = this.#execute(code).catch(failed);
    this.#running.add(execution);
    try {
      return (await execution) as ExecutionResult<T>;
    } finally {
      this.#running.delete(execution);
    }
  };

  dispose = async () => {
    this.#isDisposed = true;
    this.#stopListening();
    this.#end.abort();
    await Promise.all(this.#running);
  };

  async #execute(code: unknown): Promise<ExecutionResult> {
    if (this.#isDisposed) {
      throw Object.assign(new Error('The context has been disposed'), { name: 'DisposedError' });
    }
    const { signal } = this.#end;
    const shown = typeof code === 'string' ? collector() : undefined;
    const helpers = shown && new RunHelpers(code as string, { taken: () => Object.keys(this.#tools) });
    const tools = { ...helpers?.tools, ...this.#tools };
    const plan = this.#approvePlan && new ApprovedPlan(this.#approvePlan, String(code), this.#tools);
    const run = { tools, signal, ...this.#limits, lineOf, plan, content: helpers?.content };
    const { value, failure, logs } = await this.#runs.run(code, run);
    if (helpers !== undefined) shown?.push(...helpers.content.blocks);
    if (failure === undefined) return { success: true, value, logs };
    return {
      success: false,
      error: { name: 'ExecutorError', message: failureText(failure), code: failure.code },
      logs,
    };
  }
}

/** @throws {TypeError} */
function toolsOf(bindings: unknown): Tools {
  if (!isPlainObject(bindings)) {
    throw new TypeError(`config.bindings must be an object of bindings, got ${describe(bindings)}`);
  }
  const tools = Object.entries(bindings).map(([name, binding]) => {
    const { execute, description = '', inputSchema = {}, outputSchema = {} } = Object(binding) as Foreign;
    if (typeof execute !== 'function') {
      throw new TypeError(`config.bindings.${name}.execute must be a function, got ${describe(execute)}`);
    }
    refuseOtherMarks(`config.bindings.${name}`, binding, [], 'read the plan of the program before it runs');
    // Other drivers pass an object to a tool that is called without an argument.
    const call = async (input?: unknown) => execute.call(binding, input ?? {});
    return [name, defined(call, { description, inputSchema, outputSchema })];
  });
  return byIdentifier(Object.fromEntries(tools) as Record<string, Tools[string]>, asciiIdentifier);
}

function failed(thrown: Foreign): ExecutionResult {
  const { name = 'Error', code } = Object(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { success: false, error: { name, message, ...(typeof code === 'string' && { code }) }, logs: [] };
}

function lineOf({ level, message }: LogEntry): string {
  return (PREFIXES[level] ?? '') + message;
}
