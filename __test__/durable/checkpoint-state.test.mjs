// A program cannot find out whether there was a checkpoint. Where it could, there is none. Cause: globals were told
// from built-ins by their attributes only; accessors, attributes, the order of globals, modules and proxies were not
// kept, and nobody looked for built-ins that were deleted or replaced.

import { describe, expect, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { builtInNames } from '../../build/durable/plain-data.js';
import { all, openSession } from './helpers.mjs';

/** Three of them are more than 16 MiB. */
const LARGE = 'x'.repeat(6 << 20);
const GLOBALS = `Object.getOwnPropertyNames(globalThis).map((name) => {
  const { get, set, value, ...attributes } = Object.getOwnPropertyDescriptor(globalThis, name);
  return [name, typeof get, typeof set, typeof value, attributes];
})`;
const TYPESCRIPT = { language: 'typescript' };
const FIXED = { authorizedImports: ['m'], modules: { m: { a: [1] } } };
const SOURCE = { authorizedImports: ['m'], modules: { m: 'let n = 0; export const inc = () => ++n;' } };
const INC = '{ const { inc } = await import("m"); inc() }';
const groups = (...globals) => ({ globals });

/** What programs and probes give, and how often the session has begun again. Large answers are a reason for that. */
async function probed([, code, probes, executor], answer) {
  const large = async () => answer;
  const tools = { large, Host: { large } };
  const session = await openSession('s', { seed: 'z', variables: { sent: { of: ['host'] } }, executor, tools });
  const found = [];
  const run = async (program) => {
    const output = session.run(program).then((result) => [result.output, result.logs]);
    found.push(await output.catch(({ code: error, message }) => [error, message]));
  };
  for (const program of [code].flat()) await run(`${program}; undefined`);
  for (let i = 0; i < 3; i++) await session.run('await large(); undefined');
  const restarts = (await all(session.history())).filter(({ type }) => type === 'restart').length;
  for (const program of probes) await run(program);
  await session.cleanup();
  return { found, restarts };
}

async function expectSame(probe, restarts) {
  const [with_, without] = [await probed(probe, LARGE), await probed(probe, '')];
  expect(with_.found).toStrictEqual(without.found);
  expect([with_.restarts, without.restarts]).toStrictEqual([restarts, 0]);
}

const VALUES = `const o = {
  z: -0, n: NaN, u: undefined, s: "\\ud800", d: new Date(NaN), b: -(2n ** 70n), m: new Map([[NaN, 1], [{}, 2]]), e: [1, , 3],
  x: Object.assign([1], { k: 2 }), 2: 1, 1: 2, ["__proto__"]: 5, set: new Set([-0]), long: Object.assign([], { length: 5e6 }),
}`;

// Name, programs, what is asked after them, and options of the executor.
describe.each([
  [
    'declarations',
    'var v = 1; let l = 2; const c = 3',
    [GLOBALS, 'l = v + c', 'c = 1', 'let l = 9; l', 'typeof restored'],
  ],
  [
    'declarations that programs look at',
    'globalThis.g = 4; var v = 1; let l = 2; const c = 3',
    [GLOBALS, 'c = 1', 'l = 5'],
  ],
  [
    'an order',
    ['let b = 1', 'globalThis.g = 4; let a = 2; const d = 1', 'globalThis["x-y"] = 1; const q = 1', 'let z'],
    [GLOBALS],
  ],
  ['names of numbers', 'let q; globalThis[2] = 1; globalThis[1] = 2', [GLOBALS]],
  [
    'names that are not identifiers',
    'globalThis["a-b"] = 1; globalThis[""] = 2; globalThis.let = 3',
    [GLOBALS, 'globalThis[""]'],
  ],
  [
    'a name that every object has',
    'Object.defineProperty(globalThis, "constructor", { value: 7, writable: true, enumerable: true, configurable: true })',
    [GLOBALS, 'globalThis.constructor'],
  ],
  ['names of the restoring code', 'let restored = 1; let restored_ = 2', ['[restored, restored_]', GLOBALS]],
  ['a deletion', ['let a = 1; let b = 2', 'delete globalThis.a', 'globalThis.a = 5'], [GLOBALS, 'a = 2']],
  ['a declaration that fails', 'let a = (() => { throw new Error("x") })()', ['a', 'let a = 2; a']],
  ['another declaration', ['let a = 1; let b = 2', 'const a = 3'], ['a', 'a = 2', GLOBALS]],
  [
    'values of every kind',
    VALUES,
    ['o', 'Object.keys(o)', '[1 in o.e, o.x.k, Object.getPrototypeOf(o) === Object.prototype]'],
  ],
  [
    'shared objects and cycles',
    'let a = {}; const b = [a]; var c = { a, b }; a.c = c; globalThis.d = a',
    ['[a.c === c, b[0] === a, c.b === b, d === a]'],
  ],
  [
    'frozen data',
    'const f = Object.freeze({ a: Object.freeze([]) }); let g = f.a',
    ['f.a === g', 'f.a.push(1)', 'g = 3', GLOBALS],
  ],
  ['data of the host', 'let y = sent.of', ['y === sent.of', 'sent = 5', GLOBALS]],
  ['data instead of those of the host', 'let sent = [1]', ['sent.push(2)', GLOBALS]],
  ['no data of the host', 'delete globalThis.sent', [GLOBALS]],
  [
    'enums and namespaces',
    'enum E { A = 3 } namespace N { export const x = 4 }',
    ['[E, N]', GLOBALS, 'enum E { B } E'],
    TYPESCRIPT,
  ],
  [
    'labels and groups of the console',
    'console.count("a"); console.time("a"); console.group("a")',
    ['console.count("a")', 'console.timeEnd("a")'],
  ],
  [
    'calls and promises that nobody awaits',
    'let n = 0; (async () => { await null; n++; })(); large().then(() => n++)',
    ['await large(); n'],
  ],
  ['what matched', 'let q = /(a)/.test("a")', ['RegExp.$1']],
  ['the depth of stacks', 'let q; Error.stackTraceLimit = 3', ['Error.stackTraceLimit']],
  ['modules of the host', ['let q', 'q = (await import("m")).a'], ['(await import("m")).a'], FIXED],
  ['a module that was not loaded', 'let q', [INC], SOURCE],
  [
    'signals',
    'let p = 0; AbortSignal.timeout(1).addEventListener("abort", () => p++)',
    ['await large(); p'],
    groups('abort'),
  ],
  ['globals without state', 'let id = crypto.randomUUID()', ['id', GLOBALS], groups('crypto', 'fetch')],
])('a session with %s', (...probe) => {
  test('continues after a checkpoint as without it', () => expectSame(probe, 1));
});

const define = (name, rest) => `let q = 1; Object.defineProperty(globalThis, "${name}", { ${rest} })`;
const OBJECT = (code) => `let f = ${code}`;

describe.each([
  ['a function that is not enumerable', define('f', 'value: () => 7'), ['f()']],
  ['data that are not enumerable', define('CONFIG', 'value: { a: 1 }'), ['CONFIG', GLOBALS]],
  ['a map that is not enumerable', define('m', 'value: new Map()'), ['m']],
  [
    'variables that are not enumerable',
    define('d', 'value: 7, writable: true, configurable: true'),
    ['d = 8; d', GLOBALS],
  ],
  [
    'variables that are not configurable',
    define('d', 'value: 7, writable: true, enumerable: true'),
    ['delete globalThis.d'],
  ],
  ['constants that are not configurable', define('d', 'value: 7, enumerable: true'), ['d = 1', 'delete globalThis.d']],
  [
    'an accessor',
    define('a', 'get() { return ++q; }, set(to) { q = to; }, enumerable: true, configurable: true'),
    ['a', 'a = 9; a'],
  ],
  [
    'an accessor of another variable',
    'let a = 1; Object.defineProperty(globalThis, "b", Object.getOwnPropertyDescriptor(globalThis, "a"))',
    ['a = 2; b'],
  ],
  ['a symbol', 'let q = 1; globalThis[Symbol.for("a")] = 1', ['globalThis[Symbol.for("a")]']],
  [
    'a hidden symbol',
    'let q = 1; Object.defineProperty(globalThis, Symbol.for("a"), { value: 1 })',
    ['globalThis[Symbol.for("a")]'],
  ],
  ['a built-in that was deleted', 'let q = 1; delete globalThis.escape', ['typeof escape']],
  ['a class that was deleted', 'let q = 1; delete globalThis.Map', ['typeof Map']],
  ['data instead of a built-in', define('escape', 'value: 5'), ['escape']],
  [
    'a function instead of a built-in',
    define('escape', 'value: Object.freeze(function escape() { return 9; })'),
    ['escape("")'],
  ],
  [
    'a bound function instead of a built-in',
    define('escape', 'value: Object.freeze((() => 9).bind())'),
    ['escape("")'],
  ],
  ['another built-in instead of one', define('escape', 'value: unescape'), ['escape("%20")']],
  ['an object instead of a built-in', define('Math', 'value: Object.freeze({ a: 1 })'), ['Math.a']],
  ['an object instead of a group', define('crypto', 'value: Object.freeze({ a: 1 })'), ['crypto.a'], groups('crypto')],
  ['data instead of the global object', define('self', 'value: 5'), ['self']],
  ['the global object instead of a built-in', define('escape', 'value: globalThis'), ['typeof escape']],
  ['a variable instead of a built-in', 'let escape = 5', ['escape']],
  ['a global object that is not extensible', 'let q = 1; Object.preventExtensions(globalThis)', ['globalThis.z = 1']],
  ['a global object that is sealed', 'let q = 1; Object.seal(globalThis)', ['globalThis.z = 1', 'delete globalThis.q']],
  ['a global object that is frozen', 'globalThis.q = 1; Object.freeze(globalThis)', ['q = 2']],
  ['an object that is not extensible', OBJECT('[Object.preventExtensions({ a: 1 })]'), ['f[0].a = 2', 'f[0].b = 3']],
  ['an object that is sealed', OBJECT('Object.seal({ a: 1 })'), ['f.a = 2', 'f.b = 3']],
  ['an array that holds a frozen object', OBJECT('[Object.freeze({})]'), ['Object.isFrozen(f[0])']],
  ['an array of fixed length', OBJECT('Object.defineProperty([1], "length", { writable: false })'), ['f.push(1)']],
  ['a getter', OBJECT('{ get a() { return 1; } }'), ['f.a = 2']],
  ['properties of a date', OBJECT('Object.assign(new Date(5), { a: 1 })'), ['f.a']],
  ['properties of a map', OBJECT('Object.assign(new Map(), { a: 1 })'), ['f.a']],
  ['properties of a set', OBJECT('Object.assign(new Set(), { a: 1 })'), ['f.a']],
  ['an object that inherits from dates', OBJECT('Object.create(Date.prototype)'), ['f instanceof Date']],
  ['an object that inherits from maps', OBJECT('Object.create(Map.prototype)'), ['f instanceof Map']],
  ['a map with another prototype', OBJECT('Object.setPrototypeOf(new Map(), Object.prototype)'), ['f instanceof Map']],
  ['a map that claims to be a date', OBJECT('Object.setPrototypeOf(new Map(), Date.prototype)'), ['f instanceof Date']],
  [
    'a boxed number that claims to be an object',
    OBJECT('Object.setPrototypeOf(Object(1n), Object.prototype)'),
    ['f + ""'],
  ],
  ['a proxy', OBJECT('new Proxy({}, { get: () => 7 })'), ['f.x']],
  ['a proxy of an array', OBJECT('new Proxy([], { get: (of, key) => (key === "length" ? 0 : 7) })'), ['f.x']],
  ['a proxy that always fails', OBJECT('new Proxy({}, { getPrototypeOf() { throw new Error("no"); } })'), ['typeof f']],
  ['an instance of a subclass', 'let f; { class D extends Date {} f = new D(5); }', ['f.constructor.name']],
  ['an object without prototype', OBJECT('Object.create(null)'), ['typeof f.toString']],
  ['an object with another prototype', OBJECT('Object.setPrototypeOf({}, { b: 2 })'), ['f.b']],
  ['a property with a symbol', OBJECT('{ [Symbol.toStringTag]: "x" }'), ['String(f)']],
  ['arguments', 'let f; (function () { f = arguments; })(1)', ['String(f)']],
  ['an error', OBJECT('Object.setPrototypeOf(new Error("x"), Object.prototype)'), ['f.message']],
  ['a regular expression', 'let f = /a/g; f.test("aa")', ['f.lastIndex']],
  ['a class', 'class A { static n = 1 }', ['A.n']],
  ['the state of a module', ['let q = 1', INC], [INC], SOURCE],
  ['numbers of timers', 'let q = setTimeout(() => {}, 5)', ['setTimeout(() => {}, 5)'], groups('timers')],
  ['the origin of times', 'let q = performance.timeOrigin', ['performance.timeOrigin === q'], groups('performance')],
  ['types of variables', 'let n: number = 1', ['n = "x"', 'n.foo'], { language: 'typescript', typecheck: 'error' }],
])('a session with %s', (...probe) => {
  test('has no checkpoint', () => expectSame(probe, 0));
});

test.each([[[]], [['timers', 'crypto']], [['performance', 'abort', 'fetch']]])(
  'the built-ins of a new session are known: groups %j',
  async (globals) => {
    const session = await openSession('s', { executor: { globals } });
    const { output } = await session.run('Object.getOwnPropertyNames(globalThis)');
    expect(builtInNames(globals).sort()).toStrictEqual(output.sort());
  },
);

test('from: "data" names everything that is left out', async () => {
  const store = memoryStore();
  const executor = { language: 'typescript', typecheck: 'error' };
  const session = await openSession('s', { store, executor });
  await session.run(`let kept: number = 1; const fixed = Object.freeze(['a']);
    for (const name of ['CONFIG', 'Math']) Object.defineProperty(globalThis, name, { value: { a: 1 } });
    Object.defineProperty(globalThis, 'next', { get: () => kept++, configurable: true, enumerable: true });
    (globalThis as any)[Symbol('own')] = 1;
    let proxy = new Proxy({}, {}), broken = new Proxy({}, { getPrototypeOf() { throw new Error('no'); } });
    delete (globalThis as any).escape;
    Object.preventExtensions(globalThis);
    undefined`);
  await session.cleanup();
  const again = await openSession('s', { store, executor, from: 'data' });
  const { names, leftOut } = again.recovery;
  expect(names.sort()).toStrictEqual(['fixed', 'kept']);
  expect(Object.fromEntries(leftOut.map(({ name, reason }) => [name, reason]))).toStrictEqual({
    CONFIG: 'a property with attributes',
    Math: 'a property with attributes',
    next: 'an accessor',
    proxy: 'an object that cannot be copied',
    broken: 'an object that cannot be copied',
    escape: 'a built-in that was deleted',
    globalThis: 'not extensible',
    'globalThis[Symbol(own)]': 'a symbol',
  });
  expect((await again.run('[kept, Object.isFrozen(fixed)]')).output).toStrictEqual([1, true]);
});
