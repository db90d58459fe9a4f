// Comments cite sections of docs/spec/ by their numbers: each cited section exists, and the rules of each page are
// numbered.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';

const SOURCES = /\.(?:[cm]?js|ts|rs|py)$/;
const FOLDERS = ['lib', 'crates', 'src', '__test__/ses', '__test__/contract', '__test__/prepare', '__test__/python'];
/** The page that comments of a folder cite without naming it. */
const PAGES = [
  ['lib/python/', 'python'],
  ['__test__/python/', 'python'],
  ['lib/browser/', 'browser'],
  ['lib/sandbox/', 'sandbox-manager'],
  ['', 'ses-executor'],
];
const RULES = { 'ses-executor': 'S', python: 'Y', browser: 'B', 'sandbox-manager': 'M' };

const pages = Object.fromEntries(Object.keys(RULES).map((name) => [name, readPage(name)]));

describe('cited sections exist', () => {
  const cited = [
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((name) => join(folder, name)),
    ),
  ]
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => SOURCES.test(path))
    .flatMap((path) => citations(path));

  test('comments cite sections', () => {
    expect(cited.length).toBeGreaterThan(30);
  });

  test.each([...new Set(cited.map(({ page, section }) => `${page} ${section}`))])('%s', (citation) => {
    const [page, section] = citation.split(' ');
    const headings = pages[page].match(/^#+ .+$/gm).map((heading) => heading.replace(/^#+ (?:\d+\. )?/, ''));
    const numbers = pages[page].match(/^#+ \d+(?:\.\d+)?/gm).map((heading) => heading.replace(/^#+ /, ''));
    const appendix = /^[A-D]$/.exec(section)?.[0];
    if (appendix !== undefined) expect(headings.some((text) => text.startsWith(`Appendix ${appendix}`))).toBe(true);
    else expect(numbers).toContain(section);
  });
});

test.each(Object.entries(RULES))('the rules of docs/spec/%s.md are numbered from %s1', (name, letter) => {
  const numbers = [...pages[name].matchAll(new RegExp(`\\*\\*${letter}(\\d+)\\*\\*`, 'g'))].map(([, n]) => Number(n));
  // "S53 to S62" stands for all between.
  const listed = new Set(numbers);
  for (const [, from, to] of pages[name].matchAll(
    new RegExp(`\\*\\*${letter}(\\d+)\\*\\* to \\*\\*${letter}(\\d+)`, 'g'),
  )) {
    for (let n = Number(from); n <= Number(to); n++) listed.add(n);
  }
  const last = Math.max(...listed);
  expect([...listed].sort((a, b) => a - b)).toStrictEqual(Array.from({ length: last }, (_, index) => index + 1));
  const overview = readFileSync(join(ROOT, 'docs', 'spec', 'README.md'), 'utf8');
  expect(overview).toContain(`${letter}1 to ${letter}${last}`);
});

function readPage(name) {
  return readFileSync(join(ROOT, 'docs', 'spec', `${name}.md`), 'utf8');
}

/** The sections that a file cites, with the page that they are on. */
function citations(path) {
  const [, folderPage] = PAGES.find(([prefix]) => path.startsWith(prefix));
  return readFileSync(join(ROOT, path), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const page = /specification of `PyodideExecutor`|Python specification/.test(line) ? 'python' : folderPage;
      const found = [...line.matchAll(/[sS]ections? (\d+(?:\.\d+)?)\b/g), ...line.matchAll(/[aA]ppendix ([A-D])\b/g)];
      return found.map(([, section]) => ({ page, section }));
    });
}
