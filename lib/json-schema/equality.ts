import { randomBytes } from 'node:crypto';

import { isPlainObject } from '../contract/describe';
import type { Foreign } from '../contract/foreign';
import type { WorkBudget } from '../contract/budget';

/** UTF-16 units of a string that are hashed, and bytes that are compared, for one step of the budget. */
const CHARS_PER_STEP = 32;
const CHUNK = 4_096;

const [SEED, FACTOR] = new Uint32Array(randomBytes(8).buffer.slice(0, 8)).map((word) => word | 1);
const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);

/** Whether two values are equal as JSON. */
export function* equal(a: Foreign, b: Foreign, budget: WorkBudget): Generator<void, boolean, void> {
  budget.spend(1);
  if (budget.shouldPause) yield;
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length === b.length) budget.spend(Math.ceil(a.length / CHUNK));
    return a === b;
  }
  if (a === b) return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) if (!(yield* equal(a[index], b[index], budget))) return false;
    return true;
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = Object.keys(a);
  budget.spend(keys.length);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key) || !(yield* equal(a[key], b[key], budget))) return false;
  }
  return true;
}

/**
 * The items of an array that were looked at. This hash table replaces a `Set`: a `Set` of millions of items stops the
 * event loop each time it grows, and a guest can choose numbers that collide in it.
 */
export class ItemSet {
  #items;
  #budget;
  #table;
  #mask;

  constructor(items: unknown[], budget: WorkBudget) {
    this.#items = items;
    this.#budget = budget;
    const size = 2 ** Math.ceil(Math.log2(1.5 * items.length));
    budget.addBytes(4 * size);
    this.#table = new Uint32Array(size);
    this.#mask = size - 1;
  }

  /**
   * @param index of the item
   * @returns false if an equal item was added before
   */
  *add(index: number): Generator<void, boolean, void> {
    const item = this.#items[index];
    let at = (yield* hashOf(item, this.#budget)) & this.#mask;
    for (let other = this.#table[at]; other !== 0; other = this.#table[at]) {
      if (yield* equal(this.#items[other - 1], item, this.#budget)) return false;
      at = (at + 1) & this.#mask;
    }
    this.#table[at] = index + 1;
    return true;
  }
}

function* hashOf(value: Foreign, budget: WorkBudget): Generator<void, number, void> {
  budget.spend(1);
  if (budget.shouldPause) yield;
  if (typeof value === 'string') return yield* textHash(value, budget);
  if (typeof value === 'number') return numberHash(value);
  if (Array.isArray(value)) {
    let hash = SEED;
    for (const item of value) hash = mixed(hash, yield* hashOf(item, budget));
    return hash;
  }
  if (!isPlainObject(value)) return mixed(SEED, value === null ? 1 : value ? 2 : 3);
  let sum = 0;
  // In any order.
  for (const key in value) {
    sum = (sum + mixed(yield* textHash(key, budget), yield* hashOf(value[key], budget))) >>> 0;
  }
  return mixed(sum, 4);
}

function* textHash(text: string, budget: WorkBudget) {
  let hash = SEED;
  for (let from = 0; from < text.length; from += CHUNK) {
    const end = Math.min(text.length, from + CHUNK);
    for (let at = from; at < end; at++) hash = mixed(hash, text.charCodeAt(at));
    budget.spend(Math.ceil((end - from) / CHARS_PER_STEP));
    if (budget.shouldPause) yield;
  }
  return hash;
}

function numberHash(value: number) {
  // Both zeros are equal.
  float[0] = value + 0;
  return mixed(mixed(SEED, words[0]), words[1]);
}

function mixed(hash: number, word: number) {
  const product = Math.imul(hash ^ word, FACTOR);
  return (product ^ (product >>> 15)) >>> 0;
}
