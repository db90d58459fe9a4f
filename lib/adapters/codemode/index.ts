/**
 * `ses-executor/codemode`: runs the code of `@cloudflare/codemode` in Node.js.
 *
 * The declarations are those of `@cloudflare/codemode`. Node.js cannot load the complete package, only its parts
 * `/browser` and `/mcp`.
 *
 * @packageDocumentation
 */

import { FUNCTION, resultOf, sourceOf } from './results';
import { ModelOutput } from '../../contract/ai-sdk-output';
import { NO_MARKS, refuseOtherMarks } from '../../contract/approval-marks';
import { collecting, collector } from '../code-tool/collected-content';
import { ApprovedPlan, checkApprovePlan } from '../code-tool/approved-plan';
import { RunHelpers } from '../code-tool/helpers';
import { describe, isPlainObject } from '../../contract/describe';
import { isExecutor, refuseOtherOptions } from '../../contract/executor';
import { refuseWrongOptions } from '../../ses/check-options';
import { calledProgram } from '../../ses/agent-program';
import { codeFrame } from '../../ses/code-frame';
import { SESExecutor } from '../../ses/executor';
import { NO_LIMIT, OPTION_NAMES, objectOf, optionsOf } from '../../contract/options';
import { Session } from '../../contract/session';
import { asciiIdentifier, byIdentifier } from '../../contract/tool-names';
import type { ApprovePlan, ApprovePlanOption } from '../code-tool/types';
import type { ExclusiveAccess } from '../../contract/session';
import type { ExecutorOptions } from '../../contract/executor-options';
import type { Executor } from '../../contract/executor-types';
import type { Foreign } from '../../contract/foreign';
import type { Tools } from '../../contract/tool-types';
import type { ExecuteResult } from './types';

/** Functions that code can call as `name.function(...)`. */
export interface ResolvedProvider {
  /** An identifier. */
  name: string;
  /** Names that are not identifiers are changed as in `@cloudflare/codemode`: `list-files` becomes `list_files`. */
  fns: Record<string, (...args: unknown[]) => Promise<unknown>>;
  /** Guest code that runs before the code. It can add functions to the namespace. */
  prelude?: string;
}

/** Bindings of Cloudflare Workers, which do not exist in Node.js. */
export interface ExecuteOptions {
  connectors?: { name: string; binding: { callTool(method: string, args: unknown): Promise<unknown> } }[];
}

/** Limits and modules of each execution, or an executor with its own. */
export interface CodemodeExecutorOptions extends ExecutorOptions, ApprovePlanOption {
  /**
   * The executor that runs the code. It is cleaned up before and after each execution. Executions share a queue with
   * each other and with code tools that use the same executor.
   */
  executor?: Executor | undefined;
}

/** Options that are not options of the executor. */
const OWN_OPTIONS = ['executor', 'approvePlan'];
/** The namespace of the functions if `execute` receives functions instead of providers. */
const DEFAULT_NAMESPACE = 'codemode';
/**
 * Prefix for the functions of a provider with a prelude. They are sent under another name, because the prelude changes
 * the namespace itself.
 */
const SENT_AS = '__codemode_';
/**
 * An `Executor` of `@cloudflare/codemode`. Each execution has its own isolate, so executions share nothing and may
 * overlap.
 *
 * @example
 * ```js
 * const executor = new SESCodemodeExecutor({ timeoutMs: 30_000 });
 * const { result } = await executor.execute('async () => codemode.add(1, 2)', { add: async (a, b) => a + b }); // 3
 * ```
 */
export class SESCodemodeExecutor {
  #options: ExecutorOptions;
  /** Set if the caller passed an executor. Executions then run one after the other. */
  #executor: Executor | undefined;
  #approvePlan: ApprovePlan | undefined;

  /**
   * @throws `TypeError` or `RangeError`, as the constructor of `SESExecutor`
   */
  constructor(options: CodemodeExecutorOptions = {}) {
    const { executor, approvePlan, ...own } = optionsOf(options, 'options', [...OWN_OPTIONS, ...OPTION_NAMES]);
    this.#approvePlan = checkApprovePlan(approvePlan);
    if (executor === undefined) {
      // Wrong options are rejected here, so that they do not fail each execution.
      refuseWrongOptions(own, OWN_OPTIONS);
    } else {
      if (!isExecutor(executor)) throw new TypeError(`options.executor must be an executor, got ${describe(executor)}`);
      refuseOtherOptions(own, OWN_OPTIONS);
    }
    this.#options = own;
    this.#executor = executor;
  }

  /**
   * Runs code that is an async arrow function, the form that `@cloudflare/codemode` requests from models. Any other
   * function is called too. The result of a program is the value of its `return` or of its last expression, which must
   * not be a function. A Markdown fence around the code is removed.
   *
   * Never rejects: wrong arguments are also an `error` of the result.
   *
   * @param providersOrFns - namespaces, or the functions of the namespace `codemode`
   * @param options - connectors are rejected
   */
  execute(
    code: string,
    providersOrFns: readonly ResolvedProvider[] | ResolvedProvider['fns'],
    options?: ExecuteOptions,
  ): Promise<ExecuteResult> {
    const executor = this.#executor ?? new SESExecutor({ maxOperations: NO_LIMIT, ...this.#options });
    const session = new Session(executor, { livesOn: false, codeFrame, frontEnd: calledProgram });
    const run = { code, providersOrFns, options, approvePlan: this.#approvePlan };
    return session.enqueue((access) => execute(access, run)).catch(failed);
  }
}

/**
 * Lets models of the AI SDK see images, audio and PDF files: code shows them with `display(value)`, or returns them.
 * The output of the tool then has them as `content`, and the model gets them as parts of the tool result.
 *
 * @param tool a tool of `@cloudflare/codemode` whose executor is a {@link SESCodemodeExecutor}
 *
 * @example
 * ```js
 * const codemode = withContent(createBrowserCodeTool({ executor: new SESCodemodeExecutor(), tools }));
 * ```
 */
export function withContent<T extends object>(tool: T): T {
  const { execute } = tool as Foreign;
  if (typeof execute !== 'function') throw new TypeError(`tool must be a tool of codemode, got ${describe(tool)}`);
  const modelOutput = new ModelOutput();
  const executeWith = async (input: unknown, call: Foreign, ...others: unknown[]) => {
    modelOutput.called(call);
    const { result, content } = await collecting(() => Reflect.apply(execute, tool, [input, call, ...others]));
    return content.length === 0 ? result : { ...(result as object), content };
  };
  return { ...tool, execute: executeWith, toModelOutput: modelOutput.of };
}

function failed(error: unknown): ExecuteResult {
  return { result: undefined, error: messageOf(error), logs: [] };
}

/**
 * @param access to an executor, which is clean afterwards
 * @returns never rejects
 */
async function execute(
  access: ExclusiveAccess,
  {
    code,
    providersOrFns,
    options,
    approvePlan,
  }: {
    code: string;
    providersOrFns: readonly ResolvedProvider[] | ResolvedProvider['fns'];
    options: ExecuteOptions | undefined;
    approvePlan: ApprovePlan | undefined;
  },
): Promise<ExecuteResult> {
  try {
    refuseConnectors(options?.connectors ?? []);
    const { tools, setup } = plan(resolve(providersOrFns));
    const source = sourceOf(code);
    await access.reset();
    const prepared = setup === '' ? undefined : await access.run(setup, { tools, isPlain: true });
    return prepared?.failure === undefined
      ? await runCode(access, source, tools, approvePlan)
      : await resultOf(prepared);
  } catch (error) {
    return failed(error);
  } finally {
    await access.reset().catch(() => {});
  }
}

/**
 * @returns the providers, with identifiers as names of functions
 * @throws {TypeError}
 */
function resolve(providersOrFns: unknown): ResolvedProvider[] {
  const given = Array.isArray(providersOrFns) ? providersOrFns : [{ name: DEFAULT_NAMESPACE, fns: providersOrFns }];
  const names = new Set();
  return given.map((provider, at) => {
    const { name, fns, prelude } = objectOf(provider, `providers[${at}]`);
    if (typeof name !== 'string' || !/^[a-zA-Z_$][\w$]*$/.test(name)) {
      throw new TypeError(`the name of a provider must be an identifier, got ${describe(name)}`);
    }
    if (names.has(name)) throw new TypeError(`two providers are called ${name}; give one of them another name`);
    names.add(name);
    if (prelude !== undefined && prelude !== null && typeof prelude !== 'string') {
      throw new TypeError(`the prelude of ${name} must be a string, got ${describe(prelude)}`);
    }
    if (!isPlainObject(fns))
      throw new TypeError(`the fns of ${name} must be an object of functions, got ${describe(fns)}`);
    for (const [key, fn] of Object.entries(fns)) refuseOtherMarks(`${name}.${key}`, Object(fn), [], NO_MARKS);
    return { name, fns: byIdentifier(fns as ResolvedProvider['fns'], asciiIdentifier), prelude };
  });
}

/** Determines the tools to send and the code to run first: namespaces without tools, then preludes. */
function plan(providers: ResolvedProvider[]) {
  const tools: Record<string, ResolvedProvider['fns']> = {};
  const namespaces = [];
  for (const { name, fns, prelude } of providers) {
    const isEmpty = Object.keys(fns).length === 0;
    const sentAs = prelude === undefined ? name : SENT_AS + name;
    if (!isEmpty) tools[sentAs] = promising(fns);
    if (isEmpty || prelude !== undefined) namespaces.push(`const ${name} = { ${isEmpty ? '' : `...${sentAs}`} };`);
  }
  const preludes = providers.flatMap(({ prelude }) => prelude ?? []);
  return { tools, setup: [...namespaces, ...preludes].join('\n') };
}

/** Wraps the functions so that each returns a promise to the guest immediately. */
function promising(fns: ResolvedProvider['fns']): ResolvedProvider['fns'] {
  return Object.fromEntries(Object.entries(fns).map(([name, fn]) => [name, async (...args) => fn(...args)]));
}

async function runCode(
  access: ExclusiveAccess,
  source: string,
  tools: Tools,
  approvePlan?: ApprovePlan,
): Promise<ExecuteResult> {
  const shown = collector();
  const helpers = shown && new RunHelpers(source, { taken: () => Object.keys(tools) });
  const plan = approvePlan && new ApprovedPlan(approvePlan, source, tools);
  const report = await access.run(source, { tools: { ...helpers?.tools, ...tools }, plan });
  const { result, ...rest } = await resultOf(report, helpers?.content);
  if (helpers !== undefined) shown?.push(...helpers.content.blocks);
  if (typeof result !== 'string' || !FUNCTION.test(result)) return { result, ...rest };
  const error =
    'The value of the code is a class or a built-in function, which cannot be the program: call it in the code';
  return { ...rest, result: undefined, error };
}

function refuseConnectors(connectors: { name: string }[]) {
  if (!Array.isArray(connectors)) {
    throw new TypeError(`options.connectors must be an array, got ${describe(connectors)}`);
  }
  if (connectors.length === 0) return;
  const names = connectors.map((it) => it?.name).join(', ');
  throw new TypeError(`connectors (${names}) are bindings of Cloudflare Workers; pass their functions as providers`);
}

function messageOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

export { CodemodeRuntime } from './runtime';
export type { ExecuteResult };
export type { CodemodeExecution, PendingAction, ToolLogEntry } from './executions';
export type {
  CodemodeApproval,
  CodemodeDescription,
  CodemodeOutcome,
  CodemodeRuntimeOptions,
  CodemodeSearch,
  Connector,
  ConnectorTool,
} from './runtime';
