import { errorOf } from './errors';
import type { ExecutorErrorDetails } from './errors';
import type { DurableState, ExecutorState } from './executor-types';

// The one lifecycle of all executors. `scripts/generate/lifecycle.mjs` writes these tables for the crates, which keep
// the state of isolates. Executors that keep their state in JavaScript use `Lifecycle`.

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
export type Refusal = keyof typeof REFUSALS;

/** What can happen to an executor. */
export const TRANSITIONS = Object.freeze({
  init: '`init()` was called.',
  initialized: 'The isolate of an `init()` is ready.',
  initFailed: 'The isolate could not be made.',
  runStarted: 'A run was handed to the isolate.',
  runEnded: 'A run ended and the isolate is sound.',
  corrupted: 'A run timed out, was aborted, or left an isolate that cannot be trusted.',
  cleanup: '`cleanup()` was called.',
});
export type Transition = keyof typeof TRANSITIONS;

/**
 * The state after each transition that is allowed.
 *
 * The specification is silent on `cleanup()` of NEW, INITIALIZING and RUNNING executors and on `init()` while
 * INITIALIZING: cleaning up always ends in DEAD, and a second `init()` joins the first. READY becomes DIRTY when
 * `sendVariables` or `sendTools` exhausts the isolate's memory.
 */
export const STATES: Readonly<Record<ExecutorState, Partial<Record<Transition, ExecutorState>>>> = Object.freeze({
  NEW: { init: 'INITIALIZING', cleanup: 'DEAD' },
  INITIALIZING: { init: 'INITIALIZING', initialized: 'READY', initFailed: 'DEAD', cleanup: 'DEAD' },
  READY: { init: 'READY', runStarted: 'RUNNING', corrupted: 'DIRTY', cleanup: 'DEAD' },
  RUNNING: { runEnded: 'READY', corrupted: 'DIRTY', cleanup: 'DEAD' },
  DIRTY: { cleanup: 'DEAD' },
  DEAD: { init: 'INITIALIZING', cleanup: 'DEAD' },
});

const WITHOUT_ISOLATE = { sendVariables: 'NOT_READY', sendTools: 'NOT_READY', run: 'NO_ISOLATE' } as const;

/**
 * Which calls are refused in a state, and why. The others are legal. In RUNNING they wait in a queue, if the
 * options allow it.
 */
export const REFUSED: Readonly<Record<ExecutorState, Partial<Record<Operation, Refusal>>>> = Object.freeze({
  NEW: WITHOUT_ISOLATE,
  INITIALIZING: WITHOUT_ISOLATE,
  READY: {},
  RUNNING: { init: 'HAS_ISOLATE' },
  DIRTY: { init: 'HAS_ISOLATE', sendVariables: 'NOT_READY', sendTools: 'NOT_READY', run: 'DIRTY' },
  DEAD: WITHOUT_ISOLATE,
});
export const OPERATIONS = Object.freeze(['init', 'sendVariables', 'sendTools', 'run'] as const);
export type Operation = (typeof OPERATIONS)[number];

/** The state of one executor. */
export class Lifecycle {
  #state: ExecutorState = 'NEW';

  get state() {
    return this.#state;
  }

  /** A transition that is not allowed changes nothing. */
  apply(transition: Transition) {
    this.#state = STATES[this.#state][transition] ?? this.#state;
  }

  /** @throws {ExecutorError} if the call is refused in this state */
  refuse(operation: Operation) {
    const refusal = REFUSED[this.#state][operation];
    if (refusal !== undefined) throw this.illegal(operation, REFUSALS[refusal]);
  }

  /** The error for a call that is refused, or ends, for another reason. See {@link invalidState}. */
  illegal(operation: string, hint: string, facts?: Record<string, unknown>) {
    return invalidState(this.#state, operation, hint, facts);
  }
}

/** Whether `init()` creates an isolate or is about to, because there is none that could go on. */
export function needsInit(state: ExecutorState | DurableState) {
  // A session that waits or is being rebuilt takes care of its isolate.
  return Object.hasOwn(STATES, state) && STATES[state as ExecutorState].init === 'INITIALIZING';
}

/**
 * @param operation that is not legal in this state, or that ends with it
 * @param hint one of {@link REFUSALS}
 * @param facts for `details`
 */
export function invalidState(
  state: ExecutorState | DurableState,
  operation: string,
  hint: string,
  facts?: ExecutorErrorDetails,
) {
  const details = { state, operation, hint, ...facts };
  return errorOf('ERR_INVALID_STATE', { state }, details, reasonInState(details));
}

/** When a state refuses a call, and what to call first. */
const SITUATIONS: Readonly<Record<string, string>> = Object.freeze({
  NEW: 'before init(); call init() first',
  INITIALIZING: 'before init() was done; await init() first',
  RUNNING: 'during a run; await the run, or call cleanup() first',
  DIRTY: 'after a call that lost the isolate; call cleanup() and init() first',
  DEAD: 'after cleanup() or a failed init(); call init() first',
} satisfies Partial<Record<ExecutorState, string>>);
/** Refusals that follow from the state alone. */
const OF_STATES = new Set<string>([REFUSALS.NOT_READY, REFUSALS.NO_ISOLATE, REFUSALS.HAS_ISOLATE, REFUSALS.DIRTY]);

/** What a message adds to the state: the call, why it is refused or ended, and what to do. */
function reasonInState({ state, operation, hint }: ExecutorErrorDetails): string {
  if (hint === undefined) return '';
  if (hint === REFUSALS.CLEANED_UP) return `: ${operation}() was ended by cleanup(); call init() before further calls`;
  const situation = OF_STATES.has(hint) ? SITUATIONS[state ?? ''] : undefined;
  return situation === undefined ? `: ${operation}() is refused: ${hint}` : `: ${operation}() was called ${situation}`;
}
