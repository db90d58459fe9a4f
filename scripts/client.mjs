// Runs two suites against smolagents-ts, which is not on npm:
//   npm run test:client -- FOLDER
// FOLDER is a checkout whose packages are installed. First its agents run with `ses-executor/smolagents`, in the tests
// `__test__/**/*.client.mjs` of this package. Then its own suite runs with `ses-executor/python` instead of the
// executor that it has. The file that is replaced comes back at the end.

import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const REPLACED = 'src/utils/python-executor.ts';
const TEXT = `export * from 'ses-executor/python';
export type { CodeOutput } from 'ses-executor';

export interface FileSystemHandle {
  readonly kind: 'file' | 'directory';
  readonly name: string;
}

export interface FileSystemDirectoryHandle extends FileSystemHandle {
  readonly kind: 'directory';
  requestPermission(descriptor?: { mode: 'read' | 'readwrite' }): Promise<'granted' | 'denied'>;
}
`;

const [given, ...args] = process.argv.slice(2);
if (given === undefined) fail('usage: npm run test:client -- FOLDER [arguments of vitest]');
const folder = resolve(given);
if (!existsSync(join(folder, REPLACED))) fail(`${folder} is not a checkout of smolagents-ts: it has no ${REPLACED}`);
if (!existsSync(join(folder, 'node_modules/vitest'))) fail(`run npm install in ${folder} first`);

const agents = vitest(ROOT, ['run', '--config', 'vitest.client.config.mjs'], { SMOLAGENTS_TS: folder });

const link = join(folder, 'node_modules/ses-executor');
const isLinked = lstatSync(link, { throwIfNoEntry: false }) !== undefined;
const original = readFileSync(join(folder, REPLACED), 'utf8');
let suite;
try {
  // An installed package stays.
  if (!isLinked) symlinkSync(ROOT, link, 'junction');
  writeFileSync(join(folder, REPLACED), TEXT);
  suite = vitest(folder, ['--run', ...args], { USE_REAL_DATA: 'false' });
} finally {
  writeFileSync(join(folder, REPLACED), original);
  if (!isLinked) rmSync(link);
}
process.exitCode = agents || suite;

/**
 * The exit code of the vitest that `cwd` has installed.
 *
 * @param {string} cwd
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
function vitest(cwd, args, env) {
  const { status } = spawnSync(process.execPath, [join(cwd, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return status ?? 1;
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exit(2);
}
