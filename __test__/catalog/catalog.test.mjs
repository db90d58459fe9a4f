// Searches of functions whose texts third parties wrote: their index is made in slices.

import { expect, test } from 'vitest';

import { Catalog } from '../../build/catalog/catalog.js';
import { searchTermsIn } from '../../build/catalog/search-terms.js';
import { searchTextsIn } from '../../build/catalog/search-texts.js';

/** @param chars length of each description */
const functions = (count, chars) =>
  Array.from({ length: count }, (_, at) => ({ name: `f${at}`, description: `Finds ${'x'.repeat(chars)}`, input: {} }));
const catalogOf = (...args) => new Catalog(functions(...args), () => '', 'tools');

// The number of functions decided, and third parties decide how long their texts are.
test('the length of all texts decides whether the index is made in one step', async () => {
  const few = catalogOf(10, 10).search('finds', 1);
  expect(few).toHaveLength(1);
  const large = catalogOf(100, 900).search('finds', 1);
  expect(large).toBeInstanceOf(Promise);
  expect(await large).toHaveLength(1);
});

test('the index can pause after each function in each of its four passes', () => {
  const methods = functions(10, 10).map((each) => ({ ...each, source: 'a', params: '{}' }));
  const sources = [{ name: 'a', description: '', first: 0, count: methods.length }];
  let pauses = 0;
  const budget = { isSliceOver: () => true };
  for (const _ of searchTextsIn(sources, methods, budget)) pauses++;
  // The others are after the terms are sorted, and after the first of them is stored.
  expect(pauses).toBe(4 * methods.length + 2);
});

/** Letters only, so that each is one term and its own stem. */
const letters = (number) => [...String(number).padStart(6, '0')].map((digit) => 'bcdfghjklm'[digit]).join('');

test('terms are sorted in parts, and are those of a sort of all', () => {
  const all = Array.from({ length: 10_000 }, (_, at) => letters((at * 7_919) % 10_000));
  const methods = all.map((name) => ({ source: '', name, description: '', params: '{}' }));
  let pauses = 0;
  const budget = { isSliceOver: () => (pauses++, false) };
  const work = searchTermsIn(methods, budget);
  const { value } = work.next();
  const { text, at, postingAt, postings } = value;
  const terms = Array.from(at.subarray(1), (end, number) => text.slice(at[number], end));
  expect(terms).toStrictEqual(all.toSorted());
  expect(Array.from(postings, (posting) => posting >> 8)).toStrictEqual(terms.map((term) => all.indexOf(term)));
  expect(postingAt.at(-1)).toBe(10_000);
  // Twice for each method, three parts of 4,096 terms, and the looks while they are merged and stored.
  expect(pauses).toBeGreaterThan(2 * methods.length + 3);
});

test('an index has at most 65,536 terms, and functions with others are found by their names', async () => {
  const many = Array.from({ length: 1_000 }, (_, at) => ({
    name: `f${at}`,
    description: Array.from({ length: 100 }, (__, word) => letters(at * 100 + word)).join(' '),
    input: {},
  }));
  const searched = many.map((each) => ({ ...each, source: '', params: '{}' }));
  const { value } = searchTermsIn(searched, { isSliceOver: () => false }).next();
  expect(value.at.length - 1).toBe(65_536);
  const catalog = new Catalog(many, () => '', 'tools');
  expect((await catalog.search('f998', 1))[0].name).toBe('f998');
  expect((await catalog.search(letters(99_950), 1))[0].name).toBe('f999');
});
