// @ts-check
'use strict';

const { tracingChannel } = require('node:diagnostics_channel');

// Runs and tool calls as tracing channels of `node:diagnostics_channel`, which cost nothing while nobody listens. A subscriber of
// `start` can set `call` of the message, what is called next, to a function that calls it in a context of its own.

const RUNS = tracingChannel('ses-executor:run');
const TOOL_CALLS = tracingChannel('ses-executor:tool-call');
/** Executors that work for others, who tell of their runs. @type {WeakSet<object>} */
const INNER = new WeakSet();

/**
 * @typedef {object} Message what subscribers get, the same object for all events of one run or call
 * @property {() => unknown} call
 * @property {unknown} [result] once it has succeeded
 * @property {unknown} [error] once it has failed
 */

/**
 * A run, told to those who listen.
 *
 * @template T
 * @param {import('../../index').Executor} executor
 * @param {string} code
 * @param {() => Promise<T>} run
 * @returns {Promise<T>}
 */
function traceRun(executor, code, run) {
  if (!isHeard(RUNS) || INNER.has(executor)) return run();
  /** @type {any} */
  const message = { executor, code, call: run };
  return RUNS.tracePromise(() => message.call(), message);
}

/**
 * An executor that works for another one: its runs are that one's.
 *
 * @template {object} E
 * @param {E} executor
 * @returns {E} the same
 */
function untold(executor) {
  INNER.add(executor);
  return executor;
}

/** One tool call, told to those who listen. */
class ToolCallTrace {
  /** @type {Message & { name: string, args: unknown[], id: string }} */
  #message;
  #isSettled = false;
  /** Whether the call went on after it was made. */
  #isAsync = false;

  /** @param {{ name: string, args: unknown[], id: string }} facts */
  constructor(facts) {
    this.#message = { ...facts, call: () => {} };
  }

  /**
   * Makes the call. It is over when `resolved` or `rejected` is called, here or later.
   *
   * @param {() => void} call must not throw
   */
  begin(call) {
    const message = this.#message;
    message.call = call;
    TOOL_CALLS.start.runStores(message, () => message.call());
    this.#isAsync = true;
    TOOL_CALLS.end.publish(message);
  }

  /** @param {unknown} result */
  resolved(result) {
    if (this.#isSettled) return;
    this.#message.result = result;
    this.#settle();
  }

  /** @param {unknown} error */
  rejected(error) {
    if (this.#isSettled) return;
    this.#message.error = error;
    TOOL_CALLS.error.publish(this.#message);
    this.#settle();
  }

  #settle() {
    this.#isSettled = true;
    if (!this.#isAsync) return;
    TOOL_CALLS.asyncStart.publish(this.#message);
    TOOL_CALLS.asyncEnd.publish(this.#message);
  }
}

/**
 * @param {{ name: string, args: unknown[], id: string }} facts
 * @returns {ToolCallTrace | undefined} undefined if nobody listens
 */
function traceToolCall(facts) {
  return isHeard(TOOL_CALLS) ? new ToolCallTrace(facts) : undefined;
}

/**
 * What `TracingChannel.hasSubscribers` says, which not all versions of Node.js have.
 *
 * @param {import('node:diagnostics_channel').TracingChannel<any, any>} channel
 */
function isHeard({ start, end, asyncStart, asyncEnd, error }) {
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers
  );
}

module.exports = { ToolCallTrace, traceRun, traceToolCall, untold };
