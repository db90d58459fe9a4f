// The file tools as agents' tool suites expect them: 33 cases, on the tools directly and through guest code.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { createFileTools } from '../../build/files/index.js';
import { text } from './results.mjs';
import { rejection } from '../helpers.mjs';

let root;
let tools;
let executor;

beforeAll(async () => {
  executor = new SESExecutor();
  await executor.init();
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ses-executor-files-'));
  tools = createFileTools({ root });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
afterAll(() => executor.cleanup());

/** The two ways to call: each gives the result, or rejects with an error that has text and code of the tool's. */
const FORMS = {
  directly: (name, args) => tools[name](args),
  'through guest code': async (name, args) => {
    await executor.sendTools(tools);
    await executor.sendVariables({ args });
    const { output } = await executor.run(`
      try {
        return { result: await ${name}(args) };
      } catch (error) {
        return { error: { message: error.message, code: error.code } };
      }
    `);
    if (output.error) throw Object.assign(new Error(output.error.message), { code: output.error.code });
    return output.result;
  },
};

describe.each(Object.entries(FORMS))('%s', (_, call) => {
  describe('read', () => {
    test('test_read_01: a file within the limits is shown completely', async () => {
      const content = 'Hello, world!\nLine 2\nLine 3';
      put('test.txt', content);
      expect(await call('read', { path: 'test.txt' })).toStrictEqual(text(content));
    });

    test('test_read_02: a missing file is an error', async () => {
      const error = await rejection(call('read', { path: 'nonexistent.txt' }));
      expect(error).toMatchObject({ message: 'File not found: nonexistent.txt', code: 'ENOENT' });
    });

    test('test_read_03: output ends at the line limit', async () => {
      put('large.txt', lines(2500));
      const result = await call('read', { path: 'large.txt' });
      const notice = '[Showing lines 1-2000 of 2500. Use offset=2001 to continue.]';
      expect(result.content).toStrictEqual([{ type: 'text', text: `${lines(2000)}\n\n${notice}` }]);
    });

    test('test_read_04: output ends at the byte limit', async () => {
      const long = Array.from({ length: 500 }, (_, i) => `Line ${i + 1}: ${'x'.repeat(200)}`);
      put('large-bytes.txt', long.join('\n'));
      const { content, details } = await call('read', { path: 'large-bytes.txt' });
      const shown = details.truncation.outputLines;
      const notice = `[Showing lines 1-${shown} of 500 (50.0KB limit). Use offset=${shown + 1} to continue.]`;
      expect(content[0].text).toBe(`${long.slice(0, shown).join('\n')}\n\n${notice}`);
      expect(long.slice(0, shown).join('\n').length).toBeLessThanOrEqual(50 * 1024);
      expect(long.slice(0, shown + 1).join('\n').length).toBeGreaterThan(50 * 1024);
    });

    test('test_read_05: an offset selects the first line', async () => {
      put('offset-test.txt', lines(100));
      expect(await call('read', { path: 'offset-test.txt', offset: 51 })).toStrictEqual(text(lines(100, 51)));
    });

    test('test_read_06: a limit selects the number of lines', async () => {
      put('limit-test.txt', lines(100));
      const notice = '[90 more lines in file. Use offset=11 to continue.]';
      expect(await call('read', { path: 'limit-test.txt', limit: 10 })).toStrictEqual(
        text(`${lines(10)}\n\n${notice}`),
      );
    });

    test('test_read_07: offset and limit can be combined', async () => {
      put('offset-limit-test.txt', lines(100));
      const notice = '[40 more lines in file. Use offset=61 to continue.]';
      expect(await call('read', { path: 'offset-limit-test.txt', offset: 41, limit: 20 })).toStrictEqual(
        text(`${lines(60, 41)}\n\n${notice}`),
      );
    });

    test('test_read_08: an offset beyond the end is an error', async () => {
      put('short.txt', lines(3));
      const error = await rejection(call('read', { path: 'short.txt', offset: 100 }));
      expect(error.message).toBe('Offset 100 is beyond end of file (3 lines total)');
    });

    test('test_read_09: details describe a truncation', async () => {
      put('large-file.txt', lines(2500));
      const { details } = await call('read', { path: 'large-file.txt' });
      expect(details).toStrictEqual({
        truncation: {
          truncated: true,
          truncatedBy: 'lines',
          totalLines: 2500,
          totalBytes: lines(2500).length,
          outputLines: 2000,
          outputBytes: lines(2000).length,
          firstLineExceedsLimit: false,
          maxLines: 2000,
          maxBytes: 51_200,
        },
      });
    });

    test('test_read_10: an image is recognized by its content, not by its name', async () => {
      const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+X2Z0AAAAASUVORK5CYII=';
      put('image.txt', Buffer.from(data, 'base64'));
      expect(await call('read', { path: 'image.txt' })).toStrictEqual({
        content: [
          { type: 'text', text: 'Read image file [image/png]' },
          { type: 'image', mimeType: 'image/png', data },
        ],
      });
    });

    test('test_read_11: text with the name of an image is text', async () => {
      put('not-an-image.png', 'definitely not a png');
      expect(await call('read', { path: 'not-an-image.png' })).toStrictEqual(text('definitely not a png'));
    });
  });

  describe('write', () => {
    test('test_write_12: the file has the written content', async () => {
      const result = await call('write', { path: 'write-test.txt', content: 'Test content' });
      expect(result).toStrictEqual(text('Successfully wrote 12 bytes to write-test.txt'));
      expect(get('write-test.txt')).toBe('Test content');
    });

    test('test_write_13: parent folders are created', async () => {
      const result = await call('write', { path: 'nested/dir/test.txt', content: 'Nested content' });
      expect(result).toStrictEqual(text('Successfully wrote 14 bytes to nested/dir/test.txt'));
      expect(get('nested/dir/test.txt')).toBe('Nested content');
    });
  });

  describe('edit', () => {
    /** Edits a file with that content, and gives the result and what the file has then. */
    async function edited(before, oldText, newText) {
      put('edit.txt', before);
      const result = await call('edit', { path: 'edit.txt', oldText, newText });
      expect(result.content).toStrictEqual([{ type: 'text', text: 'Successfully replaced text in edit.txt.' }]);
      return { ...result, after: get('edit.txt') };
    }

    /** The error of an edit that must leave the file as it is. */
    async function refused(before, oldText) {
      put('edit.txt', before);
      const error = await rejection(call('edit', { path: 'edit.txt', oldText, newText: 'replaced\n' }));
      expect(get('edit.txt')).toBe(before);
      return error;
    }

    const found = (count) =>
      `Found ${count} occurrences of the text in edit.txt. The text must be unique. Please provide more context to make it unique.`;
    const notFound =
      'Could not find the exact text in edit.txt. The old text must match exactly including all whitespace and newlines.';

    test('test_edit_14: a replacement returns a diff', async () => {
      const { after, details } = await edited('Hello, world!', 'world', 'testing');
      expect(after).toBe('Hello, testing!');
      expect(details).toStrictEqual({ diff: '-1 Hello, world!\n+1 Hello, testing!', firstChangedLine: 1 });
    });

    test('test_edit_15: a missing string is an error', async () => {
      expect(await refused('Hello, world!', 'nonexistent')).toMatchObject({
        message: notFound,
        code: 'ERR_TEXT_NOT_FOUND',
      });
    });

    test('test_edit_16: a string with several occurrences is an error', async () => {
      expect(await refused('foo foo foo', 'foo')).toMatchObject({ message: found(3), code: 'ERR_TEXT_NOT_UNIQUE' });
    });

    test('test_edit_17: spaces at the ends of lines are ignored', async () => {
      const { after } = await edited('line one   \nline two  \nline three\n', 'line one\nline two\n', 'replaced\n');
      expect(after).toBe('replaced\nline three\n');
    });

    test('test_edit_18: typographic single quotes match plain ones', async () => {
      const { after } = await edited(
        'console.log(\u2018hello\u2019);\n',
        "console.log('hello');",
        "console.log('world');",
      );
      expect(after).toBe("console.log('world');\n");
    });

    test('test_edit_19: typographic double quotes match plain ones', async () => {
      const { after } = await edited(
        'const msg = \u201CHello World\u201D;\n',
        'const msg = "Hello World";',
        'const msg = "Goodbye";',
      );
      expect(after).toBe('const msg = "Goodbye";\n');
    });

    test('test_edit_20: Unicode dashes match hyphens', async () => {
      const { after } = await edited(
        'range: 1\u20135\nbreak\u2014here\n',
        'range: 1-5\nbreak-here',
        'range: 10-50\nbreak--here',
      );
      expect(after).toBe('range: 10-50\nbreak--here\n');
    });

    test('test_edit_21: non-breaking spaces match spaces', async () => {
      const { after } = await edited('hello\u00A0world\n', 'hello world', 'hello universe');
      expect(after).toBe('hello universe\n');
    });

    test('test_edit_22: an exact match takes precedence', async () => {
      const { after } = await edited(
        "const x = 'exact';\nconst y = 'other';\n",
        "const x = 'exact';",
        "const x = 'changed';",
      );
      expect(after).toBe("const x = 'changed';\nconst y = 'other';\n");
    });

    test('test_edit_23: a string without even a lenient match is an error', async () => {
      expect((await refused('completely different content\n', 'this does not exist')).message).toBe(notFound);
    });

    test('test_edit_24: lenient duplicates are an error', async () => {
      expect((await refused('hello world   \nhello world\n', 'hello world')).message).toBe(found(2));
    });

    test('test_edit_25: LF matches CRLF', async () => {
      const { after } = await edited('line one\r\nline two\r\nline three\r\n', 'line two\n', 'replaced line\n');
      expect(after).toBe('line one\r\nreplaced line\r\nline three\r\n');
    });

    test('test_edit_26: CRLF is kept', async () => {
      const { after, details } = await edited('first\r\nsecond\r\nthird\r\n', 'second\n', 'REPLACED\n');
      expect(after).toBe('first\r\nREPLACED\r\nthird\r\n');
      expect(details).toStrictEqual({ diff: ' 1 first\n-2 second\n+2 REPLACED\n 3 third', firstChangedLine: 2 });
    });

    test('test_edit_27: LF is kept', async () => {
      const { after } = await edited('first\nsecond\nthird\n', 'second\n', 'REPLACED\n');
      expect(after).toBe('first\nREPLACED\nthird\n');
    });

    test('test_edit_28: occurrences are counted across mixed line endings', async () => {
      const mixed = 'hello\r\nworld\r\n---\r\nhello\nworld\n';
      expect((await refused(mixed, 'hello\nworld\n')).message).toBe(found(2));
    });

    test('test_edit_29: a byte order mark is kept', async () => {
      const { after } = await edited('\uFEFFfirst\r\nsecond\r\nthird\r\n', 'second\n', 'REPLACED\n');
      expect(after).toBe('\uFEFFfirst\r\nREPLACED\r\nthird\r\n');
    });
  });

  describe('grep, find, ls', () => {
    test('test_grep_30: the file name is shown when one file is searched', async () => {
      put('example.txt', 'first line\nmatch line\nlast line');
      const result = await call('grep', { pattern: 'match', path: 'example.txt' });
      expect(result).toStrictEqual(text('example.txt:2: match line'));
    });

    test('test_grep_31: the limit applies with context lines', async () => {
      put('context.txt', ['before', 'match one', 'after', 'middle', 'match two', 'after two'].join('\n'));
      const result = await call('grep', { pattern: 'match', path: 'context.txt', limit: 1, context: 1 });
      const notice = '[1 matches limit reached. Use limit=2 for more, or refine pattern]';
      expect(result).toStrictEqual({
        ...text(`context.txt-1- before\ncontext.txt:2: match one\ncontext.txt-3- after\n\n${notice}`),
        details: { matchLimitReached: 1 },
      });
    });

    test('test_find_32: hidden files are found, ignored ones are not', async () => {
      put('.secret/hidden.txt', 'hidden');
      put('visible.txt', 'visible');
      put('ignored.txt', 'ignored');
      put('.gitignore', 'ignored.txt\n');
      expect(await call('find', { pattern: '**/*.txt' })).toStrictEqual({
        ...text('.secret/hidden.txt\nvisible.txt', '[Left out: 1 ignored file]'),
        details: { leftOut: { ignoredFiles: 1 } },
      });
    });

    test('test_ls_33: dot files and folders are listed', async () => {
      put('.hidden-file', 'secret');
      mkdirSync(join(root, '.hidden-dir'));
      expect(await call('ls', {})).toStrictEqual(text('.hidden-dir/\n.hidden-file'));
    });
  });
});

test('the file contains the 33 cases in order', () => {
  const source = readFileSync(new URL(import.meta.url), 'utf8');
  const names = [...source.matchAll(/test\('test_([a-z]+)_(\d+):/g)].map(([, tool, number]) => [tool, Number(number)]);
  expect(names.map(([, number]) => number)).toStrictEqual(Array.from({ length: 33 }, (_, i) => i + 1));
  const tools = names.map(([tool]) => tool);
  expect(tools).toStrictEqual(
    [
      ['read', 11],
      ['write', 2],
      ['edit', 16],
      ['grep', 2],
      ['find', 1],
      ['ls', 1],
    ].flatMap(([tool, count]) => Array(count).fill(tool)),
  );
});

/** `Line 1` to `Line <last>`. */
function lines(last, first = 1) {
  return Array.from({ length: last - first + 1 }, (_, i) => `Line ${first + i}`).join('\n');
}

function put(path, content) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function get(path) {
  return readFileSync(join(root, path), 'utf8');
}
