// @ts-check
'use strict';

const { describe, isPlainObject, memberPath } = require('../contract/describe');
const { flattenInto, isNamespace } = require('../contract/tool-registry');
const { encode } = require('./transfer');

/**
 * The option `modules` as the native side takes it (specification, section 5.3). Values are cloned here and now;
 * functions, also those in objects of functions, are registered as tools.
 *
 * @param {unknown} modules
 * @param {import('../contract/tool-registry').ToolRegistry} registry
 * @throws {TypeError}
 */
function nativeModules(modules, registry) {
  const path = 'options.modules';
  if (!isPlainObject(modules)) {
    throw new TypeError(`${path} must be an object of module texts or exports, got ${describe(modules)}`);
  }
  return Object.entries(modules).map(([specifier, module]) => {
    const at = memberPath(path, specifier);
    if (specifier === '') throw new TypeError(`${path} must not have an empty name`);
    if (typeof module === 'string') return { specifier, source: module };
    if (isPlainObject(module)) return { specifier, ...nativeExports(module, at, registry) };
    throw new TypeError(`${at} must be the text of a module or an object of exports, got ${describe(module)}`);
  });
}

/**
 * @param {Record<string, unknown>} exported
 * @param {string} at
 * @param {import('../contract/tool-registry').ToolRegistry} registry
 */
function nativeExports(exported, at, registry) {
  /** @type {import('../contract/tool-registry').Tool[]} */
  const functions = [];
  /** @type {[string, unknown][]} */
  const values = [];
  for (const [name, value] of Object.entries(exported)) {
    if (typeof value === 'function' || isNamespace(value)) flattenInto(functions, exported, name, [], at);
    else values.push([name, value]);
  }
  return {
    names: values.map(([name]) => name),
    values: encode(
      values.map(([, value]) => value),
      at,
      Infinity,
      Object.fromEntries(values),
    ),
    functions: registry.add(functions),
  };
}

module.exports = { nativeModules };
