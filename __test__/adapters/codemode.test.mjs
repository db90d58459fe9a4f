// `ses-executor/codemode`: the executor against `@cloudflare/codemode` itself, and its contract.

import { createBrowserCodeTool } from '@cloudflare/codemode/browser';
import { codeMcpServer } from '@cloudflare/codemode/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createCodeTool } from '../../build/adapters/code-tool/index.js';
import { SESCodemodeExecutor } from '../../build/adapters/codemode/index.js';
import { deferred, rejection, runChild, spawnNode, withExecutor } from '../helpers.mjs';

const executor = new SESCodemodeExecutor({ timeoutMs: 5_000 });

/** Executes `code` with the functions of the namespace `codemode`. */
const execute = (code, fns = {}, prelude = undefined) => executor.execute(code, [{ name: 'codemode', fns, prelude }]);

describe('with @cloudflare/codemode', () => {
  test('runs tools of /browser', async () => {
    const calls = [];
    const { description, execute: call } = createBrowserCodeTool({
      executor,
      tools: {
        'get-user': {
          description: 'A user by id',
          inputSchema: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
          execute: async (input) => {
            calls.push(input);
            return { id: input.id, name: 'Ada' };
          },
        },
      },
    });
    expect(description).toContain('get_user: (input: GetUserInput)');
    const code =
      'async () => {\n  const { name } = await codemode.get_user({ id: 7 });\n  console.log(name);\n  return name.length;\n}';
    expect(await call({ code })).toStrictEqual({ result: 3, logs: ['Ada'] });
    expect(calls).toStrictEqual([{ id: 7 }]);
    const { message } = await rejection(call({ code: 'console.log("early");\nnull.x' }));
    // codemode wraps the program in an arrow function, on separate lines.
    expect(message).toMatch(
      /^Code execution failed: ERR_RUNTIME_EXCEPTION: Runtime exception: TypeError: .* \(line 3, column 14\)\n/,
    );
    expect(message).toMatch(/\n\nConsole output:\nearly$/);
  });

  test('runs tools of an MCP server', async () => {
    const upstream = new McpServer({ name: 'upstream', version: '1.0.0' });
    upstream.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }));
    const server = await codeMcpServer({ server: upstream, executor });
    const client = new Client({ name: 'test', version: '1.0.0' });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    const call = (code) => client.callTool({ name: 'code', arguments: { code } });
    expect(await call('async () => await codemode.add({ a: 1, b: 2 })')).toStrictEqual({
      content: [{ type: 'text', text: '3' }],
    });
    const failed = await call('async () => codemode.add({ a: "one", b: 2 })');
    expect(failed.isError).toBe(true);
    expect(failed.content[0].text).toMatch(/^Error: ERR_TOOL_PROXY_FAIL: Tool execution failed: .*expected number/);
    await client.close();
    await server.close();
  });

  // The part needs modules of Cloudflare Workers, of which createCodeTool uses nothing: empty classes are enough.
  test('runs tools of /ai, whose schemas check the input', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { register } from 'node:module';
      const workers = 'data:text/javascript,' +
        encodeURIComponent('export class DurableObject {} export class RpcTarget {} export class WorkerEntrypoint {}');
      register('data:text/javascript,' + encodeURIComponent(\`
        export const resolve = (specifier, context, next) =>
          specifier === 'cloudflare:workers' ? { url: '\${workers}', shortCircuit: true } : next(specifier, context);
      \`));
      const { createCodeTool } = await import('@cloudflare/codemode/ai');
      const { tool } = await import('ai');
      const { z } = await import('zod');
      const { SESCodemodeExecutor } = await import('ses-executor/codemode');
      const code = createCodeTool({
        executor: new SESCodemodeExecutor(),
        tools: {
          twice: tool({
            inputSchema: z.object({ n: z.number() }),
            execute: async ({ n }) => n * 2,
          }),
        },
      });
      console.log(JSON.stringify(await code.execute({ code: 'async () => codemode.twice({ n: 4 })' }, {})));
      await code.execute({ code: 'async () => codemode.twice({ n: "4" })' }, {}).catch(({ message }) => {
        console.log(message.includes('expected number, received string'));
      });
    `);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '{"result":8}\ntrue\n', stderr: '' });
  });
});

describe('the code of an execution', () => {
  const fns = { add: async (a, b) => a + b };
  test.each([
    ['an async arrow function', 'async () => codemode.add(1, 2)', 3],
    ['one with a semicolon', 'async () => { return 3; };\n', 3],
    ['one with several semicolons', 'async () => 3; ;\n;', 3],
    ['one with a comment after it', 'async () => 3; // done', 3],
    ['one with comments after it', 'async () => 3;; // a; b\n/* c;\n // d; */\n', 3],
    ['one with a directive before it', '"use strict"; async () => 3', 3],
    ['a function that returns one', '() => async () => 3', 3],
    ['a function', '() => 3', 3],
    ['a declared function', 'async function main() {\n  return codemode.add(1, 2);\n}', 3],
    ['a default export', 'export default async () => 3', 3],
    ['an expression', 'codemode.add(1, 2)', 3],
    ['a program', 'const three = await codemode.add(1, 2);\nthree', 3],
    ['a program with return', 'const three = 3;\nreturn three;', 3],
    ['a fence', '```js\nasync () => 3\n```\n', 3],
    ['a comma', '1, 3', 3],
    ['no result', 'async () => {}', undefined],
    ['an object', '{ a: 1 }', { a: 1 }],
    ['two statements that could be a call', 'codemode.add; (3) // 3', 3],
  ])('%s is called or evaluated', async (_, code, result) => {
    expect(await execute(code, fns)).toStrictEqual({ result, logs: [] });
  });

  test('that evaluates to a function is called', async () => {
    for (const code of [
      'const three = 3; async () => three',
      'function main() { return 3 }\nmain',
      'return [() => 3][0]',
    ]) {
      expect(await execute(`console.log(1);\n${code}`)).toStrictEqual({ result: 3, logs: ['1'] });
    }
  });

  test('that evaluates to a class or a built-in function is an error, since it cannot be the program', async () => {
    const error =
      'The value of the code is a class or a built-in function, which cannot be the program: call it in the code';
    expect(await execute('Math.max', fns)).toStrictEqual({ result: undefined, error, logs: [expect.any(String)] });
    expect(await execute('codemode.add', fns)).toStrictEqual({ result: undefined, error, logs: [expect.any(String)] });
  });

  test('of the codemode tool is called, whatever surrounds it', async () => {
    const { execute: call } = createBrowserCodeTool({ executor, tools: {} });
    for (const code of ['async () => 7; // done', '"use strict"; async () => 7', 'const n = 7; async () => n']) {
      expect(await call({ code })).toStrictEqual({ result: 7 });
    }
  });

  test.each([
    ['an async arrow function', 'async () => { const n: number = 7; return n }'],
    ['one with a result type', 'async (): Promise<number> => { const n = 7 as number; return n };'],
    ['one after a comment', '// seven\n() => 7 as number'],
    ['a function', 'async function main() { return 7 as number }'],
    ['one that is called already', 'function main(): number { return 7 }\nmain()'],
  ])('of the codemode tool is called in TypeScript, which codemode cannot parse: %s', async (_, code) => {
    const { execute: call } = createBrowserCodeTool({ executor, tools: {} });
    expect(await call({ code })).toStrictEqual({ result: 7 });
  });

  test('of the codemode tool has no result if it returns nothing', async () => {
    const { execute: call } = createBrowserCodeTool({ executor, tools: {} });
    expect(await call({ code: 'const n: number = 7;\nn' })).toStrictEqual({ result: undefined });
  });

  test('of the codemode tool keeps the line numbers of the model', async () => {
    const { execute: call } = createBrowserCodeTool({ executor, tools: {} });
    const { message } = await rejection(call({ code: 'async () => {\n  null.x as number;\n}' }));
    expect(message).toMatch(/ \(line 2, column 8\)\n/);
  });

  test('has data as result, with strings only in the place of parts that are not data', async () => {
    const { result } = await execute('async () => ({ big: 2n, map: new Map([["a", new Date(0)]]), none: undefined })');
    expect(result).toStrictEqual({ big: '2', map: [['a', '1970-01-01T00:00:00.000Z']] });
    expect((await execute('async () => ({ list: [1, null] })')).result).toStrictEqual({ list: [1, null] });
  });

  test('has lines as logs, with warnings and errors marked', async () => {
    const { logs } = await execute(
      'async () => { console.log("a", { b: 1 }); console.info("i"); console.warn("w"); console.error("e"); }',
    );
    expect(logs).toStrictEqual(['a { b: 1 }', 'i', '[warn] w', '[error] e']);
  });

  test('may end with final_answer', async () => {
    expect(await execute('async () => { final_answer(5); }')).toStrictEqual({ result: 5, logs: [] });
  });
});

describe('functions for code', () => {
  test('accept all arguments and always return promises', async () => {
    const fns = { sync: (...args) => args };
    const { result } = await execute(
      'async () => [codemode.sync() instanceof Promise, await codemode.sync(1, { b: 2 })]',
      fns,
    );
    expect(result).toStrictEqual([true, [1, { b: 2 }]]);
  });

  test('run at the same time', async () => {
    const both = deferred();
    let waiting = 0;
    const meet = async () => {
      if (++waiting === 2) both.resolve('met');
      return both.promise;
    };
    const { result } = await execute('async () => Promise.all([codemode.meet(), codemode.meet()])', { meet });
    expect(result).toStrictEqual(['met', 'met']);
  });

  test('that need approval are refused, because nobody would be asked', async () => {
    const { error } = await execute('async () => codemode.pay()', {
      pay: Object.assign(async () => 1, { needsApproval: true }),
    });
    expect(error).toMatch(/^codemode\.pay has needsApproval, which would be ignored: /);
  });

  test('have identifiers as names', async () => {
    const fns = { 'list-files': async () => 1, '2nd': async () => 2, delete: async () => 3, 'a.b c': async () => 4 };
    const code =
      'async () => Promise.all([codemode.list_files(), codemode._2nd(), codemode.delete_(), codemode.a_b_c()])';
    expect(await execute(code, fns)).toStrictEqual({ result: [1, 2, 3, 4], logs: [] });
  });

  test('have the ASCII names that codemode declares', async () => {
    const declared = { délai: 'dlai', 查询: '_', 'a\u00a0b': 'a_b', '1²': '_1', 'un é': 'un_', 'été.x': 't_x' };
    const names = Object.keys(declared);
    const fns = Object.fromEntries(names.map((name) => [name, async () => name]));
    const calls = names.map((name) => `codemode.${declared[name]}()`);
    const { result } = await execute(`async () => Promise.all([${calls.join(', ')}])`, fns);
    expect(result).toStrictEqual(names);
  });

  test('are called in namespaces', async () => {
    const code = 'async () => [await one.get(), await two.get(), Object.keys(none)]';
    const providers = [
      { name: 'one', fns: { get: async () => 1 } },
      { name: 'two', fns: { get: async () => 2 } },
      { name: 'none', fns: {} },
    ];
    expect(await executor.execute(code, providers)).toStrictEqual({ result: [1, 2, []], logs: [] });
  });

  test('without a provider are members of codemode', async () => {
    expect(await executor.execute('async () => codemode.one()', { one: async () => 1 })).toStrictEqual({
      result: 1,
      logs: [],
    });
  });

  test('of a prelude run in the isolate, before the code', async () => {
    const prelude =
      'codemode.step = async (name, fn) => [name, await fn(), await codemode.host()];\ncodemode.own = () => 9;';
    const fns = { host: async () => 'host', own: async () => 8 };
    const { result } = await execute('async () => [await codemode.step("a", () => 1), codemode.own()]', fns, prelude);
    expect(result).toStrictEqual([['a', 1, 'host'], 9]);
  });

  test('throw errors that code can catch', async () => {
    const fns = { fail: async () => Promise.reject(Object.assign(new Error('no disk'), { code: 'EIO' })) };
    const code = 'async () => { try { await codemode.fail(); } catch ({ message, code }) { return [message, code]; } }';
    expect(await execute(code, fns)).toStrictEqual({ result: ['no disk', 'EIO'], logs: [] });
  });
});

describe('errors are strings in the result', () => {
  test('with their place and code frame', async () => {
    const { error, ...rest } = await execute('async () => {\n  console.log("early");\n  return null.size;\n}');
    expect(rest).toStrictEqual({ result: undefined, logs: ['early'] });
    expect(error).toBe(
      [
        "ERR_RUNTIME_EXCEPTION: Runtime exception: TypeError: Cannot read properties of null (reading 'size') (line 3, column 15)",
        '  |',
        '1 | async () => {',
        '2 |   console.log("early");',
        '3 |   return null.size;',
        "  |               ^ TypeError: Cannot read properties of null (reading 'size')",
        '4 | }',
        '  |',
        'Hint: Correct the code at that place and run it again.',
      ].join('\n'),
    );
  });

  test.each([
    ['the first line', 'async () => missing', /^ERR_RUNTIME_EXCEPTION: .* \(line 1, column 13\)\n/],
    [
      'a syntax error',
      'async () => {\n  let a = ;\n}',
      /^ERR_VALIDATION_FAILED: Code validation failed: Unexpected token ';' \(line 2, column 11\)\n/,
    ],
    [
      'an import',
      'async () => import("fs")',
      /^ERR_IMPORT_NOT_ALLOWED: Import not allowed: fs \(line 1, column 13\)\n/,
    ],
    ['no code', '', /^ERR_VALIDATION_FAILED: Code validation failed: the program is empty\n/],
    ['a warning', 'async () => process.cwd()', /\nNote: line 1: .*process.*\nHint: /],
    [
      'a value that is not an error',
      'async () => { throw "text"; }',
      /^ERR_RUNTIME_EXCEPTION: Runtime exception: text \(line 1, column 15\)\n/,
    ],
    ['a missing function', 'async () => codemode.none()', /codemode\.none is not a function \(line 1, column 22\)/],
  ])('for the case: %s', async (_, code, error) => {
    expect(await execute(code)).toStrictEqual({ result: undefined, error: expect.stringMatching(error), logs: [] });
  });

  test('of too many loops, if there is a limit', async () => {
    const limited = new SESCodemodeExecutor({ maxOperations: 1_000 });
    expect(await limited.execute('async () => { for (;;); }', [])).toStrictEqual({
      result: undefined,
      error: expect.stringMatching(/^ERR_MAX_OPS_EXCEEDED: Max operations exceeded \(1000\) \(line 1, column 15\)\n/),
      logs: [],
    });
  });

  test('of a deadline', async () => {
    const hasty = new SESCodemodeExecutor({ timeoutMs: 500 });
    expect(await hasty.execute('async () => { console.log(1); await new Promise(() => {}); }', [])).toStrictEqual({
      result: undefined,
      error:
        'ERR_EXEC_TIMEOUT: Execution timed out after 500ms\nHint: Do less in one run, and await only promises that settle.',
      logs: ['1'],
    });
  });

  test('of a prelude', async () => {
    const { error } = await execute('async () => 1', {}, 'nothing();');
    expect(error).toMatch(/^ERR_RUNTIME_EXCEPTION: Runtime exception: ReferenceError: nothing is not defined/);
  });

  test.each([
    ['code', [5, {}], 'code must be a string, got 5'],
    ['no functions', ['1', 5], 'the fns of codemode must be an object of functions, got 5'],
    ['no provider', ['1', [null]], 'providers[0] must be an object, got null'],
    ['no prelude', ['1', [{ name: 'a', fns: {}, prelude: 5 }]], 'the prelude of a must be a string, got 5'],
    ['no connectors', ['1', {}, { connectors: 'a' }], 'options.connectors must be an array, got "a"'],
    ['a name', ['1', [{ name: 'a b', fns: {} }]], 'the name of a provider must be an identifier, got "a b"'],
    [
      'a reserved name',
      ['1', [{ name: 'console', fns: { log: async () => {} } }]],
      'tools.console must have another name: `console` is reserved',
    ],
    [
      'a name twice',
      [
        '1',
        [
          { name: 'a', fns: {} },
          { name: 'a', fns: {} },
        ],
      ],
      'two providers are called a; give one of them another name',
    ],
    [
      'functions of one name',
      ['1', { 'a-b': async () => {}, a_b: async () => {} }],
      'the tools "a-b" and "a_b" would both be called a_b in code; rename one of them',
    ],
    [
      'connectors',
      ['1', [], { connectors: [{ name: 'github' }] }],
      'connectors (github) are bindings of Cloudflare Workers; pass their functions as providers',
    ],
  ])('wrong usage is refused: %s', async (_, args, error) => {
    expect(await executor.execute(...args)).toStrictEqual({ result: undefined, error, logs: [] });
  });
});

describe('executions', () => {
  test('share no state', async () => {
    expect(await execute('globalThis.left = 1')).toMatchObject({ result: 1 });
    expect(await execute('typeof left')).toMatchObject({ result: 'undefined' });
  });

  test('leave nothing behind', async () => {
    const { status, stdout } = await runChild(`
      import { engineStats } from 'ses-executor';
      import { createCodeTool } from 'ses-executor/code-tool';
import { SESCodemodeExecutor } from 'ses-executor/codemode';
      const executor = new SESCodemodeExecutor();
      for (const code of ['async () => 1', 'async () => null.x', 'let a = ;', 5]) await executor.execute(code, []);
      console.log(engineStats().live);
    `);
    expect({ status, stdout }).toStrictEqual({ status: 0, stdout: '0\n' });
  });

  test('may overlap', async () => {
    const both = deferred();
    let waiting = 0;
    const meet = async (name) => {
      if (++waiting === 2) both.resolve();
      await both.promise;
      return name;
    };
    const results = await Promise.all(
      ['a', 'b'].map((name) => execute(`async () => codemode.meet("${name}")`, { meet })),
    );
    expect(results.map(({ result }) => result)).toStrictEqual(['a', 'b']);
  });
});

// The expression that found Markdown fences tried each line break as the last one before the code.
test('unwrapping code on the host takes time that grows with its length', async () => {
  const small = new SESCodemodeExecutor({ maxCodeBytes: 1 });
  const blocked = async (code) => {
    const times = [];
    for (let i = 0; i < 3; i++) {
      const start = performance.now();
      const result = small.execute(code, {});
      times.push(performance.now() - start);
      expect((await result).error).toMatch(/^ERR_VALIDATION_FAILED: /);
    }
    return Math.min(...times);
  };
  const harmless = await blocked('x'.repeat(40_000));
  for (const hostile of [
    '```js' + '\n'.repeat(40_000),
    '```' + ' \n'.repeat(20_000) + 'x``',
    ';'.repeat(40_000) + 'x',
    ';/*'.repeat(13_000),
    ';' + '/**/'.repeat(10_000) + 'x',
    ';' + '//'.repeat(20_000) + '\nx',
  ]) {
    expect(await blocked(hostile)).toBeLessThan(50 * harmless);
  }
});

test.each([
  ['a fence', '```js\n40 + 2\n```'],
  ['a fence with blank lines', ' \n```ts  \n\n\n40 + 2```\n'],
  ['a fence without a language', '```\r\n40 + 2\r\n```'],
  ['an export', '```js\nexport default async () => 42\n```'],
])('%s is removed', async (_, code) => {
  expect(await execute(code)).toStrictEqual({ result: 42, logs: [] });
});

test('wrong options are refused immediately', () => {
  expect(() => new SESCodemodeExecutor({ timeout: 5 })).toThrow(
    new TypeError('options.timeout is not an option; did you mean options.timeoutMs?'),
  );
});

describe('the example', () => {
  let example;
  beforeAll(async () => {
    example = await spawnNode(['examples/codemode.mjs']);
  });

  test('ends successfully', () => {
    expect(example).toMatchObject({ status: 0, signal: null, stderr: '' });
  });

  test('shows the declarations, an error and its correction', () => {
    expect(example.stdout).toContain('count: (input: CountInput) => Promise<CountOutput>;');
    expect(example.stdout).toMatch(
      /--- error\nCode execution failed: ERR_VALIDATION_FAILED: .*Property 'stockOf' does not exist .* \(line 3, column 42\)/,
    );
    expect(example.stdout).toContain("--- result\n{ result: [ 'pears' ], logs: [ '3 items' ] }");
    expect(example.stdout).toContain("--- result\n{ result: 'pears', content: [ 'image' ] }");
    expect(example.stdout).toContain('--- the model answers\nOnly the pears are sold out.\n');
  });

  test('shows the plan of a program, and one decision about all of its calls that need one', () => {
    const end = example.stdout.slice(example.stdout.indexOf('--- a person is asked'));
    expect(end).toBe(`--- a person is asked about store.order
The program can call 2 tools:
- store.soldOut: once
    line 2: store.soldOut({})
- store.order: at most 3 times, only under a condition
    line 5: store.order({ item: "apples" | "pears" | "plums" }) at most 3 times, only under a condition
--- the person approves the plan

--- result
[ 'ordered pears', 'ordered plums' ]
`);
  });
});

test('codemode accepts any executor, and executions in it share no state', () =>
  withExecutor({}, {}, async (inner) => {
    const shared = new SESCodemodeExecutor({ executor: inner });
    await inner.run('globalThis.before = 1');
    const fns = { add: async ({ a, b }) => a + b };
    const results = await Promise.all([
      shared.execute(
        'async () => { globalThis.left = 1; return [typeof before, await codemode.add({ a: 1, b: 2 })]; }',
        fns,
      ),
      shared.execute('async () => typeof left', fns),
      shared.execute('null.x', fns),
      shared.execute('async () => codemode.add({ a: 3, b: 4 })', fns),
    ]);
    expect(results.map(({ result }) => result)).toStrictEqual([['undefined', 3], 'undefined', undefined, 7]);
    expect(results[2].error).toMatch(/^ERR_RUNTIME_EXCEPTION: /);
    expect(() => new SESCodemodeExecutor({ executor: inner, timeoutMs: 5 })).toThrow(
      new TypeError('options.timeoutMs is an option of executors: pass it where the executor is created'),
    );
    expect(() => new SESCodemodeExecutor({ executor: {} })).toThrow(
      new TypeError('options.executor must be an executor, got an object'),
    );
    expect(() => new SESCodemodeExecutor(null)).toThrow(new TypeError('options must be an object, got null'));
  }));

test('executions of two codemode executors over one executor take turns, also with code tools', () =>
  withExecutor({}, {}, async (inner) => {
    const [one, other] = [1, 2].map(() => new SESCodemodeExecutor({ executor: inner }));
    const who = (name) => ({ who: async () => name });
    const tool = createCodeTool({ tools: who('tool'), executor: inner });
    const results = await Promise.all([
      one.execute('async () => codemode.who()', who('one')),
      tool.execute('await who()'),
      other.execute('async () => [await codemode.who(), typeof who]', who('other')),
    ]);
    expect(results).toStrictEqual([
      { result: 'one', logs: [] },
      { output: 'tool', logs: '', text: 'tool' },
      { result: ['other', 'undefined'], logs: [] },
    ]);
  }));
