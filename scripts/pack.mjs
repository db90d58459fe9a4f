// `npm run pack:all [-- folder]`: the packages to publish, as tarballs in dist/ or the folder given: ses-executor, and
// the platform package of this machine.
//
// The published package.json names the platform packages as optional dependencies, so that npm installs the one that
// fits. The repository's own does not: they are not in the registry before the first release, and `npm ci` would refuse
// a lock file without them. So the package is staged in a folder of its own, where the list is added. A plain `npm pack`
// works too; then the platform package has to be installed by name. `npm publish` takes the tarballs made here.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = resolve(process.argv[2] ?? join(root, 'dist'));
const staged = join(dist, 'ses-executor');

const { scripts: _, devDependencies: __, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const platforms = readdirSync(join(root, 'npm'));

rmSync(staged, { recursive: true, force: true });
mkdirSync(staged, { recursive: true });
for (const path of [...manifest.files, 'LICENSE', 'README.md']) {
  cpSync(join(root, path), join(staged, path), { recursive: true });
}
const optionalDependencies = Object.fromEntries(
  platforms.map((platform) => [`ses-executor-${platform}`, manifest.version]),
);
writeFileSync(join(staged, 'package.json'), `${JSON.stringify({ ...manifest, optionalDependencies }, null, 2)}\n`);
pack(staged);
rmSync(staged, { recursive: true });

for (const platform of platforms) {
  const folder = join(root, 'npm', platform);
  if (existsSync(join(folder, `ses-executor.${platform}.node`))) pack(folder);
  else console.error(`npm/${platform} has no addon: it is packed where it was built`);
}

/** Puts the tarball of the package in `folder` into `dist`. */
function pack(folder) {
  const { status, stdout } = spawnSync('npm', ['pack', folder, '--pack-destination', dist, '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(1);
  console.log(join(dist, stdout.trim()));
}
