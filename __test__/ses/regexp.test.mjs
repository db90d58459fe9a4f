// `split`, `replace` and `match` by a regular expression are the engine's own (crates/engine/js/13_regexp.js). They give what plain
// JavaScript gives.
import vm from 'node:vm';

import { expect, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

/** Every source with every flags over every text, from every `lastIndex`, with all of what `use` adds. */
const combinations = (use) => `
const results = [];
const sources = ['a', '', 'a*', '(a)|(b)', '\\\\s*,\\\\s*', '(?<x>.)(y)?', '^', '$', '\\\\b', '(?=b)', '.', '[^]', '(?<=a)', '\\\\u{1F600}'];
const allFlags = ['', 'g', 'y', 'gy', 'u', 'gu', 'gi', 'gm', 'gs', 'd', 'gd', 'v', 'uy', 'gv', 'dgimsuy'];
const texts = ['', 'a', 'aab, b ,c', 'xyzxy', '\\u{1F600}a\\u{1F600}', 'A\\nb\\nc', '\\ud83d', 'aaaa'];
for (const source of sources) {
  for (const flags of allFlags) {
    let regexp;
    try { regexp = new RegExp(source, flags); } catch { continue; }
    for (const text of texts) {
${use}
    }
  }
}
`;

const SPLITS = combinations(`
      for (const limit of [undefined, 0, 1, 2, 3.7, -1, '2', 2 ** 32 + 1]) {
        regexp.lastIndex = results.length % 3;
        const parts = text.split(regexp, limit);
        results.push(JSON.stringify([source, flags, text, limit, parts, regexp.lastIndex]));
      }
`);

const REPLACEMENTS = combinations(`
      const give = [
        'x', '', '[$&]', '$$', '$1$2', '<$01|$10|$00|$0|$3>', '$\`$\\'', '$<x>$<y>$<', '$', 'a$', '$$1',
        (...found) => JSON.stringify(found), () => '$&', () => undefined, () => (regexp.lastIndex = 1),
      ];
      for (let k = 0; k < give.length; k++) {
        regexp.lastIndex = results.length % 3;
        const replaced = text.replace(regexp, give[k]);
        results.push(JSON.stringify([source, flags, text, k, replaced, regexp.lastIndex]));
        if (regexp.global) results.push(text.replaceAll(regexp, give[k]));
      }
      regexp.lastIndex = results.length % 3;
      const found = text.match(regexp);
      results.push(JSON.stringify([source, flags, text, found, { ...found }, regexp.lastIndex]));
`);

test.each([
  ['split', SPLITS],
  ['replace and match', REPLACEMENTS],
])('%s give what plain JavaScript gives', async (_name, code) => {
  const expected = new Function(`${code} return results;`)();
  expect(expected.length).toBeGreaterThan(10_000);
  await withExecutor({ maxOperations: 1e6 }, {}, async (executor) => {
    expect((await executor.run(`${code} results`)).output).toEqual(expected);
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
  'its own exec, replaced':
    'const r = /a/; Object.defineProperty(r, "exec", { value: () => ({ index: 0, length: 1, 0: "ab" }) }); ["abc".replace(r, "[$&]"), "abc".match(r)]',
  'a subclass, replaced':
    'class Q extends RegExp { exec() { return null; } } ["a".replace(new Q("a", "g"), "b"), "a".match(new Q("a", "g"))]',
  'a proxy, replaced':
    'const log = []; const r = new Proxy(/,/g, { get(t, k) { log.push(String(k)); return k === Symbol.replace || k === Symbol.match ? undefined : Reflect.get(t, k, t); } }); ["a,b".replace(r, "-"), "a,b".match(r), log]',
  'a frozen one, replaced':
    'const r = Object.freeze(/,/g); const all = []; for (const f of [() => "a,b".replace(r, "-"), () => "a,b".match(r), () => "a,b".replace(Object.freeze(/,/), "-")]) { try { all.push(f()); } catch (e) { all.push(e.name); } } all',
  'a replacement that changes the expression':
    'const r = /a/g; [r[Symbol.replace]("aba", { toString() { Object.defineProperty(r, "exec", { value: () => null }); return "x"; } }), "aba".replace(/b/g, { toString: () => "$&$&" })]',
  'a replacement that replaces': '"a1b2".replace(/\\d/g, (d) => "x-y".replace(/-/g, d))',
  'a replacement that throws':
    'try { "aba".replace(/a/g, () => { throw new RangeError("own"); }) } catch (e) { e.message }',
  'a symbol as replacement':
    'const all = []; for (const by of [Symbol(), () => Symbol()]) { try { "a".replace(/a/, by) } catch (e) { all.push(e.name) } } all',
  'a callable proxy as replacement': '"a".replace(/a/g, new Proxy(() => "b", {}))',
  'no object, replaced':
    'const all = []; for (const k of ["replace", "match"]) { try { RegExp.prototype[Symbol[k]].call("x", "y") } catch (e) { all.push(e.name) } } all',
  'the prototype itself':
    'const all = []; for (const k of ["replace", "match"]) { try { RegExp.prototype[Symbol[k]]("a", "b") } catch (e) { all.push(e.name) } } all',
  'lengths and names':
    '["split", "replace", "match"].map((k) => { const f = RegExp.prototype[Symbol[k]]; return [f.length, f.name]; })',
};

test.each(Object.entries(ODD))('%s', async (_name, code) => {
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
