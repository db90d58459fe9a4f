// @ts-check
'use strict';

// Objects of so many properties that to list them takes the host's thread longer than it may stand still. Whoever reads one from
// a guest notes it, so that printers, which show the first ones, need not ask.

/** Properties from which on an object is noted. More than a printer goes through. */
const MANY = 100_000;
/** Keys that are kept. More than a printer shows of what it cuts. */
const FIRST = 4_096;

/** @type {WeakMap<object, string[]>} */
const firstKeys = new WeakMap();

/** Counts the properties of an object that is being made. */
class KeyCount {
  #object;
  #count = 0;
  /** @type {string[]} */
  #first = [];

  /** @param {object} object */
  constructor(object) {
    this.#object = object;
  }

  /** @param {PropertyKey} key */
  add(key) {
    if (this.#count++ < FIRST) this.#first.push(String(key));
    else if (this.#count === MANY) firstKeys.set(this.#object, this.#first);
  }
}

/** @param {object} object */
function isWide(object) {
  return firstKeys.has(object);
}

/**
 * Keys of an object: of one that is wide the first ones.
 *
 * @param {object} object
 */
function keysOf(object) {
  return firstKeys.get(object)?.filter((key) => Object.hasOwn(object, key)) ?? Object.keys(object);
}

module.exports = { KeyCount, isWide, keysOf };
