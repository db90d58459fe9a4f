// Programs of a durable session in an agent or a workflow of Mastra: `suspend()` of a tool suspends the program, and no
// call is made twice.

import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { createCodeTool } from 'ses-executor/mastra';

import { scriptedModel } from '../../examples/scripted-model.mjs';
import { openSession } from './helpers.mjs';

const inputSchema = z.object({
  of: z
    .string()
    .default('nothing')
    .transform((of) => of.toUpperCase()),
});

/** Tools, and what they have done. */
function makeTools() {
  const called = [];
  const make = (id, execute, options = {}) => createTool({ id, description: id, inputSchema, execute, ...options });
  const placeIn = (context) => context.agent ?? context.workflow ?? context;
  const tools = [
    make('charge', async ({ of }) => (called.push(`charge ${of}`), of)),
    make('confirm', async ({ of }, context) => {
      const { suspend, resumeData, suspendPayload } = placeIn(context);
      if (resumeData === undefined) return suspend({ question: `${of}?` });
      called.push(`${suspendPayload.question} ${resumeData.reply}`);
      return resumeData.reply;
    }),
    make('twice', async (_, context) => {
      const { suspend, resumeData } = placeIn(context);
      if (resumeData === undefined) return suspend('first?');
      return resumeData.reply === 'more' ? suspend('second?') : resumeData.reply;
    }),
    make('invalid', async (_, context) => placeIn(context).suspend({ question: 1 }), {
      suspendSchema: z.object({ question: z.string() }),
    }),
    make('ask', async ({ of }) => waitForAnswer({ ask: of })),
    make('pay', async ({ of }) => (called.push(`pay ${of}`), of), { requireApproval: true }),
  ];
  return { called, tools };
}

/** An agent whose model sends one program, and what its tools have done. */
function agentOf(code, executor, storage = new InMemoryStore()) {
  const { called, tools } = makeTools();
  const model = scriptedModel('code', [{ code }, { text: 'Done.' }]);
  const codeTool = createCodeTool({ tools, executor });
  const own = new Agent({ id: 'own', name: 'own', instructions: '', model, tools: { code: codeTool } });
  const agent = new Mastra({ agents: { own }, storage, logger: false }).getAgent('own');
  return { agent, called, model };
}

/** The code tool, called as an agent calls it, and the payloads that it has suspended with. */
function toolOf(executor) {
  const { called, tools } = makeTools();
  const tool = createCodeTool({ tools, executor });
  const payloads = [];
  const suspend = async (payload) => void payloads.push(payload);
  const call = (code, more = {}) =>
    tool.execute({ code }, { agent: { toolCallId: '1', messages: [], suspend, ...more } }).catch((error) => error);
  return { call, called, payloads };
}

const asked = ({ suspendPayload }) => suspendPayload.suspendPayload;
const outputOf = ({ steps }) =>
  steps
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === 'tool-result')
    .at(-1).output.value.output;

test('suspend() of a tool suspends the agent, which continues in another process without a second charge', async () => {
  const store = memoryStore();
  const storage = new InMemoryStore();
  const code = `await charge({ of: "a" });
const replies = [await confirm({ of: "b" })];
await charge({ of: "c" });
replies.push(await confirm({}));
replies.join()`;
  const first = agentOf(code, await openSession('s', { store }), storage);
  const suspended = await first.agent.generate('Go');
  expect(suspended.finishReason).toBe('suspended');
  expect(asked(suspended)).toStrictEqual({ question: 'B?', waitingCall: { key: 's/1/2', name: 'confirm' } });
  expect(first.called).toStrictEqual(['charge A']);
  const { runId } = suspended;
  const second = agentOf('', await openSession('s', { store }), storage);
  second.model.doGenerate = scriptedModel('code', [{ text: 'Done.' }]).doGenerate;
  const again = await second.agent.resumeGenerate({ reply: 'yes' }, { runId });
  expect(asked(again)).toStrictEqual({ question: 'NOTHING?', waitingCall: { key: 's/1/4', name: 'confirm' } });
  const ended = await second.agent.resumeGenerate({ reply: 'no' }, { runId });
  expect([ended.text, outputOf(ended)]).toStrictEqual(['Done.', 'yes,no']);
  expect(second.called).toStrictEqual(['B? yes', 'charge C', 'NOTHING? no']);
});

test('a workflow is suspended, too', async () => {
  const { called, tools } = makeTools();
  const tool = createCodeTool({ tools, executor: await openSession('s') });
  const step = createStep({
    id: 'code',
    inputSchema: z.object({ code: z.string() }),
    outputSchema: z.any(),
    execute: ({ inputData, suspend, resumeData, suspendData: suspendPayload }) =>
      tool.execute(inputData, { workflow: { suspend, resumeData, suspendPayload } }),
  });
  const workflow = createWorkflow({ id: 'flow', inputSchema: z.object({ code: z.string() }), outputSchema: z.any() })
    .then(step)
    .commit();
  new Mastra({ workflows: { flow: workflow }, storage: new InMemoryStore(), logger: false });
  const run = await workflow.createRun();
  const code = 'await charge({ of: "a" }); await confirm({ of: "b" })';
  const { status, suspended } = await run.start({ inputData: { code } });
  expect([status, called]).toStrictEqual(['suspended', ['charge A']]);
  const ended = await run.resume({ step: suspended[0], resumeData: { reply: 'yes' } });
  expect(ended).toMatchObject({ status: 'success', result: { output: 'yes' } });
  expect(called).toStrictEqual(['charge A', 'B? yes']);
});

test('calls that wait at the same time are asked one after the other, each with its own answer', async () => {
  const { call, called, payloads } = toolOf(await openSession('s'));
  const code = '(await Promise.all([confirm({ of: "1" }), ask({ of: "2" }), twice({})])).join()';
  const resume = (resumeData) => call(code, { resumeData, suspendPayload: payloads.at(-1) });
  expect(await call(code)).toBeUndefined();
  await resume({ reply: 'one' });
  await resume('two');
  await resume({ reply: 'more' });
  expect(payloads.map(({ waitingCall: _, ...payload }) => payload)).toStrictEqual([
    { question: '1?' },
    { ask: '2' },
    { payload: 'first?' },
    { payload: 'second?' },
  ]);
  expect(await resume({ reply: 'three' })).toMatchObject({ output: 'one,two,three' });
  expect(called).toStrictEqual(['1? one']);
});

test('a tool with requireApproval suspends, and { approved } decides about it', async () => {
  const code = '[await pay({ of: "a" }), await pay({ of: "b" }).catch(({ message }) => message)].join()';
  const { call, called, payloads } = toolOf(await openSession('s'));
  await call(code);
  const { plan, ...payload } = payloads[0];
  expect(plan.tools.map(({ name, times }) => [name, times])).toStrictEqual([['pay', { atMost: 2 }]]);
  expect(payload).toStrictEqual({ needsApproval: 'pay', waitingCall: { key: 's/1/1', name: 'pay' } });
  await call(code, { resumeData: { approved: true }, suspendPayload: payloads[0] });
  const ended = await call(code, { resumeData: { approved: false }, suspendPayload: payloads[1] });
  expect(ended.output).toBe('A,a person has refused this call');
  expect(called).toStrictEqual(['pay A']);
});

test('data for a call that has been answered already changes nothing', async () => {
  const session = await openSession('s');
  const { call, called, payloads } = toolOf(session);
  const code = 'await confirm({ of: "1" }) + (await ask({ of: "2" }))';
  await call(code);
  await session.answer({ 's/1/1': { result: 'host ' } });
  const late = { resumeData: { reply: 'late' }, suspendPayload: payloads[0] };
  expect(await call(code, late)).toBeUndefined();
  expect(payloads.at(-1)).toStrictEqual({ ask: '2', waitingCall: { key: 's/1/2', name: 'ask' } });
  await session.answer({ 's/1/2': { result: 'end' } });
  expect(called).toStrictEqual([]);
});

test('a program that has ended does not start again, even if it is resumed twice at the same time', async () => {
  const { call, called, payloads } = toolOf(await openSession('s'));
  const code = 'await charge({ of: "a" }); await confirm({ of: "b" })';
  await call(code);
  const resume = () => call(code, { resumeData: { reply: 'yes' }, suspendPayload: payloads[0] });
  const [first, second] = await Promise.all([resume(), resume()]);
  expect(first.output).toBe('yes');
  for (const { failure } of [second, await resume()]) {
    expect(failure).toMatchObject({
      code: 'ERR_INVALID_STATE',
      hint: expect.stringContaining('is no longer waiting'),
    });
  }
  expect(called).toStrictEqual(['charge A', 'B? yes']);
});

test('data for a step that had suspended itself does not reach the program', async () => {
  const { call, called } = toolOf(await openSession('s'));
  const { output } = await call('charge({ of: "a" })', { resumeData: 'yes', suspendPayload: { own: true } });
  expect([output, called]).toStrictEqual(['A', ['charge A']]);
});

test('a payload that the schema of the tool refuses is a failure of the call', async () => {
  const { call, payloads } = toolOf(await openSession('s'));
  const { failure } = await call('await invalid({})');
  expect(failure.message).toContain('Tool suspension data validation failed for invalid');
  expect(payloads).toStrictEqual([]);
});

test('outside of agents and workflows, the output says what the program waits for', async () => {
  const { tools } = makeTools();
  const tool = createCodeTool({ tools, executor: await openSession('s') });
  const { output } = await tool.execute({ code: 'await ask({ of: "1" })' }, {});
  expect(output).toContain('It waits for the answer to:\n- ask({"of":"1"}): {"ask":"1"}\n');
});
