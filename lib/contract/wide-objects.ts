// Objects of so many properties that to list them takes the host's thread longer than it may stand still. Whoever reads one from
// a guest notes it, so that printers, which show the first ones, need not ask.

/** Properties from which on an object is noted. More than a printer goes through. */
const MANY = 100_000;
/** Keys that are kept. More than a printer shows of what it cuts. */
const FIRST = 4_096;

const firstKeys: WeakMap<object, string[]> = new WeakMap();
/** Arrays with keys that are no indices. To find those takes a list of all. */
const keyed: WeakSet<object> = new WeakSet();

/** Counts the properties of an object that is being made. */
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

/** Whether an array that was read in parts has keys that are no indices. */
export function hasKeys(array: unknown[]) {
  return keyed.has(array);
}

export function isWide(object: object) {
  return firstKeys.has(object);
}

/** Keys of an object: of one that is wide the first ones. */
export function keysOf(object: object) {
  return firstKeys.get(object)?.filter((key) => Object.hasOwn(object, key)) ?? Object.keys(object);
}
