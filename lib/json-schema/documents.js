// @ts-check
'use strict';

const { compiledPattern } = require('./patterns');
const { isPlainObject } = require('../contract/describe');

/** Words under which a schema has one schema, a list of them, or some by name. */
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

/** A part of a schema cannot be used: a reference that leads nowhere, a pattern that is none. */
class UnusableSchemaError extends Error {}

/** @typedef {import('../contract/budget').WorkBudget} WorkBudget */

/** A part of a document that has an identifier of its own: references inside are relative to it. */
class Resource {
  /**
   * @param {Document} document
   * @param {any} root
   * @param {string} uri
   */
  constructor(document, root, uri) {
    this.document = document;
    this.root = root;
    this.uri = uri;
    /** Schemas by `$anchor`, and those that also have a `$dynamicAnchor`. @type {Map<string, object>} */
    this.anchors = new Map();
    /** @type {Map<string, object>} */
    this.dynamicAnchors = new Map();
  }
}

/** One JSON Schema with everything in it. Parts are looked at when a value gets to them. */
class Document {
  #shared;
  /** @type {WeakMap<object, SchemaNode>} */
  #nodes = new WeakMap();
  /** @type {WeakMap<object, Resource>} */
  #resources = new WeakMap();
  /** Those that are known by their address, once the document has been searched. @type {Map<string, Resource> | undefined} */
  #byUri;

  /**
   * @param {unknown} schema
   * @param {SharedSchemas} [shared]
   */
  constructor(schema, shared) {
    this.#shared = shared;
    this.root = this.node(schema, new Resource(this, schema, BASE));
  }

  /**
   * @param {any} schema
   * @param {Resource} outer that it is in
   * @returns {SchemaNode}
   */
  node(schema, outer) {
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
   * @param {string} ref
   * @param {Resource} from
   * @param {WorkBudget} budget
   * @returns {Generator<void, SchemaNode, void>}
   * @throws {UnusableSchemaError} if it leads nowhere
   */
  *resolve(ref, from, budget) {
    const found = this.#sharedNode(ref, from) ?? (yield* this.#find(ref, from, budget));
    if (found !== undefined) return found;
    throw new UnusableSchemaError(`the reference ${ref.slice(0, 200)} leads nowhere`);
  }

  /**
   * @param {string} ref
   * @param {Resource} from
   */
  #sharedNode(ref, from) {
    const name = SHARED.exec(ref)?.[1];
    if (name === undefined || Object.hasOwn(Object(from.root?.$defs), name)) return undefined;
    return this.#shared?.node(name);
  }

  /**
   * @param {string} ref
   * @param {Resource} from
   * @param {WorkBudget} budget
   */
  *#find(ref, from, budget) {
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

  /**
   * @param {string} pointer
   * @param {Resource} from
   */
  #byPointer(pointer, from) {
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

  /**
   * Searches the document for identifiers and anchors.
   *
   * @param {WorkBudget} budget
   */
  *index(budget) {
    if (this.#byUri !== undefined) return this.#byUri;
    const byUri = new Map();
    const seen = new Set();
    /** @type {[any, Resource][]} */
    const open = [[this.root.schema, this.root.resource]];
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

  /**
   * @param {any} schema
   * @param {Resource} outer
   */
  #resourceOf(schema, outer) {
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

/** The schemas that those of a registry share, each parsed when a value first gets to it. */
class SharedSchemas {
  #texts;
  /** @type {Map<string, SchemaNode>} */
  #nodes = new Map();

  /** @param {Map<string, string>} texts JSON by name, to which `#/$defs/name` refers */
  constructor(texts = new Map()) {
    this.#texts = texts;
  }

  /** @param {string} name */
  node(name) {
    const known = this.#nodes.get(name);
    const text = this.#texts.get(name);
    if (known !== undefined || text === undefined) return known;
    const { root } = new Document(JSON.parse(text), this);
    this.#nodes.set(name, root);
    return root;
  }
}

/** One schema of a document, and what has been worked out of it. */
class SchemaNode {
  /** Schemas that it refers to, by reference. @type {Map<string, SchemaNode>} */
  targets = new Map();
  /** Members of its `enum` that are strings. @type {Set<unknown> | undefined} */
  enumStrings;
  /** What values are checked for. @type {any[] | undefined} */
  rules;

  /**
   * @param {any} schema
   * @param {Resource} resource
   */
  constructor(schema, resource) {
    this.schema = schema;
    this.resource = resource;
    this.isAny = schema === true || (typeof schema === 'object' && isEmpty(schema));
    this.isNever = schema === false;
    this.types = typesOf(schema);
  }

  /**
   * @param {any} schema that is a part of this one
   * @returns {SchemaNode}
   */
  child(schema) {
    return this.resource.document.node(schema, this.resource);
  }

  /**
   * @param {string} ref
   * @param {WorkBudget} budget
   */
  *target(ref, budget) {
    const known = this.targets.get(ref);
    if (known !== undefined) return known;
    const target = yield* this.resource.document.resolve(ref, this.resource, budget);
    this.targets.set(ref, target);
    return target;
  }
}

/** Patterns that were used last, by their texts. @type {Map<string, ReturnType<typeof matcherOf>>} */
const patterns = new Map();
/** Characters and classes of all of them: one takes up to a kilobyte. */
const MAX_PATTERN_SIZE = 20_000;
let patternSize = 0;

/**
 * @param {string} text
 * @throws {UnusableSchemaError}
 */
function patternOf(text) {
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
    throw new UnusableSchemaError(/** @type {Error} */ (cause).message, { cause });
  }
}

/**
 * RE2 has a fast way for small patterns; without it, it takes a step per character of the text and of the pattern.
 *
 * @param {string} text
 */
function matcherOf(text) {
  const { pattern, size, width } = compiledPattern(text);
  let usToCompile = 40 * size;
  return {
    size,
    find: (/** @type {string} */ given) => pattern.matcher(given).find(),
    usPerCharacter: 0.2 + (width > 16 ? 0.125 : 0.02) * width + 0.004 * size,
    /** What it has cost, for the first one who asks. */
    compileUs: () => {
      const us = usToCompile;
      usToCompile = 0;
      return us;
    },
  };
}

/** @param {any} schema */
function typesOf({ type, nullable } = {}) {
  const types = typeof type === 'string' ? [type] : type;
  if (!Array.isArray(types) || types.length === 0) return undefined;
  return nullable === true ? [...types, 'null'] : types;
}

/** @param {any} schema */
function isEmpty(schema) {
  for (const _ in schema) return false;
  return true;
}

/**
 * @param {any} schema
 * @param {Resource} resource
 */
function addAnchors(schema, resource) {
  const { $id, $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
  if (typeof $id === 'string' && $id.startsWith('#')) resource.anchors.set($id.slice(1), schema);
  if (typeof $anchor === 'string') resource.anchors.set($anchor, schema);
  if (typeof $dynamicAnchor === 'string') {
    resource.anchors.set($dynamicAnchor, schema);
    resource.dynamicAnchors.set($dynamicAnchor, schema);
  }
  if ($recursiveAnchor === true) resource.dynamicAnchors.set('', schema);
}

/**
 * Schemas that a schema is made of.
 *
 * @param {any} schema
 */
function* partsOf(schema) {
  for (const word of [...ONE, ...ONE_LATE]) if (isPlainObject(schema[word])) yield schema[word];
  for (const word of LISTS) if (Array.isArray(schema[word])) yield* schema[word];
  for (const word of NAMED) {
    const named = schema[word];
    if (isPlainObject(named)) for (const name in named) yield named[name];
  }
}

/**
 * @param {string} address
 * @param {string} base
 */
function resolved(address, base) {
  try {
    const url = new URL(address, base);
    url.hash = '';
    return url.href;
  } catch {
    return address;
  }
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

module.exports = { Document, SharedSchemas, UnusableSchemaError, patternOf };
