// npm packages: `npm ci`, unless what is installed is younger than the lock file.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { fail, run, step } from './report.mjs';

export async function installPackages(root) {
  // npm writes this file when it has installed.
  const installed = join(root, 'node_modules', '.package-lock.json');
  const lock = join(root, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const { status, output } = await step('npm packages', () =>
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      shell: process.platform === 'win32',
    }).catch(() => fail('npm is missing: it comes with Node.js, see https://nodejs.org')),
  );
  if (status !== 0) {
    console.error(output);
    fail(`npm ci failed with exit status ${status}; its output is above`);
  }
}
