import { errorOf as failureOf } from './native-connection';
import { SlowValueError } from './slices';
import { valueOf } from './transfer';
import { mayReadNow, readInSlices } from './read-scheduler';
import { ExecutorError, errorOf, reasonText, transferLimitExceeded } from '../contract/errors';
import { LATE_OUTPUT_HINT } from '../contract/hints';
import { REFUSALS, invalidState } from '../contract/lifecycle';
import { withTimeLimit } from '../contract/time-limit';
import type { Outcome } from './native-connection';
import type { RunScope } from '../contract/run-scope';

/**
 * The output of a run, or a promise of it if reading takes long.
 *
 * A successful run does not fail because of its output. An output that cannot be read becomes a string, like other
 * values that cannot be transferred.
 */
export function readOutput(outcome: Outcome, limits: Limits) {
  const { payload } = outcome;
  if (typeof payload !== 'object' || payload === null) return payload;
  if (!mayReadNow(payload)) return readLarge(outcome, limits);
  try {
    return valueOf(payload);
  } catch (error) {
    return unreadable(error);
  }
}

/** Limits of reading an output. */
export interface Limits {
  maxTransferBytes: number;
  /** of the run */
  timeoutMs: number;
  /** of the run */
  signal: AbortSignal | undefined;
  /** ended by `cleanup()` */
  life: RunScope;
}

async function readLarge(outcome: Outcome, { maxTransferBytes, timeoutMs, signal, life }: Limits) {
  const scope = life.part();
  let forget: () => void = () => {};
  const cleanedUp = new Promise((_, reject) => {
    const refuse = () => reject(failed(outcome, invalidState('DEAD', 'run', REFUSALS.CLEANED_UP)));
    forget = scope.atEnd(refuse);
  });
  const ended = (why: Record<string, unknown>) =>
    failed(outcome, errorOf('ERR_EXEC_TIMEOUT', { timeoutMs }, { timeoutMs, ...why, stateLost: false }));
  try {
    return await withTimeLimit(Promise.race([readInSlices(outcome.payload, scope), cleanedUp]), {
      timeoutMs: timeLeft(outcome, timeoutMs),
      signal,
      late: () => ended({ reason: 'deadline', hint: LATE_OUTPUT_HINT }),
      aborted: (reason) => ended({ aborted: true, reason: reasonText(reason) }),
    });
  } catch (error) {
    if (error instanceof ExecutorError) throw error;
    if (!(error instanceof SlowValueError)) return unreadable(error);
    throw failed(outcome, transferLimitExceeded(maxTransferBytes, 'output'));
  } finally {
    forget();
    scope.end();
  }
}

/** The remaining time of a run. A run that was granted extra time for its tools gets the same amount once more. */
function timeLeft({ stats }: Outcome, timeoutMs: number) {
  const left = timeoutMs - (stats?.durationMs ?? 0);
  return left > 0 ? left : timeoutMs;
}

/** The failure of a run that had ended successfully. */
function failed(outcome: Outcome, { message, code, severity, retryable, details }: ExecutorError) {
  return failureOf({ ...outcome, payload: { message, code, severity, retryable, details: JSON.stringify(details) } });
}

function unreadable(error: unknown) {
  if (error instanceof RangeError) return '[the output is nested too deeply to be read]';
  return '[the output cannot be read by this version of Node.js]';
}
