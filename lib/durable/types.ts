import type { CodeOutput } from '../contract/executor-types';
import type { InDoubt } from '../contract/tool-traits';

/** The result of a program that has ended. */
export interface Finished {
  status: 'finished';
  output: CodeOutput;
}

/** A program that waits for answers to its calls. */
export interface Waiting {
  status: 'waiting';
  calls: WaitingCall[];
}

/** Nobody waits for these answers any more. */
export interface Stale {
  status: 'stale';
}

/** Of {@link DurableSession.fork}. */
export interface ForkOptions {
  /** How many runs of the session the new one has. Default: all, and a run that waits goes on waiting in both. */
  run?: number | undefined;
  /** Whether the random numbers from there on are other ones. Default `"fresh"`. */
  seed?: 'fresh' | 'same' | undefined;
}

/** When entries must survive a loss of power. They always survive the end of the process. */
export type Durability = 'call' | 'turn' | 'run';

/** A tool call that waits for somebody outside. */
export interface WaitingCall {
  /** `<session id>/<run>/<call>`: what `answer()` takes. */
  readonly key: string;
  /** The tool, with its namespaces: `Host.pay`. */
  readonly name: string;
  /** The arguments of the call. */
  readonly args: readonly unknown[];
  /** What the tool or the policy has passed to `waitForAnswer()`; undefined for a call in doubt. */
  readonly payload: unknown;
  /** Whether the process ended after the call had begun and before its answer was stored. */
  readonly isInDoubt: boolean;
}

/** What somebody decides about a call that waits. */
export type Answer =
  | { result: unknown }
  | { error: { name?: string; message: string; code?: string } }
  /** The call is made, or made again. */
  | { approve: true };

/** The tool call that code of the host works for. */
export interface CurrentCall {
  /**
   * `<session id>/<run>/<call>`. The same in each replay, after a restart and on another machine: the idempotency key for
   * what the call does. A fork has its own keys.
   */
  readonly key: string;
  /** How often the tool was called, this time included. More than 1 after a restart or an approval. */
  readonly attempt: number;
  /** Whether somebody has approved the call with `{ approve: true }`. */
  readonly isApproved: boolean;
  /** Aborted when the run ends. */
  readonly signal: AbortSignal;
}

/** What a tool needs of a `DurableSession`. */
export interface DurableTool {
  /**
   * What to do with a call of the tool that had begun when the process ended, so that nobody knows whether it took effect.
   * `"wait"`: it is in `waiting` until somebody answers, approves or fails it. `"repeat"`: it is made again, with the same
   * key. `"fail"`: the guest gets an error with the code `ERR_CALL_IN_DOUBT`. Default: that of the session.
   */
  inDoubt?: InDoubt | undefined;
}

/** What one entry of a journal says. */
export interface JournalEntry {
  /** Its number, from 0. */
  readonly number: number;
  readonly type: string;
  /** The run that it belongs to, from 1; absent before the first one. */
  readonly run?: number;
  readonly [fact: string]: unknown;
}
