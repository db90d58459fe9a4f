// The native build: `cargo build --release`, and its library as the addon beside native.cjs.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { addonOf, workerOf } from '../platforms.mjs';
import { cargoEnvironment } from './machine.mjs';
import { fail, run, step } from './report.mjs';

/** What the addon is made of, relative to the root. Folders count with all that is in them. */
const SOURCES = ['Cargo.lock', 'Cargo.toml', 'build.rs', 'crates', 'src', 'scripts/linker', 'vendor/v8/SHA256SUMS'];
/** npm packages that the build bakes into the snapshot. */
export const BAKED = ['ses', 'node-inspect-extracted'];

/**
 * Where cargo builds. In CI, or if SES_EXECUTOR_CACHE is set (to a folder, or to anything else for the default one),
 * that is outside the clone, so that the next clone on this machine finds the dependencies compiled.
 */
export function targetDir(root) {
  const { CARGO_TARGET_DIR, CI, SES_EXECUTOR_CACHE, XDG_CACHE_HOME } = process.env;
  if (CARGO_TARGET_DIR) return resolve(root, CARGO_TARGET_DIR);
  if (!SES_EXECUTOR_CACHE && CI !== 'true') return join(root, 'target');
  const cache = SES_EXECUTOR_CACHE?.includes('/')
    ? resolve(root, SES_EXECUTOR_CACHE)
    : join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'ses-executor');
  return join(cache, 'target');
}

/** Where `#[napi]` writes down the types of the addon's items. */
export function typeDefinitions(root) {
  return join(targetDir(root), 'napi-types', 'ses-executor');
}

/** Whether the addon is what its sources make. */
export function isAddonFresh(root, host) {
  return existsSync(typeDefinitions(root)) && read(stampPath(root)) === stampText(root, host);
}

/** Notes that the addon is what its sources make. */
export function markFresh(root, host) {
  writeFileSync(stampPath(root), stampText(root, host));
}

export async function buildAddon(root, host) {
  const target = targetDir(root);
  mkdirSync(dirname(typeDefinitions(root)), { recursive: true });
  const { status, output } = await step('native build', (doing) => {
    let crates = 0;
    return run('cargo', ['build', '--release', '--locked'], {
      cwd: root,
      env: {
        ...cargoEnvironment(),
        CARGO_TARGET_DIR: target,
        CARGO_TERM_COLOR: 'never',
        NAPI_TYPE_DEF_TMP_FOLDER: dirname(typeDefinitions(root)),
      },
      onLine: (line) => {
        const compiling = /^\s+(Compiling|Downloading|Downloaded|Blocking) (.*)$/.exec(line);
        if (compiling === null) return;
        if (compiling[1] === 'Compiling') crates++;
        doing(`${crates} crates · ${compiling[1].toLowerCase()} ${compiling[2].replace(/ \(.*/, '')}`);
      },
    }).catch((error) => fail(`cargo cannot be run: ${error.message}`));
  });
  if (status !== 0) {
    console.error(output.replace(/^\s+(Compiling|Downloading|Downloaded) .*\n/gm, ''));
    fail(`cargo build failed with exit status ${status}; its output is above`);
  }
  const addon = join(root, addonOf(host));
  replace(addon, (partial) => copyFileSync(join(target, 'release', host.library), partial));
  await buildWorker(root, workerOf(host));
  markFresh(root, host);
}

/** The program of worker processes, which loads the addon: C, since it is to be small. */
async function buildWorker(root, name) {
  if (name === undefined) return;
  const source = join(root, 'crates/worker/launcher/launcher.c');
  const partial = join(root, `${name}.${process.pid}`);
  const { status, output } = await run('cc', ['-O2', '-Wall', '-s', '-o', partial, source, '-ldl'], {
    cwd: root,
    env: process.env,
    onLine: () => {},
  }).catch((error) => fail(`cc cannot be run: ${error.message}`));
  if (status !== 0) fail(`cc failed with exit status ${status}: ${output}`);
  renameSync(partial, join(root, name));
}

function stampPath(root) {
  return join(root, '.ses-executor-build.json');
}

/** Processes that have the old file loaded keep it; nobody sees half of the new one. */
function replace(path, make) {
  const partial = `${path}.${process.pid}`;
  rmSync(partial, { force: true });
  make(partial);
  renameSync(partial, path);
}

/** Contents of all sources, versions of what is baked in, and the addon and the worker's program that came of them. */
function stampText(root, host) {
  const hash = createHash('sha256');
  for (const source of SOURCES) hashInto(hash, root, source);
  const baked = BAKED.map((name) => {
    const manifest = read(join(root, 'node_modules', name, 'package.json'));
    return [name, manifest && JSON.parse(manifest).version];
  });
  const made = [addonOf(host), workerOf(host)].map((name) => {
    const { size, mtimeMs } = (name && statSync(join(root, name), { throwIfNoEntry: false })) ?? {};
    return { name, size, mtimeMs };
  });
  return `${JSON.stringify({ sources: hash.digest('hex'), baked, made })}\n`;
}

function hashInto(hash, root, path) {
  const full = join(root, path);
  if (statSync(full).isDirectory()) {
    for (const name of readdirSync(full).sort()) hashInto(hash, root, `${path}/${name}`);
  } else {
    const content = readFileSync(full);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
