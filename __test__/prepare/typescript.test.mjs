// `language`: TypeScript becomes JavaScript before anything else looks at it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ROOT, expectCode, rejection, spawnNode, withExecutor, withFolder } from '../helpers.mjs';
import { prepareProgram, validateCode } from '../../index.mjs';

/** Runs programs one after the other in one executor; the output of the last one. */
const outputOf = (...programs) =>
  withExecutor({}, {}, async (executor) => {
    let output;
    for (const program of programs) ({ output } = await executor.run(program));
    return output;
  });

/** The error of a program. */
const errorOf = (code, options = {}) =>
  withExecutor(options, {}, async (executor) => rejection(executor.run(code))).then((error) => error);

describe('supported syntax', () => {
  test.each([
    ['annotations', 'const a: number = 1; let b: string | undefined; [a, b]', [1, undefined]],
    ['optional parameters', 'const f = (a: number, b?: string, ...c: number[]): number => a; f(3)', 3],
    ['generics', 'function f<T extends object>(a: T): T { return a } f<{ a: 1 }>({ a: 1 })', { a: 1 }],
    [
      'generic arrow functions',
      'const f = <T>(a: T): T => a; const g = async <T,>(a: T) => a; [f(1), await g(2)]',
      [1, 2],
    ],
    ['as and satisfies', 'const a = { b: 1 } satisfies object; ((a as any).b as number) + 1', 2],
    ['as const', 'const a = [1, "b"] as const; a', [1, 'b']],
    ['type assertions', 'const a = <any>{ b: 1 }; const f = () => <any>{ c: 2 }; [<number>a.b, f()]', [1, { c: 2 }]],
    ['non-null assertions', 'const a: { b?: number } = { b: 1 }; a.b! + a!.b!', 2],
    ['assignments to asserted targets', 'let a: unknown = 1; (a as number) += 1; (<any>a)++; a!', 3],
    ['overloads', 'function f(a: string): 1; function f(a: number): 2; function f(a: any) { return a } f(5)', 5],
    ['this parameters', 'function f(this: { a: number }, b: number) { return this.a + b } f.call({ a: 1 }, 2)', 3],
    ['type predicates', 'const f = (a: unknown): a is string => typeof a === "string"; f("")', true],
    ['interfaces and aliases', 'interface A { a: B } type B = number; const a: A = { a: 1 }; a', { a: 1 }],
    ['declare', 'declare const a: number; declare function f(): void; declare global { let b: 1 } 4', 4],
    ['types of imports', 'import type { A } from "a"; let a: typeof import("b") | A; export type C = A; 5', 5],
    [
      'enums',
      'enum E { A, B = 5, C, D = "d", F = `${D}f`, G = B | 8 } [E, E[5]]',
      [{ 0: 'A', 5: 'B', 6: 'C', 13: 'G', A: 0, B: 5, C: 6, D: 'd', F: 'df', G: 13 }, 'B'],
    ],
    ['computed members', 'enum E { A = "abc".length, B = A * 2 } [E.A, E.B, E[6]]', [3, 6, 'B']],
    ['const enums', 'const enum E { A = 1 << 2, B = A | 1 } [E.B, Object.keys(E).length]', [5, 4]],
    ['merged enums', 'enum E { A } enum E { B = 1 } E', { 0: 'A', 1: 'B', A: 0, B: 1 }],
    ['constants in enums', 'const prefix = "p"; enum E { A = prefix, B = `${prefix}q` } E', { A: 'p', B: 'pq' }],
    [
      'namespaces',
      `namespace N {
         const hidden = 2;
         export const a = 1;
         export let [b, { c }] = [3, { c: 4 }];
         export function f(): number { return a + hidden + b++ }
         export class K {}
         export namespace In { export const d = a }
         export enum E { Z = 9 }
       }
       [N.f(), N.b, N.c, N.In.d, N.E.Z, new N.K() instanceof N.K, 'hidden' in N]`,
      [6, 4, 4, 1, 9, true, false],
    ],
    ['dotted namespaces', 'namespace A.B.C { export const d = 4 } A.B.C.d', 4],
    [
      'merged namespaces',
      'namespace N { export const a = 1 } namespace N { export const b = N.a + 1 } N',
      { a: 1, b: 2 },
    ],
    ['functions with namespaces', 'function f() { return f.a } namespace f { export const a = 3 } f()', 3],
    ['namespaces of types', 'namespace N { export type A = 1; export interface B {} } typeof N', 'undefined'],
    [
      'parameter properties',
      `class A { c = 1; constructor(private a: number, public readonly b = a * 2) { this.c += a } }
       class B extends A { constructor(protected d: string) { super(2); this.d += '!' } }
       [{ ...new A(1) }, { ...new B('d') }]`,
      [
        { a: 1, b: 2, c: 2 },
        { a: 2, b: 4, c: 3, d: 'd!' },
      ],
    ],
    [
      'abstract classes',
      `abstract class A<T> implements Iterable<T> {
         [key: string]: unknown;
         declare a: number;
         private readonly b: number = 1;
         static c?: number;
         d!: string;
         abstract f(): void;
         get g() { return this.b }
         abstract [Symbol.iterator](): Iterator<T>;
       }
       class B extends A<number> { override f(): void {} *[Symbol.iterator]() { yield this.g } }
       [[...new B()], Object.keys(new B()), 'c' in A]`,
      [[1], ['b', 'd'], true],
    ],
    ['top-level return and await', 'type A = number; return (await Promise.resolve(5)) as A', 5],
    ['catch clauses', 'try { throw new Error("a") } catch (error: unknown) { (error as Error).message }', 'a'],
  ])('%s can be used', async (_, code, expected) => {
    expect(await outputOf(code)).toStrictEqual(expected);
    expect(validateCode(code, { language: 'typescript' }).filter(({ severity }) => severity === 'ERROR')).toStrictEqual(
      [],
    );
  });

  test.each([
    [
      'a type that is imported as a value',
      `import { Options, twice } from 'types'; export const f = (o: Options): number => twice(o.n)`,
    ],
    ['a type that is the default', `import Options from 'types'; export const f = (o: Options): number => 2 * o.n`],
    [
      'a type that is exported as a value',
      `interface A { n: number } const f = (o: A): number => 2 * o.n; export { A, f }`,
    ],
    ['an import for its effect', `import 'types'; export const f = (o: any): number => 2 * o.n`],
  ])('a module may have %s', async (_name, m) => {
    const types = `export interface Options { n: number } globalThis.loaded = 1; export const twice = (n: number) => 2 * n; export default interface Q {}`;
    const options = { authorizedImports: ['m', 'types'], modules: { m, types } };
    const [output, loaded] = await withExecutor(options, {}, async (executor) => {
      const { output } = await executor.run('[(await import("m")).f({ n: 3 }), globalThis.loaded]');
      return output;
    });
    expect(output).toBe(6);
    // As with `tsc`, a module that only types are imported from is not loaded.
    expect(loaded).toBe(m.includes('twice(') || m.includes("import 'types'") ? 1 : undefined);
  });

  test('dynamic imports of names are unaffected', async () => {
    const options = { authorizedImports: ['m'], modules: { m: 'export const a: number = 1; export enum E { B = 3 }' } };
    const code = 'const { a, E }: any = await import("m"); [a, E.B]';
    expect(await withExecutor(options, {}, async (executor) => (await executor.run(code)).output)).toStrictEqual([
      1, 3,
    ]);
    const javascript = { ...options, language: 'javascript' };
    const error = await errorOf('await import("m")', javascript);
    expect(error.details.message).toBe(
      "Module 'm' cannot be loaded: in module \"m\", line 1, column 14: 'const' declarations must be initialized; " +
        'in module "m", line 1, column 15: Expected a semicolon; ' +
        "in module \"m\", line 1, column 36: Expected '{', got 'enum'",
    );
  });
});

describe('the choice of the language', () => {
  test.each([
    // Both: a comparison, not a call with a type argument.
    ['a < b > (c)', { auto: [], javascript: [], typescript: [] }],
    ['let a = 1', { auto: [], javascript: [], typescript: [] }],
    ['let a: number = 1', { auto: [], javascript: ['1:6'], typescript: [] }],
    ['enum A { B }', { auto: [], javascript: ['1:1'], typescript: [] }],
    ['let a = ;', { auto: ['1:9'], javascript: ['1:9'], typescript: ['1:9'] }],
    // What reads more of the text says more.
    ['let a: number = 1;\nlet b = ;', { auto: ['2:9'], javascript: ['1:6', '2:9'], typescript: ['2:9'] }],
    // No types: not TypeScript.
    ['super.a', { auto: ['1:1'], javascript: ['1:1'], typescript: ['1:1'] }],
  ])('depends on the syntax of %s', (code, places) => {
    for (const [language, expected] of Object.entries(places)) {
      const found = validateCode(code, { language }).map(({ location: { line, column } }) => `${line}:${column}`);
      expect(found, language).toStrictEqual(expected);
    }
  });

  test('ambiguous code is JavaScript', async () => {
    const code = 'const f = 1, a = 2, b = 3; f < a > (b)';
    expect(await outputOf(code)).toBe(false);
    expect(prepareProgram(code).transformedCode).toBe(prepareProgram(code, { language: 'javascript' }).transformedCode);
    const read = await withExecutor({ language: 'typescript' }, {}, async (executor) => rejection(executor.run(code)));
    expect(read.details.message).toBe('f is not a function');
  });

  test('can be made for the executor and for a run', () =>
    withExecutor({ language: 'javascript' }, {}, async (executor) => {
      await expectCode(executor.run('const a: number = 1'), 'ERR_VALIDATION_FAILED');
      expect((await executor.run('const a: number = 1', { language: 'typescript' })).output).toBe(1);
      expect((await executor.run('const b: number = 2', { language: 'auto' })).output).toBe(2);
      await expectCode(executor.run('const c: number = 3', { language: undefined }), 'ERR_VALIDATION_FAILED');
      expect(await rejection(executor.run('1', { language: 'ts' }))).toStrictEqual(
        new RangeError('options.language must be "auto" or "javascript" or "typescript", got "ts"'),
      );
      expect(await rejection(executor.run('1', { language: 1 }))).toStrictEqual(
        new TypeError('options.language must be "auto" or "javascript" or "typescript", got 1'),
      );
    }));

  test('does not affect early errors that only V8 finds', () => {
    expect(validateCode('const a: number = 1;\n  const a: string = "";')).toMatchObject([
      { rule: 'syntax_valid', message: "Identifier 'a' has already been declared", location: { line: 2, column: 9 } },
    ]);
  });

  test.each(['a.ts', 'a.mts', 'a.cts'])('is TypeScript for %s on the command line', (name) =>
    withFolder(async (folder) => {
      const bin = join(ROOT, 'bin', 'ses-executor.js');
      writeFileSync(join(folder, name), 'const f = 1, a = 2;\nf<string>(a);\n');
      const ran = await spawnNode([bin, 'run', name], { cwd: folder });
      expect(ran).toMatchObject({ status: 1, stdout: '' });
      expect(ran.stderr).toMatch(/TypeError: f is not a function\n {2}at a\.c?m?ts:2:1\n/);
      expect(await spawnNode([bin, 'check', name], { cwd: folder })).toMatchObject({ status: 0 });
    }),
  );
});

describe('state and value', () => {
  test.each([
    ['an enum', 'enum E { A = 3 }', 'E.A', 3],
    ['a const enum', 'const enum E { A = 3 }', '[E.A, E[3]]', [3, 'A']],
    ['a namespace', 'namespace N { export let a = 1; export const f = () => a++ }', 'N.f(); N.a', 2],
    ['a class', 'class A { constructor(public a: number) {} }', 'new A(4).a', 4],
  ])('%s is available in later runs', async (_, first, second, expected) => {
    expect(await outputOf(first, second)).toStrictEqual(expected);
    expect(await outputOf(first, `const unrelated: number = 1; ${second}`)).toStrictEqual(expected);
  });

  test.each([
    ['enum E { A }', 'enum E { B }', { 0: 'B', B: 0 }],
    ['const E = 5', 'enum E { B }', { 0: 'B', B: 0 }],
    ['namespace E { export const a = 1 }', 'namespace E { export const b = 2 }', { b: 2 }],
    ['namespace E { export const a = 1 } const f = () => E;', 'namespace E { export const b = 2 }', { b: 2 }],
    ['const E = "text"', 'namespace E { export const b = 2 } namespace E { export const c = E.b }', { b: 2, c: 2 }],
    ['function E() {}', 'namespace E { export const b = 2 }', { b: 2 }],
    ['namespace E { export const a = 1 }', 'enum E { B }', { 0: 'B', B: 0 }],
  ])('%s, then %s: the later declaration replaces the earlier one', async (first, second, expected) => {
    expect(await outputOf(first, second, 'E')).toStrictEqual(expected);
  });

  test('members of enums after constants of earlier runs must have values', async () => {
    await withExecutor({}, {}, async (executor) => {
      await executor.run('const BASE = 10;');
      const { code, details } = await executor.run('enum E {\n  A = BASE,\n  B,\n}').catch((error) => error);
      expect([code, details.diagnostics]).toMatchObject([
        'ERR_VALIDATION_FAILED',
        [
          {
            rule: 'syntax_valid',
            message: 'an enum member needs a value if the value of the member before it is not a constant number',
            location: { line: 3, column: 3 },
            fix: 'Write `member = …`',
          },
        ],
      ]);
      expect((await executor.run('enum E { A = BASE, B = A + 1 } [E.A, E.B, E[11]]')).output).toStrictEqual([
        10,
        11,
        'B',
      ]);
    });
  });

  test.each([
    ['enum E { A = 1, B }\nconst name = (e: E): string => E[e];\nname(E.B)', 'B'],
    ['const enum E { A = "a" }\nfunction f(e: E) { return e === E.A; }\nf(E.A)', true],
    ['enum E { A = 1, B }\nnamespace N { export const k = E.B }\nN.k', 2],
    ['class C {}\nnamespace C { export const of = () => new C() }\nC.of() instanceof C', true],
    ['namespace A { export namespace B { export const c = 3 } }\nconst f = () => A.B.c;\nf()', 3],
  ])('declarations that functions use can be repeated: %j', async (code, expected) => {
    expect(await outputOf(code, code)).toBe(expected);
    expect(await outputOf('let E, C, A; const held = () => [E, C, A];', code)).toBe(expected);
  });

  test.each([
    ['const x = 1; type A = number', 1],
    ['const x = 2;\ninterface A { a: string }', 2],
    ['3; declare const a: number; export type B = 1', 3],
    ['namespace N { export const a = 4 } N.a', 4],
    ['type A = 1', undefined],
    ['5; namespace N { export const a = 1 }', undefined],
    ['enum E { A }', { 0: 'A', A: 0 }],
    ['if (true as boolean) { 6 as number } else 7', 6],
  ])('types add no value: %s', async (code, expected) => {
    expect(await outputOf(code)).toStrictEqual(expected);
  });
});

describe('positions', () => {
  test('are right for a thrown error', async () => {
    const code = [
      'interface A { b: string }',
      'type C = { d: number };',
      '',
      'enum E { F, G }',
      'const h: any = <any>{ i: E.F };',
      '  const j: string = (h as any).k.l;',
    ].join('\n');
    const { details } = await errorOf(code);
    expect(details).toMatchObject({
      line: 6,
      column: 34,
      message: "Cannot read properties of undefined (reading 'l')",
    });
    expect(details.codeFrame).toBe(
      [
        '  |',
        '4 | enum E { F, G }',
        '5 | const h: any = <any>{ i: E.F };',
        '6 |   const j: string = (h as any).k.l;',
        "  |                                  ^ TypeError: Cannot read properties of undefined (reading 'l')",
      ].join('\n'),
    );
  });

  test.each([
    ['in a namespace', 'namespace N {\n  export const a = 1;\n  export const b = (undefined as any).c;\n}', 3, 39],
    ['in an enum', 'enum E {\n  A = 1,\n  B = (null as any).c,\n}', 3, 21],
    ['in a constructor', 'class A {\n  constructor(private a: any) {\n    a.b.c;\n  }\n}\nnew A({});', 3, 9],
    ['in a generic function', 'const f = <T,>(a: T): never => {\n  throw new Error("x");\n};\nf<1>(1);', 2, 9],
  ])('are right %s', async (_, code, line, column) => {
    expect((await errorOf(code)).details).toMatchObject({ line, column });
  });

  test('are right for unsupported syntax', () => {
    const found = validateCode('let a: number;\n  import b = require("c");\nexport = a;\n@d class F {}');
    expect(found).toStrictEqual([
      {
        rule: 'syntax_valid',
        severity: 'ERROR',
        message: '`import name = …` is not supported',
        location: { line: 2, column: 3 },
        fix: 'Write `const name = …`, or `const name = await import(module)` for a module',
      },
      {
        rule: 'syntax_valid',
        severity: 'ERROR',
        message: '`export =` is not supported',
        location: { line: 3, column: 1 },
        fix: 'End the program with an expression to return its value',
      },
      {
        rule: 'syntax_valid',
        severity: 'ERROR',
        message: 'decorators are not supported',
        location: { line: 4, column: 1 },
        fix: 'Call the function yourself: `const A = decorate(class { … })`',
      },
    ]);
  });

  test('are right for JSX and for imports of values', () => {
    expect(validateCode('const a: any =\n  <b>{c}</b>;')).toMatchObject([
      { message: 'JSX is not supported', location: { line: 2, column: 3 } },
    ]);
    expect(validateCode('let a: B;\nimport { type B, c } from "b";')).toMatchObject([
      { rule: 'static_import_in_script_mode', location: { line: 2, column: 1 } },
      { rule: 'import_allowed', location: { line: 2, column: 1 } },
    ]);
  });
});

describe('limits of TypeScript', () => {
  test.each([
    ['a loop', 'let a: number = 0; while (true) a++'],
    ['a namespace', 'namespace N { export const a = (() => { for (;;) {} })() }'],
    ['an enum', 'enum E { A = (() => { for (;;); })() }'],
    ['a parameter property', 'class A { constructor(private a = (() => { do {} while (true) })()) {} } new A()'],
  ])('guards count in %s', async (_, code) => {
    const error = await errorOf(code, { maxOperations: 1_000 });
    expect(error.code).toBe('ERR_MAX_OPS_EXCEEDED');
  });

  test('names of the executor are reserved', () => {
    for (const code of ['enum __smol_a { B }', 'namespace __smol_a { f() }', '(__smol_a: number) => 1']) {
      expect(validateCode(code).map(({ rule }) => rule)).toStrictEqual(['reserved_identifier']);
    }
  });

  test.each([
    ['type arguments', 'type A = ', 'a<', 'b', '>', 'nesting_too_deep'],
    ['parentheses', 'let a: ', '(', 'b', ')', 'nesting_too_deep'],
    ['conditional types', 'type A = ', 'a extends b?c:', 'd', '', 'nesting_too_deep'],
    ['array types', 'type A = b', '', '', '[]', 'nesting_too_deep'],
    ['namespaces', 'namespace a', '.a', '{}', '', 'nesting_too_deep'],
    ['possible type arguments', 'f(a, ', 'a<b,', 'c', ')', 'typescript_too_complex'],
  ])('up to 200,000 %s are refused as too deep', (_, start, open, inner, close, rule) => {
    const count = Math.min(200_000, Math.floor(1_000_000 / (open.length + close.length)));
    const code = `${start}${open.repeat(count)}${inner}${close.repeat(count)}`;
    const { diagnostics } = prepareProgram(code, { language: 'typescript', timeoutMs: 120_000 });
    expect(diagnostics.map((found) => found.rule)).toStrictEqual([rule]);
    expect(validateCode(code).some(({ severity }) => severity === 'ERROR')).toBe(true);
  });

  test('syntax with exponentially many readings is refused as too complex', () => {
    for (const open of ['<T>(', 'a ? (b) : c => ']) {
      const code = `let a: 1 = ${open.repeat(100)}`;
      expect(validateCode(code, { language: 'typescript' }).map(({ rule }) => rule)).toStrictEqual([
        'typescript_too_complex',
      ]);
    }
  });

  test('a union of 100,000 types is accepted', async () => {
    expect(await outputOf(`type A = ${"'a' | ".repeat(100_000)} 1; 2`)).toBe(2);
  });

  test('constants that double are limited', () => {
    const members = Array.from({ length: 60 }, (_, index) => `a${index + 1} = a${index} + a${index}`);
    const found = validateCode(`enum E { a0 = 'ab', ${members.join(', ')} }`);
    expect(found.map(({ rule }) => rule)).toStrictEqual(['typescript_too_complex']);
  });
});
