// What edit says when only characters that look alike, or white space, keep text from matching.

import { describe, expect, test } from 'vitest';

import { get, put, tools } from './file-tools-root.mjs';
import { rejection } from '../helpers.mjs';

const MISSING =
  'Could not find the exact text in a.txt. The old text must match exactly including all whitespace and newlines.';
const SEVERAL =
  'Found 2 occurrences of the text in a.txt. The text must be unique. Please provide more context to make it unique.';

/** The error of an edit that leaves the file as it is. */
async function refused(content, oldText) {
  put('a.txt', content);
  const { code, message } = await rejection(tools.edit('a.txt', oldText, 'new'));
  expect(get('a.txt')).toBe(content);
  return { code, message };
}

describe('an edit without a match', () => {
  test.each([
    [
      'a Cyrillic letter',
      'one\nlet p\u0430th;\n',
      'let path;',
      'line 2, column 6 has U+0430 CYRILLIC SMALL LETTER A where oldText has U+0061 LATIN SMALL LETTER A',
      'let p\u0430th;',
    ],
    [
      'a zero-width space',
      'f(\u200bx)\n',
      'f(x)',
      'line 1, column 3 has U+200B ZERO WIDTH SPACE where oldText has nothing',
      'f(\u200bx)',
    ],
    [
      'a soft hyphen in oldText',
      'f(x)\n',
      'f(\u00adx)',
      'line 1, column 3 has nothing where oldText has U+00AD SOFT HYPHEN',
      'f(x)',
    ],
    [
      'tabs',
      'if (x) {\r\n\treturn;\r\n}\r\n',
      'if (x) {\n    return;\n}',
      'line 2, column 1 has 1 tab where oldText has 4 spaces',
      'if (x) {\n\treturn;\n}',
    ],
    ['more spaces', 'a  = 1', 'a = 1', 'line 1, column 3 has 1 space where oldText has nothing', 'a  = 1'],
    [
      'a character beyond 16 bits',
      '\ufeff\u{1d5d1}\u200b = 1',
      '\u{1d5d1} = 1',
      'line 1, column 2 has U+200B ZERO WIDTH SPACE where oldText has nothing',
      '\u{1d5d1}\u200b = 1',
    ],
  ])('names %s, and shows the text that is in the file', async (_, content, oldText, difference, copy) => {
    const line = difference.match(/^line (\d+)/)[1];
    const at = oldText.includes('\n') ? '1' : line;
    expect(await refused(content, oldText)).toStrictEqual({
      code: 'ERR_TEXT_NOT_FOUND',
      message: `${MISSING} The text at line ${at} differs only in this: ${difference}. Copy the exact text of the file:\n${copy}`,
    });
    await tools.edit('a.txt', copy, 'new');
    expect(get('a.txt')).toBe(
      content
        .replace(/\r\n/g, '\n')
        .replace(copy, 'new')
        .replace(/\n/g, content.includes('\r\n') ? '\r\n' : '\n'),
    );
  });

  test.each([
    ['other letters', 'x1 = 2', 'xl = 2'],
    ['another word', 'completely different', 'this does not exist'],
    ['only white space', 'a b', '\t\t'],
  ])('says no more about %s', async (_, content, oldText) => {
    expect(await refused(content, oldText)).toStrictEqual({ code: 'ERR_TEXT_NOT_FOUND', message: MISSING });
  });

  test('shows no long text', async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `line\u200b ${i}`);
    const { message } = await refused(`x\n${lines.join('\n')}`, lines.join('\n').replaceAll('\u200b', ''));
    const [first, second, third] = [2, 3, 4].map(
      (line) => `line ${line}, column 5 has U+200B ZERO WIDTH SPACE where oldText has nothing`,
    );
    expect(message).toBe(
      `${MISSING} The text at line 2 differs only in this: ${first}; ${second}; ${third}; 997 more differences. ` +
        'Use read with offset=2 and limit=1000 to copy the exact text.',
    );
  });
});

describe('an edit whose only exact match has a twin', () => {
  test.each([
    [
      'quotes',
      "x = 'a';\ny;\nx = \u2018a\u2019;\n",
      "x = 'a'",
      1,
      'line 3, column 5 has U+2018 LEFT SINGLE QUOTATION MARK where oldText has U+0027 APOSTROPHE; ' +
        'line 3, column 7 has U+2019 RIGHT SINGLE QUOTATION MARK where oldText has U+0027 APOSTROPHE',
    ],
    [
      'a dash',
      '1\u20135\r\n1-5\r\n',
      '1-5',
      2,
      'line 1, column 2 has U+2013 EN DASH where oldText has U+002D HYPHEN-MINUS',
    ],
    [
      'a no-break space',
      'a b a\u00a0b',
      'a b',
      1,
      'line 1, column 6 has U+00A0 NO-BREAK SPACE where oldText has 1 space',
    ],
  ])('names %s', async (_, content, oldText, exact, differences) => {
    const line = differences.match(/^line (\d+)/)[1];
    expect(await refused(content, oldText)).toStrictEqual({
      code: 'ERR_TEXT_NOT_UNIQUE',
      message: `${SEVERAL} Only the text at line ${exact} matches exactly. The text at line ${line} counts too, because it differs only in this: ${differences}.`,
    });
  });

  test('says no more if there are several exact matches', async () => {
    expect((await refused('foo\n---\nfoo', 'foo')).message).toBe(SEVERAL);
  });
});
