import { types } from 'node:util';

import { REPLY_KIND } from './boundary-numbers';
import { clearTimeout, setTimeout } from './clock';
import { TRANSFER_LIMIT_CODE, TransferLimitError, UncloneableError, describeThrown } from './errors';
import { describe } from './describe';
import { errorDetails } from './error-details';
import { within } from './run-scope';
import { nameOfTool } from './tool-registry';
import { traceToolCall } from './tracing';
import { isWaitForAnswer } from './waiting-call';
import type { Tool } from './tool-registry';
import type { ToolTimes } from './tool-times';
import type { PlanGuard } from './plan-guard';
import type { RunScope } from './run-scope';
import type { OnToolCall } from './tool-types';
import type { ToolCallTrace } from './tracing';
import type { Given, RecordedCall } from './waiting-call';

const { ERROR, PROMISE } = REPLY_KIND;
/** `code` of the error with which a call fails after its time limit. */
const TIMEOUT_CODE = 'ERR_TOOL_TIMEOUT';
/** The most arguments of a call: more would not fit on the host's stack. */
const MAX_ARGUMENTS = 50_000;

/**
 * How values are passed to the other side. `kindOf` returns the kind of a value, and `payloadOf` its payload.
 * `payloadOf` throws for a value that cannot be transferred. For a large payload it returns a promise, which is no
 * longer awaited once the scope has ended. Without a scope, it returns no promise for the details of an error.
 */
export interface Wire {
  kindOf: (value: unknown) => number;
  payloadOf: (kind: number, value: unknown, path: string, maxBytes: number, scope?: RunScope) => unknown;
}

export interface Answer {
  wire: Wire;
  maxTransferBytes: number;
  /** time limits of the calls of the run */
  toolTimes: ToolTimes;
  /** the scope of the run */
  scope: RunScope;
  /**
   * @param told called when the answer was passed on, or is no longer needed; with the reason if the guest has no room
   * for it
   */
  reply: (status: number, payload: unknown, told?: (refusal: string | undefined) => void) => void;
  /** whether `reply` calls `told` */
  tells?: boolean;
  /** receives the value that the tool threw */
  onThrown: (thrown: unknown) => void;
  /** refuses calls of the run */
  plan?: PlanGuard;
  /** called before each call */
  onToolCall?: OnToolCall;
  /** of a session that is recorded */
  recorded?: RecordedCall;
  /** set here */
  trace?: ToolCallTrace;
}

/** The last number that was assigned in this process. Hosts identify calls by these numbers. */
let lastCall = 0;

/**
 * Calls a host tool for the guest and answers (specification, section 7.4). Never throws and leaves no rejection
 * unhandled, whatever the tool returns or throws.
 *
 * @param tool undefined if the host has revoked it
 * @param isAsync whether the guest already has a promise
 * @param values the arguments, or the reason why they cannot be read
 */
export function answerToolCall(
  tool: Tool | undefined,
  isAsync: boolean,
  values: unknown[] | { error: unknown },
  answer: Answer,
) {
  if (tool === undefined) return refuse(answer, 'Error', 'the host has revoked this tool');
  if (!Array.isArray(values)) {
    return refuse(answer, 'RangeError', `the arguments cannot be read: ${describeThrown(values.error).message}`);
  }
  if (tool.isService) return perform({ tool, isAsync, facts: { name: '', args: values, id: '' } }, values, answer);
  const facts = { name: nameOfTool(tool), args: values, id: answer.recorded?.key ?? String(++lastCall) };
  const trace = traceToolCall(facts);
  const call = { tool, isAsync, facts };
  if (trace === undefined) return approve(call, inTime(call, answer));
  const forget = answer.scope.atEnd(() => trace.rejected(new Error('the run has ended')));
  const reply: Answer['reply'] = (status, payload, told) => {
    if (status !== PROMISE) forget();
    answer.reply(status, payload, told);
  };
  trace.begin(() => approve(call, inTime(call, { ...answer, trace, reply })));
}

export interface Call {
  tool: Tool;
  isAsync: boolean;
  facts: { name: string; args: unknown[]; id: string };
}

/**
 * An answer that enforces the time limit of a call, if there is one: after the limit it is an error, and later answers
 * do not count.
 */
function inTime({ tool, facts }: Call, answer: Answer): Answer {
  const timeoutMs = answer.toolTimes.limitOf(tool);
  if (timeoutMs === undefined) return answer;
  const scope = answer.scope.part();
  let isDone = false;
  const finish = () => {
    isDone = true;
    clearTimeout(timer);
    scope.close();
  };
  const limited: Answer = {
    ...answer,
    scope,
    reply: (status, payload, told) => {
      if (isDone) return;
      if (status !== PROMISE) finish();
      answer.reply(status, payload, told);
    },
    onThrown: (thrown) => {
      if (!isDone) answer.onThrown(thrown);
    },
    recorded: answer.recorded && {
      ...answer.recorded,
      // The call may be answered in days.
      wait: (payload: unknown, memo?: unknown) => {
        if (isDone) return;
        finish();
        answer.recorded?.wait(payload, memo);
      },
    },
  };
  const timer = setTimeout(() => {
    const error = new Error(`${facts.name} did not answer within ${timeoutMs} ms`);
    // Ends the remaining work of the call. Only this answer counts.
    scope.end();
    fail(answer, Object.assign(error, { name: 'TimeoutError', code: TIMEOUT_CODE }));
  }, timeoutMs);
  scope.atEnd(finish);
  return limited;
}

/**
 * Refuses a call that is not in the plan. Then calls the host's `onToolCall`, if there is one, and follows its
 * decision. The guest waits while its promise is pending.
 */
function approve(call: Call, answer: Answer) {
  const { onToolCall, recorded, scope } = answer;
  // A call whose outcome is known was made before. It counts, but cannot be refused any more.
  const unplanned = answer.plan?.refuse(call.tool, call.facts.args);
  if (recorded?.given !== undefined) return give(recorded.given, call, answer);
  if (unplanned !== undefined) return refuse(answer, 'PlanError', unplanned.message, unplanned.code);
  if (onToolCall === undefined || call.tool.isHelper) return perform(call, call.facts.args, answer);
  const refuseCall = (thrown: unknown) => {
    // Somebody has approved the call since the policy asked for that.
    if (recorded?.isApproved && isWaitForAnswer(thrown)) perform(call, call.facts.args, answer);
    else fail(answer, thrown);
  };
  try {
    const ask = () => onToolCall({ ...call.facts, signal: scope.signal });
    const decision = recorded === undefined ? ask() : recorded.within(scope, ask);
    if (!isThenable(decision)) return follow(decision, call, answer);
    Reflect.apply(Promise.prototype.then, ownPromise(decision), [
      // After the end of its run, the call must have no effect.
      (late: unknown) => (scope.isOver ? undefined : follow(late, call, answer)),
      refuseCall,
    ]);
  } catch (thrown) {
    refuseCall(thrown);
  }
}

/** Ends a call of a recorded session as it is known to end. The tool is not called. */
function give(given: Given, call: Call, answer: Answer) {
  if ('isWaiting' in given) answer.recorded?.wait(undefined);
  else if ('error' in given) fail(answer, given.error);
  else if ('pending' in given) settle(call, answer, () => given.pending);
  else settle(call, answer, () => given.result);
}

function follow(decision: unknown, call: Call, answer: Answer) {
  if (decision === undefined) return perform(call, call.facts.args, answer);
  const given =
    typeof decision === 'object' && decision !== null
      ? (decision as { args?: unknown; result?: unknown; wait?: unknown })
      : {};
  if ('result' in given) return settle(call, answer, () => given.result);
  if ('wait' in given) return askOthers(given.wait, call, answer);
  if (Array.isArray(given.args)) return perform(call, given.args, answer);
  // Especially `false`, which must not allow the call.
  const expected = 'onToolCall must return nothing, { args }, an array, or { result }, or throw to refuse the call';
  fail(answer, new TypeError(`${expected}; it returned ${describe(decision)}`));
}

/** The policy of the host wants somebody to answer or approve the call. */
function askOthers(payload: unknown, call: Call, answer: Answer) {
  const { recorded } = answer;
  if (recorded === undefined) {
    fail(answer, new TypeError('onToolCall returned { wait }, which needs a DurableSession'));
  } else if (recorded.isApproved) {
    perform(call, call.facts.args, answer);
  } else {
    wait(answer, recorded, payload);
  }
}

function perform(call: Call, args: unknown[], answer: Answer) {
  if (args.length > MAX_ARGUMENTS) return refuse(answer, 'RangeError', `more than ${MAX_ARGUMENTS} arguments`);
  const { fn, self } = call.tool;
  const { recorded, scope } = answer;
  const made = (ofCall: RunScope) => within(ofCall, () => Reflect.apply(fn, self, args));
  settle(call, answer, () => (recorded === undefined ? made(scope) : recorded.perform(scope, made)));
}

/** @param produce the result, or a promise of it */
function settle({ tool, isAsync }: Call, answer: Answer, produce: () => unknown) {
  try {
    const result = produce();
    if (!isThenable(result)) return succeed(answer, result);
    if (!isAsync && !tool.isBlocking) answer.reply(PROMISE, undefined);
    Reflect.apply(Promise.prototype.then, ownPromise(result), [
      (value: unknown) => succeed(answer, value),
      (thrown: unknown) => fail(answer, thrown),
    ]);
  } catch (thrown) {
    fail(answer, thrown);
  }
}

function succeed(answer: Answer, result: unknown) {
  const { wire, maxTransferBytes, scope } = answer;
  const kind = wire.kindOf(result);
  const pass = (payload: unknown) => {
    const { trace } = answer;
    if (trace !== undefined && answer.tells) return answer.reply(kind, payload, told(trace, result));
    trace?.resolved(result);
    answer.reply(kind, payload);
  };
  let payload;
  try {
    payload = wire.payloadOf(kind, result, 'result', maxTransferBytes, scope);
  } catch (error) {
    return refuseResult(answer, error);
  }
  if (!types.isPromise(payload)) return pass(payload);
  payload.then(pass, (error) => {
    if (!scope.isOver) refuseResult(answer, error);
  });
}

/** Traces the end of a call that had a result, which may not have reached the guest. */
function told(trace: ToolCallTrace, result: unknown) {
  return (refusal: string | undefined) => {
    if (refusal === undefined) return trace.resolved(result);
    trace.rejected(Object.assign(new RangeError(refusal), { code: TRANSFER_LIMIT_CODE }));
  };
}

/** @param error why the result cannot be transferred */
function refuseResult(answer: Answer, error: unknown) {
  if (error instanceof TransferLimitError) return refuse(answer, 'RangeError', error.message, TRANSFER_LIMIT_CODE);
  const reason = error instanceof UncloneableError ? error.message : describeThrown(error).message;
  refuse(answer, 'TypeError', reason);
}

function wait(answer: Answer, recorded: RecordedCall, payload: unknown, memo?: unknown) {
  try {
    recorded.wait(payload, memo);
  } catch (error) {
    fail(answer, error);
  }
}

/** The tool itself failed, or waits for somebody. */
function fail(answer: Answer, thrown: unknown) {
  if (answer.recorded !== undefined && isWaitForAnswer(thrown))
    return wait(answer, answer.recorded, thrown.payload, thrown.memo);
  answer.onThrown(thrown);
  answer.trace?.rejected(thrown);
  const { name, message, code } = describeThrown(thrown);
  const details = detailsOf(answer, thrown);
  const parts = [name, message, code, false];
  answer.reply(ERROR, details === undefined ? parts : [...parts, details]);
}

/** The payload of the details of an error. They are small. */
function detailsOf({ wire, maxTransferBytes }: Answer, thrown: unknown) {
  const details = errorDetails(thrown);
  if (details === undefined) return undefined;
  try {
    return wire.payloadOf(wire.kindOf(details), details, 'details', maxTransferBytes);
  } catch {
    // They take more than `maxTransferBytes`.
    return undefined;
  }
}

/** The bridge failed, not the tool. */
function refuse(answer: Answer, name: string, message: string, code?: string) {
  answer.trace?.rejected(Object.assign(new Error(message), { name, code }));
  answer.reply(ERROR, [name, message, code, true]);
}

/**
 * A promise that settles once, later. A thenable may call back twice or synchronously, or throw afterwards.
 *
 * @param result a thenable
 */
export function ownPromise(result: PromiseLike<unknown>): Promise<unknown> {
  const isOwn =
    types.isPromise(result) && Object.getPrototypeOf(result) === Promise.prototype && !Object.hasOwn(result, 'then');
  return isOwn ? (result as Promise<unknown>) : new Promise((resolve) => resolve(result));
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const hasMembers = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return hasMembers && typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}
