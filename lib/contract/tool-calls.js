// @ts-check
'use strict';

const { types } = require('node:util');

const { REPLY_KIND } = require('./boundary-numbers');
const { clearTimeout, setTimeout } = require('./clock');
const { TRANSFER_LIMIT_CODE, TransferLimitError, UncloneableError, describeThrown } = require('./errors');
const { describe } = require('./describe');
const { within } = require('./run-scope');
const { traceToolCall } = require('./tracing');

const { ERROR, PROMISE } = REPLY_KIND;
/** `code` of the error that a call is answered with when its time is over. */
const TIMEOUT_CODE = 'ERR_TOOL_TIMEOUT';
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
 * @property {number} [timeoutMs] within which each tool of the run answers
 * @property {import('./run-scope').RunScope} scope of the run
 * @property {(status: number, payload: unknown) => void} reply
 * @property {(thrown: unknown) => void} onThrown told what the tool itself threw
 * @property {import('../../index').OnToolCall} [onToolCall] asked before each call
 * @property {import('./tracing').ToolCallTrace} [trace] set here
 */

/** Of this process; hosts tell calls from each other by it. */
let lastCall = 0;

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
  const facts = { name: tool.path.join('.'), args: values, id: String(++lastCall) };
  const trace = traceToolCall(facts);
  const call = { tool, isAsync, facts };
  if (trace === undefined) return approve(call, inTime(call, answer));
  const forget = answer.scope.atEnd(() => trace.rejected(new Error('the run has ended')));
  /** @type {Answer['reply']} */
  const reply = (status, payload) => {
    if (status !== PROMISE) forget();
    answer.reply(status, payload);
  };
  trace.begin(() => approve(call, inTime(call, { ...answer, trace, reply })));
}

/**
 * @typedef {object} Call
 * @property {import('./tool-registry').Tool} tool
 * @property {boolean} isAsync
 * @property {{ name: string, args: unknown[], id: string }} facts
 */

/**
 * The answer to a call whose time may be limited: an error when it is over, and nothing that comes later counts.
 *
 * @param {Call} call
 * @param {Answer} answer
 * @returns {Answer}
 */
function inTime({ tool, facts }, answer) {
  const timeoutMs = tool.timeoutMs ?? answer.timeoutMs;
  if (timeoutMs === undefined) return answer;
  const scope = answer.scope.part();
  let isDone = false;
  const finish = () => {
    isDone = true;
    clearTimeout(timer);
    scope.close();
  };
  const limited = {
    ...answer,
    scope,
    reply: (/** @type {number} */ status, /** @type {unknown} */ payload) => {
      if (isDone) return;
      if (status !== PROMISE) finish();
      answer.reply(status, payload);
    },
    onThrown: (/** @type {unknown} */ thrown) => {
      if (!isDone) answer.onThrown(thrown);
    },
  };
  const timer = setTimeout(() => {
    const error = new Error(`${facts.name} did not answer within ${timeoutMs} ms`);
    // Ends what still works on the call; only this answer counts.
    scope.end();
    fail(answer, Object.assign(error, { name: 'TimeoutError', code: TIMEOUT_CODE }));
  }, timeoutMs);
  scope.atEnd(finish);
  return limited;
}

/**
 * Asks the host's `onToolCall`, if there is one, and does what it says. As long as its promise is pending the guest waits.
 *
 * @param {Call} call
 * @param {Answer} answer
 */
function approve(call, answer) {
  const { onToolCall, scope } = answer;
  if (onToolCall === undefined) return perform(call, call.facts.args, answer);
  try {
    const decision = onToolCall({ ...call.facts, signal: scope.signal });
    if (!isThenable(decision)) return follow(decision, call, answer);
    Reflect.apply(Promise.prototype.then, ownPromise(decision), [
      // Nobody wants the effect of a call whose run has ended.
      (/** @type {unknown} */ late) => (scope.isOver ? undefined : follow(late, call, answer)),
      (/** @type {unknown} */ thrown) => fail(answer, thrown),
    ]);
  } catch (thrown) {
    fail(answer, thrown);
  }
}

/**
 * @param {unknown} decision
 * @param {Call} call
 * @param {Answer} answer
 */
function follow(decision, call, answer) {
  if (decision === undefined) return perform(call, call.facts.args, answer);
  const given = typeof decision === 'object' && decision !== null ? /** @type {any} */ (decision) : {};
  if ('result' in given) return settle(call, answer, () => given.result);
  if (Array.isArray(given.args)) return perform(call, given.args, answer);
  // In particular `false`, which must not let the call pass.
  const expected = 'onToolCall must return nothing, { args }, an array, or { result }, or throw to refuse the call';
  fail(answer, new TypeError(`${expected}; it gave ${describe(decision)}`));
}

/**
 * @param {Call} call
 * @param {unknown[]} args
 * @param {Answer} answer
 */
function perform(call, args, answer) {
  if (args.length > MAX_ARGUMENTS) return refuse(answer, 'RangeError', `more than ${MAX_ARGUMENTS} arguments`);
  const { fn, self } = call.tool;
  settle(call, answer, () => within(answer.scope, () => Reflect.apply(fn, self, args)));
}

/**
 * @param {Call} call
 * @param {Answer} answer
 * @param {() => unknown} produce the result, or a promise of it
 */
function settle({ tool, isAsync }, answer, produce) {
  try {
    const result = produce();
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
  answer.trace?.resolved(result);
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
  answer.trace?.rejected(thrown);
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
  answer.trace?.rejected(Object.assign(new Error(message), { name, code }));
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

module.exports = { answerToolCall };
