import { agentError, logText, toolError } from './errors';
import { checkPythonOptions, checkRunCount, offerWith } from './options';
import { describe, isPlainObject } from '../contract/describe';
import { ExecutorError } from '../contract/errors';
import { OFFER } from '../contract/executor';
import { REFUSALS, invalidState } from '../contract/lifecycle';
import { SharedStartup } from '../contract/shared-startup';
import { flattenTools, refuseNoTools } from '../contract/tool-registry';
import { traceRun } from '../contract/tracing';
import { namesOfVariables } from '../contract/variables';
import type { PyodideExecutorOptions, PythonRunOptions } from './api';
import type { CodeOutput, Tools } from '../../index';
import type { PythonOptions } from './options';

/** First characters of the names that the prelude has for itself. */
const RESERVED_PREFIX = '__smolagents_';
/** Builtins that are allowed as soon as a tool has their name. */
const REPLACEABLE_BUILTINS = ['eval', 'exec', 'compile'];

/** Runs agent-written Python. Documented in `api.d.ts`. */
export class PyodideExecutor {
  #options;
  #engine;
  /**
   * What was sent, which an interpreter that takes the place of a lost one is given as well. Another one after `cleanup()`.
   */
  #sent = nothingSent();
  #allowedDangerous: Set<string>;
  #starting = new SharedStartup();
  #renewal = new SharedStartup();
  /** Whether the interpreter took the place of a lost one, and no run has said so. */
  #isRenewed = false;

  language = 'python' as const;

  constructor(authorizedImports?: readonly string[], options?: PyodideExecutorOptions) {
    this.#options = checkPythonOptions(authorizedImports, options);
    this.#allowedDangerous = new Set(this.#options.allowedDangerousBuiltins);
    this.#engine = engineOf(this.#options);
  }

  get state() {
    return this.#engine.state;
  }

  get isolation() {
    return this.#engine.isolation;
  }

  /** For descriptions of what code can use; not part of the contract. */
  get [OFFER]() {
    const { variables, tools } = this.#sent;
    return { ...offerWith(this.#options), variables: [...variables.keys()], tools: flattenTools(tools) };
  }

  init() {
    // A start that another call has begun serves this one too.
    return this.#starting.join(() => this.#start());
  }

  async sendVariables(variables: Record<string, unknown>) {
    namesOfVariables(variables);
    refuseReservedNames(variables, 'variables');
    const names = Object.keys(variables);
    const call = this.#copyOf(variables);
    if (this.#needsStart) await this.#startAgain(names);
    if (names.length === 0) return;
    try {
      await this.#engine.sendVariables(call);
    } catch (error) {
      // Python has no such value.
      const { name, message } = (error as any).details ?? {};
      throw name === 'TypeError' ? new TypeError(message) : error;
    }
    this.#forget(names);
    for (const name of names) this.#sent.variables.set(name, call);
  }

  async sendTools(tools: Tools, pythonToolsMap: Record<string, string> = {}) {
    refuseWrongSources(pythonToolsMap);
    refuseNoTools(tools);
    refuseReservedNames(tools, 'tools');
    const names = [...Object.keys(pythonToolsMap), ...Object.keys(tools)];
    if (this.#needsStart) await this.#startAgain(names);
    await this.#defineTools(tools, pythonToolsMap);
    this.#forget(names);
    Object.assign(this.#sent.tools, tools);
    Object.assign(this.#sent.pythonTools, pythonToolsMap);
    const allowed = this.#allowedDangerous.size;
    for (const name of names) if (REPLACEABLE_BUILTINS.includes(name)) this.#allowedDangerous.add(name);
    if (this.#allowedDangerous.size > allowed) await this.#configure();
  }

  async run(code: string, options?: PythonRunOptions): Promise<CodeOutput> {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    checkRunCount(options);
    return await traceRun(this as any, code, () => this.#run(code, options));
  }

  async #run(code: string, options?: PythonRunOptions) {
    // Without anything to wait for, the executor is RUNNING at once.
    if (this.#needsStart) await this.#startAgain([]);
    const isFirst = this.#isRenewed;
    this.#isRenewed = false;
    try {
      const outcome = await this.#engine.run(code, options);
      Object.defineProperty(outcome, 'logs', { value: logText(outcome) });
      return isFirst ? Object.assign(outcome, { recovered: true as const }) : outcome;
    } catch (error) {
      if (!(error instanceof ExecutorError)) throw error;
      if (isFirst) Object.assign(error.details as any, { recovered: true });
      // An interpreter that was given up: the next call makes another one.
      if (this.state === 'DIRTY') Object.assign(error.details as any, { stateLost: true });
      throw agentError(error as any, code, this.#engine.codeFrame);
    }
  }

  /** Values as they are now, whatever becomes of them. What has no copy is for the engine to take or to refuse. */
  #copyOf(variables: Record<string, unknown>) {
    const own = { ...variables };
    try {
      return this.#engine.copyOf(own);
    } catch {
      return own;
    }
  }

  /** Something else was sent under these names, of whichever kind. */
  #forget(names: string[]) {
    const { variables, tools, pythonTools } = this.#sent;
    for (const name of names) {
      delete variables.get(name)?.[name];
      variables.delete(name);
      delete tools[name];
      delete pythonTools[name];
    }
  }

  async cleanup() {
    this.#sent = nothingSent();
    this.#isRenewed = false;
    this.#starting.forget();
    this.#renewal.forget();
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

  get #needsStart() {
    const isThere = !this.#starting.isUnderWay && ['READY', 'RUNNING'].includes(this.state);
    return this.#options.autoInit && !isThere;
  }

  /**
   * What was given up is made anew: who calls knows of no states.
   *
   * @param names what is about to be sent: an interpreter that cannot be given what they were is made without
   */
  #startAgain(names: string[]) {
    this.#forget(names);
    // One for all that wait for it, which go on in their order.
    return this.#renewal.join(() => this.#renew());
  }

  async #renew() {
    const sent = this.#sent;
    const wasLost = this.state === 'DIRTY';
    if (wasLost) await this.#end();
    this.#refuseAfterCleanup(sent);
    await this.init();
    if (wasLost) this.#isRenewed = true;
  }

  async #start() {
    const isNew = this.state !== 'READY';
    const sent = this.#sent;
    await this.#engine.init();
    this.#refuseAfterCleanup(sent);
    if (!isNew) return;
    try {
      await this.#configure();
      await this.#mount();
      const { variables, tools, pythonTools } = sent;
      // As they were sent: together they may be more than one call takes.
      for (const call of new Set(variables.values())) await this.#engine.sendVariables(call);
      await this.#defineTools(tools, pythonTools);
    } catch (error) {
      this.#refuseAfterCleanup(sent);
      // It would be READY without them: the next call starts again. What fails here is told on the console.
      await this.#end().catch(() => {});
      throw error;
    }
    this.#refuseAfterCleanup(sent);
  }

  /**
   * A start that `cleanup()` has ended does not go on.
   *
   * @param sent when it began
   */
  #refuseAfterCleanup(sent: object) {
    if (sent !== this.#sent) throw invalidState(this.state, 'init', REFUSALS.CLEANED_UP);
  }

  /** What runs are given (specification, section 4.5), and where files are (section 6.3). */
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

  /** A folder that cannot be mounted is reported, and Python goes on without it (section 6). */
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
        const failure = error instanceof ExecutorError ? toolError(error as any) : error;
        console.error(`Failed to inject Python tool ${name}:`, failure);
        throw failure;
      }
    }
    if (Object.keys(tools).length > 0) await this.#engine.sendTools(tools);
  }
}
if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(PyodideExecutor.prototype, Symbol.asyncDispose, {
    value: PyodideExecutor.prototype.cleanup,
    writable: true,
    configurable: true,
  });
}

function nothingSent() {
  return {
    /** By name, what is left of the call that it was sent in. */
    variables: new Map() as Map<string, Record<string, unknown>>,
    tools: {} as Tools,
    pythonTools: {} as Record<string, string>,
  };
}

/** Each is loaded where it is used: one of them needs Node.js. */
function engineOf(options: PythonOptions) {
  if (options.engine === 'host') {
    const { HostEngine } = require('./host-engine') as typeof import('./host-engine');
    return new HostEngine(options);
  }
  const { IsolateEngine } = require('./isolate-engine') as typeof import('./isolate-engine');
  return new IsolateEngine(options);
}

function refuseReservedNames(named: object, root: string) {
  for (const name of Object.keys(named)) {
    if (!name.startsWith(RESERVED_PREFIX)) continue;
    throw new TypeError(`${root}.${name} must have another name: \`${RESERVED_PREFIX}\` is reserved`);
  }
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
