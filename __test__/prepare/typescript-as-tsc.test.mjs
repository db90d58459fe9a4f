// TypeScript that runs gives what tsc makes of it: each program is compiled by both and run. Types are not checked, as
// with tsc's `transpileModule`.
import vm from 'node:vm';

import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { rejection, withExecutor } from '../helpers.mjs';

const PROGRAMS = [
  'namespace A { export const x = 1 } namespace A { export const y = x + 1 } A.y',
  'namespace A { export function f() { return y } } namespace A { export const y = 2 } A.f()',
  'namespace A { export class B { v = 3 } } namespace A { export class C extends B { w = this.v + 1 } } new A.C().w',
  'namespace A { export let n = 0; export const inc = () => { n++; return n } } namespace A { export const twice = () => { inc(); n += 10; return n } } [A.inc(), A.twice(), A.n]',
  'namespace A { export const o = { a: 1 } } namespace A { export const { a } = o; export const s = { o } } [A.a, A.s.o.a]',
  'namespace A.B { export const x = 1 } namespace A.B { export const y = x + 1 } namespace A { export const z = B.x + B.y } [A.B.y, A.z]',
  'namespace A { export namespace B { export const x = 1 } } namespace A { export namespace B { export const y = x * 5 } export const w = B.y } [A.B.y, A.w]',
  "const x = 'outer'; namespace A { export const x = 'inner' } namespace A { export const y = x } [A.y, x]",
  "namespace A { const hidden = 1; export const x = hidden } namespace A { const hidden = 2; export const y = hidden + x } [A.x, A.y, 'hidden' in A]",
  'namespace A { export const x = 1 } namespace A { export function f(x: number) { return x } export const g = (y = x) => { const x = 7; return [x, y] } } [A.f(5), A.g()]',
  'namespace A { export let v = [1,2] } namespace A { export const r: number[] = []; for (const x of v) r.push(x); [v[0], v[1]] = [v[1], v[0]] } [A.v, A.r]',
  'namespace A { export type T = number; export interface I {} } namespace A { export const x: T = 1 } A.x',
  'namespace A { export enum E { P = 1, Q } } namespace A { export const q = E.Q; export const n = E[1] } [A.q, A.n]',
  'namespace A { export enum E { P = 1 } } namespace A { export enum E { Q = 5, R = P + 10 } } [A.E.P, A.E.Q, A.E.R]',
  'enum E { A = 1 } enum E { B = A + 1 } [E.A, E.B, E[2]]',
  "enum E { A = 'a' } enum E { B = `${A}b` } [E.A, E.B]",
  "enum E { A, B, C = 'c' } namespace E { export function all() { return [E.A, E.B, E.C] } } E.all()",
  'class C { static s = 1; m() { return C.extra } } namespace C { export const extra = 5; export const t = C.s } [new C().m(), C.t]',
  'function f() { return f.count++ } namespace f { export let count = 10 } f(); f(); f.count',
  'namespace A { export const a = () => b() } namespace A { export const b = () => 4 } A.a()',
  'namespace A { export abstract class S { abstract area(): number; toString() { return `${this.area()}` } } } namespace A { export class Q extends S { constructor(private n: number) { super() } area() { return this.n ** 2 } } } String(new A.Q(3))',
  'class P { y = this.x * 2; constructor(public x: number) {} } new P(4).y',
  'class P { y = this.x * 2; z = this.y + 1; #p = this.x; get p() { return this.#p } constructor(private readonly x = 3, protected w?: string) {} } const p: any = new P(); [p.y, p.z, p.p, Object.keys(p)]',
  'class B { b = 1 } class D extends B { c = this.b + this.a; constructor(public a: number) { super(); this.c *= 10 } } [new D(5).c, Object.keys(new D(1)).sort()]',
  'class D { f = () => this.x; g = function () { return 1 }; v = this.f(); constructor(private x: number) {} } new D(8).v',
  "const x = 'outer'; class P { y = x; z = this.x; constructor(public x: string) {} } const p = new P('inner'); [p.z]",
  'class P { y = compute(this); constructor(public x: number) {} } function compute(p: any) { return p.x + 1 } new P(1).y',
  'class A { constructor(public a: number) {} } class B extends A { b = this.a + 1; constructor(public c: number) { super(c * 2) } } const b = new B(3); [b.a, b.b, b.c]',
  "class L { private items: string[] = []; size = this.items.length; constructor(private name: string) { this.items.push(name) } get() { return [this.items, this.size, this.name] } } new L('q').get()",
  'class T { constructor(private a: number, b = a + 1, public c = b) {} sum = 0; add() { return (this.sum = this.a + this.c) } } new T(1).add()',
  "class E1 extends Error { name = 'E1'; info = `${this.code}`; constructor(message: string, public code: number) { super(message) } } const e = new E1('m', 7); [e.info, e.message, e.code]",
  'abstract class A { abstract x: number; abstract get y(): number; z = 1 } class B extends A { x = 2; get y() { return 3 } } const b = new B(); [b.x, b.y, b.z]',
  'class A { declare x: number; y = 1 } Object.keys(new A())',
  'class A { v() { return 1 } } class B extends A { override v() { return super.v() + 1 } } new B().v()',
  "const c = { a: 1, b: 'x' } satisfies Record<string, number | string>; c.a",
  "function f(a: string): string; function f(a: number): number; function f(a: any): any { return a } [f(1), f('x')]",
  'class O { m(a: string): void; m(a: number): void; m(a: any) { return a } constructor(); constructor(x?: number) {} } new O().m(3 as any)',
  'const enum E { A = 1, B = A << 2 } [E.A, E.B]',
  "enum E { A = 1 << 0, B = 1 << 1, AB = A | B, N = 'abc'.length } [E.AB, E.N, E[3]]",
  'enum E { A = -1, B, C = 1.5, D } [E.B, E.D]',
  "enum E { 'x-y' = 1, z } [E['x-y'], E.z, E[1]]",
  "let u: unknown = 'abc'; (u as string).length + (<string>u).length + (u as any)!.length",
  "type A = { [K in 'a' | 'b']: K }; const a: A = { a: 'a', b: 'b' }; Object.values(a).join('')",
  'interface I { (a: number): number; x?: string } const f: I = (a) => a * 2; f(4)',
  "const t = [1, 'a', true] as const; const [n, ...rest] = t; [n, rest.length]",
  "function assert(v: unknown): asserts v is string { if (typeof v !== 'string') throw new TypeError('no') } const v: unknown = 's'; assert(v); v.length",
  'let x!: number; x = 3; x',
  'const f = <T,>(x: T): T => x; f<number>(2)',
  'class G<T extends object = {}> { #v?: T; static of<U extends object>(v: U) { const g = new G<U>(); g.#v = v; return g } get v() { return this.#v! } } (G.of({ a: 1 }).v as any).a',
  "import type { X } from 'x'; const a = 1; a",
  "import { type X, type Y } from 'x'; const a: X = 2 as any; a",
  'export type Z = 1; export interface W {} 3',
  "declare module 'foo' { export const a: number } declare global { interface Window { a: 1 } } 4",
  'declare function ext(a: number): void; declare const v: string; declare class K {} declare enum DE { A } declare namespace DN { const a: 1 } typeof ext',
  'function f(this: { a: number }) { return this.a } f.call({ a: 6 })',
  'let a: any = { b: { c: 1 } }; a!.b!.c++ ; a.b.c satisfies number',
  'const o = { m<T>(this: any, a?: T): T | undefined { return a }, get x(): number { return 1 }, async *g<T>(a: T): AsyncGenerator<T> { yield a } }; [o.m(1), o.x]',
  'for (const [k, v] of Object.entries({ a: 1 }) as [string, number][]) { k; v } 1',
  "try { throw new Error('e') } catch (e: unknown) { (e as Error).message }",
  'class A { static #c = 0; static inc = () => ++A.#c; static { A.inc() } constructor(readonly id = A.inc()) {} } new A().id',
  'class A { [key: string]: any; a = 1 } Object.keys(new A())',
  'class A { constructor(private x: number) { return { made: x } as any } y = this.x } (new A(3) as any).made',
  'function outer() { namespace N { export const a = 1 } namespace N { export const b = a + 1 } return N.b } outer()',
  'namespace A { export const x = 1; { const x = 5; } export const f = function x() { return typeof x } } namespace A { export const g = typeof x } [A.f(), A.g]',
  'namespace A { export var i = 0; } namespace A { for (i = 0; i < 3; i++); export const last = i } [A.last, A.i]',
  'namespace A { export let o: any } namespace A { ({ o } = { o: 5 }); } namespace A { export const r = `${o}` } A.r',
  'namespace A { export const s = Symbol.iterator } namespace A { export class I { *[s]() { yield 1 } } } [...new A.I()]',
  "namespace A { export const key = 'k' } namespace A { export const o = { [key]: 1, key } } A.o",
  'namespace A { export const tag = (s: any) => s[0] } namespace A { export const t = tag`x` } A.t',
  "namespace A { export function f() { return 'A.f' } } namespace A { export namespace B { export function g() { return f() } } } A.B.g()",
  'namespace A { export namespace B { export const v = 1 } } namespace A.B { export const w = v + 1 } namespace A { export namespace B { export const u = w + v } } A.B.u',
  'namespace A { export const x = 1 } namespace A { export const y = (() => { try { throw 1 } catch (x) { return x } })() + x } A.y',
  'var N: any; namespace M { export const a = 1 } M.a',
  'namespace M { export declare const d: number; export const e = typeof d } M.e',
  "enum Color { Red = 'RED', Green = 'GREEN' } const c: Color = Color.Red; Object.entries(Color)",
  'enum A { X = 1 } enum B { Y = A.X + 1 } [B.Y]',
  'const obj = { a: 1 } as { a?: number }; obj.a ??= 2; obj?.a!',
  'class Stack<T> { private readonly items: T[] = []; constructor(initial: T[] = [], private max: number = initial.length + 1) { this.items.push(...initial) } full = this.max; push(x: T) { this.items.push(x); return this } } new Stack([1]).full',
  "abstract class Shape { constructor(protected readonly name: string) {} label = `Shape: ${this.name}`; abstract area(): number } class Circle extends Shape { area = () => Math.round(Math.PI * this.r ** 2); size = this.area(); constructor(private r: number) { super('circle') } } const c = new Circle(2); [c.label, c.size]",
];

/** What Node.js makes of the JavaScript that tsc makes of a program. */
function asTsc(code) {
  const compilerOptions = { target: ts.ScriptTarget.ES2021, module: ts.ModuleKind.ES2020 };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  return plain(vm.runInNewContext(outputText.replace(/^export \{\};$/m, '').replace(/^export /gm, '')));
}

const plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

describe.each([
  ['thread', {}],
  ['process', { isolation: 'process', sandbox: 'best-effort' }],
])('on a %s', (_, options) => {
  let executor;
  beforeAll(() => {
    executor = new SESExecutor({ ...options, autoInit: true, language: 'typescript' });
  });
  afterAll(() => executor.cleanup());

  test.each(PROGRAMS)('%s', async (code) => {
    expect(plain((await executor.run(code)).output)).toStrictEqual(asTsc(code));
  });
});

// Node.js 20 has no `Symbol.dispose`.
test('using declarations dispose in reverse order', async () => {
  const code = `const log: string[] = [];
    const resource = (name: string): Disposable => ({ [Symbol.dispose]() { log.push(name) } });
    { using a = resource('a'), b = resource('b'); log.push('body') }
    log`;
  const { output } = await withExecutor({}, {}, (executor) => executor.run(code));
  expect(output).toStrictEqual(['body', 'b', 'a']);
});

test.each([
  [
    '@d class A {}; function d(c: any) {}',
    'decorators are not supported',
    'Call the function yourself: `const A = decorate(class { … })`',
  ],
  [
    'class A { @d m(): void {} }',
    'decorators are not supported',
    'Call the function yourself: `const A = decorate(class { … })`',
  ],
  ['class A { accessor x: number = 1 }', '`accessor` properties are not supported', 'Write a getter and a setter'],
  ['export = 5', '`export =` is not supported', 'End the program with an expression to return its value'],
  [
    "import x = require('x'); x",
    '`import name = …` is not supported',
    'Write `const name = …`, or `const name = await import(module)` for a module',
  ],
  [
    'namespace N { export namespace M { export const a = 1 } } import A = N.M; A.a',
    '`import name = …` is not supported',
    'Write `const name = …`, or `const name = await import(module)` for a module',
  ],
  [
    'class A { [key()] = this.x; constructor(private x: number) {} }',
    'a field with a computed name cannot have a value that reads parameter properties',
    'Give the field its value in the body of the constructor',
  ],
])('%s is refused with an alternative', async (code, message, fix) => {
  const error = await withExecutor({}, {}, (executor) => rejection(executor.run(code)));
  expect(error.code).toBe('ERR_VALIDATION_FAILED');
  expect(error.details.diagnostics).toStrictEqual([expect.objectContaining({ rule: 'syntax_valid', message, fix })]);
});

// A function that a class calls before its fields have values, and the position of an error in a field that has moved.
test('errors in fields that read parameter properties have the right place', async () => {
  const code = `class A {
    b = this.a.missing.c;
    constructor(private a: any) {}
  }
  new A({})`;
  const error = await withExecutor({}, {}, (executor) => rejection(executor.run(code)));
  expect([error.code, error.details.line, error.details.column]).toStrictEqual(['ERR_RUNTIME_EXCEPTION', 2, 24]);
});

test('a namespace that a later run declares again is a new one', async () => {
  await withExecutor({}, {}, async (executor) => {
    await executor.run('namespace N { export const a: number = 1 }');
    const { output } = await executor.run('const before = N.a; before');
    expect(output).toBe(1);
  });
});
