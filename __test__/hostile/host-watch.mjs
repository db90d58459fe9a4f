// Tells whether something changed the host's realm.

const LANGUAGE = [
  ...['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Math', 'JSON', 'Reflect'],
  ...['Proxy', 'Promise', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Date', 'RegExp'],
  ...['Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Atomics', 'Uint8Array', 'Float64Array', 'BigInt64Array', 'Intl'],
  ...['console', 'process', 'eval', 'parseInt', 'parseFloat', 'structuredClone', 'queueMicrotask', 'setTimeout'],
];
/** What Node.js itself changes as it runs. */
const OWN_STATE = ['process'];

/** @param {unknown} value */
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

/** Records the host's intrinsics. Returns a function that lists what has changed since, as paths. */
export function watchHost() {
  const names = Reflect.ownKeys(globalThis);
  /** @type {Map<any, { path: string, extensible: boolean, prototype: unknown, properties: [PropertyKey, any][] }>} */
  const records = new Map();
  /** @type {[any, string][]} */
  const queue = [];
  for (const name of LANGUAGE) queue.push([/** @type {any} */ (globalThis)[name], name]);
  queue.push([(async () => {}).constructor, 'AsyncFunction'], [function* () {}.constructor, 'GeneratorFunction']);
  queue.push([async function* () {}.constructor, 'AsyncGeneratorFunction']);
  for (let at = 0; at < queue.length; at++) {
    const [object, path] = queue[at];
    if (!isObject(object) || records.has(object)) continue;
    /** @type {[PropertyKey, any][]} */
    const properties = [];
    const prototype = Object.getPrototypeOf(object);
    records.set(object, { path, extensible: Object.isExtensible(object), prototype, properties });
    if (OWN_STATE.includes(path)) continue;
    queue.push([prototype, `${path}.__proto__`]);
    for (const key of Reflect.ownKeys(object)) {
      const descriptor = Object.getOwnPropertyDescriptor(object, key);
      properties.push([key, descriptor]);
      const inner = `${path}.${String(key)}`;
      for (const part of [descriptor?.value, descriptor?.get, descriptor?.set]) queue.push([part, inner]);
    }
  }

  return () => {
    /** @type {string[]} */
    const changes = [];
    for (const [object, { path, extensible, prototype, properties }] of records) {
      if (Object.isExtensible(object) !== extensible) changes.push(`${path}: extensible`);
      if (Object.getPrototypeOf(object) !== prototype) changes.push(`${path}: prototype`);
      if (OWN_STATE.includes(path)) continue;
      const keys = Reflect.ownKeys(object);
      if (keys.length !== properties.length) changes.push(`${path}: ${properties.length} keys, now ${keys.length}`);
      for (const [key, before] of properties) {
        const after = /** @type {any} */ (Object.getOwnPropertyDescriptor(object, key));
        const isSame =
          after !== undefined && Reflect.ownKeys(before).every((field) => Object.is(before[field], after[field]));
        // RegExp.lastMatch and its like are what the host's own last match was.
        if (!isSame && !path.startsWith('RegExp')) changes.push(`${path}.${String(key)}`);
      }
    }
    const added = Reflect.ownKeys(globalThis).filter((name) => !names.includes(name));
    return [...changes, ...added.map((name) => `globalThis.${String(name)}`)].slice(0, 20);
  };
}
