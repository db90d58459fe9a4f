import { AsyncLocalStorage } from 'node:async_hooks';

import type { RunScope } from './run-scope';

/** The tool call on whose behalf code of the host runs. */
export interface CurrentCall {
  /**
   * `<session id>/<run>/<call>`. The same in each replay, after a restart and on another machine: the idempotency key
   * for what the call does. A fork has its own keys.
   */
  readonly key: string;
  /** How often the tool was called, including this call. More than 1 after a restart or an approval. */
  readonly attempt: number;
  /** Whether somebody has approved the call with `{ approve: true }`. */
  readonly isApproved: boolean;
  /**
   * Whether the session is being rebuilt and only needs the result again, because its journal does not have it: a tool
   * with `record: "nothing"`.
   */
  readonly isReplay: boolean;
  /** Aborted when the run ends. */
  readonly signal: AbortSignal;
}

/** Whether a person has approved a call with the plan of its program. Counts the call. */
export type ApprovedByPlan = (name: string, args: readonly unknown[]) => boolean;

const BY_PLAN: unique symbol = Symbol('approved by plan');

const underWay: AsyncLocalStorage<CurrentCall & { [BY_PLAN]?: ApprovedByPlan | undefined }> = new AsyncLocalStorage();

/**
 * The tool call on whose behalf the caller runs: in a tool of a `DurableSession` and in everything that the tool calls,
 * even after an `await`. Undefined elsewhere.
 */
export function currentCall(): CurrentCall | undefined {
  return underWay.getStore();
}

/**
 * Whether the current call is in a plan that somebody has approved for the rest of the program.
 *
 * @param name of the tool
 * @internal
 */
export function isApprovedByPlan(name: string, args: readonly unknown[]): boolean {
  return underWay.getStore()?.[BY_PLAN]?.(name, args) ?? false;
}

/**
 * Calls code of the host for a tool call.
 *
 * @internal
 */
export function within<T>(
  call: Omit<CurrentCall, 'signal'>,
  scope: RunScope,
  work: () => T,
  byPlan?: ApprovedByPlan,
): T {
  return underWay.run(
    {
      ...call,
      [BY_PLAN]: byPlan,
      get signal() {
        return scope.signal;
      },
    },
    work,
  );
}
