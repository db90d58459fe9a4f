import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe } from '../contract/describe';

/** A script that each page runs before code. */
export interface Library {
  /** Its place in messages. */
  path: string;
  /** Its name in stacks. */
  name: string;
  source: string;
}

/** A string of this length, or with a line break, is the source of a library, not a path. */
const MAX_PATH = 1_024;
/** Characters of source text that paths do not have: calls, blocks, statements. */
const CODE = /[;{}()=]/;
/** Statements of ES modules, which scripts cannot have. */
const MODULE = /Cannot use import statement|Unexpected token 'export'|import\.meta/;

/**
 * Reads libraries when the executor is created, so that a wrong path is reported there.
 *
 * @param given paths, file URLs or texts of scripts
 * @throws {TypeError}
 */
export function readLibraries(given: unknown): Library[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw new TypeError(`options.libraries must be an array, got ${describe(given)}`);
  return given.map((library, index) => {
    const path = `options.libraries[${index}]`;
    const isUrl = library instanceof URL;
    if (!isUrl && (typeof library !== 'string' || library.trim() === '')) {
      throw new TypeError(`${path} must be a path, a file URL or the text of a script, got ${describe(library)}`);
    }
    if (!isUrl && isText(library)) return { path, name: `library-${index + 1}.js`, source: library };
    try {
      const file = isUrl || library.startsWith('file:') ? fileURLToPath(library) : library;
      return { path, name: basename(file), source: readFileSync(file, 'utf8').replace(/^\uFEFF/, '') };
    } catch (error) {
      throw new TypeError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    }
  });
}

/** The script as a page runs it. */
export function scriptOf({ name, source }: Library) {
  // A source map would be looked for in the page, which has no network.
  return `${source}\n;void 0\n//# sourceURL=${name.replace(/\s/g, '_')}\n`;
}

/** @param reason why the page could not run it */
export function libraryError({ path, name }: Library, reason: string) {
  const hint = MODULE.test(reason) ? '; a library is a script, such as a build named umd, iife or min' : '';
  return new LibraryError(`${path} (${name}) cannot be loaded: ${reason}${hint}`);
}

/** A library of the host does not run in pages. No other page or executor would help. */
export class LibraryError extends TypeError {}

function isText(given: string) {
  if (given.startsWith('file:')) return false;
  return given.length > MAX_PATH || given.includes('\n') || (CODE.test(given) && !/\.[cm]?js$/.test(given));
}
