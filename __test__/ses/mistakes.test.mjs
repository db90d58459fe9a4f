// Mistakes that models make often, and what they are told: the exact text of each.
import { describe, expect, test } from 'vitest';

import { validateCode } from '../../index.mjs';
import { withExecutor } from '../helpers.mjs';

/** What the failure of a run says to whoever writes the code: the hint, or what to do about the findings. */
const told = (code, { earlier = [], options = {}, variables = {} } = {}) =>
  withExecutor({ ...options }, { search: async () => ({ results: [1] }) }, async (executor) => {
    await executor.sendVariables(variables);
    for (const step of earlier) await executor.run(step);
    const error = await executor.run(code).catch((thrown) => thrown);
    const { hint, diagnostics = [], line } = error.details ?? {};
    return { code: error.code, hint: hint ?? diagnostics.find(({ fix }) => fix !== undefined)?.fix, line };
  });

describe('at run time', () => {
  const data = { items: [{ n: 1 }], list: [1] };
  const COPY =
    "`data` is a variable of the host's, and frozen. Change a copy: `const copy = JSON.parse(JSON.stringify(data))`.";

  test.each([
    ['data.items[0].n = 2', COPY],
    ['data.list.push(2)', COPY],
    ['data.extra = 1', COPY],
    ['const first = 1; delete data.list', COPY],
    ['K = 2', '`K` is a constant of an earlier run. Declare it again to change it: `let K = …`.'],
    ['K += 2', '`K` is a constant of an earlier run. Declare it again to change it: `let K = …`.'],
    ['L++', '`L` is a constant of an earlier run. Declare it again to change it: `let L = …`.'],
    ['search("q").results.map((x) => x)', '`search` gives a promise: write `(await search(…)).results`.'],
    ['const rows = search(f("a")).slice(1)', '`search` gives a promise: write `(await search(…)).slice`.'],
    ['for (const r of search("x")) r', '`search` gives a promise: write `await search(…)`.'],
    ['const [a] = search("x")', '`search` gives a promise: write `await search(…)`.'],
    ['const r = search("a"); r[0].title', '`r` is a promise: write `(await r)`.'],
    ['const r = search("a"); r.filter((x) => x)', '`r` is a promise: write `(await r)`.'],
    ['(await search("a")).map((x) => x)', undefined],
    ['"a".length()', '`length` is no function: leave out the parentheses.'],
    ['max([1, 2])', 'Did you mean `Math.max`?'],
    [
      'new Set<string>(["a"]).size',
      '`<string>` is TypeScript, and this was read as JavaScript: leave the type arguments out.',
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
    ['require("fs")', 'Use `await import(name)` with an authorized module'],
    ['await fetch("https://example.com")', 'Ask the host for a tool that makes the request'],
    ['setTimeout(() => {}, 1)', 'Ask the host for a tool such as sleepTool(ms)'],
    ['document.title', 'There is no browser; ask the host for a tool'],
    ['process.env', 'Node.js is not reachable; ask the host for a tool or a variable that provides what is needed'],
    ['throw new Error("outer", { cause: new TypeError("inner") })', 'Its cause: TypeError: inner (line 1)'],
    [
      'const fails = async (text) => { throw new Error(text); };\nawait Promise.any([fails("a"), fails("b")])',
      'Its errors: a (line 1); b (line 1)',
    ],
  ])('%s', async (code, hint) => {
    const earlier = ['const K = 1; const L = 1; const g = () => L; const f = (x) => x;'];
    expect(await told(code, { earlier, variables: { data } })).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', hint });
  });

  test('what the guest has frozen itself is not of the host', async () => {
    const { hint } = await told('const own = Object.freeze({ a: 1 });\nown.a = 2', { variables: { data } });
    expect(hint).toBeUndefined();
  });

  test('a loop that exceeds its operations is shown', async () => {
    await withExecutor({ maxOperations: 1000 }, {}, async (executor) => {
      const error = await executor.run('let i = 0;\nwhile (true) {\n  i++;\n}').catch((thrown) => thrown);
      expect([error.code, error.details.line, error.details.column]).toEqual(['ERR_MAX_OPS_EXCEEDED', 2, 1]);
      expect(error.details.codeFrame).toBe(
        [
          '  |',
          '1 | let i = 0;',
          '2 | while (true) {',
          '  | ^ it took more iterations than the run may',
          '3 |   i++;',
          '  |',
        ].join('\n'),
      );
    });
  });

  test('of a loop in a function of an earlier run, the line of the call', async () => {
    const earlier = ['function spin() { for (;;) {} }'];
    const options = { maxOperations: 1000 };
    expect(await told('1;\nspin()', { earlier, options })).toMatchObject({ code: 'ERR_MAX_OPS_EXCEEDED', line: 2 });
  });

  test('an error that is deeper than ten frames has a line', async () => {
    const earlier = ['function deep(n) { if (n === 0) throw new Error("deep"); return deep(n - 1) + 1; }'];
    expect((await told('1;\n2;\ndeep(30)', { earlier })).line).toBe(3);
  });
});

describe('before it runs', () => {
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
      '{ "a": 1, "b": 2 }',
      "Expected ';', '}' or <eof>",
      'An object at the end of a program needs parentheses: `({ … })`, or `return { … }`',
    ],
    ['if a > 1:\n  b', "Expected '(', got 'ident'", 'This is Python: write `if (…) { … }`'],
    ['if (a) {}\nelif x', "Expected ';', '}' or <eof>", 'This is Python: write `else if (…) { … }`'],
    ['def f(x):\n  return x', "Expected ';', '}' or <eof>", 'This is Python: write `function name(…) { … }`'],
    ['for x in range(3):\n  x', "Expected '(', got 'ident'", 'This is Python: write `for (const item of list) { … }`'],
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
      'Pass the code without Markdown fences (```), or with one before and one behind it',
    ],
    [
      '5\n```',
      'Unterminated template',
      'Pass the code without Markdown fences (```), or with one before and one behind it',
    ],
  ])('%j', (code, message, todo) => {
    expect(fix(code)).toEqual([[message, todo]]);
  });

  test('a static import where nothing is authorized is not sent to another kind of import', () => {
    expect(fix('import fs from "fs"')).toEqual([
      ['static import of "fs" is not available: programs run as scripts', undefined],
      [
        'import of "fs" is not allowed',
        'Do not import modules: none is authorized here; use the tools and variables that the host provides',
      ],
    ]);
  });

  test('Markdown fences are left out, with a warning', async () => {
    const code = '```js\nconst x = 1;\nx + 1\n```\n';
    const message = 'the program was in Markdown fences (```): only what is between them is taken';
    expect(fix(code)).toEqual([[message, 'Pass the code without fences']]);
    expect(fix('```js\nlet x = 1; let x = 2;\n```')[0]).toEqual([
      "Identifier 'x' has already been declared",
      undefined,
    ]);
    await withExecutor({}, {}, async (executor) => {
      const { output, logEntries } = await executor.run(code);
      expect([output, logEntries.map(({ level, message: line }) => [level, line])]).toEqual([2, [['warn', message]]]);
      const error = await executor.run('```js\nx;\nnull.y\n```').catch((thrown) => thrown);
      expect([error.details.line, error.details.column]).toEqual([3, 6]);
      expect((await executor.run('`a` + `b`')).output).toBe('ab');
    });
  });
});
