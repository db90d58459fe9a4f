import { posix } from 'node:path';

import { parsedText } from './parse';
import { FAILED, FILES, partOf } from './references';
import type { Foreign } from '../../contract/foreign';

/** Files that belong to one document, and characters of all of them. */
const MAX_FILES = 10_000;

/** Reads a file by its path relative to the document. */
export type ReadFile = (path: string) => Promise<string>;

/**
 * Adds the files that a document refers to to the document, and changes the references accordingly. Each file is parsed
 * once, however many references to it exist.
 *
 * @param api is changed
 * @param maxChars of all files together
 */
export async function bundle(api: Foreign, readFile: ReadFile, maxChars: number) {
  const files: Record<string, unknown> = {};
  const failed: Record<string, string> = {};
  const wanted: Set<string> = new Set();
  redirect(api, '', wanted);
  let left = maxChars;
  // References of a file that is read add further files to the set.
  for (const path of wanted) {
    if (wanted.size > MAX_FILES) throw new TypeError(`document consists of more than ${MAX_FILES} files`);
    try {
      const text = await readFile(path);
      left -= text.length;
      if (left < 0) throw new TooMuchError(`the files of the document have more than ${maxChars} characters`);
      const value = parsedText(text, path);
      redirect(value, path, wanted);
      files[path] = value;
    } catch (error) {
      if (error instanceof TooMuchError) throw error;
      const [reason] = String((error as Error)?.message ?? error).split('\n');
      failed[path] = `it cannot be read: ${reason}`;
    }
  }
  api[FILES] = { ...files, [FAILED]: failed };
  if (Object.keys(failed).length > 0) restore([api], failed);
}

class TooMuchError extends RangeError {}

/**
 * Changes all references of a file to the places of the files in the document.
 *
 * @param from path of the file; empty for the document
 * @param wanted files that the references name are added
 */
function redirect(value: unknown, from: string, wanted: Set<string>) {
  for (const holder of holdersOf([value])) {
    const [file, fragment = ''] = holder.$ref.split('#', 2);
    if (file === '' && from === '') continue;
    // An address of the network is not a file.
    if (/^[a-z][a-z\d+.-]*:|^[/\\]/i.test(file)) continue;
    const path = file === '' ? from : posix.join(posix.dirname(from), decodeURI(file));
    if (path.startsWith('..') || (fragment !== '' && !fragment.startsWith('/'))) continue;
    wanted.add(path);
    holder.$ref = `#/${FILES}/${encodeURIComponent(partOf(path))}${fragment}`;
  }
}

/** Restores references to files that cannot be read. */
function restore(roots: unknown[], failed: Record<string, string>) {
  const prefixes = Object.keys(failed).map((path) => [`#/${FILES}/${encodeURIComponent(partOf(path))}`, path]);
  for (const holder of holdersOf(roots)) {
    for (const [prefix, path] of prefixes) {
      const rest = holder.$ref.slice(prefix.length);
      if (holder.$ref.startsWith(prefix) && (rest === '' || rest.startsWith('/'))) {
        holder.$ref = path + (rest === '' ? '' : `#${rest}`);
      }
    }
  }
}

/** The objects with a reference. */
function* holdersOf(open: unknown[]): Generator<{ $ref: string }> {
  const seen = new Set();
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (typeof (value as Foreign).$ref === 'string') yield value as { $ref: string };
    for (const inner of Object.values(value)) open.push(inner);
  }
}
