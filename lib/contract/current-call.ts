import { AsyncLocalStorage } from 'node:async_hooks';

import type { RunScope } from './run-scope';

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
  /**
   * Whether the session is being rebuilt and only needs the result again, because its journal does not have it: a tool with
   * `record: "nothing"`.
   */
  readonly isReplay: boolean;
  /** Aborted when the run ends. */
  readonly signal: AbortSignal;
}

const underWay: AsyncLocalStorage<CurrentCall> = new AsyncLocalStorage();

/**
 * The tool call that the caller works for, in a tool of a `DurableSession` and in everything that the tool calls, also after
 * an `await`; undefined elsewhere.
 */
export function currentCall(): CurrentCall | undefined {
  return underWay.getStore();
}

/**
 * Calls code of the host for a tool call.
 *
 * @internal
 */
export function within<T>(call: Omit<CurrentCall, 'signal'>, scope: RunScope, work: () => T): T {
  return underWay.run(
    {
      ...call,
      get signal() {
        return scope.signal;
      },
    },
    work,
  );
}
