// `ses-executor/ai`: the tool in the AI SDK itself, and its contract.

import { asSchema, generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { scriptedModel } from '../../examples/scripted-model.mjs';
import { SESExecutor } from '../../index.mjs';
import { createCodeTool } from '../../build/adapters/ai/index.js';
import { CodeToolError } from 'ses-executor/code-tool';
import { deferred, runChild, spawnNode, withExecutor } from '../helpers.mjs';

const add = tool({
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number().describe('the first'), b: z.number().default(1) }),
  outputSchema: z.number(),
  execute: async ({ a, b }) => a + b,
});

/** Calls the tool as the AI SDK does. A failure that the tool throws becomes a value. */
const call = (code, text, options = {}) =>
  code.execute({ code: text }, { toolCallId: 'call-1', messages: [], ...options }).catch((thrown) => {
    if (!(thrown instanceof CodeToolError)) throw thrown;
    return { error: thrown.failure, logs: thrown.logs };
  });

describe('in the AI SDK', () => {
  test('a model calls tools from code, corrects itself and gets data', async () => {
    const model = scriptedModel('code', [
      { code: 'console.log("adding");\nawait add({ a: "one" })' },
      { code: 'const sums = await Promise.all([1, 2].map((a) => add({ a })));\nnew Map([["sums", sums]])' },
      { text: 'done' },
    ]);
    const code = createCodeTool({ tools: { add } });
    const { text, steps } = await generateText({ model, tools: { code }, stopWhen: stepCountIs(5), prompt: 'add' });
    expect(text).toBe('done');
    const outcomes = steps.map(({ content }) =>
      content
        .filter(({ type }) => ['tool-result', 'tool-error'].includes(type))
        .map(({ output, error }) => output ?? { failure: error.failure, logs: error.logs }),
    );
    expect(outcomes).toStrictEqual([
      [
        {
          failure: {
            code: 'ERR_TOOL_PROXY_FAIL',
            message:
              'Tool execution failed: InvalidToolInputError: the input of add is not valid: a: Invalid input: expected ' +
              'number, received string; pass one object as declared',
            line: 2,
            column: 7,
            codeFrame: expect.stringContaining('2 | await add({ a: "one" })\n'),
            tool: 'add',
            hint: 'Correct the arguments, catch the error, or do without this call.',
            retryable: true,
          },
          logs: 'adding',
        },
      ],
      [{ output: [['sums', [2, 3]]], logs: '' }],
      [],
    ]);
    // What the model was told, and what it got back.
    const [first, , third] = model.doGenerateCalls;
    expect(first.tools).toMatchObject([
      {
        type: 'function',
        name: 'code',
        description: code.description,
        inputSchema: { type: 'object', required: ['code'], additionalProperties: false },
      },
    ]);
    expect(third.prompt.at(-1).content[0].output).toStrictEqual({
      type: 'json',
      value: { output: [['sums', [2, 3]]], logs: '' },
    });
  });

  test('input without code is refused before any code runs', async () => {
    const { validate } = asSchema(createCodeTool({ tools: { add } }).inputSchema);
    expect(await validate({ code: '1' })).toStrictEqual({ success: true, value: { code: '1' } });
    expect(await validate({ code: 1 })).toStrictEqual({
      success: false,
      error: new TypeError('the input must be an object with the string `code`'),
    });
  });
});

describe('the description', () => {
  test('declares the tools by their schemas', () => {
    const { description } = createCodeTool({ tools: { add } });
    expect(description).toContain('Each call starts afresh.');
    expect(description).toContain(
      [
        '/**',
        ' * Adds two numbers.',
        ' *',
        ' * @param {object} args',
        ' * @param {number} args.a the first',
        ' * @param {number} [args.b=1]',
        ' * @returns {Promise<number>}',
        ' */',
        'async function add(args) {}',
      ].join('\n'),
    );
  });

  test('accepts JSON schemas, and has `any` for what they do not specify', () => {
    const execute = async () => 1;
    const inputSchema = jsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] });
    const outputSchema = z.string().transform(Number);
    const { description } = createCodeTool({ tools: { find: { inputSchema, outputSchema, execute } } });
    expect(description).toContain(
      ' * @param {string} args.id\n * @returns {Promise<any>}\n */\nasync function find(args) {}',
    );
  });

  test('can be replaced', () => {
    const { description } = createCodeTool({ tools: { add }, description: (declarations) => `Use:\n${declarations}` });
    expect(description).toMatch(/^Use:\n\/\*\*\n \* Adds two numbers\./);
  });

  test('declares functions and namespaces of functions', async () => {
    const code = createCodeTool({ tools: { add, plus: (a, b) => a + b, files: { count: () => 2 } } });
    expect(code.description).toMatch(
      /\n\nasync function plus\(\.\.\.args\) \{\}\n\nfiles\.count = async function \(\.\.\.args\) \{\};$/,
    );
    const text = '[await add({ a: 1 }), await plus(1, 2), await files.count()]';
    expect(await call(code, text)).toStrictEqual({ output: [2, 3, 2], logs: '' });
    const denying = createCodeTool({ tools: { plus: () => 1 }, toolApproval: { plus: 'denied' } });
    expect(denying.description).not.toContain('async function');
  });

  test('omits tools that code cannot call', async () => {
    const inputSchema = z.object({});
    const execute = async () => 1;
    const tools = { here: { inputSchema, execute }, elsewhere: { inputSchema }, denied: { inputSchema, execute } };
    const code = createCodeTool({ tools, toolApproval: { denied: 'denied' } });
    expect(code.description.match(/function \w+/g)).toStrictEqual(['function here']);
    expect(await call(code, 'typeof here + typeof elsewhere')).toStrictEqual({ output: 'functionundefined', logs: '' });
    const denying = createCodeTool({
      tools,
      toolApproval: { here: { type: 'denied', reason: 'no' }, denied: 'denied' },
    });
    expect(denying.description).not.toContain('async function');
  });
});

describe('toolApproval', () => {
  const inputSchema = z.object({});
  const execute = async () => 1;
  const tools = { deleteFile: { inputSchema, execute }, 'drop-table': { inputSchema, execute } };

  test.each(['drop-table', 'drop_table'])('accepts %s', async (name) => {
    const code = createCodeTool({ tools, toolApproval: { [name]: 'user-approval' } });
    const needsApproval = (text) => code.needsApproval({ code: text }, {});
    expect([needsApproval('await drop_table({})'), needsApproval('await deleteFile({})')]).toStrictEqual([true, false]);
  });

  test.each([
    [{ deleteFiel: 'user-approval' }, '.deleteFiel is not a tool; did you mean options.toolApproval.deleteFile?'],
    [{ 'drop-tabel': 'denied' }, '["drop-tabel"] is not a tool; did you mean options.toolApproval["drop-table"]?'],
    [{ weather: true }, '.weather is not a tool; the tools are deleteFile, drop-table'],
  ])('refuses %j', (toolApproval, message) => {
    expect(() => createCodeTool({ tools, toolApproval })).toThrow(new TypeError(`options.toolApproval${message}`));
  });

  test('refuses two names for one tool', () => {
    const toolApproval = { 'drop-table': 'denied', drop_table: 'approved' };
    expect(() => createCodeTool({ tools, toolApproval })).toThrow(
      new TypeError(
        'the tools "drop-table" and "drop_table" would both be called drop_table in code; rename one of them',
      ),
    );
  });
});

test('a call without options runs code', async () => {
  expect(await createCodeTool({ tools: { add } }).execute({ code: 'await add({ a: 1 })' })).toStrictEqual({
    output: 2,
    logs: '',
  });
});

describe('a call of a tool', () => {
  test('gets the output of its schema and the options of the call', async () => {
    const seen = [];
    const echo = tool({
      inputSchema: z.object({ n: z.coerce.number().default(5) }),
      execute: async (input, { abortSignal, ...options }) => {
        seen.push([input, options, abortSignal.aborted]);
        return input.n;
      },
    });
    const messages = [{ role: 'user', content: 'hello' }];
    const code = createCodeTool({ tools: { echo } });
    const text = '[await echo(), await echo({ n: "7" })]';
    const result = await call(code, text, { toolCallId: 'call-9', messages, experimental_context: { user: 1 } });
    expect(result).toStrictEqual({ output: [5, 7], logs: '' });
    // Each call from code has its own id.
    const options = {
      toolCallId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      messages,
      experimental_context: { user: 1 },
    };
    expect(seen).toStrictEqual([
      [{ n: 5 }, options, false],
      [{ n: 7 }, options, false],
    ]);
  });

  test('with invalid input is an error that code can catch and that names every issue', async () => {
    const code = createCodeTool({
      tools: {
        book: { inputSchema: z.object({ seat: z.object({ row: z.number() }), name: z.string() }), execute: () => 1 },
      },
    });
    const text = `let caught;
      try { await book({ seat: { row: "a" } }); } catch ({ name, message }) { caught = [name, message]; }
      caught`;
    expect(await call(code, text)).toStrictEqual({
      output: [
        'InvalidToolInputError',
        'the input of book is not valid: seat.row: Invalid input: expected number, received string; ' +
          'name: Invalid input: expected string, received undefined; pass one object as declared',
      ],
      logs: '',
    });
  });

  test('without a validating schema gets the input as code passed it', async () => {
    const echo = { inputSchema: jsonSchema({ type: 'object' }), execute: (input) => input };
    expect(await call(createCodeTool({ tools: { echo } }), 'await echo({ a: [1] })')).toStrictEqual({
      output: { a: [1] },
      logs: '',
    });
  });

  test('returns the last value if the tool yields preliminary ones', async () => {
    const steps = {
      inputSchema: z.object({}),
      async *execute() {
        yield 'half';
        yield 'whole';
      },
    };
    expect(await call(createCodeTool({ tools: { steps } }), 'await steps()')).toStrictEqual({
      output: 'whole',
      logs: '',
    });
  });

  test('that throws fails with a separate error', async () => {
    const fail = {
      inputSchema: z.object({}),
      execute: async () => {
        throw Object.assign(new Error('no disk'), { code: 'EIO' });
      },
    };
    const { error } = await call(createCodeTool({ tools: { fail } }), 'await fail()');
    expect(error).toMatchObject({
      code: 'ERR_TOOL_PROXY_FAIL',
      message: 'Tool execution failed: no disk',
      tool: 'fail',
    });
  });

  test('has an identifier as name', async () => {
    const code = createCodeTool({ tools: { 'add-numbers': add } });
    expect(code.description).toContain('async function add_numbers(args) {}');
    expect(await call(code, 'await add_numbers({ a: 2 })')).toStrictEqual({ output: 3, logs: '' });
  });
});

describe('results of the code tool', () => {
  const code = createCodeTool({ tools: { add }, timeoutMs: 5_000, maxOperations: 50_000 });

  test('are data, with strings only in the place of parts that are not data', async () => {
    expect(await call(code, '({ list: [1, null, { a: "b" }] })')).toStrictEqual({
      output: { list: [1, null, { a: 'b' }] },
      logs: '',
    });
    const text = '({ big: 2n, map: new Map([["a", new Set([1])]]), at: new Date(0), none: undefined, nan: NaN })';
    expect(await call(code, text)).toStrictEqual({
      output: { big: '2', map: [['a', [1]]], at: '1970-01-01T00:00:00.000Z', nan: 'NaN' },
      logs: '',
    });
    expect(await call(code, 'undefined')).toStrictEqual({ output: undefined, logs: '' });
    expect(await call(code, 'const o = {}; o.self = o; o')).toStrictEqual({
      output: { self: '[Circular]' },
      logs: '',
    });
    const short = createCodeTool({ tools: { add }, maxOutputChars: 100 });
    expect((await call(short, '"x".repeat(101)')).output).toBe(
      `${'x'.repeat(50)}\n[... 1 of 101 characters of the output; return a part, a count or a summary ...]\n${'x'.repeat(50)}`,
    );
  });

  test.each([
    ['a syntax error', 'let a = ;', { code: 'ERR_VALIDATION_FAILED', line: 1, column: 9, retryable: true }],
    ['an exception', 'null.x', { code: 'ERR_RUNTIME_EXCEPTION', line: 1, column: 6, retryable: true }],
    ['a loop', 'for (;;);', { code: 'ERR_MAX_OPS_EXCEEDED', retryable: true }],
    ['an import', 'await import("fs")', { code: 'ERR_IMPORT_NOT_ALLOWED', retryable: true }],
  ])('%s is thrown with the text for the model', async (_, text, error) => {
    expect(await call(code, text)).toStrictEqual({
      error: expect.objectContaining({ ...error, hint: expect.any(String) }),
      logs: '',
    });
  });

  test('warnings of validation accompany an exception', async () => {
    const { error } = await call(code, 'process.cwd()');
    expect(error.diagnostics).toStrictEqual([
      expect.objectContaining({
        rule: 'forbidden_global_access',
        severity: 'WARNING',
        location: { line: 1, column: 1 },
      }),
    ]);
  });
});

describe('approval', () => {
  test('is needed for a tool whose name is a Python keyword', () => {
    const tool = { inputSchema: z.object({}), execute: async () => {} };
    const options = { tools: { del: tool }, toolApproval: { del: 'user-approval' }, language: 'python' };
    expect(createCodeTool(options).needsApproval({ code: 'del_()' })).toBe(true);
  });

  test.each([
    ['удалить', 'await удалить({})', true],
    ['удалить', 'await удалить_всё({})', false],
    ['rm', 'await rm({})', true],
    ['rm', 'await rmé({})', false],
  ])('for the tool %s and the code %s is needed: %s', (name, text, isNeeded) => {
    const tool = { inputSchema: z.object({}), needsApproval: true, execute: async () => {} };
    expect(createCodeTool({ tools: { [name]: tool } }).needsApproval({ code: text })).toBe(isNeeded);
  });

  test.each([
    ['an unknown string', 'aproved'],
    ['a truthy value', 1],
    ['an object without a type', {}],
    ['a function that returns such an object', () => ({ type: 'yes' })],
  ])('by %s is required for each call', async (_, needsApproval) => {
    const removed = [];
    const remove = { inputSchema: z.object({}), needsApproval, execute: async () => removed.push(1) };
    const { error } = await call(createCodeTool({ tools: { remove } }), 'await remove({})');
    expect(error.message).toContain("ApprovalError: remove needs a person's approval");
    expect(removed).toStrictEqual([]);
  });
});

// The AI SDK does not call `execute` after a refusal. A host that calls it directly must not make up for that.
describe('an approval in the messages of a call', () => {
  const removing = () => {
    const removed = [];
    const execute = async () => removed.push('a');
    return {
      removed,
      code: createCodeTool({ tools: { remove: { inputSchema: z.object({}), execute, needsApproval: true } } }),
    };
  };
  const messages = (request, response) => [
    {
      role: 'assistant',
      content: [{ type: 'tool-approval-request', approvalId: 'ask-1', toolCallId: 'call-1', ...request }],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'ask-1', approved: true, ...response }] },
  ];

  test('that a person gave to this call allows it', async () => {
    const { removed, code } = removing();
    expect(await call(code, 'await remove({})', { messages: messages({}, {}) })).toStrictEqual({ output: 1, logs: '' });
    expect(removed).toStrictEqual(['a']);
  });

  test.each([
    ['that a person refused', messages({}, { approved: false })],
    ['that belongs to another tool call', messages({ toolCallId: 'call-0' }, {})],
    ['that answers another request', messages({}, { approvalId: 'ask-0' })],
    ['that has no answer', messages({}, {}).slice(0, 1)],
    ['whose messages are text', [{ role: 'user', content: 'approved' }]],
  ])('%s does not allow the call', async (_, given) => {
    const { removed, code } = removing();
    const { error } = await call(code, 'await remove({})', { messages: given });
    expect(error.message).toBe(
      "Tool execution failed: ApprovalError: remove needs a person's approval, which code cannot get: call the tool directly instead",
    );
    expect(removed).toStrictEqual([]);
  });
});

describe('aborting', () => {
  test('ends the run and the tools that it waits for', async () => {
    const called = deferred();
    const aborted = deferred();
    const hang = {
      inputSchema: z.object({}),
      execute: (_, { abortSignal }) => {
        abortSignal.addEventListener('abort', () => aborted.resolve(abortSignal.reason));
        called.resolve();
        return new Promise(() => {});
      },
    };
    const controller = new AbortController();
    const result = call(createCodeTool({ tools: { hang } }), 'await hang()', { abortSignal: controller.signal });
    await called.promise;
    controller.abort(new Error('the user left'));
    expect(await result).toStrictEqual({
      error: {
        code: 'ERR_EXEC_TIMEOUT',
        message: 'Execution aborted: the user left',
        hint: 'The caller has ended this run; the code is not to blame.',
        retryable: true,
      },
      // The isolate may be told before it has come to `await`; then it logs that the call was dropped.
      logs: expect.any(String),
    });
    expect(await aborted.promise).toStrictEqual(new Error('the user left'));
  });

  test('before the call prevents the run', async () => {
    const result = call(createCodeTool({ tools: { add } }), '1', { abortSignal: AbortSignal.abort() });
    expect(await result).toMatchObject({ error: { code: 'ERR_EXEC_TIMEOUT' }, logs: '' });
  });

  test('by a deadline reaches the tools too', async () => {
    const aborted = deferred();
    const hang = {
      inputSchema: z.object({}),
      execute: (_, { abortSignal }) => {
        abortSignal.addEventListener('abort', () => aborted.resolve(abortSignal.reason.name));
        return new Promise(() => {});
      },
    };
    const { error } = await call(createCodeTool({ tools: { hang }, timeoutMs: 500 }), 'await hang()');
    expect(error).toMatchObject({ code: 'ERR_EXEC_TIMEOUT', message: 'Execution timed out after 500ms' });
    expect(await aborted.promise).toBe('AbortError');
  });
});

describe('executors', () => {
  test('each call has its own by default', async () => {
    const both = deferred();
    let waiting = 0;
    const meet = {
      inputSchema: z.object({}),
      execute: async () => {
        if (++waiting === 2) both.resolve(waiting);
        return both.promise;
      },
    };
    const code = createCodeTool({ tools: { meet } });
    const results = await Promise.all([call(code, 'globalThis.left = await meet()'), call(code, 'await meet()')]);
    expect(results).toStrictEqual([
      { output: 2, logs: '' },
      { output: 2, logs: '' },
    ]);
    expect(await call(code, 'typeof left')).toStrictEqual({ output: 'undefined', logs: '' });
  });

  test('of single calls are cleaned up', async () => {
    const { status, stdout } = await runChild(`
      import { engineStats } from 'ses-executor';
      import { createCodeTool } from 'ses-executor/ai';
      const { execute } = createCodeTool({ tools: {} });
      for (const code of ['1', 'null.x', 'let a = ;']) await execute({ code }, { toolCallId: 'a', messages: [] }).catch(() => {});
      console.log(engineStats().live);
    `);
    expect({ status, stdout }).toStrictEqual({ status: 0, stdout: '0\n' });
  });

  test('of the caller keep state, and calls take turns', () =>
    withExecutor({}, {}, async (executor) => {
      const code = createCodeTool({ tools: { add }, executor });
      expect(code.description).toContain('Variables and functions persist from call to call.');
      const results = await Promise.all([
        call(code, 'let n = await add({ a: 1 })'),
        call(code, 'n += 1'),
        call(code, 'n'),
      ]);
      expect(results.map(({ output }) => output)).toStrictEqual([2, 3, 3]);
      expect(executor.state).toBe('READY');
    }));

  test('of the caller are renewed after a deadline, and the model is informed', () =>
    withExecutor({ timeoutMs: 500 }, {}, async (executor) => {
      const code = createCodeTool({ tools: { add }, executor });
      await call(code, 'let n = 1');
      const { error } = await call(code, 'await new Promise(() => {})');
      expect(error.hint).toBe(
        'Do less in one run, and await only promises that settle. Variables and functions of earlier runs are gone: ' +
          'define again what is still needed.',
      );
      expect(await call(code, '[typeof n, await add({ a: 1 })]')).toStrictEqual({ output: ['undefined', 2], logs: '' });
    }));

  test('of the caller let functions that code kept call the tools of the current call', () =>
    withExecutor({}, {}, async (executor) => {
      const which = { inputSchema: z.object({}), execute: (_, options) => options.experimental_context };
      const code = createCodeTool({ tools: { which }, executor });
      await call(code, 'const kept = which; const ask = () => kept();', { experimental_context: 1 });
      expect(await call(code, 'await ask()', { experimental_context: 2 })).toStrictEqual({ output: 2, logs: '' });
    }));
});

test('the code tool accepts any executor that implements the contract', async () => {
  const inner = new SESExecutor();
  const calls = [];
  const other = {
    get state() {
      return inner.state;
    },
  };
  for (const name of ['init', 'sendVariables', 'sendTools', 'run', 'cleanup']) {
    other[name] = (...args) => {
      calls.push(name);
      return inner[name](...args);
    };
  }
  const code = createCodeTool({ tools: { add }, executor: other });
  expect(await call(code, 'var sum = await add({ a: 1, b: 2 }); sum')).toStrictEqual({ output: 3, logs: '' });
  expect(await call(code, 'sum + 1')).toStrictEqual({ output: 4, logs: '' });
  expect(calls).toStrictEqual(['init', 'sendTools', 'run', 'sendTools', 'run']);
  await inner.cleanup();
});

describe('wrong usage is refused immediately', () => {
  const inputSchema = jsonSchema(Promise.resolve({ type: 'object' }));
  test.each([
    ['no options', null, 'options must be an object, got null'],
    ['no tools', { tools: [] }, 'options.tools must be an object of tools, got an array'],
    ['an option', { tools: {}, timeout: 5 }, 'options.timeout is not an option; did you mean options.timeoutMs?'],
    [
      'an adapter option',
      { tools: {}, toolAproval: {} },
      'options.toolAproval is not an option; did you mean options.toolApproval?',
    ],
    ['no executor', { tools: {}, executor: {} }, 'options.executor must be an executor, got an object'],
    [
      'an option of the executor',
      { tools: {}, executor: new SESExecutor(), timeoutMs: 5 },
      'options.timeoutMs is an option of executors: pass it where the executor is created',
    ],
    [
      'names',
      { tools: { 'a-b': add, a_b: add } },
      'the tools "a-b" and "a_b" would both be called a_b in code; rename one of them',
    ],
    [
      'no tool',
      { tools: { a: { exceute: () => 1, description: 'A tool.' } } },
      'the tool a must be a function, a namespace of functions, or an object with a function `execute`, got an object',
    ],
    [
      'approval of a tool without a schema',
      { tools: { f: () => 1 }, toolApproval: { f: true } },
      'options.toolApproval.f needs a tool with `execute`, got a function',
    ],
    [
      'approval by a name that the AI SDK does not have',
      { tools: { add: { ...add, requireApproval: true } } },
      'the tool add has requireApproval, which would be ignored: mark it with needsApproval instead',
    ],
    ['a reserved name', { tools: { console: add } }, 'tools.console must have another name: `console` is reserved'],
    [
      'a promise',
      { tools: { late: { inputSchema, execute: () => 1 } } },
      'a schema of the tool late is a promise; await it before createCodeTool is called',
    ],
  ])('for the case: %s', (_, options, message) => {
    expect(() => createCodeTool(options)).toThrow(new TypeError(message));
  });
});

// It crashed with version 7, whose `response` has only the messages of the last step.
describe.each([
  [6, 'image-data', []],
  [7, 'file', ['--import', new URL('fixtures/use-ai-v7.mjs', import.meta.url).href]],
])('the example with AI SDK %i', (_, part, options) => {
  let example;
  beforeAll(async () => {
    const useNative = new URL('../typecheck/use-native.mjs', import.meta.url).href;
    example = await spawnNode(['--import', useNative, ...options, 'examples/ai-sdk.mjs']);
  });

  test('ends successfully', () => {
    expect(example).toMatchObject({ status: 0, signal: null, stderr: '' });
  });

  test('shows the declarations, an error and its correction', () => {
    expect(example.stdout).toContain(' * @param {string} args.city Name of the city in English\n');
    expect(example.stdout).toContain(
      "Argument of type 'string' is not assignable to parameter of type '{ city: string; }'.",
    );
    expect(example.stdout).toContain("--- result\n{ output: { city: 'Lagos', degrees: 30.25 }, logs: '3 readings' }");
    expect(example.stdout).toContain(
      '--- a person is asked about warn\nThe program can call 1 tool:\n- warn: at most 2',
    );
    expect(example.stdout.split('--- a person is asked').length).toBe(2);
    const shown = `--- the model was shown\n{"output":"Lagos","logs":""}\n(${part}, with the map)\n`;
    const answer = '--- the model answers\nIt is warmest in Lagos, at 30.25 degrees.\n';
    expect(example.stdout.endsWith(answer + shown)).toBe(true);
  });
});
