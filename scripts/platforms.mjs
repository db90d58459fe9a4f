// The platforms that there are builds for: Node's names of each, the name of its build (the addon is
// `ses-executor.<name>.node`), cargo's name of the library, and the machine of GitHub that builds it.

export const PLATFORMS = [
  {
    name: 'linux-x64-gnu',
    os: 'linux',
    cpu: 'x64',
    libc: 'glibc',
    library: 'libses_executor.so',
    runner: 'ubuntu-22.04',
  },
  {
    name: 'linux-arm64-gnu',
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    library: 'libses_executor.so',
    runner: 'ubuntu-22.04-arm',
  },
  { name: 'darwin-x64', os: 'darwin', cpu: 'x64', library: 'libses_executor.dylib', runner: 'macos-15-intel' },
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64', library: 'libses_executor.dylib', runner: 'macos-15' },
  { name: 'win32-x64-msvc', os: 'win32', cpu: 'x64', library: 'ses_executor.dll', runner: 'windows-2022' },
];

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
