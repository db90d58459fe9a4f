import { errorOf } from './errors';
import type { ExecutorErrorDetails } from './errors';
import type { ExecutorState } from './executor-types';

// The calls that are legal in each state, for executors written in JavaScript. `crates/session/src/lifecycle.rs` and
// `executor.rs` do the same for the executors of the addon, which take these texts from here
// (`scripts/generate/refusals.mjs`).

/** Why a call is refused or ended: `details.hint` of ERR_INVALID_STATE. */
export const REFUSALS = Object.freeze({
  NOT_READY: 'it is legal in state READY only',
  NO_ISOLATE: 'await init() first',
  HAS_ISOLATE: 'call cleanup() before init()',
  DIRTY: 'call cleanup() and init() first',
  LEFT_DIRTY: 'an earlier call left the executor DIRTY; call cleanup() and init()',
  CLEANED_UP: 'cleanup() was called',
  BUSY: 'a run is under way; wait for it',
  NO_QUEUE: 'a run is under way; wait for it, or use runConcurrency: "queue" and maxQueuedRuns',
  WITHIN: 'it is called within the run that it would wait for',
  QUEUE_FULL: 'the queue is full; raise maxQueuedRuns or wait',
});

/** Whether `init()` creates an isolate or is about to, because there is none that could go on. */
export function needsInit(state: string) {
  return state === 'NEW' || state === 'INITIALIZING' || state === 'DEAD';
}

/**
 * @param operation that is not legal in this state, or that ends with it
 * @param hint one of {@link REFUSALS}
 * @param facts for `details`
 */
export function invalidState(state: ExecutorState, operation: string, hint: string, facts?: ExecutorErrorDetails) {
  const details = { state, operation, hint, ...facts };
  return errorOf('ERR_INVALID_STATE', { state }, details, reasonInState(details));
}

/** What a message adds to the state, of calls that came too early. */
export function reasonInState({ state, operation }: ExecutorErrorDetails): string {
  if (state === 'NEW') return `: ${operation}() was called before init()`;
  return state === 'INITIALIZING' ? `: ${operation}() was called before init() was done` : '';
}
