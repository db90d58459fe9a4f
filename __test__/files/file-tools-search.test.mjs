// What grep, find and ls give beyond the 33 cases: ignore rules, patterns, limits, large and deep trees.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { limit, put, root, textOf, tools } from './file-tools-root.mjs';
import { text } from './results.mjs';
import { rejection } from '../helpers.mjs';

describe('find', () => {
  beforeEach(() => {
    for (const path of ['a.ts', 'src/b.ts', 'src/b.spec.ts', 'src/deep/c.spec.ts', 'src/deep/d.json', 'T[1].md'])
      put(path);
  });

  test.each([
    ['*.ts', ['a.ts', 'src/b.spec.ts', 'src/b.ts', 'src/deep/c.spec.ts']],
    ['./*.ts', ['a.ts', 'src/b.spec.ts', 'src/b.ts', 'src/deep/c.spec.ts']],
    ['**/*.json', ['src/deep/d.json']],
    ['src/*.ts', ['src/b.spec.ts', 'src/b.ts']],
    ['src/**/*.spec.ts', ['src/b.spec.ts', 'src/deep/c.spec.ts']],
    ['*.{json,md}', ['T[1].md', 'src/deep/d.json']],
    ['deep', ['src/deep/']],
    ['T\\[1\\].md', ['T[1].md']],
    ['[!a].ts', ['src/b.ts']],
  ])('matches the pattern %s', async (pattern, expected) => {
    expect(await textOf(tools.find(pattern))).toBe(expected.join('\n'));
  });

  test('returns paths relative to the searched folder', async () => {
    expect(await textOf(tools.find('*.ts', 'src'))).toBe('b.spec.ts\nb.ts\ndeep/c.spec.ts');
    expect(await textOf(tools.find({ pattern: 'deep/*', path: './src/../src/' }))).toBe('deep/c.spec.ts\ndeep/d.json');
  });

  test('accepts patterns that contain the root', async () => {
    expect(await textOf(tools.find(`${root}/src/*.ts`))).toBe('src/b.spec.ts\nsrc/b.ts');
    expect(await textOf(tools.find(`${root}/src/*.ts`, 'src'))).toBe('b.spec.ts\nb.ts');
    expect(await textOf(tools.grep({ pattern: '$', glob: `${root}/src/deep/` }))).toBe('No matches found');
    put('src/deep/e.ts', 'text');
    expect(await textOf(tools.grep({ pattern: '$', glob: `${root}/src/deep/` }))).toBe('src/deep/e.ts:1: text');
    expect((await rejection(tools.find(`${root}/src/*.ts`, 'src/deep'))).message).toBe(
      'Invalid glob pattern: it is not below the path of the search',
    );
  });

  test('reports that nothing was found', async () => {
    expect(await tools.find('*.rs')).toStrictEqual(text('No files found matching pattern'));
    expect(await rejection(tools.find('*', 'lib'))).toMatchObject({ code: 'ENOENT', message: 'Path not found: lib' });
  });

  test('reports that the limit was reached', async () => {
    expect(await tools.find({ pattern: '*.ts', limit: 2 })).toStrictEqual({
      ...text('a.ts\nsrc/b.spec.ts\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]'),
      details: { resultLimitReached: 2 },
    });
  });

  test.each([
    ['[', /^Invalid glob pattern: .*unclosed character class/],
    ['{a', /^Invalid glob pattern: .*unclosed alternate group/],
    ['', /^Invalid glob pattern: it is empty$/],
    ['a'.repeat(1025), /^Invalid glob pattern: it has 1025 bytes, 1024 are allowed$/],
  ])('refuses the pattern %j', async (pattern, message) => {
    expect(await rejection(tools.find(pattern))).toMatchObject({
      code: 'ERR_INVALID_PATTERN',
      message: expect.stringMatching(message),
    });
  });
});

describe('ignore rules', () => {
  test('of all folders apply, the innermost first', async () => {
    put('.gitignore', '*.log\n/build\n!keep.log\nout/\n');
    put('lib/.gitignore', '!*.log\nsecret.txt\n');
    for (const path of [
      'a.log',
      'keep.log',
      'build/x',
      'lib/build/x',
      'lib/b.log',
      'lib/secret.txt',
      'out/x',
      'secret.txt',
    ]) {
      put(path, 'text');
    }
    const files = ['keep.log', 'lib/b.log', 'lib/build/x', 'secret.txt'];
    const listed = [
      '.gitignore',
      'keep.log',
      'lib/',
      'lib/.gitignore',
      'lib/b.log',
      'lib/build/',
      'lib/build/x',
      'secret.txt',
    ];
    const leftOut =
      '[Left out: 2 ignored folders (build/, out/), 2 ignored files. To search an ignored folder, pass it as path]';
    expect(await textOf(tools.find('*'))).toBe(`${listed.join('\n')}\n\n${leftOut}`);
    expect(await textOf(tools.grep('text'))).toBe(`${files.map((path) => `${path}:1: text`).join('\n')}\n\n${leftOut}`);
    // Those above the folder of the search hold too.
    put('lib/deep/c.log', 'text');
    put('other/d.log', 'text');
    expect(await textOf(tools.find('*.log', 'lib'))).toBe('b.log\ndeep/c.log');
    expect(await textOf(tools.find('*.log', 'other'))).toBe(
      'No files found matching pattern\n\n[Left out: 1 ignored file]',
    );
    // A file that is named is searched.
    expect(await textOf(tools.grep('text', 'a.log'))).toBe('a.log:1: text');
  });

  test('skip .git and node_modules unless the search begins there', async () => {
    for (const path of ['.git/config', 'node_modules/a/index.js', 'lib/node_modules/b.js', '.github/ci.yml'])
      put(path, 'text');
    expect(await textOf(tools.find('*'))).toBe('.github/\n.github/ci.yml\nlib/');
    expect(await textOf(tools.grep('text'))).toBe('.github/ci.yml:1: text');
    expect(await textOf(tools.find('*', 'node_modules'))).toBe('a/\na/index.js');
    expect(await textOf(tools.ls())).toBe('.git/\n.github/\nlib/\nnode_modules/');
  });

  test('longer than 64 KiB end with a complete line, and may begin with a byte order mark', async () => {
    for (const name of ['a.log', 'b.txt', '{a,b}.txt']) put(name);
    put('.gitignore', `\ufeff*.log\n${'#'.repeat(65_534 - 9)}\n*.txt`);
    const notice =
      '[Left out: 1 ignored file. Ignore rules beyond 64.0KB of a file, or 256.0KB with those of the folders above it, were not applied: .gitignore]';
    expect(await textOf(tools.find('*'))).toBe(`.gitignore\nb.txt\n{a,b}.txt\n\n${notice}`);
    put('.gitignore', '{a,b}.*\n');
    expect(await textOf(tools.find('*'))).toBe('.gitignore\na.log\nb.txt\n\n[Left out: 1 ignored file]');
  });

  test('of nested folders take constant memory', async () => {
    let folder = '';
    for (let depth = 0; depth < 30; depth++) {
      folder += `d${depth}/`;
      // Compiled, each would take more than 50 MB and a second.
      put(`${folder}.gitignore`, '?.x\n'.repeat(16_000));
      put(`${folder}a.x`);
    }
    const before = process.memoryUsage().rss;
    const found = await textOf(tools.find('*.x'));
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
    expect(found).toMatch(
      /^No files found matching pattern\n\n\[Left out: 30 ignored files\. Ignore rules beyond .* were not applied: (?:d\d+\/)+\.gitignore, /,
    );
  });

  test('that are hostile are harmless', async () => {
    put('.gitignore', `${'{'.repeat(60_000)}\n${'{'.repeat(1000)}\n[\n\u0000\n${'*'.repeat(1000)}x\n*.log\n`);
    put('a.log');
    put('b.txt');
    expect(await textOf(tools.find('*'))).toBe('.gitignore\nb.txt\n\n[Left out: 1 ignored file]');
  });
});

describe('grep', () => {
  test('supports its options', async () => {
    put('a.ts', 'Alpha.one\nalpha+two\n');
    put('b.js', 'alpha.three\r\nAlpha\r\n');
    put('lib/c.ts', 'alphabet\n');
    expect(await textOf(tools.grep('alpha'))).toBe('a.ts:2: alpha+two\nb.js:1: alpha.three\nlib/c.ts:1: alphabet');
    expect(await textOf(tools.grep({ pattern: 'ALPHA$', ignoreCase: true }))).toBe('b.js:2: Alpha');
    expect(await textOf(tools.grep({ pattern: 'a+t', literal: true }))).toBe('a.ts:2: alpha+two');
    expect(await textOf(tools.grep({ pattern: 'alpha', glob: '*.ts' }))).toBe(
      'a.ts:2: alpha+two\nlib/c.ts:1: alphabet',
    );
    expect(await textOf(tools.grep({ pattern: 'alpha', glob: './lib/*.ts' }))).toBe('lib/c.ts:1: alphabet');
    expect(await textOf(tools.grep({ pattern: 'alpha', glob: '!lib' }))).toBe('a.ts:2: alpha+two\nb.js:1: alpha.three');
    expect(await textOf(tools.grep({ pattern: 'alpha', path: 'lib' }))).toBe('c.ts:1: alphabet');
    expect(await textOf(tools.grep({ pattern: '^$', glob: null, path: null }))).toBe('No matches found');
  });

  test('shows each match with its context', async () => {
    put('a', '1\n2 x\n3 x\n4\n5\n');
    expect(await textOf(tools.grep({ pattern: 'x', context: 1 }))).toBe(
      'a-1- 1\na:2: 2 x\na-3- 3 x\na-2- 2 x\na:3: 3 x\na-4- 4',
    );
    expect(await textOf(tools.grep({ pattern: '5', context: 2 ** 53 - 1 }))).toBe(
      'a-1- 1\na-2- 2 x\na-3- 3 x\na-4- 4\na:5: 5',
    );
  });

  test('returns each line as a separate string', async () => {
    put('a', 'x\nxx\nxy\n');
    for (const pattern of ['\\Ax+\\z', '(?-m)^x+$']) expect(await textOf(tools.grep(pattern))).toBe('a:1: x\na:2: xx');
  });

  test('cuts long lines', async () => {
    put('long.txt', `${'ü'.repeat(600)}\n`);
    expect(await tools.grep('ü')).toStrictEqual({
      ...text(
        `long.txt:1: ${'ü'.repeat(500)}... [truncated]\n\n[Some lines truncated to 500 chars around their first match. Use read to see full lines of up to 50.0KB]`,
      ),
      details: { linesTruncated: true },
    });
    put('long.txt', `${'x'.repeat(100_000)}NEEDLE${'y'.repeat(100_000)}\n`);
    expect((await textOf(tools.grep({ pattern: 'needle', ignoreCase: true }))).split('\n')[0]).toBe(
      `long.txt:1: [truncated] ...${'x'.repeat(250)}NEEDLE${'y'.repeat(244)}... [truncated]`,
    );
  });

  test('ends at the byte limit', async () => {
    put('many.txt', 'match\n'.repeat(100_000));
    const { content, details } = await tools.grep({ pattern: 'match', limit: 100_000 });
    expect(content[0].text).toMatch(
      /\nmany\.txt:\d+: match\n\n\[50\.0KB limit reached\. Narrow pattern, path or glob\]$/,
    );
    expect(details.truncation).toMatchObject({ truncatedBy: 'bytes', maxBytes: 51_200 });
    expect(details.truncation.outputBytes).toBeLessThanOrEqual(51_200);
  });

  test('works on a file of one huge line and on one of empty lines', async () => {
    put('line', 'ab'.repeat(2 ** 21));
    put('lines', '\n'.repeat(2 ** 22));
    expect((await tools.grep('ba')).content[0].text).toMatch(/^line:1: (ab){250}\.\.\. \[truncated\]\n/);
    expect(await textOf(tools.grep({ pattern: '^', path: 'lines', limit: 2 }))).toMatch(
      /^lines:1: \nlines:2: \n\n\[2 matches/,
    );
  });

  test('skips binary files', async () => {
    put('a.bin', Buffer.from('match\n\0match\n'));
    put('a.txt', 'match');
    const notice = '[Left out: 1 binary file (a.bin)]';
    expect(await textOf(tools.grep('match'))).toBe(`a.txt:1: match\n\n${notice}`);
    expect(await textOf(tools.grep('match', 'a.bin'))).toBe(`No matches found\n\n${notice}`);
  });

  test.each([
    ['(', /^Invalid pattern: regex parse error:/],
    ['a{1000}{1000}{1000}', /^Invalid pattern: .*size limit/],
    ['('.repeat(5000) + ')'.repeat(5000), /^Invalid pattern: .*nest/s],
    ['(?=a)', /^Invalid pattern: .*look-around/s],
    ['a\nb', /^Invalid pattern: .*"\\n"/],
    ['a'.repeat(10_001), /^Invalid pattern: it has 10001 bytes, 10000 are allowed$/],
  ])('refuses the pattern %.20s', async (pattern, message) => {
    put('a.txt', 'a');
    expect(await rejection(tools.grep(pattern))).toMatchObject({
      code: 'ERR_INVALID_PATTERN',
      message: expect.stringMatching(message),
    });
  });

  test('matches patterns that make other engines backtrack forever', async () => {
    put('a.txt', `${'a'.repeat(100_000)}!`);
    expect(await textOf(tools.grep('^(a+)+$'))).toBe('No matches found');
  });

  test('ends a slow pattern at the time limit, also within one file', async () => {
    limit({ maxSearchMs: 50 });
    // Each position may be the start of a match, so that each byte costs as many steps as the pattern has.
    let random = 1;
    const letters = Array.from({ length: 2 ** 21 }, () => {
      random = (random * 1103515245 + 12345) & 0x7fffffff;
      return (random >> 16) & 1 ? 'a' : 'b';
    });
    put('a.txt', letters.join(''));
    const { details } = await tools.grep('[ab]*a[ab]{2000}c');
    expect(details).toStrictEqual({ stoppedBy: 'time' });
  });

  test('refuses a wrong glob and a missing path', async () => {
    expect((await rejection(tools.grep({ pattern: 'a', glob: '[' }))).message).toMatch(
      /^Invalid glob: .*unclosed character class/,
    );
    expect((await rejection(tools.grep({ pattern: 'a', glob: '{'.repeat(1025) }))).message).toBe(
      'Invalid glob: it has 1025 bytes, 1024 are allowed',
    );
    expect((await rejection(tools.grep('a', 'nope'))).message).toBe('Path not found: nope');
  });

  test('refuses a named file that is too large', async () => {
    limit({ maxFileBytes: 10 });
    put('eleven', 'x'.repeat(11));
    expect(await rejection(tools.grep('x', 'eleven'))).toMatchObject({
      code: 'ERR_FILE_TOO_LARGE',
      message:
        'File is too large: eleven has 11B, the limit is 10B. Use read with offset and limit for some of its lines.',
    });
  });
});

describe('ls', () => {
  test('supports order, limit and empty folders', async () => {
    for (const path of ['b', 'C/x', 'a', 'B2', '.z']) put(path);
    mkdirSync(join(root, 'empty'));
    expect(await textOf(tools.ls())).toBe('.z\na\nb\nB2\nC/\nempty/');
    expect(await tools.ls({ limit: 2 })).toStrictEqual({
      ...text('.z\na\n\n[2 entries limit reached. Use limit=4 for more]'),
      details: { entryLimitReached: 2 },
    });
    expect(await tools.ls('empty')).toStrictEqual(text('(empty directory)'));
    expect((await rejection(tools.ls('nope'))).message).toBe('Path not found: nope');
  });
});

describe('limits of the host', () => {
  test('of results apply whatever a call asks for', async () => {
    limit({ maxResults: 2 });
    for (const name of ['a', 'b', 'c']) put(name, 'x');
    expect((await tools.ls({ limit: 100 })).details).toStrictEqual({ entryLimitReached: 2 });
    expect((await tools.find({ pattern: '*', limit: 100 })).details).toStrictEqual({ resultLimitReached: 2 });
    expect((await tools.grep({ pattern: 'x', limit: 100 })).details).toStrictEqual({ matchLimitReached: 2 });
    // None is advised that gives no more.
    expect(await textOf(tools.ls())).toBe('a\nb\n\n[2 entries limit reached. Use find with a pattern for others]');
    expect(await textOf(tools.find('*'))).toBe('a\nb\n\n[2 results limit reached. Refine pattern]');
    expect(await textOf(tools.grep('x'))).toBe('a:1: x\nb:1: x\n\n[2 matches limit reached. Refine pattern]');
    expect(await textOf(tools.ls({ limit: 1 }))).toBe('a\n\n[1 entries limit reached. Use limit=2 for more]');
  });

  test('of entries end a call early, and it says so', async () => {
    limit({ maxEntries: 10 });
    for (let i = 10; i < 40; i++) put(`f${i}`, 'x');
    const notice = 'Stopped early after 10 entries, there may be more. Use a path further down';
    for (const call of [tools.ls(), tools.find('f*'), tools.grep('x')]) {
      const { content, details } = await call;
      expect(details).toStrictEqual({ stoppedBy: 'entries' });
      expect(content[0].text.endsWith(`\n\n[${notice}]`)).toBe(true);
      expect(content[0].text.split('\n').length).toBeLessThanOrEqual(12);
    }
  });

  test('of time end a call early', async () => {
    limit({ maxSearchMs: 1 });
    for (let i = 0; i < 2000; i++) writeFileSync(join(root, `f${i}`), 'x');
    const { content, details } = await tools.grep('nothing');
    expect(details).toStrictEqual({ stoppedBy: 'time' });
    expect(content[0].text).toBe(
      'No matches found\n\n[Stopped early after 0.001 seconds, there may be more. Use a path further down]',
    );
  });
});

describe('deep trees', () => {
  test('are created, searched and listed without recursion', async () => {
    const path = `${'d/'.repeat(1500)}deep.txt`;
    await tools.write(path, 'needle');
    expect(readFileSync(join(root, 'd/'.repeat(1500), 'deep.txt'), 'utf8')).toBe('needle');
    expect(await textOf(tools.find('deep.txt'))).toBe(path);
    expect(await textOf(tools.grep('needle'))).toBe(`${path}:1: needle`);
    expect((await tools.find({ pattern: 'd', limit: 1 })).content[0].text).toMatch(/^d\/\n/);
  });
});

describe('names with line breaks', () => {
  const name = 'a\nforged.txt';

  test.each([
    ['ls', () => tools.ls(), '"a\\nforged.txt"\n"b\\u001b[2K/"\nplain "name".txt'],
    ['find', () => tools.find('*'), '"a\\nforged.txt"\n"b\\u001b[2K/"\nplain "name".txt'],
    ['grep', () => tools.grep('found'), '"a\\nforged.txt":1: found'],
    ['grep of one file', () => tools.grep({ pattern: 'found', path: name }), '"a\\nforged.txt":1: found'],
  ])('are one line in %s', async (_, call, expected) => {
    put(name, 'found');
    put('plain "name".txt');
    mkdirSync(join(root, 'b\u001b[2K'));
    expect(await textOf(call())).toBe(expected);
  });
});
