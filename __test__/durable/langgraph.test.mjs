// Programs of a durable session in a graph of LangGraph: an interrupt pauses the program, and no call is made twice.

import { tool as langchainTool } from '@langchain/core/tools';
import { Annotation, Command, MemorySaver, START, StateGraph, interrupt } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { createCodeTool } from 'ses-executor/langchain';
import { openSession } from './helpers.mjs';

const THREAD = { configurable: { thread_id: '1' } };

/** A graph whose node runs a program, and the calls of its tools. */
function graphOf(code, executor, checkpointer = new MemorySaver(), before = () => {}) {
  const called = [];
  const make = (name, run) =>
    langchainTool(run, { name, description: name, schema: z.object({ of: z.string().optional() }) });
  const tools = [
    make('charge', ({ of = '' }) => (called.push(`charge ${of}`), of)),
    make('confirm', ({ of }) => {
      const reply = interrupt({ confirm: of });
      called.push(`confirmed ${of} ${reply}`);
      return reply;
    }),
    make('twice', () => [interrupt('first?'), interrupt('second?')].join()),
    make('ask', ({ of }) => waitForAnswer({ ask: of })),
  ];
  const tool = createCodeTool({ tools, executor });
  const graph = new StateGraph(Annotation.Root({ answer: Annotation() }))
    .addNode('code', async (_, config) => {
      before();
      return { answer: await tool.invoke({ code }, config) };
    })
    .addEdge(START, 'code')
    .compile({ checkpointer });
  return { called, graph };
}

const payloads = ({ __interrupt__: interrupts }) => interrupts.map(({ value }) => value);
const resume = (graph, value) => graph.invoke(new Command({ resume: value }), THREAD);

test('an interrupt pauses the program, and the answer continues it in another process without a second charge', async () => {
  const store = memoryStore();
  const checkpointer = new MemorySaver();
  const code = 'await charge({ of: "a" }); const reply = await confirm({ of: "b" }); await charge({ of: "c" }); reply';
  const first = graphOf(code, await openSession('s', { store }), checkpointer);
  expect(payloads(await first.graph.invoke({}, THREAD))).toStrictEqual([{ confirm: 'b' }]);
  expect(first.called).toStrictEqual(['charge a']);
  const session = await openSession('s', { store });
  expect(session.waiting[0].payload).toStrictEqual({ confirm: 'b' });
  const second = graphOf(code, session, checkpointer);
  expect(await resume(second.graph, 'yes')).toStrictEqual({ answer: 'yes' });
  expect(second.called).toStrictEqual(['confirmed b yes', 'charge c']);
});

test('each of several interrupts gets its own answer', async () => {
  const code = `await charge({ of: "a" });
const replies = [await confirm({ of: "1" })];
replies.push(await twice({}), await ask({ of: "4" }), await confirm({ of: "5" }));
replies.join()`;
  const { graph, called } = graphOf(code, await openSession('s'));
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual([{ confirm: '1' }]);
  expect(payloads(await resume(graph, 'one'))).toStrictEqual(['first?']);
  expect(payloads(await resume(graph, 'two'))).toStrictEqual(['second?']);
  expect(payloads(await resume(graph, 'three'))).toStrictEqual([{ ask: '4' }]);
  expect(payloads(await resume(graph, 'four'))).toStrictEqual([{ confirm: '5' }]);
  expect(await resume(graph, 'five')).toStrictEqual({ answer: 'one,two,three,four,five' });
  expect(called).toStrictEqual(['charge a', 'confirmed 1 one', 'confirmed 5 five']);
});

test('calls that wait at the same time are asked one after the other', async () => {
  const code = '(await Promise.all([confirm({ of: "1" }), ask({ of: "2" }), confirm({ of: "3" })])).join()';
  const { graph, called } = graphOf(code, await openSession('s'));
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual([{ confirm: '1' }]);
  expect(payloads(await resume(graph, 'one'))).toStrictEqual([{ ask: '2' }]);
  expect(payloads(await resume(graph, 'two'))).toStrictEqual([{ confirm: '3' }]);
  expect(await resume(graph, 'three')).toStrictEqual({ answer: 'one,two,three' });
  expect(called).toStrictEqual(['confirmed 1 one', 'confirmed 3 three']);
});

test('an interrupt of the node before the program keeps its own answer', async () => {
  const { graph, called } = graphOf('await confirm({ of: "1" })', await openSession('s'), undefined, () => {
    interrupt('start?');
  });
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['start?']);
  expect(payloads(await resume(graph, 'start'))).toStrictEqual([{ confirm: '1' }]);
  expect(await resume(graph, 'one')).toStrictEqual({ answer: 'one' });
  expect(called).toStrictEqual(['confirmed 1 one']);
});

test('an answer to the waiting call can be an approval or an error', async () => {
  const policy = { onToolCall: ({ name, args }) => (name === 'charge' ? { wait: args[0] } : undefined) };
  const code = '[await charge({ of: "a" }), await charge({ of: "b" }).catch(({ message }) => message)].join()';
  const { graph, called } = graphOf(code, await openSession('s', { executor: policy }));
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual([{ of: 'a' }]);
  expect(payloads(await resume(graph, { approve: true }))).toStrictEqual([{ of: 'b' }]);
  expect(await resume(graph, { error: { message: 'too much' } })).toStrictEqual({ answer: 'a,too much' });
  expect(called).toStrictEqual(['charge a']);
});

test('outside of a graph, the text says what the program waits for', async () => {
  const tool = createCodeTool({
    tools: { ask: { execute: async () => waitForAnswer('Sure?') } },
    executor: await openSession('s'),
  });
  expect(await tool.invoke({ code: 'await ask({})' })).toBe(`The program has not ended. It waits for the answer to:
- ask({}): "Sure?"
When the answer is there, send the same code again: the program continues after this call. Do not send other code before.`);
});
