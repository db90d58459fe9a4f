import { isBindable, isBuiltIn } from '../contract/identifiers';
import { isSchema, resolve } from './schema-types';
import type { Schema } from './schema-types';

/** A type with a name. */
export interface NamedType {
  name: string;
  schema: Schema;
  /** The document that its `$ref` point into. */
  root: unknown;
}

const MAX_NAME = 60;
/** References that are followed to find out whether two types are the same. A type with more of them is not shared. */
const MAX_REFERENCES = 64;
const MAX_CHARS = 100_000;
/** Characters that are read for all types together. */
const MAX_ALL_CHARS = 1_000_000;
/** Words that mean a type, and types that declarations use. */
const WORDS = new Set(
  `any bigint boolean never null number object string symbol undefined unknown void Array Partial Promise Record type
  declare namespace module abstract as asserts async await infer is keyof readonly require unique`.split(/\s+/),
);
const REFERENCE = /"\$ref":("(?:[^"\\]|\\.)*")/g;

/** Names for the types that `$ref` point to. Equal types of several documents have one name. */
export class TypeNames {
  #names: Set<string>;
  #known: Map<unknown, Map<unknown, string>> = new Map();
  #byKey: Map<string, string> = new Map();
  #charsLeft = MAX_ALL_CHARS;
  /** The types that have names, in the order of their first use. */
  readonly types: NamedType[] = [];

  /** @param taken names that mean something else */
  constructor(taken: Iterable<string>) {
    this.#names = new Set(taken);
  }

  /** @returns undefined for a reference without a target */
  nameOf(reference: string, root: unknown): string | undefined {
    const schema = resolve({ $ref: reference }, root);
    if (!isSchema(schema)) return undefined;
    const known = this.#known.get(root) ?? new Map();
    this.#known.set(root, known);
    let name = known.get(schema);
    if (name === undefined) {
      const key = this.#charsLeft > 0 ? keyOf(schema, root) : undefined;
      this.#charsLeft -= key?.length ?? MAX_CHARS;
      name = (key === undefined ? undefined : this.#byKey.get(key)) ?? this.#add(reference, { schema, root });
      known.set(schema, name);
      if (key !== undefined) this.#byKey.set(key, name);
    }
    return name;
  }

  #add(reference: string, type: Omit<NamedType, 'name'>) {
    const wanted = typeName(reference);
    let name = wanted;
    for (let number = 2; this.#names.has(name); number++) name = `${wanted}${number}`;
    this.#names.add(name);
    this.types.push({ name, ...type });
    return name;
  }
}

/** An identifier from the last part of a reference: `#/$defs/Order-Item` is `Order_Item`. */
function typeName(reference: string) {
  const last = reference.slice(reference.lastIndexOf('/') + 1).replace(/^#$/, 'Input');
  const name = last
    .slice(0, MAX_NAME)
    .replace(/[^\p{ID_Continue}$]/gu, '_')
    .replace(/^(?!\p{ID_Start}|[$_])/u, '_');
  return isBindable(name) && !isBuiltIn(name) && !WORDS.has(name) ? name : `${name}_`;
}

/** The text of a type and of all types that it refers to. Undefined if they are too many, or not JSON. */
function keyOf(schema: Schema, root: unknown): string | undefined {
  const open: [pointer: string, target: unknown][] = [['', schema]];
  const pointers = new Set<string>();
  const texts: string[] = [];
  let chars = 0;
  for (const [pointer, target] of open) {
    const text = jsonOf(target);
    chars += text?.length ?? Infinity;
    if (text === undefined || chars > MAX_CHARS || open.length > MAX_REFERENCES) return undefined;
    texts.push(pointer, text);
    for (const [, quoted] of text.matchAll(REFERENCE)) {
      const next: string = JSON.parse(quoted);
      if (pointers.has(next)) continue;
      pointers.add(next);
      open.push([next, resolve({ $ref: next }, root)]);
    }
  }
  return JSON.stringify(texts);
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value ?? null);
  } catch {
    return undefined;
  }
}
