// What the loader of the addon says where there is none.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { expect, test } from 'vitest';

import { PLATFORMS } from '../../scripts/platforms.mjs';
import { loaderText } from '../../scripts/native-loader.mjs';
import { spawnNode } from '../helpers.mjs';

const nodeRequire = createRequire(import.meta.url);
const UNBUNDLED =
  "leave it out of the bundle: serverExternalPackages: ['ses-executor'] in next.config.js, --external ses-executor of bun build " +
  '(with --compile also --compile-autoload-package-json), --external:ses-executor of esbuild, externals of webpack; see docs/guide/production.md';

/** The message of the loader in a file, on a platform, whose `require` throws `error` for the addon. */
function messageOf(file, error, platform = { platform: process.platform, arch: process.arch }) {
  const require = (name) => {
    if (name.startsWith('node:')) return nodeRequire(name);
    throw error;
  };
  const load = new Function('require', '__filename', '__dirname', 'module', 'process', loaderText(PLATFORMS));
  try {
    load(require, file, '/nowhere', {}, { ...platform, report: process.report });
  } catch ({ message }) {
    return message;
  }
  throw new Error('it was loaded');
}

const missing = (message, code = 'MODULE_NOT_FOUND') => Object.assign(new Error(message), { code });

test.each([
  ['Next.js with Turbopack', '/ROOT/node_modules/ses-executor/native.cjs', missing('Cannot find module as expression is too dynamic')],
  ['Turbopack without an error code', '/ROOT/native.cjs', new Error('Cannot find module as expression is too dynamic')],
  ['bun build --compile', '/$bunfs/root/app', missing("Cannot find package 'ses-executor-linux-x64-gnu' from '/$bunfs/root/app'", 'ERR_MODULE_NOT_FOUND')],
  ['bun on Windows', 'B:\\~BUN\\root\\app.exe', new Error("Cannot find module 'ses-executor-win32-x64-msvc'")],
  ['esbuild', '/srv/app/dist/server.js', missing('Cannot find module')],
  ['rollup', '/srv/app/dist/server.cjs', new Error('Could not dynamically require "ses-executor-linux-x64-gnu". Please configure')],
  ['esbuild, another shim', '/srv/app/dist/server.js', new Error('Dynamic require of "ses-executor-linux-x64-gnu" is not supported')],
])('%s: the message says what to configure in the bundler', (_, file, error) => {
  expect(messageOf(file, error)).toMatch(
    /^ses-executor cannot be loaded: the package ses-executor-[\w-]+ is not installed; ses-executor is in a bundle, which cannot have the addon: /,
  );
  expect(messageOf(file, error).endsWith(UNBUNDLED)).toBe(true);
}); // prettier-ignore

// Their own failures named neither the package nor what to do.
test.each([
  ['without require', '() => { throw new Error(\'Dynamic require of "node:fs" is not supported\'); }'],
  ['without __dirname', 'createRequire(import.meta.url)'],
])('a bundle that is an ES module %s says what to configure in the bundler', async (_, require) => {
  const text = `import { createRequire } from 'node:module';
    const require = ${require}, module = {};
    ${loaderText(PLATFORMS)}`;
  const { status, stderr } = await spawnNode(['--input-type=module', '--eval', text]);
  expect(status).toBe(1);
  expect(stderr).toContain(
    `Error: ses-executor cannot be loaded: ses-executor is in a bundle, which cannot have the addon: ${UNBUNDLED}`,
  );
});

test('outside a bundle the message says to install the package first', () => {
  const file = nodeRequire.resolve('../../native.cjs');
  expect(messageOf(file, missing('Cannot find module'))).toMatch(
    /is not installed; install it, or run `npm run build` in a checkout; if ses-executor is in a bundle, leave it out of the bundle: /,
  );
});

test('another failure is reported with its own message', () => {
  const message = messageOf('/srv/app/dist/server.js', new Error('/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34` not found'));
  expect(message).toMatch(/^ses-executor cannot be loaded: ses-executor-[\w-]+ cannot be loaded: .*GLIBC_2\.34/);
}); // prettier-ignore

test.each([
  ['freebsd', 'x64'],
  ['linux', 'ia32'],
  ['win32', 'arm64'],
])('%s %s: the message says that there is no build and lists the existing ones', (platform, arch) => {
  expect(messageOf('/srv/native.cjs', new Error(), { platform, arch })).toBe(
    `ses-executor cannot be loaded: there is no build for ${platform} ${arch}; there are builds for ` +
      'linux x64, linux arm64, darwin x64, darwin arm64, win32 x64',
  );
});

test('package managers refuse platforms without a build, and choose the build for the C library', () => {
  const manifest = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  const { os, cpu } = manifest('../../package.json');
  expect(new Set(os)).toStrictEqual(new Set(PLATFORMS.map((platform) => platform.os)));
  expect(new Set(cpu)).toStrictEqual(new Set(PLATFORMS.map((platform) => platform.cpu)));
  for (const { name } of PLATFORMS) {
    const { libc } = manifest(`../../npm/${name}/package.json`);
    expect(libc).toStrictEqual(name.endsWith('-gnu') ? ['glibc'] : undefined);
  }
});
