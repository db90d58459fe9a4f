// A code tool whose executor depends on the call, and the ids of the calls that code makes.

import { tool as langchainTool } from '@langchain/core/tools';
import { createTool as mastraTool } from '@mastra/core/tools';
import { Agent, RunContext, Runner, Usage, tool as openAiTool } from '@openai/agents';
import { generateText, stepCountIs, tool as aiTool } from 'ai';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { scriptedModel } from '../../examples/scripted-model.mjs';
import { SESExecutor } from '../../index.mjs';
import { createCodeTool as aiCodeTool } from 'ses-executor/ai';
import { createCodeTool as anthropicCodeTool } from 'ses-executor/anthropic';
import { createCodeTool } from 'ses-executor/code-tool';
import { createCodeTool as langchainCodeTool } from 'ses-executor/langchain';
import { createCodeTool as mastraCodeTool } from 'ses-executor/mastra';
import { createCodeTool as openAiCodeTool } from 'ses-executor/openai-agents';

const made = [];
afterEach(() => Promise.all(made.splice(0).map((executor) => executor.cleanup())));

/** A function that returns one executor for each name. */
function executors() {
  const byName = new Map();
  return (name) => {
    if (!byName.has(name)) {
      const executor = new SESExecutor();
      made.push(executor);
      byName.set(name, executor);
    }
    return byName.get(name);
  };
}

/** How each framework passes the conversation, and how the function finds it. */
const FRAMEWORKS = {
  neutral: {
    make: (executor) => createCodeTool({ tools: {}, executor: ({ chat }) => executor(chat) }),
    call: async (tool, code, chat) => (await tool.execute(code, { context: { chat } })).output,
  },
  'AI SDK': {
    make: (executor) => aiCodeTool({ tools: {}, executor: ({ experimental_context: { chat } }) => executor(chat) }),
    call: async (tool, code, chat) =>
      (await tool.execute({ code }, { toolCallId: '1', messages: [], experimental_context: { chat } })).output,
  },
  LangChain: {
    make: (executor) =>
      langchainCodeTool({ tools: {}, executor: ({ configurable }) => executor(configurable.thread_id) }),
    call: async (tool, code, chat) => JSON.parse(await tool.invoke({ code }, { configurable: { thread_id: chat } })),
  },
  Mastra: {
    make: (executor) => mastraCodeTool({ tools: {}, executor: ({ agent }) => executor(agent.threadId) }),
    call: async (tool, code, chat) =>
      (await tool.execute({ code }, { agent: { toolCallId: '1', messages: [], threadId: chat } })).output,
  },
  'OpenAI Agents': {
    make: (executor) => openAiCodeTool({ tools: {}, executor: async ({ context }) => executor(context.chat) }),
    call: async (tool, code, chat) => JSON.parse(await tool.invoke(new RunContext({ chat }), JSON.stringify({ code }))),
  },
  Anthropic: {
    make: (executor) => anthropicCodeTool({ tools: {}, executor: ({ toolUse }) => executor(toolUse.id) }),
    call: async (tool, code, chat) => JSON.parse(await tool.run({ code }, { toolUse: { id: chat } })),
  },
};

test.each(Object.keys(FRAMEWORKS))('%s: each conversation has its own session', async (name) => {
  const { make, call } = FRAMEWORKS[name];
  const tool = make(executors());
  expect(tool.description).toContain('Variables and functions persist from call to call.');
  await Promise.all([call(tool, 'let n = 1; n', 'a'), call(tool, 'let n = 10; n', 'b')]);
  const next = ['a', 'b', 'a'].map((chat) => call(tool, 'n += 1', chat));
  expect(await Promise.all(next)).toStrictEqual([2, 11, 3]);
});

test.each([
  ['nothing', undefined, 'undefined'],
  ['a promise of something else', Promise.resolve({}), 'an object'],
  ['a class', SESExecutor, 'a function'],
])('an executor function that returns %s is an error of the calling program', async (_, returned, got) => {
  const tool = createCodeTool({ tools: {}, executor: () => returned });
  await expect(tool.execute('1')).rejects.toThrow(
    new TypeError(`options.executor must return an executor, got ${got}`),
  );
});

// The frameworks ask about approval before the call, and an error there would end the whole agent.
describe('an executor function that throws fails only the call', () => {
  const executor = () => {
    throw new Error('the store is away');
  };
  const guarded = { description: '', inputSchema: { type: 'object' }, needsApproval: true, execute: () => 1 };
  const code = 'await guarded({})';

  test('in the AI SDK', async () => {
    const model = scriptedModel('code', [{ code: '1' }, { text: 'done' }]);
    const tool = aiCodeTool({ tools: { guarded }, executor });
    const { steps } = await generateText({ model, tools: { code: tool }, stopWhen: stepCountIs(3), prompt: 'go' });
    expect(steps[0].content.map(({ type }) => type)).toStrictEqual(['tool-call', 'tool-error']);
    expect(steps[0].content[1].error.message).toBe('the store is away');
  });

  test('in the AI SDK, also if the code needs approval', async () => {
    const model = scriptedModel('code', [{ code }, { text: 'done' }]);
    const tool = aiCodeTool({ tools: { guarded }, executor });
    const { content } = await generateText({ model, tools: { code: tool }, prompt: 'go' });
    expect(content.map(({ type }) => type)).toStrictEqual(['tool-call', 'tool-approval-request']);
  });

  test('in the OpenAI Agents SDK', async () => {
    const inputs = [];
    const call = { type: 'function_call', callId: 'c', name: 'run_javascript', arguments: JSON.stringify({ code }) };
    const text = { type: 'output_text', text: 'done' };
    const outputs = [
      { ...call, status: 'completed' },
      { type: 'message', role: 'assistant', status: 'completed', content: [text] },
    ];
    const getResponse = async ({ input }) => {
      inputs.push(input);
      return { usage: new Usage(), output: [outputs.shift()] };
    };
    const tool = openAiCodeTool({ tools: { guarded }, executor });
    const agent = new Agent({ name: 'a', instructions: 'a', model: { getResponse }, tools: [tool] });
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'go');
    expect(finalOutput).toBe('done');
    expect(inputs[1].at(-1).output.text).toBe('An error occurred while running the tool. Please try again.');
  });
});

test('options of the executor are refused next to an executor function, except the language', () => {
  const executor = () => new SESExecutor();
  expect(() => createCodeTool({ tools: {}, executor, timeoutMs: 5 })).toThrow(
    new TypeError('options.timeoutMs is an option of executors: pass it where the executor is created'),
  );
  expect(createCodeTool({ tools: {}, executor, language: 'python' }).name).toBe('run_python');
  expect(() => createCodeTool({ tools: {}, executor, language: 'ruby' })).toThrow(/language/);
});

describe('each tool call of code has its own id', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
  const code = 'await Promise.all([note({}), note({})]); 1';
  const schema = z.object({});
  const seen = [];
  const note = (id) => (seen.push(id), 'ok');
  const calls = {
    neutral: () =>
      createCodeTool({ tools: { note: { execute: (_, { toolCallId }) => note(toolCallId) } } }).execute(code),
    'AI SDK': () => {
      const tools = { note: aiTool({ inputSchema: schema, execute: (_, { toolCallId }) => note(toolCallId) }) };
      return aiCodeTool({ tools }).execute({ code }, { toolCallId: 'outer', messages: [] });
    },
    Mastra: () => {
      const execute = async (_, { agent }) => note(agent.toolCallId);
      const tools = { note: mastraTool({ id: 'note', description: '', inputSchema: schema, execute }) };
      return mastraCodeTool({ tools }).execute({ code }, { agent: { toolCallId: 'outer', messages: [] } });
    },
    'OpenAI Agents': () => {
      const execute = (_input, _context, { toolCall }) => note(toolCall.callId);
      const tools = [openAiTool({ name: 'note', description: '', parameters: schema, execute })];
      return openAiCodeTool({ tools }).invoke(new RunContext(), JSON.stringify({ code }));
    },
    Anthropic: () => {
      const run = async (_, { toolUse }) => note(toolUse.id);
      const tools = [{ name: 'note', input_schema: { type: 'object' }, run }];
      return anthropicCodeTool({ tools }).run({ code }, { toolUse: { id: 'outer' } });
    },
  };

  test.each(Object.keys(calls))('in %s', async (name) => {
    seen.length = 0;
    await calls[name]();
    expect(seen).toStrictEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(new Set(seen).size).toBe(2);
  });

  test('in LangChain, which does not pass the id of the outer call', async () => {
    seen.length = 0;
    const tools = [langchainTool((_, { toolCall }) => note(toolCall?.id), { name: 'note', description: '', schema })];
    const call = { type: 'tool_call', id: 'outer', name: 'run_javascript', args: { code } };
    expect((await langchainCodeTool({ tools }).invoke(call)).content).toBe('1');
    expect(seen).toStrictEqual([undefined, undefined]);
  });
});
