// @ts-check
'use strict';

const { types } = require('node:util');

const { className, describe, isClass, isPlainObject, memberPath } = require('./describe');
const { optionRow } = require('./option-table');
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
 * @property {number} [timeoutMs] within which it answers, if not within that of the run
 * @property {Definition} [definition]
 * @property {number} length
 */

/**
 * What models are told of a function that takes one object.
 *
 * @typedef {object} Definition
 * @property {string} description
 * @property {Record<string, any>} inputSchema JSON Schema
 * @property {Record<string, any>} outputSchema
 */

/**
 * What is known of a function beside what can be seen.
 *
 * @typedef {object} Traits
 * @property {boolean} [isBlocking]
 * @property {number} [timeoutMs]
 * @property {Definition} [definition]
 */

/**
 * Of functions that {@link blocking}, {@link withTimeout} and {@link defined} have given.
 *
 * @type {WeakMap<Function, Traits>}
 */
const traitsOf = new WeakMap();
/** Property of the functions that {@link blocking} and {@link withTimeout} have made, for another copy of this package. */
const TRAITS = Symbol.for('ses-executor:tool-traits');

/** Names that the realm keeps for itself, or the language does for good. */
const RESERVED = new Set(['console', 'harden', 'globalThis', 'undefined', 'NaN', 'Infinity']);
const MAX_TOOLS = 10_000;
const MAX_DEPTH = 32;

/**
 * A tool whose promise the guest waits for. Documented in `index.d.ts`.
 *
 * @param {unknown} fn
 */
function blocking(fn) {
  return withTraits(fn, { isBlocking: true });
}

/**
 * A tool with a limit of its own. Documented in `index.d.ts`.
 *
 * @param {unknown} fn
 * @param {number} timeoutMs
 */
function withTimeout(fn, timeoutMs) {
  const { min, max } = optionRow('toolTimeoutMs');
  if (!Number.isInteger(timeoutMs)) throw new TypeError(`timeoutMs must be an integer, got ${describe(timeoutMs)}`);
  if (timeoutMs < Number(min) || timeoutMs > Number(max)) {
    throw new RangeError(`timeoutMs must be an integer from ${min} to ${max}, got ${timeoutMs}`);
  }
  return withTraits(fn, { timeoutMs });
}

/**
 * The same function, with what models are told of it wherever it is a tool.
 *
 * @template {Function} F
 * @param {F} fn
 * @param {Definition} definition
 */
function defined(fn, definition) {
  traitsOf.set(fn, { ...traitsIn(fn), definition });
  return fn;
}

/**
 * A function that does as `fn`: not `fn` itself, which may be a tool without these traits, too.
 *
 * @param {unknown} fn
 * @param {Traits} traits
 */
function withTraits(fn, traits) {
  if (typeof fn !== 'function') throw new TypeError(`fn must be a function, got ${describe(fn)}`);
  /** @type {(this: unknown, ...args: unknown[]) => unknown} */
  const plain = function (...args) {
    return Reflect.apply(fn, this, args);
  };
  /** @type {(this: unknown, ...args: unknown[]) => Promise<unknown>} */
  const later = async function (...args) {
    return Reflect.apply(fn, this, args);
  };
  const made = isAsyncFunction(fn) ? later : plain;
  const { name, length } = fn;
  Object.defineProperties(made, {
    name: { value: name, configurable: true },
    length: { value: length, configurable: true },
  });
  const all = { ...traitsIn(fn), ...traits };
  traitsOf.set(made, all);
  Object.defineProperty(made, TRAITS, { value: all });
  return made;
}

/**
 * @param {any} fn
 * @returns {Traits | undefined}
 */
function traitsIn(fn) {
  return traitsOf.get(fn) ?? (Object.hasOwn(fn, TRAITS) ? fn[TRAITS] : undefined);
}

/**
 * For V8 an async generator is an async function too, but it gives no promise.
 *
 * @param {Function} fn
 */
function isAsyncFunction(fn) {
  return types.isAsyncFunction(fn) && !types.isGeneratorFunction(fn);
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
  refuseNoTools(tools);
  /** @type {Tool[]} */
  const found = [];
  for (const name of Object.keys(tools)) {
    if (name === 'final_answer') continue;
    refuseReservedName(name, 'tools');
    flattenInto(found, tools, name, [], 'tools');
  }
  for (const { path, fn } of found) {
    // Every call of it would fail.
    if (isClass(fn)) throw new TypeError(`${path.reduce(memberPath, 'tools')} must be a function, got a class`);
  }
  return found;
}

/**
 * @param {unknown} tools
 * @returns {asserts tools is Record<string, unknown>}
 * @throws {TypeError} if they are no plain object
 */
function refuseNoTools(tools) {
  if (!isPlainObject(tools)) throw new TypeError(`tools must be an object of functions, got ${describeHolder(tools)}`);
}

/**
 * What was given in place of a plain object of functions. The methods of an instance are not its own, and need it as `this`.
 *
 * @param {unknown} value
 */
function describeHolder(value) {
  if (typeof value !== 'object' || value === null || types.isProxy(value) || Array.isArray(value))
    return describe(value);
  const isOwn = isClass(/** @type {any} */ (value).constructor);
  return `an instance of ${className(value)}${isOwn ? '; pass its methods, bound to it' : ''}`;
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
    throw new TypeError(`${text()} must be a function or a plain object of functions, got ${describeHolder(value)}`);
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
  const { isBlocking = false, timeoutMs, definition } = traitsIn(fn) ?? {};
  const { length } = fn;
  return {
    path,
    fn,
    self,
    isAsync: !isBlocking && isAsyncFunction(fn),
    isBlocking,
    timeoutMs,
    definition,
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
   * Numbers tools, and says how the native side calls them. They are not called before `commit`, which the caller makes when
   * the guest has them: what had the same top-level names before is revoked then, even for guest code that has kept a
   * reference.
   *
   * @param {Tool[]} tools
   * @returns {{ specs: import('../../native').NativeTool[], commit: () => void }}
   */
  stage(tools) {
    /** @type {Map<string, Map<string, number>>} */
    const fresh = new Map();
    const specs = tools.map((tool) => {
      const [name] = tool.path;
      const key = JSON.stringify(tool.path);
      const known = this.#numbers.get(name) ?? new Map();
      const id = known.get(key) ?? this.#next++;
      this.#numbers.set(name, known.set(key, id));
      fresh.set(name, (fresh.get(name) ?? new Map()).set(key, id));
      return specOf(tool, id);
    });
    const commit = () => {
      for (const [name, numbers] of fresh) {
        for (const id of this.#numbers.get(name)?.values() ?? []) this.#tools.delete(id);
        this.#numbers.set(name, numbers);
      }
      tools.forEach((tool, index) => this.#tools.set(specs[index].id, tool));
    };
    return { specs, commit };
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
      return specOf(tool, id);
    });
  }

  /** How the native side calls the tools that are committed. */
  specs() {
    return this.#committed().map(([id, tool]) => specOf(tool, id));
  }

  /** The tools that are committed. */
  list() {
    return this.#committed().map(([, tool]) => tool);
  }

  /** @returns {[id: number, tool: Tool][]} */
  #committed() {
    const ids = [...this.#numbers.values()].flatMap((numbers) => [...numbers.values()]);
    return ids.flatMap((id) => {
      const tool = this.#tools.get(id);
      return tool === undefined ? [] : [/** @type {[number, Tool]} */ ([id, tool])];
    });
  }

  /** Forgets all tools that `stage` has numbered. */
  clear() {
    for (const numbers of this.#numbers.values()) for (const id of numbers.values()) this.#tools.delete(id);
    this.#numbers.clear();
  }
}

/**
 * @param {Tool} tool
 * @param {number} id
 */
function specOf({ path, isAsync, length, timeoutMs }, id) {
  return { path, id, isAsync, length, isLimited: timeoutMs !== undefined };
}

module.exports = {
  ToolRegistry,
  blocking,
  defined,
  describeHolder,
  flattenInto,
  flattenTools,
  isNamespace,
  refuseNoTools,
  refuseReservedName,
  withTimeout,
};
