import { errorOf } from '../contract/errors';
import { checkPlan } from '../contract/plan-guard';
import { calledAt } from '../contract/tool-registry';
import { planToApprove } from '../contract/waiting-call';
import { engineDiffers } from './errors';
import { keyOfCall } from './head';
import { readNotes } from './notes';
import wire = require('../ses/transfer');
import type { Given } from '../contract/waiting-call';
import type { InDoubt } from '../contract/tool-traits';
import type { NativeJournalContent } from '../../native';
import type { KeptCalls } from './kept-calls';
import type { Continuation } from './recorder';
import type { Answer, WaitingCall } from './types';

/** A run that has not ended, and what its calls without an answer need. */
export interface OpenRun {
  /** the journal that has the run */
  content: NativeJournalContent;
  run: number;
  code: string;
  options: ReturnType<typeof readNotes>['options'];
  calls: OpenCall[];
  /** the plan that somebody has approved with a call, and the calls that were made because of it */
  approvedPlan: ReturnType<typeof readNotes>['approvedPlan'];
  planned: readonly number[];
}

export interface OpenCall {
  /** in the run */
  number: number;
  key: string;
  /** how often its tool was called */
  attempts: number;
  /** undefined for a tool that has to be called again, or that fails */
  waiting: WaitingCall | undefined;
  /** what an adapter has kept of a call that waits */
  memo: unknown;
  /** whether somebody has approved the call, before the process ended */
  wasApproved: boolean;
  rule: InDoubt;
  /** whether there is a function for it */
  isKnown: boolean;
  name: string;
}

/**
 * @param keyPrefix what the keys of calls begin with
 * @param ruleOf the rule of a tool, by its path; undefined if there is no such function
 * @returns undefined if the last run has ended
 */
export function openRunOf(
  keyPrefix: string,
  content: NativeJournalContent,
  ruleOf: (path: string[]) => InDoubt | undefined,
): OpenRun | undefined {
  const { open, notes, tools } = content;
  if (open === undefined || open === null) return undefined;
  const noted = readNotes(notes);
  const calls = open.calls.map(({ call, id: tool, args }) => {
    const { path, isOfGlobal } = calledAt(tool, tools) ?? { path: [], isOfGlobal: false };
    const name = path.join('.');
    const key = keyOfCall(keyPrefix, open.run, call);
    const read = wire.readArguments(args);
    const given = isOfGlobal ? ruleOfGlobal(name, read) : ruleOf(path);
    const rule = given ?? 'wait';
    const isInDoubt = !noted.waiting.has(call);
    const shown = { key, name, args: Array.isArray(read) ? read : [], payload: noted.waiting.get(call), isInDoubt };
    const waiting = isInDoubt && rule !== 'wait' ? undefined : shown;
    return {
      number: call,
      key,
      attempts: noted.attempts.get(call) ?? 1,
      waiting,
      memo: noted.memos.get(call),
      wasApproved: noted.approved.has(call),
      rule,
      isKnown: given !== undefined,
      name,
    };
  });
  const { options, approvedPlan, planned } = noted;
  return { content, run: open.run, code: open.code, options, calls, approvedPlan, planned };
}

/**
 * The rule for a call that a global of the guest, or Python's prelude, has made. Waits of timers and
 * requests without an effect are made again.
 */
function ruleOfGlobal(name: string, args: unknown): InDoubt {
  if (name !== 'fetch') return 'repeat';
  const { method = 'GET' } = ((args as unknown[])[1] ?? {}) as { method?: unknown };
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'repeat' : 'wait';
}

/**
 * What happens to the calls of a run that continues.
 *
 * @throws {ExecutorError} if the function of a call that has to be made is missing
 */
export function continuationsOf(calls: OpenCall[], answers: Record<string, Answer>): Map<number, Continuation> {
  const hasPlan = planApprovedBy(calls, answers) !== undefined;
  return new Map(calls.map((call) => [call.number, continuationOf(call, answers[call.key], hasPlan)]));
}

/** The same for a run that is only looked at. No call is made, and none gets an answer. */
export function allWaiting(calls: OpenCall[]): Map<number, Continuation> {
  return new Map(
    calls.map(({ number, key, name, attempts, waiting }) => {
      const shown = waiting ?? { key, name, args: [], payload: undefined, isInDoubt: true };
      return [number, { given: { isWaiting: true }, isApproved: false, attempt: attempts + 1, waiting: shown }];
    }),
  );
}

/**
 * The same for a run that continues in this process, on another worker. Calls whose tools go on get their results.
 * Calls that have not reached their tool are made.
 */
export function takenOver(calls: OpenCall[], kept: KeptCalls | undefined): Map<number, Continuation> {
  const continuations: Map<number, Continuation> = new Map();
  for (const call of calls) {
    const pending = kept?.resultOf(call.number);
    const isWaiting = call.waiting !== undefined && !call.waiting.isInDoubt;
    if (isWaiting) continuations.set(call.number, continuationOf(call, undefined, false));
    else if (pending !== undefined) {
      continuations.set(call.number, { given: { pending }, isApproved: call.wasApproved, attempt: call.attempts });
    }
  }
  return continuations;
}

/**
 * The call with which a plan is approved now, and the plan.
 *
 * @throws {TypeError} if the call has no plan
 */
export function planApprovedBy(calls: OpenCall[], answers: Record<string, Answer>): OpenRun['approvedPlan'] {
  const approved = calls.flatMap(({ key, number, waiting }) => {
    const answer = answers[key];
    if (answer === undefined || !('approve' in answer) || answer.approve !== 'plan') return [];
    const plan = planToApprove(waiting?.payload);
    if (plan !== undefined) return { call: number, plan: checkPlan(plan, `the plan of ${key}`) };
    throw new TypeError(`answers[${JSON.stringify(key)}].approve must be true: the payload of the call has no plan`);
  });
  return approved.at(-1);
}

function continuationOf(call: OpenCall, answer: Answer | undefined, hasPlan: boolean): Continuation {
  const { key, attempts, waiting, wasApproved, rule, isKnown, name } = call;
  const attempt = attempts + 1;
  const given = (value: Given) => ({ given: value, isApproved: false, attempt });
  if (answer !== undefined && 'result' in answer) return given({ result: answer.result });
  if (answer !== undefined && 'error' in answer) return given({ error: errorFrom(answer.error) });
  const isApproved = answer !== undefined;
  // It asks again, and gets its approval if it is in the plan.
  const asksAgain = hasPlan && isKnown && planToApprove(waiting?.payload) !== undefined;
  if (!isApproved && waiting !== undefined && !asksAgain) return { ...given({ isWaiting: true }), waiting };
  if (!isApproved && rule === 'fail')
    return given({ error: errorOf('ERR_CALL_IN_DOUBT', { tool: name }, { tool: name, key }) });
  const isPlanApproved = isApproved && answer.approve === 'plan';
  if (isKnown) return { given: undefined, isApproved: isApproved || wasApproved, isPlanApproved, attempt };
  throw engineDiffers('tools', name, undefined, `the call ${key} has to be made, and there is no tool ${name}`);
}

function errorFrom({ name, message, code }: { name?: string; message: string; code?: string }) {
  const error = new Error(message);
  if (name !== undefined) error.name = name;
  return code === undefined ? error : Object.assign(error, { code });
}
