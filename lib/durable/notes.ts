import { planToApprove } from '../contract/waiting-call';
import type { RunOptions } from '../contract/executor-options';
import type { Plan } from '../contract/plan';
import type { ProgramNote } from './task-programs';

// Facts in a journal that the replay does not need, as JSON.

/** One of its members is present. */
export interface Note {
  /**
   * A call waits for somebody. `payload`: JSON of `{ payload }`. `attempts`: how often its tool was called. `memo`:
   * what an adapter keeps of it.
   */
  waiting?: { call: number; payload: string; attempts: number; memo?: unknown };
  /** A call is made again. `isPlanApproved`: further calls in the plan of its payload are approved, too. */
  attempt?: { call: number; attempt: number; isApproved: boolean; isPlanApproved?: boolean };
  /** A call is made because the plan was approved. */
  planned?: { call: number };
  /** The limits of the run that begins. `maxOperations: null`: no limit. */
  options?: Pick<RunOptions, 'timeoutMs' | 'toolTimeoutMs' | 'language'> & { maxOperations?: number | null };
  /** The plan that run `run` is held to; null: none. It is noted before the run begins, the last one counts. */
  plan?: { run: number; plan: Plan | null };
  /** A program of a task that may run again begins, continues or has failed. */
  program?: ProgramNote;
  /** A tool with a function `revert` is called. */
  revertible?: { call: number };
  /** A finished call is going to be reverted. */
  revert?: { run: number; call: number };
  /** It was reverted, or the function has failed. */
  reverted?: { run: number; call: number; error?: { name: string; message: string } };
  /** Another engine has replayed the session, and nothing differed. */
  engine?: Record<string, unknown>;
}

/** What the notes of a run that has not ended say. */
export interface OpenNotes {
  /** payloads by the numbers of calls */
  waiting: Map<number, unknown>;
  /** memos by the numbers of calls */
  memos: Map<number, unknown>;
  /** how often the tool of a call was called */
  attempts: Map<number, number>;
  /** calls that somebody has approved */
  approved: Set<number>;
  /** the plan that somebody has approved with a call; undefined: none */
  approvedPlan: { call: number; plan: unknown } | undefined;
  /** calls that were made because of it, in order */
  planned: number[];
  options: RunOptions | undefined;
}

/** Notes are covered by the MAC of the journal. One of a later version of this package may say something else. */
export function readNotes(texts: readonly string[]): OpenNotes {
  const found: OpenNotes = {
    waiting: new Map(),
    memos: new Map(),
    attempts: new Map(),
    approved: new Set(),
    approvedPlan: undefined,
    planned: [],
    options: undefined,
  };
  for (const text of texts) {
    const { waiting, attempt, planned, options } = JSON.parse(text) as Note;
    if (waiting !== undefined) {
      found.waiting.set(waiting.call, JSON.parse(waiting.payload).payload);
      found.memos.set(waiting.call, waiting.memo);
      found.attempts.set(waiting.call, waiting.attempts);
    }
    if (attempt !== undefined) {
      found.attempts.set(attempt.call, attempt.attempt);
      const { call } = attempt;
      if (attempt.isApproved) found.approved.add(call);
      if (attempt.isPlanApproved) found.approvedPlan = { call, plan: planToApprove(found.waiting.get(call)) };
      // It was called again after it had waited.
      found.waiting.delete(call);
    }
    if (planned !== undefined) found.planned.push(planned.call);
    if (options !== undefined) {
      const { maxOperations, ...others } = options;
      // JSON has no Infinity.
      found.options = { ...others, maxOperations: maxOperations === null ? Infinity : maxOperations };
    }
  }
  return found;
}
