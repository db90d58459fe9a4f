import { BUILT_INS, isBindable, isBuiltIn } from '../contract/identifiers';
import { GUEST_GLOBALS, OPTIONAL_GLOBALS } from '../typecheck/guest-globals';
import type { LeftOut } from './types';

// The top-level variables of a session whose values are plain data, and code that declares them in another isolate.

/** A name of the global object. */
export interface PlainVariable {
  name: string;
  /**
   * How the global object has it. `property` and `constant` are data, whether they were declared or not; `let` and
   * `const` have accessors; of a `tool` only the place matters.
   */
  kind: 'property' | 'constant' | 'let' | 'const' | 'tool';
  /** whether the value is frozen, with everything in it */
  isFrozen: boolean;
  value: unknown;
}

/** Variables of a session. */
export interface PlainData {
  /** in the order of the global object */
  variables: PlainVariable[];
  leftOut: LeftOut[];
  /** whether nothing else is there, so that another isolate can go on with them as if it were the same */
  isWhole: boolean;
}

/** Globals of the language that guests do not have. */
const ABSENT = new Set(['Atomics', 'FinalizationRegistry', 'SharedArrayBuffer', 'WeakRef']);

/** The globals of a new isolate. */
export function builtInNames(groups: readonly string[]): string[] {
  const optional = groups.flatMap((group) => [...(OPTIONAL_GLOBALS.get(group)?.keys() ?? [])]);
  return [...[...BUILT_INS].filter((name) => !ABSENT.has(name)), 'eval', ...GUEST_GLOBALS.keys(), ...optional];
}

/**
 * Guest code whose value is what {@link readPlainData} reads. Plain data are primitives, and arrays, plain objects,
 * dates, maps and sets whose properties are ordinary. Programs may have changed every global, but no prototype.
 *
 * @param tools top-level names of tools
 * @param groups optional globals that the guest has
 * @param maxBytes how much values may take, about; then they are of no use if something has to be left out
 */
export function readingCode(tools: readonly string[], groups: readonly string[], maxBytes?: number): string {
  return `((tools, builtIns, maxBytes) => {
  const { getOwnPropertyDescriptor: descriptorOf, getOwnPropertyNames: namesOf, getOwnPropertySymbols: symbolsOf,
    getPrototypeOf: prototypeOf, isExtensible, isFrozen, prototype: ofObjects } = ({}).constructor;
  const { prototype: ofArrays, isArray } = [].constructor;
  const textOf = (() => {}).constructor.prototype.toString;
  const tagOf = (value) => ofObjects.toString.call(value);
  const isNative = (value) => typeof value === 'function' && textOf.call(value).endsWith('{ [native code] }');
  const isOriginal = (name, { value, writable, enumerable, configurable, get }) => {
    if (get !== undefined || writable !== false || enumerable) return false;
    if (value === globalThis) return ['globalThis', 'self', 'global'].includes(name);
    if (value === null || (typeof value !== 'function' && typeof value !== 'object')) return !configurable;
    if (!isFrozen(value)) return false;
    if (typeof value === 'function') return value.name === name && isNative(value);
    const method = { crypto: 'randomUUID', performance: 'now' }[name];
    return method === undefined ? tagOf(value) === '[object ' + name + ']' : isNative(value[method]);
  };
  const originalOf = (name) => {
    const d = descriptorOf(globalThis, name);
    return d !== undefined && isOriginal(name, d) ? d.value : undefined;
  };
  const [ofDates, ofMaps, ofSets] = ['Date', 'Map', 'Set'].map((name) => originalOf(name)?.prototype);
  const clone = originalOf('structuredClone');
  const sizes = [ofMaps, ofSets].map((prototype) => prototype && descriptorOf(prototype, 'size').get);
  const hasSize = (value, at) => {
    try {
      return sizes[at].call(value) >= 0;
    } catch {
      return false;
    }
  };
  let bytes = 0;
  const bytesOf = (value) => (typeof value === 'string' ? value.length * (/[^\\0-\\xff]/.test(value) ? 2 : 1) : 8);
  const reasonOf = (value, isFixed, depth, seen) => {
    bytes += bytesOf(value);
    if (typeof value === 'function' || typeof value === 'symbol') return 'a ' + typeof value;
    if (value === null || typeof value !== 'object') return '';
    if (depth > 200) return 'nested too deeply';
    if (seen.has(value)) return '';
    seen.add(value);
    const prototype = prototypeOf(value);
    const isList = prototype === ofArrays && isArray(value);
    const isObject = prototype === ofObjects && tagOf(value) === '[object Object]';
    const isMap = prototype === ofMaps && hasSize(value, 0);
    const isSet = prototype === ofSets && hasSize(value, 1);
    const isDate = prototype === ofDates && tagOf(value) === '[object Date]';
    if (!isList && !isObject && (isFixed || !(isMap || isSet || isDate))) return 'an instance of a class';
    if (isFixed ? !isFrozen(value) : !isExtensible(value)) return isFixed ? 'partly frozen' : 'frozen';
    if (symbolsOf(value).length > 0) return 'a property with a symbol';
    for (const key of namesOf(value)) {
      const d = descriptorOf(value, key);
      if (isList && key === 'length') {
        if (!isFixed && !d.writable) return 'a property with attributes';
        continue;
      }
      if (!isList && !isObject) return 'a property of an object of this class';
      bytes += isList ? 0 : bytesOf(key);
      if (!('value' in d)) return 'an accessor';
      if (!d.enumerable || (!isFixed && !(d.writable && d.configurable))) return 'a property with attributes';
      const reason = reasonOf(d.value, isFixed, depth + 1, seen);
      if (reason !== '') return reason;
    }
    if (isMap || isSet) {
      for (const entry of isMap ? [...value].flat() : [...value]) {
        const reason = reasonOf(entry, isFixed, depth + 1, seen);
        if (reason !== '') return reason;
      }
    }
    return '';
  };
  const listed = () => {
    const list = [];
    return { has: (value) => list.includes(value), add: (value) => list.push(value) };
  };
  const newSeen = () => (ofSets === undefined ? listed() : new ofSets.constructor());
  // Proxies have no copy, and that of an object may show that its prototype was replaced.
  const isCopy = (copy, value, seen) => {
    if (value === null || typeof value !== 'object' || seen.has(value)) return true;
    seen.add(value);
    if (prototypeOf(copy) !== prototypeOf(value)) return false;
    if (prototypeOf(value) === ofMaps || prototypeOf(value) === ofSets) return isCopy([...copy], [...value], seen);
    return namesOf(value).every((key) => isCopy(copy[key], value[key], seen));
  };
  const found = { variables: [], leftOut: [], isWhole: true };
  const kindOf = (name, d) => {
    if (!d.enumerable || !d.configurable) return undefined;
    if (d.get === undefined) return d.set !== undefined ? undefined : d.writable ? 'property' : 'constant';
    return textOf.call(d.get) === 'function get ' + name + '() { [native code] }' ? 'let' : undefined;
  };
  const look = (name, d) => {
    let kind = kindOf(name, d);
    let value = d.value;
    if (kind === 'let') {
      try {
        value = globalThis[name];
      } catch {
        return 'not initialized';
      }
    } else if (d.get !== undefined || d.set !== undefined) return 'an accessor';
    let [isFixed, reason] = [false, reasonOf(value, false, 0, newSeen())];
    if (reason === 'frozen' && reasonOf(value, true, 0, newSeen()) === '') [isFixed, reason] = [true, ''];
    if (reason !== '') return reason;
    if (kind === undefined) return 'a property with attributes';
    if (clone !== undefined && !isCopy(clone(value), value, newSeen())) return 'an instance of a class';
    try {
      // The setter of a constant throws.
      if (kind === 'let') d.set.call(undefined, value);
    } catch {
      kind = 'const';
    }
    found.variables.push([name, kind, isFixed, value]);
    return '';
  };
  const names = namesOf(globalThis);
  for (const name of names) {
    const d = descriptorOf(globalThis, name);
    if (builtIns.includes(name) && isOriginal(name, d)) continue;
    if (tools.includes(name)) {
      found.variables.push([name, 'tool', false, undefined]);
      continue;
    }
    let reason;
    try {
      reason = look(name, d);
    } catch {
      reason = 'an object that cannot be copied';
    }
    if (reason !== '') found.leftOut.push([name, reason]);
  }
  for (const name of builtIns) if (!names.includes(name)) found.leftOut.push([name, 'a built-in that was deleted']);
  for (const key of symbolsOf(globalThis)) found.leftOut.push(['globalThis[' + key.toString() + ']', 'a symbol']);
  if (!isExtensible(globalThis)) found.leftOut.push(['globalThis', 'not extensible']);
  found.isWhole = found.leftOut.length === 0;
  if (maxBytes === undefined) return found;
  found.isWhole &&= bytes <= maxBytes;
  return found.isWhole ? found : { ...found, variables: [] };
})(${JSON.stringify(tools)}, ${JSON.stringify(builtInNames(groups))}, ${maxBytes})`;
}

/** Names that the code of {@link restoring} needs itself. */
const NEEDED = new Set(['globalThis', 'structuredClone']);

/** @param output of {@link readingCode} */
export function readPlainData(output: unknown): PlainData {
  const read = output as {
    variables: [string, PlainVariable['kind'], boolean, unknown][];
    leftOut: [string, string][];
    isWhole: boolean;
  };
  const isRefused = ([name, kind]: [string, string, ...unknown[]]) =>
    kind !== 'tool' && (isBuiltIn(name) || NEEDED.has(name));
  const refused = read.variables.filter(isRefused).map(([name]) => ({ name, reason: 'the name of a built-in' }));
  const leftOut = [...read.leftOut.map(([name, reason]) => ({ name, reason: String(reason) })), ...refused];
  const variables = read.variables
    .filter((entry) => !isRefused(entry))
    .map(([name, kind, isFrozen, value]) => ({ name, kind, isFrozen, value }));
  return { variables, leftOut, isWhole: read.isWhole && leftOut.length === 0 };
}

/** Of an isolate in which nothing was declared. */
export const NO_DATA: PlainData = { variables: [], leftOut: [], isWhole: true };

/** What to do in an isolate that has no variables, one after the other. `tools`: top-level names. */
export type RestoringStep = { variables: Record<string, unknown> } | { code: string } | { tools: string[] };

/**
 * Declares variables and constants in an isolate that has none. The values become copies. The order stays, and so does
 * the form that the global object has them in: a program that names the global object declares accessors.
 */
export function restoring({ variables }: Pick<PlainData, 'variables'>): RestoringStep[] {
  const names = new Set(variables.map(({ name }) => name));
  let holder = 'restored';
  while (names.has(holder)) holder += '_';
  const [copied, frozen]: [unknown[], unknown[]] = [[], []];
  const steps: RestoringStep[] = [{ variables: { [holder]: [copied, frozen] } }];
  // What the host sends is frozen. One copy of the rest, because values may share objects.
  let program = new Program([`${holder} = [structuredClone(${holder}[0]), ${holder}[1]];`]);
  for (const variable of variables) {
    const { name, kind, isFrozen, value } = variable;
    if (kind === 'tool' || !program.takes(variable)) {
      steps.push(...program.steps);
      program = new Program([]);
    }
    if (kind === 'tool') steps.push({ tools: [name] });
    else program.add(variable, `${holder}[${Number(isFrozen)}][${(isFrozen ? frozen : copied).push(value) - 1}]`);
  }
  return [...steps, ...program.steps, { code: `delete globalThis.${holder};\nundefined` }];
}

/** A program that declares variables. */
class Program {
  /** Whether it names the global object. */
  #isGlobal: boolean | undefined;
  #hasProperties = false;

  constructor(private readonly lines: string[]) {}

  /** Whether the variable is declared after those before it, in its form. */
  takes({ name, kind }: PlainVariable) {
    const isProperty = kind === 'property';
    if (this.#isGlobal === undefined) return true;
    if (this.#isGlobal) return isProperty || (kind !== 'constant' && !this.#hasProperties);
    return kind === 'constant' || (isProperty && isBindable(name));
  }

  add({ name, kind }: PlainVariable, value: string) {
    const isAccessor = kind === 'let' || kind === 'const';
    this.#isGlobal ??= isAccessor || !isBindable(name);
    if (!this.#isGlobal || isAccessor) {
      const isConstant = kind === 'constant' || kind === 'const';
      this.lines.push(`${isConstant ? 'const' : 'let'} ${name} = ${value};`);
      return;
    }
    this.#hasProperties = true;
    // Assignment fails for names that all objects inherit.
    const property = `{ value: ${value}, writable: true, enumerable: true, configurable: true }`;
    this.lines.push(`({}).constructor.defineProperty(globalThis, ${JSON.stringify(name)}, ${property});`);
  }

  get steps(): RestoringStep[] {
    if (this.lines.length === 0) return [];
    const whole = this.#isGlobal ? ['globalThis;'] : [];
    return [{ code: [...whole, ...this.lines, 'undefined'].join('\n') }];
  }
}
