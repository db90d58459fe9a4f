// Packages of Pyodide's release: what is needed, where it is read from, and what is refused. The tests make their
// release themselves.

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { addPackages as addToFolder } from '../../build/python/packages/index.js';
import {
  fetchWheels,
  isBinary,
  packageFor,
  readRelease,
  withDependencies,
} from '../../build/python/packages/release.js';
import { PyodideExecutor, addPackages, listReleasePackages } from '../../build/python/index.js';
import { spawnNode } from '../helpers.mjs';
import { serve } from '../http-server.mjs';
import { FIRST_START_MS } from './suite.mjs';
import { buildWheels } from './wheels.mjs';

const root = mkdtempSync(join(tmpdir(), 'release-'));
const folder = join(root, 'full');
const NATIVE_TAG = 'cp314-cp314-pyemscripten_2026_0_wasm32';
const NUMPY = {
  file: 'numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl',
  sha256: 'a292c1f5d7d8a2208cd5e94fc467604c131cabcd2fc14fed6eefde121e7fabdf',
};
/** @type {Map<string, any>} */
const release = new Map();

beforeAll(async () => {
  mkdirSync(folder);
  const packages = [
    {
      name: 'counted',
      tag: NATIVE_TAG,
      dependencies: ['helper', 'linked'],
      text: 'from helper import one\ntwo = one + 1',
    },
    { name: 'helper', dependencies: ['counted', 'last'], text: 'from last import zero\none = zero + 1' },
    { name: 'last', dependencies: [], text: 'zero = 0' },
  ];
  for (const { name, tag, dependencies, text } of packages) {
    const [path] = await buildWheels(folder, [{ name, version: '1.0', tag, files: { [`${name}.py`]: text } }]);
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    release.set(name, { name, version: '1.0', file: basename(path), sha256, dependencies });
  }
}, FIRST_START_MS);
afterAll(() => rmSync(root, { recursive: true }));

const into = () => mkdtempSync(join(root, 'into-'));
const all = () => withDependencies([release.get('counted')], release);

describe('a Pyodide release', () => {
  test.each([
    ['counted', 'counted'],
    ['Counted', 'counted'],
    ['counted==1.0', 'counted'],
    ['counted == 1.0', 'counted'],
    ['counted==2.0', undefined],
    ['counted>=1.0', undefined],
    ['counted[more]', undefined],
    ['other', undefined],
  ])('satisfies the requirement %s with the package %s', (requirement, expected) => {
    expect(packageFor(requirement, release)?.name).toBe(expected);
  });

  test.each([
    ['sklearn', 'scikit-learn'],
    ['PIL', 'pillow'],
    ['cv2', 'opencv-python'],
    ['bs4', 'beautifulsoup4'],
    ['yaml', 'pyyaml'],
    ['dateutil', 'python-dateutil'],
    ['attr', 'attrs'],
    ['sklearn==0.1', undefined],
    ['os', undefined],
  ])('is found by the name of a module: %s', async (module, expected) => {
    expect(packageFor(module, await readRelease())?.name).toBe(expected);
  });

  test('lists dependencies first, each once, also if they depend on each other', () => {
    expect(all().map(({ name }) => name)).toStrictEqual(['last', 'helper', 'counted']);
    expect(
      withDependencies([release.get('last'), release.get('helper')], release).map(({ name }) => name),
    ).toStrictEqual(['last', 'counted', 'helper']);
  });

  test('distinguishes binary packages from pure Python', () => {
    expect([...release.values()].map(isBinary)).toStrictEqual([true, false, false]);
  });

  test.each([
    ['a folder path', (/** @type {string} */ url) => (url, folder)],
    ['a file URL', (/** @type {string} */ url) => (url, `file://${folder}`)],
    ['a server', (/** @type {string} */ url) => url],
    ['a server with a trailing slash', (/** @type {string} */ url) => `${url}/`],
  ])('is read from %s, and its packages can be imported', { timeout: FIRST_START_MS }, async (_title, from) => {
    const { url } = await serve((request, response) => response.end(readFileSync(join(root, String(request.url)))));
    const wheels = await fetchWheels(all(), into(), from(`${url}/full`));
    const packages = into();
    expect(await addToFolder(packages, wheels)).toStrictEqual(
      ['last', 'helper', 'counted'].map((name) => ({ name, version: '1.0' })),
    );
    const executor = new PyodideExecutor(['counted'], { packages, mount: false });
    expect((await executor.run('import counted\ncounted.two')).output).toBe(2);
    await executor.cleanup();
  });

  test('names all files that cannot be read, with their digests', async () => {
    const [last, helper] = all();
    const empty = into();
    await expect(fetchWheels([last, helper], into(), empty)).rejects.toThrow(
      new Error(
        `2 wheels could not be read from ${empty}:
  ${last.file} (no such file)
    sha256 ${last.sha256}
  ${helper.file} (no such file)
    sha256 ${helper.sha256}
Download these files on a machine with a network, put them into one folder, and pass that folder with --from.`,
      ),
    );
  });

  test('names a file that is missing on the server', async () => {
    const { url, close } = await serve((_, response) => response.writeHead(404).end('none'));
    const [last] = all();
    await expect(fetchWheels([last], into(), url)).rejects.toThrow(
      `  ${last.file} (status 404)\n    sha256 ${last.sha256}`,
    );
    await close();
    await expect(fetchWheels([last], into(), url)).rejects.toThrow(`  ${last.file} (ECONNREFUSED)\n`);
  });

  test('is read from an address with a login and a query, which no message shows', async () => {
    const asked = [];
    const { url } = await serve((request, response) => {
      asked.push([request.url, request.headers.authorization]);
      response.writeHead(asked.length === 1 ? 404 : 200).end('other');
    });
    const [last] = all();
    const from = `${url.replace('http://', 'http://ada:s3cr%40t@')}/full/?token=t0ken-of-it#part`;
    const missing = await fetchWheels([last], into(), from).catch((error) => error.message);
    const changed = await fetchWheels([last], into(), from).catch((error) => error.message);
    const login = `Basic ${Buffer.from('ada:s3cr@t').toString('base64')}`;
    expect(asked).toStrictEqual([1, 2].map(() => [`/full/${last.file}?token=t0ken-of-it`, login]));
    expect(missing).toContain(`a wheel could not be read from ${url}/full/:\n  ${last.file} (status 404)`);
    expect(changed).toContain(`${last.file} from ${url}/full/ has the SHA-256`);
  });

  test('refuses a file whose digest differs from the lock file', async () => {
    const other = into();
    const [last] = all();
    writeFileSync(join(other, last.file), 'other');
    const digest = createHash('sha256').update('other').digest('hex');
    await expect(fetchWheels([last], into(), other)).rejects.toThrow(
      new Error(`${last.file} from ${other} has the SHA-256 ${digest}, but pyodide-lock.json says ${last.sha256}`),
    );
  });
});

describe('the installed release', () => {
  test('contains numpy, pandas and matplotlib for this interpreter', async () => {
    const list = await listReleasePackages();
    expect(list.find(({ name }) => name === 'numpy')).toStrictEqual({
      name: 'numpy',
      version: '2.4.6',
      dependencies: [],
      ...NUMPY,
    });
    const found = await readRelease();
    const names = withDependencies([found.get('matplotlib'), found.get('pandas')], found).map(({ name }) => name);
    expect(names).toStrictEqual(
      expect.arrayContaining(['numpy', 'pillow', 'kiwisolver', 'python-dateutil', 'six', 'pandas']),
    );
    expect(names.indexOf('numpy')).toBeLessThan(names.indexOf('contourpy'));
    expect(list.filter(isBinary)).toHaveLength(148);
  });

  test('names the files of numpy if there is no network', async () => {
    const empty = into();
    await expect(addPackages(into(), ['numpy'], { from: empty })).rejects.toThrow(
      `a wheel could not be read from ${empty}:\n  ${NUMPY.file} (no such file)\n    sha256 ${NUMPY.sha256}\n`,
    );
    await expect(addPackages(into(), ['nothing-like-that'])).rejects.toThrow(
      new Error('nothing-like-that is neither the path of a wheel nor a package of pyodide-lock.json'),
    );
    await expect(addPackages(into(), ['numpy'], /** @type {any} */ ({ from: 1 }))).rejects.toThrow(
      new TypeError('options.from must be a string, got 1'),
    );
  });
});

describe('ses-executor python add, with packages of the release', () => {
  const BIN = new URL('../../bin/ses-executor.js', import.meta.url).pathname;
  const cli = (args, env = {}) => spawnNode([BIN, ...args], { env: { ...process.env, ...env } });

  test('--list prints the packages of the release', async () => {
    const { status, stdout } = await cli(['python', 'add', '--list']);
    expect(status).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines).toContain(`numpy 2.4.6 ${NUMPY.file} sha256:${NUMPY.sha256}`);
    expect(lines.find((line) => line.startsWith('pandas '))).toMatch(
      / sha256:[0-9a-f]{64} numpy python-dateutil pytz$/,
    );
  });

  test('--from names a missing file and its digest', async () => {
    const { status, stderr } = await cli(['python', 'add', 'numpy', '--from', folder, '--to', into()]);
    expect([status, stderr.includes(NUMPY.file), stderr.includes(NUMPY.sha256)]).toStrictEqual([1, true, true]);
  });

  /** Stands for pip: notes its arguments, and does what `body` says. `$5` is the folder. */
  const pip = (/** @type {string} */ body) => {
    const at = into();
    const path = join(at, 'python');
    writeFileSync(path, `#!/bin/sh\necho "$@" >> ${at}/asked\n${body}\n`);
    chmodSync(path, 0o755);
    return { PYTHON: path, asked: () => readFileSync(join(at, 'asked'), 'utf8').trim().split('\n') };
  };

  test('asks pip for a package, then names a missing dependency of the release', async () => {
    const { PYTHON, asked } = pip('echo "ERROR: No matching distribution found for numpy" >&2; exit 1');
    const { status, stderr } = await cli(['python', 'add', 'own-thing', '--from', into(), '--to', into()], { PYTHON });
    expect(status).toBe(1);
    expect(asked()).toHaveLength(1);
    expect(stderr).toContain(NUMPY.sha256);
  }, 60_000);

  test.each([
    ['dateutil', 'python-dateutil'],
    ['bs4==4.14.3', 'beautifulsoup4==4.14.3'],
    ['python_dateutil', 'python-dateutil'],
    ['own-thing[more]>=2', 'own-thing[more]>=2'],
  ])('asks pip for %s by the name %s', async (name, expected) => {
    const { PYTHON, asked } = pip('exit 1');
    await cli(['python', 'add', name, '--to', into()], { PYTHON });
    expect(asked()[0].split(' -- ')[1]).toBe(expected);
  });

  test('takes pure packages from pip unless a folder is given', async () => {
    const { PYTHON, asked } = pip(`cp ${join(folder, 'last-1.0-py3-none-any.whl')} "$5"`);
    const to = into();
    const { status, stdout } = await cli(['python', 'add', 'six', '--to', to], { PYTHON });
    expect([status, stdout, asked().length]).toStrictEqual([0, 'last 1.0\n', 1]);
    expect(readdirSync(to)).toContain('last.py');
  }, 120_000);
});
