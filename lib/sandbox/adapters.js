// @ts-check
'use strict';

const { describe, isPlainObject, memberPath } = require('../contract/describe');
const { closest } = require('../contract/options');
const { ParamsReader } = require('./params');
const { SharedSchemas } = require('../json-schema');

/** The methods of a registry with what is called for each. */
class Methods {
  #registry;
  #adapters;
  #maxParamsBytes;
  #schemas;
  /** @type {Map<string, { reader: ParamsReader, adapter: import('./execution').Adapter }>} */
  #known = new Map();

  /**
   * @param {import('./registry').Registry} registry
   * @param {unknown} adapters
   * @param {number} maxParamsBytes
   * @throws {TypeError} for a method that has no adapter
   */
  constructor(registry, adapters, maxParamsBytes) {
    this.#registry = registry;
    this.#adapters = adapters;
    this.#maxParamsBytes = maxParamsBytes;
    this.#schemas = new SharedSchemas(registry.defs);
    if (isPlainObject(adapters)) checkAdapters(registry, adapters);
  }

  /**
   * @param {string} source
   * @param {string} name
   * @returns {{ reader: ParamsReader, adapter: import('./execution').Adapter } | string} why there is none
   */
  get(source, name) {
    const path = `sdk.${source}.${name}`;
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const schema = this.#registry.paramsOf(source, name);
    if (schema === undefined) return this.unknown(source, name);
    const method = {
      reader: new ParamsReader(path, schema, this.#maxParamsBytes, this.#schemas),
      adapter: this.#adapterOf(source, name),
    };
    this.#known.set(path, method);
    return method;
  }

  /**
   * What to say of a name that there is not.
   *
   * @param {string} source
   * @param {string} [name]
   */
  unknown(source, name) {
    if (!this.#registry.hasSource(source)) {
      const names = this.#registry.summary.map((one) => one.name);
      return `there is no sdk.${source}; ${suggestion(source, names, 'sdk.')}`;
    }
    return `there is no sdk.${source}.${name}; ${suggestion(String(name), this.#registry.methodNames(source), `sdk.${source}.`)}`;
  }

  /**
   * @param {string} source
   * @param {string} name
   * @returns {import('./execution').Adapter}
   */
  #adapterOf(source, name) {
    const adapters = /** @type {any} */ (this.#adapters);
    if (typeof adapters === 'function') return (params, call) => adapters(source, name, params, call);
    return (params, call) => adapters[source][name](params, call);
  }
}

/**
 * @param {string} name
 * @param {string[]} names
 * @param {string} prefix
 */
function suggestion(name, names, prefix) {
  // A guest asks, and the host's thread looks.
  const similar = names.filter(({ length }) => Math.abs(length - name.length) <= 3).slice(0, 200);
  const close = similar.length > 0 ? closest(name, similar) : undefined;
  if (close !== undefined) return `did you mean ${prefix}${close}?`;
  return `there are ${names.slice(0, 12).join(', ')}${names.length > 12 ? ' and others' : ''}`;
}

/**
 * @param {import('./registry').Registry} registry
 * @param {Record<string, any>} adapters
 */
function checkAdapters(registry, adapters) {
  for (const [source, methods] of registry.names()) {
    const path = memberPath('options.adapters', source);
    const own = Object.hasOwn(adapters, source) ? adapters[source] : undefined;
    for (const name of methods) {
      const given = (typeof own === 'object' && own !== null) || typeof own === 'function' ? own[name] : undefined;
      // Every object has a `toString` by itself.
      const adapter = given === /** @type {any} */ (Object.prototype)[name] ? undefined : given;
      if (typeof adapter !== 'function') {
        throw new TypeError(`${memberPath(path, name)} must be a function, got ${describe(adapter)}`);
      }
    }
  }
}

module.exports = { Methods };
