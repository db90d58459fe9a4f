// Each code block of the README runs.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';
import { commandsOf, describePage, fencedBlocks } from './doc-blocks.mjs';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

test('the README contains programs and commands', () => {
  const blocks = fencedBlocks(readme);
  expect(blocks.filter(({ language }) => language === 'js').length).toBeGreaterThan(0);
  expect(commandsOf(blocks).map((command) => command.split(' #')[0].trim())).toStrictEqual(
    expect.arrayContaining(['npm run demo', 'npm test']),
  );
});

describePage('README.md');
