import { canBeCompiled } from '../../json-schema/patterns';
import { Counter } from './limits';
import { TakenNames } from './names';
import { Flaw, entriesOf, keyOf, listOf, objectOr, resolved, resolvedOrNone, shown } from './references';
import type { Foreign } from '../../contract/foreign';

/** Maximum depth and characters of a result schema. It is documentation for models, and checks nothing. */
const MAX_RESULT_DEPTH = 5;
const MAX_RESULT_CHARS = 6_000;
/**
 * Maximum number of schemas that are visited for a result schema of one depth. Schemas that contain thousands of others
 * do not fit.
 */
const MAX_RESULT_SCHEMAS = 5_000;
/** Maximum number of alternatives shown for a result. */
const MAX_CASES = 4;
/** Maximum number of parts of an `allOf` among which one is sought that forbids properties of the others. */
const MAX_JOINED_PARTS = 50;

/** Whether keywords next to a `$ref` in `api` have an effect. In OpenAPI 3.0 they do not. */
const allowsRefSiblings = (api: Foreign) => !api.openapi.startsWith('3.0');

/**
 * A schema, the parts of its `allOf`, and their parts, each once: references may double at each level.
 *
 * @param follow resolves a reference
 * @param maxParts reading ends after one part more
 */
export function schemaParts(
  api: Foreign,
  given: Foreign,
  follow = resolvedOrNone,
  maxParts: number = Infinity,
): Record<string, Foreign>[] {
  const parts: Set<Record<string, Foreign>> = new Set();
  for (const open = [given]; open.length > 0 && parts.size <= maxParts;) {
    const schema = objectOr(follow(api, open.pop()), undefined);
    if (schema === undefined || parts.has(schema)) continue;
    parts.add(schema);
    for (const part of listOf(schema.allOf).reverse()) open.push(part);
  }
  return [...parts];
}

type Keyword = 'readOnly' | 'writeOnly';

/** Names of the properties of schemas that have a keyword, including those in `allOf`. */
class NamesWith {
  #api;
  #keyword;
  /** Schemas that form a long chain are each asked for. */
  #known: Map<object, string[]> = new Map();

  constructor(api: Foreign, keyword: Keyword) {
    this.#api = api;
    this.#keyword = keyword;
  }

  of(given: Foreign): string[] {
    const [whole] = this.#resolved([given]);
    if (whole === undefined) return [];
    const entered: Set<object> = new Set();
    // A loop, because chains may have any length.
    for (const open = [whole]; open.length > 0;) {
      const schema = open[open.length - 1];
      if (!this.#known.has(schema)) {
        const parts = this.#resolved(listOf(schema.allOf));
        const left = parts.filter((part) => !this.#known.has(part) && !entered.has(part));
        const isFirst = !entered.has(schema);
        entered.add(schema);
        for (const part of left) open.push(part);
        if (isFirst && left.length > 0) continue;
        const names = new Set([...this.#ownOf(schema), ...parts.flatMap((part) => this.#known.get(part) ?? [])]);
        this.#known.set(schema, [...names]);
      }
      open.pop();
    }
    return this.#known.get(whole) ?? [];
  }

  #ownOf({ properties }: Record<string, Foreign>) {
    const own = entriesOf(properties).filter(([, property]) => {
      // In OpenAPI 3.1 the keyword may also be next to a reference.
      const isMarked = (schema: Foreign) => schema?.[this.#keyword] === true;
      return isMarked(property) || isMarked(resolvedOrNone(this.#api, property));
    });
    return own.map(([name]) => name);
  }

  #resolved(schemas: Foreign[]) {
    return schemas.flatMap((schema) => objectOr(resolvedOrNone(this.#api, schema), undefined) ?? []);
  }
}

type Kind = 'data' | 'text' | 'flag' | 'number' | 'count' | 'names' | 'schema' | 'schemas' | 'byName' | 'lists';

/**
 * The keywords that a written schema may have, by the kind of their values. Other keywords are extensions, notes for
 * readers or keywords of other versions, and are dropped. A value of the wrong kind is dropped, too.
 */
const KEYWORDS: Record<string, Kind> = {
  ...kind('data', 'const default'),
  ...kind('text', 'title description format contentMediaType contentEncoding'),
  ...kind('flag', 'readOnly writeOnly deprecated uniqueItems'),
  ...kind('number', 'minimum maximum multipleOf'),
  ...kind('count', 'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains'),
  ...kind('names', 'required'),
  ...kind('schema', 'items not if then else contains propertyNames additionalProperties additionalItems'),
  ...kind('schema', 'unevaluatedItems unevaluatedProperties'),
  ...kind('schemas', 'allOf anyOf oneOf prefixItems'),
  ...kind('byName', 'properties patternProperties dependentSchemas'),
  ...kind('lists', 'dependentRequired'),
};

function kind(name: Kind, words: string): Record<string, Kind> {
  return Object.fromEntries(words.split(' ').map((word) => [word, name]));
}

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/**
 * Converts schemas of the document to JSON schemas of requests. Referenced schemas become `$defs` that all schemas
 * share. Keywords of OpenAPI 3.0 become keywords of JSON Schema. `readOnly` properties are not required.
 */
export class SchemaWriter {
  #api;
  #warnings;
  #names: Map<string, string> = new Map();
  #taken = new TakenNames(['__proto__']);
  #readOnly;
  /** Referenced schemas that have not been converted yet. */
  #pending: { name: string; ref: string }[] = [];
  #defs: Record<string, unknown> = {};
  #written = new Counter();
  /** Schemas that contain the one that is being written: objects of a caller may contain themselves. */
  #outer: Set<object> = new Set();
  /** The referenced schema that is being written. Undefined for the schema of an operation. */
  #def: string | undefined;

  /** @param warnings are added to */
  constructor(api: Foreign, warnings: string[]) {
    this.#api = api;
    this.#warnings = warnings;
    this.#readOnly = new NamesWith(api, 'readOnly');
  }

  /**
   * @param optional properties that are not required, even if the schema requires them
   * @param form for the schema of a form: how its files are written
   * @returns undefined for a value that is not a schema
   * @throws {Flaw} if a reference of an operation's schema leads nowhere
   */
  write(schema: Foreign, optional: string[] = [], form?: Form): Foreign {
    this.#written.add();
    if (typeof schema === 'boolean') return schema;
    if (objectOr(schema, undefined) === undefined) return undefined;
    if (this.#outer.has(schema)) return {};
    this.#outer.add(schema);
    try {
      return form === undefined ? this.#object(schema, optional) : this.#form(schema, optional, form);
    } finally {
      this.#outer.delete(schema);
    }
  }

  /**
   * Writes a part of a schema.
   *
   * @param ref a reference to that schema, if there is one: values whose own references lead nowhere are not checked
   */
  writePart(ref: unknown, part: Foreign): Foreign {
    this.#def = typeof ref === 'string' ? ref : undefined;
    try {
      return this.write(part);
    } finally {
      this.#def = undefined;
    }
  }

  /** The schema of a form that has files is written in full, because other bodies may refer to the same schema. */
  #form(given: Foreign, optional: string[], form: Form): Foreign {
    const parts = schemaParts(this.#api, given, resolved);
    const filesOf = ({ properties }: Foreign) => entriesOf(properties).filter(([, property]) => form.isFile(property));
    if (!parts.some((part) => filesOf(part).length > 0)) return this.#object(given, optional);
    return this.#joined(given, parts, optional, (written, part) => {
      for (const [name, file] of filesOf(part)) written.properties[name] = fileSchema(resolved(this.#api, file), form);
    });
  }

  /**
   * A schema and the parts of its `allOf`, written in full. If one of them forbids properties that another one
   * declares, no value with them would be valid. The document means that only the properties of all parts are allowed.
   *
   * @param change changes what was written of a part
   */
  #joined(
    given: Foreign,
    parts: Foreign[],
    optional: string[],
    change: (written: Foreign, part: Foreign) => void = () => {},
  ): Foreign {
    const names = [...optional, ...this.#readOnly.of(given)];
    const isOpened = excludeEachOther(parts);
    const [whole, ...others] = parts.map((part) => {
      this.#written.add();
      const { additionalProperties, ...rest } = part;
      const isClosed = isOpened && additionalProperties === false;
      const written = this.#object({ ...(isClosed ? rest : part), allOf: undefined }, names);
      change(written, part);
      return written;
    });
    return {
      ...whole,
      ...(others.length > 0 && { allOf: others }),
      ...(isOpened && { unevaluatedProperties: false }),
    };
  }

  /** The parts of a schema, if one of them forbids properties of another one, and if they can be written in full. */
  #excludingParts(schema: Foreign): Foreign[] | undefined {
    const all = listOf(schema.allOf);
    if (all.length === 0 || all.length > MAX_JOINED_PARTS) return undefined;
    // In full, the keywords next to a reference would be lost.
    const hasSiblings = (part: Foreign) => typeof part.$ref === 'string' && Object.keys(part).length > 1;
    if (allowsRefSiblings(this.#api) && all.some(hasSiblings)) return undefined;
    try {
      const parts = schemaParts(this.#api, schema, resolved, MAX_JOINED_PARTS);
      return parts.length <= MAX_JOINED_PARTS && excludeEachOther(parts) ? parts : undefined;
    } catch (error) {
      if (error instanceof Flaw) return undefined;
      throw error;
    }
  }

  #object(schema: Foreign, optional: string[]): Foreign {
    if (typeof schema.$ref === 'string') {
      const { $ref, ...siblings } = schema;
      const reference = this.#reference($ref);
      return allowsRefSiblings(this.#api) ? { ...this.write(siblings, optional), ...reference } : reference;
    }
    const parts = this.#excludingParts(schema);
    if (parts !== undefined) return this.#joined(schema, parts, optional);
    // A property is `readOnly` for the whole schema, regardless of the part that requires it.
    const readOnly = [...optional, ...this.#readOnly.of(schema)];
    const written: Foreign = {};
    for (const [key, value] of entriesOf(schema)) {
      const converted = this.#keyword(key, value, readOnly);
      if (converted !== undefined) written[key] = converted;
    }
    this.#addSpecial(written, schema);
    return schema.nullable === true ? withNull(written) : written;
  }

  #keyword(key: string, value: Foreign, readOnly: string[]): Foreign {
    switch (Object.hasOwn(KEYWORDS, key) ? KEYWORDS[key] : undefined) {
      case 'data':
        return value;
      case 'text':
        return typeof value === 'string' ? value : undefined;
      case 'flag':
        return typeof value === 'boolean' ? value : undefined;
      case 'number':
        return Number.isFinite(value) && (key !== 'multipleOf' || value > 0) ? value : undefined;
      case 'count':
        return Number.isInteger(value) && value >= 0 ? value : undefined;
      case 'names':
        return Array.isArray(value) ? without(textsOf(value), readOnly) : undefined;
      case 'schema':
        return this.write(value);
      case 'schemas': {
        const schemas = listOf(value).flatMap((part) => this.write(part, key === 'allOf' ? readOnly : []) ?? []);
        return schemas.length > 0 ? schemas : undefined;
      }
      case 'byName':
        return this.#byName(value, (part) => this.write(part));
      case 'lists':
        return this.#byName(value, (names) => (Array.isArray(names) ? textsOf(names) : undefined));
      default:
        return undefined;
    }
  }

  #byName(value: unknown, change: (part: Foreign) => unknown) {
    if (objectOr(value, undefined) === undefined) return undefined;
    const entries = entriesOf(value).map(([name, part]) => [name, change(part)]);
    return Object.fromEntries(entries.filter(([, part]) => part !== undefined));
  }

  /** The keywords whose form or meaning differs from that of JSON Schema. */
  #addSpecial(written: Foreign, schema: Foreign) {
    const { type, enum: members, pattern, example, examples, exclusiveMinimum, exclusiveMaximum } = schema;
    const types = [type].flat().filter((name) => TYPES.has(name));
    if (types.length > 0) written.type = Array.isArray(type) ? types : types[0];
    // No value is a member of an empty list, so the document does not mean this.
    if (Array.isArray(members) && members.length > 0) written.enum = members;
    if (typeof pattern === 'string') {
      // If it cannot be compiled, the API checks it. The comment documents it for readers of the schema.
      if (canBeCompiled(pattern)) written.pattern = pattern;
      else written.$comment = `must match ${pattern}`;
    }
    if (Array.isArray(examples)) written.examples = examples;
    else if (example !== undefined && example !== null) written.examples = [example];
    limit(written, 'minimum', 'exclusiveMinimum', exclusiveMinimum);
    limit(written, 'maximum', 'exclusiveMaximum', exclusiveMaximum);
    const patterns = Object.keys(written.patternProperties ?? {}).filter((text) => !canBeCompiled(text));
    for (const text of patterns) delete written.patternProperties[text];
    // Without `patternProperties`, matching names would count as additional properties.
    if (patterns.length > 0) delete written.additionalProperties;
    addAlternatives(written);
  }

  #reference(ref: string) {
    const known = this.#names.get(ref);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    try {
      resolved(this.#api, { $ref: ref });
    } catch (error) {
      if (!(error instanceof Flaw) || this.#def === undefined) throw error;
      this.#warnings.push(`in the schema ${shown(this.#def)} values are not checked: ${error.message}`);
      return {};
    }
    const wanted = keyOf(ref.slice(ref.lastIndexOf('/') + 1)).replace(/[^\w.-]/g, '_') || 'schema';
    const name = this.#taken.unique(wanted);
    this.#names.set(ref, name);
    this.#pending.push({ name, ref });
    return { $ref: `#/$defs/${name}` };
  }

  /** The referenced schemas. They are converted in a loop, because references form chains of any length. */
  get $defs() {
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      this.#def = next.ref;
      this.#defs[next.name] = objectOr(this.write(resolved(this.#api, { $ref: next.ref })), {});
    }
    this.#def = undefined;
    return this.#defs;
  }
}

/** Whether one of the parts of an `allOf` forbids properties that another one declares. */
function excludeEachOther(parts: Foreign[]) {
  const names = parts.map(({ properties }) => Object.keys(objectOr(properties, {})));
  return parts.some((part, at) => {
    if (part.additionalProperties !== false || entriesOf(part.patternProperties).length > 0) return false;
    const own = new Set(names[at]);
    return names.some((others) => others.some((name) => !own.has(name)));
  });
}

function textsOf(values: unknown[]): string[] {
  return values.filter((value) => typeof value === 'string');
}

function without(names: string[], others: string[]) {
  const left = new Set(others);
  return names.filter((name) => !left.has(name));
}

/** @param value a flag in OpenAPI 3.0, a number in 3.1 */
function limit(written: Foreign, bound: string, exclusive: string, value: unknown) {
  if (Number.isFinite(value)) written[exclusive] = value;
  if (value !== true || written[bound] === undefined) return;
  written[exclusive] = written[bound];
  delete written[bound];
}

/**
 * Alternatives of a request need not exclude each other: APIs document `oneOf: [integer, number]`, and schemas that
 * differ in a property that they do not require.
 */
function addAlternatives(written: Foreign) {
  if (written.oneOf === undefined) return;
  if (written.anyOf === undefined) written.anyOf = written.oneOf;
  else written.allOf = [...(written.allOf ?? []), { anyOf: written.oneOf }];
  delete written.oneOf;
}

export interface Form {
  /** the schema of a file */
  file: object;
  isFile: (property: Foreign) => boolean;
}

function fileSchema(property: Foreign, { file }: Form) {
  const note = typeof property.description === 'string' ? { description: property.description } : {};
  return objectOr(property.items, undefined) === undefined
    ? { ...file, ...note }
    : { type: 'array', items: file, ...note };
}

function withNull(schema: Foreign) {
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  if (Array.isArray(schema.type)) return { ...schema, type: [...new Set([...schema.type, 'null'])] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** Makes schemas for readers. References are expanded as far as depth and size allow. */
export class Reader {
  #api;
  /** Schemas by reference. Many operations have references in common. */
  #known: Map<string, object> = new Map();
  #left = 0;
  #writeOnly;

  constructor(api: Foreign) {
    this.#api = api;
    this.#writeOnly = new NamesWith(api, 'writeOnly');
  }

  /** A schema for readers, with descriptions if they fit. */
  readable(schema: Foreign): object {
    const ref = typeof schema.$ref === 'string' && Object.keys(schema).length === 1 ? schema.$ref : undefined;
    const known = ref === undefined ? undefined : this.#known.get(ref);
    if (known !== undefined) return known;
    const made = this.#made(schema);
    if (ref !== undefined) this.#known.set(ref, made);
    return made;
  }

  #made(schema: Foreign): object {
    let best = { type: typeof schema.type === 'string' ? schema.type : 'object' };
    for (let depth = 1; depth <= MAX_RESULT_DEPTH; depth++) {
      const [described, plain] = [true, false].map((isDescribed) => this.#fitting(schema, depth, isDescribed));
      // Each level may be many times larger than the one before it.
      if (plain === undefined) break;
      best = described ?? plain;
    }
    return best;
  }

  /** @returns undefined if it is too large */
  #fitting(schema: Foreign, depth: number, isDescribed: boolean) {
    this.#left = MAX_RESULT_SCHEMAS;
    const made = this.#shown(schema, { depth, isDescribed });
    return this.#left >= 0 && JSON.stringify(made).length <= MAX_RESULT_CHARS ? made : undefined;
  }

  #shown(given: Foreign, { depth, isDescribed }: { depth: number; isDescribed: boolean }): Foreign {
    if (--this.#left < 0) return {};
    const schema = objectOr(resolvedOrNone(this.#api, given), undefined);
    if (schema === undefined) return typeof given === 'boolean' ? given : {};
    const { type, format } = schema;
    const description = (allowsRefSiblings(this.#api) && given.description) || schema.description;
    const hasType = typeof type === 'string' || Array.isArray(type);
    return {
      ...(hasType && { type: schema.nullable === true ? [type, 'null'].flat() : type }),
      ...(Array.isArray(schema.enum) && { enum: schema.enum }),
      ...(schema.const !== undefined && { const: schema.const }),
      ...(typeof format === 'string' && { format }),
      ...(isDescribed && typeof description === 'string' && { description: description.slice(0, 120) }),
      ...(depth > 1 && this.#parts(schema, { depth: depth - 1, isDescribed })),
    };
  }

  /** Properties, items, parts and cases. `writeOnly` properties are omitted, because answers never contain them. */
  #parts(schema: Foreign, how: { depth: number; isDescribed: boolean }) {
    const { items, required, allOf, additionalProperties: others } = schema;
    const properties = objectOr(schema.properties, undefined);
    const cases = [schema.oneOf, schema.anyOf].find(Array.isArray);
    const inner = (part: Foreign) => this.#shown(part, how);
    const writeOnly = new Set(this.#writeOnly.of(schema));
    const isShown = (name: unknown) => typeof name === 'string' && !writeOnly.has(name);
    const shownProperties = entriesOf(properties).filter(([name]) => isShown(name));
    return {
      ...(properties && { properties: Object.fromEntries(shownProperties.map(([name, part]) => [name, inner(part)])) }),
      ...(how.isDescribed && Array.isArray(required) && { required: required.filter(isShown) }),
      ...(objectOr(others, undefined) && { additionalProperties: inner(others) }),
      ...(objectOr(items, undefined) && { items: inner(items) }),
      ...(Array.isArray(allOf) && { allOf: allOf.map(inner) }),
      ...(cases !== undefined && { anyOf: casesShown(cases, inner) }),
    };
  }
}

function casesShown(cases: Foreign[], inner: (part: Foreign) => Foreign) {
  const left = cases.length - MAX_CASES;
  return [...cases.slice(0, MAX_CASES).map(inner), ...(left > 0 ? [{ description: `one of ${left} others` }] : [])];
}
