// Lists the third-party parts of a build: the linked crates, the npm packages in the snapshot, and V8. Each has its
// licence, with the text of the licence if the crate or package contains it.

import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { BAKED } from './setup/addon.mjs';
import { cargoEnvironment } from './setup/machine.mjs';

const TEXT_FILE = /^(licen[cs]e|copying|copyright|notice|unlicense)/i;
const RULE = '-'.repeat(80);

/** @param {string} root of the repository, in which the addon has been built */
export function thirdPartyText(root) {
  const parts = [...crates(root), ...BAKED.map((name) => npmPackage(join(root, 'node_modules', name)))];
  /** Names by text: many have the same. */
  const texts = new Map();
  for (const { name, version, folder } of parts) {
    for (const file of readdirSync(folder).filter((found) => TEXT_FILE.test(found))) {
      const text = readFileSync(join(folder, file), 'utf8').replace(/\r\n/g, '\n').trim();
      texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
    }
  }
  const list = parts.map(({ name, version, license, url }) => `${name} ${version} · ${license} · ${url}`);
  const sections = [...texts].map(([text, names]) => `${RULE}\n${[...new Set(names)].join(', ')}\n\n${text}\n`);
  return `This build has these crates and npm packages in it; the texts of V8's licences are in the folder licenses.

${list.join('\n')}

${sections.join('\n')}`;
}

/** Those that are linked on this machine's platform. */
function crates(root) {
  const [, host] = /^host: (.*)$/m.exec(output('rustc', ['-vV'], root));
  const args = ['metadata', '--format-version', '1', '--locked', '--offline', '--filter-platform', host];
  const { packages, resolve } = JSON.parse(output('cargo', args, root));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const linked = new Set([resolve.root]);
  for (const id of linked) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      if (kinds.some(({ kind }) => kind === null)) linked.add(pkg);
    }
  }
  return packages
    .filter(({ id, source }) => linked.has(id) && source !== null)
    .map(({ name, version, license, license_file: file, repository, manifest_path: manifest }) => ({
      name,
      version,
      license: license ?? `see ${file}`,
      url: repository ?? `https://crates.io/crates/${name}`,
      folder: dirname(manifest),
    }));
}

/** @param {string} folder */
function npmPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version, license, url: `https://www.npmjs.com/package/${name}`, folder };
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 */
function output(program, args, cwd) {
  const options = { cwd, env: cargoEnvironment(), encoding: 'utf8', maxBuffer: 64 << 20 };
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args[0]} has failed: ${error?.message ?? stderr}`);
  return stdout;
}
