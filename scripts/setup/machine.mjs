// What the machine must have: a supported platform, Node.js, npm, cargo and a C compiler.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

import { PLATFORMS, thisPlatform } from '../platforms.mjs';
import { fail } from './report.mjs';

/** What the npm packages of a clone need; the package itself is content with Node.js 20. */
const MIN_NODE = { major: 20, minor: 19 };

export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > MIN_NODE.major || (major === MIN_NODE.major && minor >= MIN_NODE.minor)) return;
  fail(
    `Node.js ${MIN_NODE.major}.${MIN_NODE.minor} or later is needed, and this is ${version}: see https://nodejs.org`,
  );
}

export function platform() {
  const names = PLATFORMS.map(({ os, cpu }) => `${os} ${cpu}`).join(', ');
  return thisPlatform() ?? fail(`the platform ${process.platform} ${process.arch} is not supported; ${names} are`);
}

export const cargoHome = process.env.CARGO_HOME || join(homedir(), '.cargo');

/** The environment to run cargo in: rustup's folder may not be on the PATH yet. */
export function cargoEnvironment() {
  return { ...process.env, PATH: `${process.env.PATH ?? ''}${delimiter}${join(cargoHome, 'bin')}` };
}

/** Checks what the native build calls. */
export function checkCompilers() {
  const { PATH } = cargoEnvironment();
  if (!isOnPath('cargo', PATH)) fail('cargo is missing: install Rust from https://rustup.rs, then run this again');
  // On Windows rustc finds Microsoft's linker by itself and says so if it does not.
  if (process.platform !== 'win32' && !isOnPath('cc', PATH)) {
    fail('a C compiler (`cc`) is missing: install gcc (Debian: apt-get install build-essential), then run this again');
  }
}

function isOnPath(command, path) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  return path
    .split(delimiter)
    .some((folder) => folder !== '' && suffixes.some((suffix) => existsSync(join(folder, command + suffix))));
}
