// V8 for linux-x64: the archive in vendor/v8 is put where the crate `v8` looks before it downloads.

import { createHash } from 'node:crypto';
import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { cargoHome } from './machine.mjs';
import { fail, step } from './report.mjs';

/** The version that vendor/v8 holds. */
const VERSION = '150.4.0';
const ARCHIVE = 'librusty_v8_simdutf_release_x86_64-unknown-linux-gnu.a.gz';
const URL = `https://github.com/denoland/rusty_v8/releases/download/v${VERSION}/${ARCHIVE}`;

/** Where the crate keeps its download. */
const placed = join(cargoHome, '.rusty_v8', URL.replace(/[^a-zA-Z0-9]/g, '_'));

/** Whether the crate will find the archive, as far as its size tells. */
export function isV8Placed(root) {
  return existsSync(placed) && statSync(placed).size === statSync(vendored(root)).size;
}

/** Verifies the vendored archive and puts it in its place, unless the same bytes are there already. */
export async function placeV8(root) {
  const source = vendored(root);
  checkVersion(root);
  const sums = readFileSync(join(root, 'vendor/v8/SHA256SUMS'), 'utf8');
  const expected = sums
    .split('\n')
    .find((line) => line.endsWith(`  ${ARCHIVE}`))
    ?.slice(0, 64);
  if (!existsSync(source)) fail(`vendor/v8/${ARCHIVE} is missing: get the whole repository`);
  if (sha256(source) !== expected) {
    fail(`vendor/v8/${ARCHIVE} is damaged: its SHA-256 is not the one in vendor/v8/SHA256SUMS`);
  }
  if (existsSync(placed) && sha256(placed) === expected) return;
  await step('V8', () => {
    mkdirSync(join(cargoHome, '.rusty_v8'), { recursive: true });
    // A copy and no link, because it must survive this folder; whole or not at all, because others may look.
    const partial = `${placed}.${process.pid}`;
    copyFileSync(source, partial, constants.COPYFILE_FICLONE);
    if (sha256(partial) !== expected) {
      rmSync(partial);
      fail(`${placed} could not be written correctly; is the disk full?`);
    }
    renameSync(partial, placed);
  });
}

function vendored(root) {
  return join(root, 'vendor/v8', ARCHIVE);
}

function checkVersion(root) {
  const locked = /^name = "v8"\nversion = "(.*)"$/m.exec(readFileSync(join(root, 'Cargo.lock'), 'utf8'))?.[1];
  if (locked !== VERSION) fail(`Cargo.lock asks for V8 ${locked}, but vendor/v8 holds ${VERSION}`);
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
