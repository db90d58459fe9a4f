import { describe, isPlainObject } from '../../contract/describe';
import { bundle } from './files';
import { operationsOf } from './operations';
import { checkSize, parsedText } from './parse';
import { converted } from './swagger';
import type { Foreign } from '../../contract/foreign';
import type { ReadFile } from './files';

/** The versions that can be read, for the error about a document of another version. */
const VERSIONS = 'Swagger 2.0 or OpenAPI 3.0, 3.1 or 3.2';

/**
 * Reads a document. `worker.ts` calls it, because a large document takes seconds.
 *
 * @param document object, or string in JSON or YAML
 * @param how.readFile reads other files of the document; undefined: it is one file
 * @param how.maxChars of other files
 * @param how.credentials names of the security schemes for which the host has credentials
 * @returns rejects with a TypeError if it is not a document, and with a SyntaxError if it cannot be parsed
 */
export async function readDocument(
  document: unknown,
  {
    readFile,
    maxChars = Infinity,
    credentials = [],
  }: { readFile?: ReadFile | undefined; maxChars?: number; credentials?: string[] } = {},
): Promise<ReturnType<typeof operationsOf>> {
  const api = typeof document === 'string' ? parsedText(document, 'document') : (document as Foreign);
  // A file name would also parse as a string.
  if (!isPlainObject(api)) throw new TypeError(`document must be the text of a document, got ${describe(api)}`);
  if (typeof document !== 'string') checkSize(document, 'document');
  const version = versionOf(api);
  if (readFile !== undefined) await bundle(api, readFile, maxChars);
  if (!isPlainObject(api.paths ?? {})) throw new TypeError(`paths must be an object, got ${describe(api.paths)}`);
  return operationsOf(version === '2.0' ? converted(api) : { ...api, openapi: version }, credentials);
}

/** The version of the form. Unquoted in YAML it is a number: 3.0 is 3. */
function versionOf({ openapi, swagger }: Foreign) {
  const given = openapi ?? swagger;
  const text = typeof given === 'number' ? given.toFixed(1) : given;
  const [, version] = /^\s*(2\.0|3\.[0-2])(?:[.-].*|\s*)$/s.exec(typeof text === 'string' ? text : '') ?? [];
  if (version !== undefined && (version === '2.0') === (openapi === undefined)) return version;
  throw new TypeError(`document must be ${VERSIONS}, got version ${describe(given)}`);
}
