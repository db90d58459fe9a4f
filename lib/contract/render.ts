import { inspect } from 'node:util';

import { WorkBudget, atOnce } from './budget';
import { dataForm } from './data-form';
import { fitting } from './survey';
import { truncated } from './truncation';
import type { Limits } from './survey';
import type { InspectOptions } from 'node:util';

// How outputs are shown, as JSON and as text. A value within limits is printed completely. For a larger value, fewer
// items or a truncated copy are printed, so that printing takes only a few milliseconds.

const AS_JSON: Limits = {
  depth: 500,
  omitsDeeper: false,
  items: Infinity,
  bytes: 0,
  chars: Infinity,
  nodes: 100_000,
  allChars: 4 << 20,
};
/** The limits within which values are printed as Node.js does it. */
const AS_TEXT: Limits = {
  depth: 7,
  omitsDeeper: true,
  items: 100,
  bytes: 100,
  chars: 10_000,
  nodes: 30_000,
  allChars: 512 << 10,
};
const DEPTH_FOR_MODEL = 20;
/** Numbers of items of a list to try. Even the smallest number leaves more text than a model sees. */
const ITEMS_FOR_MODEL = [30_000, 3_000, 300];
/** What `util.inspect` writes where it has left something out. */
const LEFT_OUT = /\.\.\. \d+ more (?:item|byte|character)|\[(?:Array|Object)\]/;

/**
 * An output in a form that JSON can represent: each part in its form of `data-form.ts`. A large value is truncated.
 *
 * @returns a new value
 */
export function toJson(value: unknown): unknown {
  if (typeof value === 'string') return value;
  return (formOf(value) ?? formOf(truncated(value)))?.data ?? null;
}

function formOf(value: unknown) {
  return atOnce(dataForm(value, AS_JSON.allChars, new WorkBudget()));
}

/**
 * An output as people read it: a string unchanged, any other value as Node.js prints it, and an empty string for
 * `undefined`. A large value is truncated.
 */
export function outputText(output: unknown, options?: InspectOptions) {
  if (output === undefined) return '';
  if (typeof output === 'string') return output;
  return atOnce(printing(output, [AS_TEXT], options, new WorkBudget())).text;
}

/**
 * Prints an output that is not a string for models, as Node.js prints it, with as many items as can be printed quickly.
 *
 * @param maxChars UTF-16 units of one string; the caller cuts the whole text
 */
export function printingForModel(output: unknown, maxChars: number, budget: WorkBudget) {
  const limits = { ...AS_TEXT, chars: maxChars };
  const all = ITEMS_FOR_MODEL.map((items) => ({ ...limits, depth: DEPTH_FOR_MODEL, items, bytes: items }));
  return printing(output, [...all, limits], { breakLength: 120 }, budget);
}

/**
 * @param tiers the first tier that the value fits is used
 * @returns the text, and whether nothing is omitted except the ends of long strings
 */
function* printing(
  value: unknown,
  tiers: Limits[],
  options: InspectOptions | undefined,
  budget: WorkBudget,
): Generator<void, { text: string; isWhole: boolean }, void> {
  const found = yield* fitting(value, tiers, budget);
  const { depth, items, chars } = found ?? tiers[0];
  // Printing cannot be interrupted.
  if (budget.isSliceOver()) yield;
  const text = inspect(found === undefined ? truncated(value) : value, {
    depth: depth - 1,
    maxArrayLength: items,
    maxStringLength: chars,
    ...options,
  });
  return { text, isWhole: found === tiers[0] || (found !== undefined && !LEFT_OUT.test(text)) };
}

/** Whether `JSON.stringify` can write a value in a short time. */
export function isSmall(value: unknown) {
  return isWithin(value, AS_JSON);
}

/** Whether a value can be printed in a short time. */
export function isPrintable(value: unknown) {
  return isWithin(value, AS_TEXT);
}

function isWithin(value: unknown, limits: Limits) {
  return atOnce(fitting(value, [limits], new WorkBudget())) !== undefined;
}
