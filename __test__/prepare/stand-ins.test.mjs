// What the language has and the parser of swc refuses: `for (using x = f(); …; …)` and, in TypeScript, `static async
// constructor`.

import { expect, test } from 'vitest';

import { validateCode } from '../../index.mjs';
import { expectCode, withExecutor } from '../helpers.mjs';

const HEAD = `const log = [];
const make = (name) => ({ name, [Symbol.dispose]() { log.push('disposed ' + name) } });
const late = (name) => ({ name, async [Symbol.asyncDispose]() { await 1; log.push('awaited ' + name) } });
`;
const run = (code, options = {}) => withExecutor(options, {}, async (executor) => (await executor.run(code)).output);

test.each([
  [
    "for (using a = make('a'), b = make('b'); log.length < 2;) log.push(a.name + b.name)",
    ['ab', 'ab', 'disposed b', 'disposed a'],
  ],
  ["for(  using\ta = make('a');;) break", ['disposed a']],
  ["for (using a = make('a');;) for (using b = make('b');;) { throw log } ", ['disposed b', 'disposed a'], 'throws'],
  ["const f = () => { for (using a = make('a');;) return a.name }; log.push(f())", ['disposed a', 'a']],
  [
    "let i = 0; outer: inner: for (using a = make('a'); i < 3; i++) { for (;;) { log.push(i); continue outer } }",
    [0, 1, 2, 'disposed a'],
  ],
  ["for (await using a = late('a'), b = make('b');;) break", ['disposed b', 'awaited a']],
  ["const g = async () => { for (await using a = late('a');;) return 1 }; log.push(await g())", ['awaited a', 1]],
  ["for (using a = null; log.length < 1;) log.push('for (using b = 1;;)')", ['for (using b = 1;;)']],
  ["using: for (using using = make('u');;) { break using }", ['disposed u']],
])('using in a loop head is run as specified: %s', async (code, output, ending = 'ends') => {
  const whole = ending === 'throws' ? `${HEAD}try { ${code} } catch {}\nlog` : `${HEAD}${code};\nlog`;
  expect(validateCode(whole)).toStrictEqual([]);
  expect(await run(whole)).toStrictEqual(output);
  expect(await run(whole, { language: 'typescript' })).toStrictEqual(output);
});

test('using in a loop head: the value is that of the loop, and the variable is not a binding of the program', async () => {
  expect(await run('let n = 0; for (using a = null; n < 3;) n++')).toBe(2);
  expect(await run('for (using a = null;;) break; typeof a')).toBe('undefined');
});

test('using in a loop head: the variable cannot be assigned', async () => {
  const { message } = await expectCode(run('for (using a = null;;) a = 1'), 'ERR_RUNTIME_EXCEPTION');
  expect(message).toBe('Runtime exception: TypeError: Assignment to using variable.');
});

test('using in a loop head works with types, in a module and in the text of a function', async () => {
  const typed = "for (using a: { name: string } = make('a');;) { log.push(a.name as string); break }; log";
  expect(await run(`${HEAD.replaceAll('(name)', '(name: string)')}${typed}`)).toStrictEqual(['a', 'disposed a']);
  const options = {
    authorizedImports: ['m'],
    modules: { m: `${HEAD}for (using a = make('a');;) break; export default log` },
  };
  expect(await run("(await import('m')).default", options)).toStrictEqual(['disposed a']);
  expect(await run('function f() { for (using a = null;;) break } String(f)')).toBe(
    'function f() { for (using a = null;;) break }',
  );
});

test('positions refer to the original text', async () => {
  const code = 'for (await using a = null;;) { break }\nfor (using b = null;;) { null.x }';
  const { details } = await expectCode(run(code), 'ERR_RUNTIME_EXCEPTION');
  expect(details).toMatchObject({ line: 2, column: 31 });
});

test.each([
  ['class A { static async constructor(x: number) { return x } }; await (A as any).constructor(3)', 3],
  [
    'class A { static\n async constructor(): Promise<string> { return this.name } }; await (A as any).constructor()',
    'A',
  ],
])('using and constructors with types are accepted: %s', async (code, output) => {
  expect(await run(code, { language: 'typescript' })).toBe(output);
});

test.each([
  ['for (using x;;) ;'],
  ['a.for (using x = null)'],
  ['for (using\nx = null;;) ;'],
  ['class A { async constructor() {} }'],
])('%j is refused', async (code) => {
  for (const language of ['javascript', 'typescript']) {
    const rules = validateCode(code, { language }).map(({ rule }) => rule);
    expect(rules).toContain('syntax_valid');
    await expectCode(run(code, { language }), 'ERR_VALIDATION_FAILED');
  }
});

test('a program of up to 256 KiB may contain eight loops with using', async () => {
  const heads = (count) => `let n = 0; ${'for (using a = null; ; ) { n++; break } '.repeat(count)}; n`;
  expect(await run(heads(8))).toBe(8);
  await expectCode(run(heads(9)), 'ERR_VALIDATION_FAILED');
  expect(await run(heads(1) + ' '.repeat(250 << 10))).toBe(1);
  await expectCode(run(heads(1) + ' '.repeat(256 << 10)), 'ERR_VALIDATION_FAILED');
});
