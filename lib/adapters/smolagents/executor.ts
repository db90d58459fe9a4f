import { describe, isPlainObject } from '../../contract/describe';
import { ExecutorError } from '../../contract/errors';
import { makeDisposable } from '../../contract/await-using';
import { describeOffer, isExecutor, offerOf, refuseOtherOptions } from '../../contract/executor';
import { queueOf } from '../../contract/executor-queue';
import { STATE_LOST } from '../../contract/hints';
import { OPTION_NAMES, checkAnyLanguage, checkSignal, optionsOf } from '../../contract/options';
import { refuseUnwritableNames } from '../../contract/tool-names';
import { flattenTools } from '../../contract/tool-registry';
import { refuseWrongOptions } from '../../ses/check-options';
import { agentProgram } from '../../ses/agent-program';
import { SESExecutor } from '../../ses/executor';
import { pythonToolError } from './file-tools';
import { PythonSmolagentsExecutor } from './python';
import { toHostTools } from './tools';
import type { AwaitUsing } from '../../contract/await-using';
import type { ExecutorOptions, RunOptions } from '../../contract/executor-options';
import type { CodeOutput, Executor, Isolation } from '../../contract/executor-types';
import type { Tools } from '../../contract/tool-types';
import type { PyodideExecutor } from '../../python';
import type { PythonSmolagentsExecutorOptions } from './python';
import type { SmolagentsTools } from './tool-types';

/** Options of the executor. `autoInit` is enabled unless it is `false`. */
export interface SmolagentsExecutorOptions extends ExecutorOptions {
  /**
   * Tools that every isolate of this executor has. The agent itself sends only the tools whose source is Python,
   * usually `{}`. JavaScript tools must therefore be passed here. A name that is defined here keeps its meaning
   * whatever `sendTools` sends.
   */
  tools?: SmolagentsTools | undefined;
  /**
   * The executor that runs the code, instead of a new one. Its own options then apply, so only `tools` and `autoInit`
   * are allowed in addition. A `BrowserExecutor` needs `isolation: 'session'`, because the steps of an agent build on
   * each other.
   *
   * Calls wait in a queue with those of all other users of the same executor: code tools, MCP servers
   * and codemode executors. Code can call only the tools of its own agent. Variables and other values that runs leave
   * are shared. A tool must not call the executor that is waiting for the tool.
   */
  executor?: Executor | undefined;
}

/** Options that are not options of the executor. */
const OWN_OPTIONS = ['tools', 'executor'];

/**
 * An executor for a `CodeAgent`. In each step, the agent calls `sendVariables(state)`, `sendTools({}, pythonTools)` and
 * `run(code)`.
 *
 * `init()` is not needed. If a run leaves the executor `DIRTY`, for example after a timeout, the next call creates a
 * new isolate. The new isolate has the tools of the options and the tools that were sent. Definitions of the guest code
 * are lost, and the failure states this. If a worker process ended between two runs, no run has failed. The next run
 * then states the loss in its logs.
 *
 * With `autoInit: false`, the caller does both, as with {@link SESExecutor}.
 *
 * @example
 * ```js
 * const agent = new CodeAgent({ model, tools, executor: new SmolagentsExecutor({ tools }) });
 * ```
 */
export class SmolagentsExecutor implements Executor {
  #executor!: Executor;
  #queue!: ReturnType<typeof queueOf>;
  /** Whether others may use the executor. */
  #isShared;
  #isAutomatic;
  #ownTools: Tools = {};
  /** The tools of the options, and the tools that were sent. */
  #tools: Tools = {};
  /** The last isolate that the agent knows about. Values of its runs are lost in any other isolate. */
  #isolate: number | undefined;

  static {
    describeOffer(this.prototype, (executor) => {
      const { tools = [], ...others } = offerOf(executor.#executor);
      const further = tools.filter(({ path }) => !Object.hasOwn(executor.#tools, path[0]));
      return { ...others, tools: [...flattenTools(executor.#tools), ...further] };
    });
  }

  /**
   * With `language: 'python'`, the result is a {@link PythonSmolagentsExecutor}. `createSmolagentsExecutor` returns it
   * with this type.
   *
   * @throws `TypeError` or `RangeError` as `SESExecutor`, and for values that {@link toHostTools} rejects
   */
  constructor(options?: SmolagentsExecutorOptions | PythonSmolagentsExecutorOptions) {
    const own = options === undefined ? {} : optionsOf(options, 'options', [...OWN_OPTIONS, ...OPTION_NAMES]);
    checkAnyLanguage(own.language);
    // @ts-expect-error: an executor of the other language, which has the same methods.
    if (own.language === 'python') return new PythonSmolagentsExecutor(own);
    const { tools = [], autoInit = true, executor, ...others } = own as SmolagentsExecutorOptions;
    if (typeof autoInit !== 'boolean') {
      throw new TypeError(`options.autoInit must be a boolean, got ${describe(autoInit)}`);
    }
    if (executor === undefined) refuseWrongOptions(others, OWN_OPTIONS);
    // The caller of `init()` must also send the tools, so the executor must not initialize itself.
    this.#executor = executor === undefined ? new SESExecutor({ ...others, autoInit: false }) : given(executor, others);
    this.#queue = queueOf(this.#executor);
    this.#isShared = executor !== undefined;
    this.#isAutomatic = autoInit;
    this.#ownTools = toHostTools(tools);
    refuseUnwritableNames(Object.keys(this.#ownTools), 'tools');
    this.#tools = this.#ownTools;
  }

  get state(): Executor['state'] {
    return this.#executor.state;
  }

  /** The location of the isolate. `"session"` in a page; undefined if the executor does not report it. */
  get isolation(): Isolation | PyodideExecutor['isolation'] | 'session' | undefined {
    return (this.#executor as { isolation?: Isolation | 'session' }).isolation;
  }

  async init(): Promise<void> {
    await this.#queue.add(async () => {
      // `init()` of a `DIRTY` executor rejects.
      if (!this.#isAutomatic && this.state === 'DIRTY') await this.#executor.init();
      await this.#queue.makeReady();
      await this.#queue.sendTools(this.#tools);
    });
  }

  async sendVariables(variables: Record<string, unknown>): Promise<void> {
    await this.#enqueue(() => this.#executor.sendVariables(variables));
  }

  /**
   * Defines functions that guest code can call. Functions are sent unchanged, tools and agents through
   * {@link toHostTools}.
   *
   * Rejects as `SESExecutor.sendTools`. Also rejects with a `TypeError` with the code `ERR_PYTHON_TOOL` if
   * `pythonTools` contains tools that are not functions here. Its `tools` property lists their names. Python sources
   * cannot run here. If a tool has both `pythonCode` and `forward`, `forward` is called.
   */
  async sendTools(tools: SmolagentsTools, pythonTools?: Readonly<Record<string, string>>): Promise<void> {
    const functions = toHostTools(tools);
    refusePython(pythonTools, { ...functions, ...this.#ownTools });
    for (const name of Object.keys(this.#ownTools)) delete functions[name];
    // Rejects reserved names.
    const isMore = flattenTools(functions).length > 0;
    refuseUnwritableNames(Object.keys(functions), 'tools');
    await this.#enqueue(async () => {
      if (!isMore) return;
      const all = { ...this.#tools, ...functions };
      await this.#queue.sendTools(all);
      this.#tools = all;
    });
  }

  /**
   * Same as `SESExecutor.run`. The enumerable fields of the output are those of smolagents: `output`, `logs` and
   * `is_final_answer`. `logEntries` and `stats` are available too.
   */
  async run(code: string, options?: RunOptions): Promise<CodeOutput> {
    const signal = options?.signal;
    checkSignal(signal);
    let isLost = false;
    const begin = async () => {
      const { isolate } = this.#queue;
      isLost = this.#isolate !== undefined && this.#isolate !== isolate;
      this.#isolate = isolate;
      program = await reading;
    };
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    const reading = agentProgram(code, true);
    let program: Awaited<typeof reading> | undefined;
    const run = () => this.#executor.run(program?.text ?? code, options);
    // For concurrent runs, the options of an executor that is not shared decide.
    const ran = this.#isShared ? this.#enqueue(() => begin().then(run), signal) : this.#enqueue(begin).then(run);
    const output = await ran.catch((error) => {
      if (error instanceof ExecutorError) program?.restore(error.details);
      if (isLost && error instanceof ExecutorError) error.details = { ...error.details, recovered: true };
      // The failure already states the loss.
      if (this.state === 'DIRTY') this.#isolate = undefined;
      return throwExplained(error);
    });
    const note = program?.note;
    if (note !== undefined) output.logs = output.logs === '' ? note : `${output.logs}\n${note}`;
    // A process ended between two steps. The agent shows only the logs and the output of a step.
    if (isLost) output.logs = output.logs === '' ? STATE_LOST : `${STATE_LOST}\n${output.logs}`;
    // The agent's own type has three fields.
    for (const extra of ['logEntries', 'stats']) Object.defineProperty(output, extra, { enumerable: false });
    return output;
  }

  async cleanup(): Promise<void> {
    this.#tools = this.#ownTools;
    this.#isolate = undefined;
    await this.#queue.cleanup();
  }

  /**
   * Runs a function when the executor is ready and has the tools.
   *
   * @param signal ends the wait in the queue
   */
  #enqueue<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#queue.add(async () => {
      await this.#makeReady();
      return work();
    }, signal);
  }

  async #makeReady() {
    // The agent does not know the executor's states, so its next call creates a new isolate.
    if (this.#isAutomatic) await this.#queue.makeReady();
    else if (this.state !== 'READY') return;
    await this.#queue.sendTools(this.#tools);
  }
}

export interface SmolagentsExecutor extends AwaitUsing {}
makeDisposable(SmolagentsExecutor.prototype, SmolagentsExecutor.prototype.cleanup);

/** Returns the caller's executor, which has its own options. */
function given(executor: unknown, others: object) {
  if (!isExecutor(executor)) throw new TypeError(`options.executor must be an executor, got ${describe(executor)}`);
  if ((executor as { isolation?: unknown }).isolation === 'run') {
    throw new TypeError("options.executor must keep the state of earlier runs: create it with isolation: 'session'");
  }
  refuseOtherOptions(others, [...OWN_OPTIONS, 'autoInit']);
  return executor;
}

/**
 * Returns `new SmolagentsExecutor(options)`. An agent may require its own executor class, whose private members no
 * other class can have. The result has that type, so this expression compiles:
 * `new CodeAgent({ model, tools, executor: createSmolagentsExecutor({ tools }) })`.
 */
export function createSmolagentsExecutor<AgentExecutor = PythonSmolagentsExecutor>(
  options: PythonSmolagentsExecutorOptions,
): AgentExecutor;
export function createSmolagentsExecutor<AgentExecutor = SmolagentsExecutor>(
  options?: SmolagentsExecutorOptions,
): AgentExecutor;
export function createSmolagentsExecutor(
  options?: SmolagentsExecutorOptions | PythonSmolagentsExecutorOptions,
): SmolagentsExecutor {
  return new SmolagentsExecutor(options);
}

/** Throws an error with a complete message, because an agent shows its model only the message. */
function throwExplained(error: unknown): never {
  if (error instanceof ExecutorError) {
    const { explanation } = error;
    for (const key of ['message', 'explanation']) {
      Object.defineProperty(error, key, { value: explanation, writable: true, configurable: true });
    }
  }
  throw error;
}

/**
 * Rejects Python sources, except those of tools that also exist here as functions.
 *
 * @throws {TypeError} with the code `ERR_PYTHON_TOOL` if there are any
 */
function refusePython(pythonTools: unknown, functions: object) {
  if (pythonTools === undefined || pythonTools === null) return;
  if (!isPlainObject(pythonTools)) {
    throw new TypeError(`pythonTools must be an object of sources by name, got ${describe(pythonTools)}`);
  }
  const names = Object.keys(pythonTools).filter((name) => !Object.hasOwn(functions, name));
  if (names.length === 0) return;
  throw pythonToolError(names);
}
