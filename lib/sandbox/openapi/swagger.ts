import { CharCounter, LimitError } from './limits';
import { METHODS } from './operations';
import { Flaw, entriesOf, listOf, objectOr, resolved } from './references';
import type { Foreign } from '../../contract/foreign';

// Converts Swagger 2.0 to OpenAPI 3.0 with a library. The library refuses a whole document because of one flaw, and
// moves parameters and bodies. So each operation is converted separately, with the parameters that it refers to.

/**
 * @param api a document of Swagger 2.0; is changed
 * @returns the document as OpenAPI 3.0. If an operation cannot be converted, its value is the `Flaw`.
 */
export function converted(api: Foreign) {
  const { consumes, produces, definitions } = api;
  const types = { consumes: textsOf(consumes), produces: textsOf(produces) };
  const whole = upgraded({
    swagger: '2.0',
    host: typeof api.host === 'string' ? api.host : undefined,
    basePath: typeof api.basePath === 'string' ? api.basePath : undefined,
    schemes: secureFirst(listOf(api.schemes)),
    ...types,
    definitions: Object.fromEntries(entriesOf(definitions)),
    responses: Object.fromEntries(entriesOf(api.responses).filter(([, response]) => isObject(response))),
    securityDefinitions: Object.fromEntries(
      entriesOf(api.securityDefinitions).filter(([, scheme]) => isObject(scheme)),
    ),
    paths: {},
  });
  const context = { api, types, chars: new CharCounter() };
  const paths = entriesOf(api.paths).map(([path, given]) => [path, convertedItem(context, path, given)]);
  return {
    ...whole,
    openapi: '3.0.4',
    tags: api.tags,
    security: api.security,
    paths: Object.fromEntries(paths),
  };
}

/** The styles of `collectionFormat` that the library does not convert in each place. */
const STYLES = new Map([
  ['ssv', 'spaceDelimited'],
  ['tsv', 'tabDelimited'],
  ['pipes', 'pipeDelimited'],
]);
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

interface Context {
  api: Foreign;
  /** of the document */
  types: { consumes?: string[] | undefined; produces?: string[] | undefined };
  /** counts what is copied */
  chars: CharCounter;
}

function convertedItem(context: Context, path: string, given: Foreign) {
  const { api } = context;
  if (path.startsWith('x-')) return given;
  let item: Foreign;
  try {
    item = resolved(api, given);
  } catch {
    // The flaw is reported when the operation is read.
    return given;
  }
  if (!isObject(item)) return given;
  const operations = METHODS.filter((method) => (item[method] ?? undefined) !== undefined).map((method) => {
    try {
      return [method, convertedOperation(context, item, method)];
    } catch (error) {
      if (error instanceof LimitError) throw error;
      return [method, error instanceof Flaw ? error : new Flaw(`it cannot be converted: ${(error as Error).message}`)];
    }
  });
  return Object.fromEntries(operations);
}

function convertedOperation({ api, types, chars }: Context, item: Foreign, method: string) {
  const given = resolved(api, item[method]);
  if (!isObject(given)) throw new Flaw('it is not an object');
  chars.add(given);
  const { consumes, produces, ...operation } = given;
  const byPlace: Map<string, Foreign> = new Map();
  for (const one of [...listOf(item.parameters), ...listOf(operation.parameters)]) {
    const parameter = resolved(api, one);
    if (!isObject(parameter)) throw new Flaw('one of its parameters is not an object');
    if (typeof parameter.in !== 'string')
      throw new Flaw(`its parameter ${String(parameter.name)} has no location: \`in\` is missing`);
    chars.add(parameter);
    const place = parameter.in === 'body' ? 'body' : `${parameter.in} ${parameter.name}`;
    byPlace.set(place, parameter);
  }
  const responses = entriesOf(operation.responses).filter(([, response]) => isObject(response));
  const own = textsOf(consumes) ?? types.consumes;
  const { paths } = upgraded({
    swagger: '2.0',
    ...types,
    // The library changes references to these only if these keys exist.
    definitions: {},
    responses: {},
    parameters: {},
    paths: {
      '/': {
        [method]: {
          ...structuredClone({ ...operation, responses: Object.fromEntries(responses) }),
          ...withoutUndefined({ consumes: formTypes(byPlace, own) ?? own, produces: textsOf(produces) }),
          parameters: structuredClone([...byPlace.values()]),
        },
      },
    },
  });
  return styled(paths['/'][method], byPlace);
}

/** The content type of a form. A form without one is sent as browsers do. Undefined without a form. */
function formTypes(byPlace: Map<string, Foreign>, consumes: string[] = []) {
  const fields = [...byPlace.values()].filter((parameter) => parameter.in === 'formData');
  if (fields.length === 0) return undefined;
  if (fields.some(({ type }) => type === 'file')) return [MULTIPART];
  return [consumes.find((type) => type === FORM || type === MULTIPART) ?? FORM];
}

/** Adds the styles of lists. Only headers, paths and queries have parameters; forms have encodings. */
function styled(operation: Foreign, byPlace: Map<string, Foreign>) {
  for (const { name, in: place, type, collectionFormat } of byPlace.values()) {
    // The library converts commas except in forms.
    const usual = place === 'formData' ? 'form' : undefined;
    const style =
      type !== 'array' || collectionFormat === 'multi' ? undefined : (STYLES.get(collectionFormat) ?? usual);
    if (style === undefined) continue;
    const how = { style, explode: false };
    const parameter = listOf(operation.parameters).find((one) => one.in === place && one.name === name);
    if (parameter !== undefined) Object.assign(parameter, how);
    if (place !== 'formData') continue;
    for (const [, media] of entriesOf(operation.requestBody?.content)) {
      media.encoding = { ...media.encoding, [name]: how };
    }
  }
  return operation;
}

function upgraded(document: Foreign): Foreign {
  const { upgradeSwagger } = require('../../bundled/openapi') as typeof import('../../bundled/openapi');
  return upgradeSwagger(withoutUndefined(document));
}

function secureFirst(schemes: string[]) {
  return [...schemes].sort((a, b) => Number(b === 'https') - Number(a === 'https'));
}

/** @returns undefined for an empty list, which has no meaning */
function textsOf(value: unknown) {
  const texts = listOf(value).filter((text) => typeof text === 'string');
  return texts.length > 0 ? texts : undefined;
}

function isObject(value: unknown) {
  return objectOr(value, undefined) !== undefined;
}

function withoutUndefined(value: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}
