// What file tools must not do: leave their root, wait for what never answers, take more than their limits, lose changes.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createFileTools } from '../lib/tools/index.js';
import { ROOT, rejection, runChild, withExecutor } from './helpers.mjs';

/** Holds `root` and, beside it, what is outside. */
let folder;
let root;
let tools;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ses-executor-files-'));
  root = join(folder, 'root');
  put('../outside/secret.txt', 'SECRET');
  put('inside/plain.txt', 'plain');
  tools = createFileTools({ root });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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
  expect(readdirSync(folder).sort()).toEqual(['outside', 'root']);
  expect(readdirSync(join(folder, 'outside'))).toEqual(['secret.txt']);
  expect(get('../outside/secret.txt')).toBe('SECRET');
}

describe.each(Object.keys(CALLS))('%s stays inside', (name) => {
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
  ])('%s', async (path) => {
    expect(await rejection(CALLS[name](path))).toMatchObject(escapes(path));
    expectOutsideUntouched();
    expect(readdirSync(root)).toEqual(['inside']);
  });

  test('an absolute path that lies inside is no path of the root', async () => {
    const path = join(root, 'inside/plain.txt');
    expect(await rejection(CALLS[name](path))).toMatchObject(escapes(path));
  });

  test.each([
    ['a link to a file', 'link', '../outside/secret.txt'],
    ['an absolute link', 'link', () => join(folder, 'outside/secret.txt')],
    ['an absolute link to what is inside', 'link', () => join(root, 'inside/plain.txt')],
    ['a link to a missing file', 'link', '../outside/new.txt'],
    ['a link to a folder', 'link', '../outside'],
    ['a file behind a link to a folder', 'link/secret.txt', '../outside'],
    ['a new file behind a link to a folder', 'link/new.txt', '../outside'],
    ['a new folder behind a link to a folder', 'link/new/new.txt', '../outside'],
    ['a link to the folder above', 'link/outside/secret.txt', '..'],
    ['a link to the root of the system', 'link/etc/passwd', '/'],
    ['a link through a link', 'link', 'inside/second'],
  ])('%s', async (_, path, target) => {
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
  ])('no path: %j', async (path, message) => {
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

  test('are written and edited through, and stay links', async () => {
    await tools.write('folder/link.txt', 'written');
    expect(get('inside/plain.txt')).toBe('written');
    await tools.edit('inside/link.txt', 'written', 'edited');
    expect(get('inside/plain.txt')).toBe('edited');
    expect(readlinkSync(join(root, 'inside/link.txt'))).toBe('plain.txt');
    expect(readdirSync(join(root, 'inside')).sort()).toEqual(['again', 'link.txt', 'plain.txt']);
  });

  test('that lead nowhere are replaced', async () => {
    symlinkSync('nowhere.txt', join(root, 'dangling'));
    await tools.write('dangling', 'here');
    expect(lstatSync(join(root, 'dangling')).isFile()).toBe(true);
    expect(get('dangling')).toBe('here');
  });

  test('that lead to each other are an error', async () => {
    symlinkSync('second', join(root, 'first'));
    symlinkSync('first', join(root, 'second'));
    for (const call of Object.values(CALLS)) expect((await rejection(call('first'))).message).not.toContain(root);
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

  test('a .gitignore that is a link out of the root is not read', async () => {
    put('../outside/rules', '*.txt\n');
    symlinkSync('../outside/rules', join(root, '.gitignore'));
    expect(await textOf(tools.find('plain.txt'))).toBe('inside/plain.txt');
  });
});

test('a folder that is exchanged for a link while the tools work', async () => {
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
  expect(outcomes.filter((outcome) => outcome.includes('SECRET'))).toEqual([]);
  expect(outcomes.filter((outcome) => outcome.includes(folder))).toEqual([]);
  expect(outcomes.some((outcome) => outcome.startsWith('Path escapes the root'))).toBe(true);
  expect(outcomes).toContain('public');
  expectOutsideUntouched();
});

describe('what is no regular file is not opened', () => {
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
        message: 'Is a directory: inside. Use ls to list it.',
      });
    }
    for (const path of ['new/', 'inside/.', 'inside/..', '.']) {
      expect((await rejection(tools.write(path, 'x'))).message).toBe(`Is a directory: ${path}. Use ls to list it.`);
    }
    expect(readdirSync(root)).toEqual(['inside']);
  });

  test('a file is no folder', async () => {
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

describe('content', () => {
  test('beyond the limit is refused, and skipped by searches', async () => {
    put('huge.txt', 'plain');
    truncateSync(join(root, 'huge.txt'), 10 * 2 ** 30);
    const message = 'File is too large: huge.txt has 10240.0MB, the limit is 32.0MB.';
    put('huge.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    truncateSync(join(root, 'huge.png'), 2 ** 30);
    expect(await rejection(tools.edit('huge.txt', 'plain', 'x'))).toMatchObject({
      code: 'ERR_FILE_TOO_LARGE',
      message,
    });
    expect((await rejection(tools.read('huge.png'))).message).toBe(
      'File is too large: huge.png has 1024.0MB, the limit is 10.0MB.',
    );
    const { content, details } = await tools.grep('plain');
    expect(content[0].text).toBe('inside/plain.txt:1: plain\n\n[2 files larger than 32.0MB skipped]');
    expect(details).toEqual({ filesSkipped: 2 });
  });

  test('beyond a limit of the host', async () => {
    tools = createFileTools({ root, limits: { maxFileBytes: 10, maxLines: 2, maxBytes: 8, maxImageBytes: 4 } });
    put('eleven', 'x'.repeat(11));
    expect((await rejection(tools.read('eleven'))).message).toBe(
      'File is too large: eleven has 11B, the limit is 10B.',
    );
    expect((await rejection(tools.write('new/a', 'ü'.repeat(6)))).message).toBe(
      'File is too large: new/a has 12B, the limit is 10B.',
    );
    expect(existsSync(join(root, 'new'))).toBe(false);
    expect((await rejection(tools.edit('inside/plain.txt', 'plain', 'x'.repeat(11)))).code).toBe('ERR_FILE_TOO_LARGE');
    expect(get('inside/plain.txt')).toBe('plain');
    put('three', 'a\nb\nc');
    expect(await textOf(tools.read('three'))).toBe('a\nb\n\n[Showing lines 1-2 of 3. Use offset=3 to continue.]');
    put('long', '123456789\n');
    const { content, details } = await tools.read('long');
    expect(content[0].text).toBe(
      '[Line 1 is 9B, exceeds 8B limit. Use grep to see what matches in it, or offset=2 to continue after it.]',
    );
    expect(details.truncation).toMatchObject({ truncatedBy: 'bytes', outputLines: 0, firstLineExceedsLimit: true });
  });

  test('that is binary is refused', async () => {
    put('data.bin', Buffer.from([1, 2, 0, 3]));
    put('archive', Buffer.from('504b03040a0000000000', 'hex'));
    expect(await rejection(tools.read('data.bin'))).toMatchObject({
      code: 'ERR_BINARY_FILE',
      message: 'Cannot show binary file: data.bin (unknown type)',
    });
    expect((await rejection(tools.read('archive'))).message).toBe('Cannot show binary file: archive (application/zip)');
  });

  test('that is no UTF-8 is shown with replacement characters, and not edited', async () => {
    const latin1 = Buffer.from('caf\xe9 plain\n', 'latin1');
    put('latin1.txt', latin1);
    expect(await textOf(tools.read('latin1.txt'))).toBe('caf\ufffd plain\n');
    expect(await textOf(tools.grep('plain', 'latin1.txt'))).toBe('latin1.txt:1: caf\ufffd plain');
    expect(await rejection(tools.edit('latin1.txt', 'plain', 'x'))).toMatchObject({
      code: 'ERR_BINARY_FILE',
      message: 'Cannot edit latin1.txt: it is not UTF-8 text, and an edit would damage it.',
    });
    expect(readFileSync(join(root, 'latin1.txt'))).toEqual(latin1);
  });

  test('that is not permitted', async () => {
    // Root may read everything, hence a process that is somebody else.
    const { stdout, stderr } = await runChild(`
      import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
      import { createFileTools } from './lib/tools/index.js';
      const root = ${JSON.stringify(root)};
      const tools = createFileTools({ root });
      writeFileSync(root + '/unreadable.txt', 'plain');
      writeFileSync(root + '/readonly.txt', 'plain');
      mkdirSync(root + '/closed');
      for (const path of ['', '/unreadable.txt', '/readonly.txt', '/closed']) {
        if (process.getuid() === 0) chownSync(root + path, 65534, 65534);
      }
      chmodSync(root + '/..', 0o755);
      if (process.getuid() === 0) process.setuid(65534);
      chmodSync(root + '/unreadable.txt', 0);
      chmodSync(root + '/readonly.txt', 0o444);
      chmodSync(root + '/closed', 0);
      const show = (promise) => promise.then(({ content }) => content[0].text, ({ message }) => message).then(console.log);
      await show(tools.read('unreadable.txt'));
      await show(tools.edit('readonly.txt', 'plain', 'x'));
      await show(tools.write('readonly.txt', 'x'));
      await show(tools.ls('closed'));
      await show(tools.write('closed/new.txt', 'x'));
      await show(tools.grep('plain'));
      await show(tools.find('*'));
      chmodSync(root + '/closed', 0o755);
    `);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual([
      'Permission denied: unreadable.txt',
      'Permission denied: readonly.txt',
      'Permission denied: readonly.txt',
      'Permission denied: closed',
      'Permission denied: closed/new.txt',
      'inside/plain.txt:1: plain',
      'readonly.txt:1: plain',
      'closed/',
      'inside/',
      'inside/plain.txt',
      'readonly.txt',
      'unreadable.txt',
    ]);
    expect(get('readonly.txt')).toBe('plain');
  });
});

describe('changes', () => {
  test('of concurrent edits are all kept', async () => {
    put('list.txt', Array.from({ length: 50 }, (_, i) => `item ${i}.\n`).join(''));
    await Promise.all(Array.from({ length: 50 }, (_, i) => tools.edit('list.txt', `item ${i}.`, `done ${i}.`)));
    expect(get('list.txt')).toBe(Array.from({ length: 50 }, (_, i) => `done ${i}.\n`).join(''));
  });

  test('are made in the order of the calls, and one that fails does not hold up the others', async () => {
    const calls = [
      tools.write('a.txt', 'one'),
      tools.edit('a.txt', 'one', 'two'),
      tools.edit('a.txt', 'one', 'three'),
      tools.edit('a.txt', 'two', 'four'),
    ];
    const settled = await Promise.allSettled(calls);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(get('a.txt')).toBe('four');
  });

  test('are whole for those who read', async () => {
    const versions = ['a', 'b'].map((letter) => letter.repeat(2 * 2 ** 20));
    const reader = createFileTools({ root, limits: { maxBytes: 2 ** 22 } });
    await tools.write('big.txt', versions[0]);
    for (let round = 0; round < 10; round++) {
      const writes = Promise.all(versions.map((version) => tools.write('big.txt', version)));
      const reads = await Promise.all(Array.from({ length: 4 }, () => textOf(reader.read('big.txt'))));
      for (const seen of reads) expect(versions.includes(seen)).toBe(true);
      await writes;
    }
    expect(readdirSync(root).sort()).toEqual(['big.txt', 'inside']);
  });

  test('leave no temporary file and keep permissions', async () => {
    put('script.sh', 'old');
    chmodSync(join(root, 'script.sh'), 0o4751);
    await tools.write('script.sh', 'new');
    // The rights of the old content are not for the new one.
    expect(statSync(join(root, 'script.sh')).mode & 0o7777).toBe(0o751);
    await tools.edit('script.sh', 'new', 'newer');
    expect(statSync(join(root, 'script.sh')).mode & 0o7777).toBe(0o751);
    await tools.write('fresh.txt', 'x');
    expect(statSync(join(root, 'fresh.txt')).mode & 0o7777).toBe(0o666 & ~process.umask());
    await rejection(tools.write('inside', 'x'));
    expect(readdirSync(root).sort()).toEqual(['fresh.txt', 'inside', 'script.sh']);
  });

  test('of a read-only set of tools are not there', async () => {
    const reader = createFileTools({ root, readOnly: true });
    expect(Object.keys(reader)).toEqual(['read', 'grep', 'find', 'ls']);
    await withExecutor({}, reader, async (executor) => {
      const { output } = await executor.run('[typeof read, typeof write, typeof edit]');
      expect(output).toEqual(['function', 'undefined', 'undefined']);
    });
  });
});

describe('the root', () => {
  test('must be a folder that exists', () => {
    expect(() => createFileTools({ root: join(folder, 'nope') })).toThrow(
      `Root folder not found: ${join(folder, 'nope')}`,
    );
    expect(() => createFileTools({ root: join(root, 'inside/plain.txt') })).toThrow(
      `Not a directory: ${join(root, 'inside/plain.txt')}`,
    );
  });

  test('stays the folder that was opened', async () => {
    renameSync(root, join(folder, 'moved'));
    symlinkSync('outside', root);
    expect(await textOf(tools.ls())).toBe('inside/');
    await tools.write('new.txt', 'x');
    expect(readFileSync(join(folder, 'moved/new.txt'), 'utf8')).toBe('x');
    expect(readdirSync(join(folder, 'outside'))).toEqual(['secret.txt']);
  });

  test('that was removed is an error', async () => {
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

describe('the process', () => {
  test('ends while calls are under way, in a worker thread too', async () => {
    const { status, signal, stderr } = await runChild(`
      import { Worker } from 'node:worker_threads';
      const script = \`
        const { createFileTools } = require(${JSON.stringify(join(ROOT, 'lib/tools/index.js'))});
        const tools = createFileTools({ root: ${JSON.stringify(root)} });
        for (let i = 0; i < 200; i++) { tools.find('*'); tools.write('w' + i, 'x'); }
        require('node:worker_threads').parentPort.postMessage('started');
      \`;
      for (let round = 0; round < 5; round++) {
        const worker = new Worker(script, { eval: true, execArgv: [] });
        await new Promise((resolve) => worker.once('message', resolve));
        await worker.terminate();
      }
      const { createFileTools } = await import('./lib/tools/index.js');
      const tools = createFileTools({ root: ${JSON.stringify(root)} });
      for (let i = 0; i < 200; i++) tools.find('*');
      process.exit(7);
    `);
    expect({ status, signal, stderr }).toEqual({ status: 7, signal: null, stderr: '' });
  });

  test('lives until a call is answered, and not longer', async () => {
    const { status, stdout } = await runChild(`
      import { createFileTools } from './lib/tools/index.js';
      createFileTools({ root: ${JSON.stringify(root)} }).ls().then(({ content }) => console.log(content[0].text));
    `);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'inside/\n' });
  });

  test('goes on while a search works', async () => {
    for (let i = 0; i < 300; i++) put(`many/${i}/a.txt`, 'plain\n'.repeat(100));
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    let answered = false;
    const search = tools.grep({ pattern: 'nothing', path: 'many' }).then(() => (answered = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    await search;
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});

/** The text of a result. */
async function textOf(call) {
  const { content } = await call;
  expect(content).toHaveLength(1);
  return content[0].text;
}

function put(path, content) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function get(path) {
  return readFileSync(join(root, path), 'utf8');
}
