import { describe, isPlainObject, memberPath } from '../contract/describe';
import { flattenInto, isNamespace } from '../contract/tool-registry';
import { encode } from './transfer';
import type { Tool, ToolRegistry } from '../contract/tool-registry';

/**
 * The option `modules` in the form of the native side (specification, section 5.3). Values are cloned immediately.
 * Functions, including those in objects of functions, are registered as tools.
 *
 * @throws {TypeError}
 */
export function nativeModules(modules: unknown, registry: ToolRegistry) {
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

function nativeExports(exported: Record<string, unknown>, at: string, registry: ToolRegistry) {
  const functions: Tool[] = [];
  const values: [string, unknown][] = [];
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
