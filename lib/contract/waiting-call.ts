// Tool calls of recorded sessions. `lib/durable` makes them; executors only need to know what to do with a call.

import { isPlainObject } from './describe';
import { errorOf } from './errors';
import type { ExecutorError } from './errors';
import type { Foreign } from './foreign';
import type { RunScope } from './run-scope';
import type { CodeOutput, Executor } from './executor-types';
import type { Plan } from './plan';
import type { Answer, WaitingCall } from './waiting-types';
import type { TaskProgram } from './task-programs';

/** How a call ends without a call of its tool. */
export type Given =
  | { result: unknown }
  | { error: Error }
  /** its tool was called before its worker was lost, and settles this promise */
  | { pending: Promise<unknown> }
  /** it still waits for somebody */
  | { isWaiting: true };

/** A tool call of a session that is recorded. */
export interface RecordedCall {
  /** the same in each replay */
  key: string;
  /** undefined: the tool is called */
  given: Given | undefined;
  /** whether somebody has approved the call after it had waited */
  isApproved: boolean;
  /** whether the tool may only be called after what was recorded until now is stored */
  isRepeated: boolean;
  /** Asks the policy of the host, which may ask which call it decides about. */
  within<T>(scope: RunScope, work: () => T): T;
  /** Calls the tool, which may ask the same. The scope that it gets may outlive `scope`. */
  perform<T>(scope: RunScope, work: (scope: RunScope) => T): T;
  /** The call waits for somebody. It is not answered in this process. */
  wait: (payload: unknown, memo?: unknown) => void;
}

/** A call of a paused run that has a result. */
export interface FinishedCall {
  name: string;
  args: readonly unknown[];
}

/** The run of a recorded session that has not ended and that no isolate works on. */
export interface PausedRun {
  code: string;
  /** those that somebody has to decide about */
  calls: readonly WaitingCall[];
  /** what the host has kept of a call that waits, by its key */
  memos: ReadonlyMap<string, unknown>;
  /** Reads the calls that have a result, in their order. */
  finished: () => Promise<FinishedCall[]>;
  /**
   * Continues the run. Settles as `run()` does.
   *
   * @param options.plan for a run that has begun without one
   * @param options.program what the run is from now on
   */
  answer: (
    answers: Record<string, Answer>,
    options: { signal?: AbortSignal | undefined; plan?: Plan | undefined; program?: TaskProgram | undefined },
  ) => Promise<CodeOutput>;
}

const PAUSED: unique symbol = Symbol('paused run');

/** Registers the function that returns the paused run of a session of this class. */
export function describePausedRun<T extends object>(prototype: T, paused: (session: T) => PausedRun | undefined) {
  const get = function (this: T) {
    return paused(this);
  };
  Object.defineProperty(prototype, PAUSED, { get, configurable: true });
}

/** Whether the tool calls of the executor are recorded, so that its programs can wait for somebody. */
export function isRecorded(executor: Executor): boolean {
  return PAUSED in executor;
}

export function pausedRunOf(executor: Executor): PausedRun | undefined {
  return (executor as { [PAUSED]?: PausedRun })[PAUSED];
}

/** The largest payload of a call that waits, as JSON. A larger one is refused. */
const MAX_PAYLOAD_CHARS = 60_000;

/** The payload of an approval request. A plan that is too large is left out. */
export function approvalRequest(request: Record<string, unknown>, plan: Plan | undefined): Record<string, unknown> {
  const payload = { ...request, plan };
  return JSON.stringify(payload).length > MAX_PAYLOAD_CHARS ? request : payload;
}

/** Whether a payload asks for approval: that of a code tool, or of the runtime of codemode. */
export function isApprovalRequest(payload: unknown): payload is Record<string, unknown> {
  return isPlainObject(payload) && (payload.needsApproval !== undefined || payload.requiresApproval !== undefined);
}

/** The plan that an approval request shows; undefined for other payloads. It may not be a valid plan. */
export function planToApprove(payload: unknown): unknown {
  return isApprovalRequest(payload) ? payload.plan : undefined;
}

/** The same plan, if the program was read completely: a plan without limits is not for approval at a distance. */
export function limitedPlan(payload: unknown): Plan | undefined {
  const plan = planToApprove(payload);
  return isPlainObject(plan) && Array.isArray(plan.unresolved) && plan.unresolved.length === 0
    ? (plan as unknown as Plan)
    : undefined;
}

/** Whether an object is the answer to a call. */
export function isAnswer(value: Foreign): value is Answer {
  const { approve, error } = value;
  return 'result' in value || typeof error?.message === 'string' || approve === true || approve === 'plan';
}

/** Property of what {@link WaitForAnswer} throws, for another copy of this package. */
const IS_WAIT: unique symbol = Symbol.for('ses-executor:wait-for-answer');

/** Thrown by `waitForAnswer()`. Without a recorded session the call fails with its message. */
export class WaitForAnswer extends Error {
  [IS_WAIT] = true;
  payload;
  memo;

  /** @param memo data for JSON that adapters need again when the call is answered */
  constructor(payload: unknown, memo?: unknown) {
    super('waitForAnswer() needs a DurableSession: this session is not recorded, so nobody could answer later');
    this.payload = payload;
    this.memo = memo;
  }
}

export function isWaitForAnswer(thrown: unknown): thrown is WaitForAnswer {
  try {
    return typeof thrown === 'object' && thrown !== null && Object.hasOwn(thrown, IS_WAIT);
  } catch {
    return false;
  }
}

/** The error of a run that cannot go on before somebody answers these calls. */
export function runWaiting(calls: readonly WaitingCall[]): ExecutorError {
  return errorOf('ERR_RUN_WAITING', {}, { calls: [...calls] });
}

const FORGET: unique symbol = Symbol('forget');

/** Registers the function that ends a session of this class and removes what it has recorded. */
export function describeForgetting<T extends object>(prototype: T, forget: (session: T) => Promise<void>) {
  const value = function (this: T) {
    return forget(this);
  };
  Object.defineProperty(prototype, FORGET, { value, configurable: true });
}

/** Removes what a session has recorded. Otherwise its next isolate would have the state again. */
export async function forgetRecorded(executor: Executor) {
  await (executor as { [FORGET]?: () => Promise<void> })[FORGET]?.();
}
