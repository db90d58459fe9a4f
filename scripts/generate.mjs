// Generates files from two sources: the tables of options, errors, the lifecycle and numbers in `lib/contract/` (parts
// of the types, of the docs and of the Rust code), and the items of the addon (its types).
//
//   node scripts/generate.mjs [--check] [tables] [addon]
//
// The types of the addon are those of the last build: generate from the tables first, then build, then generate from
// the addon. `--check` writes nothing, and fails if a file differs from what would be written.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import prettier from 'prettier';

import { errorParts } from './generate/errors.mjs';
import { lifecycleParts } from './generate/lifecycle.mjs';
import { nativeParts } from './generate/native.mjs';
import { numberParts } from './generate/numbers.mjs';
import { optionParts } from './generate/options.mjs';
import { withPart } from './generate/parts.mjs';

const root = new URL('../', import.meta.url);
const isCheck = process.argv.includes('--check');
const groups = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const isWanted = (group) => groups.length === 0 || groups.includes(group);
const parts = [
  ...(isWanted('tables')
    ? [...optionParts(), ...errorParts(), ...lifecycleParts(), ...numberParts(), preludeText()]
    : []),
  ...(isWanted('addon') ? nativeParts() : []),
];

/** Path -> what its generated parts have to be: the text between two marks, or the whole file. */
const files = new Map();
for (const part of parts) files.set(part.path, [...(files.get(part.path) ?? []), part]);

let stale = 0;
for (const [path, ofFile] of files) {
  const url = new URL(path, root);
  const before = read(url);
  const after = await formatted(
    path,
    ofFile.reduce((text, part) => withPart(text, part), before ?? ''),
  );
  if (before === after) continue;
  stale++;
  if (isCheck) console.error(`${path} is not what scripts/generate.mjs writes; run: npm run generate`);
  else {
    mkdirSync(dirname(fileURLToPath(url)), { recursive: true });
    writeFileSync(url, after);
    console.log(path);
  }
}
if (isCheck && stale > 0) process.exit(1);

/**
 * The prelude of Python where there are no files: in a bundle. Joined as `crates/engine/src/python/distribution.rs`
 * does it.
 */
function preludeText() {
  const folder = new URL('lib/python/prelude/', root);
  const names = readdirSync(folder).filter((name) => name.endsWith('.py'));
  const prelude = JSON.stringify(
    names
      .sort()
      .map((name) => read(new URL(name, folder)))
      .join('\n'),
  );
  const head = '// Generated from lib/python/prelude/ by scripts/generate.mjs. Do not edit: run `npm run generate`.';
  return { path: 'lib/python/prelude-text.js', text: `${head}\n'use strict';\n\nmodule.exports = ${prelude};\n` };
}

async function formatted(path, text) {
  if (!path.endsWith('.rs')) {
    const file = fileURLToPath(new URL(path, root));
    return prettier.format(text, { ...(await prettier.resolveConfig(file)), filepath: file });
  }
  const config = fileURLToPath(root);
  const { status, stdout, stderr } = spawnSync('rustfmt', ['--edition', '2024', '--config-path', config], {
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`rustfmt cannot format ${path}: ${stderr}`);
  return stdout;
}

function read(url) {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return undefined;
  }
}
