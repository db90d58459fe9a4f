// The list of expressions that `npm run check:prose` looks for.

import { expect, test } from 'vitest';

import { findingsIn } from '../../scripts/check-prose.mjs';
import { exemptTexts } from '../../scripts/prose/exemptions.mjs';
import { PATTERNS } from '../../scripts/prose/patterns.mjs';

const cases = PATTERNS.flatMap(({ expression, wrong, right }) => [
  ...wrong.map((text) => ({ expression, text, isFound: true })),
  ...right.map((text) => ({ expression, text, isFound: false })),
]);

test.each(cases)('$expression finds itself in "$text": $isFound', ({ expression, text, isFound }) => {
  expect(text.search(expression) !== -1).toBe(isFound);
});

test('every pattern has a wrong and a right example', () => {
  for (const { expression, wrong, right } of PATTERNS) {
    expect([wrong.length > 0, right.length > 0], String(expression)).toStrictEqual([true, true]);
  }
});

test('a finding has its line, the expression and the replacement', () => {
  expect(findingsIn('one\nIt has a thread of its own.\n')).toStrictEqual([
    { line: 2, found: 'of its own', instead: 'its own …, a separate …' },
  ]);
});

test('an expression that continues on the next line is found once, on its first line', () => {
  const comment = '// The caller is told\n// of the end.\n';
  expect(findingsIn(comment)).toStrictEqual([
    { line: 1, found: 'is told of', instead: 'is reported (to …), is notified of' },
  ]);
});

test('texts of the specification are exempt, but the same words elsewhere are not', () => {
  const text = "throw new Error('x is no function of y');";
  expect(findingsIn(text, ['x is no function of y'])).toStrictEqual([]);
  expect(findingsIn(`${text} // It is no function.`, ['x is no function of y'])).toHaveLength(1);
});

test('the message templates of the specification are exempt', () => {
  expect(exemptTexts()).toContain('Execution timed out after {timeoutMs}ms');
  expect(exemptTexts()).toContain('Reached the max number of operations (<N>)');
});
