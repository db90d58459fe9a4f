// Another package may need a version of Pyodide that cannot run here, such as smolagents-ts with ^0.29.3.

import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { withFolder } from '../helpers.mjs';

const MODULE = fileURLToPath(new URL('../../build/python/pyodide-folder.js', import.meta.url));
const ADVICE = 'npm install ses-executor-pyodide@npm:pyodide@314';

/** The result of `pyodideFolder()` in a project with these packages, by the name of the folder. */
const find = (versions) =>
  withFolder(async (given) => {
    const root = realpathSync(given);
    for (const [name, version] of Object.entries(versions)) {
      const folder = join(root, 'node_modules', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'pyodide', version }));
    }
    const path = join(root, 'pyodide-folder.cjs');
    copyFileSync(MODULE, path);
    try {
      return createRequire(path)(path).pyodideFolder().slice(root.length);
    } catch ({ message }) {
      return message.replaceAll(root, '');
    }
  });
const folderOf = (name) => join('/node_modules', name);

test.each([
  ['the only one', { pyodide: '314.0.7' }, folderOf('pyodide')],
  ['a later one', { pyodide: '315.1.0' }, folderOf('pyodide')],
  ['the one under its own name', { 'ses-executor-pyodide': '314.0.7' }, folderOf('ses-executor-pyodide')],
  [
    "the one next to another package's version",
    { pyodide: '0.29.3', 'ses-executor-pyodide': '314.0.7' },
    folderOf('ses-executor-pyodide'),
  ],
  ['the one of the user', { pyodide: '314.0.9', 'ses-executor-pyodide': '314.0.7' }, folderOf('pyodide')],
])('finds %s', async (_, versions, folder) => {
  expect(await find(versions)).toBe(folder);
});

test.each(['0.29.3', '0.27.7', '0.28.0'])('refuses pyodide %s and says what to install', async (version) => {
  expect(await find({ pyodide: version })).toBe(
    `PyodideExecutor cannot run pyodide ${version} (${folderOf('pyodide')}), only 314 and later: ${ADVICE}`,
  );
});

test('says what to install if there is none', async () => {
  expect(await find({})).toBe(`PyodideExecutor needs the package pyodide: ${ADVICE}`);
});
