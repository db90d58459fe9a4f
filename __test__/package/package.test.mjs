// What `npm pack` makes can be installed and used: the package with the platform package beside it, and the two
// tarballs that are published.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROOT, deferred, spawnNode, spawnProgram, withFolder } from '../helpers.mjs';

/** The platform package of this machine. */
const PLATFORM = readdirSync(join(ROOT, 'npm')).find((name) => existsSync(join(ROOT, `ses-executor.${name}.node`)));
const ADDON = `ses-executor.${PLATFORM}.node`;

/** Holds the tarballs and the folders that they are installed into, as long as the tests of this file go on. */
const over = deferred();
let workshop;
let folder;
/** `plain`: of `npm pack`; `published`, `platform`: of `npm run pack:all`. */
const tarballs = {};

beforeAll(async () => {
  const made = deferred();
  workshop = withFolder((empty) => {
    made.resolve(empty);
    return over.promise;
  });
  folder = await made.promise;
  const plain = join(folder, 'plain');
  const published = join(folder, 'published');
  mkdirSync(plain);
  mkdirSync(published);
  await succeed('npm', ['pack', '--pack-destination', plain], ROOT);
  await succeed(process.execPath, ['scripts/pack.mjs', published], ROOT);
  tarballs.plain = join(plain, tarballOf(plain, 'ses-executor-0'));
  tarballs.published = join(published, tarballOf(published, 'ses-executor-0'));
  tarballs.platform = join(published, tarballOf(published, `ses-executor-${PLATFORM}-`));
}, 120_000);

afterAll(async () => {
  over.resolve();
  await workshop;
});

describe.each(['plain', 'published'])('%s package and platform package in an empty folder', (kind) => {
  let app;
  let installed;

  beforeAll(async () => {
    app = join(folder, `app-${kind}`);
    installed = await install(app, [tarballs[kind], tarballs.platform]);
  }, 60_000);

  test('install without a network', () => {
    expect(installed, installed.stderr).toMatchObject({ status: 0 });
    const modules = join(app, 'node_modules');
    const names = readdirSync(modules).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(['ses-executor', `ses-executor-${PLATFORM}`]);
    expect(existsSync(join(modules, `ses-executor-${PLATFORM}`, ADDON))).toBe(true);
  });

  test('a worker process', async () => {
    const script = `
      import { SESExecutor } from 'ses-executor';
      const executor = new SESExecutor({ isolation: 'process' });
      await executor.init();
      console.log(executor.isolation.mode, (await executor.run('[1, 2, 3].map((n) => n * 2)')).output);
      await executor.cleanup();
    `;
    const result = await spawnNode(['--input-type=module', '--eval', script], { cwd: app });
    expect(result).toEqual({ status: 0, signal: null, stdout: 'process [ 2, 4, 6 ]\n', stderr: '' });
  });

  test('an ES module of five lines', async () => {
    const file = join(app, 'five-lines.mjs');
    writeFileSync(
      file,
      `import { SESExecutor } from 'ses-executor';
const executor = new SESExecutor();
await executor.init();
console.log((await executor.run('[1, 2, 3].map((n) => n * 2)')).output);
await executor.cleanup();
`,
    );
    const result = await spawnNode([file], { cwd: app });
    expect(result).toEqual({ status: 0, signal: null, stdout: '[ 2, 4, 6 ]\n', stderr: '' });
  });

  test('a CommonJS script of five lines', async () => {
    const file = join(app, 'five-lines.cjs');
    writeFileSync(
      file,
      `const { SESExecutor } = require('ses-executor');
const executor = new SESExecutor({ autoInit: true });
executor.run('final_answer(20 + 1)')
  .then(({ output }) => console.log(output))
  .finally(() => executor.cleanup());
`,
    );
    const result = await spawnNode([file], { cwd: app });
    expect(result).toEqual({ status: 0, signal: null, stdout: '21\n', stderr: '' });
  });

  test('the command line', async () => {
    const bin = join(app, 'node_modules', '.bin', 'ses-executor');
    const result = await spawnProgram(bin, ['run', '-'], { cwd: app, input: '1 + 1' });
    expect(result).toEqual({ status: 0, signal: null, stdout: '2\n', stderr: '' });
  });

  // The packages that the sub-paths are for are optional, and not here.
  test('sub-paths say what to install, or work without', async () => {
    const script = `
      for (const name of ['ai', 'codemode', 'prompts', 'sandbox', 'smolagents']) {
        try {
          console.log(name, Object.keys(require('ses-executor/' + name)).length > 0);
        } catch (error) {
          console.log(error.message);
        }
      }`;
    expect(await spawnNode(['--eval', script], { cwd: app })).toEqual({
      status: 0,
      signal: null,
      stdout:
        'ses-executor/ai needs packages that are not installed; run: npm install ai zod\n' +
        'codemode true\nprompts true\n' +
        'ses-executor/sandbox needs packages that are not installed; run: npm install ajv re2js\nsmolagents true\n',
      stderr: '',
    });
    const bin = join(app, 'node_modules', '.bin', 'ses-executor');
    expect(await spawnProgram(bin, ['mcp'], { cwd: app })).toEqual({
      status: 1,
      signal: null,
      stdout: '',
      stderr:
        'ses-executor: ses-executor mcp needs packages that are not installed; ' +
        'run: npm install @modelcontextprotocol/sdk zod\n',
    });
  });

  test('have what they promise, and nothing of the workshop', () => {
    const root = join(app, 'node_modules', 'ses-executor');
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const targets = filesOf(manifest.exports);
    expect(targets).toContain('./index.d.mts');
    for (const path of ['README.md', 'LICENSE', 'docs/errors.md', manifest.main, manifest.types, ...targets]) {
      expect(existsSync(join(root, path)), path).toBe(true);
    }
    for (const path of ['src', 'target', 'vendor', '__test__', 'scripts', 'Cargo.toml', ADDON]) {
      expect(existsSync(join(root, path)), path).toBe(false);
    }
    expect(manifest.dependencies).toBeUndefined();
  });
});

test('the published package names the platform package, in its own version', () => {
  const root = join(folder, 'app-published', 'node_modules');
  const read = (name) => JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'));
  const { version, optionalDependencies } = read('ses-executor');
  expect(optionalDependencies).toHaveProperty([`ses-executor-${PLATFORM}`], version);
  expect(read(`ses-executor-${PLATFORM}`).version).toBe(version);
});

test('without the platform package the failure is named in one line', async () => {
  const app = join(folder, 'app-alone');
  const { status, stderr } = await install(app, [tarballs.plain]);
  expect(status, stderr).toBe(0);
  const script = 'try { require("ses-executor") } catch (error) { console.log(error.message) }';
  const { stdout } = await spawnNode(['--eval', script], { cwd: app });
  expect(stdout).toMatch(new RegExp(`^ses-executor cannot be loaded: .*ses-executor-${PLATFORM}.*\n$`));
});

/** The files that `exports` of a package lead to. */
function filesOf(exports) {
  return typeof exports === 'string' ? [exports] : Object.values(exports).flatMap(filesOf);
}

/** Runs a program that has to succeed. */
async function succeed(program, args, cwd) {
  const { status, stderr } = await spawnProgram(program, args, { cwd, timeoutMs: 60_000 });
  expect(status, stderr).toBe(0);
}

/** Installs tarballs into the new folder `app`, without a network. */
function install(app, paths) {
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  const args = ['install', '--offline', '--no-audit', '--no-fund', ...paths];
  return spawnProgram('npm', args, { cwd: app, timeoutMs: 60_000 });
}

/** The one tarball in `from` whose name begins with `start`. */
function tarballOf(from, start) {
  const found = readdirSync(from).filter((name) => name.startsWith(start) && name.endsWith('.tgz'));
  expect(found, `${start}*.tgz in ${from}`).toHaveLength(1);
  return found[0];
}
