import { ExecutorError, describeThrown, errorOf } from '../contract/errors';
import { journalConflict } from './store';

/** What is wrong with a journal. */
export type Flaw = 'form' | 'mac' | 'order' | 'store';

export function journalInvalid(flaw: Flaw, entry: number | undefined, reason: string): ExecutorError {
  return errorOf('ERR_JOURNAL_INVALID', { reason }, { flaw, reason, ...(entry !== undefined && { entry }) });
}

export function engineDiffers(name: string, expected: unknown, actual: unknown, reason: string): ExecutorError {
  return errorOf('ERR_REPLAY_ENGINE', { reason }, { name, expected, actual, reason });
}

/** @param limit bytes */
export function limitReached(limit: number): ExecutorError {
  return errorOf('ERR_JOURNAL_LIMIT', { limit }, { limit });
}

/** The failure of a store, as an error of the session. */
export function storeFailed(thrown: unknown): ExecutorError {
  if (thrown instanceof ExecutorError) return thrown;
  const { message, code } = describeThrown(thrown);
  if (code === 'ERR_JOURNAL_CONFLICT') return journalConflict(message);
  const error = journalInvalid('store', undefined, `the store failed: ${message}`);
  error.cause = thrown;
  return error;
}
