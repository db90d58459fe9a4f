import { BudgetError, WorkBudget, inSlices } from './budget';

/** A value with fewer parts is not checked for its serialized size. */
const FREE_PARTS = 200_000;
/** How much larger than in memory a value may be when it is serialized. */
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

function* measure(root: unknown, budget: WorkBudget): Generator<void, boolean, void> {
  let once = 0;
  let written = 0;
  const known = new Set();
  /** Values on the current path. A value that contains itself is not visited again. */
  const inside = new Set();
  const open = [{ value: undefined as unknown, parts: [root].values(), isFirst: true }];
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
    if (level.isFirst) once += size;
    if (typeof value === 'object' && value !== null && !inside.has(value)) {
      const isFirst = !known.has(value);
      known.add(value);
      const { parts, size: own, holes } = partsOf(value);
      written += own + holes;
      if (isFirst) once += own;
      inside.add(value);
      open.push({ value, parts: parts.values(), isFirst });
    }
    if (written > FREE_PARTS && written > MAX_FACTOR * once) return true;
  }
  return false;
}

/** The parts of a value, its own size, and the number of its holes. */
function partsOf(value: object): { parts: unknown[]; size: number; holes: number } {
  if (ArrayBuffer.isView(value)) return { parts: [], size: value.byteLength, holes: 0 };
  if (value instanceof Map) return { parts: [...value.keys(), ...value.values()], size: 0, holes: 0 };
  if (value instanceof Set) return { parts: [...value], size: 0, holes: 0 };
  const parts = Object.values(value);
  if (Array.isArray(value)) return { parts, size: 0, holes: Math.max(0, value.length - parts.length) };
  const chars = Object.keys(value).reduce((sum, { length }) => sum + length, 0);
  return { parts, size: chars / CHARS_PER_PART, holes: 0 };
}
