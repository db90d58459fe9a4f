// Bundles what a file of build/bundled/ requires into one file, with the licences of the packages beside it.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

/** Packages that the published files of others contain. The list of inputs does not name them. */
const INLINED = {
  'node_modules/@modelcontextprotocol/server': [
    ...['ajv', 'ajv-formats', 'content-type', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse'],
  ],
};

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
  const inlined = [...packages].flatMap((folder) => INLINED[folder] ?? []);
  const licences = [...[...packages].sort().map(licenceOf), ...inlined.map(inlinedLicenceOf)];
  writeFileSync(output.replace(/\.js$/, '.LICENSES.txt'), licences.join('\n'));
}

/** The folder of the package that a file belongs to; undefined for this project's own files. */
function packageFolder(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** The licence of the package in `folder`, with its name and version. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})\n\n${textOf(folder)}\n`;
}

/** The licence of a package that another package contains, in an unknown version. */
function inlinedLicenceOf(name) {
  const folder = join('node_modules', name);
  const { license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return `${name} (${license})\n\n${textOf(folder)}\n`;
}

function textOf(folder) {
  const file = readdirSync(join(root, folder)).find((it) => /^licen[cs]e/i.test(it));
  return file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim();
}
