import { describe } from '../contract/describe';
import type { Foreign } from '../contract/foreign';

// Issues of a value as text. Values, names and schemas come from guests and third parties, so the shown part of each
// has a maximum length.

/** Characters of a value that are shown. */
const MAX_VALUE = 60;
/** Parts of an array or object that may be shown. */
const MAX_VALUE_PARTS = 20;
const MAX_NAME = 100;
const MAX_PATTERN = 200;
const MAX_MEMBERS = 20;

export type SchemaIssue = { path: string; message: string; keyword: string; reason: string };

/** @param what `inside`: a property of the value at `path`; `value`: the value that was passed */
export function issueOf(
  path: readonly (string | number)[],
  keyword: string,
  { inside, reason, ...given }: { inside?: string; reason: string; value?: unknown },
): SchemaIssue {
  const at = pathText(inside === undefined ? path : [...path, inside]);
  const got = 'value' in given ? `, got ${shown(given.value)}` : '';
  return { path: at, message: `${at === '' ? 'the object' : at} ${reason}${got}`, keyword, reason };
}

export function pathText(path: readonly (string | number)[]) {
  return path.map((key) => cut(String(key), MAX_NAME)).join('.');
}

export function oneOfText(values: readonly unknown[]) {
  const texts = values.slice(0, MAX_MEMBERS).map((value) => shortJson(value) ?? describe(value));
  return `must be one of ${texts.join(', ')}${values.length > MAX_MEMBERS ? ' and others' : ''}`;
}

export function constText(value: unknown) {
  return `must be ${shortJson(value) ?? describe(value)}`;
}

export function patternText(pattern: string) {
  return `must match pattern "${cut(pattern, MAX_PATTERN)}"`;
}

export function nameText(name: string) {
  return cut(name, MAX_NAME);
}

function shown(value: unknown) {
  if (typeof value !== 'object' || value === null) return describe(value);
  const text = shortJson(value);
  return text === undefined || text.length > MAX_VALUE ? describe(value) : text;
}

/** JSON of a value with few parts and short strings. */
function shortJson(root: unknown): string | undefined {
  const open = [root];
  for (let parts = 0; open.length > 0; parts++) {
    const value = open.pop();
    if (parts > MAX_VALUE_PARTS || (typeof value === 'string' && value.length > MAX_NAME)) return undefined;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value) && value.length > MAX_VALUE_PARTS) return undefined;
    for (const key in value) {
      if (open.length > MAX_VALUE_PARTS || key.length > MAX_NAME) return undefined;
      open.push((value as Foreign)[key]);
    }
  }
  return JSON.stringify(root);
}

function cut(text: string, length: number) {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
