// `split` by a regular expression is the engine's own (src/js/13_regexp.js). It gives what plain JavaScript gives.
import vm from 'node:vm';

import { expect, test } from 'vitest';

import { withExecutor } from './helpers.mjs';

/** Every source with every flags over every text, from every `lastIndex`, with every limit. */
const SPLITS = `
const results = [];
const sources = ['a', '', 'a*', '(a)|(b)', '\\\\s*,\\\\s*', '(?<x>.)(y)?', '^', '$', '\\\\b', '(?=b)', '.', '[^]', '(?<=a)', '\\\\u{1F600}'];
const allFlags = ['', 'g', 'y', 'gy', 'u', 'gu', 'gi', 'gm', 'gs', 'd', 'gd', 'v', 'uy', 'dgimsuy'];
const texts = ['', 'a', 'aab, b ,c', 'xyzxy', '\\u{1F600}a\\u{1F600}', 'A\\nb\\nc', '\\ud83d', 'aaaa'];
for (const source of sources) {
  for (const flags of allFlags) {
    let regexp;
    try { regexp = new RegExp(source, flags); } catch { continue; }
    for (const text of texts) {
      for (const limit of [undefined, 0, 1, 2, 3.7, -1, '2', 2 ** 32 + 1]) {
        regexp.lastIndex = results.length % 3;
        const parts = text.split(regexp, limit);
        results.push(JSON.stringify([source, flags, text, limit, parts, regexp.lastIndex]));
      }
    }
  }
}
`;

test('split gives what plain JavaScript gives', async () => {
  const expected = new Function(`${SPLITS} return results;`)();
  expect(expected.length).toBeGreaterThan(10_000);
  await withExecutor({}, {}, async (executor) => {
    expect((await executor.run(`${SPLITS} results`)).output).toEqual(expected);
  });
});

/** What makes a regular expression more than what V8 gave it, and what runs guest code on the way. */
const ODD = {
  'its own exec': 'const r = /,/; Object.defineProperty(r, "exec", { value: () => null }); "a,b".split(r)',
  'its own flags': 'const r = /B/; Object.defineProperty(r, "flags", { value: "i" }); "abc".split(r)',
  'its own constructor':
    'const r = /b/; Object.defineProperty(r, "constructor", { value: { [Symbol.species]: class extends RegExp { exec() { return null; } } } }); "abc".split(r)',
  'a subclass': 'class R extends RegExp { exec(s) { return null; } } "a,b".split(new R(","))',
  'a proxy':
    'const log = []; const r = new Proxy(/,/, { get(t, k) { log.push(String(k)); return k === Symbol.split ? undefined : Reflect.get(t, k, t); } }); ["a,b".split(r), log]',
  'no prototype':
    'const r = Object.setPrototypeOf(/,/, null); try { String.prototype.split.call("a,b", r) } catch (e) { e.name }',
  'a frozen one': '"a,b".split(Object.freeze(/,/g))',
  'a text that is an object': 'RegExp.prototype[Symbol.split].call(/,/, { toString() { return "a,b"; } })',
  'a limit that splits': '"a,b,c".split(/,/, { valueOf() { return "x;y".split(/;/).length; } })',
  'a symbol as text': 'try { RegExp.prototype[Symbol.split].call(/,/, Symbol()) } catch (e) { e.name }',
  'no object': 'try { RegExp.prototype[Symbol.split].call("x", "y") } catch (e) { e.name }',
  'an object that is no regular expression':
    'RegExp.prototype[Symbol.split].call({ flags: "", constructor: { [Symbol.species]: function () { return { exec: () => null }; } } }, "ab")',
};

test.each(Object.entries(ODD))('split with %s', async (_name, code) => {
  const expected = vm.runInThisContext(code.replaceAll('const ', 'var '));
  await withExecutor({}, {}, async (executor) => {
    expect((await executor.run(code)).output).toEqual(expected);
  });
});

test('split of a long text takes one search per part', async () => {
  await withExecutor({ timeoutMs: 5000 }, {}, async (executor) => {
    const code = 'const text = "some words, and;".repeat(200_000); text.split(/[,;]\\s*/).length';
    expect((await executor.run(code)).output).toBe(400_001);
  });
});
