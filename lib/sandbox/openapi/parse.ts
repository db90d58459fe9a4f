import type { Foreign } from '../../contract/foreign';

/**
 * Limits of a document: the number of aliases in YAML, multiplied where they are nested; the number of values after
 * aliases are expanded; and the levels of objects and arrays, since code that reads them recurses.
 */
const MAX_ALIASES = 10_000;
const MAX_VALUES = 5_000_000;
const MAX_DEPTH = 500;

/**
 * Parses a string of JSON or YAML.
 *
 * @param name of the text in messages
 * @throws {SyntaxError} if it cannot be parsed
 * @throws {TypeError} if it has too many values or levels
 */
export function parsedText(given: string, name: string): Foreign {
  const value = valueOf(given.replace(/^\ufeff/, ''), name);
  checkSize(value, name);
  return value;
}

function valueOf(text: string, name: string) {
  if (!/^\s*[[{]/.test(text)) return parsedYaml(text, name);
  // JSON is also YAML, but the JSON parser is far faster.
  try {
    return JSON.parse(text);
  } catch (error) {
    const value = yamlOrNone(text, name);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable('JSON', error, name);
    if (value.openapi === undefined && value.swagger === undefined) throw unreadable('JSON', error, name);
    return value;
  }
}

/** @returns undefined if the text is not YAML either */
function yamlOrNone(text: string, name: string): Foreign {
  try {
    return parsedYaml(text, name);
  } catch {
    return undefined;
  }
}

function parsedYaml(text: string, name: string) {
  const { parseYaml } = require('../../bundled/openapi') as typeof import('../../bundled/openapi');
  try {
    // The search for keys that occur twice takes time that grows with the square of the keys. As in JSON, the last
    // one counts.
    return parseYaml(text, { merge: true, uniqueKeys: false, maxAliasCount: MAX_ALIASES, logLevel: 'error' });
  } catch (error) {
    throw unreadable('YAML', error, name);
  }
}

/**
 * @param error of a parser. Its class may not survive the transfer to another thread, and its message may have several
 * lines.
 */
function unreadable(form: string, error: unknown, name: string) {
  const [reason] = (error as Error).message.split('\n');
  return new SyntaxError(`${name} cannot be read as ${form}: ${reason.replace(/:$/, '')}`);
}

/**
 * Refuses documents with too many values or levels. A value that occurs several times counts each time. Circular
 * references are not followed.
 *
 * @throws {TypeError}
 */
export function checkSize(root: unknown, name: string) {
  const known: Map<object, { count: number; levels: number }> = new Map();
  const measure = (value: unknown, depth: number): { count: number; levels: number } => {
    if (typeof value !== 'object' || value === null) return { count: 1, levels: 0 };
    const before = known.get(value);
    if (before !== undefined) {
      checkDepth(depth + before.levels, name);
      return before;
    }
    checkDepth(depth, name);
    const size = { count: 1, levels: 0 };
    known.set(value, size);
    let count = 1;
    let levels = 0;
    for (const inner of Object.values(value)) {
      const part = measure(inner, depth + 1);
      count += part.count;
      levels = Math.max(levels, part.levels + 1);
      if (count > MAX_VALUES) throw new TypeError(`${name} has more than ${MAX_VALUES} values`);
    }
    Object.assign(size, { count, levels });
    return size;
  };
  measure(root, 0);
}

function checkDepth(depth: number, name: string) {
  if (depth > MAX_DEPTH) throw new TypeError(`${name} is nested more than ${MAX_DEPTH} levels deep`);
}
