import { isPlainObject } from './describe';
import { failureText } from './failure-text';
import { isSmall, outputForModel } from './render';
import type { RunFailure } from './run-failure';
import type { Report } from './session';

// What adapters tell models of a run: the one way in which outputs, logs and failures are shown and cut.

/** UTF-16 units of an output, and of logs, that a model is told: some 5,000 tokens. */
export const MAX_CHARS = 20_000;

/** What to do about the rest. */
const OUTPUT_ADVICE = 'give back a part, a count or a summary';
const LOGS_ADVICE = 'log less';
const NOT_WHOLE = '[... parts of the output are left out; give back a slice, a count or a summary ...]';

/**
 * An output as text: strings as they are, what JSON says wholly as JSON, everything else as `util.inspect` shows it; without its
 * middle if it is too long.
 */
export function modelText(
  output: unknown,
  { maxChars = MAX_CHARS, indent }: { maxChars?: number; indent?: number } = {},
) {
  const { text, isWhole } = textOf(output, maxChars, indent);
  if (isWhole) return cutMiddle(text, maxChars, `of the output; ${OUTPUT_ADVICE}`);
  return `${cutMiddle(text, maxChars, 'of this text')}\n${NOT_WHOLE}`;
}

/** An output as data: itself if JSON says it wholly and briefly, else its text. */
export function modelValue(output: unknown, maxChars: number = MAX_CHARS) {
  const text = modelText(output, { maxChars });
  return typeof output !== 'string' && isSmall(output) && isJson(output) && text.length <= maxChars ? output : text;
}

export function modelLogs(logs: string, maxChars: number = MAX_CHARS) {
  return cutMiddle(logs, maxChars, `of the logs; ${LOGS_ADVICE}`);
}

/** A failure whose message is cut: guests can throw texts of any length. */
export function modelFailure(failure: RunFailure, maxChars: number = MAX_CHARS): RunFailure {
  return { ...failure, message: cutMiddle(failure.message, maxChars, 'of the message') };
}

/** Returns the complete result of a run as text. */
export function reportText({ output, failure, logs, note }: Report, maxChars: number = MAX_CHARS) {
  const main = failure === undefined ? modelText(output, { maxChars }) : failureText(modelFailure(failure, maxChars));
  const noted = note === undefined ? main : `${main}\n\nNote: ${note}`;
  return logs === '' ? noted : `${noted}\n\nLogs:\n${modelLogs(logs, maxChars)}`;
}

/**
 * A text without its middle if it is too long, and how much that is.
 *
 * @param advice what is cut, and how to avoid it
 */
function cutMiddle(text: string, maxChars: number, advice: string) {
  if (text.length <= maxChars) return text;
  const head = wholeCharacters(text, Math.ceil(maxChars / 2));
  const tail = wholeCharacters(text, text.length - Math.floor(maxChars / 2));
  return `${text.slice(0, head)}\n[... ${tail - head} of ${text.length} characters ${advice} ...]\n${text.slice(tail)}`;
}

/** `at`, or the place before if there is a character of two units. */
function wholeCharacters(text: string, at: number) {
  return /[\ud800-\udbff]/.test(text[at - 1]) ? at - 1 : at;
}

function textOf(output: unknown, maxChars: number, indent: number | undefined): { text: string; isWhole: boolean } {
  if (typeof output === 'string') return { text: output, isWhole: true };
  if (isSmall(output) && isJson(output)) return { text: JSON.stringify(output, null, indent), isWhole: true };
  const { text, isWhole } = outputForModel(output, maxChars);
  // A large integer has no parts.
  return { text, isWhole: isWhole || typeof output !== 'object' };
}

/** Maximum number of levels that are inspected. */
const MAX_DEPTH = 200;

/** Whether JSON tells all of a value, and once. */
function isJson(value: unknown, seen: Set<unknown> = new Set(), depth: number = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (!Array.isArray(value) && !isPlainObject(value)) return false;
  if (seen.has(value) || depth === MAX_DEPTH || ('toJSON' in value && typeof value.toJSON === 'function')) return false;
  seen.add(value);
  // Holes of an array are `undefined` here.
  const members = Array.isArray(value) ? Array.from(value) : Object.values(value);
  return members.every((member) => isJson(member, seen, depth + 1));
}
