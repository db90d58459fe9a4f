import { BudgetError, WorkBudget, inSlices } from './budget';
import type { Foreign } from './foreign';

/** A value with fewer parts is not checked for its serialized size. */
const FREE_PARTS = 200_000;
/** The factor by which a value may be larger when it is serialized than in memory. */
const MAX_FACTOR = 4;
/** UTF-16 units of a string that count as one part. */
const CHARS_PER_PART = 32;

/**
 * Whether a value is far larger as JSON than in memory. JSON repeats a value each time it occurs, so that forty arrays
 * can stand for 2^40, and it writes the holes of arrays. Takes time linear in the value.
 *
 * @param root plain data, without getters or other code
 */
export async function isFarLargerSerialized(root: unknown, signal?: AbortSignal): Promise<boolean> {
  const budget = new WorkBudget();
  try {
    return await inSlices(measure(root, budget), budget, signal);
  } catch (error) {
    // With so many parts the answer is unknown.
    if (error instanceof BudgetError) return true;
    throw error;
  }
}

/** Stands for a missing element of an array. */
const HOLE = Symbol('hole');

function* measure(root: unknown, budget: WorkBudget): Generator<void, boolean, void> {
  let once = 0;
  let written = 0;
  const known = new Set();
  /** Values on the current path. A value that contains itself is not visited again. */
  const inside = new Set();
  const open: { value: unknown; parts: Iterator<unknown>; isFirst: boolean }[] = [
    { value: undefined, parts: [root].values(), isFirst: true },
  ];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const next = level.parts.next();
    if (next.done) {
      inside.delete(level.value);
      open.pop();
      continue;
    }
    budget.addPart();
    if (budget.shouldPause) yield;
    const { value } = next;
    const size = typeof value === 'string' ? 1 + value.length / CHARS_PER_PART : 1;
    written += size;
    if (level.isFirst && value !== HOLE) once += size;
    if (typeof value === 'object' && value !== null && !inside.has(value)) {
      const isFirst = !known.has(value);
      known.add(value);
      if (ArrayBuffer.isView(value)) {
        written += value.byteLength;
        if (isFirst) once += value.byteLength;
      }
      inside.add(value);
      open.push({ value, parts: partsOf(value), isFirst });
    }
    if (written > FREE_PARTS && written > MAX_FACTOR * once) return true;
  }
  return false;
}

/** The parts of a value and the keys of objects. A generator, because listing all parts of a large value takes long. */
function* partsOf(value: Foreign): Generator<unknown, void> {
  if (ArrayBuffer.isView(value)) return;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const part = value[at];
      yield part === undefined && !Object.hasOwn(value, at) ? HOLE : part;
    }
  } else if (value instanceof Map) {
    for (const entry of value) yield* entry;
  } else if (value instanceof Set) {
    yield* value;
  } else {
    for (const key of Object.keys(value)) {
      yield key;
      yield value[key];
    }
  }
}
