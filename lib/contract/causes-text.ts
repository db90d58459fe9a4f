import { wholeCharacters } from './cut-text';
import { describe } from './describe';
import { errorDetails } from './error-details';
import type { Part } from './error-details';

/** Errors that are shown, as in crates/engine/src/errors/exceptions.rs. */
const MAX_ERRORS = 4;
/** UTF-16 units of one of them. */
const MAX_CHARS = 200;

/**
 * The cause of an error that a tool has thrown, or its errors, as far as guests get them.
 *
 * @returns undefined if there are none, or if the cause is data, such as the list of a validator
 */
export function causesText(thrown: unknown): string | undefined {
  const { cause, errors = [] } = errorDetails(thrown) ?? {};
  if (cause !== undefined) return isData(cause) ? undefined : `Its cause: ${brief(cause)}`;
  return errors.length === 0 ? undefined : `Its errors: ${errors.slice(0, MAX_ERRORS).map(brief).join('; ')}`;
}

const isData = (part: Part) => part.length === 1 && typeof part[0] === 'object' && part[0] !== null;

function brief(part: Part): string {
  const text = textOf(part);
  return text.length > MAX_CHARS ? `${text.slice(0, wholeCharacters(text, MAX_CHARS))}...` : text;
}

function textOf(part: Part): string {
  if (part.length === 1) return typeof part[0] === 'string' ? part[0] : describe(part[0]);
  const [name, message] = part;
  return name === 'Error' ? message : `${name}: ${message}`;
}
