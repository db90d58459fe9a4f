// What file tools do with content that is large, binary or not permitted, with concurrent changes, and with the
// process.

import { chmodSync, chownSync, existsSync, readFileSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { createFileTools } from '../../build/files/index.js';
import { get, limit, put, root, textOf, tools } from './file-tools-root.mjs';
import { ROOT, rejection, runChild, withExecutor } from '../helpers.mjs';

beforeEach(() => put('inside/plain.txt', 'plain'));

describe('content of files', () => {
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
    expect(content.map(({ text }) => text)).toStrictEqual([
      'inside/plain.txt:1: plain',
      '[Left out: 2 files above 32.0MB (huge.png, huge.txt). For a part of a large file, use read with offset and limit]',
    ]);
    expect(details).toStrictEqual({ leftOut: { largeFiles: 2 } });
  });

  test('beyond a limit of the host is refused', async () => {
    limit({ maxFileBytes: 10, maxLines: 2, maxBytes: 8, maxImageBytes: 4 });
    put('eleven', 'x'.repeat(11));
    expect((await rejection(tools.read('eleven'))).message).toBe(
      'File is too large: eleven has 11B, the limit is 10B. Use read with offset and limit for some of its lines.',
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
    expect(content[0].text).toBe('[Line 1 is 9B, exceeds 8B limit. Use grep to see what matches in it.]');
    expect(details.truncation).toMatchObject({ truncatedBy: 'bytes', outputLines: 0, firstLineExceedsLimit: true });
    limit({ maxBytes: 8 });
    put('longer', '123456789\nx');
    expect(await textOf(tools.read('longer'))).toBe(
      '[Line 1 is 9B, exceeds 8B limit. Use grep to see what matches in it, or offset=2 to continue after it.]',
    );
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

  test('that is not UTF-8 is shown with replacement characters and cannot be edited', async () => {
    const latin1 = Buffer.from('caf\xe9 plain\n', 'latin1');
    put('latin1.txt', latin1);
    expect(await textOf(tools.read('latin1.txt'))).toBe('caf\ufffd plain\n');
    expect(await textOf(tools.grep('plain', 'latin1.txt'))).toBe('latin1.txt:1: caf\ufffd plain');
    expect(await rejection(tools.edit('latin1.txt', 'plain', 'x'))).toMatchObject({
      code: 'ERR_BINARY_FILE',
      message: 'Cannot edit latin1.txt: it is not UTF-8 text, and an edit would damage it.',
    });
    expect(readFileSync(join(root, 'latin1.txt'))).toStrictEqual(latin1);
  });

  test('without permission is refused', async () => {
    // Root may read everything, hence a process that is somebody else.
    const { stdout, stderr } = await runChild(`
      import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
      import { createFileTools } from './build/files/index.js';
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
      const show = (promise) => promise.then(({ content }) => content.map(({ text }) => text).join('\\n'), ({ message }) => message).then(console.log);
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
    expect(stdout.trim().split('\n')).toStrictEqual([
      'Permission denied: unreadable.txt',
      'Permission denied: readonly.txt',
      'Permission denied: readonly.txt',
      'Permission denied: closed',
      'Permission denied: closed/new.txt',
      'inside/plain.txt:1: plain',
      'readonly.txt:1: plain',
      '[Left out: 2 unreadable entries (closed/, unreadable.txt)]',
      'closed/',
      'inside/',
      'inside/plain.txt',
      'readonly.txt',
      'unreadable.txt',
      '[Left out: 1 unreadable entry (closed/)]',
    ]);
    expect(get('readonly.txt')).toBe('plain');
  });
});

describe('changes of files', () => {
  test('by concurrent edits are all kept', async () => {
    put('list.txt', Array.from({ length: 50 }, (_, i) => `item ${i}.\n`).join(''));
    await Promise.all(Array.from({ length: 50 }, (_, i) => tools.edit('list.txt', `item ${i}.`, `done ${i}.`)));
    expect(get('list.txt')).toBe(Array.from({ length: 50 }, (_, i) => `done ${i}.\n`).join(''));
  });

  test('happen in the order of the calls, and a failed one does not block the others', async () => {
    const calls = [
      tools.write('a.txt', 'one'),
      tools.edit('a.txt', 'one', 'two'),
      tools.edit('a.txt', 'one', 'three'),
      tools.edit('a.txt', 'two', 'four'),
    ];
    const settled = await Promise.allSettled(calls);
    expect(settled.map(({ status }) => status)).toStrictEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(get('a.txt')).toBe('four');
  });

  test('are atomic for readers', async () => {
    const versions = ['a', 'b'].map((letter) => letter.repeat(2 * 2 ** 20));
    const reader = createFileTools({ root, limits: { maxBytes: 2 ** 22 } });
    await tools.write('big.txt', versions[0]);
    for (let round = 0; round < 10; round++) {
      const writes = Promise.all(versions.map((version) => tools.write('big.txt', version)));
      const reads = await Promise.all(Array.from({ length: 4 }, () => textOf(reader.read('big.txt'))));
      for (const seen of reads) expect(versions.includes(seen)).toBe(true);
      await writes;
    }
    expect(readdirSync(root).sort()).toStrictEqual(['big.txt', 'inside']);
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
    expect(readdirSync(root).sort()).toStrictEqual(['fresh.txt', 'inside', 'script.sh']);
  });

  // Only root may give files away.
  test.skipIf(process.getuid?.() !== 0)('keep the owner of a file', async () => {
    for (const name of ['given.txt', 'in-place.txt']) {
      put(name, 'old');
      chownSync(join(root, name), 1000, 1001);
    }
    chmodSync(join(root, 'given.txt'), 0o600);
    chmodSync(join(root, 'in-place.txt'), 0o666);
    const owned = (name) => {
      const { uid, gid, mode } = statSync(join(root, name));
      return [uid, gid, mode & 0o777];
    };
    await tools.edit('given.txt', 'old', 'new');
    await tools.write('given.txt', 'newer');
    expect([owned('given.txt'), get('given.txt')]).toStrictEqual([[1000, 1001, 0o600], 'newer']);
    const { stdout, stderr } = await runChild(`
      import { chmodSync } from 'node:fs';
      import { createFileTools } from './build/files/index.js';
      const root = ${JSON.stringify(root)};
      const tools = createFileTools({ root });
      chmodSync(root + '/..', 0o755);
      chmodSync(root, 0o777);
      process.setgroups([]);
      process.setgid(65534);
      process.setuid(65534);
      await tools.write('in-place.txt', 'longer than before');
      await tools.edit('in-place.txt', ' than before', '');
      console.log('done');
    `);
    expect([stdout, stderr]).toStrictEqual(['done\n', '']);
    expect([owned('in-place.txt'), get('in-place.txt')]).toStrictEqual([[1000, 1001, 0o666], 'longer']);
    expect(readdirSync(root).sort()).toStrictEqual(['given.txt', 'in-place.txt', 'inside']);
  });

  test('are not offered by a read-only set of tools', async () => {
    const reader = createFileTools({ root, readOnly: true });
    expect(Object.keys(reader)).toStrictEqual([
      'read',
      'readText',
      'readJson',
      'readLines',
      'readBytes',
      'stat',
      'grep',
      'find',
      'ls',
    ]);
    await withExecutor({}, reader, async (executor) => {
      const { output } = await executor.run('[typeof read, typeof write, typeof edit]');
      expect(output).toStrictEqual(['function', 'undefined', 'undefined']);
    });
  });
});

describe('the process with file tools', () => {
  test('ends during calls, also in a worker thread', async () => {
    const { status, signal, stderr } = await runChild(`
      import { Worker } from 'node:worker_threads';
      const script = \`
        const { createFileTools } = require(${JSON.stringify(join(ROOT, 'build/files/index.js'))});
        const tools = createFileTools({ root: ${JSON.stringify(root)} });
        for (let i = 0; i < 200; i++) { tools.find('*'); tools.write('w' + i, 'x'); }
        require('node:worker_threads').parentPort.postMessage('started');
      \`;
      for (let round = 0; round < 5; round++) {
        const worker = new Worker(script, { eval: true, execArgv: [] });
        await new Promise((resolve) => worker.once('message', resolve));
        await worker.terminate();
      }
      const { createFileTools } = await import('./build/files/index.js');
      const tools = createFileTools({ root: ${JSON.stringify(root)} });
      for (let i = 0; i < 200; i++) tools.find('*');
      process.exit(7);
    `);
    expect({ status, signal, stderr }).toStrictEqual({ status: 7, signal: null, stderr: '' });
  });

  test('lives until a call is answered, and no longer', async () => {
    const { status, stdout } = await runChild(`
      import { createFileTools } from './build/files/index.js';
      createFileTools({ root: ${JSON.stringify(root)} }).ls().then(({ content }) => console.log(content[0].text));
    `);
    expect({ status, stdout }).toStrictEqual({ status: 0, stdout: 'inside/\n' });
  });

  test('stays responsive during a search', async () => {
    for (let i = 0; i < 300; i++) put(`many/${i}/a.txt`, 'plain\n'.repeat(100));
    let turns = 0;
    // A search may be done before the process gets its next turn, but not each time.
    for (let searches = 0; turns === 0 && searches < 100; searches++) {
      const timer = setInterval(() => turns++, 0);
      await tools.grep({ pattern: 'nothing', path: 'many' });
      clearInterval(timer);
    }
    expect(turns).toBeGreaterThan(0);
  });
});
