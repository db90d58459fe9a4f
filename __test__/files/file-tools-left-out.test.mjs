// What grep and find say about the files that they left out. It is a separate block, because code splits the first one
// into lines.

import { mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { limit, put, root, tools } from './file-tools-root.mjs';
import { text } from './results.mjs';
import { runChild } from '../helpers.mjs';

/** A result with what was left out. */
const result = (shown, notice, leftOut) => ({ ...text(shown, `[${notice}]`), details: { leftOut } });
const FOLDER_ADVICE = 'To search an ignored folder, pass it as path';

describe('ignored entries', () => {
  test.each([
    ['*.log\n', { files: ['a.log', 'lib/b.log'], folders: [] }],
    ['/dist/\nout\n', { files: [], folders: ['dist/', 'lib/out/'] }],
    ['*.log\ndist\n!keep.log\n', { files: ['a.log', 'lib/b.log'], folders: ['dist/'] }],
  ])('by the rules %j are counted', async (rules, { files, folders }) => {
    put('.gitignore', rules);
    put('keep.txt', 'text');
    put('keep.log.txt', '');
    for (const path of ['a.log', 'lib/b.log', 'dist/c.txt', 'dist/deep/d.txt', 'lib/out/e.txt']) put(path, 'text');
    const count = (names, what) =>
      names.length > 0 ? [`${names.length} ignored ${what}${names.length > 1 ? 's' : ''}`] : [];
    const parts = [
      ...count(folders, 'folder').map((part) => `${part} (${folders.join(', ')})`),
      ...count(files, 'file'),
    ];
    const notice = [`Left out: ${parts.join(', ')}`, ...(folders.length > 0 ? [FOLDER_ADVICE] : [])].join('. ');
    const leftOut = {
      ...(folders.length > 0 && { ignoredFolders: folders.length }),
      ...(files.length > 0 && { ignoredFiles: files.length }),
    };
    const { content, details } = await tools.grep('text');
    expect(details).toStrictEqual({ leftOut });
    expect(content[1].text).toBe(`[${notice}]`);
  });

  test('that the pattern or the glob excludes are not counted', async () => {
    put('.gitignore', '*.log\ndist\n');
    for (const path of ['a.txt', 'a.log', 'dist/a.txt']) put(path, 'text');
    const notice = `Left out: 1 ignored folder (dist/). ${FOLDER_ADVICE}`;
    const leftOut = { ignoredFolders: 1 };
    expect(await tools.find('*.txt')).toStrictEqual(result('a.txt', notice, leftOut));
    expect(await tools.grep({ pattern: 'text', glob: '*.txt' })).toStrictEqual(
      result('a.txt:1: text', notice, leftOut),
    );
    expect(await tools.grep({ pattern: 'text', glob: '!dist', path: '.' })).toStrictEqual(
      result('a.txt:1: text', 'Left out: 1 ignored file', { ignoredFiles: 1 }),
    );
    // The advice works.
    expect(await tools.find('*.txt', 'dist')).toStrictEqual(text('a.txt'));
    expect(await tools.grep('text', 'dist')).toStrictEqual(text('a.txt:1: text'));
    expect(await tools.grep('text', 'a.log')).toStrictEqual(text('a.log:1: text'));
  });

  test('in .git and node_modules are not mentioned', async () => {
    put('.gitignore', 'node_modules\n');
    for (const path of ['.git/config', 'node_modules/a/b.js', 'lib/node_modules/c.js', 'lib/d.js']) put(path, 'text');
    expect(await tools.grep('text')).toStrictEqual(text('lib/d.js:1: text'));
    expect(await tools.find('*.js')).toStrictEqual(text('lib/d.js'));
  });
});

describe('files that grep cannot search', () => {
  test('are counted by kind, and the first ones are named', async () => {
    limit({ maxFileBytes: 100 });
    for (const name of ['a.png', 'b.png', 'c.png', 'd.png', 'e.png']) put(`img/${name}`, Buffer.from('x\0x'));
    put('app.config', Buffer.from('\ufefftext', 'utf16le'));
    for (const name of ['huge.txt', 'large\n.txt']) put(name, 'text'.repeat(26));
    put('ok.txt', 'text');
    const notice =
      'Left out: 5 binary files (img/a.png, img/b.png, img/c.png, 2 others), 1 UTF-16 file (app.config), ' +
      '2 files above 100B (huge.txt, "large\\n.txt"). To read UTF-16, decode the result of readBytes in code. ' +
      'For a part of a large file, use read with offset and limit';
    expect(await tools.grep('text')).toStrictEqual(
      result('ok.txt:1: text', notice, { binaryFiles: 5, utf16Files: 1, largeFiles: 2 }),
    );
  });

  test('are not read if they are large', async () => {
    put('sparse', '');
    truncateSync(join(root, 'sparse'), 2 ** 40);
    const { details } = await tools.grep('text');
    expect(details).toStrictEqual({ leftOut: { largeFiles: 1 } });
  });

  test('are counted until the search ends', async () => {
    for (let i = 10; i < 60; i++) put(`${i}.bin`, Buffer.from([0]));
    put('20.txt', 'text');
    const { details } = await tools.grep({ pattern: 'text', limit: 1 });
    expect(details).toStrictEqual({ matchLimitReached: 1, leftOut: { binaryFiles: 11 } });
  });

  test('have short names in the notice', async () => {
    put(`${'d/'.repeat(100)}a.bin`, Buffer.from([0]));
    const { content } = await tools.grep('text');
    expect(content[1].text).toBe(`[Left out: 1 binary file (...${'d/'.repeat(48).slice(1)}a.bin)]`);
  });
});

test('grep does not mention links, ignored or not', async () => {
  put('a.txt', 'text');
  symlinkSync('a.txt', join(root, 'link.txt'));
  symlinkSync('nowhere', join(root, 'lost.txt'));
  put('.gitignore', 'ignored');
  symlinkSync('a.txt', join(root, 'ignored'));
  mkdirSync(join(root, 'empty'));
  expect(await tools.grep('text')).toStrictEqual(text('a.txt:1: text'));
  rmSync(join(root, 'a.txt'));
  expect(await tools.grep('text')).toStrictEqual(text('No matches found'));
});

test('files that cannot be read are counted', async () => {
  put('plain.txt', 'text');
  // Root may read everything, hence a process that is somebody else.
  const { stdout, stderr } = await runChild(`
    import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
    import { createFileTools } from './build/files/index.js';
    const root = ${JSON.stringify(root)};
    const tools = createFileTools({ root });
    writeFileSync(root + '/secret.txt', 'text');
    mkdirSync(root + '/closed');
    for (const path of ['', '/secret.txt', '/closed']) if (process.getuid() === 0) chownSync(root + path, 65534, 65534);
    chmodSync(root + '/..', 0o755);
    if (process.getuid() === 0) process.setuid(65534);
    chmodSync(root + '/secret.txt', 0);
    chmodSync(root + '/closed', 0);
    const results = [await tools.grep('text'), await tools.find('*.txt'), await tools.find('*', 'closed')];
    console.log(JSON.stringify(results));
    chmodSync(root + '/closed', 0o755);
  `);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toStrictEqual([
    result('plain.txt:1: text', 'Left out: 2 unreadable entries (closed/, secret.txt)', { unreadable: 2 }),
    result('plain.txt\nsecret.txt', 'Left out: 1 unreadable entry (closed/)', { unreadable: 1 }),
    result('No files found matching pattern', 'Left out: 1 unreadable entry (./)', { unreadable: 1 }),
  ]);
});
