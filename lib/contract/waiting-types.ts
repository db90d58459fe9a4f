// Types that callers of recorded sessions pass and receive.

/** A tool call that waits for somebody outside. */
export interface WaitingCall {
  /** `<session id>/<run>/<call>`: what `answer()` takes. */
  readonly key: string;
  /** The tool, with its namespaces: `Host.pay`. */
  readonly name: string;
  /** The arguments of the call. */
  readonly args: readonly unknown[];
  /** The value that the tool or the policy has passed to `waitForAnswer()`; undefined for a call in doubt. */
  readonly payload: unknown;
  /** Whether the process ended after the call had begun and before its answer was stored. */
  readonly isInDoubt: boolean;
}

/** A decision about a call that waits. */
export type Answer =
  | { result: unknown }
  | { error: { name?: string; message: string; code?: string } }
  /**
   * The call is made, or made again. `"plan"`: so are all further calls of the program that need approval and are in
   * the plan which the payload of this call has.
   */
  | { approve: true | 'plan' };
