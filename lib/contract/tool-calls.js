// @ts-check
'use strict';

const { types } = require('node:util');

const { TRANSFER_LIMIT_CODE, TransferLimitError, UncloneableError, describeThrown } = require('./errors');
const { within } = require('./run-scope');

/** How a tool call ended, as `NativeExecutor.toolResults` takes it, beside the kinds of values. */
const ERROR = 4;
/** The guest waits, but the tool returned a promise: give the guest one too. */
const PROMISE = 5;
/** More would not fit on the host's stack. */
const MAX_ARGUMENTS = 50_000;

/**
 * How the other side takes a value: which kind it is, and what crosses of it. `payloadOf` throws for what cannot cross.
 *
 * @typedef {object} Wire
 * @property {(value: unknown) => number} kindOf
 * @property {(kind: number, value: unknown, path: string, maxBytes: number) => unknown} payloadOf
 */

/**
 * @typedef {object} Answer
 * @property {Wire} wire
 * @property {number} maxTransferBytes
 * @property {import('./run-scope').RunScope} scope of the run
 * @property {(status: number, payload: unknown) => void} reply
 * @property {(thrown: unknown) => void} onThrown told what the tool itself threw
 */

/**
 * Calls a host tool for the guest and answers (specification, section 7.4). Never throws and leaves no rejection
 * unhandled, whatever the tool returns or throws.
 *
 * @param {import('./tool-registry').Tool | undefined} tool undefined if the host has revoked it
 * @param {boolean} isAsync whether the guest has a promise already
 * @param {unknown[] | { error: unknown }} values the arguments, or why they cannot be read
 * @param {Answer} answer
 */
function answerToolCall(tool, isAsync, values, answer) {
  if (tool === undefined) return refuse(answer, 'Error', 'the host has revoked this tool');
  if (!Array.isArray(values)) {
    return refuse(answer, 'RangeError', `the arguments cannot be read: ${describeThrown(values.error).message}`);
  }
  if (values.length > MAX_ARGUMENTS) return refuse(answer, 'RangeError', `more than ${MAX_ARGUMENTS} arguments`);
  try {
    const result = within(answer.scope, () => Reflect.apply(tool.fn, tool.self, values));
    if (!isThenable(result)) return succeed(answer, result);
    if (!isAsync && !tool.isBlocking) answer.reply(PROMISE, undefined);
    Reflect.apply(Promise.prototype.then, ownPromise(result), [
      (/** @type {unknown} */ value) => succeed(answer, value),
      (/** @type {unknown} */ thrown) => fail(answer, thrown),
    ]);
  } catch (thrown) {
    fail(answer, thrown);
  }
}

/**
 * @param {Answer} answer
 * @param {unknown} result
 */
function succeed(answer, result) {
  const { wire, maxTransferBytes } = answer;
  const kind = wire.kindOf(result);
  let payload;
  try {
    payload = wire.payloadOf(kind, result, 'result', maxTransferBytes);
  } catch (error) {
    if (error instanceof TransferLimitError) return refuse(answer, 'RangeError', error.message, TRANSFER_LIMIT_CODE);
    const reason = error instanceof UncloneableError ? error.message : describeThrown(error).message;
    return refuse(answer, 'TypeError', reason);
  }
  answer.reply(kind, payload);
}

/**
 * The tool itself failed.
 *
 * @param {Answer} answer
 * @param {unknown} thrown
 */
function fail(answer, thrown) {
  answer.onThrown(thrown);
  const { name, message, code } = describeThrown(thrown);
  answer.reply(ERROR, [name, message, code, false]);
}

/**
 * The bridge failed, not the tool.
 *
 * @param {Answer} answer
 * @param {string} name
 * @param {string} message
 * @param {string} [code]
 */
function refuse(answer, name, message, code) {
  answer.reply(ERROR, [name, message, code, true]);
}

/**
 * A promise that calls back once, later: a thenable may call back twice, or synchronously, or throw after it did.
 *
 * @param {any} result a thenable
 */
function ownPromise(result) {
  const isOwn =
    types.isPromise(result) && Object.getPrototypeOf(result) === Promise.prototype && !Object.hasOwn(result, 'then');
  return isOwn ? result : new Promise((resolve) => resolve(result));
}

/** @param {any} value */
function isThenable(value) {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') && typeof value.then === 'function'
  );
}

module.exports = { ERROR, PROMISE, answerToolCall };
