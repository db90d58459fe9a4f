import { isTextType } from './response';
import { camel, unique } from './names';
import { SchemaWriter, readable, resolved } from './schemas';
import { isForm, isJsonType } from './serialize';
import type { Field, Writing } from './serialize';

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Requests that never have a body, even if the document defines one. */
const WITHOUT_BODY = new Set(['get', 'head']);
/** Maximum characters of a description: searches return many. */
const MAX_DESCRIPTION = 400;
/** Headers that the host sets, as OpenAPI requires. Documents that list them as parameters only describe them. */
const RESERVED_HEADERS = new Set(['accept', 'content-type', 'authorization', 'cookie', 'host', 'content-length']);

export interface Operation {
  /** identifier of its first tag */
  source: string;
  sourceDescription: string;
  name: string;
  /** upper case */
  method: string;
  path: string;
  /** URL of the operation's first server, or of the first server of its path or the document */
  serverUrl: string | undefined;
  tags: string[];
  operationId: string | undefined;
  /** `key`: the name that guests use */
  parameters: (Writing & { in: string; key: string })[];
  /**
   * If `key` is undefined, the other parameters form the body; with `isOptional`, no body is sent if none of them is
   * given. `fields`: the form fields for which the document specifies more than the schema.
   */
  body: { key: string | undefined; contentType: string; fields: Field[]; isOptional: boolean } | undefined;
  /** accepted content types of its answers */
  accept: string;
  /** alternatives, each an object by scheme */
  security: any[];
  schemes: Record<string, any>;
  spec: { name: string; description: string; params: object; result: object; examples: unknown[] };
}

/** The operations of a document, and the schemas that they share. */
export function operationsOf(api: any): { operations: Operation[]; $defs: Record<string, unknown>; schemes: string[] } {
  const sources = new Map();
  const sourceNames = new Set(['then']);
  const descriptions = new Map((api.tags ?? []).map((tag: any) => [tag.name, tag.description ?? '']));
  const schemes = Object.fromEntries(
    Object.entries(api.components?.securitySchemes ?? {}).map(([name, scheme]) => [name, resolved(api, scheme)]),
  );
  const writer = new SchemaWriter(api);
  const operations = [];
  for (const [path, given] of Object.entries(api.paths ?? {})) {
    const item = resolved(api, given);
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      const [tag = ''] = operation.tags ?? [];
      if (!sources.has(tag)) {
        const source = unique(sourceNames, camel(tag) || 'api');
        sources.set(tag, { source, taken: new Set(['then']) });
      }
      const { source, taken } = sources.get(tag);
      const name = unique(taken, nameOf(operation, tag) || camel(`${method} ${path}`));
      const parts = partsOf(api, item, operation, { schemes, writer, hasBody: !WITHOUT_BODY.has(method) });
      operations.push({
        source,
        sourceDescription: String(descriptions.get(tag) ?? ''),
        name,
        method: method.toUpperCase(),
        path,
        serverUrl: serverUrlOf([operation, item, api]),
        tags: operation.tags ?? [],
        operationId: operation.operationId,
        parameters: parts.parameters,
        body: parts.body,
        accept: acceptOf(contentOf(api, operation)),
        security: operation.security ?? api.security ?? [],
        schemes,
        spec: {
          name,
          description: descriptionOf(operation, `${method.toUpperCase()} ${path}`),
          params: parts.params,
          result: resultOf(api, operation),
          examples: [],
        },
      });
    }
  }
  return { operations, $defs: writer.$defs, schemes: Object.keys(schemes) };
}

/**
 * The first server that is defined, with the defaults of its variables. A relative URL is resolved against the next
 * outer owner.
 * @param owners from the operation to the document
 */
function serverUrlOf([owner, ...outer]: any[]): string | undefined {
  if (owner === undefined) return undefined;
  const [server] = owner.servers ?? [];
  if (typeof server?.url !== 'string') return serverUrlOf(outer);
  const url = server.url.replace(/\{([^{}]+)\}/g, (text: string, name: string) => {
    return server.variables?.[name]?.default ?? text;
  });
  if (URL.canParse(url)) return url;
  const base = serverUrlOf(outer);
  return URL.canParse(url, base) ? new URL(url, base).href : url;
}

function nameOf({ operationId = '' }: any, tag: string) {
  // Many documents repeat the tag: `repos/list-for-user`.
  return camel(operationId.startsWith(`${tag}/`) ? operationId.slice(tag.length + 1) : operationId);
}

function descriptionOf({ summary = '', description = '', deprecated }: any, request: string) {
  const said = description.startsWith(summary) ? [description] : [summary.replace(/\.$/, ''), description];
  const text = said.filter((part) => part !== '').join('. ');
  const short = text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}...` : text;
  return `${short} (${deprecated === true ? 'deprecated, ' : ''}${request})`.trim();
}

/** Parameters and body, and one object schema for both. */
function partsOf(
  api: any,
  item: any,
  operation: any,
  { schemes, writer, hasBody }: { schemes: Record<string, any>; writer: SchemaWriter; hasBody: boolean },
) {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const taken = new Set(['__proto__']);
  const secrets = new Set(
    Object.values(schemes)
      .filter(({ type }) => type === 'apiKey')
      .map(placeOf),
  );
  const byPlace = new Map();
  for (const given of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
    const parameter = resolved(api, given);
    byPlace.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  const parameters = [...byPlace.values()]
    .filter(({ in: place, name }) => isGuests(place, name) && !secrets.has(placeOf({ in: place, name })))
    .map((parameter) => {
      const key = unique(taken, parameter.name);
      const [contentType, content] = Object.entries<any>(parameter.content ?? {})[0] ?? [];
      const schema = parameter.schema ?? content?.schema ?? {};
      properties[key] = { ...notesOf(api, parameter), ...writer.write(schema) };
      if (parameter.required === true || parameter.in === 'path') required.push(key);
      const { name, in: place } = parameter;
      return {
        name,
        in: place,
        key,
        ...styleOf(parameter, place === 'query' ? 'form' : 'simple'),
        isJson: isJsonType(contentType),
      };
    });
  const body = hasBody ? bodyOf(api, operation, writer, { properties, required, taken }) : undefined;
  const params = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: body?.others ?? false,
    ...body?.whole,
  };
  return { parameters, body, params: params as any };
}

/** The location of a parameter, as a key. Header names are case-insensitive. */
function placeOf({ in: place, name }: { in: string; name: string }) {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}

/** The documentation of a parameter. */
function notesOf(api: any, { description, deprecated, example, examples }: any) {
  const shown = Object.values(examples ?? {}).map((given) => resolved(api, given)?.value);
  const values = [example, ...shown].filter((value) => value !== undefined);
  return {
    ...(description !== undefined && { description }),
    ...(deprecated === true && { deprecated }),
    ...(values.length > 0 && { examples: values }),
  };
}

function styleOf(given: { style?: string; explode?: boolean }, usual: string) {
  const style = given.style ?? usual;
  return { style, explode: given.explode ?? style === 'form' };
}

function isGuests(place: string, name: string) {
  if (place === 'header') return !RESERVED_HEADERS.has(name.toLowerCase());
  return place === 'query' || place === 'path';
}

/**
 * The body of a request. The properties of an object become separate parameters if no name collides. Otherwise, and for
 * bodies that are not objects, the whole body is the parameter `body`.
 */
function bodyOf(
  api: any,
  operation: any,
  writer: SchemaWriter,
  { properties, required, taken }: { properties: Record<string, unknown>; required: string[]; taken: Set<string> },
) {
  if (operation.requestBody === undefined) return undefined;
  const { content = {}, required: isRequired } = resolved(api, operation.requestBody);
  const type = contentTypeOf(Object.keys(content));
  if (type === undefined) return undefined;
  const given = content[type];
  const schema = resolved(api, given.schema ?? {});
  const contentType = sentAs(type, schema);
  const names = Object.keys(schema.properties ?? {});
  const hasOwnWords = ['oneOf', 'anyOf', 'allOf', 'not'].some((word) => schema[word] !== undefined);
  if (isJsonType(contentType) && names.length > 0 && !hasOwnWords && !names.some((name) => taken.has(name))) {
    const own = writer.write({ properties: schema.properties, required: schema.required ?? [] });
    Object.assign(properties, own.properties);
    const wanted = own.required.filter((it: string) => names.includes(it));
    const isOptional = isRequired !== true;
    if (!isOptional) required.push(...wanted);
    return {
      key: undefined,
      contentType,
      fields: [],
      isOptional,
      others: writer.write(schema.additionalProperties),
      whole: isOptional && wanted.length > 0 ? { if: hasOther(taken), then: { required: wanted } } : {},
    };
  }
  const key = unique(taken, 'body');
  const isText = !isJsonType(contentType) && !isForm(contentType) && schema.type !== 'string';
  properties[key] = isText
    ? { type: 'string', description: `A text of ${contentType}` }
    : writer.write(given.schema ?? {});
  if (isRequired === true) required.push(key);
  const fields = isForm(contentType) ? fieldsOf(api, schema, given.encoding ?? {}) : [];
  return { key, contentType, fields, isOptional: false, others: false, whole: {} };
}

/** A schema for objects that have any property other than these. `__proto__` is never a property. */
function hasOther(names: Set<string>) {
  const known = [...names].filter((name) => name !== '__proto__');
  return known.length === 0 ? { minProperties: 1 } : { not: { propertyNames: { enum: known } } };
}

/** The content type to send for a body whose type is a range. */
function sentAs(type: string, schema: any) {
  if (!type.includes('*')) return type;
  if (schema.type !== 'string' && /^(?:\*|application)\//.test(type)) return 'application/json';
  return /^(?:\*|text)\//.test(type) && !isFile(schema) ? 'text/plain' : 'application/octet-stream';
}

/** The content type that describes a body: the first one that can represent objects. */
function contentTypeOf(types: string[]) {
  return types.find(isJsonType) ?? types.find(isForm) ?? types[0];
}

/**
 * @param schema of a form
 * @param encodings by property
 */
function fieldsOf(api: any, schema: any, encodings: Record<string, any>): Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const encoding = Object.hasOwn(encodings, name) ? encodings[name] : {};
    const own = resolved(api, property);
    return {
      name,
      ...styleOf(encoding, 'form'),
      isStyled: encoding.style !== undefined || encoding.explode !== undefined,
      // The first of the allowed types.
      contentType: encoding.contentType
        ?.split(',')
        .find((type: string) => !type.includes('*'))
        ?.trim(),
      isFile: isFile(own) || (own?.items !== undefined && isFile(resolved(api, own.items))),
    };
  });
}

function isFile(schema: any) {
  return (
    schema?.format === 'binary' || (schema?.contentMediaType !== undefined && schema.contentEncoding === undefined)
  );
}

/** Content of the successful answer, by type. */
function contentOf(api: any, operation: any): Record<string, any> {
  // A flaw in the answers is not a reason to refuse a document.
  const responses = operation.responses ?? {};
  const status = Object.keys(responses).find((code) => /^2/.test(code)) ?? 'default';
  return resolved(api, responses[status])?.content ?? {};
}

/** Prefers JSON, and accepts anything as the last choice, because errors may have any type. */
function acceptOf(content: Record<string, any>) {
  const types = Object.keys(content);
  const json = types.filter(isJsonType);
  const others = types.filter((type) => !isJsonType(type));
  const wanted = types.length === 0 ? ['application/json'] : [...json, ...others.map((type) => (json.length > 0 ? `${type};q=0.5` : type))]; // prettier-ignore
  return [...wanted, '*/*;q=0.1'].join(', ');
}

function resultOf(api: any, operation: any) {
  const contents = Object.entries(contentOf(api, operation));
  // The preferred type.
  const [type, given] = contents.find(([name]) => isJsonType(name)) ?? contents[0] ?? [];
  if (type !== undefined && !type.includes('*') && !isTextType(type)) return { description: `A Uint8Array of ${type}` };
  return given?.schema === undefined ? {} : readable(api, given.schema);
}
