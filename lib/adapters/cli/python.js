// @ts-check
'use strict';

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { mkdtemp, readdir, rm } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const { UsageError } = require('./usage-error');
const { addPackages, target } = require('../../python/packages');

/**
 * `ses-executor python add`: 0 if all packages are there.
 *
 * @param {string[]} words
 * @param {import('./main').CommandOptions} options
 */
async function python([action, ...packages], { to, requirements }) {
  if (action !== 'add') throw new UsageError(`python knows add only, got ${JSON.stringify(action ?? '')}`);
  if (packages.length + requirements.length === 0) throw new UsageError('python add needs a wheel, a name, or -r');
  const isWheel = (/** @type {string} */ name) => name.endsWith('.whl');
  const named = packages.filter((name) => !isWheel(name));
  const missing = packages.find((name) => isWheel(name) && !existsSync(name));
  if (missing !== undefined) throw new UsageError(`there is no file ${missing}`);
  const downloads = await mkdtemp(join(tmpdir(), 'ses-executor-'));
  try {
    if (named.length + requirements.length > 0) await download(downloads, named, requirements);
    const found = (await readdir(downloads)).filter(isWheel).sort();
    const wheels = [...packages.filter(isWheel), ...found.map((name) => join(downloads, name))];
    const added = await addPackages(to, wheels);
    process.stdout.write(added.map(({ name, version }) => `${name} ${version}\n`).join(''));
    return 0;
  } finally {
    await rm(downloads, { recursive: true });
  }
}

/**
 * Has pip find and download what is asked for, and what that needs.
 *
 * @param {string} folder
 * @param {string[]} named names, which may have versions: `numpy==2.4.0`
 * @param {string[]} requirements files of them
 */
async function download(folder, named, requirements) {
  const { python: tag, platform } = await target();
  const program = process.env.PYTHON ?? (process.platform === 'win32' ? 'python' : 'python3');
  const interpreter = ['--implementation', 'cp', '--abi', tag, '--python-version', `3.${tag.slice(3)}`];
  const args = [
    '-m',
    'pip',
    'download',
    '--dest',
    folder,
    '--only-binary',
    ':all:',
    '--platform',
    platform,
    ...interpreter,
  ];
  // Output is what was added.
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = ['ignore', process.stderr, process.stderr];
  const child = spawn(program, [...args, ...requirements.flatMap((file) => ['-r', file]), '--', ...named], { stdio });
  const status = await new Promise((resolve, reject) => {
    child.on('error', (/** @type {Error} */ error) => {
      reject(
        new Error(
          `${program} cannot be started (${error.message}): pip finds packages; or give files that end in .whl`,
        ),
      );
    });
    child.on('close', resolve);
  });
  if (status !== 0) throw new Error('pip has not found all packages; what it says is above');
}

module.exports = { python };
