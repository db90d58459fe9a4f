// What set-up says and does where something is missing.

import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterEach, describe, expect, test, vi } from 'vitest';

import { isAddonFresh, markFresh, typeDefinitions } from '../../scripts/setup/addon.mjs';
import { addonOf, thisPlatform, workerOf } from '../../scripts/platforms.mjs';
import { ROOT, spawnNode, withFolder } from '../helpers.mjs';

afterEach(() => vi.unstubAllEnvs());

const HOST = thisPlatform();

/** Runs a part of set-up in a separate process. */
const setUp = (file, call, env) => {
  const { href } = pathToFileURL(join(ROOT, 'scripts/setup', file));
  const script = `const part = await import(${JSON.stringify(href)}); await part.${call}; console.log('goes on');`;
  return spawnNode(['--input-type=module', '--eval', script], { env });
};

describe('a build', () => {
  const made = [addonOf(HOST), workerOf(HOST)].filter((name) => name !== undefined);

  test.each(made)('is not fresh without %s', async (name) => {
    await withFolder((root) => {
      vi.stubEnv('CARGO_TARGET_DIR', join(root, 'target'));
      for (const path of ['Cargo.lock', 'Cargo.toml', 'build.rs', 'src', 'scripts/linker', 'vendor/v8/SHA256SUMS']) {
        cpSync(join(ROOT, path), join(root, path), { recursive: true });
      }
      mkdirSync(join(root, 'crates'));
      mkdirSync(typeDefinitions(root), { recursive: true });
      for (const file of made) writeFileSync(join(root, file), file);
      expect(isAddonFresh(root, HOST)).toBe(false);
      markFresh(root, HOST);
      expect(isAddonFresh(root, HOST)).toBe(true);
      rmSync(join(root, name));
      expect(isAddonFresh(root, HOST)).toBe(false);
    });
  });
});

describe('Node.js', () => {
  test.each(['20.19.0', '22.0.0'])('%s is accepted for a clone', async (version) => {
    const result = await setUp('machine.mjs', `checkNode('${version}')`);
    expect(result).toStrictEqual({ status: 0, signal: null, stdout: 'goes on\n', stderr: '' });
  });

  test.each(['20.18.3', '18.20.0'])('%s is refused for a clone', async (version) => {
    const result = await setUp('machine.mjs', `checkNode('${version}')`);
    const stderr = `ses-executor set-up: Node.js 20.19 or later is needed, and this is ${version}: see https://nodejs.org\n`;
    expect(result).toStrictEqual({ status: 1, signal: null, stdout: '', stderr });
  });
});

describe.skipIf(process.platform !== 'linux')('a browser', () => {
  const canInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');

  test.skipIf(!canInstall)('that apt-get cannot find does not stop the set-up', async () => {
    await withFolder(async (folder) => {
      const refusal = 'E: Unable to locate package chromium-headless-shell';
      const script = `#!/bin/sh\ncase "$1" in install) echo "${refusal}" >&2; exit 100;; esac\n`;
      writeFileSync(join(folder, 'apt-get'), script, { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env.PATH}`, CHROME_PATH: '/nowhere' };
      const { stderr, ...result } = await setUp('chrome.mjs', 'installChrome()', env);
      expect(result).toStrictEqual({ status: 0, signal: null, stdout: 'goes on\n' });
      const lines = stderr.split('\n').filter((line) => line.startsWith('ses-executor set-up: '));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(
        /apt-get could not install chromium-headless-shell.* \(E: Unable to locate package chromium-headless-shell\), and the tests of the browser need them: there is no program at \/nowhere, .*CHROME_PATH$/,
      );
    });
  });

  test.skipIf(canInstall)('that is missing is reported', async () => {
    const result = await setUp('chrome.mjs', 'installChrome()', { CHROME_PATH: '/nowhere' });
    expect(result).toMatchObject({ status: 0, stdout: 'goes on\n' });
    expect(result.stderr).toMatch(/^ses-executor set-up: the tests of the browser need Chrome: .*CHROME_PATH\n$/);
  });
});
