import { isPlainObject } from '../../contract/describe';
import type { Foreign } from '../../contract/foreign';

/** Maximum number of references that lead to further references. */
const MAX_STEPS = 50;

/** A part of a document is not valid. `message` continues "… is left out: ". */
export class Flaw extends TypeError {}

/**
 * The value that `#/a/b` refers to in `api`, with further references resolved.
 *
 * @throws {Flaw}
 */
export function resolved(api: Foreign, value: Foreign): Foreign {
  let at = value;
  for (let steps = 0; typeof at?.$ref === 'string'; steps++) {
    if (steps > MAX_STEPS) throw new Flaw(`the reference ${shown(value.$ref)} leads to itself`);
    at = pointed(api, at.$ref);
  }
  return at;
}

/** The same, or undefined if a reference leads nowhere. */
export function resolvedOrNone(api: Foreign, value: Foreign): Foreign {
  try {
    return resolved(api, value);
  } catch (error) {
    if (error instanceof Flaw) return undefined;
    throw error;
  }
}

function pointed(api: Foreign, ref: string): Foreign {
  if (ref === '') throw new Flaw('a reference is empty');
  if (!ref.startsWith('#')) {
    const hint =
      api[FILES]?.[FAILED]?.[ref.split('#', 1)[0]] ?? 'options.readFile can read files in the folder of the document';
    throw new Flaw(`the reference ${shown(ref)} leads to another file; ${hint}`);
  }
  if (ref !== '#' && !ref.startsWith('#/')) throw new Flaw(`the reference ${shown(ref)} cannot be followed`);
  let at = api;
  for (const part of ref.slice(2).split('/')) {
    if (ref === '#') break;
    const key = keyOf(part);
    const isIn = typeof at === 'object' && at !== null && Object.hasOwn(at, key) && at[key] !== null;
    if (!isIn) throw new Flaw(`the reference ${shown(ref)} leads nowhere`);
    at = at[key];
  }
  return at;
}

/**
 * Key of the document under which the files that belong to it are stored, and the reasons why others could not be read.
 */
export const FILES = 'x-ses-executor-files';
export const FAILED = ' failed';

/** @param part of a JSON pointer in a URI */
export function keyOf(part: string) {
  return decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A key as a part of a JSON pointer. */
export function partOf(key: string) {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function decoded(part: string) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A reference in the form that messages show: one line, and short. The text of references comes from third parties. */
export function shown(ref: string) {
  const text = ref.replace(/\s+/g, ' ');
  return text.length > 120 ? `${text.slice(0, 120)}...` : text;
}

// Documents have flaws, most of which do not affect requests. These functions read a part only if it has the right
// type.

export function objectOr(value: unknown, other: object): Record<string, Foreign>;
export function objectOr(value: unknown, other: undefined): Record<string, Foreign> | undefined;
export function objectOr(value: unknown, other: object | undefined) {
  return isPlainObject(value) ? value : other;
}

export function entriesOf(value: unknown): [string, Foreign][] {
  return isPlainObject(value) ? Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined) : [];
}

export function listOf(value: unknown): Foreign[] {
  return Array.isArray(value) ? value.filter((item) => item !== null && item !== undefined) : [];
}

export function textOr(value: unknown, other: string): string {
  return typeof value === 'string' ? value : other;
}
