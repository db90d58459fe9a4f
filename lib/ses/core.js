// @ts-check
'use strict';

const { AsyncResource } = require('node:async_hooks');

const { performance, setImmediate } = require('../contract/clock');
const { errorRow } = require('../contract/error-table');
const { ExecutorError } = require('../contract/errors');
const { defineEntries, eachEntry, safeListener } = require('../contract/logs');
const { RunScope } = require('../contract/run-scope');
const { PROMISE, answerToolCall } = require('../contract/tool-calls');
const busy = require('./busy');
const { nativeModules } = require('./modules');
const { surroundings } = require('./surroundings');
const wire = require('./transfer');
const { mayReadNow, readInTurns } = require('./turns');
const { ToolRegistry } = require('../contract/tool-registry');

/** Kinds of deliveries, as `src/deliver.rs` numbers them. */
const SETTLED = 0;
const TOOL_CALL = 1;
const LOGS = 2;

/** Time of one turn of the event loop for the entries of a log, and how many of them come between two looks at the clock. */
const LOG_SLICE_MS = 5;
const ENTRIES_PER_LOOK = 64;

/** How a call ended, numbered there too. */
const FINAL = 2;
const ERROR = 3;

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
 * @property {{ thrown: unknown }} [cause] what the host's tool threw
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
 * @typedef {object} UnreadCall
 * @property {number} call
 * @property {number} id of the tool
 * @property {boolean} isAsync
 * @property {any} args as the native side gives them
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

const now = Promise.resolve();

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
 * Executors by the number that they report with. Held weakly, as `./busy` says.
 *
 * @type {Map<number, WeakRef<Core>>}
 */
const reporting = new Map();
/** @type {FinalizationRegistry<number>} */
const collected = new FinalizationRegistry((number) => reporting.delete(number));
let nextNumber = 1;

/** What one executor is made of on this side: the native executor, calls under way, tools. */
class Core {
  /**
   * Runs are in the order in which they begin.
   *
   * @type {Map<number, PendingCall>}
   */
  #calls = new Map();
  #nextCall = 1;
  /** Grows with each run that ends and with each cleanup, so that late answers to tool calls can be told and dropped. */
  #epoch = 0;
  /** Tool calls of the run that the host works on. */
  #unanswered = 0;
  /** Those of them whose tools have given promises. */
  #working = 0;
  /** Begin calls that wait for one of these to settle. @type {(() => void)[]} */
  #waiting = [];
  /** Bytes of their arguments. */
  #waitingBytes = 0;
  #isStarting = false;
  /** Functions that have given promises without being `async`: the guest finds out at each call. @type {WeakSet<Function>} */
  #promising = new WeakSet();
  /** Answers for `NativeExecutor.toolResults` that have not been sent. */
  /** @type {unknown[]} */
  #replies = [];
  #willSend = false;
  /** Of the run under way. */
  #scope = new RunScope();
  /** Ends with `cleanup()`, for what is done for runs that the isolate has done. */
  life = new RunScope();
  /** Tool calls whose arguments have not been read, in the order of the calls. */
  /** @type {UnreadCall[]} */
  #unread = [];
  /** What host tools threw during the run, by tool call: the run's error may name one as its cause. */
  /** @type {Map<number, unknown>} */
  #thrown = new Map();
  /** @type {((entry: any) => void) | undefined} */
  #onLog;
  /** @type {import('../../index').OnToolCall | undefined} */
  #onToolCall;
  /** Entries that `#onLog` has not been told of, and what was reported after them. */
  /** @type {Iterator<import('../../index').LogEntry, undefined> | undefined} */
  #entries;
  /** @type {[kind: number, parts: any[]][]} */
  #undelivered = [];
  /** Whether the isolate has a process of its own. */
  #isProcess;

  /** Of the calls of a run, at the same time. */
  #maxWorking;
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
  constructor({ autoInit, recover, onLog, onToolCall, modules, isolation, sandbox, spares, ...options }, python) {
    this.autoInit = autoInit;
    this.recovers = autoInit && recover;
    this.#isPython = python !== undefined;
    this.#imports = options.authorizedImports;
    this.#isProcess = isolation === 'process';
    this.timeoutMs = options.timeoutMs;
    this.toolTimeoutMs = options.toolTimeoutMs;
    this.maxTransferBytes = options.maxTransferBytes;
    this.#maxWorking = options.maxConcurrentToolCalls;
    this.tools = new ToolRegistry();
    this.#onLog = onLog && safeListener(onLog);
    this.#onToolCall = onToolCall;
    // Here and not above: who only holds the class needs no addon.
    addon ??= require('../../native.cjs');
    dispatcher ??= new addon.NativeDispatcher((number, kind, ...parts) =>
      reporting.get(number)?.deref()?.deliver(kind, parts),
    );
    const number = nextNumber++;
    this.native = new addon.NativeExecutor(
      { ...options, streamLogs: onLog !== undefined, modules: nativeModules(modules, this.tools) },
      dispatcher,
      number,
      this.#isProcess ? { sandbox, spares, surroundings: surroundings() } : undefined,
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
    if (decided !== null) return decided.error && { ending: ERROR, payload: decided.error };
    busy.begin(this);
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

  /** Makes a new isolate in place of one that cannot go on, and gives it the tools that this one had. */
  async renew() {
    this.owesTools = true;
    await this.call((call) => {
      this.#forgetToolCalls();
      this.#variables.clear();
      return this.native.cleanup(call);
    });
    await this.init();
    const specs = this.tools.specs();
    if (specs.length > 0) await this.call((call) => this.native.sendTools(call, specs));
    this.owesTools = false;
  }

  /**
   * Takes what the native side reports.
   *
   * @param {number} kind
   * @param {any[]} parts
   */
  deliver(kind, parts) {
    // In the order in which it was reported.
    if (this.#entries !== undefined) return void this.#undelivered.push([kind, parts]);
    switch (kind) {
      case SETTLED:
        return this.#settle(/** @type {any} */ (parts));
      case TOOL_CALL:
        return this.#callTools(parts);
      case LOGS:
        this.#entries = eachEntry(parts[0], { levels: parts[1], times: parts[2], lengths: parts[3] });
        return this.#inContext(this.#runUnderWay(), () => this.#passEntriesOn());
    }
  }

  /** Tells the host's listener of entries, for a moment of each turn of the event loop. */
  #passEntriesOn() {
    const end = performance.now() + LOG_SLICE_MS;
    for (let count = 1; ; count++) {
      const next = this.#entries?.next();
      if (next === undefined || next.done) break;
      this.#onLog?.(next.value);
      if (count % ENTRIES_PER_LOOK === 0 && performance.now() > end) {
        setImmediate(() => this.#passEntriesOn());
        return;
      }
    }
    this.#entries = undefined;
    while (this.#entries === undefined && this.#undelivered.length > 0) {
      const [kind, parts] = /** @type {[number, any[]]} */ (this.#undelivered.shift());
      this.deliver(kind, parts);
    }
  }

  /** @param {NativeSettled} args */
  #settle(args) {
    const call = args[0];
    const pending = this.#calls.get(call);
    if (pending === undefined) return;
    this.#calls.delete(call);
    if (this.#calls.size === 0) busy.end(this);
    const outcome = outcomeOf(args);
    if (this.#thrown.size > 0) {
      const toolCall = outcome.ending === ERROR ? outcome.payload.toolCallId : undefined;
      if (this.#thrown.has(toolCall)) outcome.cause = { thrown: this.#thrown.get(toolCall) };
    }
    // Any other failure is one of the isolate, which may have done a part of it.
    if (outcome.ending !== ERROR || outcome.payload.code !== 'ERR_INVALID_STATE') pending.onDone?.();
    // A run that did not begin has called nothing, and another may be under way.
    if (pending.run !== undefined && outcome.stats !== undefined) {
      if (pending.run.toolTimeoutMs === undefined) outcome.unanswered = this.#unanswered;
      this.#forgetToolCalls();
    }
    pending.resolve(outcome);
  }

  /** Nobody waits for what tools still answer. */
  #forgetToolCalls() {
    this.#epoch++;
    this.#unanswered = 0;
    this.#working = 0;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#replies = [];
    this.#unread = [];
    this.#thrown.clear();
    this.#scope.end();
    this.#scope = new RunScope();
  }

  /** @param {any[]} parts call, tool, isAsync, number of arguments and these, or -1 and their wire; and so on */
  #callTools(parts) {
    for (let at = 0; at < parts.length;) {
      const [call, id, isAsync, count] = [parts[at], parts[at + 1], parts[at + 2], parts[at + 3]];
      const from = at + 4;
      at = from + Math.abs(count);
      const args = count < 0 ? parts[from] : parts.slice(from, at);
      if (this.#unread.length === 0 && mayReadNow(args)) {
        this.#callTool(call, id, isAsync, wire.readArguments(args), bytesOf(args));
      } else {
        this.#unread.push({ call, id, isAsync, args });
        if (this.#unread.length === 1) void this.#callUnread();
      }
    }
  }

  /** Reads arguments in turns of the event loop, one call after the other, so that tools are called in order. */
  async #callUnread() {
    for (let next = this.#unread[0]; next !== undefined; next = this.#unread[0]) {
      const { call, id, isAsync, args } = next;
      const read = mayReadNow(args)
        ? wire.readArguments(args)
        : await readInTurns(args).catch((error) => /** @type {const} */ ({ error }));
      // What is unread is dropped when the run ends.
      if (this.#unread[0] !== next) return;
      this.#unread.shift();
      this.#callTool(call, id, isAsync, read, bytesOf(args));
    }
  }

  /**
   * @param {number} call
   * @param {number} id
   * @param {boolean} isAsync
   * @param {unknown[] | { error: unknown }} args
   * @param {number} bytes of them
   */
  #callTool(call, id, isAsync, args, bytes) {
    const run = this.#runUnderWay();
    // The guest of a run that was settled from outside may still have been about to call: nobody wants the effect.
    if (run === undefined) return;
    const tool = this.tools.get(id);
    const epoch = this.#epoch;
    this.#unanswered++;
    // Of such calls the native side sees to it that there are not too many.
    let isWorking = isAsync;
    if (isAsync) this.#working++;
    // The guest has a promise already.
    let isPromised = false;
    /** @type {import('../contract/tool-calls').Answer} */
    const answer = {
      wire,
      maxTransferBytes: this.maxTransferBytes,
      timeoutMs: run.toolTimeoutMs,
      scope: this.#scope,
      onToolCall: this.#onToolCall,
      reply: (status, payload) => {
        if (epoch !== this.#epoch) return;
        if (status === PROMISE) {
          isWorking = true;
          this.#working++;
          if (tool !== undefined) this.#promising.add(tool.fn);
          if (isPromised) return;
        }
        this.#reply(call, status, payload, isAsync || isPromised);
        if (status === PROMISE) return;
        if (isWorking) this.#working--;
        this.#startWaiting();
      },
      onThrown: (thrown) => {
        if (epoch === this.#epoch) this.#thrown.set(call, thrown);
      },
    };
    const begin = () => this.#inContext(run, () => answerToolCall(tool, isAsync, args, answer));
    const givesPromise = tool !== undefined && !tool.isBlocking && this.#promising.has(tool.fn);
    if (isAsync || !givesPromise || this.#working < this.#maxWorking) return begin();
    this.#waitingBytes += bytes;
    this.#waiting.push(() => {
      this.#waitingBytes -= bytes;
      begin();
    });
    // Otherwise the guest itself waits, so that the host has to keep no more arguments.
    isPromised = this.#waitingBytes <= this.maxTransferBytes;
    if (isPromised) this.#reply(call, PROMISE, undefined, false);
  }

  /** Begins calls that wait, as long as there may be more. One may be done at once. */
  #startWaiting() {
    if (this.#isStarting) return;
    this.#isStarting = true;
    while (this.#working < this.#maxWorking) {
      const begin = this.#waiting.shift();
      if (begin === undefined) break;
      begin();
    }
    this.#isStarting = false;
  }

  /** Runs take turns. */
  #runUnderWay() {
    for (const { run } of this.#calls.values()) if (run !== undefined) return run;
    return undefined;
  }

  /**
   * Calls something in the asynchronous context of a run.
   *
   * @param {RunOfCall | undefined} run
   * @param {() => void} call
   */
  #inContext(run, call) {
    if (run === undefined) call();
    else run.context.runInAsyncScope(call);
  }

  /**
   * Passes an answer on, together with others of this moment if there may be some.
   *
   * @param {number} call
   * @param {number} status
   * @param {unknown} payload
   * @param {boolean} canWait whether the guest can do without for a moment
   */
  #reply(call, status, payload, canWait) {
    if (status !== PROMISE) this.#unanswered--;
    const isLast = !canWait || this.#unanswered <= 0;
    if (isLast && this.#replies.length === 0) return this.native.toolResult(call, status, payload);
    this.#replies.push(call, status, payload);
    if (isLast) return this.#sendReplies();
    if (this.#willSend) return;
    this.#willSend = true;
    // Behind the answers that are ready now.
    now.then(() => {
      this.#willSend = false;
      this.#sendReplies();
    });
  }

  #sendReplies() {
    if (this.#replies.length === 0) return;
    const replies = this.#replies;
    this.#replies = [];
    this.native.toolResults(replies);
  }
}

/**
 * What arguments take at least, as they arrive.
 *
 * @param {any} args a wire, or values one by one
 */
function bytesOf(args) {
  if (ArrayBuffer.isView(args)) return args.byteLength;
  let bytes = 0;
  for (const value of args) bytes += typeof value === 'string' ? value.length : (value?.byteLength ?? 0);
  return bytes;
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
  if (outcome?.ending === ERROR) throw errorOf(outcome);
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
  const failure = new ExecutorError(message, cause ? { ...fields, cause: cause.thrown } : fields);
  if (logs === undefined || logIndex === undefined) return failure;
  return defineEntries(failure, logs, logIndex, { enumerable: false });
}

/** @param {number} unanswered */
function waitedHint(unanswered) {
  const calls = unanswered === 1 ? 'a tool call' : `${unanswered} tool calls`;
  const fact = `At the deadline the host had not answered ${calls}`;
  return `${errorRow('ERR_EXEC_TIMEOUT')?.hint} ${fact}: waiting for tools counts, unless \`toolTimeoutMs\` limits calls.`;
}

module.exports = { Core, FINAL, errorOf, succeeded };
