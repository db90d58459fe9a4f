// `npm run check:prose`: looks in all tracked text for expressions that are nearly always wrong
// (scripts/prose/patterns.mjs).
//
//   node scripts/check-prose.mjs [path …]      files and folders; all by default
//
// Prints `file:line: expression → replacement` for each, and fails if there is one.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { EXEMPT_FILES, exemptTexts } from './prose/exemptions.mjs';
import { PATTERNS } from './prose/patterns.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TEXT = /\.(?:[cm]?[jt]s|md|rs|c|py|sh|ya?ml|toml)$|^\.ci\/|^package\.json$/;
/** What a line of a comment or of a list begins with. */
const LEAD = /^\s*(?:\/\/[/!]?|\/\*\*?|\*(?!\*)|#+|--|>)?\s*/;

/**
 * @param {string} text Of a file.
 * @param {string[]} exempt Texts in which matches do not count.
 * @returns {{ line: number, found: string, instead: string }[]}
 */
export function findingsIn(text, exempt = []) {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    // An expression may go on in the next line.
    const next = (lines[index + 1] ?? '').replace(LEAD, '');
    const both = `${line.trimEnd()} ${next}`;
    const length = line.trimEnd().length;
    return PATTERNS.flatMap(({ expression, instead }) =>
      Array.from(both.matchAll(expression))
        .filter((match) => match.index < length && !isExempt(both, match, exempt))
        .map(([found]) => ({ line: index + 1, found: found.trim(), instead })),
    );
  });
}

/** Whether a match is a part of one of the texts. */
function isExempt(text, { 0: found, index }, exempt) {
  return exempt.some((whole) => {
    for (let at = text.indexOf(whole); at !== -1; at = text.indexOf(whole, at + 1)) {
      if (at <= index && index + found.length <= at + whole.length) return true;
    }
    return false;
  });
}

function main(paths) {
  const tracked = execFileSync('git', ['ls-files', '-z', '--', ...paths], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const files = tracked.filter((path) => TEXT.test(path) && !EXEMPT_FILES.some((exempt) => exempt.path.test(path)));
  const exempt = exemptTexts();
  let count = 0;
  for (const path of files) {
    for (const { line, found, instead } of findingsIn(readFileSync(`${ROOT}/${path}`, 'utf8'), exempt)) {
      console.log(`${path}:${line}: "${found}" → ${instead}`);
      count++;
    }
  }
  console.error(`${count} ${count === 1 ? 'expression' : 'expressions'} in ${files.length} files`);
  if (count > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
