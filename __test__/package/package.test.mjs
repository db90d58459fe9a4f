// What `npm run pack:all` makes can be installed and used, without a network and without any other package.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import webpack from 'webpack';

import { listedSizes, sizesOf } from '../../scripts/generate/sizes.mjs';
import { addonOf, packageOf, thisPlatform, workerOf } from '../../scripts/platforms.mjs';
import { ROOT, deferred, spawnNode, spawnProgram, withFolder } from '../helpers.mjs';

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const VERSION = MANIFEST.version;
const ADDON = addonOf(thisPlatform());
const PLATFORM_PACKAGE = packageOf(thisPlatform());

/** Holds the tarballs and the folders that they are installed into, as long as the tests of this file go on. */
const over = deferred();
let workshop;
let folder;
const tarballs = {};
let app;
let installed;

beforeAll(async () => {
  const made = deferred();
  workshop = withFolder((empty) => {
    made.resolve(empty);
    return over.promise;
  });
  folder = await made.promise;
  await succeed(process.execPath, ['scripts/pack.mjs', folder], ROOT);
  tarballs.main = join(folder, `ses-executor-${VERSION}.tgz`);
  tarballs.platform = join(folder, `${PLATFORM_PACKAGE}-${VERSION}.tgz`);
  app = join(folder, 'app');
  installed = await install(app, [tarballs.main, tarballs.platform]);
}, 120_000);

afterAll(async () => {
  over.resolve();
  await workshop;
});

describe('the packages installed in an empty folder', () => {
  test('are installed without a network', () => {
    expect(installed, installed.stderr).toMatchObject({ status: 0 });
    const modules = join(app, 'node_modules');
    const names = readdirSync(modules).filter((name) => !name.startsWith('.'));
    expect(names).toStrictEqual(['ses-executor', PLATFORM_PACKAGE]);
    expect(existsSync(join(modules, PLATFORM_PACKAGE, ADDON))).toBe(true);
  });

  test('start a worker process', async () => {
    const script = `
      import { SESExecutor } from 'ses-executor';
      const executor = new SESExecutor({ isolation: 'process' });
      await executor.init();
      console.log(executor.isolation.mode, (await executor.run('[1, 2, 3].map((n) => n * 2)')).output);
      await executor.cleanup();
    `;
    const result = await spawnNode(['--input-type=module', '--eval', script], { cwd: app });
    expect(result).toStrictEqual({ status: 0, signal: null, stdout: 'process [ 2, 4, 6 ]\n', stderr: '' });
  });

  test('run an ES module of five lines', async () => {
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
    expect(result).toStrictEqual({ status: 0, signal: null, stdout: '[ 2, 4, 6 ]\n', stderr: '' });
  });

  test('run a CommonJS script of five lines', async () => {
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
    expect(result).toStrictEqual({ status: 0, signal: null, stdout: '21\n', stderr: '' });
  });

  test('run the command line', async () => {
    const bin = join(app, 'node_modules', '.bin', 'ses-executor');
    const result = await spawnProgram(bin, ['run', '-'], { cwd: app, input: '1 + 1' });
    expect(result).toStrictEqual({ status: 0, signal: null, stdout: '2\n', stderr: '' });
  });

  test('report that a library needs esbuild', async () => {
    const bin = join(app, 'node_modules', '.bin', 'ses-executor');
    writeFileSync(join(app, 'library.js'), 'exports.a = 1;');
    const reasons = [];
    for (const name of ['./library.js', 'no-such-package']) {
      const { status, stderr } = await spawnProgram(bin, ['check', '--module', name], { cwd: app });
      reasons.push([status, stderr.split('\n')[0]]);
    }
    const needs = 'a module that is not an .mjs file needs packages that are not installed; run: npm install esbuild';
    expect(reasons).toStrictEqual([
      [2, `ses-executor: ./library.js cannot be read: ${needs}`],
      [2, 'ses-executor: no-such-package cannot be read: there is no such file and no such package'],
    ]);
  });

  test('serve the Model Context Protocol', async () => {
    const result = await served(['mcp'], { name: 'run_javascript', arguments: { code: '[1, 2].map((n) => n * 2)' } });
    expect(result.structuredContent).toStrictEqual({ output: [2, 4], logs: '' });
  });

  test('serve protocol 2026-07-28', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'run_javascript', arguments: { code: '40 + 2' }, _meta: meta };
    const server = spawn(process.execPath, [join(app, 'node_modules/ses-executor/bin/ses-executor.js'), 'mcp']);
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    const [line] = await once(server.stdout, 'data');
    server.stdin.end();
    expect(JSON.parse(line).result).toMatchObject({ resultType: 'complete', structuredContent: { output: 42 } });
  });

  test('serve an API', async () => {
    const file = join(app, 'api.yaml');
    writeFileSync(
      file,
      `openapi: 3.1.0
info: { title: Prices, version: '1' }
paths:
  /quotes/{symbol}:
    get:
      operationId: getQuote
      parameters: [{ name: symbol, in: path, required: true, schema: { type: string, pattern: '^[A-Z]+$' } }]
      responses: { '200': { description: The last price } }
`,
    );
    const args = ['mcp', '--openapi', file, '--base-url', 'http://127.0.0.1:9'];
    const result = await served(args, { name: 'search', arguments: { code: 'spec.find("quote").length' } });
    expect(result.structuredContent).toStrictEqual({ output: 1, logs: '' });
  });

  test('run an example of the README', async () => {
    const bin = join(app, 'node_modules', '.bin', 'ses-executor');
    const result = await spawnProgram(bin, ['run', 'node_modules/ses-executor/examples/hello.js'], { cwd: app });
    expect(result).toMatchObject({ status: 0, signal: null });
  });

  test('run the demo over its own files', async () => {
    const result = await spawnNode(['node_modules/ses-executor/examples/demo.mjs'], { cwd: app });
    expect(result).toMatchObject({ status: 0, signal: null, stderr: '' });
    const lines = readFileSync(join(app, 'node_modules/ses-executor/index.js'), 'utf8').split('\n').length - 1;
    expect(result.stdout).toContain(`entryPoint: { name: 'index.js', lines: ${lines} }`);
    expect(result.stdout).toContain('the tool agrees');
  });

  // The packages that the sub-paths are for are not here: they are loaded when they are used.
  test('load every sub-path', async () => {
    const script = `
      const { exports } = require('ses-executor/package.json');
      for (const path of Object.keys(exports).filter((it) => it !== './package.json')) {
        console.log(path, Object.keys(require('ses-executor' + path.slice(1))).length > 0);
      }`;
    const paths = Object.keys(MANIFEST.exports).filter((it) => it !== './package.json');
    expect(await spawnNode(['--eval', script], { cwd: app })).toStrictEqual({
      status: 0,
      signal: null,
      stdout: paths.map((path) => `${path} true\n`).join(''),
      stderr: '',
    });
  });

  test('say what to install for a function that needs a package', async () => {
    const script = `
      const { SandboxManager, anyState, createSandboxTools } = require('ses-executor/sandbox');
      const registry = { sources: [{ name: 'a', description: 'A', methods: [{ name: 'b', description: 'B' }] }] };
      const manager = new SandboxManager({ registry, adapters: { a: { b() {} } }, stateSchema: anyState });
      try {
        createSandboxTools(manager);
      } catch (error) {
        console.log(error.message);
      }
      manager.close();`;
    expect(await spawnNode(['--eval', script], { cwd: app })).toStrictEqual({
      status: 0,
      signal: null,
      stdout: 'createSandboxTools needs packages that are not installed; run: npm install ai zod\n',
      stderr: '',
    });
  });

  test('have a source map for each compiled module, and the sources that it names', () => {
    const root = join(app, 'node_modules', 'ses-executor', 'build');
    const scripts = readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.js'));
    const wrong = scripts.filter((name) => {
      const path = join(root, name);
      const [, map] = /^\/\/# sourceMappingURL=(.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
      const isCompiled = existsSync(join(root, '../lib', name.replace(/\.js$/, '.ts')));
      // Bundles have the code of other packages, and no map.
      if (map === undefined) return isCompiled && dirname(name) !== 'bundled';
      const at = join(dirname(path), map);
      if (!isCompiled || !existsSync(at)) return true;
      const { sources, sourceRoot = '', sourcesContent } = JSON.parse(readFileSync(at, 'utf8'));
      const isThere = (source, index) =>
        typeof sourcesContent?.[index] === 'string' || existsSync(join(dirname(at), sourceRoot, source));
      return sources.length === 0 || !sources.every(isThere);
    });
    expect(wrong).toStrictEqual([]);
    expect(scripts.length).toBeGreaterThan(300);
  });

  test('name lines of TypeScript in stacks with --enable-source-maps', async () => {
    const script = `
      const { SESExecutor } = require('ses-executor');
      try {
        new SESExecutor({ timeoutMs: 'soon' });
      } catch ({ stack }) {
        console.log(/node_modules.ses-executor.lib.ses.executor\\.ts:\\d+:\\d+/.test(stack), /\\.js:\\d+/.test(stack));
      }`;
    expect(await spawnNode(['--enable-source-maps', '--eval', script], { cwd: app })).toStrictEqual({
      status: 0,
      signal: null,
      stdout: 'true false\n',
      stderr: '',
    });
  });

  test('contain the promised files and nothing of the build', () => {
    const root = join(app, 'node_modules', 'ses-executor');
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const targets = filesOf(manifest.exports);
    expect(targets).toContain('./index.d.mts');
    for (const path of [
      'README.md',
      'LICENSE',
      'docs/reference/errors.md',
      manifest.main,
      manifest.types,
      ...targets,
    ]) {
      expect(existsSync(join(root, path)), path).toBe(true);
    }
    for (const path of ['src', 'target', 'vendor', '__test__', 'scripts', 'reports', 'Cargo.toml', ADDON]) {
      expect(existsSync(join(root, path)), path).toBe(false);
    }
  });
});

test('the platform package has the licences of the components of its build', () => {
  const root = join(app, 'node_modules', PLATFORM_PACKAGE);
  expect(readdirSync(join(root, 'licenses')).sort()).toStrictEqual(
    readdirSync(join(ROOT, 'vendor/v8/licenses')).sort(),
  );
  const text = readFileSync(join(root, 'THIRD-PARTY.txt'), 'utf8');
  const lines = text.split('\n');
  const lock = readFileSync(join(ROOT, 'Cargo.lock'), 'utf8');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/ses/package.json'), 'utf8'));
  const [, v8] = /^name = "v8"\nversion = "(.*)"$/m.exec(lock);
  expect(lines).toContain(`ses ${version} · Apache-2.0 · https://www.npmjs.com/package/ses`);
  expect(lines).toContain(`v8 ${v8} · MIT · https://github.com/denoland/rusty_v8`);
  expect(text).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
  expect(text).not.toMatch(/undefined|^ses-/m);
  const listed = lines.filter((line) => / · .* · https?:/.test(line)).map((line) => line.split(' ')[0]);
  expect(listed).toStrictEqual(
    expect.arrayContaining(['deno_core', 'napi', 'swc_ecma_parser', 'node-inspect-extracted']),
  );
});

test('without the worker program the command line reports that and runs nothing on a thread', async () => {
  const worker = workerOf(thisPlatform());
  if (worker === undefined) return;
  const project = join(folder, 'without-worker');
  expect(await install(project, [tarballs.main, tarballs.platform])).toMatchObject({ status: 0 });
  rmSync(join(project, 'node_modules', PLATFORM_PACKAGE, worker));
  const bin = join(project, 'node_modules/ses-executor/bin/ses-executor.js');
  const result = await spawnNode([bin, 'run', '-'], { cwd: project, input: '1 + 1' });
  expect(result).toMatchObject({ status: 1, stdout: '' });
  expect(result.stderr).toMatch(/SES init failed: .*ses-executor-worker cannot be started: No such file or directory/);
});

// Yarn's Plug'n'Play leaves packages in archives, where the addon found no `guest.js` of Python's.
test('the package is marked as unpacked for package managers', () => {
  const read = (name) => JSON.parse(readFileSync(join(app, 'node_modules', name, 'package.json'), 'utf8'));
  expect(read('ses-executor').preferUnplugged).toBe(true);
});

test('links lead to files of the package or to the repository', () => {
  const root = join(app, 'node_modules', 'ses-executor');
  const links = readdirSync(root, { recursive: true })
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/\]\(([\w./:-]+)/g)].map(([, target]) => [path, target]),
    );
  const leads =
    (from) =>
    ([path, target]) =>
      existsSync(join(from, dirname(path), target));
  expect(links.filter(leads(ROOT)).filter((link) => !leads(root)(link))).toStrictEqual([]);
  const repository = `https://github.com/ses-executor/ses-executor/blob/v${VERSION}`;
  expect(links).toStrictEqual(
    expect.arrayContaining([
      ['README.md', 'docs/guide/README.md'],
      ['README.md', `${repository}/CONTRIBUTING.md`],
      ['README.md', `${repository}/reports/containment.md`],
      [join('docs', 'reference', 'platforms.md'), `${repository}/reports/containment.md`],
    ]),
  );
});

test('the package names exactly the adjacent platform packages, in its own version, also in its loader', () => {
  const root = join(app, 'node_modules');
  const read = (name) => JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'));
  expect(read('ses-executor').optionalDependencies).toStrictEqual({ [PLATFORM_PACKAGE]: VERSION });
  expect(read(PLATFORM_PACKAGE).version).toBe(VERSION);
  const loader = readFileSync(join(root, 'ses-executor', 'native.cjs'), 'utf8');
  const builds = /BUILDS = .*?\(\{(.*?)\}/s.exec(loader)[1];
  expect(builds.trim()).toBe(`'${process.platform} ${process.arch}': '${thisPlatform().name}',`);
});

// README.md and docs/reference/platforms.md name the required version.
if (process.platform === 'linux') {
  test('the addon needs no newer glibc than promised', async () => {
    const { stdout } = await spawnProgram('objdump', ['-T', join(app, 'node_modules', PLATFORM_PACKAGE, ADDON)]);
    const minors = [...stdout.matchAll(/\bGLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    expect(Math.max(...minors)).toBeLessThanOrEqual(34);
    expect(minors.length).toBeGreaterThan(0);
    for (const name of ['README.md', 'docs/reference/platforms.md']) {
      expect(readFileSync(join(ROOT, name), 'utf8')).toContain('glibc 2.34 or later');
    }
  });
}

// The page lists those of Linux x64.
if (thisPlatform().name === 'linux-x64-gnu') {
  test('docs/reference/platforms.md lists the sizes of the packages', () => {
    const listed = listedSizes(readFileSync(join(ROOT, 'docs/reference/platforms.md'), 'utf8'));
    const measured = sizesOf([tarballs.main, tarballs.platform]);
    expect(listed.map(({ name }) => name)).toStrictEqual(measured.map(({ name }) => name));
    for (const [at, { name, download, installed }] of measured.entries()) {
      const [low, high] = [0.8, 1.25];
      for (const ratio of [listed[at].download / download, listed[at].installed / installed]) {
        expect(ratio, `${name}: run npm run sizes`).toBeGreaterThan(low);
        expect(ratio, `${name}: run npm run sizes`).toBeLessThan(high);
      }
    }
  });
}

test('bundled packages have their licences next to them', () => {
  const bundled = join(app, 'node_modules', 'ses-executor', 'build', 'bundled');
  const licences = readFileSync(join(bundled, 'mcp.LICENSES.txt'), 'utf8');
  for (const name of ['@modelcontextprotocol/sdk', 'ajv', 'zod']) {
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'));
  }
  const modern = readFileSync(join(bundled, 'mcp-modern.LICENSES.txt'), 'utf8');
  for (const name of ['@modelcontextprotocol/client 2', '@modelcontextprotocol/server 2', 'jose 6']) {
    expect(modern).toMatch(new RegExp(`^${name}\\.\\d+\\.\\d+ \\((?:MIT|Apache-2.0)\\)$`, 'm'));
  }
  // The published file of the server contains a validator.
  expect(modern).toMatch(/^ajv \(MIT\)$/m);
});

test('no package in a project can prevent the installation', () => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = MANIFEST;
  expect(dependencies).toBeUndefined();
  for (const [name, range] of Object.entries(peerDependencies)) {
    expect([name, range, peerDependenciesMeta[name]]).toStrictEqual([name, '*', { optional: true }]);
  }
});

test('each package that the library asks users to install is an optional peer', () => {
  const sources = readdirSync(join(ROOT, 'lib'), { recursive: true }).filter((name) => name.endsWith('.ts'));
  const asked = sources.flatMap((name) => [
    ...readFileSync(join(ROOT, 'lib', name), 'utf8').matchAll(/requirePeer\([^,]+, '([^']+)'/g),
  ]);
  const names = new Set(asked.flatMap(([, packages]) => packages.split(' ')));
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !Object.hasOwn(MANIFEST.peerDependencies, name))).toStrictEqual([]);
});

describe('next to the packages of a project', () => {
  const ADD = `
    const { tool } = require('ai');
    const { createCodeTool } = require('ses-executor/ai');
    const { z } = require('zod');
    const inputSchema = z.object({ a: z.number(), b: z.number() });
    const add = tool({ description: 'Adds', inputSchema, execute: async ({ a, b }) => a + b });
    const code = createCodeTool({ tools: { add } });
    code.execute({ code: 'await add({ a: 1, b: 2 })' }, { toolCallId: '1', messages: [] }).then(console.log);`;

  test.each([
    ['ai-5', ['ai@5.0.277', 'zod@3.25.76']],
    ['ai-7', ['ai@7.0.173', 'zod@4.6.7']],
  ])('%s installs, and the adapter works with it', async (name, packages) => {
    const project = join(folder, name);
    const { status, stderr } = await install(
      project,
      [...packages, tarballs.main, tarballs.platform],
      ['--prefer-offline'],
    );
    expect(status, stderr).toBe(0);
    expect(await spawnNode(['--eval', ADD], { cwd: project })).toStrictEqual({
      status: 0,
      signal: null,
      stdout: "{ output: 3, logs: '' }\n",
      stderr: '',
    });
  });

  test('older versions of bundled packages stay in place', async () => {
    const project = join(folder, 'older');
    const packages = ['@modelcontextprotocol/sdk@1.10.2', 'ajv@6.12.6', 'yaml@1.10.2', 'zod@3.22.4'];
    const options = ['--prefer-offline', '--package-lock-only', '--omit=optional'];
    const { status, stderr } = await install(project, [...packages, tarballs.main], options);
    expect(status, stderr).toBe(0);
    const { packages: locked } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
    const direct = packages.map((it) => it.replace(/@[^@]*$/, ''));
    expect(direct.map((it) => `${it}@${locked[`node_modules/${it}`].version}`)).toStrictEqual(packages);
  });
});

/** A program to bundle. It prints its own name, found by a tool of the package. */
function bundleEntry() {
  const entry = join(app, 'entry.mjs');
  writeFileSync(
    entry,
    `import { SESExecutor } from 'ses-executor';
import { createFileTools } from 'ses-executor/tools';
(async () => {
  const executor = new SESExecutor({ autoInit: true });
  await executor.sendTools(createFileTools({ root: process.cwd() }));
  console.log((await executor.run('(await find({ pattern: "entry.mjs" })).content[0].text')).output);
  await executor.cleanup();
})();
`,
  );
  return entry;
}

test('esbuild leaves the package external, in both formats', async () => {
  const entry = bundleEntry();
  for (const [format, name] of [
    ['esm', 'bundle.mjs'],
    ['cjs', 'bundle.cjs'],
  ]) {
    const outfile = join(app, name);
    const options = {
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format,
      external: ['ses-executor'],
    };
    await build({ ...options, logLevel: 'error' });
    expect(await spawnNode([outfile], { cwd: app })).toStrictEqual({
      status: 0,
      signal: null,
      stdout: 'entry.mjs\n',
      stderr: '',
    });
  }
});

test('esbuild bundles durable sessions without the clients of NATS, and natsStore() says what it needs', async () => {
  const entry = join(folder, 'durable-entry.mjs');
  const text = `import { memoryStore, natsStore } from 'ses-executor/durable';
memoryStore();
natsStore({ servers: 'nats://127.0.0.1:1' }).append('s', 0, []).catch((error) => console.log(error.message));`;
  writeFileSync(entry, text);
  const outfile = join(app, 'durable.cjs');
  const options = {
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    external: ['*/native.cjs', 'pyodide'],
  };
  await build({ ...options, nodePaths: [join(app, 'node_modules')], logLevel: 'error' });
  const { stdout } = await spawnNode([outfile], { cwd: app });
  const packages = '@nats-io/transport-node @nats-io/jetstream @nats-io/kv';
  expect(stdout).toBe(`natsStore() needs packages that are not installed; run: npm install ${packages}\n`);
});

test('a bundle that was moved says what to configure in the bundler', async () => {
  const outfile = join(folder, 'moved', 'bundle.cjs');
  await build({ entryPoints: [bundleEntry()], outfile, bundle: true, platform: 'node', logLevel: 'error' });
  const { status, stderr } = await spawnNode([outfile], { cwd: folder });
  expect(status).toBe(1);
  expect(stderr).toContain(
    `ses-executor cannot be loaded: the package ${PLATFORM_PACKAGE} is not installed; ` +
      "ses-executor is in a bundle, which cannot have the addon: leave it out of the bundle: serverExternalPackages: ['ses-executor'] in next.config.js, ",
  );
});

test('webpack leaves the package external, as docs/guide/production.md says', async () => {
  const options = { target: 'node', externals: [/^ses-executor(\/.*)?$/], externalsType: 'commonjs' };
  const documented = /\| webpack +\| `(.*?)` +\|/.exec(readFileSync(join(ROOT, 'docs/guide/production.md'), 'utf8'))[1];
  expect(documented).toBe("target: 'node'`, `externals: [/^ses-executor(\\/.*)?$/]`, `externalsType: 'commonjs'");
  const compiler = webpack({
    ...options,
    mode: 'production',
    context: app,
    entry: bundleEntry(),
    output: { path: app, filename: 'webpacked.cjs' },
  });
  const stats = await new Promise((resolve, reject) =>
    compiler.run((error, result) => compiler.close(() => (error ? reject(error) : resolve(result)))),
  );
  expect(stats.toJson({ all: false, errors: true, warnings: true })).toMatchObject({ errors: [], warnings: [] });
  expect(await spawnNode([join(app, 'webpacked.cjs')], { cwd: app })).toStrictEqual({
    status: 0,
    signal: null,
    stdout: 'entry.mjs\n',
    stderr: '',
  });
});

test.each([
  ['nodenext', 'nodenext'],
  ['commonjs', 'node10'],
  ['esnext', 'bundler'],
])('the declarations need no other packages: module %s, moduleResolution %s', async (module, moduleResolution) => {
  const project = join(app, moduleResolution);
  mkdirSync(project);
  writeFileSync(
    join(project, 'use.ts'),
    `import { SESExecutor, type RunOptions } from 'ses-executor';
import { renderSystemPrompt } from 'ses-executor/prompts';
import { SmolagentsExecutor } from 'ses-executor/smolagents';
import { createFileTools } from 'ses-executor/tools';
export const options: RunOptions = { timeoutMs: 5 };
export const timeoutMs: number = 'no number';
export const used = [SESExecutor, renderSystemPrompt, SmolagentsExecutor, createFileTools];
`,
  );
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: 'es2022',
    lib: ['es2022'],
    types: [],
    module,
    moduleResolution,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  // The one error that is in the program shows that its types are read.
  expect(await spawnNode([tsc, '-p', project], { cwd: project })).toMatchObject({
    status: 2,
    stdout: "use.ts(6,14): error TS2322: Type 'string' is not assignable to type 'number'.\n",
  });
});

// Those of a framework need its types.
const FRAMEWORKS = ['./ai', './anthropic', './langchain', './mastra', './openai-agents', './opentelemetry'];
const ALONE = Object.keys(MANIFEST.exports).filter((path) => !['./package.json', ...FRAMEWORKS].includes(path));
test.each(ALONE)('the types of %s need no other packages', (path) => {
  const file = join(app, 'alone.ts');
  writeFileSync(file, `export * from '${join('ses-executor', path)}';\n`);
  const { Node16: module } = ts.ModuleKind;
  const program = ts.createProgram([file], { noEmit: true, strict: true, lib: ['lib.es2022.d.ts'], types: [], module });
  const findings = ts.getPreEmitDiagnostics(program);
  expect(findings.map(({ file: its, messageText }) => [its?.fileName, messageText])).toStrictEqual([]);
});

test('publint reports nothing', async () => {
  const { messages } = await publint({ pack: { tarball: readFileSync(tarballs.main) }, strict: true });
  // `exports` and `imports` cannot replace a module of Node.js's by its own name, as `browser` does for bundles.
  const known = ['USE_EXPORTS_OR_IMPORTS_BROWSER', 'USE_SIDE_EFFECTS'];
  const others = messages.filter(({ code }) => !known.includes(code));
  expect(others.map((it) => formatMessage(it, MANIFEST, { color: false }))).toStrictEqual([]);
});

test('attw finds the right types for every way to import', async () => {
  const attw = join(ROOT, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
  const result = await spawnNode([attw, tarballs.main, '--profile', 'node16', '--format', 'json']);
  const { analysis } = JSON.parse(result.stdout);
  expect(analysis.problems).toStrictEqual([]);
  expect(result.status).toBe(0);
});

test('a missing platform package is reported in one line', async () => {
  const alone = join(folder, 'alone');
  const { status, stderr } = await install(alone, [tarballs.main], ['--offline', '--omit=optional']);
  expect(status, stderr).toBe(0);
  const script = 'try { require("ses-executor") } catch (error) { console.log(error.message) }';
  const { stdout } = await spawnNode(['--eval', script], { cwd: alone });
  expect(stdout).toBe(
    `ses-executor cannot be loaded: the package ${PLATFORM_PACKAGE} is not installed; ` +
      'install it, or run `npm run build` in a checkout; if ses-executor is in a bundle, leave it out of the bundle: ' +
      "serverExternalPackages: ['ses-executor'] in next.config.js, --external ses-executor of bun build " +
      '(with --compile also --compile-autoload-package-json), ' +
      '--external:ses-executor of esbuild, externals of webpack; see docs/guide/production.md\n',
  );
});

/** What the server that the installed command line is gives for one call of a tool. */
async function served(args, call) {
  const client = new Client({ name: 'test', version: '1' });
  const command = join(app, 'node_modules', '.bin', 'ses-executor');
  await client.connect(new StdioClientTransport({ command, args, cwd: app }));
  try {
    return await client.callTool(call);
  } finally {
    await client.close();
  }
}

/** The files that `exports` of a package lead to. */
function filesOf(exports) {
  return typeof exports === 'string' ? [exports] : Object.values(exports).flatMap(filesOf);
}

/** Runs a program that has to succeed. */
async function succeed(program, args, cwd) {
  const { status, stderr } = await spawnProgram(program, args, { cwd, timeoutMs: 60_000 });
  expect(status, stderr).toBe(0);
}

/** Installs packages into the new folder `project`, by default without a network. */
function install(project, packages, options = ['--offline']) {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true }');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...options, ...packages];
  return spawnProgram('npm', args, { cwd: project, timeoutMs: 55_000 });
}
