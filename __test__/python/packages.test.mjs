// Packages: wheels are added to a folder ahead, and code imports them from there.

import { spawnNode } from '../helpers.mjs';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { PyodideExecutor, addPackages } from '../../build/python/index.js';
import { FIRST_START_MS, failureOf } from './suite.mjs';
import { LIBRARY, OTHER_LIBRARY, buildWheels, libraryOf } from './wheels.mjs';

const LIST = 'ses-executor-packages.json';
const NATIVE_TAG = 'cp314-cp314-pyemscripten_2026_0_wasm32';
const root = mkdtempSync(join(tmpdir(), 'packages-'));
const packages = join(root, 'packages');
const greeting = (/** @type {string} */ version, /** @type {Record<string, string>} */ files) => ({
  name: 'Greeting_Words',
  version,
  files: { 'greeting/__init__.py': `from greeting.words import hello\nVERSION = "${version}"\n`, ...files },
});
/** @type {string[]} */
let wheels;

beforeAll(async () => {
  wheels = await buildWheels(root, [
    greeting('1.0', {
      'greeting/words.py': 'def hello(name):\n    return f"hello {name}"\n',
      'greeting/old.py': '',
      'greeting/fast/__init__.py': '',
      'greeting/fast/inner/words.py': '',
    }),
    greeting('2.0', {
      'greeting/words.py': 'def hello(name):\n    return "HELLO " + name\n',
      'greeting/broken.py': 'def (:\n',
      'Greeting_Words-2.0.data/purelib/greeting/more.py': 'more = 1\n',
      'Greeting_Words-2.0.data/scripts/greet': '#!python\n',
    }),
    {
      name: 'native',
      version: '0.1',
      tag: NATIVE_TAG,
      files: {
        'native/__init__.py': '',
        'native/tiny.so': LIBRARY,
        'native/large.so': libraryOf(14 << 20),
        'native/larger.so': libraryOf(16 << 20),
      },
    },
  ]);
  expect(await addPackages(packages, wheels)).toStrictEqual([
    { name: 'greeting-words', version: '1.0' },
    { name: 'greeting-words', version: '2.0' },
    { name: 'native', version: '0.1' },
  ]);
}, FIRST_START_MS);
afterAll(() => rmSync(root, { recursive: true }));

const CALLS = `import ctypes
tiny = ctypes.CDLL("/packages/native/tiny.so")
[tiny.add(40, 2), tiny.pid() > 0]`;

describe.each(['thread', 'process'])('packages with the isolate in a %s', (isolation) => {
  /** @type {PyodideExecutor} */
  let executor;
  const make = (/** @type {string[]} */ imports, options = {}) =>
    new PyodideExecutor(imports, { mount: false, packages, isolation: /** @type {any} */ (isolation), ...options });
  beforeAll(async () => {
    executor = make(['*'], { allowed_dangerous_builtins: ['open'] });
    await executor.init();
  }, FIRST_START_MS);
  afterAll(() => executor.cleanup());

  test('are imported in their latest versions', async () => {
    const code = 'import greeting, greeting.more\n[greeting.hello("you"), greeting.VERSION, greeting.__file__]';
    expect((await executor.run(code)).output).toStrictEqual(['HELLO you', '2.0', '/packages/greeting/__init__.py']);
  });

  test('report their versions', async () => {
    const code = 'import importlib.metadata as m\n[m.version("greeting-words"), [d.name for d in m.distributions()]]';
    expect((await executor.run(code)).output).toStrictEqual(['2.0', ['Greeting_Words', 'native']]);
  });

  test('need to be authorized like other modules', async () => {
    const own = make(['greeting']);
    expect((await own.run('import greeting\ngreeting.VERSION')).output).toBe('2.0');
    expect((await failureOf(own, 'import native')).code).toBe('ERR_IMPORT_NOT_ALLOWED');
    await own.cleanup();
  });

  test('are read-only', async () => {
    for (const code of ['open("/packages/new.py", "w")', 'import os\nos.remove("/packages/greeting/words.py")']) {
      expect((await failureOf(executor, code)).details.name).toBe('OSError');
    }
    expect(existsSync(join(packages, 'greeting/words.py'))).toBe(true);
  });

  test('load their libraries in each session', async () => {
    expect((await executor.run(CALLS)).output).toStrictEqual([42, true]);
    const own = make(['ctypes']);
    expect((await own.run(CALLS)).output).toStrictEqual([42, true]);
    await own.cleanup();
  });

  // What they are compiled to was counted for the session that came first, until it had no memory left for the next
  // one.
  test('load large libraries too, one after the other', async () => {
    const code = `import ctypes
[ctypes.CDLL(f"/packages/native/{name}.so").add(1, 2) for name in ("large", "larger")]`;
    expect((await executor.run(code)).output).toStrictEqual([3, 3]);
  });

  test('load no other libraries', async () => {
    const library = [...OTHER_LIBRARY].join();
    const code = `open("/tmp/other.so", "wb").write(bytes([${library}]))\nimport ctypes\nctypes.CDLL("/tmp/other.so")`;
    expect((await failureOf(executor, code)).details.message).toContain(
      "the module of WebAssembly is refused: it is not a library of the executor's packages",
    );
    expect((await executor.run(CALLS)).output).toStrictEqual([42, true]);
  });

  test('fail at the start if the folder contains no packages', async () => {
    const empty = mkdtempSync(join(root, 'empty-'));
    const error = await make([], { packages: empty })
      .init()
      .catch((thrown) => thrown);
    expect(error.code).toBe(isolation === 'thread' ? 'ERR_SES_INIT_FAILED' : 'ERR_WORKER_LOST');
    expect(JSON.stringify([error.message, error.details])).toContain('ses-executor python add');
  });
});

describe('addPackages', () => {
  test('records the added packages', async () => {
    const list = JSON.parse(readFileSync(join(packages, LIST), 'utf8'));
    expect(list.pyodide).toBe('314.0.7');
    expect(Object.keys(list.packages)).toStrictEqual(['greeting-words', 'native']);
    expect(list.packages['greeting-words']).toMatchObject({
      version: '2.0',
      wheel: 'Greeting_Words-2.0-py3-none-any.whl',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(Object.keys(list.libraries)).toStrictEqual(['native/large.so', 'native/larger.so', 'native/tiny.so']);
  });

  test('replaces packages in the folder and compiles their modules', async () => {
    const exists = (/** @type {string} */ path) => existsSync(join(packages, path));
    expect(exists('greeting/old.py')).toBe(false);
    expect(exists('greeting/__pycache__/old.cpython-314.pyc')).toBe(false);
    expect(exists('greeting/fast')).toBe(false);
    expect(exists('Greeting_Words-1.0.dist-info')).toBe(false);
    expect(exists('greeting/__pycache__/words.cpython-314.pyc')).toBe(true);
    expect(exists('greeting/broken.py')).toBe(true);
    expect(exists('greeting/__pycache__/broken.cpython-314.pyc')).toBe(false);
    expect(exists('greet')).toBe(false);
    expect(exists('.adding.whl')).toBe(false);
  });

  test.each([
    [
      'for another platform',
      { name: 'a', version: '1', tag: 'cp314-cp314-manylinux_2_28_x86_64', files: { 'a.py': '' } },
      `a-1-cp314-cp314-manylinux_2_28_x86_64.whl is for cp314-cp314-manylinux_2_28_x86_64; here only py3-none-any and ${NATIVE_TAG} can be used`,
    ],
    [
      'that is broken',
      { name: 'a', version: '2', files: { 'a.py': 'x = 1' }, changed: ['a.py'] },
      'a-2-py3-none-any.whl is broken: its file a.py does not have the recorded digest',
    ],
    [
      'that leads out of the folder',
      { name: 'a', version: '3', files: { '../a.py': '' } },
      "a-3-py3-none-any.whl is not a wheel: it has a file '../a.py'",
    ],
  ])('refuses a wheel %s', async (_, wheel, message) => {
    const built = await buildWheels(root, [wheel]);
    await expect(addPackages(packages, built)).rejects.toThrow(new Error(message));
    expect(existsSync(join(packages, 'a.py'))).toBe(false);
    expect(JSON.parse(readFileSync(join(packages, LIST), 'utf8')).packages).not.toHaveProperty('a');
  });

  test('refuses files that are not wheels, and wrong arguments', async () => {
    const path = join(root, 'b-1-py3-none-any.whl');
    writeFileSync(path, 'no zip');
    // Of several it was not told which one.
    await expect(addPackages(packages, [path])).rejects.toThrow(
      new Error(`${path} cannot be added: BadZipFile: File is not a zip file`),
    );
    await expect(addPackages(packages, ['/nowhere/a.whl'])).rejects.toThrow(
      new Error('/nowhere/a.whl cannot be read (ENOENT)'),
    );
    await expect(addPackages('', [])).rejects.toThrow(new TypeError('folder must be a path, got ""'));
    await expect(addPackages(packages, [1])).rejects.toThrow(
      new TypeError('wheels must be an array of paths, got an array'),
    );
  });
});

describe('ses-executor python add', () => {
  const cli = (args, env = {}) =>
    spawnNode([new URL('../../bin/ses-executor.js', import.meta.url).pathname, ...args], {
      env: { ...process.env, ...env },
    });

  test('adds wheels that programs can import', { timeout: 120_000 }, async () => {
    const to = join(root, 'by-cli');
    expect(await cli(['python', 'add', wheels[0], '--to', to])).toStrictEqual({
      status: 0,
      signal: null,
      stdout: 'greeting-words 1.0\n',
      stderr: '',
    });
    const program = join(root, 'program.py');
    writeFileSync(program, 'import greeting\ngreeting.hello("cli")');
    const ran = await cli(['run', program, '--packages', to, '--allow-import', 'greeting']);
    expect(ran).toStrictEqual({ status: 0, signal: null, stdout: 'hello cli\n', stderr: '' });
  });

  test('uses pip for packages that are not files', { timeout: 120_000 }, async () => {
    // Stands for Python: notes what it is asked, and downloads a wheel.
    const python = join(root, 'python');
    const asked = join(root, 'asked');
    const script = `#!/bin/sh\nfor last; do echo "$last" >> ${asked}; done\ncp ${wheels[1]} "$5"\n`;
    writeFileSync(python, script);
    chmodSync(python, 0o755);
    const added = await cli(['python', 'add', 'greeting-words==2.0', '-r', 'r.txt', '--to', join(root, 'by-pip')], {
      PYTHON: python,
    });
    expect(added).toStrictEqual({ status: 0, signal: null, stdout: 'greeting-words 2.0\n', stderr: '' });
    const [, , , , folder, ...others] = readFileSync(asked, 'utf8').trim().split('\n');
    expect(existsSync(folder)).toBe(false);
    expect(others.join(' ')).toBe(
      '--only-binary :all: --platform pyemscripten_2026_0_wasm32 --implementation cp --abi cp314 --python-version 3.14 -r r.txt -- greeting-words==2.0',
    );
  });

  test.each([
    [['python'], /the action of python must be add, got ""/],
    [['python', 'add'], /python add needs a wheel, a package name, or -r/],
    [['python', 'add', 'missing.whl'], /there is no file missing\.whl/],
  ])('reports %j as wrong usage', async (args, message) => {
    const { status, stderr } = await cli(args);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('says what to do if pip is missing', async () => {
    const { status, stderr } = await cli(['python', 'add', 'x', '--to', join(root, 'none')], {
      PYTHON: '/nowhere/python',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('/nowhere/python cannot be started');
  });
});
