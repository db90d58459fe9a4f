// Bundles what a file of build/bundled/ requires into one file, with the licences of the packages beside it.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {string} entry
 * @param {string} output
 */
export async function bundle(entry, output) {
  const { metafile } = await build({
    entryPoints: [entry],
    outfile: output,
    allowOverwrite: true,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    metafile: true,
    // In the file of licences, whole.
    legalComments: 'none',
    logLevel: 'warning',
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const packages = new Set(Object.keys(inputs).flatMap((path) => packageFolder(path) ?? []));
  writeFileSync(output.replace(/\.js$/, '.LICENSES.txt'), [...packages].sort().map(licenceOf).join('\n'));
}

/** The folder of the package that a file belongs to; undefined for this project's own files. */
function packageFolder(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** The licence of the package in `folder`, with its name and version. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((it) => /^licen[cs]e/i.test(it));
  const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}
