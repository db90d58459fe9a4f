import type { NativeError, NativeExecutor, NativeOutcome } from '../../native';
import type { CheckedRunOptions } from '../contract/options';
import type { Tool, ToolRegistry } from '../contract/tool-registry';
import type { RecordedCall } from '../contract/waiting-call';

export type RunLimits = Pick<CheckedRunOptions, 'timeoutMs' | 'toolTimeoutMs' | 'maxOperations' | 'language'>;

/** What records the session of an executor. */
export interface Recording {
  /** What the native side records into, and what it replays before it is ready. */
  readonly journal: object;
  /** Whether the isolate comes from a journal, with the variables and tools that were sent. */
  readonly isRestored: boolean;
  /** The programs that the journal has, if they are few enough to be kept. */
  readonly programs: readonly string[] | undefined;
  /** The time zone that guests have, if not that of this process. */
  readonly timeZone: string | undefined;
  /** Whether something could not be stored. Nothing may have an effect any more. */
  readonly hasFailed: boolean;
  /**
   * The executor is being made.
   *
   * @param endCalls ends the calls under way, if something cannot be stored: a command that is held back does not end
   */
  attach(tools: ToolRegistry, endCalls: () => void): void;
  /** Stores what was recorded. */
  flush(): void;
  /** Works in order, as soon as everything that was recorded until now is stored: immediately, if it is. */
  whenStored(work: () => void): void;
  /** A run has begun. Limits that are `null` are those of the executor. */
  begun(limits: RunLimits): void;
  /** The guest calls a tool. */
  callOf(call: number, tool: Tool | undefined, args: unknown[] | { error: unknown }): RecordedCall;
}

/** What this package uses of a native executor. */
export type Native = Pick<
  NativeExecutor,
  | 'abort'
  | 'cleanup'
  | 'init'
  | 'run'
  | 'sendTools'
  | 'sendVariables'
  | 'state'
  | 'toolResult'
  | 'toolResults'
  | 'worker'
>;

/** The outcome of a call whose command cannot be stored. The recording knows the reason. */
export const NOT_STORED: NativeError = Object.freeze({
  code: 'ERR_INVALID_STATE',
  severity: 'ERROR',
  retryable: false,
  message: 'Invalid executor state: DEAD',
  details: '{}',
});

/** A native executor whose commands are stored before the guest gets them. */
export function recorded(native: NativeExecutor, recording: Recording): Native {
  const stored = <A extends unknown[], R>(call: (...args: A) => R) => {
    return (...args: A): R => {
      const outcome = call(...args);
      recording.flush();
      return outcome;
    };
  };
  /** The same for calls that settle later. */
  const settling = <A extends unknown[]>(call: (...args: A) => NativeOutcome | null) => {
    const storing = stored(call);
    return (...args: A) => {
      const outcome = storing(...args);
      return outcome === null && recording.hasFailed ? { error: NOT_STORED } : outcome;
    };
  };
  return {
    get state() {
      return native.state;
    },
    get worker() {
      return native.worker;
    },
    init: (call) => native.init(call),
    cleanup: (call) => native.cleanup(call),
    run: settling((...args: Parameters<Native['run']>) => native.run(...args)),
    sendTools: settling((...args: Parameters<Native['sendTools']>) => native.sendTools(...args)),
    sendVariables: settling((...args: Parameters<Native['sendVariables']>) => native.sendVariables(...args)),
    abort: stored((...args: Parameters<Native['abort']>) => native.abort(...args)),
    toolResult: stored((...args: Parameters<Native['toolResult']>) => native.toolResult(...args)),
    toolResults: stored((...args: Parameters<Native['toolResults']>) => native.toolResults(...args)),
  };
}
