import { agentError, confirmed, logText, toolError } from './errors';
import { checkPythonOptions, checkRunCount, offerWith } from './options';
import { describe, isPlainObject } from '../contract/describe';
import { ExecutorError } from '../contract/errors';
import { makeDisposable } from '../contract/await-using';
import { describeOffer } from '../contract/executor';
import { Figures, PICTURE_TOOL } from './figures';
import { REFUSALS, invalidState } from '../contract/lifecycle';
import { Readiness, recovered } from '../contract/readiness';
import { SharedStartup } from '../contract/shared-startup';
import { refuseUnwritableNames } from '../contract/tool-names';
import { PYTHON_REQUEST, flattenTools, refuseNoTools } from '../contract/tool-registry';
import { traceRun } from '../contract/tracing';
import { namesOfVariables } from '../contract/variables';
import type { AwaitUsing } from '../contract/await-using';
import type { Executor, ExecutorState, Isolation } from '../contract/executor-types';
import type { ToolCall, Tools } from '../contract/tool-types';
import type { PyodideExecutorOptions, PythonOptions, PythonRunOptions } from './options';
import type { Recording } from '../ses/recording';
import type { PythonOutput } from './figures';

/** Prefix of names that are reserved for the prelude. */
const RESERVED_PREFIX = '__smolagents_';
/** Builtins that become allowed when a tool has their name. */
const REPLACEABLE_BUILTINS = ['eval', 'exec', 'compile'];

/**
 * Runs Python step by step. Variables persist between runs. `sendVariables`, `sendTools` and `run` start Python if
 * necessary. After a deadline, the next call uses a new interpreter.
 *
 * @example
 * ```js
 * const executor = new PyodideExecutor(['math'], { mount: false });
 * await executor.sendTools({ add: async (a, b) => a + b });
 * const { output } = await executor.run('import math\nadd(1, math.floor(2.5))');
 * ```
 */
export class PyodideExecutor implements Executor {
  #options;
  #engine;
  /**
   * The sent variables and tools. An interpreter that replaces a lost one receives them again. `cleanup()` replaces
   * this object.
   */
  #sent = nothingSent();
  #allowedDangerous: Set<string>;
  #figures = new Figures();
  /** Whether the interpreter comes from a journal, which has its settings and what was sent. */
  #isRestored;
  #starting = new SharedStartup();
  #readiness;

  static {
    describeOffer(this.prototype, (executor) => {
      const { variables, tools } = executor.#sent;
      return { ...offerWith(executor.#options), variables: [...variables.keys()], tools: flattenTools(tools) };
    });
  }

  /** The language of guest code. */
  readonly language = 'python';

  /**
   * @throws `Error` for `fsMode: "nativefs"` without `directoryHandle`
   * @throws `TypeError` for options of the wrong type and unknown ones
   * @throws `RangeError` for options out of bounds
   */
  constructor(authorizedImports?: readonly string[], options?: PyodideExecutorOptions);
  /**
   * @internal
   * @param recording what records the session
   */
  constructor(authorizedImports?: readonly string[], options?: PyodideExecutorOptions, recording?: Recording);
  constructor(authorizedImports?: readonly string[], options?: PyodideExecutorOptions, recording?: Recording) {
    this.#isRestored = recording?.isRestored === true;
    this.#options = checkPythonOptions(authorizedImports, options);
    const { executor } = this.#options;
    const { onToolCall } = executor;
    if (onToolCall !== undefined) {
      executor.onToolCall = (call: ToolCall) => (call.name === PICTURE_TOOL ? undefined : onToolCall(call));
    }
    this.#allowedDangerous = new Set(this.#options.allowedDangerousBuiltins);
    this.#engine = engineOf(this.#options, recording);
    this.#readiness = new Readiness(
      { autoInit: this.#options.autoInit, recover: true },
      {
        // An interpreter that is not configured yet is not ready.
        state: () => (this.#starting.isUnderWay ? 'INITIALIZING' : this.state),
        isLost: () => this.state === 'DIRTY',
        init: () => this.init(),
        renew: () => this.#renew(),
      },
    );
  }

  get state(): ExecutorState {
    return this.#engine.state;
  }

  /** The place where Python runs. */
  get isolation(): Isolation | { mode: 'host' } {
    return this.#engine.isolation;
  }

  /**
   * Starts Python and mounts the folder. A folder that cannot be mounted is only reported on the console (section 4.1).
   */
  init(): Promise<void> {
    // Concurrent calls share one start.
    return this.#starting.join(() => this.#start());
  }

  /** Sets variables (section 4.4). Values are copied. Objects become dictionaries whose keys are also attributes. */
  async sendVariables(variables: Record<string, unknown>): Promise<void> {
    namesOfVariables(variables);
    refuseReservedNames(variables, 'variables');
    const names = Object.keys(variables);
    const call = this.#copyOf(variables);
    const ready = this.#makeReady(names);
    if (ready !== undefined) await ready;
    if (names.length === 0) return;
    try {
      await this.#engine.sendVariables(call);
    } catch (error) {
      // Python has no equivalent of the value.
      const { name, message } = error instanceof ExecutorError ? (error.details ?? {}) : {};
      throw name === 'TypeError' ? new TypeError(message) : error;
    }
    this.#forget(names);
    for (const name of names) this.#sent.variables.set(name, call);
  }

  /**
   * Sets tools (section 4.3): host functions, and Python sources by the names of the functions that they define. All
   * are plain functions in Python. With the engine `"host"`, tools that return promises must be awaited.
   */
  async sendTools(tools: Tools, pythonToolsMap: Record<string, string> = {}): Promise<void> {
    refuseWrongSources(pythonToolsMap);
    refuseNoTools(tools);
    refuseReservedNames(tools, 'tools');
    const names = [...Object.keys(pythonToolsMap), ...Object.keys(tools)];
    const ready = this.#makeReady(names);
    if (ready !== undefined) await ready;
    await this.#defineTools(tools, pythonToolsMap);
    this.#forget(names);
    Object.assign(this.#sent.tools, tools);
    Object.assign(this.#sent.pythonTools, pythonToolsMap);
    const allowed = this.#allowedDangerous.size;
    for (const name of names) if (REPLACEABLE_BUILTINS.includes(name)) this.#allowedDangerous.add(name);
    if (this.#allowedDangerous.size > allowed) await this.#configure();
  }

  /** Runs code (section 4.5). Rejects with {@link AgentExecutionError}. */
  async run(code: string, options?: PythonRunOptions): Promise<PythonOutput> {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    const given = checkRunCount(options);
    return await traceRun(this, code, () => this.#run(code, given));
  }

  async #run(code: string, options?: PythonRunOptions) {
    // With no start to wait for, the executor is RUNNING immediately.
    const ready = this.#readiness.makeReady();
    if (ready !== undefined) await ready;
    const isFirst = this.#readiness.beginRun();
    try {
      const outcome = await this.#engine.run(code, options);
      Object.defineProperty(outcome, 'logs', { value: logText(outcome) });
      const { figures, calls } = this.#figures.take();
      if (figures.length > 0) Object.assign(outcome, { artifacts: figures });
      // These calls are not the code's.
      if (calls > 0 && outcome.stats) outcome.stats.toolCalls -= calls;
      return isFirst ? recovered(outcome) : outcome;
    } catch (error) {
      if (!(error instanceof ExecutorError)) throw error;
      error.details ??= {};
      if (isFirst) recovered(error.details);
      if (error.details.tool === PYTHON_REQUEST) error.details.tool = 'fetch';
      // The interpreter was abandoned. The next call creates another one.
      if (this.state === 'DIRTY') error.details.stateLost = true;
      const failure = agentError(confirmed(error, this.#options), code, this.#engine.codeFrame);
      const { figures } = this.#figures.take();
      // Printed errors leave out the bytes.
      if (figures.length > 0) Object.defineProperty(failure, 'artifacts', { value: figures });
      throw failure;
    }
  }

  /**
   * Copies the values, so that later changes have no effect. If they cannot be copied, the engine accepts or refuses
   * the originals.
   */
  #copyOf(variables: Record<string, unknown>) {
    const own = { ...variables };
    try {
      return this.#engine.copyOf(own);
    } catch {
      return own;
    }
  }

  /** Removes earlier variables and tools with these names, because new ones were sent. */
  #forget(names: string[]) {
    const { variables, tools, pythonTools } = this.#sent;
    for (const name of names) {
      delete variables.get(name)?.[name];
      variables.delete(name);
      delete tools[name];
      delete pythonTools[name];
    }
  }

  /** Ends Python (section 4.6). The next call starts it again. */
  async cleanup(): Promise<void> {
    this.#sent = nothingSent();
    this.#starting.forget();
    this.#readiness.forget();
    await this.#end();
  }

  async #end() {
    try {
      await this.#engine.cleanup();
    } catch (error) {
      console.error('Failed to clean up:', error);
      throw error;
    }
  }

  /**
   * Replaces an abandoned interpreter, so that callers need not know its state.
   * @param names about to be sent. Their old values are dropped first, so that a value that cannot be restored does not
   * block the restart.
   */
  #makeReady(names: string[]) {
    const ready = this.#readiness.makeReady();
    // The start sends what was sent before only after its first `await`.
    if (ready !== undefined) this.#forget(names);
    return ready;
  }

  async #renew() {
    const sent = this.#sent;
    await this.#end();
    this.#refuseAfterCleanup(sent);
    await this.init();
  }

  async #start() {
    const isNew = this.state !== 'READY';
    const sent = this.#sent;
    await this.#engine.init();
    this.#refuseAfterCleanup(sent);
    if (!isNew || this.#isRestored) return;
    try {
      await this.#configure();
      if (this.#options.executor.network !== undefined) await this.#engine.sendTools({ [PYTHON_REQUEST]: offered });
      if (this.#options.packages !== undefined) await this.#engine.sendTools({ [PICTURE_TOOL]: this.#figures.add });
      await this.#mount();
      const { variables, tools, pythonTools } = sent;
      // One call each, as they were sent: together they may exceed the limit of one call.
      for (const call of new Set(variables.values())) await this.#engine.sendVariables(call);
      await this.#defineTools(tools, pythonTools);
    } catch (error) {
      this.#refuseAfterCleanup(sent);
      // Without the sent data the executor would be READY, so it is ended and the next call starts again. Errors of
      // this step are reported on the console.
      await this.#end().catch(() => {});
      throw error;
    }
    this.#refuseAfterCleanup(sent);
  }

  /**
   * Stops a start that `cleanup()` has ended.
   *
   * @param sent the sent data when the start began
   */
  #refuseAfterCleanup(sent: object) {
    if (sent !== this.#sent) throw invalidState(this.state, 'init', REFUSALS.CLEANED_UP);
  }

  /** Sends the settings of runs (specification, section 4.5) and the mount point (section 6.3). */
  #configure() {
    const { authorizedImports, maxOperations, maxWhileIterations, mountPoint } = this.#options;
    return this.#engine.sendVariables({
      __smolagents_config__: {
        authorized_imports: authorizedImports,
        max_operations: maxOperations,
        max_while_iterations: maxWhileIterations,
        allowed_dangerous_builtins: [...this.#allowedDangerous],
        mount_point: mountPoint,
      },
    });
  }

  /** A folder that cannot be mounted is reported, and Python continues without it (section 6). */
  async #mount() {
    const { fsMode, mountPoint } = this.#options;
    if (offerWith(this.#options).folder === undefined) return;
    try {
      if (hidesModules(mountPoint))
        throw new Error(`nothing can be mounted at ${mountPoint}: Python's own modules are there`);
      await this.#engine.mount();
    } catch (error) {
      console.error(`Failed to mount ${fsMode === 'nodefs' ? 'NODEFS' : 'NativeFS'}:`, error);
    }
  }

  /** In the order of the specification (section 4.3). */
  async #defineTools(tools: Tools, sources: Record<string, string>) {
    for (const [name, source] of Object.entries(sources)) {
      try {
        await this.#engine.sendVariables({ __smolagents_python_tools__: { [name]: source } });
      } catch (error) {
        const failure = error instanceof ExecutorError ? toolError(error) : error;
        console.error(`Failed to inject Python tool ${name}:`, failure);
        throw failure;
      }
    }
    if (Object.keys(tools).length > 0) await this.#engine.sendTools(tools);
  }
}
export interface PyodideExecutor extends AwaitUsing {}
makeDisposable(PyodideExecutor.prototype, PyodideExecutor.prototype.cleanup);

function nothingSent() {
  return {
    /** For each name, the remaining variables of the call that it was sent in. */
    variables: new Map() as Map<string, Record<string, unknown>>,
    tools: {} as Tools,
    pythonTools: {} as Record<string, string>,
  };
}

/** What is sent for the function that makes requests. `lib/ses/guest-services.ts` has the function. */
async function offered() {}

/** Each engine is loaded when it is used, because one of them needs Node.js. */
function engineOf(options: PythonOptions, recording: Recording | undefined) {
  if (options.engine === 'host') {
    const { HostEngine } = require('./host-engine') as typeof import('./host-engine');
    return new HostEngine(options);
  }
  const { IsolateEngine } = require('./isolate-engine') as typeof import('./isolate-engine');
  return new IsolateEngine(options, recording);
}

function refuseReservedNames(named: object, root: string) {
  for (const name of Object.keys(named)) {
    if (!name.startsWith(RESERVED_PREFIX)) continue;
    throw new TypeError(`${root}.${name} must have another name: \`${RESERVED_PREFIX}\` is reserved`);
  }
  refuseUnwritableNames(Object.keys(named), root, 'python');
}

/**
 * Whether a folder that is mounted there hides modules of Python's standard library.
 *
 * @param path absolute
 */
function hidesModules(path: string) {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts[0] === 'lib';
}

function refuseWrongSources(sources: unknown) {
  if (!isPlainObject(sources)) {
    throw new TypeError(`pythonToolsMap must be an object of sources by name, got ${describe(sources)}`);
  }
  for (const [name, source] of Object.entries(sources)) {
    if (typeof source !== 'string')
      throw new TypeError(`pythonToolsMap.${name} must be Python, got ${describe(source)}`);
  }
}
