// The platform packages of `npm/` fit the builds that the scripts know.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { PLATFORMS, addonOf, packageOf, workerOf } from '../../scripts/platforms.mjs';
import { ROOT } from '../helpers.mjs';

const read = (...path) => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'));

test('each build has a package in npm/, and vice versa', () => {
  expect(readdirSync(join(ROOT, 'npm')).sort()).toStrictEqual(PLATFORMS.map(({ name }) => name).sort());
});

test.each(PLATFORMS)('the package of $name names its files and the version of ses-executor', (platform) => {
  const { version, license, repository, engines } = read('package.json');
  const manifest = read('npm', platform.name, 'package.json');
  const binaries = [addonOf(platform), workerOf(platform)].filter((file) => file !== undefined);
  expect(manifest).toMatchObject({ name: packageOf(platform), version, license, repository, engines });
  expect(manifest.main).toBe(addonOf(platform));
  expect(manifest.files).toStrictEqual([...binaries, 'THIRD-PARTY.txt', 'licenses']);
  expect(manifest.libc).toStrictEqual(platform.os === 'linux' ? ['glibc'] : undefined);
});
