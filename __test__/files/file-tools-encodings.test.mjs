// Byte order marks and UTF-16 in files: what each tool reads, keeps and says.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { get, limit, put, root, textOf, tools } from './file-tools-root.mjs';
import { text } from './results.mjs';
import { rejection, withExecutor } from '../helpers.mjs';

const MARK = '\ufeff';

const utf16 = {
  le: (content) => Buffer.from(content, 'utf16le'),
  be: (content) => Buffer.from(content, 'utf16le').swap16(),
};

describe('a byte order mark', () => {
  test.each([
    ['LF', `${MARK}first\nsecond\n`, 'first\nsecond\n'],
    ['CRLF', `${MARK}first\r\nsecond`, 'first\r\nsecond'],
    ['no text', MARK, ''],
    ['a second mark', `${MARK}${MARK}first`, `${MARK}first`],
  ])('is not shown by read before %s', async (_, content, shown) => {
    put('a.txt', content);
    expect(await tools.read('a.txt')).toStrictEqual(text(shown));
  });

  test('is not shown by read of some lines of a large file', async () => {
    limit({ maxFileBytes: 10 });
    put('a.txt', `${MARK}first\nsecond\nthird\n`);
    expect(await textOf(tools.read('a.txt', 1, 1))).toBe('first\n\n[Showing lines 1-1. Use offset=2 to continue.]');
    expect(await textOf(tools.read('a.txt', 2))).toBe('second\nthird\n');
  });

  test.each([
    ['^foo', 'a.txt:1: foo bar'],
    ['\\Afoo bar$', 'a.txt:1: foo bar'],
    ['^.foo', 'No matches found'],
    ['^foo|^two', 'a.txt:1: foo bar\na.txt:2: two'],
  ])('is not part of the first line for grep of %s', async (pattern, expected) => {
    put('a.txt', `${MARK}foo bar\ntwo\n`);
    expect(await textOf(tools.grep(pattern))).toBe(expected);
    expect(await textOf(tools.grep(pattern, 'a.txt'))).toBe(expected);
  });

  test.each([
    ['first', 'FIRST', `${MARK}FIRST\r\nsecond\r\n`],
    ['first\nsecond\n', 'one\ntwo\nthree\n', `${MARK}one\r\ntwo\r\nthree\r\n`],
    [`${MARK}first`, 'FIRST', `${MARK}FIRST\r\nsecond\r\n`],
    [`${MARK}first`, `${MARK}FIRST`, `${MARK}FIRST\r\nsecond\r\n`],
    ['first', `${MARK}FIRST`, `${MARK}FIRST\r\nsecond\r\n`],
    ['second', 'SECOND', `${MARK}first\r\nSECOND\r\n`],
  ])('stays when edit replaces %j with %j', async (oldText, newText, expected) => {
    put('a.txt', `${MARK}first\r\nsecond\r\n`);
    await tools.edit('a.txt', oldText, newText);
    expect(get('a.txt')).toBe(expected);
  });

  test('stays when write replaces a file, and no file gets two', async () => {
    put('a.txt', `${MARK}old`);
    put('plain.txt', 'old');
    expect(await tools.write('a.txt', 'new')).toStrictEqual(text('Successfully wrote 6 bytes to a.txt'));
    expect(get('a.txt')).toBe(`${MARK}new`);
    expect(await tools.write('a.txt', `${MARK}newer`)).toStrictEqual(text('Successfully wrote 8 bytes to a.txt'));
    expect(get('a.txt')).toBe(`${MARK}newer`);
    expect(await tools.write('a.txt', '')).toStrictEqual(text('Successfully wrote 0 bytes to a.txt'));
    await tools.write('plain.txt', 'new');
    await tools.write('fresh.txt', 'new');
    expect(['a.txt', 'plain.txt', 'fresh.txt'].map(get)).toStrictEqual(['', 'new', 'new']);
  });

  test('counts for the limit of bytes', async () => {
    limit({ maxFileBytes: 6 });
    put('a.txt', `${MARK}old`);
    await tools.write('a.txt', 'new');
    expect(await rejection(tools.write('a.txt', 'four'))).toMatchObject({
      code: 'ERR_FILE_TOO_LARGE',
      message: 'File is too large: a.txt has 7B, the limit is 6B.',
    });
    expect(get('a.txt')).toBe(`${MARK}new`);
  });
});

describe('UTF-16 text', () => {
  const NAMES = { le: ['UTF-16 LE', 'utf-16le'], be: ['UTF-16 BE', 'utf-16be'] };
  const cases = ['le', 'be'].flatMap((order) => [
    [order, 'with a byte order mark', `${MARK}key = value\r\n`],
    [order, 'without letters of ASCII', `${MARK}\u65e5\u672c\u8a9e`],
    [order, 'without a byte order mark', 'key = value\r\n'],
    [order, 'of 10,000 characters', `${MARK}${'\u{1f600}\u00fc'.repeat(5_000)}`],
  ]);

  test.each(cases)('(%s) %s is named by read, edit and grep', async (order, _, content) => {
    const [name, label] = NAMES[order];
    put('app.config', utf16[order](content));
    const refused = (action) => ({
      code: 'ERR_BINARY_FILE',
      message:
        `Cannot ${action} app.config: it is ${name} text, and the file tools read UTF-8. ` +
        `To read or convert it, decode the result of readBytes as ${label} in code.`,
    });
    expect(await rejection(tools.read('app.config'))).toMatchObject(refused('show'));
    expect(await rejection(tools.read('app.config', 1, 1))).toMatchObject(refused('show'));
    expect(await rejection(tools.edit('app.config', 'key', 'x'))).toMatchObject(refused('edit'));
    if (content.startsWith(MARK)) {
      for (const tool of ['readText', 'readLines']) {
        expect((await rejection(tools[tool]('app.config'))).message).toMatch(refused('read').message);
      }
    }
    for (const path of ['.', 'app.config']) {
      expect(await tools.grep('.', path)).toStrictEqual({
        ...text(
          'No matches found',
          '[Left out: 1 UTF-16 file (app.config). To read UTF-16, decode the result of readBytes in code]',
        ),
        details: { leftOut: { utf16Files: 1 } },
      });
    }
    expect(readFileSync(join(root, 'app.config'))).toStrictEqual(utf16[order](content));
  });

  test('is converted as the message says', async () => {
    put('app.config', utf16.be(`${MARK}key = w\u00e9rt\r\n`));
    await withExecutor({}, tools, async (executor) => {
      const { output } = await executor.run(`
        const decoded = new TextDecoder('utf-16be').decode(await readBytes('app.config'));
        (await write('app.config', decoded)).content[0].text
      `);
      expect(output).toBe('Successfully wrote 13 bytes to app.config. It was UTF-16 BE text, and is UTF-8 now');
    });
    expect(get('app.config')).toBe('key = w\u00e9rt\r\n');
  });

  test.each([
    ['numbers of two bytes', Buffer.from(Uint16Array.from({ length: 500 }, (_, i) => i).buffer)],
    ['names that end with a null byte', Buffer.from('one\0two\0three\0four\0')],
    ['a mark before an unpaired surrogate', Buffer.from('fffe00dc41004200', 'hex')],
    ['a program', readFileSync(process.execPath).subarray(0, 4096)],
  ])('is not %s', async (_, content) => {
    put('data', content);
    const error = await rejection(tools.read('data'));
    expect(error.message).toMatch(/^Cannot show binary file: data \(/);
    expect((await tools.grep('.')).details).toStrictEqual({ leftOut: { binaryFiles: 1 } });
  });
});
