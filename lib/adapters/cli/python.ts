import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { UsageError } from './usage-error';
import { addPackages, target } from '../../python/packages';
import type { CommandOptions } from './main';
import type { StdioOptions } from 'node:child_process';

/** Runs `ses-executor python add`. The exit status is 0 if all packages are installed. */
export async function python([action, ...packages]: string[], { to, requirements }: CommandOptions) {
  if (action !== 'add') throw new UsageError(`python knows add only, got ${JSON.stringify(action ?? '')}`);
  if (packages.length + requirements.length === 0) throw new UsageError('python add needs a wheel, a name, or -r');
  const isWheel = (name: string) => name.endsWith('.whl');
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
 * Lets pip resolve and download the requested packages and their dependencies.
 *
 * @param named package names, optionally with versions: `numpy==2.4.0`
 * @param requirements requirements files
 */
async function download(folder: string, named: string[], requirements: string[]) {
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
  // Stdout is reserved for the list of added packages.
  const stdio: StdioOptions = ['ignore', process.stderr, process.stderr];
  const child = spawn(program, [...args, ...requirements.flatMap((file) => ['-r', file]), '--', ...named], { stdio });
  const status = await new Promise((resolve, reject) => {
    child.on('error', (error: Error) => {
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
