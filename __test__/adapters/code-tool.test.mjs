// `ses-executor/code-tool`: the tool that takes code, without a framework.

import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';

import { SESExecutor, withTimeout } from 'ses-executor';
import { createCodeTool } from 'ses-executor/code-tool';
import { toJavaScriptSignature } from 'ses-executor/prompts';
import { PyodideExecutor } from 'ses-executor/python';
import { SmolagentsExecutor } from 'ses-executor/smolagents';
import { createFileTools } from 'ses-executor/tools';

import { OPTIONS } from '../../build/contract/option-table.js';
import { deferred, gateTool, runChild, withExecutor } from '../helpers.mjs';

const add = {
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number().describe('the first'), b: z.number().default(1) }),
  outputSchema: z.number(),
  execute: ({ a, b }) => a + b,
};

/** A schema of a library that has no form as JSON Schema. */
const opaque = { '~standard': { version: 1, vendor: 'acme', validate: (value) => ({ value }) } };

describe('a call of a code tool', () => {
  test('runs code that calls tools of every kind', async () => {
    const seen = [];
    const tool = createCodeTool({
      tools: {
        add,
        find: {
          inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
          execute: (input, { context, signal }) => (seen.push([input, context, signal.aborted]), input.id),
        },
        plus: (a, b) => a + b,
      },
    });
    const code = 'console.log("adding"); [await add({ a: 1 }), await find({ id: "x" }), await plus(2, 3)]';
    expect(await tool.execute(code, { context: { user: 1 } })).toStrictEqual({
      output: [2, 'x', 5],
      logs: 'adding',
      text: '[2,"x",5]\n\nLogs:\nadding',
    });
    expect(seen).toStrictEqual([[{ id: 'x' }, { user: 1 }, false]]);
  });

  test('that has ended aborts the signal of its tools and removes its listener from that of its caller', async () => {
    const signals = [];
    const tool = createCodeTool({
      tools: { wait: { execute: (_, { signal }) => (signals.push(signal), new Promise(() => {})) } },
    });
    const { signal } = new AbortController();
    for (const code of ['wait(); 1', 'wait(); null.x']) await tool.execute(code, { signal });
    expect(signals.map(({ aborted }) => aborted)).toStrictEqual([true, true]);
    expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
  });

  test('reports to a model what failed, where, and what to do', async () => {
    const { error, logs, text } = await createCodeTool({ tools: { add } }).execute('1;\nawait add({ a: "one" })');
    expect(error).toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', tool: 'add', line: 2, column: 7 });
    expect(logs).toBe('');
    expect(text).toBe(
      [
        'ERR_TOOL_PROXY_FAIL: Tool execution failed: InvalidToolInputError: the input of add is not valid: a: Invalid ' +
          'input: expected number, received string; pass one object as declared (line 2, column 7)',
        error.codeFrame,
        `Hint: ${error.hint}`,
      ].join('\n'),
    );
  });

  // Of an async iterable the last part is the result, which of a stream was the end of what it had to say.
  test.each([
    ['bytes', () => new Blob(['one two']).stream()],
    ['text', () => new Blob(['one two']).stream().pipeThrough(new TextDecoderStream())],
    ['Node.js', () => Readable.from(['one ', 'two'])],
  ])('refuses a stream as the result of a tool: %s', async (_, execute) => {
    const tool = createCodeTool({ tools: { page: { execute } } });
    expect((await tool.execute('await page()')).error.message).toBe(
      'Tool execution failed: TypeError: the result is a stream; read it and return its content',
    );
  });

  // Its results went on being read when nobody waited for the last one.
  test('ends a tool that still yields results when its run ends', async () => {
    const [late, ended] = [deferred(), deferred()];
    async function* execute() {
      try {
        yield 'first';
        await late.promise;
        yield 'second';
        await new Promise(() => {});
      } finally {
        ended.resolve();
      }
    }
    const { error } = await createCodeTool({ tools: { steps: { execute } }, timeoutMs: 50 }).execute('await steps()');
    expect(error.code).toBe('ERR_EXEC_TIMEOUT');
    late.resolve();
    await ended.promise;
  });

  test('returns the last value of a stream of results', async () => {
    const tool = createCodeTool({ tools: { steps: { execute: () => Readable.from([{ n: 1 }, { n: 2 }]) } } });
    expect((await tool.execute('await steps()')).output).toStrictEqual({ n: 2 });
  });

  test.each([
    ['{ town: "Oslo" }', 'city is missing; town is not a parameter'],
    ['{ city: 5, days: -1 }', 'city must be string, got 5; days must be >= 1, got -1'],
    ['{ city: "Oslo", days: 2n }', 'it cannot be written as JSON: "days" is a BigInt; pass a number'],
    ['"Oslo"', 'it must be one object, got "Oslo"'],
    ['', 'city is missing'],
  ])('does not reach a tool with a JSON Schema if the input is %s', async (input, reason) => {
    const inputs = [];
    const properties = { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } };
    const inputSchema = { type: 'object', properties, required: ['city'], additionalProperties: false };
    const tool = createCodeTool({ tools: { weather: { inputSchema, execute: (it) => inputs.push(it) } } });
    expect((await tool.execute(`await weather(${input})`)).error.message).toBe(
      `Tool execution failed: InvalidToolInputError: the input of weather is not valid: ${reason}; pass one object as declared`,
    );
    expect(await tool.execute('await weather({ city: "Oslo", days: 2 })')).toMatchObject({ output: 1 });
    expect(inputs).toStrictEqual([{ city: 'Oslo', days: 2 }]);
  });

  test.each([
    ['without an object', { type: 'array' }, [1]],
    ['that zod has made', { type: 'object', additionalProperties: z.toJSONSchema(z.number()) }, { a: 1 }],
    ['that is invalid', { type: 'object', properties: { a: { pattern: '(?!x)' } } }, { a: 1 }],
  ])('reaches a tool with a JSON Schema %s', async (_, inputSchema, input) => {
    const tool = createCodeTool({ tools: { same: { inputSchema, execute: (it) => it } } });
    expect((await tool.execute(`await same(${JSON.stringify(input)})`)).output).toStrictEqual(input);
  });

  test('is checked by a JSON Schema even if the process forbids code from strings', async () => {
    const script = `
      const { createCodeTool } = require('ses-executor/code-tool');
      const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
      const tool = createCodeTool({ tools: { take: { inputSchema, execute: () => console.log('called') } } });
      tool.execute('await take({ n: "1" })').then(({ error }) => console.log(error.message));
    `;
    const options = { format: 'commonjs', nodeArgs: ['--disallow-code-generation-from-strings'] };
    const { stdout, stderr } = await runChild(script, options);
    const reason = 'the input of take is not valid: n must be number, got "1"; pass one object as declared';
    expect({ stdout, stderr }).toStrictEqual({
      stdout: `Tool execution failed: InvalidToolInputError: ${reason}\n`,
      stderr: '',
    });
  });

  test('is ended by its signal together with its tools', async () => {
    const called = deferred();
    const controller = new AbortController();
    const tool = createCodeTool({
      tools: { hang: { execute: (_, { signal }) => (called.resolve(signal), new Promise(() => {})) } },
    });
    const result = tool.execute('await hang()', { signal: controller.signal });
    const signal = await called.promise;
    controller.abort(new Error('the user left'));
    expect((await result).error).toMatchObject({
      code: 'ERR_EXEC_TIMEOUT',
      message: 'Execution aborted: the user left',
    });
    expect(signal.aborted).toBe(true);
  });

  test('keeps state in an executor of the caller', () =>
    withExecutor({}, {}, async (executor) => {
      const tool = createCodeTool({ tools: { add }, executor });
      await tool.execute('let n = await add({ a: 1 })');
      expect(await tool.execute('n + 1')).toStrictEqual({ output: 3, logs: '', text: '3' });
    }));

  test('in a shared executor can call only its own tools, whatever other code tools do at the same time', () =>
    withExecutor({}, {}, async (executor) => {
      const entered = deferred();
      const left = deferred();
      const toolFor = (user) =>
        createCodeTool({
          tools: { mail: async () => `mail of ${user}`, wait: () => (entered.resolve(), left.promise) },
          executor,
        });
      const ada = toolFor('Ada').execute('await wait(); await mail()');
      await entered.promise;
      const bob = toolFor('Bob').execute('await wait(); await mail()');
      left.resolve();
      expect([(await ada).text, (await bob).text]).toStrictEqual(['mail of Ada', 'mail of Bob']);
    }));

  test('that waits for an executor of the caller is ended by its signal and skipped', () =>
    withExecutor({}, {}, async (executor) => {
      const [entered, left] = [deferred(), deferred()];
      const tool = createCodeTool({ tools: { wait: () => (entered.resolve(), left.promise) }, executor });
      const first = tool.execute('var kept = 1; await wait()');
      await entered.promise;
      const controller = new AbortController();
      const { signal } = controller;
      const waiting = tool.execute('kept = 2', { signal });
      controller.abort(new Error('the user left'));
      const { error } = await waiting;
      expect(error).toStrictEqual({
        code: 'ERR_EXEC_TIMEOUT',
        message: 'Execution aborted: the user left',
        hint: 'The caller has ended this run; the code is not to blame.',
        retryable: true,
      });
      // As one that has been aborted before the call.
      expect((await tool.execute('kept = 3', { signal })).error).toStrictEqual(error);
      left.resolve('left');
      expect((await first).text).toBe('left');
      expect((await tool.execute('kept')).text).toBe('1');
      expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
    }));

  test.each([
    ['is called by its name', 'await removeAll()'],
    ['was kept by code', 'await kept()'],
  ])('in an executor of the caller does not reach a tool of another code tool that %s', async (_, code) =>
    withExecutor({}, {}, async (executor) => {
      const calls = [];
      const admin = createCodeTool({ tools: { removeAll: () => calls.push('removed') }, executor });
      const reader = createCodeTool({ tools: { list: () => ['a'] }, executor });
      await admin.execute('globalThis.kept = removeAll');
      expect((await reader.execute(code)).error.message).toBe(
        'Tool execution failed: removeAll is not one of the functions that this code can call',
      );
      expect(calls).toStrictEqual([]);
      expect((await admin.execute(`${code}; await list()`)).error.message).toBe(
        'Tool execution failed: list is not one of the functions that this code can call',
      );
      expect(calls).toStrictEqual(['removed']);
    }),
  );

  test('reports lost state if a run of another code tool ended it', () =>
    withExecutor({ timeoutMs: 1_000, maxOperations: 1e12 }, {}, async (executor) => {
      const [one, other] = [createCodeTool({ tools: {}, executor }), createCodeTool({ tools: {}, executor })];
      await one.execute('const rows = [1]');
      await other.execute('for (;;);');
      const note = 'Variables and functions of earlier runs are gone: define again what is still needed.';
      expect(await one.execute('1')).toStrictEqual({ output: 1, logs: '', note, text: `1\n\nNote: ${note}` });
      expect(await other.execute('1')).toStrictEqual({ output: 1, logs: '', text: '1' });
    }));

  // Written as JSON, the largest of them would take the host seconds, and others all of its memory.
  test.each([
    ['arrays that stand for 2^24', 'let x = [1]; for (let i = 0; i < 24; i++) x = [x, x]'],
    ['an array with holes', 'const x = []; x.length = 2 ** 23'],
    [
      'a long string, many times',
      `const part = { ['k'.repeat(1e4)]: 't'.repeat(1e4) }; const x = Array(1e4).fill(part)`,
    ],
    ['a buffer, many times', 'const part = new Uint8Array(1e5); const x = Array(1e3).fill(part)'],
    ['maps and sets', 'let x = new Map(); for (let i = 0; i < 24; i++) x = new Set([new Map([[1, x], [2, x]])])'],
  ])('with %s does not reach a tool with a schema', async (_, make) => {
    const inputs = [];
    const tool = createCodeTool({ tools: { keep: { execute: (input) => inputs.push(input) } } });
    const { error } = await tool.execute(`${make}; await keep({ x })`);
    expect(error.message).toContain(
      'InvalidToolInputError: the input of keep is not valid: it would be far larger as JSON',
    );
    expect(inputs).toStrictEqual([]);
  });

  test.each([
    ['a large array', 'const x = Array.from({ length: 300_000 }, (_, i) => i)', 300_000],
    ['a long string', `const x = 't'.repeat(5e6)`, 5e6],
    ['parts that occur a few times', 'const part = Array(1e5).fill(0); const x = [part, part, part]', 3],
    ['a value that contains itself', 'const x = [1]; x.push(x)', 2],
  ])('with %s reaches it', async (_, make, length) => {
    const tool = createCodeTool({ tools: { lengthOf: { execute: ({ x }) => x.length } } });
    expect((await tool.execute(`${make}; await lengthOf({ x })`)).output).toBe(length);
  });

  test('after an aborted one reports lost state until a caller has read that', () =>
    withExecutor({}, {}, async (executor) => {
      const hang = { execute: () => (controller.abort(new Error('the user left')), new Promise(() => {})) };
      const controller = new AbortController();
      const tool = createCodeTool({ tools: { hang }, executor });
      await tool.execute('const rows = [1]');
      await tool.execute('await hang()', { signal: controller.signal });
      await tool.execute('rows', { signal: controller.signal });
      const note = 'Variables and functions of earlier runs are gone: define again what is still needed.';
      expect(await tool.execute('1')).toStrictEqual({ output: 1, logs: '', note, text: `1\n\nNote: ${note}` });
      expect(await tool.execute('1')).toStrictEqual({ output: 1, logs: '', text: '1' });
    }));

  test('with a value that is not a string is wrong usage', async () => {
    await expect(createCodeTool({ tools: {} }).execute({ code: '1' })).rejects.toThrow(
      new TypeError('code must be a string, got an object'),
    );
  });
});

describe('cleanup() of the executor by its owner', () => {
  const endedIn = (operation) => ({
    code: 'ERR_INVALID_STATE',
    message: `Invalid executor state: DEAD: ${operation}() was ended by cleanup(); call init() before further calls`,
  });

  test('ends the active and the waiting calls, and the next one gets a fresh isolate', () =>
    withExecutor({}, {}, async (executor) => {
      const gate = gateTool();
      let calls = 0;
      const { execute } = createCodeTool({ executor, tools: { gate: () => (calls++, gate.tool()), one: () => 1 } });
      const other = createCodeTool({ executor, tools: { gate: () => calls++ } });
      const ended = [execute('await gate()'), execute('await gate()'), other.execute('gate()')];
      await gate.called;
      const cleaned = executor.cleanup();
      const next = execute('one()');
      for (const { error } of await Promise.all(ended)) expect(error).toMatchObject(endedIn('run'));
      await cleaned;
      expect((await next).output).toBe(1);
      expect(calls).toBe(1);
      await executor.cleanup();
      expect(executor.state).toBe('DEAD');
    }));

  test('ends a call while its isolate is being created', async () => {
    const executor = new SESExecutor();
    const { execute } = createCodeTool({ executor, tools: {} });
    const ended = [execute('1'), execute('2')];
    await null;
    await null;
    expect(executor.state).toBe('INITIALIZING');
    await executor.cleanup();
    expect((await Promise.all(ended)).map(({ error }) => error)).toMatchObject([endedIn('init'), endedIn('run')]);
    expect(executor.state).toBe('DEAD');
  });

  // The call went on in another isolate, which `autoInit` made without the tools.
  test('ends a call while its tools are being sent, with autoInit', async () => {
    const executor = new SESExecutor({ autoInit: true });
    const { execute } = createCodeTool({ executor, tools: { one: () => 1 } });
    const { sendTools } = executor;
    executor.sendTools = async (tools) => {
      executor.sendTools = sendTools;
      await executor.sendTools(tools);
      await executor.cleanup();
    };
    expect((await execute('one()')).error).toMatchObject(endedIn('run'));
    expect(executor.state).toBe('DEAD');
    expect((await execute('one()')).output).toBe(1);
    await executor.cleanup();
  });
});

test('a nested call of the same executor is refused immediately', () =>
  withExecutor({}, {}, async (executor) => {
    const tool = createCodeTool({ executor, tools: { nested: async (code) => (await tool.execute(code)).error } });
    const { output } = await tool.execute('await nested("1")');
    expect(output).toMatchObject({
      code: 'ERR_INVALID_STATE',
      message: 'Invalid executor state: RUNNING: run() is refused: it is called within the run that it would wait for',
    });
    expect((await tool.execute('1')).output).toBe(1);
  }));

describe('outputs for a model', () => {
  const tool = createCodeTool({ tools: {}, maxOutputChars: 100 });

  test.each([
    ['undefined', undefined, 'The program has no value.'],
    ['NaN', 'NaN', 'NaN'],
    ['10n ** 20n', '100000000000000000000', '100000000000000000000n'],
    ['new Map([["a", new Set([1n])]])', [['a', ['1']]], "Map(1) { 'a' => Set(1) { 1n } }"],
    ['({ a: undefined })', {}, '{ a: undefined }'],
    ['[undefined, NaN, -0]', [null, 'NaN', 0], '[ undefined, NaN, -0 ]'],
    ['({ day: new Date(0) })', { day: '1970-01-01T00:00:00.000Z' }, '{ day: 1970-01-01T00:00:00.000Z }'],
    ['[new Uint8Array([1, 2])]', [[1, 2]], '[ Uint8Array(2) [ 1, 2 ] ]'],
    ['({ n: 1, f: () => 1 })', { n: 1, f: '[Function: f]' }, '{"n":1,"f":"[Function: f]"}'],
    ['({ e: new RangeError("m") }).e.message', 'm', 'm'],
    ['"text"', 'text', 'text'],
    ['[1, { a: null }]', [1, { a: null }], '[1,{"a":null}]'],
  ])('show %s', async (code, output, text) => {
    expect(await tool.execute(code)).toStrictEqual({ output, logs: '', text });
  });

  test('lose their middle if they are long, with the omitted amount and a suggestion', async () => {
    const cut = `${'a'.repeat(50)}\n[... 900 of 1000 characters of the output; return a part, a count or a summary ...]\n${'b'.repeat(50)}`;
    expect(await tool.execute('"a".repeat(500) + "b".repeat(500)')).toStrictEqual({ output: cut, logs: '', text: cut });
    const { output } = await tool.execute('Array.from({ length: 100 }, () => 7)');
    const left = '[... 101 of 201 characters of the output; return a part, a count or a summary ...]';
    expect(output).toBe(`[${'7,'.repeat(24)}7\n${left}\n${'7,'.repeat(24)}7]`);
  });

  test('are not cut within a surrogate pair', async () => {
    const { output } = await tool.execute('"x" + "😀".repeat(200)');
    const left = '[... 302 of 401 characters of the output; return a part, a count or a summary ...]';
    expect(output).toBe(`x${'😀'.repeat(24)}\n${left}\n${'😀'.repeat(25)}`);
    expect(output.isWellFormed()).toBe(true);
  });

  test('are shortened like logs and messages', async () => {
    const { logs } = await tool.execute('console.log("l".repeat(300))');
    expect(logs).toBe(`${'l'.repeat(50)}\n[... 200 of 300 characters of the logs; log less ...]\n${'l'.repeat(50)}`);
    const { error } = await tool.execute('throw new Error("m".repeat(300))');
    expect(error.message).toMatch(
      /^Runtime exception: m+\n\[\.\.\. \d+ of 319 characters of the message \.\.\.\]\nm{50}$/,
    );
  });
});

describe('approval of tools', () => {
  const remove = {
    inputSchema: z.object({ path: z.string() }),
    needsApproval: ({ path }) => path.startsWith('/'),
    execute: ({ path }) => `removed ${path}`,
  };
  const code =
    'const results = []; for (const path of ["a", "/b"]) { try { results.push(await remove({ path })); } catch ({ name, message }) { results.push(`${name}: ${message}`); } } results';

  test('is refused without a function to ask', async () => {
    const { output } = await createCodeTool({ tools: { remove } }).execute(code);
    expect(output).toStrictEqual([
      'removed a',
      "ApprovalError: remove needs a person's approval, which code cannot get: call the tool directly instead",
    ]);
  });

  test.each([
    [true, 'removed /b'],
    [
      false,
      'ApprovalError: a person has refused this call of remove: do not try it again unless the person asks for it',
    ],
    [
      'yes',
      'ApprovalError: a person has refused this call of remove: do not try it again unless the person asks for it',
    ],
  ])('by a person can be answered with %o', async (answer, outcome) => {
    const requests = [];
    const approve = async ({ signal, ...request }) => (requests.push([request, signal.aborted]), answer);
    const tool = createCodeTool({ tools: { remove }, approve });
    const { output } = await tool.execute(code, { context: 'ctx' });
    expect(output).toStrictEqual(['removed a', outcome]);
    const plan = await tool.plan(code);
    expect(requests).toStrictEqual([[{ name: 'remove', input: { path: '/b' }, context: 'ctx', plan }, false]]);
  });

  test('after the end of the run has no effect', async () => {
    const asked = deferred();
    const answer = deferred();
    const called = [];
    const tool = createCodeTool({
      tools: { remove: { needsApproval: true, execute: () => called.push('remove') } },
      approve: () => (asked.resolve(), answer.promise),
    });
    const controller = new AbortController();
    const result = tool.execute('await remove()', { signal: controller.signal });
    await asked.promise;
    controller.abort();
    await result;
    answer.resolve(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(called).toStrictEqual([]);
  });

  test('is asked of onToolCall for every call', async () => {
    const onToolCall = ({ name, args }) => ({ args: [{ ...args[0], a: name.length }] });
    expect((await createCodeTool({ tools: { add }, onToolCall }).execute('await add({ a: 1 })')).output).toBe(4);
  });
});

describe('the description', () => {
  test('declares tools by schemas of every library', () => {
    const { name, description, inputSchema } = createCodeTool({
      tools: {
        add,
        old: { inputSchema: z3.object({ id: z3.number() }), execute: () => 1 },
        plus: (a, b) => a + b,
        'list-files': { execute: () => [] },
      },
      language: 'typescript',
    });
    expect(name).toBe('run_javascript');
    expect(description).toContain(
      ' * @param {number} args.a the first\n * @param {number} [args.b=1]\n * @returns {Promise<number>}',
    );
    expect(description).toContain(
      ' * @param {number} args.id\n * @returns {Promise<any>}\n */\nasync function old(args) {}',
    );
    expect(description).toContain('async function plus(...args) {}');
    expect(description).toContain('async function list_files() {}');
    expect(inputSchema).toStrictEqual({
      type: 'object',
      properties: { code: { type: 'string', description: 'The program to run, in TypeScript' } },
      required: ['code'],
      additionalProperties: false,
    });
  });

  describe('says what else code has:', () => {
    const SHOWS = ' `display(value)` shows you an image, audio or a file: its bytes, or a content block.';
    const surroundings = (options) => {
      const { description } = createCodeTool({ tools: {}, ...options });
      expect(description).toContain(SHOWS);
      return description.replace(SHOWS, '').replace(/^[^]*?(?:persist from call to call|starts afresh)\. ?/, '');
    };
    const AROUND = (imports) =>
      `There is no network, no timer, ${imports}, no require and no process: only the language`;
    const COPY = 'They are read-only: to change one, copy it ([...rows], structuredClone(value)).';

    test('the language, and the functions', () => {
      expect(surroundings({})).toBe(`${AROUND('no import')}.`);
      expect(surroundings({ tools: { f: () => 1 } })).toBe(
        `${AROUND('no import')} and the functions below.\n\nasync function f(...args) {}`,
      );
    });

    test('modules that may be imported', async () => {
      const options = { authorizedImports: ['units', 'a-b'], modules: { units: 'export const k = 7' } };
      const text = `${AROUND('no import except `await import(name)` of "units", "a-b"')}.`;
      expect(surroundings(options)).toBe(text);
      await withExecutor(options, {}, async (executor) => {
        expect(surroundings({ executor })).toBe(text);
      });
    });

    test('tools and variables that an executor was sent', () =>
      withExecutor({}, {}, async (executor) => {
        await executor.sendVariables({ rows: [1], rate: 2, f: 3, both: 4 });
        await executor.sendTools({
          f: () => 1,
          g: () => 1,
          both: () => 1,
          host: { h: async () => 1 },
        });
        const text = [
          `These variables are available: rows, rate. ${COPY} ${AROUND('no import')} and the functions below.`,
          'async function f(...args) {}',
          'function g(...args) {}',
          'host.h = async function (...args) {};',
        ].join('\n\n');
        expect(surroundings({ executor, tools: { f: () => 2 } })).toBe(text);
        const { execute } = createCodeTool({ tools: { f: () => 2 }, executor });
        expect((await execute('[rows[0], rate, await f(), g(), await host.h()]')).output).toStrictEqual([
          1, 2, 2, 1, 1,
        ]);
        await executor.cleanup();
        expect(surroundings({ executor })).toBe(`${AROUND('no import')}.`);
      }));

    test('tools and variables that an executor of smolagents was sent', async () => {
      const executor = new SmolagentsExecutor({ tools: { own: () => 1 }, authorizedImports: ['units'] });
      await executor.sendVariables({ topic: 'SES' });
      await executor.sendTools({ sent: () => 1 });
      expect(surroundings({ executor })).toBe(
        [
          `These variables are available: topic. ${COPY} ${AROUND('no import except `await import(name)` of "units"')} and the functions below.`,
          'function own(...args) {}',
          'function sent(...args) {}',
        ].join('\n\n'),
      );
      await executor.cleanup();
    });

    test('modules and functions in Python', async () => {
      const language = 'python';
      expect(surroundings({ language, authorized_imports: ['math', 'json'] })).toBe(
        'There is no network and no file system. The only modules are math, json.',
      );
      // It mounted the folder of the process.
      expect(surroundings({ language, authorized_imports: ['math'], mount: undefined, workDir: undefined })).toBe(
        'There is no network and no file system. The only modules are math.',
      );
      expect(surroundings({ language, authorized_imports: ['*'], workDir: '.', mountPoint: '/w' })).toBe(
        'There is no network and no file system except the folder /w.',
      );
      const executor = new PyodideExecutor(['math'], { mount: false });
      await executor.sendVariables({ rate: 2 });
      await executor.sendTools({ g: () => 1 });
      expect(surroundings({ executor })).toBe(
        'These variables are available: rate. Apart from the functions, there is no network and no file system. The only modules are math.' +
          '\n\ndef g(*args, **kwargs): ...',
      );
      await executor.cleanup();
    });

    test('nothing about an executor of unknown kind', () => {
      const methods = ['init', 'sendVariables', 'sendTools', 'run', 'cleanup'].map((name) => [name, async () => {}]);
      expect(surroundings({ executor: { state: 'NEW', ...Object.fromEntries(methods) } })).toBe('');
    });
  });

  test('declares tools by schemas of `zod/v4` if `zod` itself is version 3', () => {
    const { _zod, '~standard': standard } = z.object({ city: z.string() });
    const { version, vendor, validate } = standard;
    const inputSchema = { _zod, '~standard': { version, vendor, validate } };
    const require = createRequire(import.meta.url);
    const exports = require('zod');
    const cached = require.cache[require.resolve('zod')];
    try {
      cached.exports = z3;
      const { description } = createCodeTool({ tools: { weather: { inputSchema, execute: () => 1 } } });
      expect(description).toContain('\n * @param {object} args\n * @param {string} args.city\n');
    } finally {
      cached.exports = exports;
    }
  });

  test('declares identifiers unchanged and changes other names to identifiers', async () => {
    const names = ['délai', '查询', '搜索', '2nd', '٣', 'list files', 'a-b.c', 'delete', '🎉', '🎉x'];
    const tools = Object.fromEntries(names.map((name) => [name, () => name]));
    const { description, execute } = createCodeTool({ tools });
    const called = ['délai', '查询', '搜索', '_2nd', '_٣', 'list_files', 'a_b_c', 'delete_', '_', 'x'];
    expect(description.match(/(?<=^async function )[^(]+/gm)).toStrictEqual(called);
    const code = `[${called.map((name) => `await ${name}()`).join(', ')}]`;
    expect((await execute(code)).output).toStrictEqual(names);
  });

  test('declares names that are words of the language with an underscore', async () => {
    const names = ['list files', '2nd', 'delete', 'del', 'import', 'ﬁnd', 'a$b', 'None'];
    const tools = { ...Object.fromEntries(names.map((name) => [name, () => name])), kv: { del: () => 'of kv' } };
    tools.lambda = { inputSchema: { type: 'object', properties: { n: {} } }, execute: ({ n }) => n };
    const { description, execute } = createCodeTool({ tools, language: 'python' });
    const called = ['list_files', '_2nd', 'delete', 'del_', 'import_', 'find', 'ab', 'None_'];
    expect(description.match(/(?<=^def )[^(]+/gm)).toStrictEqual([...called, 'kv.del_', 'lambda_']);
    const code = `[${called.map((name) => `${name}()`).join(', ')}, kv.del_(), lambda_(n=1)]`;
    expect((await execute(code)).output).toStrictEqual([...names, 'of kv', 1]);
    expect(() => createCodeTool({ tools: { del: add, del_: add }, language: 'python' })).toThrow(
      new TypeError('the tools "del" and "del_" would both be called del_ in code; rename one of them'),
    );
  });

  test.each(['inputSchema', 'input_schema', 'parameters', 'schema'])(
    'accepts the schema under the name %s',
    async (key) => {
      const find = { [key]: z.object({ id: z.string() }), output_schema: z.string(), execute: ({ id }) => id };
      const { description, execute } = createCodeTool({ tools: { find } });
      const lines = [
        ' * @param {string} args.id',
        ' * @returns {Promise<string>}',
        ' */',
        'async function find(args) {}',
      ];
      expect(description).toContain(lines.join('\n'));
      expect((await execute('await find({ id: "x" })')).output).toBe('x');
      expect((await execute('await find({ id: 1 })')).error.message).toContain('the input of find is not valid: id: ');
      const schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
      expect(toJavaScriptSignature({ name: 'find', [key]: schema })).toContain(' * @param {string} args.id');
    },
  );

  test('declares functions in namespaces, which are called on their objects', async () => {
    const store = {
      rows: { count: () => 3 },
      get() {
        return this === store;
      },
      'drop-all': () => 'dropped',
    };
    const { description, execute } = createCodeTool({ tools: { 'my-store': store, add } });
    const lines = description.split('\n').filter((line) => /\bfunction \w*\(/.test(line));
    expect(lines).toStrictEqual([
      'my_store.rows.count = async function (...args) {};',
      'my_store.get = async function (...args) {};',
      'my_store.drop_all = async function (...args) {};',
      'async function add(args) {}',
    ]);
    const code = '[await my_store.rows.count(), await my_store.get(), await my_store.drop_all(), await add({ a: 1 })]';
    expect((await execute(code)).output).toStrictEqual([3, true, 'dropped', 2]);
  });

  describe('declares file tools', () => {
    const root = mkdtempSync(join(tmpdir(), 'code-tool-'));
    afterAll(() => rmSync(root, { recursive: true }));
    const files = createFileTools({ root, limits: { maxFileBytes: 1024 } });
    const declaration = [
      '/**',
      ' * The whole text of a UTF-8 file, as a string, for code; a file of more than 1KB is an error.',
      ' *',
      ' * @param {object} args',
      ' * @param {string} args.path Path of the file, relative to the root',
      ' * @returns {Promise<string>}',
      ' */',
    ].join('\n');

    test('by their parameters, in any namespace', async () => {
      const { description, execute } = createCodeTool({ tools: { ...files, files }, maxDeclarationChars: Infinity });
      expect(description).toContain(`\n\n${declaration}\nasync function readText(args) {}\n\n`);
      expect(description).toContain(`\n\n${declaration}\nfiles.readText = async function (args) {};\n\n`);
      const code =
        'await write({ path: "a", content: "x" }); [await readText("a"), await files.readText({ path: "a" })]';
      expect((await execute(code)).output).toStrictEqual(['x', 'x']);
    });

    test('that have their own limits', () => {
      const { description } = createCodeTool({ tools: { readText: withTimeout(files.readText, 1_000) } });
      expect(description.endsWith(`\n\n${declaration}\nasync function readText(args) {}`)).toBe(true);
    });

    test('in Python', async () => {
      const { description, execute } = createCodeTool({ tools: { files }, language: 'python' });
      expect(description).toContain('\n\ndef files.readText(*, path: str) -> str:\n');
      expect((await execute('files.write(path="b", content="y")\nfiles.readText(path="b")')).output).toBe('y');
    });
  });

  test('declares tools that are given as a list', async () => {
    const tool = createCodeTool({
      tools: [{ name: 'add', ...add }],
      name: 'code',
      description: (text) => `Use:\n${text}`,
    });
    expect(tool.name).toBe('code');
    expect(tool.description).toMatch(/^Use:\n\/\*\*\n \* Adds two numbers\./);
    expect((await tool.execute('await add({ a: 2 })')).output).toBe(3);
  });
});

describe('inputs that are not plain objects of properties', () => {
  const a = z.object({ k: z.literal('a'), id: z.string() });
  const b = z.object({ k: z.literal('b'), n: z.number() });

  test.each([
    ['a union', z.union([a, b]), '{ k: "a", id: string } | { k: "b", n: number }'],
    ['a discriminated union', z.discriminatedUnion('k', [a, b]), '{ k: "a", id: string } | { k: "b", n: number }'],
    ['an object or null', a.nullable(), '{ k: "a", id: string } | null'],
    ['an intersection', { allOf: [{ type: 'object', properties: { x: {} } }, { oneOf: [{ properties: { y: {} } }, { properties: { z: {} } }] }] }, '{ x?: any } & ({ y?: any } | { z?: any })'],
    ['a record', z.record(z.string(), z.number()), 'Record<string, number>'],
    ['a record of some keys', z.record(z.enum(['a', 'b']), z.number()), 'Record<"a" | "b", number>'],
    ['a list', z.array(z.string()), 'string[]'],
    ['a tuple', z.tuple([z.string()]).rest(z.number()), '[string, ...number[]]'],
    ['JSON Schema', { anyOf: [{ type: 'object', properties: { x: {} } }, { type: 'null' }] }, '{ x?: any } | null'],
  ])('%s is declared', (_, inputSchema, type) => {
    const { description } = createCodeTool({ tools: { f: { inputSchema, execute: (input) => input } } });
    const lines = ['/**', ` * @param {${type}} args`, ' * @returns {Promise<any>}', ' */', 'async function f(args) {}'];
    expect(description.slice(description.indexOf('/**'))).toBe(lines.join('\n'));
  }); // prettier-ignore

  test('reach the tool, from Python too', async () => {
    const tools = { f: { inputSchema: z.array(z.string()), execute: (input) => input.join() } };
    expect((await createCodeTool({ tools }).execute('await f(["a", "b"])')).output).toBe('a,b');
    const python = createCodeTool({ tools, language: 'python' });
    expect((await python.execute('f(["a", "b"])')).output).toBe('a,b');
  });
});

describe('signatures of Standard Schemas', () => {
  const lines = (tool) => toJavaScriptSignature({ name: 'f', ...tool }).split('\n');

  test('describe the whole input, and inputs by name', () => {
    const inputs = { a: z.string(), b: z.number().optional(), c: z.number().default(2) };
    expect(lines({ inputSchema: z.object(inputs), outputSchema: z.array(z.string()) })).toStrictEqual([
      '/**',
      ' * @param {object} args',
      ' * @param {string} args.a',
      ' * @param {number} [args.b]',
      ' * @param {number} [args.c=2]',
      ' * @returns {Promise<string[]>}',
      ' */',
      'async function f(args) {}',
    ]);
    expect(lines({ inputs })).toStrictEqual([
      '/**',
      ' * @param {string} a',
      ' * @param {number} [b]',
      ' * @param {number} [c=2]',
      ' * @returns {Promise<any>}',
      ' */',
      'async function f(a, b = undefined, c = 2) {}',
    ]);
  });

  test.each([
    ['the input schema of the tool f', { inputSchema: opaque }],
    ['the input a of the tool f', { inputs: { a: opaque } }],
    ['the output schema of the tool f', { inputs: {}, outputSchema: opaque }],
  ])('%s that cannot be converted to JSON Schema is refused', (what, tool) => {
    const message = `${what} is a schema of acme that cannot be converted to JSON Schema; pass the JSON Schema instead`;
    expect(() => lines(tool)).toThrow(new TypeError(message));
  });
});

describe('onProgress', () => {
  test('receives log lines and calls before the run ends', async () => {
    const gate = deferred();
    const seen = [];
    const tool = createCodeTool({ tools: { host: { wait: () => gate.promise } } });
    const { output, logs } = await tool.execute('console.log("one");\nawait host.wait()', {
      onProgress: (progress) => {
        seen.push(progress);
        // The run ends when both were reported.
        if (progress.logs === 'one' && progress.running.length === 1) gate.resolve('end');
      },
    });
    expect({ output, logs }).toStrictEqual({ output: 'end', logs: 'one' });
    expect(seen).toContainEqual({ logs: 'one', calls: 1, running: ['host.wait'] });
  });

  test('gets the end of a long log, in few reports', async () => {
    const seen = [];
    const tool = createCodeTool({ tools: {}, maxOutputChars: 100 });
    const { output } = await tool.execute('for (let i = 0; i < 20000; i++) console.log(`line ${i}`);\n20000', {
      onProgress: ({ logs }) => seen.push(logs),
    });
    expect(output).toBe(20_000);
    // A report for each line would be 20,000.
    expect(seen.length).toBeLessThan(1_000);
    expect(Math.max(...seen.map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  test('receives calls of Python code, and the caller gets its own log lines too', async () => {
    const gate = deferred();
    const [seen, lines] = [[], []];
    const onLog = ({ message }) => lines.push(message);
    const tool = createCodeTool({ language: 'python', tools: { wait: () => gate.promise }, onLog });
    const { output } = await tool.execute('print("one")\nwait()', {
      onProgress: (progress) => {
        seen.push(progress);
        if (progress.logs === 'one' && progress.running.length === 1) gate.resolve(5);
      },
    });
    expect(output).toBe(5);
    expect(lines).toStrictEqual(['one']);
    expect(seen).toContainEqual({ logs: 'one', calls: 1, running: ['wait'] });
  });

  test('must be a function', async () => {
    const tool = createCodeTool({ tools: {} });
    await expect(tool.execute('1', { onProgress: 5 })).rejects.toThrow(
      new TypeError('options.onProgress must be a function, got 5'),
    );
  });
});

describe('wrong usage is refused immediately', () => {
  const names = OPTIONS.map(({ name }) => name);

  test.each([
    ['no tools', { tools: 1 }, 'options.tools must be an object of tools by name, or an array, got 1'],
    [
      'a tool',
      { tools: { a: 1 } },
      'the tool a must be a function, a namespace of functions, or an object with a function `execute`, got 1',
    ],
    [
      'a namespace with a member that is not a function',
      { tools: { a: { f: () => 1, g: 1 } } },
      'the tool a must be a function, a namespace of functions, or an object with a function `execute`, got an object',
    ],
    [
      'a namespace with two names that become one',
      { tools: { a: { 'f-1': () => 1, f_1: () => 1 } } },
      'two functions would both be called a.f_1 in code; rename one of them',
    ],
    [
      'an instance of a class',
      {
        tools: {
          a: new (class Adder {
            execute() {}
          })(),
        },
      },
      'the tool a must be a function, a namespace of functions, or an object with a function `execute`, got an instance of Adder; pass its methods, bound to it',
    ],
    [
      'the name of the function that ends a run',
      { tools: { final_answer: add } },
      'tools.final_answer must have another name: `final_answer` is reserved',
    ],
    ['a list', { tools: [add] }, 'options.tools[0].name must be a non-empty string, got undefined'],
    [
      'a list with a name twice',
      {
        tools: [
          { name: 'a', ...add },
          { name: 'a', ...add },
        ],
      },
      'options.tools[1] has a name that another tool has: a',
    ],
    [
      'a schema',
      { tools: { a: { ...add, inputSchema: 'x' } } },
      'the input schema of the tool a must be JSON Schema or a Standard Schema, got "x"',
    ],
    // It was declared as meant, and no input was checked.
    [
      'a record of schemas',
      { tools: { a: { inputSchema: { city: z.string() }, execute: () => 1 } } },
      'the input schema of the tool a must be JSON Schema or a Standard Schema, got an object of schemas: wrap it in z.object()',
    ],
    ['an empty list', { tools: {}, approve: true }, 'options.approve must be a function, got true'],
    ['no options', undefined, 'options must be an object, got undefined'],
    [
      'a promise of options',
      Promise.resolve({ tools: {} }),
      'options must be a plain object, got a promise; await it first',
    ],
    ['a name', { tools: {}, name: 5 }, 'options.name must be a non-empty string, got 5'],
    ['a description', { tools: {}, description: 'x' }, 'options.description must be a function, got "x"'],
    [
      'a key of a tool that is misspelt',
      { tools: { a: { inptSchema: {}, execute: () => 1 } } },
      '"inptSchema" of the tool a is not a key of tools; did you mean inputSchema?',
    ],
    [
      'a key of a tool that is similar to none',
      { tools: { a: { type: 'function', execute: () => 1 } } },
      '"type" of the tool a is not a key of tools; the keys are name, id, description, inputSchema, input_schema, ' +
        'parameters, schema, outputSchema, output_schema, needsApproval, execute',
    ],
    [
      'the description of a tool',
      { tools: { a: { ...add, description: 5 } } },
      'the description of the tool a must be a string, got 5',
    ],
    ['an option', { tools: {}, timeout: 5 }, 'options.timeout is not an option; did you mean options.timeoutMs?'],
    [
      'an option of the code tool',
      { tools: {}, aprove: () => true },
      'options.aprove is not an option; did you mean options.approve?',
    ],
    [
      'an option of the code tool next to an executor',
      { tools: {}, executor: new SESExecutor(), aprove: () => true },
      'options.aprove is not an option; did you mean options.approve?',
    ],
    [
      'an option of the executor next to an executor',
      { tools: {}, executor: new SESExecutor(), timeoutMs: 5 },
      'options.timeoutMs is an option of executors: pass it where the executor is created',
    ],
    [
      'an option that is similar to none',
      { tools: {}, container: 1 },
      `options.container is not an option; the options are tools, executor, name, description, maxOutputChars, maxDeclarationChars, approve, enforcePlan, ${names.join(', ')}`,
    ],
  ])('for the case: %s', (_, options, message) => {
    expect(() => createCodeTool(options)).toThrow(new TypeError(message));
  });

  test('an unknown language is refused with a list of all', () => {
    expect(() => createCodeTool({ tools: {}, language: 'py' })).toThrow(
      new RangeError('options.language must be "auto" or "javascript" or "typescript" or "python", got "py"'),
    );
  });

  test('an undefined option next to an executor is accepted', () => {
    expect(createCodeTool({ tools: {}, executor: new SESExecutor(), timeoutMs: undefined }).name).toBe(
      'run_javascript',
    );
  });

  test.each([
    [null, 'options must be an object, got null'],
    [{ signal: 5 }, 'options.signal must be an AbortSignal, got 5'],
    [
      { abortSignal: AbortSignal.abort() },
      'options.abortSignal is not an option; the options are signal, context, answer, continues, onProgress',
    ],
    [
      { timeoutMs: 50 },
      'options.timeoutMs is not an option; the options are signal, context, answer, continues, onProgress',
    ],
    [{ continues: 'yes' }, 'options.continues must be a boolean, got "yes"'],
    [AbortSignal.abort(), 'options must be a plain object, got an AbortSignal; pass { signal }'],
  ])('options of a call are refused: %j', async (options, message) => {
    await expect(createCodeTool({ tools: {} }).execute('1', options)).rejects.toThrow(new TypeError(message));
  });

  test('a limit below its minimum is refused', () => {
    expect(() => createCodeTool({ tools: {}, maxOutputChars: 99 })).toThrow(
      new RangeError('options.maxOutputChars must be an integer >= 100, got 99'),
    );
  });
});
