// reports/libraries.md says of the libraries that the repository has itself what is so.

import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';

test('a sample of the libraries in the table loads', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/libraries.mjs', '--sample'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect([stderr, status]).toStrictEqual(['', 0]);
});
