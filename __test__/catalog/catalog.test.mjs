// Searches of functions whose texts third parties wrote: their index is made in slices.

import { expect, test } from 'vitest';

import { Catalog } from '../../build/catalog/catalog.js';
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
  // The others are after the terms are sorted, and after their weights.
  expect(pauses).toBe(4 * methods.length + 2);
});
