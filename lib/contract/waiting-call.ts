// Tool calls of recorded sessions. `lib/durable` makes them; executors only need to know what to do with a call.

import type { RunScope } from './run-scope';

/** How a call ends without a call of its tool. */
export type Given =
  | { result: unknown }
  | { error: Error }
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
  /** Calls the tool, which may ask the same. */
  perform<T>(scope: RunScope, work: () => T): T;
  /** The call waits for somebody. It is not answered in this process. */
  wait: (payload: unknown) => void;
}

/** Property of what {@link WaitForAnswer} throws, for another copy of this package. */
const IS_WAIT: unique symbol = Symbol.for('ses-executor:wait-for-answer');

/** Thrown by `waitForAnswer()`. Without a recorded session the call fails with its message. */
export class WaitForAnswer extends Error {
  [IS_WAIT] = true;
  payload;

  constructor(payload: unknown) {
    super('waitForAnswer() needs a DurableSession: this session is not recorded, so nobody could answer later');
    this.payload = payload;
  }
}

export function isWaitForAnswer(thrown: unknown): thrown is WaitForAnswer {
  try {
    return typeof thrown === 'object' && thrown !== null && Object.hasOwn(thrown, IS_WAIT);
  } catch {
    return false;
  }
}
