import type { CodeOutput } from '../contract/executor-types';
import type { InDoubt, Revert } from '../contract/tool-traits';
import type { WaitingCall } from '../contract/waiting-types';

export type { CurrentCall } from '../contract/current-call';
export type { Answer, WaitingCall } from '../contract/waiting-types';

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

/** The result of `answer()` if no call waits for these answers any more. */
export interface Stale {
  status: 'stale';
}

/** Options of {@link DurableSession.fork}. */
export interface ForkOptions {
  /** How many runs of the session the new one has. Default: all, and a run that waits goes on waiting in both. */
  run?: number | undefined;
  /** Whether the fork draws other random numbers from there on. Default `"fresh"`. */
  seed?: 'fresh' | 'same' | undefined;
}

/** When entries must survive a loss of power. They always survive the end of the process. */
export type Durability = 'call' | 'turn' | 'run';

/** Rules of a tool for a `DurableSession`. */
export interface DurableTool {
  /**
   * What to do with a call of the tool that had begun when the process ended, so that nobody knows whether it took
   * effect. `"wait"`: it is in `waiting` until somebody answers, approves or fails it. `"repeat"`: it is made again,
   * with the same key. `"fail"`: the guest gets an error with the code `ERR_CALL_IN_DOUBT`. Default: that of the
   * session, and `"repeat"` with `record: "nothing"`.
   */
  inDoubt?: InDoubt | undefined;
  /**
   * Whether the journal has the results of the tool. `"nothing"`: it has only a digest of each, for results that must
   * not be kept, such as secrets. Each time the session is rebuilt, `open()` calls the tool again, so you promise that
   * it has no effects and returns the same value. Another value, or an error, fails with `ERR_REPLAY_DIVERGED`. Errors
   * of the tool and answers of people are recorded in any case. So is what the program does with the result: its
   * outputs, logs and the arguments of other calls. Default `"result"`.
   */
  record?: 'result' | 'nothing' | undefined;
  /**
   * Undoes a finished call of the tool. The session calls it after a run that was lost, before `run()` rejects, and in
   * {@link DurableSession.revert}. Calls are reverted one after the other, the last one that finished first, and each
   * at most once. The time limit of the tool applies to it, too.
   */
  revert?: Revert | undefined;
}

/** A finished call whose tool has a function `revert`. */
export interface RevertedCall {
  key: string;
  name: string;
  /**
   * `"reverted"`, `"failed"`: the function threw, did not settle in time or is missing, or `"inDoubt"`: the process or
   * the session ended while it worked. A function that was called is never called again for the same call.
   */
  status: 'reverted' | 'failed' | 'inDoubt';
  /** Why it failed. */
  error?: { name: string; message: string };
}

/** A variable that a session has lost. */
export interface LeftOut {
  name: string;
  /** A description of its value, such as `"a function"` or `"an instance of a class"`. */
  reason: string;
}

/** The result of `from: "data"`. */
export interface Recovery {
  /** The number of the last run whose effects on variables were kept. */
  readonly run: number;
  /** The variables that the session has. */
  readonly names: readonly string[];
  /** The variables that were left out. */
  readonly leftOut: readonly LeftOut[];
}

/** One entry of a journal. */
export interface JournalEntry {
  /** Its number, from 0. */
  readonly number: number;
  readonly type: string;
  /** The run that it belongs to, from 1; absent before the first one. */
  readonly run?: number;
  readonly [fact: string]: unknown;
}
