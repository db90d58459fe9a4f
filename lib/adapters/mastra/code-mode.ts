import { describe } from '../../contract/describe';
import { failureText } from '../../contract/failure-text';
import { OPTION_NAMES, checkSignal, objectOf, optionsOf } from '../../contract/options';
import { IsolatedRuns, deadlineOf } from '../../ses/isolated-runs';
import { ApprovedPlan, checkApprovePlan } from '../code-tool/approved-plan';
import type { ApprovePlan, ApprovePlanOption } from '../code-tool/types';
import type { ExecutorOptions } from '../../contract/executor-options';
import type { Executor } from '../../contract/executor-types';
import type { Foreign } from '../../contract/foreign';
import type { Tools } from '../../contract/tool-types';

/** Limits and modules of each program, or an executor with its own. */
export interface CodeModeTransportOptions extends ExecutorOptions, ApprovePlanOption {
  /**
   * The executor that runs the code. It is cleaned up before and after each program. Programs share a queue with each
   * other and with code tools that use the same executor.
   */
  executor?: Executor | undefined;
}

/** What Mastra passes to a transport. */
export interface CodeModeRun {
  /** TypeScript or JavaScript. */
  program: string;
  /** Ids of the tools. Code calls the tool `list-files` as `external_list_files`. */
  toolIds: string[];
  dispatch: (tool: string, args: unknown) => Promise<unknown>;
  /** Milliseconds. The lower of this and the transport's `timeoutMs` applies. */
  timeout: number;
  abortSignal?: AbortSignal;
  onExternalCall?: (tool: string, args: unknown) => void;
  onExternalResult?: (tool: string, durationMs: number, error?: unknown) => void;
}

/** The result of a program of code mode. */
export interface CodeModeResult {
  success: boolean;
  /**
   * The value of the code, if JSON can represent it completely and briefly. Otherwise the string that `util.inspect`
   * returns, shortened if it is long.
   */
  result?: unknown;
  /** Console output. */
  logs?: string[];
  /** The `message` has code, position, code frame and hint for the model. */
  error?: { message: string; name?: string; line?: number };
}

const OWN = ['executor', 'approvePlan'];
const EXTERNAL = 'external_';

/**
 * A `CodeModeTransport` of Mastra's `createCodeMode`. Each program has its own isolate, so programs share nothing and
 * may overlap. Mastra needs no workspace sandbox with it.
 *
 * The result is the value of `return` or of the last expression. A Markdown fence around the code is removed.
 *
 * @example
 * ```js
 * const { tool, instructions } = createCodeMode({ tools: { getWeather } }, new SESCodeModeTransport());
 * ```
 */
export class SESCodeModeTransport {
  readonly requiresSandbox = false;
  #runs: IsolatedRuns;
  #approvePlan: ApprovePlan | undefined;

  /**
   * @throws `TypeError` or `RangeError`, as the constructor of `SESExecutor`
   */
  constructor(options: CodeModeTransportOptions = {}) {
    const { approvePlan, ...others } = optionsOf(options, 'options', [...OWN, ...OPTION_NAMES]);
    this.#approvePlan = checkApprovePlan(approvePlan);
    this.#runs = new IsolatedRuns(others, OWN);
  }

  /** Never rejects: wrong arguments are also an `error` of the result. */
  async run(options: CodeModeRun): Promise<CodeModeResult> {
    try {
      const { program, toolIds, timeout, abortSignal, ...calls } = objectOf(options, 'options');
      checkSignal(abortSignal);
      const tools = toolsOf(toolIds, calls);
      const { value, failure, logs } = await this.#runs.run(program, {
        tools,
        plan: this.#approvePlan && new ApprovedPlan(this.#approvePlan, String(program), tools),
        signal: abortSignal,
        timeoutMs: deadlineOf(timeout, 'options.timeout'),
        lineOf: ({ message }) => message,
      });
      if (failure === undefined) return { success: true, result: value, logs };
      const { line } = failure;
      const error = { name: 'ExecutorError', message: failureText(failure), ...(line !== undefined && { line }) };
      return { success: false, error, logs };
    } catch (thrown) {
      const { name = 'Error', message = String(thrown) } = Object(thrown) as Foreign;
      return { success: false, error: { name, message }, logs: [] };
    }
  }
}

/** @throws {TypeError} */
function toolsOf(toolIds: unknown, { dispatch, onExternalCall, onExternalResult }: Foreign): Tools {
  if (!Array.isArray(toolIds)) throw new TypeError(`options.toolIds must be an array, got ${describe(toolIds)}`);
  const tools = toolIds.map((id: string) => {
    const call = async (input: unknown) => {
      const start = Date.now();
      const ended = (error?: unknown) => observed(() => onExternalResult?.(id, Date.now() - start, error));
      observed(() => onExternalCall?.(id, input));
      try {
        const result = await dispatch(id, input);
        ended();
        return result;
      } catch (error) {
        ended(error);
        throw error;
      }
    };
    return [EXTERNAL + identifierOf(id), call];
  });
  return Object.fromEntries(tools);
}

/** The name in Mastra's declarations. */
function identifierOf(id: string) {
  const changed = String(id).replace(/[^A-Za-z0-9_$]/g, '_');
  return /^\d|^$/.test(changed) ? `_${changed}` : changed;
}

/** Calls a hook for tracing. Its failure must not be one of the tool. */
function observed(hook: () => void) {
  try {
    hook();
  } catch {
    // It is only a report.
  }
}
