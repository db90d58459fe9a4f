// A separate folder for each test of a file, with the file tools for its `root`. Siblings of `root` are outside.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, expect } from 'vitest';

import { createFileTools } from '../../build/files/index.js';

/** Holds `root`. */
export let folder;
export let root;
/** The tools for `root`, with the limits of {@link limit}. */
export let tools;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ses-executor-files-'));
  root = join(folder, 'root');
  mkdirSync(root);
  limit({});
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Makes the tools anew, with these limits. */
export function limit(limits) {
  tools = createFileTools({ root, limits });
}

/** Writes a file below `root`, and the folders that it needs. */
export function put(path, content = '') {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** The text of a file below `root`. */
export function get(path) {
  return readFileSync(join(root, path), 'utf8');
}

/** The blocks of text of a result, with a blank line between them. */
export async function textOf(call) {
  const { content } = await call;
  expect(content.map(({ type }) => type)).toStrictEqual(content.map(() => 'text'));
  return content.map(({ text }) => text).join('\n\n');
}
