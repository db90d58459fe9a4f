import { isDeepStrictEqual } from 'node:util';

import { describe } from '../../contract/describe';
import { isTextType } from './response';
import { TakenNames, camel } from './names';
import { CharCounter, LimitError } from './limits';
import { Flaw, entriesOf, listOf, objectOr, partOf, resolved, resolvedOrNone, shown, textOr } from './references';
import { Reader, SchemaWriter, schemaParts } from './schemas';
import { EXPRESSION, hasExpression, templateOf } from './templates';
import { isForm, isJsonType, isMultipart } from './serialize';
import type { Field, Writing } from './serialize';
import type { Foreign } from '../../contract/foreign';

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Requests that never have a body, even if the document defines one. */
const WITHOUT_BODY = new Set(['get', 'head']);
/** Maximum characters of a description: searches return many. */
const MAX_DESCRIPTION = 400;
/** Headers that the host sets, as OpenAPI requires. Documents that list them as parameters only describe them. */
const RESERVED_HEADERS = new Set(['accept', 'content-type', 'authorization', 'cookie', 'host', 'content-length']);

/** `expressions`: the expressions of the path that it fills in, without braces. */
type Parameter = Writing & { in: string; key: string; expressions: string[] };

/**
 * If `key` is undefined, the other parameters form the body; with `isOptional`, no body is sent if none of them is
 * given. `choice`: the parameter that selects another content type. `fields`: the form fields for which the document
 * specifies more than the schema.
 */
interface Body {
  key: string | undefined;
  choice: string | undefined;
  contentType: string;
  fields: Field[];
  isOptional: boolean;
}

/** `base`: a URL. `steps`: relative URLs that are resolved against it, one after the other. */
export interface Server {
  base: string | undefined;
  steps: string[];
}

export interface Operation {
  /** identifier of its first tag */
  source: string;
  sourceDescription: string;
  name: string;
  /** upper case */
  method: string;
  path: string;
  /** the operation's first server, or the first server of its path or the document */
  server: Server;
  tags: string[];
  operationId: string | undefined;
  /** `key`: the name that guests use */
  parameters: Parameter[];
  body: Body | undefined;
  /** accepted content types of its answers */
  accept: string;
  /** the security schemes whose credentials are sent */
  credentials: string[];
  spec: { name: string; description: string; params: object; result: object; examples: unknown[] };
}

/**
 * Methods of OpenAPI 3.2 that are not read.
 */
const OTHER_METHODS = ['query', 'additionalOperations'];
/** Locations of parameters. */
const PLACES = new Set(['path', 'query', 'header', 'cookie']);
/** Parameters of one operation, besides the properties of its body. */
const MAX_PARAMETERS = 1_000;
/** Content types that a program can choose from. */
const MAX_CHOICES = 20;
/** Lines of warnings. */
const MAX_WARNINGS = 1_000;

/**
 * The operations of a document, and the schemas that they share. An operation with a flaw is left out; `warnings` says
 * which, and why.
 *
 * @param credentials names of the security schemes for which the host has credentials
 */
export function operationsOf(
  api: Foreign,
  credentials: string[],
): {
  operations: Operation[];
  $defs: Record<string, unknown>;
  schemes: Record<string, Foreign>;
  warnings: string[];
} {
  const schemes = Object.fromEntries(
    entriesOf(api.components?.securitySchemes).flatMap(([name, given]) => {
      const scheme = objectOr(resolvedOrNone(api, given), undefined);
      return scheme === undefined ? [] : [[name, scheme]];
    }),
  );
  const warnings: string[] = [];
  const names = new Names(api);
  const chars = new CharCounter();
  const secrets = secretsIn(schemes);
  const reader = new Reader(api);
  const context = { api, secrets, credentials, writer: new SchemaWriter(api, warnings), reader, names };
  const operations: Operation[] = [];
  for (const { path, item, method, flaw } of itemsOf(api)) {
    try {
      if (flaw !== undefined) throw flaw;
      const operation = operationOf(context, path, item, method);
      chars.add(operation);
      operations.push(operation);
    } catch (error) {
      const request = `${method.toUpperCase()} ${shown(path)}`.trimStart();
      warnings.push(`${request} is left out: ${flawOf(error)} (${placeIn(path, method)})`);
    }
  }
  const { $defs } = context.writer;
  chars.add($defs);
  return { operations, $defs, schemes, warnings: limited([...new Set(warnings)]) };
}

/**
 * The operations of a document. An operation that cannot be read has a `flaw`. An empty method stands for the whole
 * path.
 */
function* itemsOf(api: Foreign): Generator<{ path: string; item: Foreign; method: string; flaw?: unknown }> {
  for (const [path, given] of entriesOf(api.paths)) {
    // Extensions are not paths.
    if (path.startsWith('x-')) continue;
    let item: Foreign;
    try {
      item = itemOf(api, given);
    } catch (flaw) {
      yield { path, item: {}, method: '', flaw };
      continue;
    }
    for (const method of METHODS) {
      const given = item[method];
      if (given === undefined || given === null) continue;
      try {
        yield { path, item: { ...item, [method]: operationIn(api, given) }, method };
      } catch (flaw) {
        yield { path, item, method, flaw };
      }
    }
    for (const method of OTHER_METHODS) {
      if (isOperation(item[method]))
        yield { path, item, method, flaw: new Flaw('only methods of OpenAPI 3.1 are read') };
    }
  }
}

/** A path, merged with the properties next to its reference. */
function itemOf(api: Foreign, given: Foreign) {
  const { $ref, ...own } = objectOr(given, {});
  if (objectOr(given, undefined) === undefined) throw new Flaw('it is not an object');
  if (typeof $ref !== 'string') return own;
  const item = resolved(api, given);
  if (objectOr(item, undefined) === undefined) throw new Flaw(`the reference ${shown($ref)} does not lead to a path`);
  return { ...item, ...own };
}

/** @param given an operation, a reference to one, or the flaw that kept it from being converted */
function operationIn(api: Foreign, given: unknown) {
  if (given instanceof Flaw) throw given;
  const operation = resolved(api, given);
  if (!isOperation(operation)) throw new Flaw('it is not an object');
  return operation;
}

function isOperation(value: unknown) {
  return objectOr(value, undefined) !== undefined;
}

function flawOf(error: unknown) {
  if (error instanceof LimitError) throw error;
  if (error instanceof Flaw) return error.message;
  const [reason] = String((error as Error)?.message ?? error).split('\n');
  return `it cannot be read: ${reason}`;
}

function placeIn(path: string, method: string) {
  const pointer = `#/paths/${shown(partOf(path))}`;
  return method === '' ? pointer : `${pointer}/${method}`;
}

function limited(warnings: string[]) {
  const left = warnings.length - MAX_WARNINGS;
  return left > 0 ? [...warnings.slice(0, MAX_WARNINGS), `and ${left} more`] : warnings;
}

/** Names of sources and methods. */
class Names {
  #sources: Map<string, { source: string; description: string; taken: TakenNames }> = new Map();
  #taken = new TakenNames(['then']);
  #descriptions;

  constructor(api: Foreign) {
    this.#descriptions = new Map(listOf(api.tags).map((tag) => [tag.name, textOr(tag.description, '')]));
  }

  /** @param tag the first one of an operation, or an empty string */
  sourceOf(tag: string) {
    const known = this.#sources.get(tag);
    if (known !== undefined) return known;
    const source = this.#taken.unique(camel(tag) || 'api');
    const made = { source, description: this.#descriptions.get(tag) ?? '', taken: new TakenNames(['then']) };
    this.#sources.set(tag, made);
    return made;
  }
}

interface Context {
  api: Foreign;
  /** locations of API keys */
  secrets: Set<string>;
  credentials: string[];
  writer: SchemaWriter;
  reader: Reader;
  names: Names;
}

/** @throws {Flaw} */
function operationOf(context: Context, given: string, item: Foreign, method: string): Operation {
  const { api, reader, names } = context;
  const path = given.startsWith('/') ? given : `/${given}`;
  const operation = item[method];
  const parts = partsOf(context, path, item, operation, !WITHOUT_BODY.has(method));
  const content = contentOf(api, operation);
  const tags = [operation.tags].flat().filter((tag) => typeof tag === 'string');
  const [tag = ''] = tags;
  const { source, description, taken } = names.sourceOf(tag);
  const operationId = textOr(operation.operationId, '');
  const name = taken.unique(nameOf(operationId, tag) || camel(`${method} ${path}`));
  return {
    source,
    sourceDescription: description,
    name,
    method: method.toUpperCase(),
    path,
    server: serverOf([operation, item, api]),
    tags,
    operationId: operationId === '' ? undefined : operationId,
    parameters: parts.parameters,
    body: parts.body,
    accept: acceptOf(content),
    credentials: credentialsOf(operation.security ?? api.security, context.credentials),
    spec: {
      name,
      description: descriptionOf(operation, `${method.toUpperCase()} ${path}`),
      params: parts.params,
      result: resultOf(content, reader),
      examples: [],
    },
  };
}

/**
 * The security schemes of the first alternative that needs credentials and for which the host has all of them.
 * @param given alternatives: objects by scheme
 */
function credentialsOf(given: unknown, available: string[]) {
  const names = listOf(given).map((alternative) => Object.keys(objectOr(alternative, {})));
  return names.find((needed) => needed.length > 0 && needed.every((name) => available.includes(name))) ?? [];
}

/** The locations of API keys. */
function secretsIn(schemes: Record<string, Foreign>) {
  const keys = Object.values(schemes).filter(({ type }) => type === 'apiKey');
  return new Set(
    keys.filter(({ in: place, name }) => typeof place === 'string' && typeof name === 'string').map(placeOf),
  );
}

/**
 * The first server whose URL can be used, with the defaults of its variables. A relative URL is resolved against that
 * of the next outer owner.
 * @param owners from the operation to the document
 */
function serverOf(owners: Foreign[]): Server {
  const steps: string[] = [];
  for (const owner of owners) {
    const urls = listOf(owner.servers).flatMap(serverUrl);
    const url = urls.find(isUsable) ?? urls[0];
    if (url === undefined) continue;
    if (URL.canParse(url)) return { base: url, steps };
    steps.unshift(url);
  }
  return { base: undefined, steps };
}

function serverUrl({ url, variables }: Foreign): string[] {
  if (typeof url !== 'string') return [];
  return [url.replace(EXPRESSION, (text: string, name: string) => String(variables?.[name]?.default ?? text))];
}

/** Whether a URL is relative or one of HTTP, and has no variable without a default. */
function isUsable(url: string) {
  return !hasExpression(url) && (!URL.canParse(url) || /^https?:$/.test(new URL(url).protocol));
}

function nameOf(operationId: string, tag: string) {
  // Many documents repeat the tag: `repos/list-for-user`.
  return camel(operationId.startsWith(`${tag}/`) ? operationId.slice(tag.length + 1) : operationId);
}

function descriptionOf(operation: Foreign, request: string) {
  const summary = textOr(operation.summary, '');
  const description = textOr(operation.description, '');
  const said = description.startsWith(summary) ? [description] : [summary.replace(/\.$/, ''), description];
  const text = said.filter((part) => part !== '').join('. ');
  const short = text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}...` : text;
  return `${short} (${operation.deprecated === true ? 'deprecated, ' : ''}${request})`.trim();
}

/** Parameters and body, and one object schema for both. */
function partsOf(context: Context, path: string, item: Foreign, operation: Foreign, hasBody: boolean) {
  const { api, secrets, writer } = context;
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const taken = new TakenNames(['__proto__']);
  const { pathname, query } = templateOf(path);
  const expressions = new Map(
    [...`${pathname}?${query}`.matchAll(EXPRESSION)]
      .map(([, text]) => text)
      // `{?name}` is about parameters of the query.
      .filter((text) => !/^[?&]/.test(text))
      .map((text) => [text, nameIn(text)]),
  );
  const parameters = parametersOf(api, item, operation)
    .filter(({ in: place, name }) => isGuests(place, name) && !secrets.has(placeOf({ in: place, name })))
    // Some documents list parameters of other paths.
    .filter(({ in: place, name }) => place !== 'path' || expressionsOf(expressions, name).length > 0)
    .map((parameter) => {
      const key = taken.unique(parameter.name);
      const [contentType, content] = entriesOf(parameter.content)[0] ?? [];
      const schema = parameter.schema ?? objectOr(content, {}).schema;
      properties[key] = { ...notesOf(api, parameter), ...objectOr(writer.write(schema), {}) };
      if (parameter.required === true || parameter.in === 'path') required.push(key);
      const { name, in: place } = parameter;
      return {
        name,
        in: place,
        key,
        ...styleOf(parameter, place === 'query' || place === 'cookie' ? 'form' : 'simple'),
        isJson: isJsonType(contentType),
        expressions: place === 'path' ? expressionsOf(expressions, name) : [],
      };
    });
  const described = new Set(parameters.flatMap((parameter) => parameter.expressions));
  for (const text of expressions.keys()) {
    if (described.has(text)) continue;
    throw new Flaw(`no parameter describes {${shown(text)}} of its path`);
  }
  const body = hasBody ? bodyOf(api, operation, writer, { properties, required, taken }) : undefined;
  const params = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: body?.others ?? false,
    ...body?.whole,
  };
  return { parameters, body, params: params as Foreign };
}

/** The name in an expression: `{+name}`, `{name*}` and `{name+}` are `name` for some documents. */
function nameIn(expression: string) {
  return expression.replace(/^[+#./;]|[*+]$/g, '');
}

/** The expressions that a parameter fills in. */
function expressionsOf(expressions: Map<string, string>, wanted: string) {
  return expressions.has(wanted)
    ? [wanted]
    : [...expressions].filter(([, name]) => name === wanted).map(([text]) => text);
}

/**
 * The parameters of a path and its operation, each once.
 * @throws {Flaw}
 */
function parametersOf(api: Foreign, item: Foreign, operation: Foreign): Foreign[] {
  const byPlace = new Map();
  for (const given of [...listOf(item.parameters), ...listOf(operation.parameters)]) {
    const parameter = resolved(api, given);
    if (objectOr(parameter, undefined) === undefined) throw new Flaw('one of its parameters is not an object');
    const { name, in: place } = parameter;
    if (typeof name !== 'string' || name === '')
      throw new Flaw(`one of its parameters has no name, got ${describe(name)}`);
    if (!PLACES.has(place)) {
      throw new Flaw(`its parameter ${shown(name)} must be in ${[...PLACES].join(', ')}, got ${describe(place)}`);
    }
    byPlace.set(`${place} ${name}`, parameter);
  }
  if (byPlace.size > MAX_PARAMETERS) throw new Flaw(`it has more than ${MAX_PARAMETERS} parameters`);
  return [...byPlace.values()];
}

/** The location of a parameter, as a key. Header names are case-insensitive. */
function placeOf({ in: place, name }: { in: string; name: string }) {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}

/** The documentation of a parameter. */
function notesOf(api: Foreign, { description, deprecated, example, examples }: Foreign) {
  const named = entriesOf(examples).map(([, given]) => objectOr(resolvedOrNone(api, given), {}).value);
  const values = [example ?? undefined, ...named].filter((value) => value !== undefined);
  return {
    ...(typeof description === 'string' && { description }),
    ...(deprecated === true && { deprecated }),
    ...(values.length > 0 && { examples: values }),
  };
}

function styleOf(given: { style?: unknown; explode?: unknown; allowReserved?: unknown }, usual: string) {
  const style = textOr(given.style, usual);
  const explode = typeof given.explode === 'boolean' ? given.explode : style === 'form';
  return { style, explode, allowReserved: given.allowReserved === true };
}

function isGuests(place: string, name: string) {
  if (place === 'header') return !RESERVED_HEADERS.has(name.toLowerCase());
  return place === 'query' || place === 'path' || place === 'cookie';
}

/** A file of a form: bytes or text, or an object that also has its name and type. */
const FILE = {
  anyOf: [
    { type: 'string', format: 'binary' },
    {
      type: 'object',
      properties: {
        content: { type: 'string', format: 'binary' },
        filename: { type: 'string' },
        contentType: { type: 'string' },
      },
      required: ['content'],
      additionalProperties: false,
    },
  ],
};

/**
 * The body of a request. The properties of an object become separate parameters if no name collides. Otherwise, and for
 * bodies that are not objects, the whole body is the parameter `body`.
 */
function bodyOf(
  api: Foreign,
  operation: Foreign,
  writer: SchemaWriter,
  { properties, required, taken }: { properties: Record<string, unknown>; required: string[]; taken: TakenNames },
) {
  const { content: given, required: isRequired } = objectOr(resolved(api, operation.requestBody), {});
  const content = objectOr(given, {});
  const types = choicesIn(Object.keys(content));
  if (types.length === 0) return undefined;
  const schemas = differentIn(types.map((type) => objectOr(content[type], {}).schema ?? {}));
  const media = objectOr(content[types[0]], {});
  const schema = objectOr(resolved(api, media.schema), {});
  const contentType = sentAs(types[0], schema);
  const choose = () => choiceOf(types, { properties, required, taken, isRequired: isRequired === true });
  /** Whether an optional body must come with a choice. */
  const needsChoice = (choice: string | undefined): choice is string =>
    choice !== undefined && isRequired !== true && !isPlainJson(types[0]);
  const names = entriesOf(schema.properties).map(([name]) => name);
  const hasOwnWords = ['oneOf', 'anyOf', 'allOf', 'not'].some((word) => (schema[word] ?? undefined) !== undefined);
  const isFlat = isJsonType(contentType) && schemas.length === 1 && names.length > 0 && !hasOwnWords;
  if (isFlat && !names.some((name) => taken.has(name))) {
    const own = writer.writePart(media.schema.$ref, { properties: schema.properties, required: schema.required });
    Object.assign(properties, own.properties);
    const wanted = (own.required ?? []).filter((it: string) => names.includes(it));
    const isOptional = isRequired !== true;
    const known = new Set([...taken]);
    for (const name of names) taken.add(name);
    const choice = choose();
    if (choice !== undefined) known.add(choice);
    if (needsChoice(choice)) wanted.push(choice);
    if (!isOptional) required.push(...wanted);
    return {
      key: undefined,
      choice,
      contentType,
      fields: [],
      isOptional,
      others: writer.writePart(media.schema.$ref, schema.additionalProperties ?? undefined),
      whole: isOptional && wanted.length > 0 ? { if: hasOther(known), then: { required: wanted } } : {},
    };
  }
  const key = taken.unique('body');
  properties[key] = bodySchemaOf(api, writer, { contentType, schema, schemas });
  if (isRequired === true) required.push(key);
  const fields = isForm(contentType) ? fieldsOf(api, schema, objectOr(media.encoding, {})) : [];
  const choice = choose();
  const whole = needsChoice(choice) ? { dependentRequired: { [key]: [choice] } } : {};
  return { key, choice, contentType, fields, isOptional: false, others: false, whole };
}

/** @param schemas those of all content types that may be chosen */
function bodySchemaOf(
  api: Foreign,
  writer: SchemaWriter,
  { contentType, schema, schemas }: { contentType: string; schema: Foreign; schemas: Foreign[] },
) {
  if (isMultipart(contentType))
    return writer.write(schemas[0], [], { file: FILE, isFile: (part) => isFileOrFiles(api, part) });
  if (!isJsonType(contentType) && !isForm(contentType) && schema.type !== 'string') {
    if (isTextType(contentType)) return { type: 'string', description: `Text of type ${contentType}` };
    return { type: 'string', format: 'binary', description: `A Uint8Array, or a string, of type ${contentType}` };
  }
  const written = schemas.map((one) => objectOr(writer.write(one), {}));
  return written.length === 1 ? written[0] : { anyOf: written };
}

/**
 * The parameter that selects a content type, if there are several. It is required if none of them is plain JSON
 * and there is a body, because the meaning of the body depends on the type.
 */
function choiceOf(
  types: string[],
  {
    properties,
    required,
    taken,
    isRequired,
  }: { properties: Record<string, unknown>; required: string[]; taken: TakenNames; isRequired: boolean },
) {
  if (types.length < 2) return undefined;
  const choice = taken.unique('contentType');
  const hasUsual = isPlainJson(types[0]);
  properties[choice] = { enum: types, ...(hasUsual && { default: types[0] }), description: 'Content type of the body' };
  if (isRequired && !hasUsual) required.push(choice);
  return choice;
}

function isPlainJson(type: string) {
  return /^application\/json\s*(?:;|$)/i.test(type);
}

/**
 * Content types that a body may be sent as: those of JSON, plain JSON first, or the first one that can represent
 * objects.
 */
function choicesIn(types: string[]): string[] {
  const json = types.filter((type) => isJsonType(type) && !type.includes('*') && !/^text\//i.test(type));
  const names = json.map((type) => type.split(';')[0].trim().toLowerCase());
  const different = json.filter((_, at) => names.indexOf(names[at]) === at);
  if (different.length > 0)
    return [...different.filter(isPlainJson), ...different.filter((type) => !isPlainJson(type))].slice(0, MAX_CHOICES);
  return [types.find(isJsonType) ?? types.find(isForm) ?? types[0]].filter((type) => type !== undefined);
}

function differentIn(schemas: Foreign[]): Foreign[] {
  const texts = schemas.map((schema) => (typeof schema?.$ref === 'string' ? schema.$ref : schema));
  return schemas.filter((_, at) => texts.findIndex((other) => isDeepStrictEqual(other, texts[at])) === at);
}

/** A schema for objects that have any property besides these. `__proto__` is never a property. */
function hasOther(names: Set<string>) {
  const known = [...names].filter((name) => name !== '__proto__');
  return known.length === 0 ? { minProperties: 1 } : { not: { propertyNames: { enum: known } } };
}

/** The content type to send for a body whose type is a range. */
function sentAs(type: string, schema: Foreign) {
  if (!type.includes('*')) return type;
  if (schema.type !== 'string' && /^(?:\*|application)\//.test(type)) return 'application/json';
  return /^(?:\*|text)\//.test(type) && !isFile(schema) ? 'text/plain' : 'application/octet-stream';
}

/**
 * @param schema of a form
 * @param encodings by property
 */
function fieldsOf(api: Foreign, schema: Foreign, encodings: Record<string, Foreign>): Field[] {
  return propertiesOf(api, schema).map(([name, property]) => {
    const encoding = Object.hasOwn(encodings, name) ? objectOr(encodings[name], {}) : {};
    return {
      name,
      ...styleOf(encoding, 'form'),
      isStyled: typeof encoding.style === 'string' || typeof encoding.explode === 'boolean',
      // The first of the allowed types.
      contentType: textOr(encoding.contentType, '*')
        .split(',')
        .find((type: string) => !type.includes('*'))
        ?.trim(),
      isFile: isFileOrFiles(api, property),
    };
  });
}

/** The properties of a form, including those of its parts. */
function propertiesOf(api: Foreign, given: Foreign): [string, Foreign][] {
  return schemaParts(api, given).flatMap(({ properties }) => entriesOf(properties));
}

function isFileOrFiles(api: Foreign, property: Foreign) {
  const own = resolvedOrNone(api, property);
  return isFile(own) || isFile(resolvedOrNone(api, own?.items));
}

function isFile(schema: Foreign) {
  return (
    schema?.format === 'binary' || (schema?.contentMediaType !== undefined && schema.contentEncoding === undefined)
  );
}

/** Content of the successful answer, by type. A flaw in the answers is not a reason to leave an operation out. */
function contentOf(api: Foreign, operation: Foreign): Record<string, Foreign> {
  const responses = objectOr(operation.responses, {});
  const status = Object.keys(responses).find((code) => /^2/.test(code)) ?? 'default';
  return objectOr(objectOr(resolvedOrNone(api, responses[status]), {}).content, {});
}

/** Prefers JSON, and accepts anything as the last choice, because errors may have any type. */
function acceptOf(content: Record<string, Foreign>) {
  const types = Object.keys(content);
  const json = types.filter(isJsonType);
  const others = types.filter((type) => !isJsonType(type));
  const wanted = types.length === 0 ? ['application/json'] : [...json, ...others.map((type) => (json.length > 0 ? `${type};q=0.5` : type))]; // prettier-ignore
  return [...wanted, '*/*;q=0.1'].join(', ');
}

function resultOf(content: Record<string, Foreign>, reader: Reader) {
  const contents = entriesOf(content);
  // The preferred type.
  const [type, given] = contents.find(([name]) => isJsonType(name)) ?? contents[0] ?? [];
  if (type !== undefined && !type.includes('*') && !isTextType(type)) return { description: `A Uint8Array of ${type}` };
  const { schema } = objectOr(given, {});
  return (schema ?? undefined) === undefined ? {} : reader.readable(schema);
}
