import { tracingChannel } from 'node:diagnostics_channel';
import type { CodeOutput, Executor } from './executor-types';
import type { ToolCall } from './tool-types';

// Runs and tool calls as tracing channels of `node:diagnostics_channel`, which cost nothing without subscribers. The
// property `call` of a message is the function that is called next. A subscriber of `start` can replace it with a
// function that calls the original in another context.

const RUNS = tracingChannel('ses-executor:run');
const TOOL_CALLS = tracingChannel('ses-executor:tool-call');
/** Executors that work for other executors. The other executors report their runs. */
const INNER: WeakSet<object> = new WeakSet();

/** Message of the tracing channel `ses-executor:run`: the same object for all events of a run. */
export interface TracedRun {
  executor: Executor;
  code: string;
  /** Called next. A subscriber of `start` can replace it with a function that calls the original in another context. */
  call: () => unknown;
  result?: CodeOutput;
  error?: unknown;
}

/**
 * Message of the tracing channel `ses-executor:tool-call`: the same object for all events of a call. `result` or
 * `error` is present at `end` if the call is finished by then, otherwise at `asyncEnd`, at the latest when its run
 * ends.
 */
export interface TracedToolCall extends Omit<ToolCall, 'signal'> {
  /** See {@link TracedRun.call}. */
  call: () => void;
  result?: unknown;
  error?: unknown;
}

/**
 * The message that subscribers receive: the same object for all events of one run or call.
 *
 * @internal
 */
export interface Message {
  call: () => unknown;
  /** present after success */
  result?: unknown;
  /** present after a failure */
  error?: unknown;
}

/**
 * Runs code and publishes the run to subscribers.
 *
 * @internal
 */
export function traceRun<T>(executor: Executor, code: string, run: () => Promise<T>): Promise<T> {
  if (!isHeard(RUNS) || INNER.has(executor)) return run();
  const message: TracedRun = { executor, code, call: run };
  return RUNS.tracePromise(() => message.call() as Promise<T>, message);
}

/**
 * Marks an executor that works for another one, which reports the runs. Returns the same executor.
 *
 * @internal
 */
export function untraced<E extends object>(executor: E): E {
  INNER.add(executor);
  return executor;
}

/**
 * Publishes one tool call to subscribers.
 *
 * @internal
 */
export class ToolCallTrace {
  #message: Message & { name: string; args: unknown[]; id: string };
  #isSettled = false;
  /** Whether the call was still pending when it returned. */
  #isAsync = false;

  constructor(facts: { name: string; args: unknown[]; id: string }) {
    this.#message = { ...facts, call: () => {} };
  }

  /**
   * Makes the call. The call is finished when `resolved` or `rejected` is called, within `call` or later.
   *
   * @param call must not throw
   */
  begin(call: () => void) {
    const message = this.#message;
    message.call = call;
    TOOL_CALLS.start.runStores(message, () => message.call());
    this.#isAsync = true;
    TOOL_CALLS.end.publish(message);
  }

  resolved(result: unknown) {
    if (this.#isSettled) return;
    this.#message.result = result;
    this.#settle();
  }

  rejected(error: unknown) {
    if (this.#isSettled) return;
    this.#message.error = error;
    TOOL_CALLS.error.publish(this.#message);
    this.#settle();
  }

  #settle() {
    this.#isSettled = true;
    if (!this.#isAsync) return;
    TOOL_CALLS.asyncStart.publish(this.#message);
    TOOL_CALLS.asyncEnd.publish(this.#message);
  }
}

/**
 * @returns undefined without subscribers
 *
 * @internal
 */
export function traceToolCall(facts: { name: string; args: unknown[]; id: string }): ToolCallTrace | undefined {
  return isHeard(TOOL_CALLS) ? new ToolCallTrace(facts) : undefined;
}

type Event = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error';

/** Like `TracingChannel.hasSubscribers`, which not all versions of Node.js have. */
function isHeard({ start, end, asyncStart, asyncEnd, error }: Record<Event, { hasSubscribers: boolean }>) {
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers
  );
}
