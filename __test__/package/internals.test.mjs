// The overview of internals/ stays short enough to be read in one go.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';

const FOLDER = join(ROOT, 'internals');
const overview = readFileSync(join(FOLDER, 'README.md'), 'utf8');

test('internals/README.md has at most 12 KB', () => {
  expect(Buffer.byteLength(overview)).toBeLessThanOrEqual(12 * 1024);
});

test('internals/README.md links to every page of its folder', () => {
  const pages = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md');
  for (const page of pages) expect(overview).toContain(`](${page})`);
});
