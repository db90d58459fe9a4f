// `split`, `replace` and `match` by a regular expression are V8's for short texts and the engine's own for long ones
// (crates/engine/js/13_regexp.js). They give what plain JavaScript gives.
import vm from 'node:vm';

import { expect, test } from 'vitest';

import { engineStats } from '../../index.mjs';
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

/** The same on longer texts: of each result its length, beginning and end. */
const longTexts = (length, sources) => `
const results = [];
const add = (value) => {
  const text = JSON.stringify(value);
  results.push([text.length, text.slice(0, 200), text.slice(-200)].join());
};
const sources = ${JSON.stringify(sources)};
const pad = '-'.repeat(${length});
for (const source of sources) {
  for (const flags of source === '' ? ['g'] : ['', 'g', 'y', 'dgimsuy']) {
    let regexp;
    try { regexp = new RegExp(source, flags); } catch { continue; }
    for (const text of ['aab, b ,c' + pad + '\u{1F600}a\u{1F600}b']) {
      for (const limit of [undefined, 3]) {
        regexp.lastIndex = results.length % 3;
        add([source, flags, text.split(regexp, limit), regexp.lastIndex]);
      }
      for (const give of ['x', '<$1$&>', (...found) => String(found.slice(0, -1)).length, () => undefined]) {
        regexp.lastIndex = results.length % 3;
        add([source, flags, text.replace(regexp, give), regexp.lastIndex]);
        if (regexp.global) add(text.replaceAll(regexp, give));
      }
      regexp.lastIndex = results.length % 3;
      const found = text.match(regexp);
      add([source, flags, found, found && found.index, found && found.groups, regexp.lastIndex]);
    }
  }
}
`;

test.each([
  ['split', SPLITS],
  ['replace and match', REPLACEMENTS],
])('%s return what plain JavaScript returns', async (_name, code) => {
  const expected = new Function(`${code} return results;`)();
  expect(expected.length).toBeGreaterThan(10_000);
  await withExecutor({ maxOperations: 1e6 }, {}, async (executor) => {
    expect((await executor.run(`${code} results`)).output).toStrictEqual(expected);
  });
});

test.each([
  ['longer', 2 ** 16, ['a', '', '(a)|(b)', '\\s*,\\s*', '(?<x>[abc])(,)?', '\\b', '(?<=a)', '\\u{1F600}']],
  ['that are too long for the loops of V8', 2 ** 20, ['(a)|(b)', '(?<x>[abc])(,)?']],
])('strings that are %s give the same results too', async (_name, length, sources) => {
  const code = longTexts(length, sources);
  const expected = new Function(`${code} return results;`)();
  expect(expected.length).toBeGreaterThan(50);
  await withExecutor({ maxOperations: 1e6, timeoutMs: 60_000, memoryLimitMb: 512 }, {}, async (executor) => {
    expect((await executor.run(`${code} results`)).output).toStrictEqual(expected);
  });
});

/**
 * What takes the place of an expression: own `exec`, flags, places and groups, in all forms of a replacement. V8 of
 * Node.js 20 looks at `global` and `unicode`, a newer one at `flags`.
 */
const OTHERS = `
const results = [];
const seen = [];
const trace = (name, value) => (seen.push(name), value);
const found = (text, more) => Object.assign([text], more);
const finds = (...all) => { let i = 0; return () => all[i++] ?? null; };
const others = {
  'once': () => ({ flags: '', exec: finds(found('b', { index: 1 })) }),
  'all': () => ({ flags: 'g', global: true, exec: finds(found('a', { index: 0 }), found('c', { index: 2, groups: { x: { toString: () => 'X' } } })) }),
  'empty': () => ({ flags: 'gu', global: true, unicode: true, lastIndex: 0, exec() { return this.lastIndex > 3 ? null : found('', { index: this.lastIndex }); } }),
  'odd places': () => ({ flags: 'g', global: true, exec: finds(found('bc', { index: -5 }), found('a', { index: '1' }), found('d', { index: 99 })) }),
  'groups': () => ({ flags: 'g', global: true, exec: finds({ length: 4, 0: 'a', 1: undefined, 2: null, 3: { toString: () => '3' }, index: 1, groups: null }) }),
  'text groups': () => ({ flags: '', exec: finds({ length: '2.5', 0: 'a', 1: 'g', index: 1.7, groups: 'text' }) }),
  'flags that are not a string': () => ({ flags: { toString: () => 'g' }, global: true, exec: finds(found('b', { index: 1 })) }),
  'no flags': () => ({ exec: () => found('b', { index: 1 }) }),
  'a number': () => ({ flags: '', exec: () => 5 }),
  'no exec': () => ({ flags: 'g', global: true }),
  'an own exec': () => Object.defineProperty(/b/g, 'exec', { value: finds(found('c', { index: 2 })) }),
  'a subclass': () => new (class extends RegExp { exec(text) { return trace(text, super.exec(text)); } })('[ab]', 'g'),
  'a subclass without g': () => new (class extends RegExp { exec(text) { return trace(text, super.exec(text)); } })('[ab]'),
  'a proxy': () => new Proxy(/b/g, { get: (target, key) => (key === 'exec' ? trace(key, target.exec.bind(target)) : Reflect.get(target, key)) }),
  'an own property': () => Object.assign(/[a-c]/g, { note: 1 }),
};
for (const [name, make] of Object.entries(others)) {
  for (const by of ['<$&>', '$1|$2|$3|$01', '$<x>', '$\`$\\'', (...all) => JSON.stringify(all), undefined]) {
    for (const use of [
      (value) => RegExp.prototype[Symbol.replace].call(value, 'abcd', by),
      (value) => RegExp.prototype[Symbol.match].call(value, 'abcd'),
      (value) => (value instanceof RegExp ? 'abcd'.replace(value, by) : 0),
      (value) => (value instanceof RegExp ? 'abcd'.match(value) : 0),
    ]) {
      let result;
      const value = make();
      try { result = use(value); } catch (error) { result = error.name; }
      results.push(JSON.stringify([name, result, seen.splice(0), value.lastIndex]));
    }
  }
}
`;

test('replace and match of objects that are not plain expressions return what plain JavaScript returns', async () => {
  const expected = new Function(`${OTHERS} return results;`)();
  expect(expected.length).toBe(360);
  await withExecutor({}, {}, async (executor) => {
    expect((await executor.run(`${OTHERS} results`)).output).toStrictEqual(expected);
  });
});

test('the RegExp constructor remembers no match, and expressions cannot be changed', async () => {
  await withExecutor({}, {}, async (executor) => {
    const code = `'secret'.match(/s(e)/);
      [Reflect.ownKeys(RegExp).map(String), RegExp.$1, RegExp.input, typeof RegExp.prototype.compile, RegExp === /a/.constructor]`;
    const keys = ['length', 'name', 'prototype', 'escape', 'Symbol(Symbol.species)'];
    expect((await executor.run(code)).output).toStrictEqual([keys, undefined, undefined, 'undefined', true]);
  });
});

/** V8's loops would look neither at the deadline nor at the limit of memory. */
const BOMBS = {
  'match of a long string': '"a".repeat(2 ** 26).match(/a/g).length',
  'split of a long string': '"a".repeat(2 ** 26).split(/a/).length',
  'replacement in a long string': '"a".repeat(2 ** 26).replace(/a/g, (found) => found).length',
  'replaceAll in a long string': '"a".repeat(2 ** 26).replaceAll(/a/g, "bc").length',
  'a String object': 'String.prototype.match.call(Object("a".repeat(2 ** 26)), /a/g).length',
  'replacement in a String object': 'String.prototype.replace.call(Object("a".repeat(2 ** 26)), /a/g, "bc").length',
  'replaceAll in a String object': 'String.prototype.replaceAll.call(Object("a".repeat(2 ** 26)), /a/g, "bc").length',
  'split of a String object': 'String.prototype.split.call(Object("a".repeat(2 ** 26)), /a/).length',
  'matches of strings of middle length':
    'const all = []; const text = "ab".repeat(2 ** 19); for (;;) all.push(text.match(/../g), text.match(/a|b/g))',
  'parts of strings of middle length':
    'const all = []; const text = "a\u0101".repeat(2 ** 19); for (;;) all.push(text.split(/(a)/))',
  'replacements in strings of middle length':
    'const all = []; const text = "a\u0101".repeat(2 ** 19); for (;;) all.push(text.replace(/(?<x>a)/g, (found) => found + "b"), text.replaceAll(/a/g, "<$&>"))',
  'split by many groups': '"a".repeat(2 ** 16).split(new RegExp("()".repeat(3000) + "a")).length',
};

test.each(Object.entries(BOMBS))('%s ends at a limit without parking its isolate', async (_name, code) => {
  await withExecutor({ memoryLimitMb: 64, timeoutMs: 1_000 }, {}, async (executor) => {
    const { parked } = engineStats();
    await expect(executor.run(code)).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_(MEMORY_LIMIT_EXCEEDED|EXEC_TIMEOUT)$/),
    });
    expect(engineStats().parked).toBe(parked);
  });
});

/**
 * Results that V8 would write out at once, several times as large as the limit. They are put together of parts of the
 * text instead.
 */
const LARGE_RESULTS = {
  'the text before each match': '"a".repeat(4096).replace(/a/g, "$`".repeat(60)).length',
  'the text after each match': '"a".repeat(4096).replaceAll(/a/g, "$\'".repeat(60)).length',
  'a group that looks ahead': '"a".repeat(4096).replace(/a(?=(.*))/g, "$1".repeat(60)).length',
  'a group that looks behind': '"a".repeat(4096).replace(/(?<=(.*))a/g, "$1".repeat(60)).length',
  'the method of the expression': '/a/g[Symbol.replace]("a".repeat(4096), "$`".repeat(60)).length',
};

test.each(Object.entries(LARGE_RESULTS))('a template for %s takes no memory beyond the limit', async (_name, code) => {
  await withExecutor({ memoryLimitMb: 64, timeoutMs: 10_000 }, {}, async (executor) => {
    const { output, stats } = await executor.run(code);
    expect(output).toBe(503_193_600);
    expect(stats.heapUsedBytes).toBeLessThan(64 * 2 ** 20);
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
  'a String object': 'RegExp.prototype[Symbol.split].call(/,/, { toString() { return "a,b"; } })',
  'a limit that splits': '"a,b,c".split(/,/, { valueOf() { return "x;y".split(/;/).length; } })',
  'a symbol as text': 'try { RegExp.prototype[Symbol.split].call(/,/, Symbol()) } catch (e) { e.name }',
  'no object': 'try { RegExp.prototype[Symbol.split].call("x", "y") } catch (e) { e.name }',
  'an object that is not a regular expression':
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
    '["split", "replace", "match"].map((k) => [RegExp.prototype[Symbol[k]], String.prototype[k]].map((f) => [f.length, f.name]))',
  'a method of another object, which is read once':
    'const log = []; const all = []; for (const k of ["split", "replace", "match"]) { const own = { get [Symbol[k]]() { log.push(k); return function (...given) { return [this === own, ...given]; }; } }; all.push("text"[k](own, "more"), String.prototype[k].call(12, own)); } [all, log]',
  'a method that is not a function':
    'const all = []; for (const k of ["split", "replace", "match"]) { try { "text"[k]({ [Symbol[k]]: 1 }, "more") } catch (e) { all.push(e.name) } } all',
  'a missing method, and the order of conversions to strings':
    'const log = []; const text = (s) => ({ toString() { log.push(s); return s; } }); const all = []; for (const k of ["split", "replace", "match"]) all.push(String.prototype[k].call(text("a,b"), text(","), "1")); [all.map(String), log]',
  'a missing string': `const log = []; const all = []; for (const k of ["split", "replace", "replaceAll", "match"]) { try { String.prototype[k].call(null, new Proxy(/a/, { get: () => log.push(k) }), "b") } catch (e) { all.push(e.name) } } [all, log]`,
  'another method of the expression itself':
    'const r = /,/g; Object.defineProperty(r, Symbol.split, { value: () => "own" }); Object.defineProperty(r, Symbol.replace, { value: null }); ["a,b".split(r), "a,/,/gb".replace(r, "-"), "a,b".replaceAll(/,/g, "-")]',
};

test.each(Object.entries(ODD))('unusual use of %s behaves as in plain JavaScript', async (_name, code) => {
  const expected = vm.runInThisContext(code.replaceAll('const ', 'var '));
  await withExecutor({}, {}, async (executor) => {
    expect((await executor.run(code)).output).toStrictEqual(expected);
  });
});

test('split of a long string searches once per part', async () => {
  await withExecutor({ timeoutMs: 5000 }, {}, async (executor) => {
    const code = 'const text = "some words, and;".repeat(200_000); text.split(/[,;]\\s*/).length';
    expect((await executor.run(code)).output).toBe(400_001);
  });
});
