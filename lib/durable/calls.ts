import { describe } from '../contract/describe';
import { record } from '../contract/options';
import { withTraits } from '../contract/tool-traits';
import { WaitForAnswer } from '../contract/waiting-call';
import type { InDoubt } from '../contract/tool-traits';
import type { DurableTool } from './types';

const IN_DOUBT: readonly InDoubt[] = ['wait', 'repeat', 'fail'];

/**
 * Pauses the current tool call until somebody answers it with `answer()`, which may be in another process, on another
 * day. Call it in a tool or in `onToolCall` of a `DurableSession`. It never returns: it throws, so do not catch what it
 * throws.
 *
 * When the rest of the program only waits, `run()` rejects with `ERR_RUN_WAITING`, and `start()` returns
 * `{ status: 'waiting', calls }`.
 *
 * @param payload shown in `waiting` to the people who answer. JSON data, at most 64 KiB.
 */
export function waitForAnswer(payload?: unknown): never {
  throw new WaitForAnswer(payload);
}

/**
 * A tool that does what `fn` does, with rules for a `DurableSession`.
 *
 * @throws `TypeError` if `fn` is not a function, or for rules that do not exist
 */
export function durable<T extends Function>(fn: T, how: DurableTool): T {
  const { inDoubt, record: recorded, revert } = record(how, 'how', ['inDoubt', 'record', 'revert']);
  checkInDoubt(inDoubt, 'how.inDoubt');
  if (recorded !== undefined && recorded !== 'result' && recorded !== 'nothing') {
    throw new TypeError(`how.record must be "result" or "nothing", got ${describe(recorded)}`);
  }
  if (revert !== undefined && typeof revert !== 'function') {
    throw new TypeError(`how.revert must be a function, got ${describe(revert)}`);
  }
  if (revert !== undefined && recorded === 'nothing') {
    throw new TypeError('how.revert cannot be combined with record: "nothing", which is for tools without effects');
  }
  return withTraits(fn, {
    ...(inDoubt !== undefined && { inDoubt }),
    ...(recorded !== undefined && { isUnrecorded: recorded === 'nothing' }),
    ...(revert !== undefined && { revert }),
  });
}

/**
 * @internal
 * @throws {TypeError}
 */
export function checkInDoubt(value: unknown, path: string): void {
  if (value === undefined || IN_DOUBT.includes(value as InDoubt)) return;
  throw new TypeError(`${path} must be "wait", "repeat" or "fail", got ${describe(value)}`);
}
