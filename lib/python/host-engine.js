// @ts-check
'use strict';

const { performance } = require('../contract/clock');
const guest = require('./guest');
const { loadHostPyodide } = require('./host-pyodide');
const { BASE_BUILTIN_MODULES } = require('./options');
const { ExecutorError } = require('../contract/errors');
const { errorRow } = require('../contract/error-table');
const { REFUSALS, invalidState } = require('../contract/lifecycle');
const { safeListener } = require('../contract/logs');
const { LEVELS } = require('../contract/option-table');
const { checkRunOptions } = require('../contract/options');
const { RunScope } = require('../contract/run-scope');
const { ToolExceptions } = require('../contract/tool-exceptions');
const { REPLY_KIND } = require('../contract/boundary-numbers');
const { answerToolCall } = require('../contract/tool-calls');
const { ToolRegistry, flattenTools } = require('../contract/tool-registry');

/** Values stay in this realm, where `guest.js` makes Python's own of them. */
const NO_WIRE = { kindOf: () => 0, payloadOf: (/** @type {number} */ _kind, /** @type {unknown} */ value) => value };

/** Where guests find packages. */
const PACKAGES_PATH = '/packages';

/** A run under way. */
class HostRun {
  began = performance.now();
  scope = new RunScope();
  toolCalls = 0;
  operations = 0;
  /** @type {import('../../index').LogEntry[]} */
  logEntries = [];
  /** @type {{ value: unknown } | undefined} */
  answer;
  thrown = new ToolExceptions();

  get logs() {
    return this.logEntries.map(({ message }) => message).join('\n');
  }

  get stats() {
    const { operations, toolCalls } = this;
    return { durationMs: performance.now() - this.began, operations, toolCalls, heapUsedBytes: 0 };
  }
}

/**
 * Plain Pyodide in the realm of the host, as the specification's original has it: without deadline, without limit of memory,
 * and with a way into the host for code that looks for one.
 */
class HostEngine {
  #options;
  #onLog;
  #tools = new ToolRegistry();
  /** @type {import('../../index').ExecutorState} */
  #state = 'NEW';
  /** @type {any} */
  #pyodide;
  /** @type {import('./guest').Guest | undefined} */
  #guest;
  /** Ends the `init()` under way. @type {((error: Error) => void) | undefined} */
  #endInit;
  #isMounted = false;
  /** @type {{ syncfs(): Promise<void> } | undefined} */
  #nativeFiles;
  /** @type {HostRun | undefined} */
  #run;

  codeFrame = undefined;
  isolation = /** @type {const} */ ({ mode: 'host' });

  /** @param {import('./options').PythonOptions} options */
  constructor(options) {
    this.#options = options;
    const { onLog } = options.executor;
    this.#onLog = onLog && safeListener(onLog);
  }

  get state() {
    return this.#state;
  }

  async init() {
    if (this.#pyodide !== undefined) return;
    this.#state = 'INITIALIZING';
    /** @type {(error: Error) => void} */
    let end = () => {};
    const ended = new Promise((_, reject) => (end = reject));
    this.#endInit = end;
    try {
      const { pyodide, prelude } = await Promise.race([loadHostPyodide(), ended]);
      guest.prepare(pyodide, { prelude, modules: [...BASE_BUILTIN_MODULES] });
      if (this.#options.packages !== undefined) mountPackages(pyodide, this.#options.packages);
      this.#guest = guest.connect(pyodide, this.#host());
      this.#pyodide = pyodide;
      this.#state = 'READY';
    } catch (error) {
      // Since `cleanup()` another one may be under way.
      if (this.#endInit === end) this.#state = 'DEAD';
      throw error;
    }
  }

  async mount() {
    const { fsMode, workDir, mountPoint, directoryHandle } = this.#options;
    const { FS } = this.#pyodide;
    if (fsMode === 'nativefs') {
      const permission = await directoryHandle.requestPermission({ mode: 'readwrite' });
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

  /** @param {Record<string, unknown>} variables */
  copyOf(variables) {
    return structuredClone(variables);
  }

  /** @param {Record<string, unknown>} variables */
  async sendVariables(variables) {
    this.#refuseUnlessReady('sendVariables');
    try {
      this.#guest?.setVariables(Object.keys(variables), Object.values(variables));
    } catch (error) {
      throw failureOf(error, undefined);
    }
  }

  /** @param {import('../../index').Tools} tools */
  async sendTools(tools) {
    const functions = flattenTools(tools);
    this.#refuseUnlessReady('sendTools');
    const { specs, commit } = this.#tools.stage(functions);
    this.#guest?.setTools(specs);
    commit();
  }

  /**
   * @param {string} code
   * @param {import('./index').PythonRunOptions} [options]
   */
  run(code, options) {
    return this.#runNow(code, options);
  }

  async cleanup() {
    this.#endInit?.(invalidState('DEAD', 'init', REFUSALS.CLEANED_UP));
    this.#endInit = undefined;
    if (this.#pyodide === undefined) {
      this.#state = 'DEAD';
      return;
    }
    await this.#nativeFiles?.syncfs();
    if (this.#isMounted) this.#pyodide.FS.unmount(this.#options.mountPoint);
    this.#isMounted = false;
    this.#nativeFiles = this.#pyodide = this.#guest = undefined;
    this.#tools.clear();
    this.#state = 'DEAD';
  }

  /**
   * @param {string} code
   * @param {import('./index').PythonRunOptions} [options]
   */
  async #runNow(code, options) {
    const { maxOperations, ...others } = checkRunOptions(options);
    const limit = Object.entries(others).find(([, value]) => value !== null && value !== undefined);
    if (limit !== undefined)
      throw new TypeError(`options.${limit[0]} needs an isolate: engine "host" cannot end a run`);
    this.#refuseUnlessReady('run');
    const run = (this.#run = new HostRun());
    this.#state = 'RUNNING';
    try {
      const output = await this.#guest?.run(code, maxOperations ?? undefined);
      const { logs, logEntries, stats, answer } = run;
      return { output: answer ? answer.value : output, logs, is_final_answer: answer !== undefined, logEntries, stats };
    } catch (error) {
      throw failureOf(error, run);
    } finally {
      run.scope.end();
      this.#run = undefined;
      if (this.#state === 'RUNNING') this.#state = 'READY';
    }
  }

  /** @returns {import('./guest').Host} */
  #host() {
    return {
      blocks: false,
      callTool: (tool, args) => this.#callTool(tool, args),
      log: (level, message) => {
        const entry = { level: /** @type {any} */ (LEVELS[level]), message, ts: new Date().toISOString() };
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

  /**
   * @param {number} tool
   * @param {unknown[]} args
   * @returns {unknown} the result, or a promise of it
   */
  #callTool(tool, args) {
    const run = this.#run ?? new HostRun();
    const call = ++run.toolCalls;
    /** @type {{ status: number, payload: any } | undefined} */
    let answer;
    /** @type {() => void} */
    let answered = () => {};
    answerToolCall(this.#tools.get(tool), false, args, {
      wire: NO_WIRE,
      maxTransferBytes: Infinity,
      scope: run.scope,
      onToolCall: this.#options.executor.onToolCall,
      reply: (status, payload) => {
        if (status === REPLY_KIND.PROMISE) return;
        answer = { status, payload };
        answered();
      },
      onThrown: (thrown) => run.thrown.keep(call, thrown),
    });
    if (answer !== undefined) return take(answer);
    return new Promise((resolve) => (answered = () => resolve(undefined))).then(() => take(answer));

    /** @param {any} settled */
    function take({ status, payload }) {
      if (status !== REPLY_KIND.ERROR) return payload;
      const [name, message, code, bridge] = payload;
      throw Object.assign(new Error(message), { name, code, bridge, call });
    }
  }

  /** @param {string} operation */
  #refuseUnlessReady(operation) {
    if (this.#state === 'READY') return;
    throw invalidState(this.#state, operation, this.#state === 'RUNNING' ? REFUSALS.BUSY : REFUSALS.NO_ISOLATE);
  }
}

/** @param {any} pyodide @param {string} folder */
function mountPackages(pyodide, folder) {
  pyodide.FS.mkdirTree(PACKAGES_PATH);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: folder }, PACKAGES_PATH);
  pyodide.runPython(`import sys\nsys.path.append(${JSON.stringify(PACKAGES_PATH)})\ndel sys`);
}

/**
 * @param {any} error a `RunError` of `guest.js`
 * @param {HostRun | undefined} run
 */
function failureOf(error, run) {
  const { code, message, details, toolCall } = error;
  const row = errorRow(code);
  if (row === undefined) return error;
  const { severity, retryable } = row;
  const { logs, logEntries, stats } = run ?? {};
  const fields = { code, severity, retryable, details: JSON.parse(details), logs, logEntries, stats };
  return new ExecutorError(message, { ...fields, ...run?.thrown.causeOf(toolCall) });
}

module.exports = { HostEngine };
