// Objects with so many properties that listing them would block the host's thread for too long: V8 lists all keys in
// one step, even for a `for`-`in` loop that ends after the first one. Code that reads such an object from a guest
// records it. Printers show only the first properties, so they need not list all of them. Results of tools that contain
// one are refused. JSON of third parties with such an object is refused while it is parsed (`json.ts`). Objects of the
// host are not recorded: counting their properties takes as long as listing them, and creating them took longer.

/** An object with at least this many properties is recorded. It is more than a printer visits. */
export const MANY = 100_000;
/** Listing the keys of an array of this length takes too long, because a string is made for each index. */
const MANY_INDICES = 100_000;
/** The number of keys kept. It is more than a printer shows of a value that it cuts. */
const FIRST = 4_096;

const firstKeys: WeakMap<object, string[]> = new WeakMap();
/** Arrays with keys that are not indices. Finding these keys requires a list of all keys. */
const keyed: WeakSet<object> = new WeakSet();
/** Whether anything was recorded. Most programs never see such an object. */
let hasAny = false;

/** Counts the properties of an object while it is created. */
export class KeyCount {
  #object;
  #isArray;
  #count = 0;
  #first: string[] = [];

  constructor(object: object) {
    this.#object = object;
    this.#isArray = Array.isArray(object);
  }

  add(key: PropertyKey) {
    if (this.#isArray && typeof key === 'string') recordKeyed(this.#object);
    if (this.#count++ < FIRST) this.#first.push(String(key));
    else if (this.#count === MANY) recordWide(this.#object, this.#first);
  }
}

/**
 * Records an object that has its properties already.
 *
 * @param pairs keys and values, alternating, from `from` on
 */
export function recordPairs(object: object, pairs: unknown[], from: number) {
  if (pairs.length - from < 2 * MANY) return;
  recordWide(
    object,
    Array.from({ length: FIRST }, (_, at) => String(pairs[from + 2 * at])),
  );
}

function recordWide(object: object, first: string[]) {
  firstKeys.set(object, first);
  hasAny = true;
}

/** Records an array that has keys that are not indices. */
export function recordKeyed(array: object) {
  keyed.add(array);
  hasAny = true;
}

/** Whether an array that was read in parts has keys that are not indices. */
export function hasKeys(array: unknown[]) {
  return hasAny && keyed.has(array);
}

export function isWide(object: object) {
  return hasAny && firstKeys.has(object);
}

/** Keys of an object; only the first ones of a wide object. */
export function keysOf(object: object) {
  if (!isWide(object)) return Object.keys(object);
  return (firstKeys.get(object) as string[]).filter((key) => Object.hasOwn(object, key));
}

/** Whether a guest made an object or an array, and listing its keys takes too long for one step. */
export function isLongToList(object: object) {
  if (!hasAny) return false;
  return firstKeys.has(object) || (Array.isArray(object) && object.length >= MANY_INDICES && keyed.has(object));
}

/** Why a result with such an object is refused. `path` names the result in messages. */
export function longToListText(path: string) {
  const what = `the ${path} contains an object or array with at least ${MANY} keys, and listing them takes too long`;
  return `${what}; use a Map, or a list of keys and values`;
}
