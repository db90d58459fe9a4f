import { describe, isPlainObject } from '../../contract/describe';
import { METHODS, operationsOf } from './operations';
import { resolved } from './schemas';

/** Maximum characters of an error message about a document: the parser may list every step that it took. */
const MAX_REASON = 300;

/**
 * Limits for YAML: the number of aliases, multiplied where they are nested, and the number of values after expansion.
 */
const MAX_ALIASES = 10_000;
const MAX_VALUES = 5_000_000;

/**
 * Reads a document. `worker.js` calls it, because a large document takes seconds.
 *
 * @param document object, or string in JSON or YAML
 * @returns rejects with a TypeError if it is not valid, and with a SyntaxError if it cannot be parsed
 */
export async function readDocument(document: unknown): Promise<ReturnType<typeof operationsOf>> {
  const api = typeof document === 'string' ? parsed(document) : (document as any);
  // A file name would also parse as a string.
  if (typeof api === 'string') throw new TypeError(`document must be the text of a document, got ${describe(api)}`);
  if (typeof api?.openapi !== 'string' || !/^3\.[01]\./.test(api.openapi)) {
    throw new TypeError(`document must be OpenAPI 3.0 or 3.1, got version ${describe(api?.openapi ?? api?.swagger)}`);
  }
  const flaw =
    (await flawOf(withoutSchemaReferences(api))) && (await flawOf(withoutAnswers(withoutSchemaReferences(api))));
  if (flaw !== undefined) throw new TypeError(`document is not valid OpenAPI: ${flaw}`);
  return operationsOf(api);
}

function parsed(document: string) {
  const text = document.replace(/^\ufeff/, '');
  if (!text.trimStart().startsWith('{')) return parsedYaml(text);
  // JSON is also YAML, but the JSON parser is far faster.
  try {
    return JSON.parse(text);
  } catch (error) {
    const api = yamlOrNone(text);
    if (api?.openapi === undefined) throw unreadable('JSON', error);
    return api;
  }
}

/** @returns undefined if the string is not YAML either */
function yamlOrNone(text: string): any {
  try {
    return parsedYaml(text);
  } catch {
    return undefined;
  }
}

function parsedYaml(text: string) {
  const { parseYaml } = require('../../bundled/openapi') as typeof import('../../bundled/openapi');
  let value;
  try {
    value = parseYaml(text, { merge: true, maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw unreadable('YAML', error);
  }
  if (countOf(value) > MAX_VALUES) throw new TypeError(`document has more than ${MAX_VALUES} values`);
  return value;
}

/**
 * @param error of a parser. Its class may not survive the transfer to another thread, and its message may have several
 * lines.
 */
function unreadable(form: string, error: unknown) {
  const [reason] = (error as Error).message.split('\n');
  return new SyntaxError(`document cannot be read as ${form}: ${reason.replace(/:$/, '')}`);
}

/** Number of values within a value. A value that occurs several times counts each time. */
function countOf(value: unknown, known: Map<object, number> = new Map()): number {
  if (typeof value !== 'object' || value === null) return 1;
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, 1);
  const count = Object.values(value).reduce((sum, inner) => sum + countOf(inner, known), 1);
  known.set(value, count);
  return count;
}

/**
 * The first flaw of a document, with its position.
 * @param api is changed
 */
async function flawOf(api: any): Promise<string | undefined> {
  const { validateOpenApi } = require('../../bundled/openapi') as typeof import('../../bundled/openapi');
  // References must not lead outside the document.
  const checked = await validateOpenApi(api, {
    resolve: { external: false },
    dereference: { circular: 'ignore' },
  }).catch((error: any) => ({ valid: false, errors: [error] }));
  if (checked.valid !== false) return undefined;
  const [first] = checked.errors;
  const text = String(first?.message ?? first);
  // A line of the document's JSON, which was serialized for this check.
  const line = /^> *(\d+) \|/m.exec(text)?.[1];
  return firstLine(text) + (line === undefined ? '' : ` at ${pointerTo(Number(line), api)}`);
}

/**
 * A JSON pointer to the value that begins on a line of the indented JSON.
 * @param line from 1
 */
function pointerTo(line: number, value: any) {
  const linesOf = (inner: unknown) => JSON.stringify(inner, undefined, 1)?.split('\n').length ?? 0;
  let pointer = '#';
  let before = line - 1;
  for (let at = value; before > 0;) {
    // The line of the bracket.
    before--;
    const entry = Object.entries(at).find(([, inner]) => {
      const count = linesOf(inner);
      if (before < count) return true;
      before -= count;
      return false;
    });
    if (entry === undefined) break;
    pointer += `/${entry[0].replaceAll('~', '~0').replaceAll('/', '~1')}`;
    at = entry[1];
  }
  return pointer;
}

/**
 * Removes the parts that are not needed to find and call operations: answers and examples.
 * @param api is changed
 */
function withoutAnswers(api: any) {
  const { paths, components } = api;
  const partsIn = (value: any) => Object.values(value ?? {}).filter(isPlainObject) as any[];
  const items = partsIn(paths);
  const operations = items.flatMap((item) => partsIn(METHODS.map((method) => item[method])));
  const bodies = [...operations.map(({ requestBody }) => requestBody), ...partsIn(components?.requestBodies)];
  const parameters = [...items, ...operations, components ?? {}].flatMap((owner) => partsIn(owner.parameters));
  for (const part of [...parameters, ...bodies.flatMap((body) => partsIn(body?.content))]) {
    delete part.example;
    delete part.examples;
  }
  for (const operation of operations) {
    operation.responses = { default: { description: '' } };
    delete operation.callbacks;
  }
  for (const name of ['responses', 'examples', 'links', 'callbacks']) delete components?.[name];
  return api;
}

/**
 * A copy with `{}` in place of references to schemas. Each schema is validated where it is defined. The validator would
 * follow every path from one schema to the others, and their number has no bound.
 */
function withoutSchemaReferences(api: any) {
  const copy = structuredClone(api);
  const seen = new Set();
  for (let found = [copy]; found.length > 0;) {
    const value = found.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [key, inner] of Object.entries<any>(value)) {
      if (!String(inner?.$ref).startsWith('#/components/schemas/')) {
        found.push(inner);
        continue;
      }
      resolved(api, inner);
      value[key] = {};
    }
  }
  return copy;
}

function firstLine(text: unknown) {
  const [line] = String(text).split('\n');
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}...` : line;
}
