// Hints about names of other environments, which models write most.

import { describe, expect, test } from 'vitest';

import { createMcpServer } from 'ses-executor/mcp';
import { createCodeTool } from 'ses-executor/code-tool';
import { createFileTools } from 'ses-executor/tools';

import { rejection, withExecutor, withFolder } from '../helpers.mjs';

const TOOLS = { search: async () => [], read: async () => 1, web: { open: async () => 2 } };
const LISTED = 'The functions here are: search, read, web.open.';
const TIMERS = 'There are no timers: leave the wait out, and `await` the functions that you call.';
const NETWORK = `There is no network. ${LISTED}`;
const NODE = `There is no Node.js: arguments, environment variables and the system cannot be read. ${LISTED}`;
const BROWSER = 'There is no browser: return the value, or log it with `console.log(…)`.';
const ASYNC =
  '`await` needs an async function: write `async` before `function` or before the parameters, and `await` where it is called. Instead of `forEach` use `for (const item of items) { … }`.';

const hintOf = (code, tools = TOOLS, options = {}) =>
  withExecutor(options, tools, async (executor) => {
    const { explanation } = await rejection(executor.run(code));
    return /\nHint: (.*)$/.exec(explanation)[1];
  });
const GENERAL = 'Correct the code at that place and run it again.';

describe('hints about', () => {
  test.each([
    ['setTimeout(() => {}, 10)', TIMERS],
    ['await new Promise((done) => setTimeout(done, 100))', TIMERS],
    ['const t = setInterval(() => {}, 1)', TIMERS],
    ['await sleep(100)', TIMERS],
    ['await delay(5)', TIMERS],
    ['await fetch("https://a.test")', NETWORK],
    ['await axios.get("https://a.test")', NETWORK],
    ['new XMLHttpRequest()', NETWORK],
    ['globalThis.fetch("https://a.test")', NETWORK],
    ['const fs = require("fs")', `There is no \`require\`. ${LISTED}`],
    ['process.env.HOME', NODE],
    ['os.platform()', NODE],
    ['Buffer.from("a")', 'There is no `Buffer`. Use `Uint8Array`, `TextEncoder` and `TextDecoder`, and `btoa` and `atob` for base64.'],
    ['crypto.randomUUID()', 'There is no `crypto`: use `Math.random()` where nothing has to be secret.'],
    ['performance.now()', 'There is no `performance`: use `Date.now()`.'],
    ['module.exports = 1', 'Leave the export out: end the program with an expression, or with a call of the function.'],
    ['Temporal.Now.instant()', 'There is no `Temporal`: use `Date` and `Intl.DateTimeFormat`.'],
    ['WebAssembly.compile(new Uint8Array())', 'There is no `WebAssembly`: write the algorithm in JavaScript.'],
    ['fs.readFileSync("a")', `There is no Node.js file system. ${LISTED}`],
    ['document.title', BROWSER],
    ['window.location', BROWSER],
    ['localStorage.getItem("a")', BROWSER],
    ['alert("x")', BROWSER],
    ['new Worker("a.js")', 'There is only one thread: use ordinary arrays and typed arrays.'],
    ['_.map([1], (x) => x)', 'There are no libraries: use the methods of the language.'],
    ['tools.search("x")', 'Call the function without `tools.`: `search(…)`.'],
    ['await codemode.search("x")', 'Call the function without `codemode.`: `search(…)`.'],
    ['functions.read({})', 'Call the function without `functions.`: `read(…)`.'],
    ['tools.web.open("x")', 'Call the function without `tools.`: `web.open(…)`.'],
    ['tools.weather("x")', `There is no \`tools\`: call functions by their names. ${LISTED}`],
    ['await weather("Paris")', `There is no function \`weather\`. ${LISTED}`],
    ['const rows = queryDatabase({ q: 1 })', `There is no function \`queryDatabase\`. ${LISTED}`],
    ['const { data } = await supabase.from("x").select()', `There is no \`supabase\`. ${LISTED}`],
    ['await openai.chat.completions.create({})', `There is no \`openai\`. ${LISTED}`],
    ['const book = new ExcelJS.Workbook()', `There is no \`ExcelJS\`. ${LISTED}`],
    ['new PDFDocument()', `There is no \`PDFDocument\`. ${LISTED}`],
    ['time.sleep(1)', TIMERS],
    ['search.run("x")', '`search` is a function itself: call `search(…)`.'],
    ['function f() { await search("x") }\nf()', ASYNC],
    ['const f = () => { const rows = await search(1); return rows }', ASYNC],
    ['[1].forEach((n) => { await search(n) })', ASYNC],
    ['serch("x")', 'Did you mean `search`?'],
    ['__dirname', NODE],
    ['requests.get("https://a.test")', NETWORK],
    ['np.array([1])', 'There are no libraries: use the methods of the language.'],
    ['json.dumps({})', 'This is Python: use `JSON.parse(…)` and `JSON.stringify(…)`.'],
    ['datetime.now()', 'This is Python: use `Date`.'],
    ['await asyncio.gather(search(1))', 'This is Python: `await` the functions, or `await Promise.all([…])`.'],
    ['re.findall("a", "b")', 'This is Python: use regular expressions, as in `text.match(/…/)`.'],
    ['random.choice([1])', 'This is Python: use `Math.random()`.'],
    ['print("x")', '`print` is Python. In JavaScript write `console.log(…)`.'],
  ])('say what to do for %s', async (code, hint) => {
    expect(await hintOf(code)).toBe(hint);
  }); // prettier-ignore

  // Python that does not parse as JavaScript.
  test.each([
    ['raise ValueError("x")', 'write `throw new Error(…)`'],
    ['try:\n  search("x")\nexcept Exception as e:\n  print(e)', 'write `try { … } catch (error) { … }`'],
    ['try:\n  search("x")\nfinally:\n  print(1)', 'write `try { … } catch (error) { … }`'],
    ['if x:\n  y()\nelse:\n  z()', 'write `if (…) { … }`'],
    ['if (x) { y() }\nelse:\n  z()', 'write `else { … }`'],
    ['const f = lambda x: x + 1', 'write `(…) => …`'],
    ['if (x is None) { search("x") }', 'write `===`, or `!==`'],
    ['const found = x is not y', 'write `===`, or `!==`'],
    ['if (x not in list) { search("x") }', 'write `!list.includes(item)`'],
    ['const a = [x * 2 for x in [1]]', 'write `list.map((item) => …)`'],
    ['const last = list[-1:]', 'write `list.slice(…)`'],
    ['with open("f") as f:\n  f.read()', 'call the functions without `with`'],
    ['class A:\n  x = 1', 'write `class Name { … }`'],
    ['async def main():\n  x = 1', 'write `async function name(…) { … }`'],
    ['print "x"', 'write `console.log(…)`'],
    ['del rows[0]', 'write `delete object[key]`'],
    ['assert x', 'write `if (!…) throw new Error(…)`'],
    ['nonlocal x', 'leave the line out, since functions can assign variables outside of them'],
  ])('the JavaScript to write in place of %j', async (code, hint) => {
    expect(await hintOf(code)).toBe(`This is Python: ${hint}`);
  });

  const TEMPLATE = 'write a template, `${value}` between backticks.';
  const IMPORT = 'leave the import out.';
  test.each([
    ['import json', `${IMPORT} Use \`JSON.parse(…)\` and \`JSON.stringify(…)\`.`],
    ['import json;', `${IMPORT} Use \`JSON.parse(…)\` and \`JSON.stringify(…)\`.`],
    ['import json\n\nx = json.loads("{}")', `${IMPORT} Use \`JSON.parse(…)\` and \`JSON.stringify(…)\`.`],
    ['import os', `${IMPORT} ${NODE}`],
    ['import os.path, sys', `${IMPORT} ${NODE}`],
    ['import requests as rq', `${IMPORT} ${NETWORK}`],
    ['import numpy as np', `${IMPORT} There are no libraries: use the methods of the language.`],
    ['import time\ntime.sleep(1)', `${IMPORT} Use \`Date.now()\`. There are no timers.`],
    ['from collections import defaultdict', `${IMPORT} Use \`Map\`, \`Set\` and the methods of arrays.`],
    ['from typing import (\n  List,\n)', `${IMPORT} Write types as in TypeScript, or none.`],
    ['from mypackage.util import f', `${IMPORT} The language has \`Math\`, \`JSON\`, \`Date\` and \`Intl\`.`],
    ['console.log(f"a {1}")', TEMPLATE],
    ["const s = f'{x}';", TEMPLATE],
    ['const path = r"a\\d";', 'write a template, `String.raw` before backticks, or a regular expression.'],
    ['const bytes = b"abc";', 'write `new TextEncoder().encode(…)`.'],
    ['x = """a\nb"""', 'write text of several lines between backticks, or a comment, `/* … */`.'],
    ['const x = 1 if y else 2', 'write `condition ? value : other`.'],
    ['const o = {k: v for k, v in pairs}', 'write `Object.fromEntries(list.map((item) => [key, value]))`.'],
    ['total = f(x for x in list)', 'write `list.map((item) => …)`.'],
    ['match x:\n  case 1:\n    y()', 'write `switch (…) { case …: … }`.'],
    ['x := 5', 'write `=`, and declare the variable before.'],
    ['enumerate([1])', 'write `list.entries()`.'],
    ['throw ValueError("x")', 'write `new Error(…)`.'],
    ['isinstance(1, Number)', 'write `value instanceof Class`, `typeof value` or `Array.isArray(value)`.'],
    ['", ".join(["a"])', 'write `list.join(text)`.'],
    ['const d = { a: 1 };\nfor (const [k, v] of d.items()) {}', 'write `Object.entries(object)`.'],
    ['const d = { a: 1 };\nd.keys()', 'write `Object.keys(object)`.'],
    ['const text = "{}";\ntext.format(1)', TEMPLATE],
    ['itertools.chain([1])', 'use `Map`, `Set` and the methods of arrays.'],
  ])('the JavaScript in place of %j', async (code, hint) => {
    expect(await hintOf(code)).toBe(`This is Python: ${hint}`);
  });

  test('the import of a module that may be imported', async () => {
    const options = { authorizedImports: ['units'], modules: { units: 'export const k = 7' } };
    expect(await hintOf('import units', {}, options)).toBe(
      'This is Python: write `const units = await import("units")`.',
    );
  });

  test.each([
    ['const sum = 1;\nsum + all', GENERAL],
    ['web.items()', '`web` has `open`.'],
    ['from . import x', 'None of the code has run. Correct it and send all of it again.'],
    ['const a = { if: 1 };\na if', 'None of the code has run. Correct it and send all of it again.'],
  ])('no Python for %j', async (code, hint) => {
    expect(await hintOf(code)).toBe(hint);
  });

  test.each([
    'const raise = 1;\nraise;\nlet x = ;',
    'const print = 1;\nprint\nlet x = ;',
    'for (const x of [1]) { [x }',
    'const o = { is: 1, lambda: 2 }; o.is lambda',
    'label: for (;;) { break label; } )',
  ])('nothing about Python for other mistakes: %j', async (code) => {
    expect(await hintOf(code)).not.toContain('Python');
  });

  test.each([
    ['async (tools) => await tools.search("x")', 'Call the function without `tools.`: `search(…)`.'],
    ['async function main(ctx) { return ctx.web.open("x") }', 'Call the function without `ctx.`: `web.open(…)`.'],
    ['async (api) => api.weather("x")', `There is no \`api\`: call functions by their names. ${LISTED}`],
    ['async ({ search }) => await search("x")', 'Functions are globals, not parameters: call `search(…)`.'],
    ['async ({ missing }) => missing', GENERAL],
    ['const { search } = undefined;', GENERAL],
  ])('that parameters of programs are globals: %s', async (program, hint) => {
    const { text } = await createCodeTool({ tools: TOOLS }).execute(program);
    expect(/\nHint: (.*)$/m.exec(text)[1]).toBe(hint);
  });

  test('modules that may be imported', async () => {
    const options = { authorizedImports: ['units'], modules: { units: 'export const k = 7' } };
    expect(await hintOf('require("units")', {}, options)).toBe(
      'There is no `require`. Write `await import(name)` with one of: units.',
    );
  });

  test.each(['missing', 'x + 1', 'const a = weather;', 'rows.map((x) => x)', 's.trim()', 'total.items[0]'])(
    'list no functions for %s',
    async (code) => {
      expect(await hintOf(code)).toBe(GENERAL);
    },
  );

  test.each([
    ['new Blob(["a"])', 'Use `Uint8Array`, `TextEncoder` and `TextDecoder`, and `btoa` and `atob` for base64.', {}],
    ['new FormData()', NETWORK, {}],
    ['new ReadableStream()', 'There are no streams: use arrays and async generators.', {}],
    ['new FileReader()', 'Read a blob with `await blob.text()` or `await blob.bytes()`.', { globals: ['fetch'] }],
    [
      'new TextDecoderStream()',
      'Read a body with `await response.text()`, or its parts with `for await (const part of response.body)`.',
      { globals: ['fetch'] },
    ],
  ])('say what to do for %s, with and without requests', async (code, hint, options) => {
    expect(await hintOf(code, TOOLS, options)).toBe(hint);
  });

  test('list no functions if none were sent', async () => {
    expect(await hintOf('await weather(1)', {})).toBe(GENERAL);
    expect(await hintOf('await fetch("x")', {})).toBe('There is no network.');
  });

  test('list the first ones of many functions', async () => {
    const tools = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`tool${i}`, () => i]));
    const names = Array.from({ length: 12 }, (_, i) => `tool${i}`).join(', ');
    expect(await hintOf('await weather(1)', tools)).toBe(
      `There is no function \`weather\`. The functions here are: ${names} and 3 more.`,
    );
  });
});

test('hints omit functions that change files if files are read-only', () =>
  withFolder(async (root) => {
    const { execute } = createCodeTool({ tools: createFileTools({ root, readOnly: true }) });
    const { error } = await execute('await write("a", "b")');
    expect(error.hint).toMatch(
      /^Files can only be read here: there is no `write`\. The functions here are: read, readText, /,
    );
    const { error: other } = await execute('fs.readFileSync("a")');
    expect(other.hint).toBe('There is no Node.js file system. Call `await readText(path)`.');
    await (await createMcpServer({ root, readOnly: true })).close();
  }));
