// Mistakes that models make often, and what they are told: the exact text of each.
import { describe, expect, test } from 'vitest';

import { validateCode } from '../../index.mjs';
import { withExecutor } from '../helpers.mjs';

const TOOLS = {
  search: async () => ({ results: [1] }),
  db: { query: async () => ({ rows: [] }) },
  plain: () => 1,
};

/** The advice that a failed run has for the author of the code: the hint, or how to fix the findings. */
const told = (code, { earlier = [], options = {}, variables = {} } = {}) =>
  withExecutor({ ...options }, TOOLS, async (executor) => {
    await executor.sendVariables(variables);
    for (const step of earlier) await executor.run(step);
    const error = await executor.run(code).catch((thrown) => thrown);
    const { hint, diagnostics = [], line } = error.details ?? {};
    return { code: error.code, hint: hint ?? diagnostics.find(({ fix }) => fix !== undefined)?.fix, line };
  });

/** A run that failed leaves out what it had not reached: the next one heard only that the name is not defined. */
test('a hint says that an earlier run declared the name but did not keep it', () =>
  withExecutor({}, {}, async (executor) => {
    const failed = await executor.run('null.x;\nconst later = 5;').catch((error) => error);
    expect(failed.code).toBe('ERR_RUNTIME_EXCEPTION');
    await executor.run('for (const inner of [1]) { let innermost = inner; }');
    const hintOf = (code) => executor.run(code).catch((error) => error.details.hint);
    const left = (name) =>
      `\`${name}\` was declared in another run, but only inside a block or function, or that run ended before it was kept. Declare it again.`;
    expect(await hintOf('later + 1')).toBe(left('later'));
    expect(await hintOf('innermost.x')).toBe(left('innermost'));
    expect(await hintOf('late + 1')).toBe(undefined);
    expect(await hintOf('later = 6; later')).toBe('`later` is not declared: write `let later = …`.');
  }));

describe('at run time', () => {
  const data = { items: [{ n: 1 }], list: [1] };
  const COPY = '`data` is a variable from the host, and frozen. Change a copy: `const copy = structuredClone(data)`.';

  const FROZEN =
    'The object is frozen, like every value from the host and everything in it. ' +
    'Change a copy: `const copy = structuredClone(…)`.';
  const partOf = (name) =>
    `\`${name}\` is part of \`data\`, a frozen variable from the host. Change a copy: \`const copy = structuredClone(data)\`.`;

  const LANGUAGE = (name) =>
    `\`${name}\` is part of the language and cannot be changed: declare your own variable or function.`;
  const WITHOUT_PARENTHESES =
    'An array or a string has `length`, a Map or a Set has `size`: write it without parentheses.';

  test.each([
    ['data.items[0].n = 2', COPY],
    ['data.list.push(2)', COPY],
    ['data.extra = 1', COPY],
    ['const first = 1; delete data.list', COPY],
    ['K = 2', '`K` is a constant of an earlier run. Declare it again to change it: `let K = …`.'],
    ['K += 2', '`K` is a constant of an earlier run. Declare it again to change it: `let K = …`.'],
    ['L++', '`L` is a constant of an earlier run. Declare it again to change it: `let L = …`.'],
    ['[K] = [2]', '`K` is a constant of an earlier run. Declare it again to change it: `let K = …`.'],
    ['({ K } = { K: 3 })', '`K` is a constant of an earlier run. Declare it again to change it: `let K = …`.'],
    ['for (K of [1]);', '`K` is a constant of an earlier run. Declare it again to change it: `let K = …`.'],
    ['const c = 1; c = 2', '`c` is a constant. Declare it with `let` to change it: `let c = …`.'],
    ['const c = 1;\nif (c)\n  c++', '`c` is a constant. Declare it with `let` to change it: `let c = …`.'],
    ['const { c } = { c: 1 }; [c] = [2]', '`c` is a constant. Declare it with `let` to change it: `let c = …`.'],
    ['for (const x of [1]) x += 1', '`x` is a constant. Declare it with `let` to change it: `let x = …`.'],
    ['const f = function g() { g = 1; }; f()', undefined],
    ['data.items.forEach((i) => { i.total = 1; })', FROZEN],
    ['data.items.map((i) => { i.n = 5; return i; })', FROZEN],
    ['const copy = [...data.items]; copy[0].n = 3', FROZEN],
    ['Object.assign(data.items[0], { k: 1 })', FROZEN],
    ['const add = (list) => list.push(1); add(data.list)', FROZEN],
    ['const { items } = data; delete items[0].n', FROZEN],
    ['data.items.find((i) => i.n === 1).n = 2', COPY],
    ['for (const i of data.items) i.total = 1', partOf('i')],
    ['const first = data.items[0];\nfirst.n = 3', partOf('first')],
    ['const alias = data; alias.list = 1', partOf('alias')],
    ['Math.tau = 6.28', LANGUAGE('Math')],
    ['Object.assign(Math, { tau: 6.28 })', LANGUAGE('Math')],
    ['Object.assign({}, data).items[0].n = 2', FROZEN],
    ['Object.values(data)[0].n = 2', FROZEN],
    ['Array.prototype.last = 1', LANGUAGE('Array')],
    ['delete JSON.parse', LANGUAGE('JSON')],
    ['delete globalThis.Math.PI', undefined],
    ['const Math = Object.freeze({}); Math.tau = 6.28', undefined],
    ['const day = new Date(0); day.constructor.x = 1', undefined],
    ['search.cache = 1', undefined],
    ['"abc".length = 1', undefined],
    ['search("q").results.map((x) => x)', '`search` returns a promise: write `(await search(…)).results`.'],
    ['const rows = search(f("a")).slice(1)', '`search` returns a promise: write `(await search(…)).slice`.'],
    ['for (const r of search("x")) r', '`search` returns a promise: write `await search(…)`.'],
    ['const [a] = search("x")', '`search` returns a promise: write `await search(…)`.'],
    ['const r = search("a"); r[0].title', '`r` is a promise: write `(await r)`.'],
    ['const r = search("a"); r.filter((x) => x)', '`r` is a promise: write `(await r)`.'],
    ['(await search("a")).map((x) => x)', undefined],
    ['"a".length()', WITHOUT_PARENTHESES],
    ['const s = [1, 2]; s.filter(Boolean).size()', WITHOUT_PARENTHESES],
    ['function total(xs) { return xs.size(); }\ntotal([1])', WITHOUT_PARENTHESES],
    ['function count(m) { return m.length(); }\ncount(new Map())', WITHOUT_PARENTHESES],
    ['const kinds = new Set(); kinds.size()', '`size` is a property, not a function: leave out the parentheses.'],
    ['max([1, 2])', 'Did you mean `Math.max`?'],
    [
      'new Set<string>(["a"]).size',
      '`<string>` is TypeScript, but the program was read as JavaScript: leave out the type arguments.',
    ],
    ['[{ total: null }].map((data) => data.total.n)', '`data.total` is null.'],
    ['const o = Object.freeze([1]); o.push(data)', undefined],
    ['const o = Object.freeze({ data: 1 }); o.data = 2', undefined],
    ['const own = (data) => { data.a = 1; }; own(Object.freeze({}))', undefined],
    ['print(1)', '`print` is Python. In JavaScript write `console.log(…)`.'],
    ['const x = None', '`None` is Python. In JavaScript write `null`.'],
    ['True', '`True` is Python. In JavaScript write `true`.'],
    ['len([1])', '`len` is Python. In JavaScript write `value.length`, or `value.size` of a Map or Set.'],
    ['[...range(3)]', '`range` is Python. In JavaScript write a `for` loop, or `[...Array(n).keys()]`.'],
    [
      'require("fs")',
      'Do not import modules: none are authorized here; use the tools and variables that the host provides',
    ],
    [
      'await fetch("https://example.com")',
      'Ask the host for a tool that makes the request; hosts can allow it with globals: ["fetch"]',
    ],
    [
      'setTimeout(() => {}, 1)',
      'Ask the host for a tool such as sleepTool(ms); hosts can allow it with globals: ["timers"]',
    ],
    ['document.title', 'There is no browser; ask the host for a tool'],
    ['process.env', 'Node.js is not available; ask the host for a tool or a variable that provides what you need'],
    ['throw new Error("outer", { cause: new TypeError("inner") })', 'Its cause: TypeError: inner (line 1)'],
    [
      'const fails = async (text) => { throw new Error(text); };\nawait Promise.any([fails("a"), fails("b")])',
      'Its errors: a (line 1); b (line 1)',
    ],
    [
      '{\n  using a = { [Symbol.dispose]() { throw new TypeError("a"); } };\n  throw new Error("body");\n}',
      'Its errors: TypeError: a (line 2); body (line 3)',
    ],
    [
      '{\n  using a = { [Symbol.dispose]() { throw 1; } };\n  using b = { [Symbol.dispose]() { throw 2; } };\n  throw 3;\n}',
      'Its errors: 1; 2; 3',
    ],
    ['throw [1, 2, 3, 4, 5, 6].reduce((all, at) => new SuppressedError(at, all), 0)', 'Its errors: 6; 5; 4; 3'],
    ['throw Object.defineProperty(new SuppressedError(1, 2), "error", { get: () => { for (;;); } })', undefined],
    [
      'const kept = [];\nfor (;;) kept.push(new Uint8Array(1e7))',
      'Array buffers count towards `memoryLimitMb`, and this one does not fit: work on smaller pieces.',
    ],
  ])('%s has a hint', async (code, hint) => {
    const earlier = ['const K = 1; const L = 1; const g = () => L; const f = (x) => x;'];
    expect(await told(code, { earlier, variables: { data } })).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', hint });
  });

  const NOT_DECLARED = (name) => `\`${name}\` is not declared: write \`let ${name} = …\`.`;
  const INSIDE = (name) =>
    `\`${name}\` is declared only inside a block or function: declare it before that block to use it here.`;
  const NAMED = 'JavaScript has no named arguments: pass the value alone, or `{ query: … }` if an object is expected.';
  const VALUE = (call) => `\`${call}\` returns a promise: write \`await ${call}(…)\`.`;
  const AWAITED = (call, member) => `\`${call}\` returns a promise: write \`(await ${call}(…))${member}\`.`;

  describe('names that are not defined get a hint', () => {
    test.each([
      ['data = 1', NOT_DECLARED('data')],
      ['data=1', NOT_DECLARED('data')],
      ['for (i = 0; i < 2; i++) i', NOT_DECLARED('i')],
      ['[1, 2].forEach((n) => { sum += n; })', NOT_DECLARED('sum')],
      ['count++', NOT_DECLARED('count')],
      ['itmes += 1', 'Did you mean `items`?'],
      ['await search(query="x")', NAMED],
      ['await search("a", query = "x")', NAMED],
      ['try { const data = 1; } catch {}\nconsole.log(data.length)', INSIDE('data')],
      ['for (const item of items) { item }\nitem', INSIDE('item')],
      ['function f() { const { list } = { list: 1 }; }\nlist.push(1)', INSIDE('list')],
      ['data.length', undefined],
      ['path.join("a", "b")', undefined],
      ['const m = match[1];', undefined],
      ['rate * 2', undefined],
      ['url.split("/")', undefined],
      ['map((x) => x)', undefined],
      ['for (const v of items) if (v > max) v;', undefined],
      ['query.length', undefined],
      ['throw new ValueError("x")', undefined],
      ['new map()', 'Did you mean `Map`?'],
      ['string(5)', 'Did you mean `String`?'],
      ['consle.log(5)', 'Did you mean `console`?'],
      ['finalAnswer(5)', 'Did you mean `final_answer`?'],
      ['query("x")', 'Did you mean `db.query`?'],
      ['list.map((x) => x)', undefined],
      ['str.split(",")', undefined],
      ['list("ab")', '`list` is Python. In JavaScript write `Array.from(values)`.'],
      ['str (5)', '`str` is Python. In JavaScript write `String(value)`.'],
    ])('%s', async (code, hint) => {
      expect(await told(code, { variables: { items: [1] } })).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', hint });
    });
  });

  describe('members of another class get a hint', () => {
    test.each([
      ['const price = "12.5"; price.toFixed(2)', '`price` is a string: write `Number(price).toFixed(…)`.'],
      [
        '[{ price: "1" }].map((r) => r.price.toFixed(2))',
        '`r.price` is not a number: write `Number(r.price).toFixed(…)`.',
      ],
      ['Date.now().toISOString()', '`Date.now(…)` is not a Date: write `new Date(Date.now(…)).toISOString()`.'],
      ['const n = 5; n.split("")', '`n` is a number: write `String(n).split(…)`.'],
      ['const m = new Map(); m.map((x) => x)', '`m` is a Map: write `[...m].map(…)`.'],
      ['const s = "a"; s.map((x) => x)', '`s` is a string, which has no `map`.'],
      ['const o = { rows: [1] }; o.map((x) => x)', '`o` is not an array: it has `rows`.'],
      ['const o = { rows: [1], total: 1 };\nfor (const x of o) x', '`o` is not iterable: it has `rows`, `total`.'],
      ['const o = { rows: [1] };\nconst [first] = o', '`o` is not iterable: it has `rows`.'],
      ['const o = { rows: [1] };\n((o) => [...o])(5)', undefined],
      ['const n = 5;\nfor (const x of n) x', undefined],
      ['const m = new Map([["a", { b: 1 }]]); m.a.b', "`m` is a Map: write `m.get('a')`."],
      [
        'class Rows extends Map { columns = {}; }\nconst m = new Rows(); m.colums.b',
        '`m` has no `colums`. Did you mean `columns`?',
      ],
      ['const m = new Map(); m.get("a").b', '`m.get(…)` is undefined.'],
      ['const xs = [1];\nfor (let i = 0; i <= xs.length; i++) xs[i].toFixed(1)', '`xs[i]` is undefined.'],
      ['const g = [[1]];\nfor (let i = 0; ; i++) g[i + 1]?.[0].a.b, g[i + 1].length', '`g[…]` is undefined.'],
      ['const hit = "a".match(/b/);\nitems.find((x) => x > 5).name', '`items.find(…)` is undefined.'],
      ['function none() { return null; }\nnone().rows.length', '`none(…)` is null.'],
      ['const row = {};\nif (row) (() => row)().a.b', undefined],
      ['JSON.parse({ a: 1 })', '`JSON.parse` takes text, but was given an object: use the object as it is.'],
      ['JSON.parse([{}, {}])', '`JSON.parse` takes text, but was given a list of objects: use the list as it is.'],
      ['JSON.parse("[object O]")', undefined],
      ['items.max()', '`items` is an array: write `Math.max(...items)`.'],
      ['items.reduse((a) => a)', '`items` has no `reduse`. Did you mean `reduce`?'],
      ['const page = "<html>"; page.links.map((l) => l)', '`page` has no `links`.'],
      ['const rs = [1]; rs.value.map((x) => x)', '`rs` has no `value`.'],
      ['const o = { links: 1 }; o.link.map((x) => x)', '`o` has no `link`. Did you mean `links`?'],
      ['const names = [undefined]; names[0].length', '`names[0]` is undefined.'],
    ])('%s', async (code, hint) => {
      expect(await told(code, { variables: { items: [1] } })).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', hint });
    });
  });

  describe('abbreviated names and names from other languages get a hint', () => {
    test.each([
      ['new Mapp()', 'Did you mean `Map`?'],
      ['JSN.parse("1")', 'Did you mean `JSON`?'],
      ['Promise.al([])', '`Promise` has no `al`. Did you mean `all`?'],
      ['console.lg(1)', '`console` has no `lg`. Did you mean `log`?'],
      ['st.ad(1)', '`st` has no `ad`. Did you mean `add`?'],
      ['m.gt(1)', '`m` has no `gt`. Did you mean `get`?'],
      ['Math.mx(1)', '`Math` has no `mx`. Did you mean `max`?'],
      ['new Data()', undefined],
      ['items.contains(1)', '`items` is an array: write `items.includes(…)`.'],
      ['st.contains(1)', '`st` is a Set: write `st.has(…)`.'],
      [
        '"a".contains("a")',
        'An array has `includes(…)`, a string has `includes(…)`, a Set has `has(…)`, a Map has `has(…)`.',
      ],
      ['items.append(1)', '`items` is an array: write `items.push(…)`.'],
      ['st.append(1)', '`st` is a Set: write `st.add(…)`.'],
      ['st.push(1)', '`st` is a Set: write `st.add(…)`.'],
      ['items.size()', '`items` is an array: write `items.length`.'],
      ['m.put(1, 2)', '`m` is a Map: write `m.set(…)`.'],
      ['m.length()', '`m` is a Map: write `m.size`.'],
      ['items.last()', '`items` is an array: write `items.at(-1)`.'],
      ['items.isEmpty()', '`items` is an array: write `items.length === 0`.'],
    ])('%s', async (code, hint) => {
      const earlier = ['const st = new Set(), m = new Map();'];
      const given = await told(code, { earlier, variables: { items: [1] } });
      expect(given).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', hint });
    });
  });

  describe('a forgotten await gets a hint', () => {
    test.each([
      ['const t = await search("x").map((r) => r.title)', AWAITED('search', '.map')],
      ['await db.query("x").rows.length', AWAITED('db.query', '.rows')],
      ['const t = await search("x")[0].title', AWAITED('search', '[0]')],
      ['search("x")?.results?.map', undefined],
      ['search("x")\n  .results\n  .map((x) => x)', AWAITED('search', '.results')],
      ['const l = search("x")\n  .map((x) => x);', AWAITED('search', '.map')],
      ['const r = search("x");\nfor (const x of r) {}', '`r` is a promise: write `await r`.'],
      ['JSON.parse(search("x"))', '`JSON.parse` was given a promise: write `JSON.parse(await …)`.'],
      ['await search("x"); const o = {}; o.results.map((x) => x)', '`o` has no `results`.'],
      ['function search() { return {}; }\nsearch("x").results.map((x) => x)', '`search(…).results` is undefined.'],
      ['const { results } = search("q");\nresults.length', VALUE('search')],
      ['const { rows: list } = db.query("q");\nlist.map((x) => x)', VALUE('db.query')],
      ['const { results } = search("q");\nfor (const r of results) r', VALUE('search')],
      ['const { results } = (await search("q")).meta ?? {};\nresults.length', '`results` is undefined.'],
      ['for (const r of search("q").results) r', AWAITED('search', '.results')],
      ['[...db.query("q").rows]', AWAITED('db.query', '.rows')],
      ['async function getRows() { return [1]; }\ngetRows().map((x) => x)', AWAITED('getRows', '.map')],
      ['const getRows = async () => [1];\ngetRows().filter(Boolean)', AWAITED('getRows', '.filter')],
      ['async function getRows() { return [1]; }\nfor (const r of getRows()) r', VALUE('getRows')],
      ['async function page() { return { rows: [1] }; }\npage().rows.length', AWAITED('page', '.rows')],
      ['await Promise.all([search("a")]).map((r) => r)', AWAITED('Promise.all', '.map')],
      ['const [a] = Promise.all([search("a")])', VALUE('Promise.all')],
      ['const { length } = Promise.all([]);\nlength.toFixed(2)', VALUE('Promise.all')],
      ['for await (const r of search("x")) r', VALUE('search')],
      ['for await (const r of plain("x")) r', undefined],
      ['await Promise.all(search("a"), search("b"))', '`Promise.all` takes one list: write `Promise.all([…])`.'],
      ['await Promise.race(db.query("a"))', '`db.query` returns a promise: write `Promise.race(await db.query(…))`.'],
      ['await Promise.all({ a: 1 })', '`Promise.all` takes a list of promises.'],
      ['const Promise = { all: () => ({}) };\nPromise.all([]).map((r) => r)', '`Promise.all(…)` is not an array.'],
      ['function getRows() { return {}; }\ngetRows().map((x) => x)', '`getRows(…)` is not an array.'],
      ['async function* getRows() {}\ngetRows().filter(Boolean)', '`getRows(…)` is not an array.'],
    ])('%s', async (code, hint) => {
      expect((await told(code)).hint).toBe(hint);
    });

    test.each([
      ['rows().map((x) => x)', AWAITED('rows', '.map')],
      ['for (const r of rows()) r', VALUE('rows')],
      ['[...rows()]', VALUE('rows')],
      ['const [a] = rows()', VALUE('rows')],
      ['arrow().rows.length', AWAITED('arrow', '.rows')],
      ['api.get(1).map((x) => x)', AWAITED('api.get', '.map')],
      ['const { length } = rows(); length.toFixed()', VALUE('rows')],
      ['plainRows().map((x) => x)', '`plainRows(…)` is not an array.'],
      ['(() => { const rows = () => ({}); rows().map((x) => x); })()', '`rows(…)` is not an array.'],
      ['trap().map((x) => x)', '`trap(…)` is not an array.'],
    ])('a forgotten await for a function of an earlier run gets a hint: %s', async (code, hint) => {
      const earlier = [
        `async function rows() { return [1]; }
         const arrow = async () => ({ rows: [1] });
         const api = new (class { async get() { return [1]; } })();
         const plainRows = () => ({});
         const trap = new Proxy(() => ({}), { getPrototypeOf: () => { throw new Error("asked"); } });`,
      ];
      expect((await told(code, { earlier })).hint).toBe(hint);
    });
  });

  describe('omitted semicolons get a hint', () => {
    const GOES_ON = (line) => `Line ${line} continues the expression of the line above: end that line with \`;\`.`;

    test.each([
      ['const a = 1\nconst b = [1, 2]\n[a, b].forEach((x) => x)', GOES_ON(3)],
      ['const a = 1\nconst b = plain()\n[a, 7].forEach((x) => x)', GOES_ON(3)],
      ['const a = 1\r\n// note\r\n(function () {})()', GOES_ON(3)],
      ['const f = plain()\n(async () => {})()', GOES_ON(2)],
      ['const rows = "a"\n[0, 1].includes(1)', GOES_ON(2)],
      [
        'const a = plain();\n[a, b].forEach((x) => x);\nconst b = 1',
        '`b` has no value before line 3, where it is declared.',
      ],
      ['if (plain())\n[b].forEach((x) => x);\nlet b = 1', '`b` has no value before line 3, where it is declared.'],
      ['const rows = [[1]];\nrows[4].includes(1)', '`rows[4]` is undefined.'],
    ])('%j', async (code, hint) => {
      expect((await told(code)).hint).toBe(hint);
    });
  });

  describe('variables that have no value yet get a hint', () => {
    const ANEW = (name) =>
      `\`${name}\` here is the variable that this line declares, which has no value yet: give the new variable another name.`;

    test.each([
      ['let items = items.filter(Boolean)', ANEW('items')],
      ['const own = own + 1', ANEW('own')],
      ['console.log(late);\nlet late = 1', '`late` has no value before line 2, where it is declared.'],
      [
        'const made = make();\nfunction make() {\n  return made;\n}',
        '`made` has no value until its declaration on line 1 is complete.',
      ],
      ['class A extends A {}', ANEW('A')],
      [
        'switch (1) { case 0: let z = 1; break; case 1: z; }',
        '`z` has no value until its declaration on line 1 is complete.',
      ],
      ['{ const a = 1; }\n{ a1; let a1; }\n{ let a1; }', undefined],
    ])('%j', async (code, hint) => {
      const earlier = ['const own = 1;'];
      expect((await told(code, { earlier, variables: { items: [1] } })).hint).toBe(hint);
    });
  });

  describe("names that differ from the global's get a hint", () => {
    test.each([
      ['class V { render(user) { return user.tag.length; } }\nnew V().render({})'],
      ['const o = { m(user) { return user.tag.length; } }; o.m({})'],
      ['for (const { user } of [{ user: {} }]) user.tag.length'],
      ['function g(o) {\n  const { user } = o;\n  return user.tag.length;\n}\ng({ user: {} })'],
    ])('%s', async (code) => {
      const { hint } = await told(code, { variables: { user: { tags: [] } } });
      expect(hint).toBe('`user.tag` is undefined.');
    });
  });

  describe('writes to fixed names and values get a hint', () => {
    const config = { limit: 5 };
    test.each([
      ['final_answer = "42"', '`final_answer` is a function. Call it: `final_answer(value)`.'],
      ['search = 5', '`search` is a tool: give the variable another name.'],
      ['db = 5', '`db` is a tool: give the variable another name.'],
      ['JSON = null', '`JSON` is a built-in name: give the variable another name.'],
      ['URL = null', '`URL` is a built-in name: give the variable another name.'],
      [
        'const limit = config.limit; config.limit = limit + 1',
        '`config` is a variable from the host, and frozen. Change a copy: `const copy = structuredClone(config)`.',
      ],
      ['const tags = Object.freeze([]);\ntags.push(config.limit);', undefined],
      ['const tags = Object.freeze([]);\r\nconst n = config.limit;\r\ntags.push(1);', undefined],
    ])('%s', async (code, hint) => {
      expect(await told(code, { variables: { config } })).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', hint });
    });

    test('structuredClone keeps values that JSON loses', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.sendVariables({ event: { when: new Date(0), n: 5n } });
        const code = 'const copy = structuredClone(event); copy.n += 1n; [copy.n, copy.when.getTime()]';
        expect((await executor.run(code)).output).toStrictEqual([6n, 0]);
      });
    });
  });

  test('a line that ends with \\\\r\\\\n counts as one line', async () => {
    const code = 'const rows = [{ a: 1 }];\r\nconst b = config.limit;\r\nconst k = rows.zz.y;';
    expect((await told(code, { variables: { config: { limit: 1 } } })).hint).toBe('`rows` has no `zz`.');
  });

  test('getters of the guest do not run a second time for a hint', async () => {
    let paid = 0;
    await withExecutor({}, { pay: () => void paid++ }, async (executor) => {
      const code = 'const order = { get receipt() { pay(); return { id: undefined }; } };\norder.receipt.id.length';
      const error = await executor.run(code).catch((thrown) => thrown);
      expect([error.details.hint, paid]).toStrictEqual(['`order.receipt.id` is undefined.', 1]);
      const method = await executor.run('const box = { get it() { pay(); return 1; } };\nbox.it()').catch((e) => e);
      expect([method.details.hint, paid]).toStrictEqual([undefined, 2]);
    });
  });

  describe('an error thrown by a function of an earlier run', () => {
    test.each([
      [
        'run({ items: [] })',
        'It was thrown in `pick`, line 2 of an earlier run (step-1.js): `return r.items[0].name;`.',
      ],
      [
        'total([])',
        'It was thrown in `total`, line 7 of an earlier run (step-1.js): `const total = (list) => list.sum();`.',
      ],
      [
        '[{}].map((x) => { try { total([]); } catch (e) { throw new Error("mine", { cause: e }); } })',
        'Its cause: TypeError: list.sum is not a function (line 2)',
      ],
    ])('has the place and a hint for the call %s', async (code, hint) => {
      const earlier = [
        'function pick(r) {\n  return r.items[0].name;\n}\nfunction run(q) {\n  return pick(q);\n}\nconst total = (list) => list.sum();',
      ];
      expect(await told(`const list = { sums: 1, other: 2 };\n${code}`, { earlier })).toMatchObject({ hint, line: 2 });
    });
  });

  describe('a tool failure in a function of an earlier run', () => {
    const LOAD = 'It was thrown in `load`, line 2 of an earlier run (step-1.js): `const r = await fetchPage(q);`.';
    const EARLIER = `async function load(q) {
  const r = await fetchPage(q);
  return r;
}
async function second(q) {
  await null;
  return await load(q);
}
const arrow = async (q) =>
  (await fetchPage(q)).x;
class Api {
  async get(q) { return await fetchPage(q); }
}
const api = new Api();
function sync(q) {
  return boom(q);
}`;
    const tools = {
      fetchPage: async () => Promise.reject(new Error('rate limit')),
      boom: () => {
        throw new Error('rate limit');
      },
    };
    const frames = (...list) => ['Error: rate limit', ...list.map((frame) => `    at ${frame}`)].join('\n');

    test.each([
      ['const page = await load("x");', LOAD, 20, frames('load (step-1.js:2:19)', 'step-2.js:3:20')],
      ['await second(1);', LOAD, 1],
      ['await Promise.all(["a", "b"].map(load));', LOAD, 30],
      ['await Promise.all(["a", "b"].map((q) => load(q)));', LOAD, 41],
      ['for (const q of ["a"]) await load(q);', LOAD, 30],
      [
        'await arrow(1);',
        'It was thrown in `arrow`, line 10 of an earlier run (step-1.js): `(await fetchPage(q)).x;`.',
        7,
        frames('arrow (step-1.js:10:10)', 'step-2.js:3:7'),
      ],
      [
        'await api.get(1);',
        'It was thrown in `get`, line 12 of an earlier run (step-1.js): `async get(q) { return await fetchPage(q); }`.',
        11,
      ],
      ['sync(1);', 'It was thrown in `sync`, line 16 of an earlier run (step-1.js): `return boom(q);`.', 1],
      ['try { await load(1); } catch (e) { throw e; }', LOAD, 13],
      [
        'try { await load(1); } catch (e) { throw new Error("own", { cause: e }); }',
        'Its cause: rate limit (line 3)',
        42,
      ],
    ])('has the place and a hint for the call %s', async (code, hint, column, stack = expect.any(String)) => {
      await withExecutor({}, tools, async (executor) => {
        await executor.run(EARLIER);
        const { details } = await executor.run(`const a = 1;\nconst b = 2;\n${code}`).catch((error) => error);
        expect(details).toMatchObject({ hint, line: 3, column, stack });
        expect(details.codeFrame).toContain(`3 | ${code}`);
      });
    });
  });

  test('an error without a message is reported by its name', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { message, details } = await executor.run('throw new Error()').catch((thrown) => thrown);
      expect([message, details.message]).toStrictEqual(['Runtime exception: Error', '']);
    });
  });

  test('an unhandled rejection has a line', async () => {
    await withExecutor({}, TOOLS, async (executor) => {
      const code = '[1].forEach(async () => {\n  const r = await search("q");\n  r.foo.bar;\n});\nawait search("z");';
      expect((await executor.run(code)).logs).toBe(
        "Unhandled promise rejection: TypeError: Cannot read properties of undefined (reading 'bar') (line 3)",
      );
    });
  });

  test('an object that the guest froze is not attributed to the host', async () => {
    const { hint } = await told('const own = Object.freeze({ a: 1 });\nown.a = 2', { variables: { data } });
    expect(hint).toBeUndefined();
  });

  test.each([
    ['own.a = 2', 'const own = Object.freeze({ a: 1 });'],
    ['new Own().a = 2', 'class Own { a = 1; constructor() { Object.freeze(this); } }'],
    ['own.a = 2', 'const own = Object.defineProperty({}, "a", { value: 1 });'],
  ])('an object that the guest froze in an earlier run is not attributed to the host: %s', async (code, earlier) => {
    expect((await told(code, { earlier: [earlier], variables: { data } })).hint).toBeUndefined();
  });

  test.each([
    ['Object.freeze(user); user.a = 3', ['let user = { a: 1 };'], undefined],
    ['Object.freeze(user); user.a = 3', ['user = { a: 1 };'], undefined],
    ['const user = Object.freeze({ a: 1 });\nuser.a = 2', [], undefined],
    [
      'user.a = 3',
      ['null; let own = user;'],
      '`user` is a variable from the host, and frozen. Change a copy: `const copy = structuredClone(user)`.',
    ],
  ])('a value that replaces a variable of the host is not attributed to the host: %s', async (code, earlier, hint) => {
    expect((await told(code, { earlier, variables: { user: { a: 1 } } })).hint).toBe(hint);
  });

  test('a loop that exceeds the limit of operations is shown in the code frame', async () => {
    await withExecutor({ maxOperations: 1000 }, {}, async (executor) => {
      const error = await executor.run('let i = 0;\nwhile (true) {\n  i++;\n}').catch((thrown) => thrown);
      expect([error.code, error.details.line, error.details.column]).toStrictEqual(['ERR_MAX_OPS_EXCEEDED', 2, 1]);
      expect(error.details.codeFrame).toBe(
        [
          '  |',
          '1 | let i = 0;',
          '2 | while (true) {',
          '  | ^ the limit of iterations is exceeded here',
          '3 |   i++;',
          '  |',
        ].join('\n'),
      );
    });
  });

  test('for a loop in a function of an earlier run, the line is that of the call', async () => {
    const earlier = ['function spin() { for (;;) {} }'];
    const options = { maxOperations: 1000 };
    expect(await told('1;\nspin()', { earlier, options })).toMatchObject({ code: 'ERR_MAX_OPS_EXCEEDED', line: 2 });
  });

  test('an error deeper than ten frames has a line', async () => {
    const earlier = ['function deep(n) { if (n === 0) throw new Error("deep"); return deep(n - 1) + 1; }'];
    expect((await told('1;\n2;\ndeep(30)', { earlier })).line).toBe(3);
  });
});

describe('validation errors before the run have a hint', () => {
  const fix = (code) => validateCode(code).map(({ message, fix: todo }) => [message, todo]);

  test.each([
    ['const x = 1 # note', 'Expected a semicolon', 'Comments begin with //, not with #'],
    [
      '# note\nconst x = 1',
      "Private field '#note' must be declared in an enclosing class",
      'Comments begin with //, not with #',
    ],
    ['f(“hi”)', "Unexpected character '“'", 'Use straight quotes: " or \''],
    ['const s = “hi”', "Unexpected character '“'", 'Use straight quotes: " or \''],
    ['const s = ‘hi’', "Unexpected character '‘'", 'Use straight quotes: " or \''],
    [
      'const a = 1;\n{ a: a, b: 2 }',
      "Expected ';', '}' or <eof>",
      'An object at the end of a program needs parentheses: `({ … })`, or `return { … }`',
    ],
    [
      'const a = f(1)\n{ a, b: 2 }',
      "Expected ';', '}' or <eof>",
      'An object at the end of a program needs parentheses: `({ … })`, or `return { … }`',
    ],
    [
      'const a = 1 // one\n{ a: a, b: 2 }',
      "Expected ';', '}' or <eof>",
      'An object at the end of a program needs parentheses: `({ … })`, or `return { … }`',
    ],
    ['if (a) {} else\n{ a: 1, b: 2 }', "Expected ';', '}' or <eof>", undefined],
    [
      '{ "a": 1, "b": 2 }',
      "Expected ';', '}' or <eof>",
      'An object at the end of a program needs parentheses: `({ … })`, or `return { … }`',
    ],
    ['if a > 1:\n  b', "Expected '(', got 'ident'", 'This is Python: write `if (…) { … }`'],
    ['if (a) {}\nelif x', "Expected ';', '}' or <eof>", 'This is Python: write `else if (…) { … }`'],
    ['def f(x):\n  return x', "Expected ';', '}' or <eof>", 'This is Python: write `function name(…) { … }`'],
    ['for x in range(3):\n  x', "Expected '(', got 'ident'", 'This is Python: write `for (const item of list) { … }`'],
    ['while n < 3:\n  n', "Expected '(', got 'ident'", 'This is Python: write `while (…) { … }`'],
    ['if (1) {} elif (2) {}', "Expected ';', '}' or <eof>", 'This is Python: write `else if (…) { … }`'],
    ['if (1) {} elif x: 2', "Expected ';', '}' or <eof>", 'This is Python: write `else if (…) { … }`'],
    ['if (a > 2 and true) {}', "Expected ')', got 'ident'", 'This is Python: write `&&`'],
    ['const x = f(a) or b', 'Expected a semicolon', 'This is Python: write `||`'],
    ['if (not x) {}', "Expected ')', got 'ident'", 'This is Python: write `!`'],
    ['x and', "Expected ';', '}' or <eof>", undefined],
    ['class A {\n  #n = 0;\n  #total = items.reduce((a, b) => a + b;\n}', 'missing ) after argument list', undefined],
    ['class A {\n  # the total\n}', 'Unexpected space between # and identifier', 'Comments begin with //, not with #'],
    [
      'class A { #x = 1 }\nnew A().#x',
      "Private field '#x' must be declared in an enclosing class",
      'Private names work only inside their class: give the class a method',
    ],
    [
      'class A { #x = 1 }\n#x in new A()',
      "Private field '#x' must be declared in an enclosing class",
      'Private names work only inside their class: give the class a method',
    ],
    [
      'class A {\n  go() { this.#run(); } }\n  #run() {}\n}',
      "Expected ';', '}' or <eof>",
      'A `}` before this ends its class: remove it',
    ],
    ['class A { m() { return this.#y } }', "Private field '#y' must be declared in an enclosing class", undefined],
    [
      'let name, tags;\n{ name, tags } = user;',
      "Unexpected token '='",
      'An assignment that begins with a pattern needs parentheses: `({ … } = value)`',
    ],
    [
      '{ name, tags: t } = user;',
      "Expected ';', '}' or <eof>",
      'An assignment that begins with a pattern needs parentheses: `({ … } = value)`',
    ],
    [
      '{\n  // note\n  "a": 1,\n  "b": 2\n}',
      "Expected ';', '}' or <eof>",
      'An object at the end of a program needs parentheses: `({ … })`, or `return { … }`',
    ],
    [
      'items.map(x => { id: x, b: 2 })',
      "Expected ';', '}' or <eof>",
      'An arrow function that returns an object needs parentheses: `(…) => ({ … })`',
    ],
    ['items.map(x => { f(x) b })', "Expected ';', '}' or <eof>", undefined],
    ['try {\n  f("}");\n}\nconsole.log(1);', 'Missing catch or finally after try', undefined],
    ['const o = search("x";', 'missing ) after argument list', undefined],
    ['console.log("a"', 'missing ) after argument list', undefined],
    ['[1 2]', 'Unexpected number', undefined],
    ['({ a: 1 "b": 2 })', 'Unexpected string', undefined],
    ['({ f(a b) {} })', "Unexpected identifier 'b'", undefined],
    ['class A { f(a b) {} }', "Unexpected identifier 'b'", undefined],
    ['let x = 5, let y = 6;', 'Unexpected strict mode reserved word', undefined],
    ['function f( { return 1 }', 'Unexpected number', undefined],
    [
      'class A { foo: function() { return 1 } }',
      "Unexpected token 'function'",
      'In a class write methods as `name(…) { … }`',
    ],
    [
      '@dec\nclass A {}',
      'decorators are not supported',
      'Call the function yourself: `const A = decorate(class { … })`',
    ],
    [
      'class A { @dec m() {} }',
      'decorators are not supported',
      'Call the function yourself: `const A = decorate(class { … })`',
    ],
    ['x = a @ b', "Expected ';', '}' or <eof>", undefined],
    ['class A { accessor x = 1 }', '`accessor` properties are not supported', 'Write a getter and a setter'],
    [
      'class A { constructor(private { a }: any) {} }',
      'a parameter property cannot be a pattern',
      'Leave out the modifier, and assign to properties in the body of the constructor',
    ],
    [
      '<code>\nconst a = 1;',
      "Unexpected token 'const'",
      'Pass the code without the tags <code> and </code>, or put each on its own line',
    ],
    [
      'Here is the code:\n```js\n5;\n```\nDone.',
      "Expected ';', '}' or <eof>",
      'Pass the code without Markdown fences (```), or with one before it and one after it',
    ],
    [
      'export const a = 1;\na',
      'export is not available: end the program with an expression to return its value',
      'Leave out the `export` before the declaration',
    ],
    [
      'export default function f() {}',
      'export is not available: end the program with an expression to return its value',
      'Leave out the `export` before the declaration',
    ],
    ['export default 5', 'export is not available: end the program with an expression to return its value', undefined],
    ['const f = () => { return 1 } }', "Unexpected token '}'", undefined],
    ['if (a) b; } else { c }', "Unexpected token '}'", undefined],
    ['else { 1 }', "Unexpected token 'else'", undefined],
    ['class = 1', "Unexpected token '='", undefined],
    ['let x = ;', "Unexpected token ';'", undefined],
    ['let class = 5', "Unexpected token 'class'", undefined],
    ['let 2 = 1', 'Invalid or unexpected token', undefined],
    ['for (;;) { continue outer }', "Undefined label 'outer'", undefined],
    ['let s: string = `abc', 'Unterminated template', undefined],
    [
      'function f(y) { for await (const x of y) {} }',
      "Expected '(', got 'await'",
      '`for await` needs an async function: `async function name(…) { … }`',
    ],
    [
      '```js\n5',
      'Unterminated template',
      'Pass the code without Markdown fences (```), or with one before it and one after it',
    ],
    [
      '5\n```',
      'Unterminated template',
      'Pass the code without Markdown fences (```), or with one before it and one after it',
    ],
  ])('%j', (code, message, todo) => {
    expect(fix(code)).toStrictEqual([[message, todo]]);
  });

  test('a static import without authorized modules gets no hint to use another kind of import', () => {
    expect(fix('import fs from "fs"')).toStrictEqual([
      ['static import of "fs" is not available: programs run as scripts', undefined],
      [
        'import of "fs" is not allowed',
        'Do not import modules: none are authorized here; use the tools and variables that the host provides',
      ],
    ]);
  });

  test('Markdown fences are removed with a warning', async () => {
    const code = '```js\nconst x = 1;\nx + 1\n```\n';
    const message = 'the program was in Markdown fences (```): only the text between them is used';
    expect(fix(code)).toStrictEqual([[message, 'Pass the code without fences']]);
    expect(fix('```js\nlet x = 1; let x = 2;\n```')[0]).toStrictEqual([
      "Identifier 'x' has already been declared",
      undefined,
    ]);
    await withExecutor({}, {}, async (executor) => {
      const { output, logEntries } = await executor.run(code);
      expect([output, logEntries.map(({ level, message: line }) => [level, line])]).toStrictEqual([
        2,
        [['warn', message]],
      ]);
      const error = await executor.run('```js\nx;\nnull.y\n```').catch((thrown) => thrown);
      expect([error.details.line, error.details.column]).toStrictEqual([3, 6]);
      expect((await executor.run('`a` + `b`')).output).toBe('ab');
    });
  });

  test('tags of the prompts are removed with a warning', async () => {
    const code = '<code>\nconst x = 1;\nx + 1\n</code>\n';
    const message = 'the program was in tags (<code>): only the text between them is used';
    expect(fix(code)).toStrictEqual([[message, 'Pass the code without tags']]);
    await withExecutor({}, {}, async (executor) => {
      const { output, logEntries } = await executor.run(code);
      expect([output, logEntries.map(({ level, message: line }) => [level, line])]).toStrictEqual([
        2,
        [['warn', message]],
      ]);
      const error = await executor.run('<code>\nx;\nnull.y\n</code>').catch((thrown) => thrown);
      expect([error.details.line, error.details.column]).toStrictEqual([3, 6]);
    });
  });

  test.each([
    ['# note\nlet x = 5;', 1, 1],
    ['let x = 5;\n  #note\nx', 2, 3],
    ['class A { #x = 1 }\nnew A().#x', 2, 9],
    ['class A { m() { return this.#y } }', 1, 28],
    ['try {\n  f("}");\n}\nconsole.log(1);', 3, 1],
    ['let π; class A { accessor x = 1 }', 1, 18],
    ['<code>\nlet x = ;\n</code>', 2, 9],
  ])('the place of the error is reported in %j', async (code, line, column) => {
    const places = validateCode(code).flatMap(({ severity, location }) => (severity === 'ERROR' ? [location] : []));
    expect(places).toStrictEqual([{ line, column }]);
    const { details } = await withExecutor({}, {}, (executor) => executor.run(code).catch((thrown) => thrown));
    expect(details.diagnostics).toStrictEqual(validateCode(code));
    expect(details.codeFrame).toContain(`\n${line} | `);
  });

  test('the place of the error is reported for a program that is too large', () => {
    expect(validateCode('12345', { maxCodeBytes: 4 })).toStrictEqual([
      {
        rule: 'code_too_large',
        severity: 'ERROR',
        message: 'the program has 5 bytes; at most 4 are accepted',
        fix: 'Leave large data out of the program: get it from a variable or a tool',
      },
    ]);
  });
});
