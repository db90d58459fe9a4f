// Snapshots of Python are code that later processes run: no guest may write where they lie.

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import { PyodideExecutor } from '../../build/python/index.js';
import { IsolateEngine } from '../../build/python/isolate-engine.js';
import { checkPythonOptions } from '../../build/python/options.js';
import { snapshotFolderWithin, snapshotFolders } from '../../build/python/snapshot-folders.js';
import { runChild } from '../helpers.mjs';
import { FIRST_START_MS, failureOf } from './suite.mjs';

const IN_CACHE = 'ses-executor/python';
const root = realpathSync(mkdtempSync(join(tmpdir(), 'snapshots-')));
const at = (...names) => join(root, ...names);

beforeAll(() => {
  for (const folder of ['home/proj', 'elsewhere', 'linked', 'between', 'chained']) {
    mkdirSync(at(folder), { recursive: true });
  }
  symlinkSync(at('elsewhere'), at('linked', '.cache'));
  symlinkSync(at('elsewhere'), at('between', 'link'));
  symlinkSync(join('..', 'between', 'link'), at('chained', '.cache'));
});
afterAll(() => rmSync(root, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const withPlaces = (home, cache) => {
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CACHE_HOME', cache);
};

describe('the folder of snapshots', () => {
  test.each([
    ['by default', 'home', undefined, ['home/.cache']],
    ['with XDG_CACHE_HOME', 'home', 'other', ['other', 'home/.cache']],
  ])('is chosen %s', (_title, home, cache, folders) => {
    withPlaces(at(home), cache && at(cache));
    expect(snapshotFolders()).toStrictEqual(folders.map((folder) => at(folder, IN_CACHE)));
  });

  test.each([[''], ['.'], ['relative/cache']])('ignores XDG_CACHE_HOME=%j', (cache) => {
    withPlaces(at('home'), cache);
    expect(snapshotFolders()).toStrictEqual([at('home/.cache', IN_CACHE)]);
  });

  test('does not exist without a home', () => {
    withPlaces('', '');
    expect(snapshotFolders()).toStrictEqual([]);
  });
});

// Each process started in full, and nothing said so. A place is looked at once in a process, so that each test is one.
describe('a folder of snapshots that cannot be written', () => {
  const warningOf = async (home, cache) => {
    const script = `
      const { snapshotFolder } = require('./build/python/snapshot-folders.js');
      process.on('warning', ({ name, code, message }) => console.log(JSON.stringify([name, code, message])));
      console.log(JSON.stringify([snapshotFolder(), snapshotFolder()]));`;
    const { stdout } = await runChild(script, {
      format: 'commonjs',
      env: { ...process.env, HOME: home, XDG_CACHE_HOME: cache },
    });
    const [[folder, again], ...warnings] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(again).toBe(folder);
    return { folder, warnings };
  };
  const warning = (place) => [
    'SESExecutorWarning',
    'SES_EXECUTOR_PYTHON_CACHE',
    `Each process starts Python from scratch, which takes seconds, because ${place}: set XDG_CACHE_HOME to a folder for its snapshot`,
  ];

  test('causes one warning', async () => {
    writeFileSync(at('file'), '');
    const folder = at('file', IN_CACHE);
    expect(await warningOf(at('home'), at('file'))).toStrictEqual({
      folder,
      warnings: [warning(`${folder} cannot be written`)],
    });
    expect(await warningOf('', '')).toStrictEqual({ folder: null, warnings: [warning('there is no home folder')] });
  });

  test('causes no warning if it can be created', async () => {
    expect(await warningOf(at('home'), at('nothing', 'yet'))).toStrictEqual({
      folder: at('nothing/yet', IN_CACHE),
      warnings: [],
    });
  });
});

describe('P20 folders that contain snapshots are recognized', () => {
  const own = `home/.cache/${IN_CACHE}`;

  test.each([
    ['the home', 'home', 'home', undefined, own],
    ['a folder above the home', '', 'home', undefined, own],
    ['the folder of snapshots', own, 'home', undefined, own],
    ['a missing folder above it', 'home/.cache/ses-executor', 'home', undefined, own],
    ['not a folder next to it', 'home/proj', 'home', undefined, undefined],
    ['not a folder with the same prefix', 'home/.cache/ses', 'home', undefined, undefined],
    ['the place of XDG_CACHE_HOME', 'elsewhere', 'home', 'elsewhere', `elsewhere/${IN_CACHE}`],
    ['the default place of other processes', 'home', 'home', 'elsewhere', own],
    ['the target of a link', 'elsewhere', 'linked', undefined, `linked/.cache/${IN_CACHE}`],
    ['the folder of a link', 'linked', 'linked', undefined, `linked/.cache/${IN_CACHE}`],
    ['the folder of an intermediate link', 'between', 'chained', undefined, `chained/.cache/${IN_CACHE}`],
    ['the folder from which a link leads', 'linked/.cache', 'home', 'elsewhere', `elsewhere/${IN_CACHE}`],
  ])('for the case: %s', (_title, folder, home, cache, found) => {
    withPlaces(at(home), cache && at(cache));
    expect(snapshotFolderWithin(at(folder))).toBe(found && at(found));
  });

  test('a circle of links is handled', () => {
    symlinkSync(at('circle'), at('circle'));
    withPlaces(at('circle'), undefined);
    expect(snapshotFolderWithin(at('circle'))).toBe(at('circle/.cache', IN_CACHE));
    expect(snapshotFolderWithin(at('elsewhere'))).toBe(undefined);
  });
});

describe.each(/** @type {const} */ (['thread', 'process']))('an executor, isolation %s', (isolation) => {
  // What there is already is used, since it takes seconds to make.
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const start = (options) => {
    withPlaces(at('home'), cache);
    return new PyodideExecutor(['os'], { isolation, workDir: at('home'), ...options });
  };

  test(
    'does not mount the home for writing: it reports why, and Python works',
    async () => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      const executor = start();
      expect((await failureOf(executor, 'import os\nos.mkdir("/mnt/.cache")')).details.name).toBe('FileNotFoundError');
      expect((await executor.run('1 + 1')).output).toBe(2);
      await executor.cleanup();
      const folder = at('home/.cache', IN_CACHE);
      const reason =
        `guests that write to ${at('home')} could replace the snapshots in ${folder}, which later processes execute: ` +
        'use another workDir, readOnly: true or mount: false';
      const refusal = Object.assign(new Error(reason), { code: 'ERR_MOUNT_REFUSED' });
      expect(log.mock.calls).toStrictEqual([['Failed to mount NODEFS:', refusal]]);
      expect(existsSync(at('home/.cache'))).toBe(false);
    },
    FIRST_START_MS,
  );

  test('leaves the isolate nothing to mount in that case', async () => {
    withPlaces(at('home'), cache);
    const engine = new IsolateEngine(checkPythonOptions(['os'], { isolation, workDir: at('home') }));
    await engine.init();
    await expect(engine.sendVariables({ __smolagents_mount__: '/mnt' })).rejects.toThrow(
      'the executor has no folder to mount',
    );
    await engine.cleanup();
  });

  test.each([
    ['for reading', { readOnly: true }, ['proj']],
    ['a subfolder of it', { workDir: at('home/proj') }, []],
  ])('mounts the home %s', async (_title, options, names) => {
    const executor = start(options);
    expect((await executor.run('import os\nos.listdir("/mnt")')).output).toStrictEqual(names);
    await executor.cleanup();
  });
});
