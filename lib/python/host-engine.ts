import { performance } from '../contract/clock';
import guest = require('./guest');
import { loadHostPyodide } from './host-pyodide';
import { BASE_BUILTIN_MODULES } from './options';
import { ExecutorError } from '../contract/errors';
import type { ExecutorErrorDetails } from '../contract/errors';
import { errorRow } from '../contract/error-table';
import { Lifecycle, REFUSALS, invalidState } from '../contract/lifecycle';
import { safeListener } from '../contract/logs';
import { LEVELS } from '../contract/option-table';
import { checkRunOptions } from '../contract/options';
import { PlanGuard } from '../contract/plan-guard';
import { RunScope } from '../contract/run-scope';
import { ToolExceptions } from '../contract/tool-exceptions';
import { REPLY_KIND } from '../contract/boundary-numbers';
import { answerToolCall } from '../contract/tool-calls';
import { ToolRegistry, flattenTools } from '../contract/tool-registry';
import { ToolTimes } from '../contract/tool-times';
import type { Foreign } from '../contract/foreign';
import type { ExecutorState, LogEntry, LogLevel } from '../contract/executor-types';
import type { Operation } from '../contract/lifecycle';
import type { Tools } from '../contract/tool-types';
import type { Guest, Host } from './guest';
import type { PythonOptions } from './options';
import type { PythonRunOptions } from './options';

/** Values stay in this realm. `guest.js` converts them to Python values. */
const NO_WIRE = { kindOf: () => 0, payloadOf: (_kind: number, value: unknown) => value };

/** The folder where guests find packages. */
const PACKAGES_PATH = '/packages';

/** The answer of a tool: the kind of its value, and the value. */
type ToolAnswer = { status: number; payload: unknown };

/** A run in progress. */
class HostRun {
  began = performance.now();
  scope = new RunScope();
  toolTimes = new ToolTimes();
  toolCalls = 0;
  operations = 0;
  logEntries: LogEntry[] = [];
  answer: { value: unknown } | undefined;
  thrown = new ToolExceptions();
  /** What is known of calls that failed, by their numbers. */
  failed = new Map<number, Record<string, unknown>>();
  plan;

  constructor(plan?: PlanGuard) {
    this.plan = plan;
  }

  get logs() {
    return this.logEntries.map(({ message }) => message).join('\n');
  }

  get stats() {
    const { operations, toolCalls } = this;
    return { durationMs: performance.now() - this.began, operations, toolCalls, heapUsedBytes: 0 };
  }
}

/**
 * Plain Pyodide in the realm of the host, as in the original of the specification. It has no deadline and no memory
 * limit, and code can reach the host.
 */
export class HostEngine {
  #options;
  #onLog;
  #tools = new ToolRegistry();
  #lifecycle = new Lifecycle();
  #pyodide: Foreign;
  #guest: Guest | undefined;
  /** Ends the `init()` in progress. */
  #endInit: ((error: Error) => void) | undefined;
  #isMounted = false;
  #nativeFiles: { syncfs(): Promise<void> } | undefined;
  #run: HostRun | undefined;

  codeFrame = undefined;
  isolation = { mode: 'host' } as const;

  constructor(options: PythonOptions) {
    this.#options = options;
    const { onLog } = options.executor;
    this.#onLog = onLog && safeListener(onLog);
  }

  get state(): ExecutorState {
    return this.#lifecycle.state;
  }

  async init() {
    if (this.#pyodide !== undefined) return;
    this.#lifecycle.apply('init');
    let end: (error: Error) => void = () => {};
    const ended = new Promise<never>((_, reject) => (end = reject));
    this.#endInit = end;
    try {
      const { pyodide, prelude } = await Promise.race([loadHostPyodide(), ended]);
      guest.prepare(pyodide, { prelude, modules: [...BASE_BUILTIN_MODULES] });
      if (this.#options.packages !== undefined) mountPackages(pyodide, this.#options.packages);
      this.#guest = guest.connect(pyodide, this.#host());
      this.#pyodide = pyodide;
      this.#lifecycle.apply('initialized');
    } catch (error) {
      // After `cleanup()` another `init()` may be in progress.
      if (this.#endInit === end) this.#lifecycle.apply('initFailed');
      throw error;
    }
  }

  async mount() {
    const { fsMode, workDir, mountPoint, directoryHandle } = this.#options;
    const { FS } = this.#pyodide;
    if (fsMode === 'nativefs') {
      const permission = await directoryHandle?.requestPermission({ mode: 'readwrite' });
      if (permission !== 'granted') throw new Error('readwrite permission not granted for directory');
      this.#nativeFiles = await this.#pyodide.mountNativeFS(mountPoint, directoryHandle);
    } else if (FS.filesystems.NODEFS !== undefined) {
      FS.mkdirTree(mountPoint);
      FS.mount(FS.filesystems.NODEFS, { root: workDir }, mountPoint);
    } else {
      return;
    }
    this.#isMounted = true;
  }

  copyOf(variables: Record<string, unknown>) {
    return structuredClone(variables);
  }

  async sendVariables(variables: Record<string, unknown>) {
    this.#refuseUnlessReady('sendVariables');
    try {
      this.#guest?.setVariables(Object.keys(variables), Object.values(variables));
    } catch (error) {
      throw failureOf(error, undefined);
    }
  }

  async sendTools(tools: Tools) {
    const functions = flattenTools(tools);
    this.#refuseUnlessReady('sendTools');
    const { specs, commit } = this.#tools.stage(functions);
    this.#guest?.setTools(specs);
    commit();
  }

  run(code: string, options?: PythonRunOptions) {
    return this.#runNow(code, options);
  }

  async cleanup() {
    this.#endInit?.(invalidState('DEAD', 'init', REFUSALS.CLEANED_UP));
    this.#endInit = undefined;
    if (this.#pyodide === undefined) return this.#lifecycle.apply('cleanup');
    await this.#nativeFiles?.syncfs();
    if (this.#isMounted) this.#pyodide.FS.unmount(this.#options.mountPoint);
    this.#isMounted = false;
    this.#nativeFiles = this.#pyodide = this.#guest = undefined;
    this.#tools.clear();
    this.#lifecycle.apply('cleanup');
  }

  async #runNow(code: string, options?: PythonRunOptions) {
    const { maxOperations, plan, ...others } = checkRunOptions(options);
    const guard = PlanGuard.of(plan);
    const limit = Object.entries(others).find(([, value]) => value !== null && value !== undefined);
    if (limit !== undefined)
      throw new TypeError(`options.${limit[0]} needs an isolate: engine "host" cannot end a run`);
    this.#refuseUnlessReady('run');
    const run = (this.#run = new HostRun(guard));
    this.#lifecycle.apply('runStarted');
    try {
      const output = await this.#guest?.run(code, maxOperations ?? undefined);
      const { logs, logEntries, stats, answer } = run;
      return { output: answer ? answer.value : output, logs, is_final_answer: answer !== undefined, logEntries, stats };
    } catch (error) {
      throw failureOf(error, run);
    } finally {
      run.scope.end();
      this.#run = undefined;
      this.#lifecycle.apply('runEnded');
    }
  }

  #host(): Host {
    return {
      blocks: false,
      callTool: (tool, args) => this.#callTool(tool, args),
      log: (level, message) => {
        const entry = { level: LEVELS[level] as LogLevel, message, ts: new Date().toISOString() };
        this.#run?.logEntries.push(entry);
        this.#onLog?.(entry);
      },
      finalAnswer: (value) => {
        if (this.#run !== undefined) this.#run.answer ??= { value };
      },
      operations: (count) => {
        if (this.#run !== undefined) this.#run.operations = count;
      },
      mount: () => {},
    };
  }

  /** @returns the result, or a promise of it */
  #callTool(tool: number, args: unknown[]): unknown {
    const run = this.#run ?? new HostRun();
    const call = ++run.toolCalls;
    let answer: ToolAnswer | undefined;
    let answered: () => void = () => {};
    answerToolCall(this.#tools.get(tool), false, args, {
      wire: NO_WIRE,
      maxTransferBytes: Infinity,
      toolTimes: run.toolTimes,
      plan: run.plan,
      scope: run.scope,
      onToolCall: this.#options.executor.onToolCall,
      reply: (status, payload) => {
        if (status === REPLY_KIND.PROMISE) return;
        answer = { status, payload };
        answered();
      },
      onThrown: (thrown) => run.thrown.keep(call, thrown),
    });
    if (answer !== undefined) return take();
    return new Promise((resolve) => (answered = () => resolve(undefined))).then(take);

    function take() {
      const { status, payload } = answer as ToolAnswer;
      if (status !== REPLY_KIND.ERROR) return payload;
      const [name, message, code, bridge, details] = payload as [string, string, unknown, boolean, unknown];
      const told = typeof code === 'number' && !Number.isFinite(code) ? null : (code ?? null);
      run.failed.set(call, { name, message, code: told, call, ...(bridge && { bridge }) });
      throw Object.assign(new Error(message), { name, code, bridge, call, details });
    }
  }

  #refuseUnlessReady(operation: Operation) {
    this.#lifecycle.refuse(operation);
    if (this.state === 'RUNNING') throw this.#lifecycle.illegal(operation, REFUSALS.BUSY);
  }
}

function mountPackages(pyodide: Foreign, folder: string) {
  pyodide.FS.mkdirTree(PACKAGES_PATH);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: folder }, PACKAGES_PATH);
  pyodide.runPython(`import sys\nsys.path.append(${JSON.stringify(PACKAGES_PATH)})\ndel sys`);
}

/** Details that guest code may give of an exception. */
const OWN_DETAILS = [
  ...['name', 'message', 'line', 'column', 'traceback', 'pythonTool', 'cause', 'hint', 'module', 'diagnostics'],
  ...['maxOperations', 'maxWhileIterations', 'tool', 'code', 'call', 'bridge'],
];

/** @param error a `RunError` of `guest.js` */
function failureOf(error: Foreign, run: HostRun | undefined) {
  const { message, details, toolCall } = error;
  if (errorRow(error.code) === undefined) return error;
  const claimed = Object.entries(JSON.parse(details)).filter(([name]) => OWN_DETAILS.includes(name));
  const failed = run?.failed.get(toolCall);
  // Python itself refuses a result that it has no equivalent of, after the call has succeeded.
  const isOfBridge =
    claimed.some(([name, value]) => name === 'bridge' && value === true) && toolCall <= (run?.toolCalls ?? 0);
  const isForged =
    error.code === 'ERR_TOOL_PROXY_FAIL' && failed === undefined && toolCall !== undefined && !isOfBridge;
  const code = isForged ? 'ERR_RUNTIME_EXCEPTION' : error.code;
  const { severity, retryable } = errorRow(code) as NonNullable<ReturnType<typeof errorRow>>;
  const { logs, logEntries, stats } = run ?? {};
  const known = { ...Object.fromEntries(claimed), ...failed } as ExecutorErrorDetails;
  const fields = { code, severity, retryable, details: known, logs, logEntries, stats };
  return new ExecutorError(message, { ...fields, ...(failed && run?.thrown.causeOf(toolCall)) });
}
