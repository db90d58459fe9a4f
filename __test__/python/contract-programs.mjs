// The programs of the contract's suite in Python.

import { TOOL_PROGRAMS } from './contract-tool-programs.mjs';

/** What nothing interrupts: Python may keep its state at other deadlines. */
const UNINTERRUPTIBLE = 'sum(range(10**12))';
const FLOOD = `class Again:
    def __await__(self):
        while True: yield
async def f():
    while True: await Again()
await f()`;
const RECURSION = `async def f():
    try:
        await f()
    finally:
        await f()
await f()`;

/** Ends of programs whose answer a function returns. It is `async` if tools are available. */
const ANSWERED = 'try { final_answer(main()); } catch { } "not reached"';
const answering = (body) => `def main():
    ${body.replaceAll('\n', '\n    ')}
try: final_answer(main())
except Exception: pass
"not reached"`;

/** Whole programs; of deadlines that which comes closest. */
const PROGRAMS = new Map([
  ...TOOL_PROGRAMS,
  // Answers that a function returns.
  [
    `async function main() { const out = []; for (const n of [1, 2]) out.push(await get(n)); return out; }\n${ANSWERED}`,
    answering('out = []\nfor n in [1, 2]: out.append(get(n))\nreturn out'),
  ],
  [
    `async function main() { try { await fails(); } catch ({ message }) { return message; } }\n${ANSWERED}`,
    answering('try: fails()\nexcept ToolError as error: return error.message'),
  ],
  [
    `const main = () => Promise.all([1, 2].map(async (n) => { await get(n); while (n < 5) n++; return n; }))\n${ANSWERED}`,
    answering('def branch(n):\n    get(n)\n    while n < 5: n += 1\n    return n\nreturn [branch(n) for n in [1, 2]]'),
  ],
  [
    `async function main() { await get(1); final_answer("inner"); }\n${ANSWERED}`,
    answering('get(1)\nfinal_answer("inner")'),
  ],
  [
    'async function main() { await get(1); try { for (;;); } catch { } return 1; }\nfinal_answer(main())',
    answering('get(1)\ntry:\n    for _ in iter(int, 1): pass\nexcept Exception: pass\nreturn 1'),
  ],
  // Failures that code catches.
  ...[0, 1, 64].map((kept) => [
    `const caught = []; for (let i = 0; i < 65; i++) { try { fail(i); } catch (e) { caught.push(e); } } throw caught[${kept}];`,
    `caught = []\nfor i in range(65):\n    try: fail(i)\n    except ToolError as error: caught.append(error)\nraise caught[${kept}]`,
  ]),
  // Queue.
  ['', '('],
  ['enter("c"); await null; leave("c"); final_answer("C")', 'enter("c")\nawait 0\nleave("c")\nfinal_answer("C")'],
  ['var order = [];', 'order = []'],
  [
    'const before = [typeof x, tool()]; await gate(); [...before, typeof x, tool()]',
    'kind = lambda: "number" if "x" in globals() else "undefined"\nbefore = [kind(), tool()]\ngate()\n[*before, kind(), tool()]',
  ],
  // Tools that block.
  [
    `const caught = (() => { try { fails(); } catch (error) { return [error.name, error.message, error.code]; } })();
[later(21), Host.self(), caught, direct(3), [1, 2].map((n) => later(n))]`,
    `try:
    fails()
except Exception as error:
    caught = [error.name, error.message, error.code]
[later(21), Host.self(), caught, direct(3), [later(n) for n in [1, 2]]]`,
  ],
  ['const p = soon(); wait(); await p', 'wait()\nawait soon()'],
  // What the host decides on calls.
  ['[add(1, 2), await Host.later({ x: [3] })]', '[add(1, 2), await Host.later({"x": [3]})]'],
  [
    `const caught = [];
try { remove('a'); } catch (error) { caught.push([error.name, error.message, error.code]); }
try { await later(); } catch (error) { caught.push([error.name, error.message, error.code]); }
caught`,
    `caught = []
try:
    remove("a")
except Exception as error:
    caught.append([error.name, error.message, error.code])
try:
    await later()
except Exception as error:
    caught.append([error.name, error.message, error.code])
caught`,
  ],
  [
    `const promise = promised();
[half(1, 2), given(1), await promise, nothing(1),
await halfAsync(1), await givenAsync(1), await promisedAsync(1), await nothingAsync(1), promise instanceof Promise]`,
    // There are no promises: each call waits.
    `[half(1, 2), given(1), promised(), nothing(1),
 halfAsync(1), await givenAsync(1), promisedAsync(1), await nothingAsync(1), True]`,
  ],
  ['const sum = add(1, 2); [sum, sum instanceof Promise]', '[add(1, 2), False]'],
  [
    `const outcomes = [];
for (const make of [() => add(1), () => add(2), () => remove(1), () => later('a'), () => later('b'), () => later('a')]) {
try { outcomes.push(await make()); } catch ({ name, code }) { outcomes.push([name, code]); }
}
outcomes`,
    `outcomes = []
for tool, arg in [(add, 1), (add, 2), (remove, 1), (later, "a"), (later, "b"), (later, "a")]:
    try: outcomes.append(tool(arg))
    except Exception as e: outcomes.append([e.name, e.code])
outcomes`,
  ],
  // The definition of done.
  ['import fs from "node:fs";', 'import fs'],
  ['globalThis.effect = effectTool();\nimport fs from "node:fs";', 'effect = effectTool()\nimport fs'],
  ['typeof effect', '"here" if "effect" in globals() else "undefined"'],
  ['await Promise.all([tool()])', '[tool()]'],
  ['try { boom() } catch {} null.x', 'try: boom()\nexcept Exception: pass\nNone.x'],
  [
    'try { boom() } catch (e) { throw new Error(e.message) }',
    'try: boom()\nexcept Exception as e: message = str(e)\nraise Exception(message)',
  ],
  ['(await fine()).x.y', '(await fine()).x.y'],
  ['console.log(x, y); await add(x, y)', 'print(x, y)\nawait add(x, y)'],
  ['final_answer({ n: 1 }); throw new Error("not reached")', 'final_answer({"n": 1})\nraise Exception("not reached")'],
  ['return "returned"', '"returned"'],
  ['const list = await numbers(); console.log(question, list)', 'values = await numbers()\nprint(question, values)'],
  ['list.total()', 'values.total()'],
  [
    'let total = 0; for (const n of list) total += n; final_answer(total)',
    'total = 0\nfor n in values: total += n\nfinal_answer(total)',
  ],
  ['await sleepTool(999999)', 'await sleepTool(999999)'],
  ['final_answer("ok")', 'final_answer("ok")'],
  // What is reported about runs.
  [
    'now(1); await later(2); try { fails(3) } catch {}',
    'now(1)\nawait later(2)\ntry: fails(3)\nexcept Exception: pass',
  ],
  ['now(); await later(); console.log(1)', 'now()\nawait later()\nprint(1)'],
  // Lifecycle.
  ['var declared = 1; globalThis.assigned = 1;', 'declared = assigned = 1'],
  [
    '[typeof tool, typeof variable, typeof declared, typeof assigned]',
    '["undefined" if name not in globals() else "here" for name in ("tool", "variable", "declared", "assigned")]',
  ],
  ['let = ;', 'let = ='],
  // Deadlines.
  ['await Promise.all([1, never(), null])', '[1, never(), None]'],
  ['await { then() {} }', 'class Never:\n    def __await__(self):\n        while True: yield\nawait Never()'],
  ['return new Promise(() => {})', 'async def f():\n    await never()\nawait f()'],
  ['final_answer(new Promise(() => {}))', 'final_answer(never())'],
  ['const f = () => { Promise.resolve().then(f); }; f(); await new Promise(() => {})', FLOOD],
  [
    'const f = () => { Promise.resolve().then(f); }; f(); 1;',
    'class D:\n    def __del__(self):\n        while True: pass\nd = D()\ndel d\n1',
  ],
  ['for (;;) await null;', 'while True: await 0'],
  ['await Promise.resolve().then(() => { for (;;); })', 'async def f():\n    while True: pass\nawait f()'],
  ['({ get x() { for (;;); } })', 'class A:\n    def __str__(self):\n        while True: pass\nA()'],
  [
    'console.log(Object.defineProperty(Error(), "name", { get() { for (;;); } }))',
    'class A:\n    def __repr__(self):\n        while True: pass\nprint([A()])',
  ],
  [
    'for (;;) { try { for (;;) { null.x; } } catch {} }',
    'while True:\n    try:\n        while True: None.x\n    except BaseException: pass',
  ],
  ['for (const _ of (function* () { for (;;) yield; })());', 'def g():\n    while True: yield\nfor _ in g(): pass'],
  [
    'const f = () => { try { f(); } finally { f(); } }; f()',
    'def f():\n    try:\n        f()\n    finally:\n        f()\nf()',
  ],
  ['const f = async () => { await null; f(); }; f(); await new Promise(() => {})', RECURSION],
  ['const f = async () => { await null; return f(); }; await f()', RECURSION],
  ['Array.from({ length: 1e9 }, () => { for (;;); })', 'def f(n):\n    while True: pass\nlist(map(f, range(10**9)))'],
  ['/^(a+)+$/.test("a".repeat(50) + "!")', 'import re\nre.match(r"^(a+)+$", "a" * 64 + "!")'],
  ['[2, 1].sort(() => { for (;;); })', 'def f(x):\n    while True: pass\n[2, 1].sort(key=f)'],
  [
    'new Proxy({}, { get() { for (;;); } }).x',
    'class A:\n    def __getattr__(self, name):\n        while True: pass\nA().x',
  ],
  [
    '`${{ toString() { for (;;); } }}`',
    'class A:\n    def __format__(self, spec):\n        while True: pass\nf"{A()}"',
  ],
  ['for (;;) tick()', 'while True: tick()'],
  ['for (;;) await tock()', 'while True: await tock()'],
  ['for (;;) { try { tick(); } catch {} }', 'while True:\n    try: tick()\n    except BaseException: pass'],
  ['for (let i = 0; ; i++) console.log(i)', 'i = 0\nwhile True:\n    print(i)\n    i += 1'],
  ['for (;;) console.log("text")', 'while True: print("text")'],
  ['for (;;) Array(1e8).fill(1)', UNINTERRUPTIBLE],
  [
    'const end = Date.now() + 80; while (Date.now() < end); 1',
    'import time\nend = time.monotonic() + 0.08\nwhile time.monotonic() < end: pass\n1',
  ],
  [
    'console.log("before"); started(); const f = () => { Promise.resolve().then(f); }; f(); await new Promise(() => {})',
    `print("before")\nstarted()\n${FLOOD}`,
  ],
  // Deadlines of tools.
  [
    `try { await tool(); } catch (error) { return [error instanceof Error, error.name, error.code, error.message, kept]; }`,
    `try:
    await tool()
except Exception as error:
    seen = [True, error.name, error.code, error.message, kept]
seen`,
  ],
  [
    `const late = await first().catch((error) => error.code); console.log(late); [late, await second()]`,
    `try:
    first()
except Exception as error:
    late = error.code
print(late)
[late, await second()]`,
  ],
  [
    'await tool().catch((error) => error.message)',
    'try:\n    tool()\nexcept Exception as error:\n    message = error.message\nmessage',
  ],
  ['const call = never(); for (;;);', 'while True: pass'],
  ['const call = asyncTool(1); await new Promise(() => {})', UNINTERRUPTIBLE],
  ['await asyncTool(1); await new Promise(() => {})', `asyncTool(1)\n${UNINTERRUPTIBLE}`],
  ['await asyncTool(1); for (;;);', 'asyncTool(1)\nwhile True: pass'],
  ['await asyncTool()', 'await asyncTool()'],
  ['await asyncTool(1)', 'await asyncTool(1)'],
  ['final_answer(asyncTool(1))', 'final_answer(asyncTool(1))'],
  ['[await asyncTool(1), wait(2)]', '[asyncTool(1), wait(2)]'],
  ['await Promise.all([asyncTool(1), asyncTool(2), promise(3)])', '[*map(asyncTool, [1, 2]), promise(3)]'],
  [
    '[await slow(), await never().catch((error) => error.message)]',
    'try:\n    never()\nexcept Exception as error:\n    message = error.message\n[await slow(), message]',
  ],
  ['await Promise.all([ask(), other()])', '[ask(), other()]'],
  [
    `const code = (call) => { try { call(); } catch (error) { return error.code; } };
const made = Host.own(1, 2);
[code(Host.first), code(Host.second), made instanceof Promise, await made, Host.own.name, Host.own.length]`,
    // There are no promises, and functions have no lengths.
    `def code(call):
    try: call()
    except Exception as error: return error.code
[code(Host.first), code(Host.second), True, Host.own(1, 2), Host.own.__name__, 2]`,
  ],
  // What runs cost.
  ['await Promise.all([later(), later(), later()])', '[later(), later(), later()]'],
  ['try { fail() } catch {}', 'try:\n    fail()\nexcept Exception: pass'],
  ['[1, 2, 3, 4].map(sync)', '[sync(n) for n in [1, 2, 3, 4]]'],
  ['for (;;) { try { sync(); } catch {} }', 'while True:\n    try: sync()\n    except BaseException: pass'],
  [
    'const held = Array.from({ length: 20_000 }, (_, i) => ({ i, text: `${i}` })); 1',
    'held = [{"i": i, "text": str(i)} for i in range(200_000)]\n1',
  ],
  // Logs.
  [
    'console.log(1); const p = later().then(() => console.log(4)); console.log(2); now(); console.log(3); await p; console.log(5); 0',
    'print(1)\nprint(2)\nnow()\nprint(3)\nawait later()\nprint(4)\nprint(5)\n0',
  ],
  ['for (let i = 0; i < 5000; i++) console.log(i); 0', 'for i in range(5000): print(i)\n0'],
  ['for (let i = 0; i < 1000; i++) console.log("0123456789"); 0', 'for i in range(1000): print("0123456789")\n0'],
  [
    'for (let i = 0; i < 200; i++) console.log("line " + i); console.error("never");\n;0',
    'for i in range(200): print("line " + str(i))\nimport sys\nprint("never", file=sys.stderr)\n0',
  ],
]);

/** Statements, as they are alone or beside others. */
const STATEMENTS = /** @type {[RegExp, string][]} */ ([
  [/^await new Promise\(\(\) => \{\}\)$/, UNINTERRUPTIBLE],
  [/^Array\(1e8\)\.fill\(1\)$/, UNINTERRUPTIBLE],
  [/^for \(;;\)$/, 'while True: pass'],
  [/^throw new Error\((.*)\)$/, 'raise Exception($1)'],
  [/^throw (\w+)$/, 'raise Exception($1)'],
  [/^null\.x$/, 'None.x'],
  [/^await null$/, 'await 0'],
  [/^(?:let|var|const) (\w+ = [\w.]+)$/, '$1'],
  [/^n \+= 1$/, 'n += 1'],
  [/^order\.push\((\d+)\)$/, 'order.append($1)'],
  [/^console\.log\(("[^"]*"|'[^']*'|\d*)\)$/, 'print($1)'],
  [/^console\.error\(("\w+")\)$/, 'print($1, file=__import__("sys").stderr)'],
  [/^console\.log\(("a" \+ )?"(.+)"\.repeat\((\d+)\)\)$/, 'print($1"$2" * $3)'],
  // Literals, names, calls, and what is neither language.
  [
    /^(this does not parse|(await )?[\w.]+(\((\w+(, \w+)*|"\w*")?\))?( \+ 1)?|"[\w ]+"|\[\w+, \w+\(\)(, await \w+\(\))?\])$/,
    '$&',
  ],
  [/^1 \+ 1$/, '1 + 1'],
  [/^\[(\[1, \{ a: 1 \}\], )+\]$/, '$&'],
]);

/**
 * @param {string} program of the suite
 * @returns {string}
 */
export function pythonOf(program) {
  const lines = program.split('\n').map((line) => line.trim());
  const text = lines.join('\n').trim();
  const whole = PROGRAMS.get(text);
  if (whole !== undefined) return whole;
  const statements = text.split(/;\s*\n;|;\s+|;$|\n;/).filter((statement) => statement !== '');
  return statements.map((statement) => statementOf(statement)).join('\n');
}

/** @param {string} statement */
function statementOf(statement) {
  const found = STATEMENTS.find(([form]) => form.test(statement));
  if (found === undefined) throw new Error(`no Python for ${JSON.stringify(statement.slice(0, 200))}`);
  const [form, python] = found;
  return statement.replace(form, python).replaceAll('{ a: 1 }', '{"a": 1}');
}
