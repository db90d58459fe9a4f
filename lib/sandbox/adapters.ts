import { describe, isPlainObject, memberPath } from '../contract/describe';
import { closest } from '../contract/options';
import { NULLS_OMITTED, ParamsReader } from './params';
import { SharedSchemas } from '../json-schema';
import type { Foreign } from '../contract/foreign';
import type { SandboxAdapters } from './api';
import type { Adapter } from './execution';
import type { Registry } from './registry';

/** The methods of a registry, each with its parameter reader and its adapter. */
export class Methods {
  #registry;
  #adapters;
  #maxParamsBytes;
  #schemas;
  #known: Map<string, { reader: ParamsReader; adapter: Adapter }> = new Map();

  /** @throws {TypeError} if a method has no adapter */
  constructor(registry: Registry, adapters: unknown, maxParamsBytes: number) {
    this.#registry = registry;
    this.#adapters = adapters;
    this.#maxParamsBytes = maxParamsBytes;
    this.#schemas = new SharedSchemas(registry.defs);
    if (isPlainObject(adapters)) checkAdapters(registry, adapters);
  }

  /** @returns the method, or a message that says why it does not exist */
  get(source: string, name: string): { reader: ParamsReader; adapter: Adapter } | string {
    const path = `sdk.${source}.${name}`;
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const schema = this.#registry.paramsOf(source, name);
    if (schema === undefined) return this.unknown(source, name);
    const method = {
      reader: new ParamsReader(path, schema, this.#maxParamsBytes, this.#schemas, this.#nullsOmittedBy(source, name)),
      adapter: this.#adapterOf(source, name),
    };
    this.#known.set(path, method);
    return method;
  }

  /** The message for a source or method name that does not exist. */
  unknown(source: string, name?: string) {
    if (!this.#registry.hasSource(source)) {
      const names = this.#registry.summary.map((one) => one.name);
      return `there is no sdk.${source}; ${suggestion(source, names, 'sdk.')}`;
    }
    return `there is no sdk.${source}.${name}; ${suggestion(String(name), this.#registry.methodNames(source), `sdk.${source}.`)}`;
  }

  #nullsOmittedBy(source: string, name: string) {
    const adapters = this.#adapters as Foreign;
    return typeof adapters === 'function' ? undefined : adapters[source][name][NULLS_OMITTED];
  }

  #adapterOf(source: string, name: string): Adapter {
    const adapters = this.#adapters as SandboxAdapters;
    if (typeof adapters === 'function') return (params, call) => adapters(source, name, params, call);
    return (params, call) => adapters[source][name](params, call);
  }
}

function suggestion(name: string, names: string[], prefix: string) {
  // Bounds the search: a guest triggers it, but it runs on the host's thread.
  const similar = names.filter(({ length }) => Math.abs(length - name.length) <= 3).slice(0, 200);
  const close = similar.length > 0 ? closest(name, similar) : undefined;
  if (close !== undefined) return `did you mean ${prefix}${close}?`;
  return `there are ${names.slice(0, 12).join(', ')}${names.length > 12 ? ' and others' : ''}`;
}

function checkAdapters(registry: Registry, adapters: Record<string, Foreign>) {
  for (const [source, methods] of registry.names()) {
    const path = memberPath('options.adapters', source);
    const own = Object.hasOwn(adapters, source) ? adapters[source] : undefined;
    for (const name of methods) {
      const given = (typeof own === 'object' && own !== null) || typeof own === 'function' ? own[name] : undefined;
      // Every object inherits `toString`, which is not an adapter.
      const adapter = given === Reflect.get(Object.prototype, name) ? undefined : given;
      if (typeof adapter !== 'function') {
        throw new TypeError(`${memberPath(path, name)} must be a function, got ${describe(adapter)}`);
      }
    }
  }
}
