// @ts-check
'use strict';

const { types } = require('node:util');

const { describe, isPlainObject, memberPath } = require('./describe');
const { RESERVED_PREFIX } = require('./identifiers');

/**
 * A host function that guests can call.
 *
 * @typedef {object} Tool
 * @property {string[]} path keys from the guest's global down to the function
 * @property {(...args: any[]) => unknown} fn
 * @property {unknown} self the namespace object that holds the function
 * @property {boolean} isAsync whether guests get a promise at once
 * @property {boolean} isBlocking whether guests wait for what a promise of it gives
 * @property {number} length
 */

/** Functions that {@link blocking} has made. */
const blockingFunctions = new WeakSet();

/** Names that the realm keeps for itself. */
const RESERVED = new Set(['console', 'harden', 'globalThis']);
const MAX_TOOLS = 10_000;
const MAX_DEPTH = 32;

/**
 * A tool whose promise the guest waits for. Documented in `index.d.ts`.
 *
 * @param {unknown} fn
 */
function blocking(fn) {
  if (typeof fn !== 'function') throw new TypeError(`fn must be a function, got ${describe(fn)}`);
  /** @type {(this: unknown, ...args: unknown[]) => unknown} */
  function waits(...args) {
    return Reflect.apply(/** @type {Function} */ (fn), this, args);
  }
  Object.defineProperty(waits, 'length', { value: fn.length, configurable: true });
  blockingFunctions.add(waits);
  return waits;
}

/**
 * The functions of `tools`, at any depth of plain namespace objects.
 *
 * A top-level `final_answer` is left out: the executor's own takes precedence.
 *
 * @param {unknown} tools
 * @returns {Tool[]}
 * @throws {TypeError | RangeError} naming the path of what is neither a function nor a namespace
 */
function flattenTools(tools) {
  if (!isPlainObject(tools)) throw new TypeError(`tools must be an object of functions, got ${describe(tools)}`);
  /** @type {Tool[]} */
  const found = [];
  for (const name of Object.keys(tools)) {
    if (name === 'final_answer') continue;
    refuseReservedName(name, 'tools');
    flattenInto(found, tools, name, [], 'tools');
  }
  return found;
}

/**
 * Adds the function at `holder[key]`, or those of the namespace there, to `found`.
 *
 * @param {Tool[]} found
 * @param {Record<string, unknown>} holder
 * @param {string} key
 * @param {Record<string, unknown>[]} ancestors namespaces on the way to `holder`
 * @param {string} root how messages call the outermost object
 * @param {string[]} [parents] keys on the way to `holder`
 */
function flattenInto(found, holder, key, ancestors, root, parents = []) {
  const path = [...parents, key];
  const text = () => path.reduce(memberPath, root);
  const value = read(holder, key, text);
  if (typeof value === 'function') {
    if (found.length === MAX_TOOLS) throw new RangeError(`${root} must hold at most ${MAX_TOOLS} functions`);
    found.push(toolOf(path, /** @type {Tool['fn']} */ (value), holder));
    return;
  }
  if (!isPlainObject(value)) {
    throw new TypeError(`${text()} must be a function or a plain object of functions, got ${describe(value)}`);
  }
  const inside = [...ancestors, holder];
  if (inside.includes(value)) throw new TypeError(`${text()} must not contain itself`);
  if (path.length === MAX_DEPTH) throw new RangeError(`${text()} must be nested at most ${MAX_DEPTH} deep`);
  const keys = Object.keys(value);
  // The guest would keep the namespace of that name that it had before.
  if (keys.length === 0) throw new TypeError(`${text()} must hold at least one function`);
  for (const inner of keys) flattenInto(found, value, inner, inside, root, path);
}

/**
 * @param {string[]} path
 * @param {Tool['fn']} fn
 * @param {unknown} self
 * @returns {Tool}
 */
function toolOf(path, fn, self) {
  const isBlocking = blockingFunctions.has(fn);
  // For V8 an async generator is an async function too, but it gives no promise.
  const isAsync = !isBlocking && types.isAsyncFunction(fn) && !types.isGeneratorFunction(fn);
  const { length } = fn;
  return {
    path,
    fn,
    self,
    isAsync,
    isBlocking,
    length: Number.isInteger(length) && length >= 0 ? Math.min(length, 255) : 0,
  };
}

/**
 * Whether `value` is an object of functions and of further such objects, and nothing else.
 *
 * @param {unknown} value
 * @param {number} [depth]
 * @returns {boolean}
 */
function isNamespace(value, depth = 0) {
  if (!isPlainObject(value) || depth === MAX_DEPTH) return false;
  const items = Object.values(value);
  return items.length > 0 && items.every((item) => typeof item === 'function' || isNamespace(item, depth + 1));
}

/**
 * @param {Record<string, unknown>} holder
 * @param {string} key
 * @param {() => string} text
 */
function read(holder, key, text) {
  try {
    return holder[key];
  } catch (error) {
    throw new TypeError(`${text()} cannot be read: its getter throws`, { cause: error });
  }
}

/**
 * @param {string} name
 * @param {string} root
 * @throws {TypeError}
 */
function refuseReservedName(name, root) {
  if (RESERVED.has(name) || name.startsWith(RESERVED_PREFIX)) {
    throw new TypeError(`${memberPath(root, name)} must have another name: \`${name}\` is reserved`);
  }
}

/** The host functions of one executor by the number that the guest calls them by. */
class ToolRegistry {
  /** @type {Map<number, Tool>} */
  #tools = new Map();
  /** Numbers by top-level name, then by path: a function that takes another's place takes its number too. */
  /** @type {Map<string, Map<string, number>>} */
  #numbers = new Map();
  #next = 0;

  /** @param {number} id */
  get(id) {
    return this.#tools.get(id);
  }

  /**
   * Registers tools and says how the native side calls them. What had the same top-level names before is revoked,
   * even for guest code that has kept a reference.
   *
   * @param {Tool[]} tools
   */
  replace(tools) {
    /** @type {Map<string, Map<string, number>>} */
    const fresh = new Map();
    const specs = tools.map((tool) => {
      const [name] = tool.path;
      const key = JSON.stringify(tool.path);
      const id = this.#numbers.get(name)?.get(key) ?? this.#next++;
      const numbers = fresh.get(name) ?? new Map();
      fresh.set(name, numbers.set(key, id));
      return { path: tool.path, id, isAsync: tool.isAsync, length: tool.length };
    });
    for (const [name, numbers] of fresh) {
      for (const id of this.#numbers.get(name)?.values() ?? []) this.#tools.delete(id);
      this.#numbers.set(name, numbers);
    }
    tools.forEach((tool, index) => this.#tools.set(specs[index].id, tool));
    return specs;
  }

  /**
   * Registers functions of a module. They stay as long as the executor.
   *
   * @param {Tool[]} tools
   */
  add(tools) {
    return tools.map((tool) => {
      const id = this.#next++;
      this.#tools.set(id, tool);
      return { path: tool.path, id, isAsync: tool.isAsync, length: tool.length };
    });
  }

  /** Forgets all tools that `replace` has registered. */
  clear() {
    for (const numbers of this.#numbers.values()) for (const id of numbers.values()) this.#tools.delete(id);
    this.#numbers.clear();
  }
}

module.exports = { ToolRegistry, blocking, flattenInto, flattenTools, isNamespace, refuseReservedName };
