import { canBeCompiled } from '../../json-schema/patterns';
import { unique } from './names';

/** Maximum depth and characters of a result schema. It is documentation for models, and checks nothing. */
const MAX_RESULT_DEPTH = 5;
const MAX_RESULT_CHARS = 6_000;
/** Maximum number of alternatives shown for a result. */
const MAX_CASES = 4;

/** Whether keywords next to a `$ref` in `api` have an effect. In OpenAPI 3.0 they do not. */
const sayBeside = (api: any) => !api.openapi.startsWith('3.0.');

/** The value that `#/a/b` refers to in `api`, with further references resolved. */
export function resolved(api: any, value: any) {
  let at = value;
  for (let steps = 0; typeof at?.$ref === 'string'; steps++) {
    if (steps > 50 || !at.$ref.startsWith('#/')) throw new TypeError(`the reference ${at.$ref} cannot be followed`);
    at = at.$ref
      .slice(2)
      .split('/')
      .reduce((inner: any, key: string) => inner?.[keyOf(key)], api);
    if (at === undefined) throw new TypeError(`the reference ${value.$ref} leads nowhere`);
  }
  return at;
}

/** @param part of a JSON pointer in a URI */
function keyOf(part: string) {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

/**
 * Names of an object's properties that have the keyword, including those in `allOf`.
 * @param seen schemas that have been visited
 */
function namesWith(api: any, given: any, keyword: 'readOnly' | 'writeOnly', seen: Set<unknown> = new Set()): string[] {
  const schema = resolved(api, given);
  if (seen.has(schema)) return [];
  seen.add(schema);
  const own = Object.entries(schema?.properties ?? {}).filter(([, property]) => hasKeyword(api, property, keyword));
  const parts = Array.isArray(schema?.allOf) ? schema.allOf : [];
  return [...own.map(([name]) => name), ...parts.flatMap((part: any) => namesWith(api, part, keyword, seen))];
}

function hasKeyword(api: any, property: any, keyword: 'readOnly' | 'writeOnly') {
  // In OpenAPI 3.1 the keyword may also be next to a reference.
  return property?.[keyword] === true || resolved(api, property)?.[keyword] === true;
}

/**
 * Converts schemas of the document to JSON schemas of requests. Referenced schemas become `$defs` that all schemas
 * share. Keywords of OpenAPI 3.0 become keywords of JSON Schema. `readOnly` properties are not required.
 */
export class SchemaWriter {
  #api;
  #names: Map<string, string> = new Map();
  #taken = new Set(['__proto__']);
  /** Referenced schemas that have not been converted yet. */
  #pending: { name: string; ref: string }[] = [];
  #defs: Record<string, unknown> = {};

  constructor(api: any) {
    this.#api = api;
  }

  /** @param optional properties that are not required, even if the schema requires them */
  write(schema: any, optional: string[] = []): any {
    if (typeof schema !== 'object' || schema === null) return schema;
    if (Array.isArray(schema)) return schema.map((part) => this.write(part));
    if (typeof schema.$ref === 'string') {
      const { $ref, ...beside } = schema;
      const reference = this.#reference($ref);
      return sayBeside(this.#api) ? { ...this.write(beside, optional), ...reference } : reference;
    }
    const {
      nullable,
      discriminator,
      xml: _,
      externalDocs: __,
      example,
      exclusiveMinimum,
      exclusiveMaximum,
      ...rest
    } = schema;
    // A property is `readOnly` for the whole schema, regardless of the part that requires it.
    const readOnly = [...optional, ...namesWith(this.#api, schema, 'readOnly')];
    const written: any = {};
    for (const [key, value] of Object.entries(rest)) {
      if (key === 'required' && Array.isArray(value)) {
        written.required = value.filter((name) => !readOnly.includes(name));
      } else if (key === 'allOf' && Array.isArray(value)) {
        written.allOf = value.map((part) => this.write(part, readOnly));
      } else if (key === 'pattern' && !canBeCompiled(value as string)) {
        // The API checks the pattern. The comment documents it for readers of the schema.
        written.$comment = `must match ${value}`;
      } else if (DATA.has(key) || key.startsWith('x-')) {
        if (!key.startsWith('x-')) written[key] = value;
      } else if (BY_NAME.has(key)) {
        written[key] = Object.fromEntries(Object.entries(value ?? {}).map(([name, part]) => [name, this.write(part)]));
      } else if (key === 'oneOf' && discriminator !== undefined) {
        // A discriminator property selects the alternative. Others may match too, as most schemas allow unnamed properties.
        written.anyOf ??= this.write(value);
      } else {
        written[key] = this.write(value);
      }
    }
    if (example !== undefined) written.examples ??= [example];
    limit(written, 'minimum', 'exclusiveMinimum', exclusiveMinimum);
    limit(written, 'maximum', 'exclusiveMaximum', exclusiveMaximum);
    return nullable === true ? withNull(written) : written;
  }

  #reference(ref: string) {
    const known = this.#names.get(ref);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const wanted = keyOf(ref.slice(ref.lastIndexOf('/') + 1)).replace(/[^\w.-]/g, '_') || 'schema';
    const name = unique(this.#taken, wanted);
    this.#names.set(ref, name);
    this.#pending.push({ name, ref });
    return { $ref: `#/$defs/${name}` };
  }

  /** The referenced schemas. They are converted in a loop, because references form chains of any length. */
  get $defs() {
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      this.#defs[next.name] = this.write(resolved(this.#api, { $ref: next.ref }));
    }
    return this.#defs;
  }
}

/** Keywords whose values are data, and keywords whose values are objects with freely chosen names. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'type', 'format', 'pattern', 'description', 'title']);
const BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** @param value a flag in OpenAPI 3.0, a number in 3.1 */
function limit(written: any, bound: string, exclusive: string, value: unknown) {
  if (typeof value === 'number') written[exclusive] = value;
  if (value !== true) return;
  written[exclusive] = written[bound];
  delete written[bound];
}

function withNull(schema: any) {
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/**
 * A schema for readers. References are expanded as far as depth and size allow, with descriptions if they fit.
 */
export function readable(api: any, schema: any) {
  let best = { type: schema?.type ?? 'object' };
  for (let depth = 1; depth <= MAX_RESULT_DEPTH; depth++) {
    const [described, plain] = [true, false].map((isDescribed) => shownTo(api, schema, { depth, isDescribed }));
    const fits = (shown: object) => JSON.stringify(shown).length <= MAX_RESULT_CHARS;
    // Each level may be many times larger than the one before it.
    if (!fits(plain)) break;
    best = fits(described) ? described : plain;
  }
  return best;
}

function shownTo(api: any, given: any, { depth, isDescribed }: { depth: number; isDescribed: boolean }): any {
  const schema = resolved(api, given);
  if (typeof schema !== 'object' || schema === null) return schema ?? {};
  const { type, format } = schema;
  const description = (sayBeside(api) && given.description) || schema.description;
  return {
    ...(type !== undefined && { type: schema.nullable === true ? [type, 'null'].flat() : type }),
    ...(schema.enum !== undefined && { enum: schema.enum }),
    ...(schema.const !== undefined && { const: schema.const }),
    ...(format !== undefined && { format }),
    ...(isDescribed && typeof description === 'string' && { description: description.slice(0, 120) }),
    ...(depth > 1 && partsShown(api, schema, { depth: depth - 1, isDescribed })),
  };
}

/** Properties, items, parts and cases. `writeOnly` properties are omitted, because answers never contain them. */
function partsShown(api: any, schema: any, how: { depth: number; isDescribed: boolean }) {
  const { properties, items, required, allOf, additionalProperties: others } = schema;
  const cases = schema.oneOf ?? schema.anyOf;
  const inner = (part: any) => shownTo(api, part, how);
  const writeOnly = namesWith(api, schema, 'writeOnly');
  const isShown = (name: string) => !writeOnly.includes(name);
  return {
    ...(properties && { properties: mapValues(picked(properties, isShown), inner) }),
    ...(how.isDescribed && Array.isArray(required) && { required: required.filter(isShown) }),
    ...(typeof others === 'object' && others !== null && { additionalProperties: inner(others) }),
    ...(items && { items: inner(items) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map(inner) }),
    ...(Array.isArray(cases) && { anyOf: casesShown(cases, inner) }),
  };
}

function casesShown(cases: any[], inner: (part: any) => any) {
  const left = cases.length - MAX_CASES;
  return [...cases.slice(0, MAX_CASES).map(inner), ...(left > 0 ? [{ description: `one of ${left} others` }] : [])];
}

function picked(values: Record<string, any>, isWanted: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}

function mapValues(values: Record<string, any>, change: (value: any) => any) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
