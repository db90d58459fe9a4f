// The code tool in the real frameworks, with a model whose turns are recorded: what the examples show, and the handling
// of errors, approval and aborts.

import { getEventListeners } from 'node:events';
import { createRequire } from 'node:module';

import Anthropic from '@anthropic-ai/sdk';
import { ToolMessage } from '@langchain/core/messages';
import { DynamicTool, StructuredTool, tool as langchainTool } from '@langchain/core/tools';
import { Annotation, Command, MemorySaver, START, StateGraph, interrupt } from '@langchain/langgraph';
import { createTool as mastraTool } from '@mastra/core/tools';
import { Agent, RunContext, Runner, Usage, tool as openAiTool } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createCodeTool as anthropicCodeTool } from 'ses-executor/anthropic';
import { createCodeTool as langchainCodeTool } from 'ses-executor/langchain';
import { createCodeTool as mastraCodeTool } from 'ses-executor/mastra';
import { createCodeTool as openAiCodeTool } from 'ses-executor/openai-agents';

import { Guardrails } from '../../build/adapters/openai-agents/guardrails.js';
import { withLongestTurn } from '../cpu-time.mjs';
import { deferred, spawnNode } from '../helpers.mjs';

const USE_NATIVE = new URL('../typecheck/use-native.mjs', import.meta.url).href;
const CORRECTED = `const degrees = await Promise.all(cities.map((city) => get_temperature({ city })));
const warmest = degrees.indexOf(Math.max(...degrees));
({ city: cities[warmest], degrees: degrees[warmest] })
`;
/** Tools of Anthropic's SDK give text. */
const PARSED = 'const degrees = (await Promise.all(cities.map((city) => get_temperature({ city })))).map(Number);';
const WRONG_INPUT =
  "Object literal may only specify known properties, and 'town' does not exist in type '{ city: string; }'.";
const refusedInput = (name) => {
  const start = `await ${name}({ `;
  return `ERR_VALIDATION_FAILED: Code validation failed: ${WRONG_INPUT} (line 1, column ${start.length + 1})
  |
1 | ${start}town: "Oslo" })
  | ${' '.repeat(start.length)}^ ${WRONG_INPUT}
Hint: None of the code has run. Correct it and send all of it again.
`;
};
const ASKED = `--- a person is asked about warn
The program can call 1 tool:
- warn: at most 2 times
    line 1: warn({ city: "Lagos" | "Berlin" }) at most 2 times
--- the person approves the plan
`;
const shownMap = (type) => `--- the model calls run_javascript
await Promise.all(["Lagos", "Berlin"].map((city) => warn({ city })))

${ASKED}
--- result
["sent to Lagos","sent to Berlin"]

--- the model calls run_javascript
display(await get_map({ city: "Lagos" }));
"Lagos"

--- result
Lagos
(${type}, with the map)

`;
const ANSWER = '--- the model answers\nIt is warmest in Lagos, at 30.25 degrees.\n';

describe('the example of', () => {
  test.each([
    [
      'openai-agents',
      `--- the model calls run_javascript
await get_temperature({ town: "Oslo" })

--- result
${refusedInput('get_temperature')}
--- the model calls run_javascript
const cities = await list_cities();
${CORRECTED}
--- result
{"city":"Lagos","degrees":30.25}

${shownMap('input_image')}${ANSWER}`,
    ],
    [
      'langchain',
      `--- the model calls run_javascript
await get_temperature({ town: "Oslo" })

--- result
${refusedInput('get_temperature')}
--- the model calls run_javascript
const cities = await list_cities();
${CORRECTED}
--- result
{"city":"Lagos","degrees":30.25}

${shownMap('image_url')}${ANSWER}`,
    ],
    [
      'anthropic',
      `--- the model calls run_javascript
await get_temperature({ town: "Oslo" })

--- result, an error
Error: ${refusedInput('get_temperature')}
--- the model calls run_javascript
const cities = JSON.parse(await list_cities());
${CORRECTED.replace(/.*/, PARSED)}
--- result
{"city":"Lagos","degrees":30.25}

${shownMap('image')}${ANSWER}`,
    ],
  ])('%s ends successfully', async (name, expected) => {
    const { status, stdout, stderr } = await spawnNode(['--import', USE_NATIVE, `examples/${name}.mjs`]);
    expect({ status, stderr, stdout }).toStrictEqual({ status: 0, stderr: '', stdout: expected });
  });

  test('mastra', async () => {
    const { status, stdout, stderr } = await spawnNode(['--import', USE_NATIVE, 'examples/mastra.mjs']);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`--- error\n${refusedInput('getTemperature')}`);
    expect(stdout).toContain("--- result\n{ output: { city: 'Lagos', degrees: 30.25 }, logs: '' }\n");
    expect(stdout.split(ASKED).length).toBe(2);
    expect(stdout).toContain("--- result\n{ output: [ 'sent to Lagos', 'sent to Berlin' ], logs: '' }\n");
    expect(stdout).toContain("--- result\n{ output: 'Lagos', logs: '', content: [ 'image' ] }\n");
    const shown = '--- the model was shown\n{"output":"Lagos","logs":""}\n(image-data, with the map)\n';
    expect(stdout.endsWith(ANSWER + shown)).toBe(true);
  });
});

/**
 * How each framework makes a tool, makes the code tool of them, and calls that; a call resolves to what the model is
 * told.
 */
const FRAMEWORKS = {
  'openai-agents': {
    make: (name, run, needsApproval) =>
      openAiTool({
        name,
        description: name,
        parameters: z.object({ n: z.number() }),
        execute: ({ n }, _context, details) => run(n, details.signal),
        errorFunction: null,
        ...(needsApproval && { needsApproval: async (_context, { n }) => n > 1 }),
      }),
    codeTool: openAiCodeTool,
    call: (tool, code, signal) => tool.invoke(new RunContext({}), JSON.stringify({ code }), { signal }),
  },
  langchain: {
    make: (name, run, needsApproval) => {
      const schema = z.object({ n: z.number() });
      const made = langchainTool(({ n }, { signal }) => run(n, signal), { name, description: name, schema });
      return Object.assign(made, needsApproval && { needsApproval: true });
    },
    codeTool: langchainCodeTool,
    call: (tool, code, signal) => tool.invoke({ code }, { signal }).catch(({ message }) => message),
  },
  mastra: {
    make: (name, run, needsApproval) =>
      mastraTool({
        id: name,
        description: name,
        inputSchema: z.object({ n: z.number() }),
        execute: ({ n }, { abortSignal }) => run(n, abortSignal),
        ...(needsApproval && { requireApproval: true }),
      }),
    codeTool: mastraCodeTool,
    call: async (tool, code, abortSignal) => {
      try {
        return JSON.stringify((await tool.execute({ code }, { abortSignal })).output);
      } catch ({ message }) {
        return message;
      }
    },
  },
  anthropic: {
    make: (name, run, needsApproval) => ({
      type: 'custom',
      name,
      description: name,
      ...(needsApproval && { needsApproval: async ({ n }) => n > 1 }),
      input_schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      parse: (input) => z.object({ n: z.number() }).parse(input),
      run: async ({ n }, { signal }) => [{ type: 'text', text: JSON.stringify(await run(n, signal)) }],
    }),
    codeTool: anthropicCodeTool,
    call: (tool, code, signal) => tool.run({ code }, { signal }).catch(({ message }) => message),
  },
};

describe.each(Object.keys(FRAMEWORKS))('%s', (framework) => {
  const { make, codeTool, call } = FRAMEWORKS[framework];

  test('code gets results and errors of tools', async () => {
    const twice = make('twice', async (n) => {
      if (n === 3) throw new Error('three is too much');
      return n * 2;
    });
    const tool = codeTool({ tools: [twice] });
    expect(tool.description).toContain('@param {number} args.n');
    expect(Number(await call(tool, 'await twice({ n: 2 })'))).toBe(4);
    const failed = await call(tool, 'await twice({ n: 3 })');
    expect(failed).toMatch(/^ERR_TOOL_PROXY_FAIL: Tool execution failed: .*three is too much/s);
  });

  test('code can call functions and namespaces of functions', async () => {
    const tools = { plus: (a, b) => a + b, shell: { run: (command) => command.length } };
    const tool = codeTool({ tools });
    expect(tool.description).toMatch(
      /\n\nasync function plus\(\.\.\.args\) \{\}\n\nshell\.run = async function \(\.\.\.args\) \{\};$/,
    );
    expect(Number(await call(tool, 'await plus(1, await shell.run("ls"))'))).toBe(3);
  });

  test('an abort ends the run and its tools', async () => {
    const called = deferred();
    const hang = make('hang', (_, signal) => (called.resolve(signal), new Promise(() => {})));
    const controller = new AbortController();
    const result = call(codeTool({ tools: [hang] }), 'await hang({ n: 1 })', controller.signal).catch((error) => error);
    const signal = await called.promise;
    controller.abort(new Error('the user left'));
    await result;
    expect(signal.aborted).toBe(true);
  });
});

describe.each(['langchain', 'mastra'])('%s: a tool whose schema transforms its input', (framework) => {
  const { codeTool, call } = FRAMEWORKS[framework];
  const schema = z.object({
    day: z.string().transform((text) => new Date(text)),
    n: z.number().transform((n) => n + 1),
  });
  const seen = [];
  const asked = [];
  const run = (input) => seen.push(input);
  const tool = codeTool({
    tools: {
      langchain: [langchainTool(run, { name: 'next', description: '', schema })],
      mastra: [
        mastraTool({
          id: 'next',
          description: '',
          inputSchema: schema,
          requireApproval: async (input) => (asked.push(input), false),
          execute: async (input) => run(input),
        }),
      ],
    }[framework],
  });

  test('gets the transformed input, as when it is called directly', async () => {
    const input = { day: '2026-01-02', n: 1 };
    await call(tool, `await next(${JSON.stringify(input)})`);
    expect(seen).toStrictEqual([{ day: new Date('2026-01-02'), n: 2 }]);
    expect(asked).toStrictEqual(framework === 'mastra' ? [input] : []);
  });

  test('does not get invalid input', async () => {
    const message = await call(tool, 'await next({ day: 5, n: 1 })');
    expect(message.split(/ \(line|\n/)[0]).toBe(
      'ERR_TOOL_PROXY_FAIL: Tool execution failed: InvalidToolInputError: the input of next is not valid: day: Invalid ' +
        'input: expected string, received number; pass one object as declared',
    );
  });
});

describe('langchain: a tool', () => {
  const { call } = FRAMEWORKS.langchain;

  test('gets exactly the checked input, which is not checked a second time', async () => {
    let parses = 0;
    const inputs = [];
    class Own extends StructuredTool {
      #calls = 0;
      name = 'own';
      description = '';
      schema = z.object({ list: z.array(z.number()) }).transform((input) => (parses++, { ...input, isParsed: true }));
      async _call(input) {
        inputs.push(input);
        return `call ${++this.#calls}`;
      }
    }
    const tool = langchainCodeTool({ tools: [new Own()] });
    expect(await call(tool, 'await own({ list: [1], other: 1 })')).toBe('call 1');
    expect([parses, inputs]).toStrictEqual([1, [{ list: [1], isParsed: true }]]);
  });

  test('with a JSON Schema gets a large input without stalling the host', async () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } } },
    };
    const count = langchainTool(({ list }) => list.length, { name: 'count', description: '', schema });
    const tool = langchainCodeTool({ tools: [count], maxOperations: 1e9 });
    const { result, longest } = await withLongestTurn(() =>
      call(tool, 'await count({ list: Array(300_000).fill(1) })'),
    );
    expect(result).toBe('300000');
    // LangChain's own check of it took twenty times as long as the reference.
    expect(longest).toBeLessThan(5);
  });

  test('does not get only the `args` of an input that resembles a call', async () => {
    const echo = langchainTool((input) => JSON.stringify(input), {
      name: 'echo',
      description: '',
      schema: z.looseObject({}),
    });
    const tool = langchainCodeTool({ tools: [echo] });
    expect(await call(tool, `await echo({ type: 'tool_call', id: 'x', name: 'echo', args: { a: 1 } })`)).toMatch(
      /^ERR_TOOL_PROXY_FAIL: .*TypeError: echo cannot take an input of the type "tool_call"/,
    );
    expect(await call(tool, `await echo({ type: 'text' })`)).toBe('{"type":"text"}');
  });
});

// Two adapters dropped the mark of a tool, so that the call was made.
describe.each(Object.keys(FRAMEWORKS))('approval in %s', (framework) => {
  const { make, codeTool, call } = FRAMEWORKS[framework];

  test('is required for calls from code', async () => {
    const removed = [];
    const remove = make('remove', async (n) => removed.push(n), true);
    const refused = await call(codeTool({ tools: [remove] }), 'await remove({ n: 2 })');
    expect(refused).toMatch(
      /^ERR_TOOL_PROXY_FAIL: Tool execution failed: .*ApprovalError: remove needs a person's approval/,
    );
    const asked = [];
    const approve = ({ name, input }) => (asked.push([name, input]), input.n === 2);
    const tool = codeTool({ tools: [remove], approve });
    await call(tool, 'await remove({ n: 2 })');
    expect(await call(tool, 'await remove({ n: 3 })')).toMatch(
      /ApprovalError: a person has refused this call of remove/,
    );
    expect(removed).toStrictEqual([2]);
    expect(asked).toStrictEqual([
      ['remove', { n: 2 }],
      ['remove', { n: 3 }],
    ]);
  });

  test('is required by needsApproval, and other marks are refused', async () => {
    const removed = [];
    const of = (mark) =>
      Object.assign(
        make('remove', async (n) => removed.push(n)),
        mark,
      );
    const guarded = codeTool({ tools: [of({ needsApproval: true })], approve: () => false });
    expect(await call(guarded, 'await remove({ n: 2 })')).toMatch(/ApprovalError: a person has refused this call/);
    expect(removed).toStrictEqual([]);
    const asked = [];
    const decides = (...args) => (asked.push(args.find((arg) => typeof arg?.n === 'number').n), false);
    await call(codeTool({ tools: [of({ needsApproval: decides })] }), 'await remove({ n: 2 })');
    expect([asked, removed]).toStrictEqual([[2], [2]]);
    const read = framework === 'mastra' ? 'requireApproval or needsApproval' : 'needsApproval';
    expect(() => codeTool({ tools: [of({ requiresApproval: true })] })).toThrow(
      new TypeError(`the tool remove has requiresApproval, which would be ignored: mark it with ${read} instead`),
    );
    expect(() => codeTool({ tools: { f: Object.assign(() => {}, { needsApproval: true }) } })).toThrow(
      new TypeError(
        'tools.f has needsApproval, which would be ignored: functions have no approval; pass an object with `execute` to a code tool, or use the option onToolCall',
      ),
    );
  });
});

test('mastra: the function that its MCP client sets for approval decides in place of requireApproval', async () => {
  const { make, codeTool, call } = FRAMEWORKS.mastra;
  const removed = [];
  const of = (isNeeded) =>
    Object.assign(
      make('remove', async (n) => removed.push(n)),
      { needsApprovalFn: isNeeded },
    );
  expect(await call(codeTool({ tools: [of(async ({ n }) => n > 1)] }), 'await remove({ n: 2 })')).toMatch(
    /ApprovalError: remove needs a person's approval/,
  );
  const free = Object.assign(
    of(() => false),
    { requireApproval: true },
  );
  expect(await call(codeTool({ tools: [free] }), 'await remove({ n: 3 })')).toBe('1');
  expect(removed).toStrictEqual([3]);
});

test('the runner of Anthropic aborts the run with its own signal', async () => {
  const called = deferred();
  const hang = { execute: (_, { signal }) => (called.resolve(signal), new Promise(() => {})) };
  const client = new Anthropic({
    apiKey: 'none',
    fetch: async () =>
      Response.json({
        id: 'message-1',
        type: 'message',
        role: 'assistant',
        model: 'scripted',
        content: [{ type: 'tool_use', id: 'call-1', name: 'run_javascript', input: { code: 'await hang()' } }],
        stop_reason: 'tool_use',
        usage: { input_tokens: 0, output_tokens: 0 },
      }),
  });
  const controller = new AbortController();
  const runner = client.beta.messages.toolRunner(
    {
      model: 'scripted',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'go' }],
      tools: [anthropicCodeTool({ tools: { hang } })],
    },
    { signal: controller.signal },
  );
  const ended = runner.runUntilDone().catch((error) => error);
  const signal = await called.promise;
  controller.abort();
  await ended;
  expect(signal.aborted).toBe(true);
});

test.each([
  ['openai-agents', openAiCodeTool],
  ['langchain', langchainCodeTool],
  ['anthropic', anthropicCodeTool],
  ['mastra', mastraCodeTool],
])('%s: wrong options are refused immediately', (_, createCodeTool) => {
  const refused = (options, message) => expect(() => createCodeTool(options)).toThrow(new TypeError(message));
  refused(undefined, 'options must be an object, got undefined');
  refused(Promise.resolve({ tools: {} }), 'options must be a plain object, got a promise; await it first');
  refused({}, 'options.tools must be an object of tools by name, or an array, got undefined');
  refused({ tools: 5 }, 'options.tools must be an object of tools by name, or an array, got 5');
});

test.each([
  ['output', { outputSchema: z.object({ n: z.number() }) }, /^ERR_TOOL_PROXY_FAIL: Tool execution failed: Tool output validation failed for odd\./],
  ['input', {}, /^ERR_TOOL_PROXY_FAIL: Tool execution failed: InvalidToolInputError: Tool input validation failed\. /],
])('mastra: an error names the invalid %s of a tool', async (_, schemas, message) => {
  const { codeTool, call } = FRAMEWORKS.mastra;
  const odd = mastraTool({
    id: 'odd',
    description: '',
    // As a tool that calls another one with what that refuses.
    execute: async () => ({ error: true, message: 'Tool input validation failed. ', validationErrors: {} }),
    ...schemas,
  });
  expect(await call(codeTool({ tools: [odd] }), 'await odd()')).toMatch(message);
}); // prettier-ignore

test('openai-agents: needsApproval: true on a tool is sufficient', async () => {
  const called = [];
  const made = openAiTool({ name: 'remove', description: '', parameters: z.object({}), execute: () => called.push(1) });
  const remove = { ...made, needsApproval: true };
  const text = await openAiCodeTool({ tools: { remove } }).invoke(
    new RunContext({}),
    JSON.stringify({ code: 'await remove({})' }),
  );
  expect(text).toContain("ApprovalError: remove needs a person's approval");
  expect(called).toStrictEqual([]);
});

test('mastra: tools are called by name, or by their ids if they are in a list', async () => {
  const double = mastraTool({
    id: 'double-it',
    description: '',
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }) => n * 2,
  });
  const { call } = FRAMEWORKS.mastra;
  expect(await call(mastraCodeTool({ tools: { twice: double } }), 'await twice({ n: 2 })')).toBe('4');
  expect(await call(mastraCodeTool({ tools: [double] }), 'await double_it({ n: 2 })')).toBe('4');
});

test('langchain: an interrupt in a tool interrupts the graph even if code catches it, and the answer runs the code again', async () => {
  const called = [];
  const make = (name, run) => langchainTool(run, { name, description: name, schema: z.object({}) });
  const ask = make('ask', () => interrupt('Sure?'));
  const next = make('next', () => called.push('next'));
  const tool = langchainCodeTool({ tools: [ask, next] });
  const code = 'let answer = "none"; try { answer = await ask({}); } catch {} await next({}); answer';
  const graph = new StateGraph(Annotation.Root({ answer: Annotation() }))
    .addNode('code', async (_, config) => ({ answer: await tool.invoke({ code }, config) }))
    .addEdge(START, 'code')
    .compile({ checkpointer: new MemorySaver() });
  const thread = { configurable: { thread_id: '1' } };
  const { __interrupt__: interrupts } = await graph.invoke({}, thread);
  expect(interrupts.map(({ value }) => value)).toStrictEqual(['Sure?']);
  expect(called).toStrictEqual([]);
  expect(await graph.invoke(new Command({ resume: 'yes' }), thread)).toStrictEqual({ answer: 'yes' });
  expect(called).toStrictEqual(['next']);
});

test('langchain: code gets the content of a message, and commands to the graph cause an error', async () => {
  const make = (name, run) => langchainTool(run, { name, description: name, schema: z.object({}) });
  const message = (fields) => new ToolMessage({ tool_call_id: '1', ...fields });
  const blocks = [{ type: 'text', text: 'two' }];
  const tools = [
    make('text', () => message({ content: 'one', artifact: { secret: 1 } })),
    make('blocks', () => message({ content: blocks })),
    make('failed', () => message({ content: 'no such row', status: 'error' })),
    make('unreadable', () => message({ content: blocks, status: 'error' })),
    make('data', () => ({ lg_name: 'Command', update: {} })),
    make('command', () => new Command({ update: { user: 'Ada' } })),
    make('commands', () => [new Command({ goto: 'next' })]),
  ];
  const tool = langchainCodeTool({ tools });
  expect(await tool.invoke({ code: '[await text({}), await blocks({}), await data({})]' })).toBe(
    JSON.stringify(['one', blocks, { lg_name: 'Command', update: {} }]),
  );
  const told = async (name) => {
    const code = `try { await ${name}({}) } catch (error) { String(error) }`;
    return tool.invoke({ code });
  };
  const lost = (name) =>
    `CommandError: ${name} returns a command to the graph, which cannot receive it from code: call the tool directly instead`;
  expect(await told('failed')).toBe('Error: no such row');
  expect(await told('unreadable')).toBe(`Error: ${JSON.stringify(blocks)}`);
  expect(await told('command')).toBe(lost('command'));
  expect(await told('commands')).toBe(lost('commands'));
});

test('langchain: tools that take a string do not need the converter of zod 3', async () => {
  const require = createRequire(import.meta.url);
  require('zod-to-json-schema');
  const cached = require.cache[require.resolve('zod-to-json-schema')];
  const { exports } = cached;
  const missing = Object.assign(new Error('missing'), { code: 'MODULE_NOT_FOUND' });
  Object.defineProperty(cached, 'exports', { configurable: true, get: () => { throw missing; } }); // prettier-ignore
  try {
    const upper = async (text) => text.toUpperCase();
    const tools = [
      langchainTool(upper, { name: 'text', description: 'Upper case.', schema: z.string() }),
      langchainTool(upper, { name: 'none', description: '' }),
      new DynamicTool({ name: 'dynamic', description: '', func: upper }),
    ];
    const tool = langchainCodeTool({ tools });
    expect(tool.description).toContain(
      '/**\n * Upper case.\n *\n * @param {object} [args]\n * @param {string} [args.input]\n * @returns {Promise<any>}\n */\nasync function text(args) {}',
    );
    const code = 'const input = "a"; [await text({ input }), await none({ input }), await dynamic({ input })]';
    expect(await tool.invoke({ code })).toBe('["A","A","A"]');
    await expect(tool.invoke({ code: 'await text({ input: 5 })' })).rejects.toThrow(
      /^ERR_TOOL_PROXY_FAIL: Tool execution failed: InvalidToolInputError: the input of text is not valid: input: /,
    );
  } finally {
    Object.defineProperty(cached, 'exports', { configurable: true, writable: true, value: exports });
  }
});

describe('a model is informed about input that is not code', () => {
  const WRONG = 'the input must be an object with the string `code`';
  const tools = {};

  test.each(['{"code":5}', '{}', 'null', '"1"', '{"code":'])('by openai-agents: %s', async (input) => {
    expect(await openAiCodeTool({ tools }).invoke(new RunContext({}), input)).toBe(WRONG);
  });

  test.each([[{ code: 5 }], [{}], [null]])('by anthropic: %j', async (input) => {
    await expect(anthropicCodeTool({ tools }).run(input)).rejects.toThrow(new TypeError(WRONG));
  });

  test('by mastra: with the reason', async () => {
    const { message } = await mastraCodeTool({ tools }).execute({ code: 5 }, {});
    expect(message).toContain(`\n- root: ${WRONG}\n`);
  });

  test.each([
    [{ code: 5 }, '#/properties/code/type: Instance type "number" is invalid. Expected "string".'],
    [{}, '#/required: Instance does not have required property "code".'],
  ])('by langchain: %j', async (input, reason) => {
    const { message } = await langchainCodeTool({ tools })
      .invoke(input)
      .catch((error) => error);
    expect(
      message
        .split('\n')
        .at(-1)
        .replace(/^Details: /, ''),
    ).toBe(reason);
  });
});

test.each([
  ['an agent', (context) => context.agent, (suspend) => ({ agent: { toolCallId: '1', messages: [], suspend } })],
  ['a workflow', (context) => context.workflow, (suspend) => ({ workflow: { runId: '1', suspend } })],
  ['another', (context) => context, (suspend) => ({ suspend })],
])('mastra: a tool called by code cannot suspend %s', async (_, of, contextWith) => {
  const steps = [];
  const ask = mastraTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    suspendSchema: z.object({ question: z.string() }),
    execute: (_input, context) => of(context).suspend({ question: 'Sure?' }),
  });
  const next = mastraTool({ id: 'next', description: 'Goes on.', execute: async () => steps.push('next') });
  const tool = mastraCodeTool({ tools: [ask, next] });
  const { failure } = await tool
    .execute(
      { code: 'await ask({}); await next({})' },
      contextWith(async () => steps.push('suspended')),
    )
    .catch((error) => error);
  expect(failure.message).toBe(
    'Tool execution failed: SuspendError: ask suspends the agent, which it cannot do when code calls it: call the tool directly instead',
  );
  expect(steps).toStrictEqual([]);
});

test('mastra: a version that calls tools differently is refused', () => {
  const require = createRequire(import.meta.url);
  const { version } = require('@mastra/core/package.json');
  const cached = require.cache[require.resolve('@mastra/core/package.json')];
  try {
    cached.exports = { version: '0.24.9' };
    expect(() => mastraCodeTool({ tools: {} })).toThrow(
      new Error('ses-executor/mastra needs @mastra/core 1 or later, got 0.24.9; run: npm install @mastra/core@latest'),
    );
  } finally {
    cached.exports = { version };
  }
});

describe('openai-agents', () => {
  /** Runs an agent whose model calls the code tool once; resolves to what the model is told. */
  async function agentRuns(tools, code) {
    let told;
    const outputs = [
      { type: 'function_call', callId: 'call-1', name: 'run_javascript', arguments: JSON.stringify({ code }) },
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] },
    ];
    const getResponse = async ({ input }) => {
      told = input.at(-1).output?.text;
      return { usage: new Usage(), output: [outputs.shift()] };
    };
    const agent = new Agent({
      name: 'a',
      instructions: 'a',
      model: { getResponse },
      tools: [openAiCodeTool({ tools })],
    });
    await new Runner({ tracingDisabled: true }).run(agent, 'go');
    return told;
  }
  const toolThat = (called, more) =>
    openAiTool({
      name: 'remove',
      description: '',
      parameters: z.object({ path: z.string() }),
      execute: ({ path }) => (called.push(path), `removed ${path}`),
      ...more,
    });
  const behaviorOf = (type, message) => ({ behavior: { type, message } });
  const failed = (error, at = 7, code = 'await remove({ path: "/etc" })') =>
    `ERR_TOOL_PROXY_FAIL: Tool execution failed: ${error} (line 1, column ${at})\n  |\n1 | ${code}\n  | ` +
    `${' '.repeat(at - 1)}^ ${error}\nHint: Correct the arguments, catch the error, or do without this call.`;

  test('does not make a call that an input guardrail rejects', async () => {
    const called = [];
    const seen = [];
    const run = async ({ agent, context, toolCall }) => {
      const { type, name, arguments: text } = toolCall;
      seen.push([agent.name, context instanceof RunContext, type, name, text]);
      return JSON.parse(text).path === '/etc' ? behaviorOf('rejectContent', 'not there') : behaviorOf('allow');
    };
    const remove = toolThat(called, { inputGuardrails: [{ name: 'paths', run }] });
    expect(await agentRuns([remove], 'await remove({ path: "/etc" })')).toBe(failed('GuardrailError: not there'));
    expect(await agentRuns([remove], 'await remove({ path: "/tmp" })')).toBe('removed /tmp');
    expect(called).toStrictEqual(['/tmp']);
    expect(seen).toStrictEqual([
      ['a', true, 'function_call', 'remove', '{"path":"/etc"}'],
      ['a', true, 'function_call', 'remove', '{"path":"/tmp"}'],
    ]);
  });

  test('returns no result to code that an output guardrail rejects', async () => {
    const run = async ({ output }) => behaviorOf(output === 'removed /etc' ? 'rejectContent' : 'allow', 'secret');
    const remove = toolThat([], { outputGuardrails: [{ name: 'secrets', run }] });
    expect(await agentRuns([remove], 'await remove({ path: "/etc" })')).toBe(failed('GuardrailError: secret'));
    expect(await agentRuns([remove], 'await remove({ path: "/tmp" })')).toBe('removed /tmp');
  });

  test.each(['input', 'output'])(
    'ends the code and the run of the agent on a tripwire of an %s guardrail',
    async (side) => {
      const called = [];
      const remove = toolThat(called, {
        [`${side}Guardrails`]: [{ name: 'wire', run: async () => behaviorOf('throwException') }],
      });
      const code = 'await remove({ path: "/etc" }).catch(() => 1); await later()';
      const ended = await agentRuns({ remove, later: () => called.push('later') }, code).catch(({ error }) => error);
      expect(ended.message).toBe(`Tool ${side} guardrail triggered: wire`);
      expect(called).toStrictEqual(side === 'input' ? [] : ['/etc']);
    },
  );

  test('calls a tool where it is enabled for the agent', async () => {
    const called = [];
    const remove = toolThat(called, { isEnabled: ({ agent }) => agent.name !== 'a', needsApproval: true });
    const code = 'await remove({ path: "/etc" })';
    expect(await agentRuns([remove], code)).toBe(failed('remove is not enabled now: do without it'));
    expect(called).toStrictEqual([]);
  });

  test('reports invalid input as an error with a place, not as the text with which the tool answers errors', async () => {
    const called = [];
    const wrong = (text) =>
      `InvalidToolInputError: the input of remove is not valid: ${text}; pass one object as declared`;
    const code = 'let all = ""; for (const path of ["a", 3]) all += await remove({ path }); all';
    expect(await agentRuns([toolThat(called)], code)).toBe(failed(wrong('path must be string, got 3'), 57, code));
    expect(called).toStrictEqual(['a']);
  });

  test('runs no code if the signal is aborted already, and leaves no listener on a signal', async () => {
    const called = [];
    const tool = openAiCodeTool({ tools: { note: () => called.push('note') } });
    const input = JSON.stringify({ code: 'await note()' });
    const { signal } = new AbortController();
    await tool.invoke(new RunContext(), input, { signal });
    await tool.invoke(new RunContext(), input, { signal: AbortSignal.abort() });
    expect(called).toStrictEqual(['note']);
    expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
  });

  test('refuses a tool with guardrails if the SDK does not let others run them', () => {
    const guardrails = new Guardrails({});
    const some = [{ name: 'a', run: () => {} }];
    expect(guardrails.mustBeKnown('remove', {})).toBe(undefined);
    for (const tool of [{ inputGuardrails: some }, { outputGuardrails: some }]) {
      expect(() => guardrails.mustBeKnown('remove', tool)).toThrow(
        'the tool remove has guardrails, which cannot be run',
      );
    }
  });

  test('lets a tool check its own input if its schema cannot be checked here', async () => {
    const parameters = z.object({ path: z.string().regex(/^(?!x)/) });
    expect(await agentRuns([toolThat([], { parameters })], 'await remove({ path: "/etc" })')).toBe('removed /etc');
  });
});
