// @ts-check
'use strict';

const { AsyncResource } = require('node:async_hooks');

const { errorRow } = require('../contract/error-table');
const { ExecutorError } = require('../contract/errors');
const { REFUSALS, invalidState } = require('../contract/lifecycle');
const { defineEntries, eachEntry } = require('../contract/logs');
const { DELIVERY, ENDING } = require('../contract/boundary-numbers');
const { OPTIONS } = require('../contract/option-table');
const { RunScope } = require('../contract/run-scope');
const activeExecutors = require('./active-executors');
const { LogFeed } = require('./log-feed');
const { nativeModules } = require('./modules');
const { RunCalls } = require('./run-calls');
const { localeEnvironment } = require('./locale-environment');
const { ToolRegistry } = require('../contract/tool-registry');

/**
 * What `deliver` gets when a call has settled: its number, how it ended (0 done, 1 a value, 2 a final answer, 3 an error) and
 * the value: a primitive, an ArrayBuffer that stands for a Uint8Array on it, a wire, or a `NativeError`. The figures are
 * those of a run; the log and what follows it are there if there are entries: the number of each one's level, its time in
 * milliseconds since the Unix epoch, its UTF-16 units in the log.
 *
 * @typedef {[
 *   call: number,
 *   ending: number,
 *   payload: unknown,
 *   durationMs?: number,
 *   operations?: number,
 *   toolCalls?: number,
 *   heapUsedBytes?: number,
 *   logs?: string,
 *   logLevels?: Uint8Array,
 *   logTimes?: Float64Array,
 *   logLengths?: Uint32Array,
 * ]} NativeSettled
 */

/**
 * @typedef {object} Outcome
 * @property {number} ending
 * @property {any} payload
 * @property {import('../../index').RunStats} [stats] of a run; so are the logs
 * @property {string} [logs]
 * @property {import('../contract/logs').LogIndex} [logIndex] undefined if there are no entries
 * @property {{ cause: unknown }} [cause] what the host's tool threw
 * @property {number} [unanswered] tool calls whose time counts, and that the host had not answered
 */

/**
 * What the native side needs for an isolate that runs Python: paths of Pyodide and of the two texts in `lib/python/`, modules to
 * import ahead, a folder for what takes long to make, and the folder that guests see as theirs.
 *
 * @typedef {object} PythonSeam
 * @property {string} pyodide
 * @property {string} guest
 * @property {string} prelude
 * @property {string[]} modules
 * @property {string} [cache]
 * @property {{ root: string, path: string, readOnly: boolean }} [mount]
 * @property {string} [packages] folder of packages
 */

/**
 * @typedef {object} PendingCall
 * @property {(outcome: Outcome) => void} resolve
 * @property {RunOfCall} [run] of a run
 * @property {() => void} [onDone] called when the isolate has done the call, before anything else is taken in
 *
 * @typedef {object} RunOfCall
 * @property {number | undefined} toolTimeoutMs
 * @property {AsyncResource} context that of its caller, which its tools are called in
 */

/**
 * Kept, since `require` looks for what it has loaded each time.
 *
 * @type {typeof import('../../native') | undefined}
 */
let addon;

/**
 * What all executors of this thread report through.
 *
 * @type {import('../../native').NativeDispatcher | undefined}
 */
let dispatcher;

/**
 * Executors by the number that they report with. Held weakly, as `./active-executors` says.
 *
 * @type {Map<number, WeakRef<NativeConnection>>}
 */
const reporting = new Map();
/** @type {FinalizationRegistry<number>} */
const collected = new FinalizationRegistry((number) => reporting.delete(number));
let nextNumber = 1;

/**
 * No closure of a constructor, which would keep the executor that it was made with.
 *
 * @param {number} number
 * @param {number} kind
 * @param {any[]} parts
 */
function report(number, kind, ...parts) {
  reporting.get(number)?.deref()?.deliver(kind, parts);
}

/** Those that the native side takes, in the order in which it does. */
const PASSED = OPTIONS.filter(({ rust }) => rust !== null).map(({ name }) => name);

/**
 * @param {import('../contract/options').CheckedOptions} options
 * @param {ToolRegistry} tools gets the functions of modules
 */
function nativeOptions(options, tools) {
  return PASSED.map((name) => {
    if (name === 'modules') return nativeModules(options.modules, tools);
    if (name === 'onLog') return options.onLog !== undefined;
    return options[/** @type {keyof typeof options} */ (name)];
  });
}

/** What one executor is made of on this side: the native executor, calls under way, tools. */
class NativeConnection {
  /**
   * Runs are in the order in which they begin.
   *
   * @type {Map<number, PendingCall>}
   */
  #calls = new Map();
  #nextCall = 1;
  /** Tool calls of the run under way. */
  #toolCalls = new RunCalls(this);
  /** Functions that have given promises without being `async`: the guest finds out at each call. @type {WeakSet<Function>} */
  promising = new WeakSet();
  /** Ends with `cleanup()`, for what is done for runs that the isolate has done. */
  life = new RunScope();
  #logFeed;
  /** Whether the isolate has a process of its own. */
  #isProcess;
  #isPython;
  /** Names of those that the isolate has. @type {Set<string>} */
  #variables = new Set();
  #imports;
  /** Whether a renewal has begun and not given an isolate the tools. */
  owesTools = false;

  /**
   * @param {import('../contract/options').CheckedOptions} options
   * @param {PythonSeam} [python]
   */
  constructor(options, python) {
    const { autoInit, recover, onLog, onToolCall, isolation, sandbox, spares } = options;
    this.autoInit = autoInit;
    this.recovers = autoInit && recover;
    this.#isPython = python !== undefined;
    this.#imports = options.authorizedImports;
    this.#isProcess = isolation === 'process';
    this.timeoutMs = options.timeoutMs;
    this.toolTimeoutMs = options.toolTimeoutMs;
    this.maxTransferBytes = options.maxTransferBytes;
    this.maxConcurrentToolCalls = options.maxConcurrentToolCalls;
    this.onToolCall = onToolCall;
    this.tools = new ToolRegistry();
    this.#logFeed = new LogFeed(onLog, (kind, parts) => this.deliver(kind, parts));
    // Here and not above: who only holds the class needs no addon.
    addon ??= require('../../native.cjs');
    dispatcher ??= new addon.NativeDispatcher(report);
    const number = nextNumber++;
    this.native = new addon.NativeExecutor(
      nativeOptions(options, this.tools),
      dispatcher,
      number,
      this.#isProcess ? { sandbox, spares, surroundings: localeEnvironment() } : undefined,
      python,
    );
    reporting.set(number, new WeakRef(this));
    collected.register(this, number);
  }

  /**
   * Tools as the guest can call them: Python's thread waits for each.
   *
   * @param {import('../contract/tool-registry').Tool[]} tools
   */
  toolsFor(tools) {
    return this.#isPython ? tools.map((tool) => ({ ...tool, isAsync: false, isBlocking: true })) : tools;
  }

  /** @returns {import('../contract/executor').Offer} */
  get offer() {
    return { imports: this.#imports, variables: [...this.#variables], tools: this.tools.list() };
  }

  /**
   * @param {string[]} names
   * @param {any} payload their values
   */
  sendVariables(names, payload) {
    return this.call(
      (call) => this.native.sendVariables(call, names, payload),
      () => names.forEach((name) => this.#variables.add(name)),
    );
  }

  /** @returns {import('../../index').Isolation} */
  get isolation() {
    if (!this.#isProcess) return { mode: 'thread' };
    const worker = this.native.worker ?? undefined;
    const sandbox = worker && { landlock: worker.landlock, seccomp: worker.seccomp };
    return { mode: 'process', pid: worker?.pid ?? undefined, sandbox };
  }

  /**
   * Makes one call of the native executor and waits for its outcome.
   *
   * @param {(call: number) => any} start returns the outcome, or null if it follows
   * @param {() => void} [onDone] called when the isolate has done it, before anything else is taken in
   * @returns {Promise<Outcome | undefined>} the outcome of a call that succeeded
   * @throws {ExecutorError}
   */
  async call(start, onDone) {
    const call = this.nextCall();
    return succeeded(await this.settled(call, start(call), { onDone }));
  }

  nextCall() {
    return this.#nextCall++;
  }

  /**
   * @param {number} call
   * @param {import('../../native').NativeOutcome | null} decided what the native side has returned for the call
   * @param {{ run?: { toolTimeoutMs: number | undefined }, onDone?: () => void }} about the call
   * @returns {Outcome | undefined | Promise<Outcome>} of a call that succeeded at once, nothing
   */
  settled(call, decided, { run, onDone }) {
    if (decided !== null) return decided.error && { ending: ENDING.ERROR, payload: decided.error };
    activeExecutors.begin(this);
    if (run === undefined) return new Promise((resolve) => this.#calls.set(call, { resolve, onDone }));
    const context = new AsyncResource('SESExecutorRun');
    return new Promise((resolve) => this.#calls.set(call, { resolve, run: { ...run, context } }));
  }

  /** Releases the isolate. Nothing that tools of its runs still answer is passed on. */
  cleanup() {
    return this.call((call) => {
      this.life.end();
      this.life = new RunScope();
      this.owesTools = false;
      this.#forgetToolCalls();
      this.#variables.clear();
      this.tools.clear();
      return this.native.cleanup(call);
    });
  }

  init() {
    return this.call((call) => this.native.init(call));
  }

  /**
   * Makes a new isolate in place of one that cannot go on, and gives it the tools that this one had. `cleanup()` ends it.
   *
   * @throws {ExecutorError}
   */
  async renew() {
    const { life } = this;
    const goOn = () => {
      if (life.isOver) throw invalidState(this.native.state, 'init', REFUSALS.CLEANED_UP);
    };
    this.owesTools = true;
    await this.call((call) => {
      this.#forgetToolCalls();
      this.#variables.clear();
      return this.native.cleanup(call);
    });
    goOn();
    await this.init();
    goOn();
    const specs = this.tools.specs();
    if (specs.length > 0) await this.call((call) => this.native.sendTools(call, specs));
    goOn();
    this.owesTools = false;
  }

  /**
   * Takes what the native side reports.
   *
   * @param {number} kind
   * @param {any[]} parts
   */
  deliver(kind, parts) {
    if (this.#logFeed.keeps(kind, parts)) return;
    switch (kind) {
      case DELIVERY.SETTLED:
        return this.#settle(/** @type {any} */ (parts));
      case DELIVERY.TOOL_CALLS:
        return this.#callTools(parts);
      case DELIVERY.LOGS:
        return this.#onLogs(parts);
    }
  }

  /** @param {any[]} parts the text of entries and where they are in it */
  #onLogs([logs, levels, times, lengths]) {
    const begin = () => this.#logFeed.begin(eachEntry(logs, { levels, times, lengths }));
    const run = this.runUnderWay();
    if (run === undefined) begin();
    else run.context.runInAsyncScope(begin);
  }

  /** @param {NativeSettled} args */
  #settle(args) {
    const call = args[0];
    const pending = this.#calls.get(call);
    if (pending === undefined) return;
    this.#calls.delete(call);
    if (this.#calls.size === 0) activeExecutors.end(this);
    const outcome = outcomeOf(args);
    if (outcome.ending === ENDING.ERROR) outcome.cause = this.#toolCalls.causeOf(outcome.payload.toolCallId);
    // Any other failure is one of the isolate, which may have done a part of it.
    if (outcome.ending !== ENDING.ERROR || outcome.payload.code !== 'ERR_INVALID_STATE') pending.onDone?.();
    // A run that did not begin has called nothing, and another may be under way.
    if (pending.run !== undefined && outcome.stats !== undefined) {
      if (pending.run.toolTimeoutMs === undefined) outcome.unanswered = this.#toolCalls.unanswered;
      this.#forgetToolCalls();
    }
    pending.resolve(outcome);
  }

  #forgetToolCalls() {
    this.#toolCalls.end();
    this.#toolCalls = new RunCalls(this);
  }

  /** @param {any[]} parts call, tool, isAsync, number of arguments and these, or -1 and their wire; and so on */
  #callTools(parts) {
    for (let at = 0; at < parts.length;) {
      const [call, id, isAsync, count] = [parts[at], parts[at + 1], parts[at + 2], parts[at + 3]];
      const from = at + 4;
      at = from + Math.abs(count);
      this.#toolCalls.add(call, id, isAsync, count < 0 ? parts[from] : parts.slice(from, at));
    }
  }

  /** Runs take turns. */
  runUnderWay() {
    for (const { run } of this.#calls.values()) if (run !== undefined) return run;
    return undefined;
  }
}

/**
 * @param {NativeSettled} args
 * @returns {Outcome}
 */
function outcomeOf(args) {
  const [, ending, payload, durationMs, operations, toolCalls, heapUsedBytes] = args;
  /** @type {Outcome} */
  const outcome = {
    ending,
    payload,
    stats: undefined,
    logs: undefined,
    logIndex: undefined,
    cause: undefined,
    unanswered: 0,
  };
  if (durationMs === undefined) return outcome;
  outcome.stats = /** @type {any} */ ({ durationMs, operations, toolCalls, heapUsedBytes });
  outcome.logs = '';
  if (args.length > 7) {
    const [, , , , , , , logs, levels, times, lengths] = args;
    outcome.logs = logs;
    outcome.logIndex = /** @type {any} */ ({ levels, times, lengths });
  }
  return outcome;
}

/**
 * Called where the outcome is awaited and not where it arrives, so that the error's stack has the caller's `await`s.
 *
 * @template {Outcome | undefined} T
 * @param {T} outcome
 * @returns {T}
 * @throws {ExecutorError}
 */
function succeeded(outcome) {
  if (outcome?.ending === ENDING.ERROR) throw errorOf(outcome);
  return outcome;
}

/** @param {Outcome} outcome */
function errorOf({ payload, stats, logs, logIndex, cause, unanswered = 0 }) {
  const { code, severity, retryable, message } = payload;
  const details = JSON.parse(payload.details);
  if (unanswered > 0 && code === 'ERR_EXEC_TIMEOUT' && details.reason === 'deadline')
    details.hint ??= waitedHint(unanswered);
  const logEntries = logs === undefined ? undefined : [];
  const fields = { code, severity, retryable, details, logs, logEntries, stats };
  const failure = new ExecutorError(message, { ...fields, ...cause });
  if (logs === undefined || logIndex === undefined) return failure;
  return defineEntries(failure, logs, logIndex, { enumerable: false });
}

/** @param {number} unanswered */
function waitedHint(unanswered) {
  const calls = unanswered === 1 ? 'a tool call' : `${unanswered} tool calls`;
  const fact = `At the deadline the host had not answered ${calls}`;
  return `${errorRow('ERR_EXEC_TIMEOUT')?.hint} ${fact}: waiting for tools counts, unless \`toolTimeoutMs\` limits calls.`;
}

module.exports = { NativeConnection, errorOf, succeeded };
