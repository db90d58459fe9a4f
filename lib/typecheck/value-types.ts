import { types } from 'node:util';

import { className, isPlainObject } from '../contract/describe';
import { isIdentifier } from '../contract/identifiers';

/** Parts of a value that its type is made from. The types of others are not looked at. */
const MAX_PARTS = 2_000;
const MAX_DEPTH = 8;
/** Items of a list, and values of an object, that its type is made from. */
const MAX_ITEMS = 50;
/** An object with more members is a dictionary. */
const MAX_MEMBERS = 100;
/** Classes whose instances guests get as such. */
const CLASSES = new Set(
  `Date RegExp ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array
  Float32Array Float64Array BigInt64Array BigUint64Array Error TypeError RangeError SyntaxError ReferenceError EvalError
  URIError`.split(/\s+/),
);
const ANY = 'any';
/** A type of single values, or several. */
const PRIMITIVES = /^(?:string|number|boolean|bigint)(?: \| (?:string|number|boolean|bigint))*$/;

/** The shape of a value. */
type Shape = string | ListShape | ObjectShape;

class ListShape {
  /** @param item undefined for an empty list */
  constructor(readonly item: Shape | undefined) {}
}

class ObjectShape {
  /** @param isOpen whether objects of this shape may have further members */
  constructor(
    readonly members: Map<string, { shape: Shape; isOptional: boolean }>,
    readonly isOpen: boolean,
  ) {}
}

/**
 * The TypeScript type of a value that is sent to guests. Members of lists may differ, so their types are merged. Parts
 * that are not looked at may have any type.
 */
export function typeOfValue(value: unknown): string {
  return textOf(new Shapes().of(value, 0));
}

class Shapes {
  #left = MAX_PARTS;
  #above: Set<unknown> = new Set();

  of(value: unknown, depth: number): Shape {
    if (this.#left-- <= 0 || depth > MAX_DEPTH) return ANY;
    if (typeof value !== 'object' || value === null) return primitive(value);
    // Proxies would run code of the host, and cycles would have no end.
    if (types.isProxy(value) || this.#above.has(value)) return ANY;
    this.#above.add(value);
    const shape = this.#ofObject(value, depth);
    this.#above.delete(value);
    return shape;
  }

  #ofObject(value: object, depth: number): Shape {
    if (Array.isArray(value)) return this.#ofItems(value, depth);
    if (value instanceof Map) return 'Map<any, any>';
    if (value instanceof Set) return 'Set<any>';
    if (!isPlainObject(value)) {
      const name = className(value);
      return CLASSES.has(name) ? name : ANY;
    }
    const names = Object.keys(value);
    const isDictionary = names.length > MAX_MEMBERS;
    const shapes = names
      .slice(0, isDictionary ? MAX_ITEMS : MAX_MEMBERS)
      .map((name) => this.#ofMember(value, name, depth));
    if (isDictionary) return `Record<string, ${textOf(opened(shapes.reduce(merged)))}>`;
    return new ObjectShape(new Map(names.map((name, at) => [name, { shape: shapes[at], isOptional: false }])), false);
  }

  #ofMember(holder: object, name: string, depth: number): Shape {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    // A getter is code of the host.
    return descriptor === undefined || descriptor.get !== undefined ? ANY : this.of(descriptor.value, depth + 1);
  }

  #ofItems(list: unknown[], depth: number): Shape {
    const some = list.slice(0, MAX_ITEMS).map((item) => this.of(item, depth + 1));
    if (some.length === 0) return new ListShape(undefined);
    const item = some.reduce(merged);
    return new ListShape(list.length > some.length ? opened(item) : item);
  }
}

function primitive(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
      return typeof value;
    // A variable that is empty now may be anything later.
    default:
      return ANY;
  }
}

/** The shape of values of both shapes. */
function merged(a: Shape, b: Shape): Shape {
  if (a instanceof ListShape && b instanceof ListShape) {
    if (a.item === undefined || b.item === undefined) return new ListShape(a.item ?? b.item);
    return new ListShape(merged(a.item, b.item));
  }
  if (a instanceof ObjectShape && b instanceof ObjectShape) return mergedObjects(a, b);
  if (typeof a !== 'string' || typeof b !== 'string') return ANY;
  if (a === b) return a;
  return PRIMITIVES.test(a) && PRIMITIVES.test(b) ? [...new Set(`${a} | ${b}`.split(' | '))].join(' | ') : ANY;
}

function mergedObjects(a: ObjectShape, b: ObjectShape) {
  const members: ObjectShape['members'] = new Map();
  for (const name of new Set([...a.members.keys(), ...b.members.keys()])) {
    const [one, other] = [a.members.get(name), b.members.get(name)];
    const isOptional = one === undefined || other === undefined || one.isOptional || other.isOptional;
    const shape = one === undefined || other === undefined ? (one ?? other)?.shape : merged(one.shape, other.shape);
    members.set(name, { shape: shape ?? ANY, isOptional });
  }
  return new ObjectShape(members, a.isOpen || b.isOpen);
}

/** The shape for values of which only some were looked at: objects may have further members. */
function opened(shape: Shape): Shape {
  if (shape instanceof ListShape) return new ListShape(shape.item && opened(shape.item));
  if (!(shape instanceof ObjectShape)) return shape;
  const members = [...shape.members].map(
    ([name, member]) => [name, { ...member, shape: opened(member.shape) }] as const,
  );
  return new ObjectShape(new Map(members), true);
}

function textOf(shape: Shape): string {
  if (shape instanceof ListShape) return `Array<${shape.item === undefined ? ANY : textOf(shape.item)}>`;
  if (!(shape instanceof ObjectShape)) return shape;
  const members = [...shape.members].map(([name, member]) => {
    const key = isIdentifier(name) ? name : JSON.stringify(name);
    return `${key}${member.isOptional ? '?' : ''}: ${textOf(member.shape)}`;
  });
  if (shape.isOpen) members.push('[other: string]: any');
  return members.length === 0 ? 'Record<string, any>' : `{ ${members.join(', ')} }`;
}
