// What the command line writes of a guest's making.

import { expect, test } from 'vitest';

import { visible, write } from '../../build/contract/terminal.js';

const ESCAPES = '\x1b]0;title\x07 \x1b[2J \x1b]52;c;eA==\x1b\\ \x9b2J \x1bc \r\b\0\x7f';
const SHOWN = '␛]0;title␇ ␛[2J ␛]52;c;eA==␛\\ \ufffd2J ␛c ␍␈␀␡';

test('control characters are made visible, except line breaks, tabs and colours', () => {
  expect(visible(ESCAPES)).toBe(SHOWN);
  const harmless = 'a\tb\n\x1b[31mred\x1b[39m\x1b[1;38;5;9mbold\x1b[0m ␛ \ud800 é \u2028';
  expect(visible(harmless)).toBe(harmless);
  expect(visible('\x1b[31\x1b[31;')).toBe('␛[31␛[31;');
});

test('a terminal gets the visible form, other streams get the original text', () => {
  const [terminal, file] = [true, undefined].map((isTTY) => {
    const written = [];
    return { isTTY, written, write: (text) => written.push(text) };
  });
  write(terminal, ESCAPES);
  write(file, ESCAPES);
  expect([terminal.written, file.written]).toStrictEqual([[SHOWN], [ESCAPES]]);
});
