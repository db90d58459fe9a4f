// Tools for code: all of a file or an error, what is known of a path, moving and removing.

import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createFileTools, describeFileTools } from '../../build/files/index.js';
import { rejection, withExecutor, withFolder } from '../helpers.mjs';

let root;
let tools;
let done;
beforeEach(async () => {
  const opened = await new Promise((resolve) => {
    done = withFolder((folder) => new Promise((close) => resolve({ folder, close })));
  });
  root = realpathSync(opened.folder);
  afterTest = opened.close;
  tools = createFileTools({ root });
});
let afterTest;
afterEach(async () => {
  afterTest();
  await done;
});

const put = (name, content) => writeFileSync(join(root, name), content);
const failure = async (call) => {
  const { code, message } = await rejection(call);
  return [code, message];
};

describe('reading by code', () => {
  test('readText returns a long text completely, although read shows only a part', async () => {
    const text = Array.from({ length: 5_000 }, (_, line) => `${line}\r\n`).join('');
    put('long.txt', text);
    expect(await tools.readText('long.txt')).toBe(text);
    expect(await tools.readText({ path: 'long.txt' })).toBe(text);
    expect((await tools.read('long.txt')).details.truncation.totalLines).toBe(5_000);
  });

  test('readText removes a byte order mark and refuses text that is not UTF-8', async () => {
    put('bom.json', '\ufeff{"a":1}');
    expect(await tools.readText('bom.json')).toBe('{"a":1}');
    expect(await tools.readJson('bom.json')).toStrictEqual({ a: 1 });
    put('latin1.txt', Buffer.from([0x61, 0xe9, 0x62]));
    expect(await failure(tools.readText('latin1.txt'))).toStrictEqual([
      'ERR_BINARY_FILE',
      'Not UTF-8 text: latin1.txt, from byte 1 on. Use readBytes.',
    ]);
    expect([...(await tools.readBytes('latin1.txt'))]).toStrictEqual([0x61, 0xe9, 0x62]);
  });

  test('readLines, readJson and readBytes return values', async () => {
    put('lines.txt', 'a\r\nb\n\nc\rd\n');
    expect(await tools.readLines('lines.txt')).toStrictEqual(['a', 'b', '', 'c', 'd']);
    put('empty.txt', '');
    expect(await tools.readLines('empty.txt')).toStrictEqual([]);
    put('values.json', '[1, {"b": null}]');
    expect(await tools.readJson('values.json')).toStrictEqual([1, { b: null }]);
    put('broken.json', '{"a": }');
    const [code, message] = await failure(tools.readJson('broken.json'));
    expect([code, message.startsWith('Not JSON: broken.json: ')]).toStrictEqual(['ERR_INVALID_JSON', true]);
    const bytes = await tools.readBytes('values.json');
    expect([bytes.constructor.name, Buffer.from(bytes).toString()]).toStrictEqual(['Uint8Array', '[1, {"b": null}]']);
  });

  test('a limit causes an error, never a cut', async () => {
    const small = createFileTools({ root, limits: { maxFileBytes: 10 } });
    put('eleven.txt', 'x'.repeat(11));
    const expected = ['ERR_FILE_TOO_LARGE', 'File is too large: eleven.txt has 11B, the limit is 10B.'];
    for (const call of [small.readText, small.readBytes, small.readJson, small.readLines]) {
      expect(await failure(call('eleven.txt'))).toStrictEqual(expected);
    }
    put('huge.json', '');
    truncateSync(join(root, 'huge.json'), (4 << 20) + 1);
    expect(await failure(tools.readJson('huge.json'))).toStrictEqual([
      'ERR_FILE_TOO_LARGE',
      'File is too large: huge.json has 4.0MB, the limit is 4.0MB. Use JSON.parse(await readText(path)).',
    ]);
    expect((await failure(tools.readLines('huge.json')))[1]).toMatch(
      / Use \(await readText\(path\)\)\.split\("\\n"\)\.$/,
    );
    expect(await tools.readBytes('huge.json')).toHaveLength((4 << 20) + 1);
  });

  test('stat returns type, size and time', async () => {
    put('a.txt', 'abc');
    utimesSync(join(root, 'a.txt'), 1_000, 2_000);
    symlinkSync('a.txt', join(root, 'link'));
    const file = { type: 'file', size: 3, modified: '1970-01-01T00:33:20.000Z' };
    expect(await tools.stat('a.txt')).toStrictEqual(file);
    expect(await tools.stat('link')).toStrictEqual(file);
    expect(await tools.stat('.')).toMatchObject({ type: 'directory', size: 0 });
    expect(await failure(tools.stat('nope'))).toStrictEqual(['ENOENT', 'Path not found: nope']);
    symlinkSync('/etc/passwd', join(root, 'out'));
    expect((await failure(tools.stat('out')))[0]).toBe('ERR_PATH_ESCAPES_ROOT');
  });

  test('stat returns times before 1970', async () => {
    put('old.txt', '');
    utimesSync(join(root, 'old.txt'), new Date(0), new Date('1960-02-03T04:05:06.500Z'));
    expect(await tools.stat('old.txt')).toStrictEqual({ type: 'file', size: 0, modified: '1960-02-03T04:05:06.500Z' });
  });

  // Other file systems have no such times.
  test.skipIf(!existsSync('/dev/shm'))('stat returns null for a time that Date cannot represent', async () => {
    const folder = mkdtempSync('/dev/shm/ses-executor-files-');
    try {
      writeFileSync(join(folder, 'far.txt'), '');
      utimesSync(join(folder, 'far.txt'), 1e14, 1e14);
      const far = createFileTools({ root: folder });
      expect(await far.stat('far.txt')).toStrictEqual({ type: 'file', size: 0, modified: null });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('code gets values from all reading tools', async () => {
    put('rows.json', '[{"n": 2}, {"n": 1}]');
    await withExecutor({}, { ...tools }, async (executor) => {
      const { output } = await executor.run(`
        const rows = await readJson('rows.json');
        rows.sort((a, b) => a.n - b.n);
        [rows, (await readLines('rows.json')).length, (await readBytes('rows.json')) instanceof Uint8Array, (await stat('rows.json')).size]`);
      expect(output).toStrictEqual([[{ n: 1 }, { n: 2 }], 1, true, 20]);
    });
  });
});

describe('absolute paths', () => {
  test('are accepted inside the root and refused outside', async () => {
    put('a.txt', 'abc');
    mkdirSync(join(root, 'sub'));
    expect(await tools.readText(join(root, 'a.txt'))).toBe('abc');
    await tools.write(join(root, 'sub/new/b.txt'), 'b');
    expect(readFileSync(join(root, 'sub/new/b.txt'), 'utf8')).toBe('b');
    expect((await tools.ls(root)).content[0].text).toContain('sub/');
    expect((await tools.find('b.txt', join(root, 'sub'))).content[0].text).toBe('new/b.txt');
    for (const path of ['/etc/passwd', `${root}/../x`, `${root}x`, join(root, '..')]) {
      expect((await failure(tools.readText(path)))[0]).toBe('ERR_PATH_ESCAPES_ROOT');
    }
  });

  test('are accepted through the link by which the root was given', async () => {
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'alias'));
    writeFileSync(join(root, 'real/a.txt'), 'abc');
    const linked = createFileTools({ root: join(root, 'alias') });
    expect(await linked.readText(join(root, 'alias/a.txt'))).toBe('abc');
    expect(await linked.readText(join(root, 'real/a.txt'))).toBe('abc');
  });
});

describe('move', () => {
  test('works on files and folders and creates the parents of the new path', async () => {
    put('a.txt', 'abc');
    expect(await tools.move('a.txt', 'x/y/b.txt')).toStrictEqual({
      content: [{ type: 'text', text: 'Successfully moved a.txt to x/y/b.txt' }],
    });
    await tools.move({ from: 'x', to: 'z' });
    expect(readFileSync(join(root, 'z/y/b.txt'), 'utf8')).toBe('abc');
    expect(existsSync(join(root, 'x'))).toBe(false);
  });

  test('replaces an existing file only with overwrite', async () => {
    put('a', 'new');
    put('b', 'old');
    mkdirSync(join(root, 'folder'));
    expect(await failure(tools.move('a', 'b'))).toStrictEqual([
      'EEXIST',
      'Exists already: b. Pass overwrite: true to replace it.',
    ]);
    expect(await failure(tools.move({ from: 'a', to: 'folder', overwrite: true }))).toStrictEqual([
      'EISDIR',
      'Is a directory: folder. Give the complete new path, including the new name.',
    ]);
    await tools.move({ from: 'a', to: 'b', overwrite: true });
    expect([readFileSync(join(root, 'b'), 'utf8'), existsSync(join(root, 'a'))]).toStrictEqual(['new', false]);
  });

  test('accepts another name of the same file', async () => {
    put('a', 'abc');
    linkSync(join(root, 'a'), join(root, 'b'));
    await tools.move({ from: 'a', to: './a', overwrite: true });
    expect(readdirSync(root).sort()).toStrictEqual(['a', 'b']);
    await tools.move({ from: 'a', to: 'b', overwrite: true });
    expect(readdirSync(root)).toStrictEqual(['b']);
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('abc');
  });

  test('refuses to move a folder onto a file or into itself, and creates nothing', async () => {
    put('a', '');
    mkdirSync(join(root, 'folder'));
    expect(await failure(tools.move({ from: 'folder', to: 'a', overwrite: true }))).toStrictEqual([
      'ENOTDIR',
      'Not a directory: a. A folder cannot replace a file: remove the file first.',
    ]);
    expect(await failure(tools.move('folder', 'folder/x/y/z'))).toStrictEqual([
      'EINVAL',
      'Cannot move folder into itself: folder/x/y/z',
    ]);
    expect(await failure(tools.move('folder', 'a/b'))).toStrictEqual([
      'ENOTDIR',
      'Not a directory: a parent of a/b is a file',
    ]);
    expect(readdirSync(join(root, 'folder'))).toStrictEqual([]);
  });

  test.each([
    ['../a', 'b', 'ERR_PATH_ESCAPES_ROOT'],
    ['a', '../b', 'ERR_PATH_ESCAPES_ROOT'],
    ['a', '/tmp/b', 'ERR_PATH_ESCAPES_ROOT'],
    ['.', 'b', 'ERR_INVALID_PATH'],
    ['a', 'sub/..', 'ERR_INVALID_PATH'],
    ['nope', 'b', 'ENOENT'],
    ['sub', 'sub/inner', 'EINVAL'],
    ['a', 'out/b', 'ERR_PATH_ESCAPES_ROOT'],
    ['out/hostname', 'b', 'ERR_PATH_ESCAPES_ROOT'],
  ])('from %s to %s is refused: %s', async (from, to, code) => {
    put('a', 'abc');
    mkdirSync(join(root, 'sub'));
    symlinkSync('/etc', join(root, 'out'));
    expect((await failure(tools.move(from, to)))[0]).toBe(code);
    expect(readdirSync(root).sort()).toStrictEqual(['a', 'out', 'sub']);
  });
});

describe('remove', () => {
  test('works on files, on links themselves and on empty folders', async () => {
    put('a.txt', 'abc');
    symlinkSync('a.txt', join(root, 'link'));
    mkdirSync(join(root, 'folder'));
    await tools.remove('link');
    expect(existsSync(join(root, 'a.txt'))).toBe(true);
    await tools.remove({ path: 'folder' });
    expect(await tools.remove('a.txt')).toStrictEqual({
      content: [{ type: 'text', text: 'Successfully removed a.txt' }],
    });
    expect(readdirSync(root)).toStrictEqual([]);
  });

  test('removes a non-empty folder only with recursive, without following links', async () => {
    put('kept.txt', 'kept');
    mkdirSync(join(root, 'folder/a/b'), { recursive: true });
    put('folder/a/b/c.txt', 'c');
    symlinkSync(root, join(root, 'folder/up'));
    symlinkSync('/etc', join(root, 'folder/etc'));
    expect(await failure(tools.remove('folder'))).toStrictEqual([
      'ENOTEMPTY',
      'Not empty: folder. Pass recursive: true to remove the folder and everything in it.',
    ]);
    await tools.remove({ path: 'folder', recursive: true });
    expect(readdirSync(root)).toStrictEqual(['kept.txt']);
    expect(lstatSync('/etc').isDirectory()).toBe(true);
  });

  test('removes at most the limit of entries at a time, and a deep tree without recursion', async () => {
    const limited = createFileTools({ root, limits: { maxEntries: 10 } });
    mkdirSync(join(root, 'many'));
    for (let i = 0; i < 15; i++) put(`many/${i}`, '');
    expect(await failure(limited.remove({ path: 'many', recursive: true }))).toStrictEqual([
      'ERR_TOO_MANY_ENTRIES',
      'many has more than 10 entries: only part of it was removed; call again to continue.',
    ]);
    expect(readdirSync(join(root, 'many'))).toHaveLength(5);
    await limited.remove({ path: 'many', recursive: true });
    expect(existsSync(join(root, 'many'))).toBe(false);
    mkdirSync(join(root, 'many'));
    for (let i = 0; i < 10; i++) put(`many/${i}`, '');
    await limited.remove({ path: 'many', recursive: true });
    mkdirSync(join(root, 'deep', ...Array(900).fill('d')), { recursive: true });
    await tools.remove({ path: 'deep', recursive: true });
    expect(existsSync(join(root, 'deep'))).toBe(false);
  });

  test.each([
    ['.', 'ERR_INVALID_PATH'],
    ['sub/..', 'ERR_INVALID_PATH'],
    ['..', 'ERR_PATH_ESCAPES_ROOT'],
    ['/etc/hostname', 'ERR_PATH_ESCAPES_ROOT'],
    ['out/hostname', 'ERR_PATH_ESCAPES_ROOT'],
    ['nope', 'ENOENT'],
  ])('of %s is refused: %s', async (path, code) => {
    mkdirSync(join(root, 'sub'));
    symlinkSync('/etc', join(root, 'out'));
    expect((await failure(tools.remove({ path, recursive: true })))[0]).toBe(code);
    expect(readdirSync(root).sort()).toStrictEqual(['out', 'sub']);
  });
});

describe('edit and write', () => {
  test('refuse an empty string to replace and a folder in the place of a file', async () => {
    put('a.txt', 'abc');
    mkdirSync(join(root, 'folder'));
    expect(await failure(tools.edit('a.txt', '', 'x'))).toStrictEqual([
      'ERR_TEXT_NOT_FOUND',
      'oldText must not be empty. Give the text to replace, or use write for a whole file.',
    ]);
    for (const path of ['folder', 'folder/', '.']) {
      expect(await failure(tools.write(path, 'x'))).toStrictEqual([
        'EISDIR',
        `Is a directory: ${path}. Give the path of a file in it.`,
      ]);
    }
  });

  test('count overlapping occurrences separately', async () => {
    put('a.txt', '}\n}\n}\n');
    expect(await failure(tools.edit('a.txt', '}\n}\n', 'X\n'))).toStrictEqual([
      'ERR_TEXT_NOT_UNIQUE',
      'Found 2 occurrences of the text in a.txt. The text must be unique. Please provide more context to make it unique.',
    ]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('}\n}\n}\n');
  });

  test('create no folders that a path leaves again', async () => {
    await tools.write('new/../a.txt', 'x');
    expect(readdirSync(root)).toStrictEqual(['a.txt']);
  });

  test('match full-width and composed characters', async () => {
    put('a.txt', 'let ｘ＝１；// caf\u00e9\n');
    await tools.edit('a.txt', 'x=1;// cafe\u0301', 'done');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('let done\n');
  });
});

describe('describeFileTools', () => {
  test('states the configured limits of the available tools', () => {
    const definitions = describeFileTools({
      root: '.',
      readOnly: true,
      limits: { maxLines: 100, maxBytes: 1536, maxFileBytes: 3 << 20, maxResults: 50 },
    });
    const text = Object.fromEntries(definitions.map(({ name, description }) => [name, description]));
    expect(Object.keys(text)).toStrictEqual(Object.keys(createFileTools({ root: '.', readOnly: true })));
    expect(text.read).toContain(' 100 lines or 1.5KB at most');
    expect(text.readText).toContain('more than 3MB is an error');
    expect(text.grep).toContain(' 50 matches or 1.5KB at most');
    expect(text.find).toContain(' 50 paths or 1.5KB at most');
    expect(Object.keys(text)).not.toContain('remove');
  });
});
