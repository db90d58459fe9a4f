// What an engine is, only its folder and the list of engines know: all other files serve any engine.

import { readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * @param {string} root the repository
 * @param {string} under the folder in it to look through
 * @param {string} engine the folder of the engine
 * @param {{ words: RegExp, exempt: string[] }} rule how files name the engine, and the other files and folders that may
 * @returns {string[]} a sentence for each line that names it
 */
export function namesOfEngine(root, under, engine, { words, exempt }) {
  const isExempt = (path) => [engine, ...exempt].some((place) => path === place || path.startsWith(`${place}/`));
  return readdirSync(join(root, under), { recursive: true })
    .map((path) => join(under, path).split(sep).join('/'))
    .filter((path) => path.endsWith('.rs') && !isExempt(path))
    .sort()
    .flatMap((path) => namedIn(join(root, path), words).map((line) => `${path}:${line} names the engine ${engine}`));
}

/** The numbers of the lines that have one of the words. */
function namedIn(file, words) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => (words.test(line) ? [index + 1] : []));
}
