// The names that can be declared are those that the parser takes.

import { describe, expect, test } from 'vitest';

import { validateCode } from '../../index.mjs';
import { isBindable } from '../../build/contract/identifiers.js';

/** Of ECMAScript, of TypeScript, of other languages that lists of reserved words are made of, and near misses. */
const WORDS = `abstract accessor any arguments as assert asserts async await bigint boolean break byte case catch char
  class const constructor continue debugger declare default defer delete do double else enum eval export extends false
  final finally float for from function get global globalThis goto if implements import in infer Infinity instanceof int
  interface is keyof let long meta module namespace NaN native never new null object of out package private protected
  public readonly return satisfies set short source static string super switch symbol synchronized target this throw
  throws transient true try type typeof undefined unique unknown using var void volatile while with yield __smol_
  __smol_x __smol __proto__ Class THIS $ _ a1 1a a-b`.split(/\s+/);

const isParsed = (name) =>
  !validateCode(`async function tool(${name}) {}`).some(({ severity }) => severity === 'ERROR');

describe('isBindable', () => {
  test.each(WORDS)('decides correctly for %s', (word) => expect(isBindable(word)).toBe(isParsed(word)));

  // Beyond, versions of Unicode differ.
  test('agrees with the language for every character below U+0800, as first and later character', () => {
    for (let code = 1; code < 0x800; code++) {
      const character = String.fromCharCode(code);
      // What the parser takes in a list of parameters beside names.
      if (/[\s\x85,=/{}[\]().*\\?:@]/.test(character)) continue;
      for (const name of [character, `a${character}`])
        expect([name, isBindable(name)]).toStrictEqual([name, isParsed(name)]);
    }
  });
});
