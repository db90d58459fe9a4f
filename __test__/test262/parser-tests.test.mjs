// Each program of test262-parser-tests is accepted or refused as its folder says, except those in `exceptions.mjs`.

import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { prepareProgram } from '../../index.mjs';
import { withExecutor } from '../helpers.mjs';
import { PARSER_EXCEPTIONS } from './exceptions.mjs';

const root = dirname(createRequire(import.meta.url).resolve('test262-parser-tests/package.json'));
const FOLDERS = ['pass', 'pass-explicit', 'fail', 'early'];

const options = { language: 'javascript' };

const isValid = (code) => prepareProgram(code, options).diagnostics.every(({ severity }) => severity !== 'ERROR');

/** Whether a module can be read; what it imports is there, and what happens when it runs does not matter. */
async function isValidModule(code) {
  const imported = [...code.matchAll(/(?:from|import)\s*(["'])(.*?)\1/g)].map(([, , name]) => name);
  const authorizedImports = ['m', ...imported];
  const given = { ...options, authorizedImports, modules: { m: code }, onLog: () => {} };
  return withExecutor(given, {}, async (executor) => {
    const { output } = await executor.run("await import('m').then(() => '', (error) => `${error}`)");
    return !output.startsWith('SyntaxError') || output.includes('does not provide an export');
  });
}

test.each(FOLDERS)('%s', async (folder) => {
  const isAccepted = folder.startsWith('pass');
  const others = [];
  const files = readdirSync(join(root, folder));
  expect(files.length).toBeGreaterThan(600);
  for (const file of files) {
    const code = readFileSync(join(root, folder, file), 'utf8');
    const isRead = file.endsWith('.module.js') ? await isValidModule(code) : isValid(code);
    if (isRead !== isAccepted) others.push(file.slice(0, 16));
  }
  const exceptions = PARSER_EXCEPTIONS.flatMap(({ files: list }) => list[folder] ?? []);
  expect(others.sort()).toStrictEqual(exceptions.sort());
});
