// Objects with so many properties that listing them would block the host's thread for too long. Code that reads such an
// object from a guest records it. Printers show only the first properties, so they need not list all of them.

/** An object with at least this many properties is recorded. It is more than a printer visits. */
const MANY = 100_000;
/** The number of keys kept. It is more than a printer shows of a value that it cuts. */
const FIRST = 4_096;

const firstKeys: WeakMap<object, string[]> = new WeakMap();
/** Arrays with keys that are not indices. Finding these keys requires a list of all keys. */
const keyed: WeakSet<object> = new WeakSet();

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
    if (this.#isArray && typeof key === 'string') keyed.add(this.#object);
    if (this.#count++ < FIRST) this.#first.push(String(key));
    else if (this.#count === MANY) firstKeys.set(this.#object, this.#first);
  }
}

/** Whether an array that was read in parts has keys that are not indices. */
export function hasKeys(array: unknown[]) {
  return keyed.has(array);
}

export function isWide(object: object) {
  return firstKeys.has(object);
}

/** Keys of an object; only the first ones of a wide object. */
export function keysOf(object: object) {
  return firstKeys.get(object)?.filter((key) => Object.hasOwn(object, key)) ?? Object.keys(object);
}
