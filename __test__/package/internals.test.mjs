// Pages for newcomers stay short enough to be read in one go.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';

const FOLDER = join(ROOT, 'internals');
const overview = readFileSync(join(FOLDER, 'README.md'), 'utf8');

test('internals/README.md has at most 12 KB', () => {
  const advice = 'shorten internals/README.md, or move details to the page of their subject';
  expect(Buffer.byteLength(overview), advice).toBeLessThanOrEqual(12 * 1024);
});

test('internals/README.md links to every page of its folder', () => {
  const pages = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md');
  for (const page of pages) expect(overview).toContain(`](${page})`);
});

const linesOf = (path) => readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n').length;

test('each crate and each folder of lib/ has a README of 10 to 40 lines', () => {
  const folders = ['lib', 'crates'].flatMap((parent) =>
    readdirSync(join(ROOT, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${parent}/${name}/README.md`),
  );
  expect(folders.length).toBeGreaterThan(25);
  for (const path of folders) {
    expect(linesOf(path), path).toBeGreaterThanOrEqual(10);
    expect(linesOf(path), path).toBeLessThanOrEqual(40);
  }
});

test.each([
  ['README.md', 200],
  ['CHANGELOG.md', 40],
])('%s has at most %i lines', (path, most) => {
  expect(linesOf(path)).toBeLessThanOrEqual(most);
});

test.each(['lib', 'crates'])('the files to look at in %s/ exist', (folder) => {
  const [table] = new RegExp(`^\\| to change in \`${folder}/\`[^]*?\\n\\n`, 'm').exec(overview);
  const rows = table.trim().split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const [, , cell] = row.split('|');
    const names = Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name);
    // A name without a folder is beside the one before it.
    let beside = '';
    for (const name of names.filter((it) => !it.startsWith('npm ') && !it.includes('*'))) {
      const path = name.includes('/') ? name : join(beside, name);
      expect(existsSync(join(ROOT, folder, path)), `${folder}/${path}`).toBe(true);
      beside = dirname(path);
    }
  }
});
