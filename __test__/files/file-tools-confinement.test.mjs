// What file tools must not do: leave their root, or wait for what never answers.

import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { createFileTools } from '../../build/files/index.js';
import { folder, get, put, root, textOf, tools } from './file-tools-root.mjs';
import { rejection } from '../helpers.mjs';

beforeEach(() => {
  put('../outside/secret.txt', 'SECRET');
  put('inside/plain.txt', 'plain');
});

/** One call of each tool for a path. */
const CALLS = {
  read: (path) => tools.read(path),
  write: (path) => tools.write(path, 'OVERWRITTEN'),
  edit: (path) => tools.edit(path, 'SECRET', 'OVERWRITTEN'),
  grep: (path) => tools.grep('SECRET', path),
  find: (path) => tools.find('*', path),
  ls: (path) => tools.ls(path),
};

const escapes = (path) => ({
  code: 'ERR_PATH_ESCAPES_ROOT',
  message: `Path escapes the root: ${path}. Use a path relative to the root that stays inside it.`,
});

/** What is outside is as it was. */
function expectOutsideUntouched() {
  expect(readdirSync(folder).sort()).toStrictEqual(['outside', 'root']);
  expect(readdirSync(join(folder, 'outside'))).toStrictEqual(['secret.txt']);
  expect(get('../outside/secret.txt')).toBe('SECRET');
}

describe.each(Object.keys(CALLS))('%s cannot leave the root', (name) => {
  test.each([
    '..',
    '../outside',
    '../outside/secret.txt',
    'inside/../../outside/secret.txt',
    'missing/../../outside/new.txt',
    './.././outside/secret.txt',
    '/',
    '/etc/passwd',
    '//etc/passwd',
  ])('by the path %s', async (path) => {
    expect(await rejection(CALLS[name](path))).toMatchObject(escapes(path));
    expectOutsideUntouched();
    expect(readdirSync(root)).toStrictEqual(['inside']);
  });

  test.each([
    ['a link to a file', 'link', '../outside/secret.txt'],
    ['an absolute link', 'link', () => join(folder, 'outside/secret.txt')],
    ['an absolute link to a file inside', 'link', () => join(root, 'inside/plain.txt')],
    ['a link to a missing file', 'link', '../outside/new.txt'],
    ['a link to a folder', 'link', '../outside'],
    ['a file in a linked folder', 'link/secret.txt', '../outside'],
    ['a new file in a linked folder', 'link/new.txt', '../outside'],
    ['a new folder in a linked folder', 'link/new/new.txt', '../outside'],
    ['a link to the parent folder', 'link/outside/secret.txt', '..'],
    ['a link to the root of the system', 'link/etc/passwd', '/'],
    ['a link through a link', 'link', 'inside/second'],
  ])('by %s', async (_, path, target) => {
    symlinkSync('../../outside/secret.txt', join(root, 'inside/second'));
    symlinkSync(typeof target === 'function' ? target() : target, join(root, 'link'));
    expect(await rejection(CALLS[name](path))).toMatchObject(escapes(path));
    expectOutsideUntouched();
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true);
  });

  test.each([
    ['', 'path must not be empty'],
    ['a\0b', 'path must not have null bytes'],
    ['../outside/secret.txt\0.txt', 'path must not have null bytes'],
    ['a'.repeat(4097), 'path must have at most 4096 bytes, got 4097'],
  ])('or use an invalid path: %j', async (path, message) => {
    expect(await rejection(CALLS[name](path))).toMatchObject({ code: 'ERR_INVALID_PATH', message });
  });
});

describe('links that stay inside', () => {
  beforeEach(() => {
    symlinkSync('plain.txt', join(root, 'inside/link.txt'));
    symlinkSync('../inside', join(root, 'inside/again'));
    symlinkSync('inside', join(root, 'folder'));
  });

  test('are read', async () => {
    for (const path of [
      'inside/link.txt',
      'folder/plain.txt',
      'folder/again/again/link.txt',
      'folder/../inside/link.txt',
    ]) {
      expect(await textOf(tools.read(path))).toBe('plain');
    }
  });

  test('are written and edited through and stay links', async () => {
    await tools.write('folder/link.txt', 'written');
    expect(get('inside/plain.txt')).toBe('written');
    await tools.edit('inside/link.txt', 'written', 'edited');
    expect(get('inside/plain.txt')).toBe('edited');
    expect(readlinkSync(join(root, 'inside/link.txt'))).toBe('plain.txt');
    expect(readdirSync(join(root, 'inside')).sort()).toStrictEqual(['again', 'link.txt', 'plain.txt']);
  });

  test('are replaced if they lead nowhere', async () => {
    symlinkSync('nowhere.txt', join(root, 'dangling'));
    await tools.write('dangling', 'here');
    expect(lstatSync(join(root, 'dangling')).isFile()).toBe(true);
    expect(get('dangling')).toBe('here');
  });

  test('cause an error if they form a circle', async () => {
    symlinkSync('second', join(root, 'first'));
    symlinkSync('first', join(root, 'second'));
    const message = expect.stringMatching(/^Cannot access first: Too many levels of symbolic links \(os error \d+\)$/);
    for (const call of Object.values(CALLS))
      expect(await rejection(call('first'))).toMatchObject({ code: 'EIO', message });
    expect(readdirSync(root).sort()).toStrictEqual(['first', 'folder', 'inside', 'second']);
    expect(['first', 'second'].map((name) => readlinkSync(join(root, name)))).toStrictEqual(['second', 'first']);
  });

  test('are not followed by searches', async () => {
    symlinkSync('..', join(root, 'inside/up'));
    symlinkSync('../../outside', join(root, 'inside/out'));
    symlinkSync('../../outside/secret.txt', join(root, 'inside/secret.txt'));
    const found =
      'folder\ninside/\ninside/again\ninside/link.txt\ninside/out\ninside/plain.txt\ninside/secret.txt\ninside/up';
    expect(await textOf(tools.find('*'))).toBe(found);
    expect(await textOf(tools.grep('plain|SECRET'))).toBe('inside/plain.txt:1: plain');
    expect(await textOf(tools.ls('inside'))).toBe('again/\nlink.txt\nout\nplain.txt\nsecret.txt\nup/');
  });

  test('are not read if a .gitignore leads out of the root', async () => {
    put('../outside/rules', '*.txt\n');
    symlinkSync('../outside/rules', join(root, '.gitignore'));
    expect(await textOf(tools.find('plain.txt'))).toBe('inside/plain.txt');
  });
});

test('a folder that is exchanged for a link during calls leads to nothing outside', async () => {
  put('swap/secret.txt', 'public');
  put('swap/deep/secret.txt', 'public');
  symlinkSync('../outside', join(root, 'other'));
  const exchange = () => {
    renameSync(join(root, 'swap'), join(root, 'spare'));
    renameSync(join(root, 'other'), join(root, 'swap'));
    renameSync(join(root, 'spare'), join(root, 'other'));
  };
  const outcomes = [];
  for (let round = 0; round < 200; round++) {
    const calls = [
      tools.read('swap/secret.txt'),
      tools.grep('.', 'swap'),
      tools.grep('SECRET'),
      tools.ls('swap'),
      tools.find('*', 'swap'),
      tools.edit('swap/secret.txt', 'public', 'public'),
      tools.write('swap/written.txt', 'W'),
      tools.write('swap/new/written.txt', 'W'),
    ].map((call) =>
      call.then(
        ({ content }) => content[0].text,
        (error) => error.message,
      ),
    );
    // The calls are on other threads meanwhile.
    for (let times = 0; times < 8; times++) exchange();
    exchange();
    outcomes.push(...(await Promise.all(calls)));
  }
  expect(outcomes.filter((outcome) => outcome.includes('SECRET'))).toStrictEqual([]);
  expect(outcomes.filter((outcome) => outcome.includes(folder))).toStrictEqual([]);
  expect(outcomes.some((outcome) => outcome.startsWith('Path escapes the root'))).toBe(true);
  expect(outcomes).toContain('public');
  expectOutsideUntouched();
});

describe('special files are not opened', () => {
  const refused = (path) => ({
    code: 'ERR_NOT_A_FILE',
    message: `Not a regular file: ${path}. Pipes, sockets and devices are not opened.`,
  });

  test('a pipe', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    for (const name of ['read', 'write', 'edit', 'grep']) {
      expect(await rejection(CALLS[name]('pipe'))).toMatchObject(refused('pipe'));
    }
    expect(await textOf(tools.grep('plain'))).toBe('inside/plain.txt:1: plain');
    expect(await textOf(tools.ls())).toBe('inside/\npipe');
    expect(await textOf(tools.find('p*'))).toBe('inside/plain.txt\npipe');
  });

  test('a pipe as .gitignore', async () => {
    execFileSync('mkfifo', [join(root, '.gitignore')]);
    expect(await textOf(tools.find('plain.txt'))).toBe('inside/plain.txt');
  });

  test('a socket', async () => {
    const server = createServer().listen(join(root, 'socket'));
    await new Promise((resolve) => server.on('listening', resolve));
    for (const name of ['read', 'write', 'edit', 'grep']) {
      expect(await rejection(CALLS[name]('socket'))).toMatchObject(refused('socket'));
    }
    server.close();
  });

  test('a folder', async () => {
    for (const name of ['read', 'write', 'edit']) {
      expect(await rejection(CALLS[name]('inside'))).toMatchObject({
        code: 'EISDIR',
        message: `Is a directory: inside. ${name === 'write' ? 'Give the path of a file in it.' : 'Use ls to list it.'}`,
      });
    }
    for (const path of ['new/', 'inside/.', 'inside/..', '.']) {
      expect((await rejection(tools.write(path, 'x'))).message).toBe(
        `Is a directory: ${path}. Give the path of a file in it.`,
      );
    }
    expect(readdirSync(root)).toStrictEqual(['inside']);
  });

  test('a file in place of a folder', async () => {
    for (const name of ['ls', 'find']) {
      expect((await rejection(CALLS[name]('inside/plain.txt'))).message).toBe('Not a directory: inside/plain.txt');
    }
    const error = await rejection(tools.write('inside/plain.txt/new/a.txt', 'x'));
    expect(error).toMatchObject({
      code: 'ENOTDIR',
      message: 'Not a directory: a parent of inside/plain.txt/new/a.txt is a file',
    });
  });
});

describe('the root', () => {
  test('must be an existing folder', () => {
    // `code` was that of any failure of an addon, "GenericFailure".
    const failure = (path) => {
      try {
        createFileTools({ root: path });
      } catch ({ code, message }) {
        return { code, message };
      }
    };
    const nope = join(folder, 'nope');
    expect(failure(nope)).toStrictEqual({ code: 'ENOENT', message: `Root folder not found: ${nope}` });
    const file = join(root, 'inside/plain.txt');
    expect(failure(file)).toStrictEqual({ code: 'ENOTDIR', message: `Not a directory: ${file}` });
  });

  test('stays the folder that was opened', async () => {
    renameSync(root, join(folder, 'moved'));
    symlinkSync('outside', root);
    expect(await textOf(tools.ls())).toBe('inside/');
    await tools.write('new.txt', 'x');
    expect(readFileSync(join(folder, 'moved/new.txt'), 'utf8')).toBe('x');
    expect(readdirSync(join(folder, 'outside'))).toStrictEqual(['secret.txt']);
  });

  test('causes an error after its removal', async () => {
    rmSync(root, { recursive: true });
    expect((await rejection(tools.read('a.txt'))).message).toBe('File not found: a.txt');
    // Which error this is depends on the file system.
    expect((await rejection(tools.write('a.txt', 'x'))).message).not.toContain(folder);
  });

  test('may be a link itself', async () => {
    symlinkSync('root', join(folder, 'link'));
    expect(await textOf(createFileTools({ root: join(folder, 'link') }).ls())).toBe('inside/');
  });
});
