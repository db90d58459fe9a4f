// `npm run pack:all [-- folder]` packs the packages to publish, as tarballs in dist/ or in the given folder.
//
// First it packs the platform package of this machine, if the addon is built. Then it packs ses-executor for all
// platforms whose tarballs exist: they become optional dependencies, and npm installs the one that fits. The
// dependencies of build/bundled/ are copied into its files, so that `npx ses-executor mcp` needs no other package.
// `--platform-only` leaves out ses-executor.
//
// Each package is staged in its own folder. `npm publish` takes the tarballs.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { bundle } from './bundle.mjs';
import { compile } from './compile.mjs';
import { loaderText } from './native-loader.mjs';
import { PLATFORMS, addonOf, packageOf, thisPlatform, workerOf } from './platforms.mjs';
import { thirdPartyText } from './third-party.mjs';

const { values, positionals } = parseArgs({
  options: { 'platform-only': { type: 'boolean' } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = resolve(positionals[0] ?? join(root, 'dist'));
const {
  scripts: _scripts,
  devDependencies: _devDependencies,
  overrides: _overrides,
  ...manifest
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const here = thisPlatform();
if (here !== undefined && existsSync(join(root, addonOf(here)))) {
  packStaged(packageOf(here), (folder) => stagePlatform(folder, here));
}
if (!values['platform-only']) {
  const packed = PLATFORMS.filter((it) => existsSync(join(dist, `${packageOf(it)}-${manifest.version}.tgz`)));
  if (packed.length === 0) {
    console.error(`${dist} has no platform package: run \`npm run build\` first`);
    process.exit(1);
  }
  await packMain(packed);
}

/** Stages the platform package: what `npm/` has of it, with the files that the build has made. */
function stagePlatform(folder, platform) {
  cpSync(join(root, 'npm', platform.name), folder, { recursive: true });
  const files = [addonOf(platform), workerOf(platform)].filter((file) => file !== undefined);
  for (const file of files) cpSync(join(root, file), join(folder, file));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(root, 'vendor/v8/licenses'), join(folder, 'licenses'), { recursive: true });
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), thirdPartyText(root));
}

/** Packs ses-executor for `platforms`. */
async function packMain(platforms) {
  await compile(root);
  const folder = stage(manifest.name);
  for (const path of [...manifest.files, 'LICENSE', 'README.md']) {
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: (source) => isPublished(path, source) });
  }
  linkToRepository(folder);
  writeFileSync(join(folder, 'native.cjs'), loaderText(platforms));
  for (const name of readdirSync(join(root, 'build/bundled')).filter((it) => it.endsWith('.js'))) {
    await bundle(join(root, 'build/bundled', name), join(folder, 'build/bundled', name));
    rmSync(join(folder, 'build/bundled', `${name}.map`));
  }
  const optionalDependencies = Object.fromEntries(platforms.map((it) => [packageOf(it), manifest.version]));
  writeManifest(folder, { ...manifest, typesVersions: { '*': olderTypes(manifest.exports) }, optionalDependencies });
  pack(folder);
}

/**
 * Of `lib/` only the TypeScript that the source maps of `build/` name: `build/` has everything else. The example of a
 * fleet needs scripts of the repository.
 */
function isPublished(path, source) {
  if (source === join(root, 'examples/fleet.mjs')) return false;
  return path !== 'lib' || statSync(source).isDirectory() || /(?<!\.d)\.ts$/.test(source);
}

/** Has the links of Markdown in `folder` lead to the repository where they are to files that only that has. */
function linkToRepository(folder) {
  const { version, repository } = manifest;
  const url = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${version}`;
  for (const path of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(join(folder, path), 'utf8');
    const linked = text.replace(/(?<=\]\()[\w./-]+/g, (target) => {
      const file = join(dirname(path), target);
      if (existsSync(join(folder, file)) || !existsSync(join(root, file))) return target;
      return `${url}/${file.replaceAll(sep, '/')}`;
    });
    writeFileSync(join(folder, path), linked);
  }
}

/** Where TypeScript finds the types of sub-paths with `moduleResolution: node`, which does not know `exports`. */
function olderTypes(exports) {
  const subPaths = Object.entries(exports).filter(([, target]) => target.types !== undefined);
  return Object.fromEntries(subPaths.map(([path, { types }]) => [path.slice(2), [types]]));
}

function packStaged(name, fill) {
  const folder = stage(name);
  fill(folder);
  pack(folder);
}

/** An empty folder in `dist`. */
function stage(name) {
  const folder = join(dist, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

function writeManifest(folder, content) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
}

/** Puts the tarball of the package in `folder` into `dist`, and removes the folder. */
function pack(folder) {
  const { status, stdout } = spawnSync('npm', ['pack', folder, '--pack-destination', dist, '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(1);
  rmSync(folder, { recursive: true });
  console.log(join(dist, stdout.trim()));
}
