// Section 7.3 of the specification: console calls become log lines, formatted exactly as Node's own console prints
// them. The contract of logs is in `__test__/contract/suite/logs.mjs`.
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import vm from 'node:vm';

import { describe, expect, test } from 'vitest';

import { expectCode, runChild, withExecutor } from '../helpers.mjs';
const MARKER = '...[TRUNCATED]';

/// What Node's console writes for `code`, all levels in one text.
const nodePrints = async (code) => {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const console = new Console({ stdout: stream, stderr: stream, colorMode: false });
  await vm.runInThisContext(`(async (console) => { "use strict";\n${code}\n})`)(console);
  return text.replace(/\n$/, '');
};

const guestPrints = (code, options = {}) =>
  withExecutor(options, {}, async (executor) => {
    const { logs, logEntries } = await executor.run(`${code}\n;0`);
    expect(logs).toBe(logEntries.map((entry) => entry.message).join('\n'));
    return logs;
  });

const expectAsNode = async (code) => expect(await guestPrints(code)).toBe(await nodePrints(code));

const VALUES = {
  primitives: [
    'undefined',
    'null',
    'true',
    '0',
    '-0',
    'NaN',
    '-Infinity',
    '1e21',
    '123456789n',
    '0.1 + 0.2',
    '"text"',
    '""',
    '"a\\nb\\tc"',
    'Symbol("s")',
    'Symbol()',
    'Symbol.iterator',
    'Symbol.for("x y")',
  ],
  'nested in arrays and objects': [
    '["text", "it\'s", "\\"q\\"", `both \' and "`, "\\n\\x00\\u001b", "\\ud800"]',
    '[undefined, null, -0, 1n, NaN, true, Symbol("s")]',
    '({ "quoted key": 1, plain: 2, 3: 4, [Symbol("sym")]: 5 })',
    '({ a: { b: { c: { d: { e: 1 } } } } })',
    '[[[[[1]]]]]',
    '({ a: [{ b: [{ c: 1 }] }] })',
    '({})',
    '[]',
    '[[], {}, [{}]]',
    '({ a: {}, b: [] })',
    '({ a: undefined, b: null })',
  ],
  'long things': [
    'Array.from({ length: 101 }, (_, i) => i)',
    'Array.from({ length: 250 }, (_, i) => i * 1000)',
    'Array.from({ length: 27 }, (_, i) => "item " + i)',
    'Array.from({ length: 7 }, (_, i) => ({ id: i }))',
    'new Set(Array.from({ length: 120 }, (_, i) => i))',
    'new Map(Array.from({ length: 120 }, (_, i) => [i, "v" + i]))',
    '"x".repeat(300)',
    '["x".repeat(300)]',
    '({ long: "word ".repeat(40) })',
    '["line one\\nline two\\nline three"]',
    '({ text: "a\\nb" })',
    '["y".repeat(10001)]',
    'Object.fromEntries(Array.from({ length: 30 }, (_, i) => ["key" + i, i]))',
    '[1.5, 22.25, 333.125, 4, 5, 6, 7, 8, 9, 10]',
    '["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg", "hhhhhhhh"]',
    '[["a", 1], ["b", 2], ["c", 3]]',
    '({ aaaaaaaaaaaaaaaaaaaa: 1, bbbbbbbbbbbbbbbbbbbb: 2, cccccccccccccccccccc: 3, dddddddddddddddddddd: 4 })',
    '[..."日本語テキスト"]',
    '["😀", "👨‍👩‍👧", "é"]',
  ],
  arrays: [
    '[1, , 3]',
    '[, ,]',
    'new Array(5)',
    'Object.assign([1, 2], { extra: true, "-1": 0 })',
    '[undefined, , null]',
    'Array.from({ length: 3 })',
    '[[1, 2, [3, 4, [5, [6]]]], { a: [1] }]',
  ],
  'Map and Set': [
    'new Map()',
    'new Set()',
    'new Map([["a", 1], [{ k: 1 }, [2]], [null, undefined]])',
    'new Set(["a", 1, { b: 2 }, [3]])',
    'new Map([["m", new Map([["n", new Set([1])]])]])',
    'new Map([[1, 2]]).keys()',
    'new Map([[1, 2]]).values()',
    'new Map([[1, 2], [3, 4]]).entries()',
    'new Set([1, 2]).values()',
    'new Set([1, 2]).entries()',
    '[1, 2][Symbol.iterator]()',
    '"ab"[Symbol.iterator]()',
    '"ab".matchAll(/a/g)',
    'new WeakMap()',
    'new WeakSet()',
    'Object.assign(new Map([[1, 2]]), { extra: 1 })',
    'Object.assign(new Set(), { extra: 1 })',
  ],
  'binary data': [
    'new Uint8Array([1, 2, 3])',
    'new Uint8Array(0)',
    'new Uint8Array(200)',
    'new Float64Array([1.5, -0, NaN])',
    'new BigInt64Array([1n, -2n])',
    'new Uint8ClampedArray(2)',
    'new ArrayBuffer(4)',
    'new Uint8Array([1, 255, 16]).buffer',
    'new ArrayBuffer(100)',
    'new DataView(new ArrayBuffer(3), 1)',
    '({ bytes: new Int16Array(3) })',
  ],
  'dates, regexps, boxes': [
    'new Date(0)',
    'new Date(NaN)',
    '[new Date(1e12)]',
    '/a\\/b/gi',
    'Object.assign(/x/, { extra: 1 })',
    'Object.assign(new Date(0), { extra: 1 })',
    'Object(1)',
    'Object(-0)',
    'Object("str")',
    'Object(true)',
    'Object(1n)',
    'Object(Symbol("s"))',
    'Object.assign(Object("ab"), { extra: 1 })',
  ],
  functions: [
    'function named() {}',
    '(() => {})',
    '(function () {})',
    'async () => {}',
    'async function later() {}',
    'function* gen() {}',
    'async function* agen() {}',
    '({ m() {} })',
    '({ m() {} }).m',
    'Math.max',
    '[].push',
    'Object.assign(function f() {}, { prop: 1, nested: { a: 1 } })',
    'Object.assign(() => {}, { a: 1 })',
    '(function () {}).bind(null)',
    'Object.defineProperty(() => {}, "name", { value: "renamed" })',
    '[() => {}, function two() {}]',
  ],
  classes: [
    'class A {}',
    'class {}',
    'class A { static s = 1 }',
    '(() => { class A {} class B extends A {} return B; })()',
    'class C extends Map {}',
    'class N extends null {}',
    '[class A {}]',
    '({ C: class {} })',
  ],
  instances: [
    'new (class Foo { constructor() { this.a = 1; } })()',
    'new (class Foo {})()',
    'new (class { x = 1 })()',
    'new (class Foo extends Map {})([[1, 2]])',
    'new (class Foo extends Set {})([1])',
    'new (class Foo extends Array {})(1, 2, 3)',
    'new (class Foo extends Uint8Array {})(2)',
    'new (class Foo extends Date {})(0)',
    'new (class Foo extends Promise {})(() => {})',
    'new (class Foo { #secret = 1; pub = 2; get g() { return 1; } })()',
    'new (class Foo { get [Symbol.toStringTag]() { return "Tag"; } })()',
    '({ [Symbol.toStringTag]: "Tag", a: 1 })',
    'new (class A extends (class B { b = 1 }) { a = 1 })()',
    '({ constructor: { name: "Fake" } })',
    '({ constructor: 1 })',
    'Object.create({ inherited: 1 })',
    'Object.create(class Foo {}.prototype)',
    'Object.create(Array.prototype)',
  ],
  'null prototypes': [
    'Object.create(null)',
    'Object.assign(Object.create(null), { a: 1 })',
    'Object.setPrototypeOf([1], null)',
    'Object.setPrototypeOf(new Map([[1, 2]]), null)',
    'Object.setPrototypeOf(() => {}, null)',
    'Object.setPrototypeOf(new Date(0), null)',
    'Object.setPrototypeOf(/x/, null)',
    '({ inner: Object.create(null) })',
  ],
  accessors: [
    '({ get a() { return 1; } })',
    '({ set a(v) {} })',
    '({ get a() { return 1; }, set a(v) {} })',
    '({ get a() { throw new Error("x"); } })',
    'Object.defineProperty({}, "hidden", { value: 1 })',
    'Object.defineProperty({ shown: 1 }, Symbol("hidden"), { value: 1 })',
    '({ get [Symbol("g")]() { return 1; } })',
  ],
  circular: [
    '(() => { const o = { a: 1 }; o.self = o; return o; })()',
    '(() => { const a = []; a.push(a, [a]); return a; })()',
    '(() => { const o = { a: {} }; o.a.b = o.a; o.a.root = o; return o; })()',
    '(() => { const m = new Map(); m.set("m", m); return m; })()',
    '(() => { const s = { x: 1 }; return [s, s, { s }]; })()',
  ],
  promises: [
    'Promise.resolve(1)',
    'Promise.resolve({ a: [1] })',
    'new Promise(() => {})',
    '(() => { const p = Promise.reject(3); p.catch(() => {}); return p; })()',
    '[Promise.resolve("x")]',
    'Object.assign(Promise.resolve(1), { extra: 1 })',
  ],
  proxies: [
    'new Proxy({ a: 1 }, {})',
    'new Proxy([1, 2], {})',
    'new Proxy(function f() {}, {})',
    'new Proxy(class A {}, {})',
    'new Proxy({}, { get() { throw new Error("trap"); }, ownKeys() { throw new Error("trap"); } })',
    'new Proxy(new Proxy({ deep: 1 }, {}), {})',
    '[new Proxy({ a: 1 }, {})]',
    'new Proxy(new Map([[1, 2]]), {})',
    '(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()',
  ],
  generators: ['(function* g() {})()', '(async function* g() {})()', '(function* () {})'],
  others: [
    '(function () { return arguments; })(1, 2)',
    'globalThis === undefined',
    'Math',
    'JSON',
    'Reflect',
    'Intl',
    'new Intl.NumberFormat("en")',
    'new WeakMap().constructor',
    'Symbol',
    'Array.prototype',
    'Object.prototype',
    'Map.prototype',
    'Function.prototype',
    '(async () => {}).constructor.name',
    'Date.prototype',
    'Promise.prototype',
    'RegExp.prototype',
    'Number.prototype',
  ],
  'inspect.custom': [
    '({ [Symbol.for("nodejs.util.inspect.custom")]() { return "custom text"; } })',
    '({ [Symbol.for("nodejs.util.inspect.custom")]() { return { replaced: [1] }; } })',
    '[{ [Symbol.for("nodejs.util.inspect.custom")](depth, options) { return `depth ${depth} ${typeof options.stylize}`; } }]',
    '({ [Symbol.for("nodejs.util.inspect.custom")]: 5 })',
    '({ [Symbol.for("nodejs.util.inspect.custom")](d, o, inspect) { return `<${inspect({ a: 1 })}>`; } })',
    'new (class Money { constructor(n) { this.n = n; } [Symbol.for("nodejs.util.inspect.custom")]() { return "$" + this.n; } })(5)',
    '({ a: { [Symbol.for("nodejs.util.inspect.custom")]() { return "multi\\nline"; } } })',
    '({ toString() { return "no"; }, inspect() { return "no"; } })',
  ],
};

describe('console.log prints values as Node does', () => {
  test.each(Object.entries(VALUES))('%s', async (_kind, values) => {
    for (const value of values) {
      const code = `console.log(${value});`;
      expect(`${value}\n${await guestPrints(code)}`).toBe(`${value}\n${await nodePrints(code)}`);
    }
  });
});

describe('console.log formats as Node does', () => {
  const FORMATS = [
    '',
    '"%s", "text"',
    '"%s", 5',
    '"%s", -0',
    '"%s", 5n',
    '"%s", Symbol("s")',
    '"%s", null',
    '"%s", undefined',
    '"%s", { a: { b: { c: 1 } } }',
    '"%s", [1, [2, [3]]]',
    '"%s", Math.max',
    '"%s", { toString() { return "own"; } }',
    '"%s", new (class A { toString() { return "inherited"; } })()',
    '"%s", new Date(0)',
    '"%s", Object.create(null)',
    '"%d", 42',
    '"%d", "42"',
    '"%d", 1.5',
    '"%d", -0',
    '"%d", 5n',
    '"%d", Symbol("s")',
    '"%d", {}',
    '"%d", "x"',
    '"%i", 42.9',
    '"%i", "42.9px"',
    '"%i", 5n',
    '"%i", {}',
    '"%i", Symbol("s")',
    '"%f", 42.5',
    '"%f", "42.5px"',
    '"%f", 5n',
    '"%f", Symbol("s")',
    '"%f", {}',
    '"%j", { a: [1, "x"] }',
    '"%j", undefined',
    '"%j", () => 1',
    '"%j", { toJSON() { return "own"; } }',
    '"%j", (() => { const o = {}; o.o = o; return o; })()',
    '"%o", { a: { b: { c: { d: { e: 1 } } } }, f() {} }',
    '"%o", [1, 2]',
    '"%o", "text"',
    '"%o", function f(a) {}',
    '"%o", new Map([[1, { a: 1 }]])',
    '"%O", { a: { b: { c: { d: { e: { f: 1 } } } } } }',
    '"%O", [1, [2]]',
    '"%O", "text"',
    '"%c styled", "color: red"',
    '"%cno argument"',
    '"100%"',
    '"%%"',
    '"%% %s", 1',
    '"100%", 5',
    '"%s %s", 1',
    '"%s", 1, 2, { a: 1 }',
    '"%x", 1',
    '"%"',
    '"%s%s%s", "a", "b", "c"',
    '"%s:%d:%i:%f:%j:%o:%O:%c:%%", "s", 1, 2, 3, {}, {}, {}, "css", "rest"',
    '"text", { a: 1 }, [1], "more text", null',
    '1, "two", 3n',
    '{ a: 1 }, "text %s", "arg"',
    '"a\\nb", { c: 1 }',
    '"", ""',
    '"", 1',
    'undefined, undefined',
    '"text", "text2"',
    '["%s"], "x"',
  ];

  test.each(FORMATS)('(%s)', async (args) => {
    await expectAsNode(`console.log(${args});`);
  });

  test.each(['info', 'warn', 'error', 'debug'])('console.%s formats like console.log', async (method) => {
    await expectAsNode(`console.${method}("%s %o", "x", { a: [1] }, new Map([[1, 2]]));`);
    await expectAsNode(`console.${method}();`);
  });
});

describe('errors print their first line as Node does', () => {
  const ERRORS = [
    'new Error("message")',
    'new TypeError("t")',
    'new (class MyError extends Error {})("mine")',
    'new (class MyError extends Error { name = "Own"; })("mine")',
    'Object.assign(new Error("m"), { name: "Renamed" })',
    'new RangeError("two\\nlines")',
  ];

  test.each(ERRORS)('%s', async (error) => {
    const code = `console.log(${error});`;
    expect((await guestPrints(code)).split('\n')[0]).toBe((await nodePrints(code)).split('\n')[0]);
  });

  // Not compared: the test runner's own stack traces differ from Node's here.
  test('new Error("")', async () => {
    expect((await guestPrints('console.log(new Error(""));')).split('\n')[0]).toBe('Error');
  });

  const STACKLESS = [
    'Object.assign(new Error("m"), { stack: undefined })',
    'Object.assign(new Error("m"), { stack: "own stack" })',
    '[Object.assign(new Error("m"), { stack: "own stack" })]',
    '({ e: Object.assign(new TypeError("m"), { stack: "own\\n    at line" }) })',
    'Object.assign(new Error("m", { cause: "why" }), { stack: "S", extra: { a: 1 } })',
    'Object.assign(new Error("m", { cause: { a: [1] } }), { stack: "S" })',
    'Object.assign(new AggregateError([1, "two"], "many"), { stack: "S" })',
    'Object.assign(new Error("m"), { stack: "S", code: "E_CODE" })',
    'Object.create(Error.prototype)',
  ];

  test.each(STACKLESS)('errors without an engine stack are printed completely: %s', async (error) => {
    await expectAsNode(`console.log(${error});`);
  });

  test('properties and causes follow the stack', async () => {
    const logs = await guestPrints(
      'console.log(Object.assign(new Error("outer", { cause: new TypeError("inner") }), { code: "E" }));',
    );
    expect(logs).toMatch(/^Error: outer\n {4}at [\s\S]*code: 'E',[\s\S]*\[cause\]: TypeError: inner\n/);
    expect(logs).not.toMatch(/node:|file:|\.mjs|\.rs|ext:|__smol_/);
  });
});

describe('console methods print as Node does', () => {
  const PROGRAMS = {
    'table of objects': 'console.table([{ a: 1, b: "x" }, { a: 2, c: true }]);',
    'table of arrays': 'console.table([[1, 2], [3, 4, 5]]);',
    'table of primitives': 'console.table([1, "two", null, undefined, -0]);',
    'table of mixed rows': 'console.table([1, { a: 2 }, [3]]);',
    'table of an object': 'console.table({ first: { a: 1 }, second: { a: 2 } });',
    'table of an object of primitives': 'console.table({ a: 1, b: "two" });',
    'table with columns': 'console.table([{ a: 1, b: 2 }, { a: 3, b: 4 }], ["b"]);',
    'table with missing columns': 'console.table([{ a: 1 }], ["z", "a"]);',
    'table of a Map': 'console.table(new Map([["a", 1], ["b", { c: 2 }]]));',
    'table of a Set': 'console.table(new Set([1, "two", { c: 3 }]));',
    'table of a Map iterator':
      'console.table(new Map([["a", 1]]).entries()); console.table(new Map([["a", 1]]).keys());',
    'table of a Set iterator': 'console.table(new Set(["a"]).values());',
    'table of a typed array': 'console.table(new Uint8Array([1, 2]));',
    'table of nested values': 'console.table([{ deep: { a: { b: 1 } }, list: [1, 2, 3, 4], fn() {} }]);',
    'table of wide characters': 'console.table([{ "日本": "語", "😀": "é" }]);',
    'table of nothing': 'console.table([]); console.table({}); console.table();',
    'table of a primitive':
      'console.table(5); console.table("text"); console.table(null); console.table(undefined); console.table(Symbol("s"));',
    'table of a function': 'console.table(function f() {});',
    'table of null-prototype rows': 'console.table([Object.assign(Object.create(null), { a: 1 })]);',
    'table in a group': 'console.group("G"); console.table([{ a: 1 }]); console.groupEnd();',
    group:
      'console.group("one"); console.log("in"); console.group("two", { a: 1 }); console.warn("deeper\\nsecond line"); console.groupEnd(); console.log("back"); console.groupEnd(); console.log("out");',
    'group without a label':
      'console.group(); console.log("in"); console.groupEnd(); console.groupEnd(); console.log("out");',
    groupCollapsed: 'console.groupCollapsed("c"); console.log({ a: { b: 1 } }); console.groupEnd();',
    'objects in a group break lines earlier':
      'console.group(); console.group(); console.log({ aaaaaaaaaaaaaaaa: 1, bbbbbbbbbbbbbbbb: 2, cccccccccccccccc: 3, dddddddddd: 4 }); console.groupEnd(); console.groupEnd();',
    count:
      'console.count(); console.count(); console.count("x"); console.count("default"); console.countReset(); console.count(); console.count(undefined); console.count(5);',
    assert:
      'console.assert(true, "no"); console.assert(false); console.assert(0, "text"); console.assert(false, "%s is %d", "x", 5); console.assert(); console.assert(false, "a", { b: 1 });',
    dir: 'console.dir({ a: { b: { c: { d: 1 } } } }); console.dir("text"); console.dir([1, 2]); console.dir({ a: 1 }, undefined);',
    'dir with options':
      'console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 }); console.dir({ a: { b: { c: { d: { e: 1 } } } } }, { depth: null }); console.dir([1], { showHidden: true }); console.dir({ b: 1, a: 2 }, { sorted: true }); console.dir({ a: 1, b: [1, 2] }, { compact: false }); console.dir(Array.from({ length: 5 }, (_, i) => i), { maxArrayLength: 2 });',
    'dir ignores inspect.custom': 'console.dir({ [Symbol.for("nodejs.util.inspect.custom")]() { return "custom"; } });',
    dirxml: 'console.dirxml({ a: 1 }, [2]); console.dirxml("x");',
    'detached methods':
      'const { log, error } = console; log("x %s", 1); error({ a: 1 }); [1, 2].forEach((x) => console.log(x)); ["a"].forEach(console.log);',
  };

  test.each(Object.entries(PROGRAMS))('%s', async (_name, code) => {
    await expectAsNode(code);
  });

  // From version 24 on, Node.js does so too.
  test('assert prints values as they are', async () => {
    const code =
      'console.assert(1 === 2, { user: "x", tags: [1] }); console.assert(0, ["q"], new Map([[1, 2]])); console.assert(0, 5);';
    expect(await guestPrints(code)).toBe(
      "Assertion failed { user: 'x', tags: [ 1 ] }\nAssertion failed [ 'q' ] Map(1) { 1 => 2 }\nAssertion failed 5",
    );
  });

  test('table refuses columns that are not an array', async () => {
    await withExecutor({}, {}, async (executor) => {
      const error = await expectCode(executor.run('console.table([1], 5)'), 'ERR_RUNTIME_EXCEPTION');
      expect(error.details.name).toBe('TypeError');
    });
  });

  test("time, timeLog and timeEnd have the shape of Node's", async () => {
    const lines = (
      await guestPrints(
        'console.time(); console.timeLog(); console.timeLog("default", { a: 1 }, "x"); console.timeEnd(); console.time("label"); console.timeEnd("label");',
      )
    ).split('\n');
    const duration = String.raw`(\d+(\.\d+)?ms|\d+\.\d{3}s)`;
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(new RegExp(`^default: ${duration}$`));
    expect(lines[1]).toMatch(new RegExp(`^default: ${duration} \\{ a: 1 \\} x$`));
    expect(lines[2]).toMatch(new RegExp(`^default: ${duration}$`));
    expect(lines[3]).toMatch(new RegExp(`^label: ${duration}$`));
  });

  test('trace prints its message and guest frames', async () => {
    const logs = await guestPrints('function outer() { console.trace("where %s", "am I"); }\nouter();');
    expect(logs).toMatch(/^Trace: where am I\n {4}at outer \(.*:1:\d+\)\n/);
    expect(logs).not.toMatch(/node:|file:|\.mjs|\.rs|ext:|__smol_/);
  });

  test('every method with which Node writes exists', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(
        '["log", "info", "warn", "error", "debug", "trace", "dir", "dirxml", "table", "group", "groupCollapsed", "groupEnd", "count", "countReset", "time", "timeLog", "timeEnd", "assert"].filter((name) => typeof console[name] !== "function" || console[name].name !== name)',
      );
      expect(output).toStrictEqual([]);
    });
  });

  test('counters, timers and indentation do not outlive their run', async () => {
    await withExecutor({}, {}, async (executor) => {
      await executor.run('console.count(); console.group("g"); console.time();');
      const { logs } = await executor.run('console.log("flat"); console.count(); console.time();');
      expect(logs).toBe('flat\ndefault: 1');
    });
  });
});

describe('log floods cost the host no more than the limit', () => {
  /// Runs `code` in a child and returns what it reports, with the growth of its resident memory in MB.
  const flood = async (code, options = {}) => {
    const { status, signal, stdout, stderr } = await runChild(`
      import { SESExecutor } from '${new URL('../../index.mjs', import.meta.url)}';
      const executor = new SESExecutor(${JSON.stringify({ timeoutMs: 20_000, ...options })});
      await executor.init();
      await executor.run('console.log("warm"); 0');
      const before = process.resourceUsage().maxRSS;
      const result = await executor.run(${JSON.stringify(code)}).catch((error) => error);
      const grownMb = (process.resourceUsage().maxRSS - before) / 1024;
      let next;
      if (executor.state === 'READY') next = (await executor.run('1 + 1')).output;
      process.stdout.write(JSON.stringify({
        code: result.code ?? null, output: result.output, length: result.logs?.length, start: result.logs?.slice(0, 20),
        end: result.logs?.slice(-20), state: executor.state, next, grownMb,
      }));
      await executor.cleanup();
    `);
    expect({ status, signal, stderr }).toMatchObject({ status: 0, signal: null });
    return JSON.parse(stdout);
  };

  test('a string of 500 MB', async () => {
    const report = await flood("console.log('x'.repeat(5e8)); 'went on'");
    expect(report).toMatchObject({
      code: null,
      output: 'went on',
      length: 262_144 + MARKER.length,
      end: `xxxxxx${MARKER}`,
      state: 'READY',
      next: 2,
    });
    expect(report.grownMb).toBeLessThan(64);
  });

  test('a string of 500 MB as one of several arguments, in an object, and formatted by %s', async () => {
    for (const code of [
      "console.log('a', 'x'.repeat(5e8))",
      "console.log({ a: 'x'.repeat(5e8) })",
      "console.log('%s', 'x'.repeat(5e8))",
      "console.log(['x'.repeat(5e8)])",
      "console.error('x'.repeat(2e8), 'y'.repeat(2e8))",
    ]) {
      const report = await flood(`${code}; 'went on'`);
      expect([null, 'ERR_MEMORY_LIMIT_EXCEEDED', 'ERR_RUNTIME_EXCEPTION']).toContain(report.code);
      if (report.state === 'READY') expect(report.next).toBe(2);
      expect(report.grownMb).toBeLessThan(600);
    }
  });

  test('a string of three million lines in a group', async () => {
    const report = await flood("console.group('g'); console.log('123456789\\n'.repeat(3e6)); 'went on'");
    expect(report).toMatchObject({
      code: null,
      output: 'went on',
      length: 262_144 + MARKER.length,
      start: 'g\n  123456789\n  1234',
      state: 'READY',
      next: 2,
    });
    expect(report.grownMb).toBeLessThan(64);
  });

  test('a million lines', async () => {
    const report = await flood("for (let i = 0; i < 1e6; i++) console.log('line ' + i); 'went on'", {
      maxOperations: 2e6,
    });
    expect(report).toMatchObject({
      code: null,
      output: 'went on',
      start: 'line 0\nline 1\nline 2'.slice(0, 20),
      state: 'READY',
      next: 2,
    });
    expect(report.length).toBe(262_144 + MARKER.length);
    expect(report.grownMb).toBeLessThan(64);
  });

  test('a million empty lines', async () => {
    const report = await flood("for (let i = 0; i < 1e6; i++) console.log(); 'went on'", { maxOperations: 2e6 });
    expect(report).toMatchObject({ code: null, output: 'went on', state: 'READY', next: 2 });
    expect(report.grownMb).toBeLessThan(128);
  });

  test('a huge array and a deep object', async () => {
    const report = await flood(
      "let d = {}; for (let i = 0; i < 10000; i++) d = { d }; console.log(Array.from({ length: 1e6 }, (_, i) => i), d); console.dir(d, { depth: Infinity }); 'went on'",
    );
    expect([null, 'ERR_RUNTIME_EXCEPTION']).toContain(report.code);
    expect(report).toMatchObject({ state: 'READY', next: 2 });
  });
});

// The library has an accessor for options of all later calls, and passes itself to methods of guests.
test('guests reach no default options', async () => {
  const code = `let seen;
    console.log({ [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
      seen = ['defaultOptions' in inspect, Reflect.set(inspect, 'defaultOptions', { maxArrayLength: 1 })];
      return '';
    } });
    console.log([1, 2, 3]);
    seen`;
  const { output, logs } = await withExecutor({}, {}, (executor) => executor.run(code));
  expect([output, logs]).toStrictEqual([[false, false], '\n[ 1, 2, 3 ]']);
});
