// Code that fails is a tool that fails, as each framework represents it.

import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { Agent as MastraAgent } from '@mastra/core/agent';
import {
  RunContext,
  createFunctionSpan,
  setTraceProcessors,
  setTracingDisabled,
  tool as openAiTool,
  withTrace,
  withTraceContext,
} from '@openai/agents';
import { generateText, stepCountIs } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { scriptedModel } from '../../examples/scripted-model.mjs';
import { createCodeTool as aiCodeTool } from 'ses-executor/ai';
import { createCodeTool as anthropicCodeTool } from 'ses-executor/anthropic';
import { CodeToolError, createCodeTool } from 'ses-executor/code-tool';
import { createCodeTool as langchainCodeTool } from 'ses-executor/langchain';
import { createCodeTool as mastraCodeTool } from 'ses-executor/mastra';
import { createCodeTool as openAiCodeTool } from 'ses-executor/openai-agents';

const tools = {
  fail: () => {
    throw new Error('no such row');
  },
};
const FAILURES = [
  ['an exception', 'null.x', 'ERR_RUNTIME_EXCEPTION'],
  ['a syntax error', 'const = 1', 'ERR_VALIDATION_FAILED'],
  ['a tool that fails', 'console.log("before"); await fail()', 'ERR_TOOL_PROXY_FAIL'],
  ['a deadline', 'await new Promise(() => {})', 'ERR_EXEC_TIMEOUT'],
];
const options = { tools, timeoutMs: 500 };

describe.each(FAILURES)('%s', (_, code, expected) => {
  test('is a message with status error in LangChain, for the tool and for a node', async () => {
    const tool = langchainCodeTool(options);
    const call = { type: 'tool_call', id: 'call-1', name: 'run_javascript', args: { code } };
    const message = await tool.invoke(call);
    expect(message).toBeInstanceOf(ToolMessage);
    expect(message).toMatchObject({ status: 'error', tool_call_id: 'call-1', name: 'run_javascript' });
    expect(message.content).toMatch(new RegExp(`^${expected}: `));
    expect(message.artifact.failure.code).toBe(expected);
    const node = new ToolNode([tool], { handleToolErrors: false });
    const [fromNode] = await node.invoke([new AIMessage({ content: '', tool_calls: [call] })]);
    expect(fromNode).toMatchObject({ status: 'error', content: message.content });
    const thrown = await tool.invoke({ code }).catch((error) => error);
    expect(thrown).toBeInstanceOf(CodeToolError);
    expect(thrown.failure.code).toBe(expected);
  });

  test('is a tool-error in the AI SDK', async () => {
    const model = scriptedModel('code', [{ code }, { text: 'done' }]);
    const tool = aiCodeTool(options);
    const { steps } = await generateText({ model, tools: { code: tool }, stopWhen: stepCountIs(3), prompt: 'go' });
    const [error] = steps[0].content.filter(({ type }) => type === 'tool-error');
    expect(error.error).toBeInstanceOf(CodeToolError);
    expect(error.error.failure.code).toBe(expected);
    expect(steps[0].toolResults).toStrictEqual([]);
    // The model reads the whole text.
    const [told] = model.doGenerateCalls[1].prompt.at(-1).content;
    expect(told.output).toStrictEqual({ type: 'error-text', value: error.error.message });
  });

  test('is an error of the tool in Mastra', async () => {
    const model = scriptedModel('code', [{ code }, { text: 'done' }]);
    const tool = mastraCodeTool(options);
    const agent = new MastraAgent({ id: 'a', name: 'a', instructions: 'a', model, tools: { code: tool } });
    const { steps, text } = await agent.generate('go');
    expect(text).toBe('done');
    expect(steps.flatMap(({ toolResults }) => toolResults)).toStrictEqual([]);
    const [told] = model.doGenerateCalls[1].prompt.at(-1).content;
    expect(told.output).toStrictEqual({
      type: 'error-text',
      value: expect.stringMatching(new RegExp(`^${expected}: `)),
    });
    await expect(tool.execute({ code }, {})).rejects.toThrow(expected);
  });

  test('is an error in the trace of the OpenAI Agents SDK', async () => {
    setTraceProcessors([]);
    setTracingDisabled(false);
    const tool = openAiCodeTool(options);
    const { span, text } = await withTrace('test', async (trace) => {
      const span = createFunctionSpan({ data: { name: 'run_javascript', input: '', output: '' } }, trace);
      const input = JSON.stringify({ code });
      return { span, text: await withTraceContext({ trace, span }, () => tool.invoke(new RunContext({}), input)) };
    });
    setTracingDisabled(true);
    expect(text).toMatch(new RegExp(`^${expected}: `));
    expect(span.error.message).toBe('Error running tool (non-fatal)');
  });

  test('is thrown for the tool runner of Anthropic', async () => {
    const thrown = await anthropicCodeTool(options)
      .run({ code })
      .catch((error) => error);
    expect(thrown).toBeInstanceOf(CodeToolError);
    expect(thrown.failure.code).toBe(expected);
  });
});

test('the error contains the logs of the code', async () => {
  const thrown = await mastraCodeTool(options)
    .execute({ code: 'console.log("before"); await fail()' }, {})
    .catch((error) => error);
  expect(thrown.logs).toBe('before');
});

test.each([
  ['its cause', new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }), ' Its cause: ECONNREFUSED'],
  ['a named cause', new Error('a', { cause: new RangeError('b') }), ' Its cause: RangeError: b'],
  ['a cause that is not an error', new Error('a', { cause: 'why' }), ' Its cause: why'],
  ['the first of its errors', new AggregateError([1, 2, 3, 4, 5].map((n) => new Error(`e${n}`)), 'a'), ' Its errors: e1; e2; e3; e4'],
  ['a long cause in part', new Error('a', { cause: new Error('x'.repeat(201)) }), ` Its cause: ${'x'.repeat(200)}...`],
  ['nothing more if the cause is data', new Error('a', { cause: [{ path: 'b' }] }), ''],
  ['nothing more without a cause', new Error('a'), ''],
])('the failure of a tool that code does not catch shows %s', async (_, thrown, shown) => {
  const fail = async () => {
    throw thrown;
  };
  const { error } = await createCodeTool({ tools: { fail } }).execute('await fail()');
  expect(error.hint).toBe(`Correct the arguments, catch the error, or do without this call.${shown}`);
}); // prettier-ignore

describe('a tool of the OpenAI Agents SDK that fails throws in code', () => {
  const make = (execute, more) =>
    openAiTool({ name: 'find', description: '', parameters: z.object({}), execute, ...more });
  const fails = async () => {
    throw new Error('secret');
  };
  const told = async (tool) => {
    const code = 'try { ({ output: await find({}) }) } catch ({ name, message }) { ({ name, message }) }';
    return JSON.parse(await openAiCodeTool({ tools: [tool] }).invoke(new RunContext({}), JSON.stringify({ code })));
  };

  test.each([
    ['with the default message of the SDK', make(fails), 'An error occurred while running the tool. Please try again.'],
    ['with its own message', make(fails, { errorFunction: () => 'no such row' }), 'no such row'],
    ['with text that it takes from the error', make(fails, { errorFunction: (_, { message }) => `Error: ${message}` }), 'secret'],
    ['with the error itself', make(fails, { errorFunction: null }), 'secret'],
    ['on its timeout', make(() => new Promise(() => {}), { timeoutMs: 20 }), "Tool 'find' timed out after 20ms."],
    ['on its timeout, with its own message', make(() => new Promise(() => {}), { timeoutMs: 20, timeoutErrorFunction: () => 'late' }), "Tool 'find' timed out after 20ms."],
  ])('%s', async (_, tool, message) => {
    expect(await told(tool)).toStrictEqual({ name: expect.stringMatching(/Error$/), message });
  }); // prettier-ignore

  test('except if it only returns such a message', async () => {
    const sentence = 'An error occurred while running the tool. Please try again.';
    expect(await told(make(async () => sentence))).toStrictEqual({ output: sentence });
  });
});
