// `ses-executor/ai` in each version of the AI SDK that it is for, and tools that a person has to approve.

import * as ai6 from 'ai';
import * as mocks6 from 'ai/test';
import * as ai5 from 'ai-v5';
import * as mocks5 from 'ai-v5/test';
import * as ai7 from 'ai-v7';
import * as mocks7 from 'ai-v7/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';

import { createCodeTool } from 'ses-executor/ai';
import { deferred, withExecutor } from '../helpers.mjs';

/** A model that answers each request with the next turn: the code of a call, or its last words. */
const VERSIONS = {
  5: { ...ai5, Model: mocks5.MockLanguageModelV2, reason: (it) => it, usage: {} },
  6: { ...ai6, Model: mocks6.MockLanguageModelV3, reason: (unified) => ({ unified }) },
  7: { ...ai7, Model: mocks7.MockLanguageModelV4, reason: (unified) => ({ unified }) },
};

function scripted({ Model, reason, usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } } }, turns) {
  let turn = 0;
  return new Model({
    doGenerate: async () => {
      const next = turns[turn++];
      const call = { type: 'tool-call', toolCallId: `call-${turn}`, toolName: 'code' };
      return next.text === undefined
        ? {
            content: [{ ...call, input: JSON.stringify({ code: next.code }) }],
            finishReason: reason('tool-calls'),
            usage,
            warnings: [],
          }
        : { content: [{ type: 'text', text: next.text }], finishReason: reason('stop'), usage, warnings: [] };
    },
  });
}

describe.each(Object.keys(VERSIONS))('AI SDK %s', (version) => {
  const sdk = VERSIONS[version];
  const { generateText, jsonSchema, stepCountIs, tool } = sdk;

  test('a model calls tools with schemas of every kind from code and corrects itself', async () => {
    const tools = {
      add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }), execute: async ({ a, b }) => a + b }),
      old: tool({ inputSchema: z3.object({ n: z3.number() }), execute: async ({ n }) => n }),
      own: tool({
        inputSchema: jsonSchema(
          { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
          {
            validate: (value) => (value.id ? { success: true, value } : { success: false, error: new Error('no id') }),
          },
        ),
        execute: async ({ id }, { toolCallId }) => `${id} of ${toolCallId}`,
      }),
    };
    const code = createCodeTool({ tools });
    for (const declared of ['args.a', 'args.n', 'args.id']) expect(code.description).toContain(declared);
    const turns = [
      { code: 'await own({})' },
      { code: '[await add({ a: 1, b: 2 }), await old({ n: 5 }), await own({ id: "x" })]' },
      { text: 'done' },
    ];
    const { text, steps } = await generateText({
      model: scripted(sdk, turns),
      tools: { code },
      stopWhen: stepCountIs(5),
      prompt: 'go',
    });
    expect(text).toBe('done');
    const [{ error }] = steps[0].content.filter(({ type }) => type === 'tool-error');
    expect(error.failure).toMatchObject({
      code: 'ERR_TOOL_PROXY_FAIL',
      message:
        'Tool execution failed: InvalidToolInputError: the input of own is not valid: no id; pass one object as declared',
    });
    const [{ output }] = steps[1].toolResults;
    // Each call from code has its own id.
    expect(output).toStrictEqual({ output: [3, 5, expect.stringMatching(/^x of [0-9a-f-]{36}$/)], logs: '' });
  });

  test('input without code is refused before any code runs', async () => {
    const { steps } = await generateText({
      model: scripted(sdk, [{ code: 1 }, { text: 'done' }]),
      tools: { code: createCodeTool({ tools: {} }) },
      stopWhen: stepCountIs(5),
      prompt: 'go',
    });
    const [{ error }] = steps[0].content.filter(({ type }) => type === 'tool-error');
    expect(String(error)).toContain('the input must be an object with the string `code`');
  });
});

describe.each(['6', '7'])('approval in AI SDK %s', (version) => {
  const sdk = VERSIONS[version];
  const { generateText, stepCountIs, tool } = sdk;
  const inputSchema = z.object({ path: z.string() });

  /** The tools, what was removed, and a conversation up to the question, or to its end if there is none. */
  async function conversation(code, settings = {}) {
    const removed = [];
    const remove = async ({ path }) => removed.push(path);
    const tools = {
      remove: tool({ inputSchema, needsApproval: true, execute: remove }),
      sometimes: tool({ inputSchema, needsApproval: ({ path }) => path !== 'a', execute: remove }),
      wipe: tool({ inputSchema, needsApproval: true, execute: remove }),
      never: tool({ inputSchema, needsApproval: false, execute: remove }),
    };
    const made = createCodeTool({ tools, ...settings });
    const results = [];
    const execute = async (...args) => {
      const result = made.execute(...args);
      results.push(await result.catch(({ failure }) => ({ failure })));
      return result;
    };
    const codeTool = { ...made, execute };
    const model = scripted(sdk, [{ code }, { text: 'done' }]);
    const messages = [{ role: 'user', content: 'go' }];
    const ask = () => generateText({ model, tools: { code: codeTool }, stopWhen: stepCountIs(5), messages });
    const first = await ask();
    messages.push(...first.response.messages);
    const requests = first.content.filter(({ type }) => type === 'tool-approval-request');
    const answer = async (approved) => {
      const responses = requests.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved }));
      messages.push({ role: 'tool', content: responses });
      await ask();
      return results.at(-1);
    };
    return { first, requests, removed, answer, codeTool };
  }

  test('code that names no tool with approval runs immediately', async () => {
    const { first, removed } = await conversation('await never({ path: "a" })');
    expect(first.text).toBe('done');
    expect(removed).toStrictEqual(['a']);
  });

  test('code that names one waits for the approval of a person who sees the code', async () => {
    const code = 'for (const path of ["a", "b"]) await remove({ path }); await sometimes({ path: "c" })';
    const { requests, removed, answer } = await conversation(code);
    expect(requests.map(({ toolCall }) => toolCall.input)).toStrictEqual([{ code }]);
    expect(removed).toStrictEqual([]);
    await answer(true);
    expect(removed).toStrictEqual(['a', 'b', 'c']);
  });

  test('refused code does not run', async () => {
    const { removed, answer } = await conversation('await remove({ path: "a" })');
    await answer(false);
    expect(removed).toStrictEqual([]);
  });

  test('approved code can call only the tools that it names', async () => {
    const direct = async (codeTool, code) => {
      const { failure } = await codeTool
        .execute({ code }, { toolCallId: 'call-1', messages: [] })
        .catch((error) => error);
      return failure.message;
    };
    const refusal = (name) =>
      `Tool execution failed: ApprovalError: ${name} needs a person's approval, which code cannot get: call the tool directly instead`;
    const hidden = 'await globalThis["wi" + "pe"]({ path: "a" })';
    const { first, removed, codeTool } = await conversation(hidden);
    const [{ error }] = first.steps[0].content.filter(({ type }) => type === 'tool-error');
    expect(error.failure.message).toBe(refusal('wipe'));
    const { removed: others, answer } = await conversation(`remove; ${hidden}`);
    expect((await answer(true)).failure.message).toBe(refusal('wipe'));
    expect(await direct(codeTool, 'await remove({ path: "a" })')).toBe(refusal('remove'));
    expect([removed, others]).toStrictEqual([[], []]);
  });

  test('with `approve` each call is approved separately, with its input', async () => {
    const asked = [];
    const approve = ({ name, input }) => (asked.push([name, input]), input.path !== 'b');
    const code =
      'await sometimes({ path: "a" }); for (const path of ["b", "c"]) { try { await remove({ path }) } catch {} }';
    const { first, removed } = await conversation(code, { approve });
    expect(first.text).toBe('done');
    expect(asked).toStrictEqual([
      ['remove', { path: 'b' }],
      ['remove', { path: 'c' }],
    ]);
    expect(removed).toStrictEqual(['a', 'c']);
  });

  test('toolApproval takes precedence', async () => {
    const toolApproval = {
      remove: 'approved',
      never: 'user-approval',
      sometimes: async ({ path }) => (path === 'a' ? { type: 'denied' } : 'not-applicable'),
    };
    const { first, removed } = await conversation('await remove({ path: "a" })', { toolApproval });
    expect(first.text).toBe('done');
    expect(removed).toStrictEqual(['a']);
    const { requests } = await conversation('await never({ path: "a" })', { toolApproval });
    expect(requests).toHaveLength(1);
    const third = await conversation(
      'const results = []; for (const path of ["a", "b"]) await sometimes({ path }).catch(({ message }) => results.push(message)); results',
      { toolApproval },
    );
    expect((await third.answer(true)).output).toStrictEqual(['this call is denied']);
    expect(third.removed).toStrictEqual(['b']);
  });
});

describe('contexts of tools in AI SDK 7', () => {
  const { generateText, isStepCount, jsonSchema, tool } = ai7;
  const inputSchema = z.object({ city: z.string() });
  const weather = tool({
    description: ({ context, experimental_sandbox: sandbox }) =>
      `Weather of ${context.from} in ${sandbox.description}.`,
    inputSchema,
    contextSchema: z.object({ from: z.string().transform((text) => text.toUpperCase()) }),
    execute: async ({ city }, { context }) => `${city} of ${context.from}`,
  });
  const seen = (settings) => tool({ inputSchema, execute: async (_, { context = 'none' }) => context, ...settings });
  const tools = {
    weather,
    'own-schema': seen({ contextSchema: jsonSchema({ type: 'object' }) }),
    none: seen(),
  };

  /** The outputs of code, and the descriptions that the model got. */
  async function run(code, settings, toolsContext) {
    const made = createCodeTool({ tools, ...settings });
    const model = scripted(VERSIONS[7], [{ code }, { text: 'done' }]);
    const { steps } = await generateText({
      model,
      tools: { code: made },
      toolsContext,
      experimental_sandbox: { description: 'a box' },
      stopWhen: isStepCount(5),
      prompt: 'go',
    });
    const [{ output, error }] = steps[0].content.filter(({ type }) => ['tool-result', 'tool-error'].includes(type));
    return {
      output: output ?? { error: error.failure },
      descriptions: model.doGenerateCalls.map((call) => call.tools[0].description),
      made,
    };
  }

  test('tools called by code get their contexts from that of the code tool', async () => {
    const code = '[await weather({ city: "Oslo" }), await own_schema({ city: "" }), await none({ city: "" })]';
    const context = { weather: { from: 'here' }, 'own-schema': { a: 1 } };
    const { output, descriptions, made } = await run(code, {}, { code: context });
    expect(output).toStrictEqual({ output: ['Oslo of HERE', { a: 1 }, 'none'], logs: '' });
    const all = made.description({ context, experimental_sandbox: { description: 'a box' } });
    expect(all).toContain('\n\n/**\n * Weather of here in a box.\n *\n * @param {object} args\n');
    expect(descriptions).toStrictEqual([all, all]);
  });

  test('a missing or invalid context is an error that names where to pass it', async () => {
    const { output } = await run('await weather({ city: "Oslo" })', {}, { code: { weather: { from: 5 } } });
    expect(output.error.message).toBe(
      'Tool execution failed: the context of weather is not valid: from: Invalid input: expected string, received number; ' +
        'the host passes it in toolsContext, as the member "weather" of the context of the tool that runs code',
    );
  });

  const approving = (decide) => ({
    toolApproval: { weather: (_, options) => (decide(options) ? 'approved' : 'denied') },
    approve: () => false,
  });
  test.each([
    ['toolContext', ({ toolContext, toolCallId }) => toolContext.from === 'HERE' && toolCallId !== 'call-1', { output: 'Oslo of HERE', logs: '' }],
    ['runtimeContext', ({ runtimeContext }) => runtimeContext.isAdmin, { error: { message: 'Tool execution failed: toolApproval of weather cannot read runtimeContext, which the AI SDK does not pass to tools: decide by toolContext' } }],
  ])('toolApproval decides by %s', async (_, decide, expected) => {
    const { output } = await run('await weather({ city: "Oslo" })', approving(decide), { code: { weather: { from: 'here' } } });
    expect(output).toMatchObject(expected);
  }); // prettier-ignore
});

describe('tools that AI SDK 7 binds late, by experimental_toolCallers', () => {
  const sdk = VERSIONS[7];
  const { generateText, isStepCount, tool } = sdk;
  const inputSchema = z.object({ a: z.number() });
  const twice = tool({ description: 'Doubles.', inputSchema, execute: async ({ a }) => 2 * a });
  const third = tool({ description: 'Divides by three.', inputSchema, execute: async ({ a }) => a / 3 });

  /** The requests that the model got, and the results of the code. */
  async function conversation(code, turns, settings = {}) {
    const model = scripted(sdk, [...turns, { text: 'done' }]);
    const { steps } = await generateText({
      model,
      tools: { code, twice, third },
      stopWhen: isStepCount(5),
      prompt: 'go',
      ...settings,
    });
    const results = steps
      .flatMap(({ content }) => content)
      .filter(({ type }) => ['tool-result', 'tool-error'].includes(type))
      .map(({ output, error }) => output ?? error.failure);
    return { requests: model.doGenerateCalls, results };
  }

  test('are declared in the description and called by code, and the model does not see them', async () => {
    const { requests, results } = await conversation(
      createCodeTool(),
      [{ code: '[await twice({ a: 4 }), typeof third]' }, { code: 'await twice({ a: "four" })' }],
      { experimental_toolCallers: { twice: ['code'] } },
    );
    expect(requests[0].tools.map(({ name }) => name)).toStrictEqual(['code', 'third']);
    expect(requests[0].tools[0].description).toContain('async function twice(args) {}');
    expect(results).toStrictEqual([
      { output: [8, 'undefined'], logs: '' },
      expect.objectContaining({ code: 'ERR_TOOL_PROXY_FAIL', tool: 'twice', line: 1, column: 7 }),
    ]);
  });

  test('can be called by the model too', async () => {
    const { requests } = await conversation(createCodeTool(), [{ code: 'await twice({ a: 1 })' }], {
      experimental_toolCallers: { twice: ['code', 'AI_SDK_DIRECT_TOOL_CALL'] },
    });
    expect(requests[0].tools.map(({ name }) => name)).toStrictEqual(['code', 'twice', 'third']);
  });

  test('are available in addition to the tools of the option, and may change between two steps', async () => {
    const own = tool({ inputSchema: z.object({}), execute: async () => 'own' });
    await withExecutor({}, {}, async (executor) => {
      const { results } = await conversation(
        createCodeTool({ tools: { own }, executor }),
        [
          { code: 'var kept = [await own({}), await twice({ a: 1 }), typeof third]; kept' },
          { code: '[kept, await twice({ a: 1 }).catch(({ message }) => message), await third({ a: 3 })]' },
        ],
        {
          experimental_toolCallers: { twice: ['code'], third: ['code'] },
          prepareStep: ({ stepNumber }) => ({ activeTools: ['code', stepNumber === 0 ? 'twice' : 'third'] }),
        },
      );
      expect(results[0].output).toStrictEqual(['own', 2, 'undefined']);
      expect(results[1].output).toStrictEqual([
        ['own', 2, 'undefined'],
        'twice is not one of the functions that this code can call',
        1,
      ]);
    });
  });

  test('kept outputs stay when other tools are bound', async () => {
    await withExecutor({}, {}, async (executor) => {
      const code = createCodeTool({ executor, maxOutputChars: 200 });
      const run = async (tools, text) =>
        (await code.experimental_toolCaller.bind(tools).execute({ code: text }, { messages: [] })).output;
      const list = (name) => `Array.from({ length: 500 }, (_, i) => '${name} ' + i)`;
      expect(await run({ twice }, list('invoice'))).toContain('outputs.get("o1")');
      expect(await run({ twice, third }, list('user'))).toContain('outputs.get("o2")');
      expect(await run({ third }, '[outputs.get("o1")[7], outputs.get("o2")[7]]')).toStrictEqual([
        'invoice 7',
        'user 7',
      ]);
    });
  });

  test('without that option, the tool is the same as before', async () => {
    const { results } = await conversation(createCodeTool({ tools: { twice } }), [{ code: 'await twice({ a: 2 })' }]);
    expect(results).toStrictEqual([{ output: 4, logs: '' }]);
  });

  test('a second tool of one name is refused', () => {
    const { bind } = createCodeTool({ tools: { twice } }).experimental_toolCaller;
    expect(bind({ twice }).description).toContain('async function twice(args) {}');
    expect(() => bind({ twice: third })).toThrow(
      new TypeError(
        'experimental_toolCallers names the tool "twice", but options.tools of the code tool has another tool of this ' +
          'name: rename one of them',
      ),
    );
  });

  test('need approval if they say so, or if toolApproval of the code tool does', async () => {
    const guarded = { ...twice, needsApproval: true };
    const code = createCodeTool({ toolApproval: { third: 'user-approval' } });
    const model = scripted(sdk, [{ code: 'await guarded({ a: 1 })' }, { text: 'done' }]);
    const tools = { code, guarded, third };
    const experimental_toolCallers = { guarded: ['code'], third: ['code'] };
    const { content } = await generateText({ model, tools, experimental_toolCallers, prompt: 'go' });
    expect(content.map(({ type }) => type)).toStrictEqual(['tool-call', 'tool-approval-request']);
    const bound = code.experimental_toolCaller.bind({ guarded, third });
    const isAsked = (text) => bound.needsApproval({ code: text }, {});
    expect(['guarded({})', 'third({})', '1'].map(isAsked)).toStrictEqual([true, true, false]);
    expect(() => code.experimental_toolCaller.bind({ thrid: third })).toThrow(
      new TypeError('options.toolApproval.third is not a tool; did you mean options.toolApproval.thrid?'),
    );
  });
});

describe.each(['6', '7'])('preliminary results in AI SDK %s', (version) => {
  const { Model, reason, streamText, stepCountIs, tool } = VERSIONS[version];
  const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };

  test('have what the code has logged and called, and the result is the last one', async () => {
    const gate = deferred();
    const wait = tool({ inputSchema: z.object({}), execute: async () => gate.promise });
    const code = createCodeTool({ tools: { wait }, preliminaryResults: true });
    const input = JSON.stringify({
      code: 'console.log("first");\nconst n = await wait({});\nconsole.log("second");\nn',
    });
    const turns = [
      [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'code', input }],
      [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'done' },
        { type: 'text-end', id: '1' },
      ],
    ];
    const model = new Model({
      doStream: async () => {
        const parts = turns.shift();
        const finish = { type: 'finish', finishReason: reason(turns.length > 0 ? 'tool-calls' : 'stop'), usage };
        const stream = ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts, finish]);
        return { stream };
      },
    });
    const { fullStream } = streamText({ model, tools: { code }, stopWhen: stepCountIs(2), prompt: 'go' });
    const results = [];
    for await (const part of fullStream) {
      if (part.type !== 'tool-result') continue;
      results.push(part);
      // The tool ends when the model's user has seen that it waits.
      if (part.output.progress?.running.length === 1 && part.output.logs === 'first') gate.resolve(7);
    }
    const final = { output: 7, logs: 'first\nsecond' };
    expect(results.at(-1).output).toStrictEqual(final);
    expect(results.at(-1).preliminary ?? false).toBe(false);
    const preliminary = results.slice(0, -1);
    expect(preliminary.every((it) => it.preliminary)).toBe(true);
    expect(preliminary.map(({ output }) => output)).toContainEqual({
      output: undefined,
      logs: 'first',
      progress: { calls: 1, running: ['wait'] },
    });
  });

  test('are followed by the failure', async () => {
    const code = createCodeTool({ preliminaryResults: true });
    const all = [];
    const failure = await (async () => {
      for await (const one of code.execute({ code: 'console.log(1);\nfail()' }, {})) all.push(one);
    })().catch((error) => error.failure);
    expect(failure).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', line: 2 });
    expect(all.every(({ output }) => output === undefined)).toBe(true);
  });
});
