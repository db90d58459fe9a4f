// The platforms that there are builds for: the name of each build (the addon is `ses-executor.<name>.node`), cargo's
// name of the library, and the machine of GitHub that builds it. Node's names of the platform are those of its package
// in `npm/`.

import { readFileSync } from 'node:fs';

export const PLATFORMS = [
  { name: 'linux-x64-gnu', library: 'libses_executor.so', runner: 'ubuntu-22.04' },
  { name: 'linux-arm64-gnu', library: 'libses_executor.so', runner: 'ubuntu-22.04-arm' },
  { name: 'darwin-x64', library: 'libses_executor.dylib', runner: 'macos-15-intel' },
  { name: 'darwin-arm64', library: 'libses_executor.dylib', runner: 'macos-15' },
  { name: 'win32-x64-msvc', library: 'ses_executor.dll', runner: 'windows-2022' },
].map((platform) => ({ ...platform, ...systemOf(platform) }));

/** What npm has to know of the machine, from the manifest of the platform's package. */
function systemOf({ name }) {
  const { os, cpu, libc } = JSON.parse(readFileSync(new URL(`../npm/${name}/package.json`, import.meta.url), 'utf8'));
  return { os: os[0], cpu: cpu[0], ...(libc && { libc: libc[0] }) };
}

/** The platform of this machine, if there is a build for it. */
export function thisPlatform() {
  return PLATFORMS.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
}

/** The file name of a platform's addon. */
export function addonOf({ name }) {
  return `ses-executor.${name}.node`;
}

/** The npm package of a platform's addon. */
export function packageOf({ name }) {
  return `ses-executor-${name}`;
}

/** The file name of the program of worker processes, which lies beside the addon; Windows has none. */
export function workerOf({ os }) {
  return os === 'win32' ? undefined : 'ses-executor-worker';
}
