import { compiledPattern } from './patterns';
import { isPlainObject } from '../contract/describe';
import type { Foreign } from '../contract/foreign';
import type { WorkBudget } from '../contract/budget';

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const ONE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
];
const ONE_LATE = ['unevaluatedItems', 'unevaluatedProperties'];
const LISTS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const NAMED = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'];

/** A definition that all schemas of a registry share. */
const SHARED = /^#\/\$defs\/([\w.-]+)$/;
const BASE = 'json-schema:///';

/** A part of a schema cannot be used: a reference that leads nowhere, or an invalid pattern. */
export class UnusableSchemaError extends Error {}

/** A part of a document with its own identifier: references inside are relative to it. */
class Resource {
  document;
  root;
  uri;
  anchors: Map<string, object>;
  dynamicAnchors: Map<string, object>;

  constructor(document: Document, root: Foreign, uri: string) {
    this.document = document;
    this.root = root;
    this.uri = uri;
    /** Schemas by `$anchor`; the second map has those with a `$dynamicAnchor`. */
    this.anchors = new Map();
    this.dynamicAnchors = new Map();
  }
}

/** One JSON Schema with all its parts. A part is examined when a value first reaches it. */
export class Document {
  root;

  #shared;
  #nodes: WeakMap<object, SchemaNode> = new WeakMap();
  #resources: WeakMap<object, Resource> = new WeakMap();
  /** Resources by their address, after the document was searched. */
  #byUri: Map<string, Resource> | undefined;

  constructor(schema: unknown, shared?: SharedSchemas) {
    this.#shared = shared;
    this.root = this.node(schema, new Resource(this, schema, BASE));
  }

  /** @param outer the resource that contains it */
  node(schema: Foreign, outer: Resource): SchemaNode {
    if (typeof schema !== 'object' || schema === null) return new SchemaNode(schema, outer);
    let node = this.#nodes.get(schema);
    if (node === undefined) {
      node = new SchemaNode(schema, this.#resourceOf(schema, outer));
      this.#nodes.set(schema, node);
    }
    return node;
  }

  /**
   * The schema that a reference leads to.
   *
   * @throws {UnusableSchemaError} if it leads nowhere
   */
  *resolve(ref: string, from: Resource, budget: WorkBudget): Generator<void, SchemaNode, void> {
    const found = this.#sharedNode(ref, from) ?? (yield* this.#find(ref, from, budget));
    if (found !== undefined) return found;
    throw new UnusableSchemaError(`the reference ${ref.slice(0, 200)} leads nowhere`);
  }

  #sharedNode(ref: string, from: Resource) {
    const name = SHARED.exec(ref)?.[1];
    if (name === undefined || Object.hasOwn(Object(from.root?.$defs), name)) return undefined;
    return this.#shared?.node(name);
  }

  *#find(ref: string, from: Resource, budget: WorkBudget) {
    const [address, fragment = ''] = ref.split('#', 2);
    let resource = from;
    if (address !== '') {
      const known = yield* this.index(budget);
      const found = known.get(resolved(address, from.uri));
      if (found === undefined) return undefined;
      resource = found;
    }
    if (fragment === '') return this.node(resource.root, resource);
    if (fragment.startsWith('/')) return this.#byPointer(fragment, resource);
    yield* this.index(budget);
    const schema = resource.anchors.get(fragment);
    return schema && this.node(schema, resource);
  }

  #byPointer(pointer: string, from: Resource) {
    let resource = from;
    let schema = from.root;
    for (const part of pointer.slice(1).split('/')) {
      const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return undefined;
      schema = schema[key];
      if (isPlainObject(schema)) resource = this.#resourceOf(schema, resource);
    }
    return this.node(schema, resource);
  }

  /** Searches the document for identifiers and anchors. */
  *index(budget: WorkBudget) {
    if (this.#byUri !== undefined) return this.#byUri;
    const byUri = new Map();
    const seen = new Set();
    const open: [Foreign, Resource][] = [[this.root.schema, this.root.resource]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      budget.spend(1);
      if (budget.shouldPause) yield;
      const [schema, outer] = next;
      if (!isPlainObject(schema) || seen.has(schema)) continue;
      seen.add(schema);
      const resource = this.#resourceOf(schema, outer);
      if (!byUri.has(resource.uri)) byUri.set(resource.uri, resource);
      addAnchors(schema, resource);
      for (const part of partsOf(schema)) open.push([part, resource]);
    }
    this.#byUri = byUri;
    return byUri;
  }

  #resourceOf(schema: Foreign, outer: Resource) {
    const id = typeof schema.$id === 'string' ? schema.$id : schema.id;
    if (typeof id !== 'string' || id.startsWith('#') || (outer.root === schema && outer.uri !== BASE)) return outer;
    let resource = this.#resources.get(schema);
    if (resource === undefined) {
      resource = new Resource(this, schema, resolved(id, outer.uri));
      this.#resources.set(schema, resource);
    }
    return resource;
  }
}

/** The schemas that those of a registry share. Each is parsed when a value first reaches it. */
export class SharedSchemas {
  #texts;
  #nodes: Map<string, SchemaNode> = new Map();

  /** @param texts JSON by name; `#/$defs/name` refers to it */
  constructor(texts: Map<string, string> = new Map()) {
    this.#texts = texts;
  }

  node(name: string) {
    const known = this.#nodes.get(name);
    const text = this.#texts.get(name);
    if (known !== undefined || text === undefined) return known;
    const { root } = new Document(JSON.parse(text), this);
    this.#nodes.set(name, root);
    return root;
  }
}

/** One schema of a document, with values derived from it. */
class SchemaNode {
  schema;
  resource;
  isAny;
  isNever;
  types;

  /** Schemas that it refers to, by reference. */
  targets: Map<string, SchemaNode> = new Map();
  /** Members of its `enum` that are strings. */
  enumStrings: Set<unknown> | undefined;
  /** The checks for values. */
  rules: Foreign[] | undefined;

  constructor(schema: Foreign, resource: Resource) {
    this.schema = schema;
    this.resource = resource;
    this.isAny = schema === true || (typeof schema === 'object' && isEmpty(schema));
    this.isNever = schema === false;
    this.types = typesOf(schema);
  }

  /** @param schema a part of this one */
  child(schema: Foreign): SchemaNode {
    return this.resource.document.node(schema, this.resource);
  }

  *target(ref: string, budget: WorkBudget) {
    const known = this.targets.get(ref);
    if (known !== undefined) return known;
    const target = yield* this.resource.document.resolve(ref, this.resource, budget);
    this.targets.set(ref, target);
    return target;
  }
}

/** Recently used patterns, by their source. */
const patterns: Map<string, ReturnType<typeof matcherOf>> = new Map();
/** Characters and classes of all of them together: one takes up to a kilobyte. */
const MAX_PATTERN_SIZE = 20_000;
let patternSize = 0;

/** @throws {UnusableSchemaError} */
export function patternOf(text: string) {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  try {
    const matcher = matcherOf(text);
    patternSize += matcher.size;
    if (patternSize > MAX_PATTERN_SIZE) {
      patterns.clear();
      patternSize = matcher.size;
    }
    patterns.set(text, matcher);
    return matcher;
  } catch (cause) {
    throw new UnusableSchemaError((cause as Error).message, { cause });
  }
}

/**
 * RE2 has a fast path for small patterns. Without it, a match takes a step per character of the string and of the
 * pattern.
 */
function matcherOf(text: string) {
  const { pattern, size, width } = compiledPattern(text);
  let usToCompile = 40 * size;
  return {
    size,
    find: (given: string) => pattern.matcher(given).find(),
    usPerCharacter: 0.2 + (width > 16 ? 0.125 : 0.02) * width + 0.004 * size,
    /** The time that compiling took, for the first caller. */
    compileUs: () => {
      const us = usToCompile;
      usToCompile = 0;
      return us;
    },
  };
}

function typesOf({ type, nullable }: Foreign = {}) {
  const types = typeof type === 'string' ? [type] : type;
  if (!Array.isArray(types) || types.length === 0) return undefined;
  return nullable === true ? [...types, 'null'] : types;
}

function isEmpty(schema: Foreign) {
  for (const _ in schema) return false;
  return true;
}

function addAnchors(schema: Foreign, resource: Resource) {
  const { $id, $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
  if (typeof $id === 'string' && $id.startsWith('#')) resource.anchors.set($id.slice(1), schema);
  if (typeof $anchor === 'string') resource.anchors.set($anchor, schema);
  if (typeof $dynamicAnchor === 'string') {
    resource.anchors.set($dynamicAnchor, schema);
    resource.dynamicAnchors.set($dynamicAnchor, schema);
  }
  if ($recursiveAnchor === true) resource.dynamicAnchors.set('', schema);
}

/** The schemas that are parts of a schema. */
function* partsOf(schema: Foreign) {
  for (const word of [...ONE, ...ONE_LATE]) if (isPlainObject(schema[word])) yield schema[word];
  for (const word of LISTS) if (Array.isArray(schema[word])) yield* schema[word];
  for (const word of NAMED) {
    const named = schema[word];
    if (isPlainObject(named)) for (const name in named) yield named[name];
  }
}

function resolved(address: string, base: string) {
  try {
    const url = new URL(address, base);
    url.hash = '';
    return url.href;
  } catch {
    return address;
  }
}

function decoded(part: string) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
