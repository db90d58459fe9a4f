import { NO_NETWORK_HINT } from '../contract/hints';
import { startResponsiveTimer } from './responsive-timer';
import { loadPreparation } from './page-program';
import type { Foreign } from '../contract/foreign';
import type { Endowments } from './endowments';
import type { Tab } from './tab';

/** Time limit for a page's answer, because handlers of the guest's proxies run. */
const MAX_MS = 100;
/** Longer lines are not written by hand. */
const MAX_LINE = 2 << 10;

/**
 * A hint about the likely mistake in code that has failed.
 * @param details of the failure
 * @param code the original code
 * @param tab whose page has run it
 * @param origins that the page may send requests to
 * @returns `isAnswered`: false if the page is still working on the question
 */
export async function hintOf(
  { name, message, line, column }: Foreign,
  code: string,
  given: Endowments,
  tab: Tab,
  origins: string[],
): Promise<{ hint?: string; isAnswered: boolean }> {
  if (origins.length === 0 && name === 'TypeError' && message.startsWith('Failed to fetch')) {
    return { hint: NO_NETWORK_HINT, isAnswered: true };
  }
  const { pageHint } = loadPreparation();
  const text = line === undefined ? '' : (code.split(/\r\n|[\n\r\u2028\u2029]/, line)[line - 1] ?? '');
  const asyncTools = text.length > MAX_LINE ? [] : given.asynchronousIn(text);
  const error = { name, message, source: code, line, column, asyncTools };
  try {
    const { hint, path, member } = await pageHint(error);
    if (typeof hint === 'string') return { hint, isAnswered: true };
    if (typeof member !== 'string') return { isAnswered: true };
    const found = await inTime(tab.lookUp({ path, member }));
    if (found === null) return { isAnswered: false };
    if (found === undefined) return { isAnswered: true };
    return { hint: (await pageHint({ ...error, found })).hint ?? undefined, isAnswered: true };
  } catch {
    // The page has ended, or its answer is invalid.
    return { isAnswered: true };
  }
}

/** Null if the promise takes too long. */
async function inTime<T>(promise: Promise<T>): Promise<T | null> {
  let stopWaiting: (() => void) | undefined;
  const late = new Promise<null>((resolve) => (stopWaiting = startResponsiveTimer(MAX_MS, () => resolve(null))));
  try {
    return await Promise.race([promise, late]);
  } finally {
    stopWaiting?.();
  }
}
