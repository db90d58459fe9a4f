import { isBindable, isBuiltIn } from '../contract/identifiers';
import type { LeftOut } from './types';

// The top-level variables of a session whose values are plain data, and code that declares them in another isolate.

/** Variables of a session. */
export interface PlainData {
  /** whose values can change; and constants */
  variables: Map<string, unknown>;
  constants: Map<string, unknown>;
  /** frozen values, as the host sends them */
  frozen: Map<string, unknown>;
  leftOut: LeftOut[];
  /** whether nothing else is there, so that another isolate can go on with them as if it were the same */
  isWhole: boolean;
}

/**
 * Guest code whose value is what {@link readPlainData} reads. Plain data are primitives, and arrays, plain objects, dates, maps
 * and sets whose properties are ordinary. Programs may have declared any name of a built-in, but not changed a prototype.
 *
 * @param tools top-level names of tools
 * @param maxBytes how much values may take, about; then they are of no use if something has to be left out
 */
export function readingCode(tools: readonly string[], maxBytes?: number): string {
  return `((tools, maxBytes) => {
  const { getOwnPropertyDescriptor: descriptorOf, getOwnPropertyNames: namesOf, getOwnPropertySymbols: symbolsOf,
    getPrototypeOf: prototypeOf, isExtensible, isFrozen, prototype: ofObjects } = ({}).constructor;
  const { prototype: ofArrays, isArray } = [].constructor;
  const isOwn = (d) => d.get !== undefined || d.set !== undefined || d.enumerable || d.writable;
  const builtIn = (name) => {
    const d = descriptorOf(globalThis, name);
    return d !== undefined && !isOwn(d) ? d.value.prototype : null;
  };
  const [ofDates, ofMaps, ofSets] = ['Date', 'Map', 'Set'].map(builtIn);
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
    const isObject = prototype === ofObjects && ofObjects.toString.call(value) === '[object Object]';
    const isMap = ofMaps !== null && prototype === ofMaps;
    const isSet = ofSets !== null && prototype === ofSets;
    const isDate = ofDates !== null && prototype === ofDates;
    if (!isList && !isObject && (isFixed || !(isMap || isSet || isDate))) return 'an instance of a class';
    if (isFixed ? !isFrozen(value) : !isExtensible(value)) return isFixed ? 'partly frozen' : 'frozen';
    if (symbolsOf(value).length > 0) return 'a property with a symbol';
    for (const key of namesOf(value)) {
      if (isList && key === 'length') continue;
      bytes += isList ? 0 : bytesOf(key);
      const d = descriptorOf(value, key);
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
  const newSeen = () => (ofSets === null ? listed() : new ofSets.constructor());
  const found = { variables: [], constants: [], frozen: [], leftOut: [], isWhole: true };
  for (const name of namesOf(globalThis)) {
    const d = descriptorOf(globalThis, name);
    if (!isOwn(d) || tools.includes(name)) continue;
    let value;
    try {
      value = globalThis[name];
    } catch {
      found.leftOut.push([name, 'not initialized']);
      continue;
    }
    const reason = reasonOf(value, false, 0, newSeen());
    if (reason !== '') {
      const isFixed = reason === 'frozen' && reasonOf(value, true, 0, newSeen()) === '';
      if (isFixed) found.frozen.push([name, value]);
      // The host sends values as variables.
      if (isFixed) found.isWhole &&= d.writable === true;
      else found.leftOut.push([name, reason]);
      continue;
    }
    let isConstant = d.writable === false;
    try {
      // The setter of a constant throws.
      if (d.set !== undefined) d.set.call(undefined, value);
    } catch {
      isConstant = true;
    }
    found[isConstant ? 'constants' : 'variables'].push([name, value]);
  }
  for (const key of symbolsOf(globalThis)) {
    if (isOwn(descriptorOf(globalThis, key))) found.leftOut.push(['globalThis[' + key.toString() + ']', 'a symbol']);
  }
  found.isWhole &&= found.leftOut.length === 0;
  if (maxBytes === undefined) return found;
  found.isWhole &&= bytes <= maxBytes;
  return found.isWhole ? found : { ...found, variables: [], constants: [], frozen: [] };
})(${JSON.stringify(tools)}, ${maxBytes})`;
}

/** Names that the code of {@link restoringCode} needs itself. */
const NEEDED = new Set(['globalThis', 'structuredClone']);

/** @param output of {@link readingCode} */
export function readPlainData(output: unknown): PlainData {
  const read = output as Record<Exclude<keyof PlainData, 'isWhole'>, [string, unknown][]> & { isWhole: boolean };
  const leftOut = read.leftOut.map(([name, reason]) => ({ name, reason: String(reason) }));
  const mapOf = (found: [string, unknown][]) => {
    const isRefused = (name: string) => isBuiltIn(name) || NEEDED.has(name);
    leftOut.push(...found.flatMap(([name]) => (isRefused(name) ? [{ name, reason: 'the name of a built-in' }] : [])));
    return new Map(found.filter(([name]) => !isRefused(name)));
  };
  // The host cannot send them.
  const unsendable = read.frozen.filter(([name]) => !isBindable(name));
  leftOut.push(...unsendable.map(([name]) => ({ name, reason: 'frozen' })));
  const sendable = read.frozen.filter(([name]) => isBindable(name));
  const [variables, constants, frozen] = [mapOf(read.variables), mapOf(read.constants), mapOf(sendable)];
  return { variables, constants, frozen, leftOut, isWhole: read.isWhole && leftOut.length === 0 };
}

/** Of an isolate in which nothing was declared. */
export const NO_DATA: PlainData = {
  variables: new Map(),
  constants: new Map(),
  frozen: new Map(),
  leftOut: [],
  isWhole: true,
};

/**
 * Declares variables and constants in an isolate that has none. The values become copies that code can change.
 *
 * @returns variables to send, and the code to run after that
 */
export function restoring({ variables, constants, frozen }: Pick<PlainData, 'variables' | 'constants' | 'frozen'>): {
  variables: Record<string, unknown>;
  code: string;
} {
  const names = new Set([...variables.keys(), ...constants.keys(), ...frozen.keys()]);
  let holder = 'restored';
  while (names.has(holder)) holder += '_';
  const [bindable, others] = [[...variables].filter(isDeclared), [...variables].filter((entry) => !isDeclared(entry))];
  const lists = [bindable, [...constants], others];
  const valuesOf = lists.map((entries) => entries.map(([, value]) => value));
  const list = (entries: [string, unknown][]) => entries.map(([name]) => name).join(', ');
  const code = [
    // One copy, because values may share objects.
    `globalThis.${holder} = structuredClone(${holder});`,
    `let [${list(bindable)}] = ${holder}[0];`,
    `const [${list([...constants])}] = ${holder}[1];`,
    ...others.map(([name], index) => `globalThis[${JSON.stringify(name)}] = ${holder}[2][${index}];`),
    `delete globalThis.${holder};`,
    'undefined',
  ].join('\n');
  return { variables: { ...Object.fromEntries(frozen), [holder]: valuesOf }, code };
}

function isDeclared([name]: [string, unknown]) {
  return isBindable(name);
}
