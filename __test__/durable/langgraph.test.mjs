// Programs of a durable session in a graph of LangGraph: an interrupt pauses the program, and no call is made twice.

import { tool as langchainTool } from '@langchain/core/tools';
import { Annotation, Command, MemorySaver, START, StateGraph, interrupt } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { checkpointStore, createCodeTool } from 'ses-executor/langchain';
import { KEYS, openSession } from './helpers.mjs';

const THREAD = { configurable: { thread_id: '1' } };

/** A graph whose node runs a program, and the calls of its tools. Subgraphs have none: null. */
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
    .compile({ checkpointer: checkpointer ?? undefined });
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

/** A graph in which the node of {@link graphOf} is in a subgraph. */
const SUBGRAPHS = {
  'a node that is a subgraph': (inner) => inner,
  'a node that invokes a subgraph': (inner) => (_, config) => inner.invoke({}, config),
  'a subgraph in a subgraph': (inner) =>
    new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode('middle', inner)
      .addEdge(START, 'middle')
      .compile(),
};

test.each(Object.keys(SUBGRAPHS))(
  '%s interrupts the outer graph, and repeats no call in another process',
  async (kind) => {
    const checkpointer = new MemorySaver();
    const store = checkpointStore(checkpointer);
    const code = `await charge({ of: "a" });
const replies = [await confirm({ of: "1" })];
await charge({ of: "b" });
replies.push(await twice({}), await ask({ of: "4" }));
replies.join()`;
    let starts = 0;
    const called = [];
    const inProcess = async () => {
      const session = await openSession('s', { store, keys: KEYS });
      const made = graphOf(code, session, null);
      const graph = new StateGraph(Annotation.Root({ answer: Annotation(), before: Annotation() }))
        .addNode('first', () => ({ before: ++starts }))
        .addNode('inner', SUBGRAPHS[kind](made.graph))
        .addEdge(START, 'first')
        .addEdge('first', 'inner')
        .compile({ checkpointer });
      const invoke = async (input) => {
        const state = await graph.invoke(input, THREAD);
        called.push(...made.called.splice(0));
        return state;
      };
      return { invoke, session };
    };
    const steps = [
      [{}, { confirm: '1' }],
      [new Command({ resume: 'one' }), 'first?'],
      [new Command({ resume: 'two' }), 'second?'],
      [new Command({ resume: 'three' }), { ask: '4' }],
    ];
    for (const [input, asked] of steps) {
      const { invoke, session } = await inProcess();
      expect(payloads(await invoke(input))).toStrictEqual([asked]);
      await session.cleanup();
    }
    const { invoke } = await inProcess();
    expect((await invoke(new Command({ resume: 'four' }))).answer).toBe('one,two,three,four');
    expect([called, starts]).toStrictEqual([['charge a', 'confirmed 1 one', 'charge b'], 1]);
  },
);

test('a tool that invokes a graph with an interrupt pauses the program, and only this call is made again', async () => {
  const called = [];
  const approval = new StateGraph(Annotation.Root({ of: Annotation(), reply: Annotation() }))
    .addNode('prepare', ({ of }) => (called.push(`prepared ${of}`), {}))
    .addNode('confirm', ({ of }) => ({ reply: `${interrupt({ confirm: of })} ${interrupt({ sure: of })}` }))
    .addEdge(START, 'prepare')
    .addEdge('prepare', 'confirm')
    .compile();
  const make = (name, run) =>
    langchainTool(run, { name, description: name, schema: z.object({ of: z.string().optional() }) });
  const tools = [
    make('charge', ({ of }) => (called.push(`charge ${of}`), of)),
    make('approved', async ({ of }, config) => (await approval.invoke({ of }, config)).reply),
  ];
  const tool = createCodeTool({ tools, executor: await openSession('s') });
  const code =
    'await charge({ of: "a" }); const replies = [await approved({ of: "b" }), await approved({ of: "c" })]; replies.join()';
  const graph = new StateGraph(Annotation.Root({ answer: Annotation() }))
    .addNode('code', async (_, config) => ({ answer: await tool.invoke({ code }, config) }))
    .addEdge(START, 'code')
    .compile({ checkpointer: new MemorySaver() });
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual([{ confirm: 'b' }]);
  expect(payloads(await resume(graph, 'yes'))).toStrictEqual([{ sure: 'b' }]);
  expect(payloads(await resume(graph, 'quite'))).toStrictEqual([{ confirm: 'c' }]);
  expect(payloads(await resume(graph, 'no'))).toStrictEqual([{ sure: 'c' }]);
  expect(await resume(graph, 'very')).toStrictEqual({ answer: 'yes quite,no very' });
  // The graph has its own checkpoints in each call.
  expect(called).toStrictEqual(['charge a', 'prepared b', 'prepared c']);
});

test('outside of a graph, the text says what the program waits for', async () => {
  const tool = createCodeTool({
    tools: { ask: { execute: async () => waitForAnswer('Sure?') } },
    executor: await openSession('s'),
  });
  expect(await tool.invoke({ code: 'await ask({})' })).toBe(`The program has not ended. It waits for the answer to:
- ask({}): "Sure?"
When the answer has arrived, send the same code again: the program continues after this call. Do not send other code before that.`);
});

// The adapter dropped the mark of a tool, so that the call was made.
test('a tool with needsApproval interrupts the graph with the plan of the program', async () => {
  const called = [];
  const schema = z.object({ n: z.number() });
  const made = langchainTool(({ n }) => called.push(n), { name: 'remove', description: '', schema });
  const remove = Object.assign(made, { needsApproval: ({ n }) => n > 1 });
  const tool = createCodeTool({ tools: [remove], executor: await openSession('s') });
  const code = 'for (const n of [1, 2, 3]) await remove({ n })';
  const graph = new StateGraph(Annotation.Root({ answer: Annotation() }))
    .addNode('code', async (_, config) => ({ answer: await tool.invoke({ code }, config) }))
    .addEdge(START, 'code')
    .compile({ checkpointer: new MemorySaver() });
  const [{ needsApproval, plan }] = payloads(await graph.invoke({}, THREAD));
  expect([needsApproval, plan.tools.map(({ name }) => name)]).toStrictEqual(['remove', ['remove']]);
  expect(called).toStrictEqual([1]);
  await resume(graph, { approve: 'plan' });
  expect(called).toStrictEqual([1, 2, 3]);
});
