// What V8 refuses in a program as it was written is refused, also where our parser reads it and prints something that
// V8 takes; and what it takes runs.

import { expect, test } from 'vitest';

import { validateCode } from '../../index.mjs';
import { expectCode, withExecutor } from '../helpers.mjs';

test.each([
  ['for(false;false){}', "Unexpected token ')'", 1, 16],
  ['1;\nfor (let a = 0; a b) ;', "Unexpected identifier 'b'", 2, 19],
  ['for (;) ;', "Unexpected token ')'", 1, 7],
  ['({g\\u0065t m(){}})', 'Keyword must not contain escaped characters', 1, 3],
  ['({ s\\u0065t m(v){} })', 'Keyword must not contain escaped characters', 1, 4],
  ['function f(){ new.t\\u0061rget }', "'new.target' must not contain escaped characters", 1, 15],
  ['var \\u0061wait', 'Unexpected reserved word', 1, 5],
  ['function f(a = 1); {}', "Unexpected token ';'", 1, 18],
  ['(function (); {})', "Unexpected token ';'", 1, 13],
  ['class A { m(); {} }', "Unexpected token ';'", 1, 14],
  ['(1 =>)', 'Malformed arrow function parameter list', 1, 2],
  [
    'while (false) async function f() {}',
    'Async functions can only be declared at the top level or inside a block',
    1,
    15,
  ],
  ['for (;;) async function* f() {}', 'Async functions can only be declared at the top level or inside a block', 1, 10],
  [
    'for (const a of []) async function f() {}',
    'Async functions can only be declared at the top level or inside a block',
    1,
    21,
  ],
  ['({ async\nm() {} })', "Unexpected identifier 'm'", 2, 1],
  ["new import('m'.trim())", 'Cannot use new with import', 1, 5],
  ["1;\nnew /* it */ import('m'.trim()).then()", 'Cannot use new with import', 2, 14],
  ['#!/usr/bin/env node\n({g\\u0065t m(){}})', 'Keyword must not contain escaped characters', 2, 3],
  ['```js\nfor(false;false){}\n```', "Unexpected token ')'", 2, 16],
])('%j is refused', async (code, message, line, column) => {
  const diagnostics = validateCode(code).filter(({ severity }) => severity === 'ERROR');
  expect(diagnostics).toStrictEqual([{ rule: 'syntax_valid', severity: 'ERROR', message, location: { line, column } }]);
  await withExecutor({}, {}, async (executor) => {
    const { details } = await expectCode(executor.run(code), 'ERR_VALIDATION_FAILED');
    expect(details.diagnostics.filter(({ severity }) => severity === 'ERROR')).toMatchObject(diagnostics);
    expect((await executor.run('1')).output).toBe(1);
  });
});

test.each([
  ['let async; for (\\u0061sync of [1, 2]) ; async', 2],
  ['for (let i = 0 /* ; */; i < 2; /* ) */ i++) i', 1],
  ['class A { static async constructor() { return 1 } } await A.constructor()', 1],
  ["const o = { \\u0063lass: 1, 'b': { \\u0069f: 2 } }; [o.cl\\u0061ss, o.b.\\u0069f]", [1, 2]],
  ["const \\u{61}b = 'c'; ab + '\\u0064'", 'cd'],
  ['#!/usr/bin/env node\n"\\u0061"', 'a'],
  ['\ufeff"\\u0061"', 'a'],
  ['(/* ) */ 1 // )\n)', 1],
  ['while (false) var x = 1; x', undefined],
  ['await ({ async /* */ m() { return 2 } }).m()', 2],
  ["typeof new (class { constructor() { return import('m'.trim()).catch(() => {}) } })().then", 'function'],
  ['const { \\u0069n: x } = { in: 3 }; x', 3],
])('%j runs', async (code, output) => {
  expect(validateCode(code)).toStrictEqual([]);
  expect((await withExecutor({}, {}, (executor) => executor.run(code))).output).toStrictEqual(output);
});

test('early errors are reported in modules too', async () => {
  const load = (m) =>
    withExecutor({ authorizedImports: ['m'], modules: { m } }, {}, (executor) =>
      executor.run("(await import('m')).default"),
    );
  expect((await load("export default '\\u0061'")).output).toBe('a');
  expect((await load('const a = 3; export { a as default }')).output).toBe(3);
  const { details: unended } = await expectCode(load('export default 1; export {} null'), 'ERR_RUNTIME_EXCEPTION');
  expect(unended.message).toBe(
    "Module 'm' cannot be loaded: in module \"m\", line 1, column 29: Unexpected token 'null'",
  );
  const { details } = await expectCode(load('export default { g\\u0065t m() {} }'), 'ERR_RUNTIME_EXCEPTION');
  expect(details.message).toBe(
    'Module \'m\' cannot be loaded: in module "m", line 1, column 18: Keyword must not contain escaped characters',
  );
  // V8's error for source text that VALIDATE accepts would look like an error of the importing code.
  const { details: twice } = await expectCode(load('\nconst a = 1;\n  const a = 2;'), 'ERR_RUNTIME_EXCEPTION');
  expect(twice.message).toBe(
    "Module 'm' cannot be loaded: in module \"m\", line 3, column 9: Identifier 'a' has already been declared",
  );
  const typed = 'const a: number = 1;\nconst a: number = 2;';
  const { details: untold } = await expectCode(load(typed), 'ERR_RUNTIME_EXCEPTION');
  expect(untold.message).toBe("Module 'm' cannot be loaded: in module \"m\": Identifier 'a' has already been declared");
});

// Values that `[x, , ]` takes out of an iterator: the parser of TypeScript dropped the last ones.
test.each([
  ['let x: number; [x, , ] = values', 2],
  ['let x; [x, /* , */ , ,] = values as any', 3],
  ['[,] = values as any', 1],
  ['(([,]: any) => 1)(values)', 1],
  ['(([a, ,]: number[]) => a)(values)', 2],
  ['const [a, ,]: number[] = values', 2],
  ['[] = values as any', 0],
  ['let x; [x,] = values as any', 1],
  ['let x; ({ x: [x, ,] } = { x: values } as any)', 2],
])('%j reads %j values from the iterator', async (code, count) => {
  const head =
    'let taken = 0; const values: any = { *[Symbol.iterator](): any { for (;;) yield ++taken } };\nconst run = () => {';
  const { output } = await withExecutor({ language: 'typescript' }, {}, (executor) =>
    executor.run(`${head} ${code} }; run(); taken`),
  );
  expect(output).toBe(count);
});
