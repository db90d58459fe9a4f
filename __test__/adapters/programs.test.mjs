// The forms in which models write programs mean the same in each front end.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { SESExecutor } from 'ses-executor';
import { createCodeTool } from 'ses-executor/code-tool';
import { SESCodemodeExecutor } from 'ses-executor/codemode';
import { SandboxManager, anyState } from 'ses-executor/sandbox';
import { SmolagentsExecutor } from 'ses-executor/smolagents';

const F = '```';
const smolagents = new SmolagentsExecutor();
const manager = new SandboxManager({
  registry: {
    sources: [
      {
        name: 'api',
        description: 'An API',
        methods: [{ name: 'twice', description: 'Twice n', params: { type: 'object' }, result: {} }],
      },
    ],
  },
  adapters: { api: { twice: async ({ n }) => 2 * n } },
  stateSchema: anyState,
  poolSize: 1,
});
const tool = createCodeTool({ tools: {} });
const codemode = new SESCodemodeExecutor();

afterAll(async () => {
  await Promise.all([smolagents.cleanup(), manager.close()]);
});

/** The value of a program in each front end of agents. */
const FRONT_ENDS = {
  'code tool': async (code) => {
    const { output, error } = await tool.execute(code);
    if (error !== undefined) throw Object.assign(new Error(error.message), { details: error });
    return output;
  },
  smolagents: async (code) => {
    await smolagents.cleanup();
    return (await smolagents.run(code)).output;
  },
  codemode: async (code) => {
    const { result, error } = await codemode.execute(code, {});
    if (error !== undefined) throw new Error(error);
    return result;
  },
  SandboxManager: (code) => manager.executeCode(code),
};

const FENCED = {
  'one fence': `${F}js\n40 + 2\n${F}`,
  'another mark': `${F}JavaScript\n40 + 2\n${F}`,
  'a mark of modules': `${F}mjs\n40 + 2\n${F}`,
  'TypeScript': `${F}ts\nconst n: number = 42;\nn\n${F}`,
  'a file name': `${F}js title="a b.js" {1,3}\n40 + 2\n${F}`,
  'attributes in braces': `${F}js {numberLines}\nconst n = 40;\nn + 2\n${F}`,
  'attributes with values': `${F}typescript {title=a.ts, copy}\nconst n: number = 42;\nn\n${F}`,
  'an option in braces': `${F}js {numberLines: true}\n40 + 2\n${F}`,
  'a fence that a tag closes': `${F}js\n40 + 2\n</code>`,
  'a word after the mark': `${F}js example\nconst n = 42;\nn\n${F}`,
  'words after the mark': `${F}javascript The second step\n40 + 2\n${F}`,
  'words in parentheses after the mark': `${F}javascript (Node.js)\n40 + 2\n${F}`,
  'a call in parentheses after the mark': `${F}js (() => 42)()\n${F}`,
  'a mark in braces': `${F}{js}\n40 + 2\n${F}`,
  'a mark in braces with attributes': `${F}{.javascript .numberLines}\n40 + 2\n${F}\nand\n${F}{.output}\n42\n${F}`,
  'a mark of classes': `${F}language-js\n40 + 2\n${F}`,
  'a mark of attributes': `${F} lang=ts\nconst n: number = 42;\nn\n${F}`,
  'blanks without width before the fences': `\u200b${F}js\n40 + 2\n\u00a0${F}`,
  'a statement after the mark': `${F}js const\nn = 42;\nn\n${F}`,
  'a block after the mark': `${F}js { const n = 42; n }\n${F}`,
  'tildes': '~~~\n40 + 2\n~~~',
  'tildes with a mark': '~~~js\n40 + 2\n~~~',
  'no mark': `${F}\n40 + 2\n${F}`,
  'longer fences': `${F}\`js\nconst s = "\\n${F}\\n"; 42\n${F}\``,
  'prose before': `Here it is:\n${F}js\n40 + 2\n${F}`,
  'prose on the line of the fence': `Sure! ${F}js\nconst n = 42; // ${F}\nn\n${F}\nThat is all.`,
  'a byte order mark before the fence': `\ufeff${F}js\n40 + 2\n${F}`,
  'prose before and after': `Here it is:\n\n${F}js\n40 + 2\n${F}\n\nThis gives 42.`,
  'words after the closing fence': `${F}js\n40 + 2\n${F} That is all.`,
  'an indented fence': `  ${F}js\n  40 + 2\n  ${F}`,
  'a fence in a list': `1. Run this:\n   ${F}js\n   40 + 2\n   ${F}`,
  'a fence in a block quote': `As said:\n\n> ${F}js\n> const n = 40;\n>\n> n + 2\n> ${F}\n\nThat is all.`,
  'a fence in a block quote without blanks': `>${F}js\n>40 + 2\n>${F}`,
  'tildes in a block quote': '> ~~~js\n> 40 + 2\n> ~~~',
  'a fence in two block quotes': `> > ${F}js\n> > 50\n> >   > 8 ? 42 : 0\n> > ${F}`,
  'a fence in a block quote in a list': `1. > ${F}js\n   > 40 + 2\n   > ${F}`,
  'a fence in a list in a block quote': `> - ${F}js\n>   40 + 2\n>   ${F}`,
  'fences in several block quotes': `> ${F}js\n> const n = 40;\n> ${F}\nand\n> ${F}js\n> n + 2\n> ${F}`,
  'a block quote in a template': 'const quote = `\n> ~~~js\n> 1\n> ~~~\n`;\nquote.length + 23',
  'a block quote in the template of a fenced program': `${F}js\nconst quote = \`\n> ~~~js\n> 1\n> ~~~\n\`;\nquote.length + 23\n${F}`,
  'code on the line of the fence': `${F}js 40 + 2\n${F}`,
  'code and fences on one line': `${F}js 40 + 2 ${F}`,
  'a fence that is not closed': `${F}js\n40 + 2`,
  'a fence that is only closed': `40 + 2\n${F}`,
  'several fences': `${F}js\nconst a = 40;\n${F}\nand then\n${F}js\na + 2\n${F}`,
  'three fences': `${F}js\nconst a = 40;\n${F}\n${F}ts\nconst b: number = 2;\n${F}\n${F}\nnot code!\n${F}\n${F}javascript\na + b\n${F}`,
  'data next to the program': `Given\n${F}json\n{ "a": 1 }\n${F}\nrun\n${F}js\n42\n${F}\nwhich prints\n${F}text\n42\n${F}`,
  'a corrected block': `${F}js\nconst a = 1;\na\n${F}\nNo:\n${F}js\nconst a = 42;\na\n${F}`,
}; // prettier-ignore

const CALLED = {
  'an arrow function': 'async () => 42',
  'one with a body': 'async () => {\n  return 42;\n}',
  'one that is called': '(async () => 42)()',
  'one with types': 'async (): Promise<number> => { const n: number = 42; return n; }',
  'one between comments': '// the program\nasync () => 42 // done',
  'one after a directive': '"use strict";\nasync () => 42',
  'one with a parameter': 'async (input) => 42',
  'one that returns another': '() => async () => 42',
  'one in a fence': `${F}ts\nasync () => {\n  return 42;\n}\n${F}`,
  'a function without a name': 'async function () { return 42 }',
  'a function with a name': 'function answer() { return 42 }',
  'a name of one': 'const f = async () => 42;\nf',
  'a returned one': 'return async () => 42',
  'main that is declared but not called':
    'async function main() {\n  return helper();\n}\nfunction helper() { return 42; }',
  'main after data': 'const n = 42;\nasync function main() { return n; }',
  'main in a variable': 'const n = 42;\nconst main = async (): Promise<number> => {\n  return n;\n};',
  'main with a parameter': 'async function main(args) { return 42 }',
  'main that calls itself': 'let n = 0;\nasync function main() { return n++ < 3 ? main() : 42 }',
  'main that is already called': 'async function main() { return 42 }\nmain();',
  'main with a handler of errors': 'async function main() { return 42 }\nmain().catch(console.error);',
  'a default export': 'export default async () => 42',
  'an exported function': 'export default async function run() {\n  return 42;\n}',
  'an exported function without a name': 'export default function () { return 42 }',
  'an exported value': 'export default 42',
  'a named export': 'export async function main() { return 42 }',
  'an exported constant': 'export const main = async () => 42;',
  'a list of exports': 'async function main() { return 42 }\nexport { main };',
  'exported objects': 'export default { name: "x", async main() { return 42 } }',
  'module.exports': 'module.exports = async () => 42;',
  'module.exports of a name': 'async function main() { return 42 }\nmodule.exports = main;',
  'module.exports of an object': 'async function main() { return 42 }\nmodule.exports = { main };',
  exports: 'exports.main = async () => 42;',
};

/** Front ends of agents take these. `run()` removes only what prompts ask for, and reports it. */
const TAGGED = {
  'thoughts in tags before it': '<think>Let me\nadd <b>them</b>.</think>\n40 + 2',
  'several thoughts': '<thinking>a</thinking>\n<reasoning lang="en">b</reasoning>40 + 2',
  'thoughts, and their tag in a string': '<think>a</think>\n"</think>".length + 34',
  tags: '<code>40 + 2</code>',
  'tags with attributes': '<CODE lang="js">\nconst n = 40;\nn + 2\n</CODE >\n',
  'a tag that is not closed': '<code>\n40 + 2',
  'the mark at the end of code': '<code>\n40 + 2\n<end_code>',
  'a closing tag in a string': '<code>const s = "<code></code>"; s.length + 29</code>',
  'thoughts and tags': '<thought>a</thought> <code>40 + 2</code>',
};

describe.each(Object.entries(FRONT_ENDS))('%s', (_, valueOf) => {
  test.each(Object.entries({ ...FENCED, ...TAGGED }))('extracts code from %s', async (_, code) => {
    expect(await valueOf(code)).toBe(42);
  });

  test.each(Object.entries(CALLED))('calls %s', async (_, code) => {
    expect(await valueOf(code)).toBe(42);
  });

  test.each([
    ['a list', '[Promise.resolve(42), 1]', [42, 1]],
    ['a list of calls', 'const f = async (n) => n;\n[1, 2].map(f)', [1, 2]],
    ['a returned list', 'return [1, 2].map(async (n) => n)', [1, 2]],
    ['a list that a function returns', 'async () => [1, 2].map(async (n) => n)', [1, 2]],
    ['an object', '({ a: Promise.resolve(42) })', { a: 42 }],
    ['a list in an object', '({ all: [1, 2].map(async (n) => n), sum: 3 })', { all: [1, 2], sum: 3 }],
    [
      'objects in a list',
      '[1, 2].map((id) => ({ id, price: Promise.resolve(2 * id) }))',
      [
        { id: 1, price: 2 },
        { id: 2, price: 4 },
      ],
    ],
    ['a program with a name of the front end', 'const $settled = Promise.resolve(42); [$settled]', [42]],
    ['what promises lead to', '[(async () => ({ a: Promise.resolve(42) }))()]', [{ a: 42 }]],
  ])('awaits the promises in %s', async (_, code, value) => {
    expect(await valueOf(code)).toStrictEqual(value);
  });

  test.each([
    ['an object in braces', '{ a: 1, b: [2] }', { a: 1, b: [2] }],
    ['a block', '{ const a = 42; a }', 42],
    ['undefined', 'undefined', undefined],
    ['a class', 'class A {}', undefined],
    ['functions for later', 'function area(w, h) { return w * h }', undefined],
    ['a helper next to a value', 'function help() { throw new Error("called") }\nhelp.name', 'help'],
    ['fences in a template', 'const text = `\n~~~js\nno()\n~~~\n`;\ntext.length', 16],
    ['fences in a comment', `/*\n${F}js\nno()\n${F}\n*/\n42`, 42],
    ['export keywords in strings', 'const text = `\nexport default 5;\nmodule.exports = 6;\n`;\ntext.length', 39],
    ['a variable named module', 'const module = {};\nmodule.exports = 42;\nmodule.exports', 42],
  ])('leaves %s as it is', async (_, code, value) => {
    expect(await valueOf(code)).toStrictEqual(value);
  });
});

describe('positions refer to the text of the model', () => {
  const CASES = [
    ['after prose', `Here:\n${F}js\nconst a = 1;\nnull.x\n${F}`, 4, 6],
    ['in the second block', `${F}js\nconst a = 1;\n${F}\nThen\n${F}js\nconst b = null;\nb.x\n${F}`, 7, 3],
    ['in the last expression', 'const a = 1;\nmissing(a)', 2, 1],
    ['after other characters', 'const é = "é😀"; missing(é)', 1, 18],
    ['in a function', 'async () => {\n  return missing();\n}', 2, 3],
    ['in an exported function', 'export default async () => {\n  missing();\n}', 2, 3],
    ['in main', 'async function main() {\n  const a = null;\n  return a.x;\n}', 3, 12],
    ['of a syntax error', `${F}js\nconst a = 1;\nlet b = ;\n${F}`, 3, 9],
  ];
  test.each(CASES)('%s', async (_, code, line, column) => {
    const { error } = await tool.execute(code);
    expect([error.line, error.column]).toStrictEqual([line, column]);
    expect(error.codeFrame).toContain(`\n${line} | `);
    const { error: text } = await codemode.execute(code, {});
    expect(text).toContain(` (line ${line}, column ${column})\n`);
    await smolagents.cleanup();
    const { details } = await smolagents.run(code).catch((thrown) => thrown);
    const place = details.line === undefined ? details.diagnostics[0].location : details;
    expect([place.line, place.column]).toStrictEqual([line, column]);
    const failure = await manager.executeCode(code).catch((thrown) => thrown);
    const found = failure.details.line === undefined ? failure.details.diagnostics[0].location : failure.details;
    expect([found.line, found.column]).toStrictEqual([line, column]);
  });
});

test('blocks that declare the same names again are reported', async () => {
  const note =
    'The blocks of code declare the same names again, so only the last block has run. Send one block, or blocks that continue each other.';
  const code = FENCED['a corrected block'];
  expect(await tool.execute(code)).toStrictEqual({ output: 42, logs: '', note, text: `42\n\nNote: ${note}` });
  await smolagents.cleanup();
  expect((await smolagents.run(code)).logs).toBe(note);
  const reports = [];
  await manager.executeCode(code, { onReport: (report) => reports.push(report.logs) });
  expect(reports).toStrictEqual([note]);
});

test('programs of a SandboxManager may call the API in every form', async () => {
  for (const code of [
    'async function main() { return (await sdk.api.twice({ n: 20 })) + 2 }',
    'function main() { return sdk.api.twice({ n: 21 }) }',
    `${F}js\nexport default () => sdk.api.twice({ n: 21 })\n${F}`,
    '(state) => sdk.api.twice({ n: 21 })',
  ]) {
    expect(await manager.executeCode(code)).toBe(42);
  }
  expect(await manager.executeCode('[20, 21].map(async (n) => sdk.api.twice({ n }))')).toStrictEqual([40, 42]);
  expect(await manager.executeMutate(`${F}js\n(state) => ({ ...state, n: 42 })\n${F}`, { a: 1 })).toStrictEqual({
    a: 1,
    n: 42,
  });
  expect(await manager.executeSearch(`${F}js\nasync () => spec.find('twice').length\n${F}`)).toBe(1);
});

describe('run of an executor', () => {
  const executor = new SESExecutor();
  beforeAll(() => executor.init());
  afterAll(() => executor.cleanup());

  test.each(Object.entries(FENCED))('extracts code from %s', async (_, code) => {
    const fresh = new SESExecutor({ autoInit: true });
    expect((await fresh.run(code)).output).toBe(42);
    await fresh.cleanup();
  });

  const VALUE = 'The value of the program is a function that was not called. To run it, end the program with a call: ';
  test.each([
    ['async () => 2', `${VALUE}await (async () => { … })()`],
    ['const compute = () => 1;', `${VALUE}await compute()`],
    ['async function load() { return 1 }\nload', `${VALUE}await load()`],
    [
      'async function main() { return helper() }\nfunction helper() { return 2 }',
      'The program declares main but does not call it. To run it, end the program with a call: await main()',
    ],
    [
      '[Promise.resolve(1)]',
      'The value of the program contains promises that were not awaited. Await them: await Promise.all([…])',
    ],
  ])('warns that %j calls or awaits nothing', async (code, notice) => {
    const { logs, logEntries } = await executor.run(code);
    expect([logs, logEntries.map(({ level, message }) => [level, message])]).toStrictEqual([
      notice,
      [['warn', notice]],
    ]);
  });

  test('reports the warning to onLog too', async () => {
    const entries = [];
    const listening = new SESExecutor({ autoInit: true, onLog: ({ message }) => entries.push(message) });
    await listening.run('console.log(1); async () => 2');
    await listening.cleanup();
    expect(entries).toStrictEqual(['1', `${VALUE}await (async () => { … })()`]);
  });

  test.each(['function area(w, h) { return w * h }', 'function f() { return 1 }\nf();', 'final_answer(() => 1)', '1'])(
    'does not warn about %j',
    async (code) => {
      expect((await executor.run(code)).logs).toBe('');
    },
  );
});
