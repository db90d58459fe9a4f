// Nodes of LangGraph that run several programs in one durable session. LangGraph runs a node again from its start, with
// the answers, so a program that has ended must not run again.

import { AIMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { Annotation, Command, MemorySaver, START, StateGraph, interrupt } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { checkpointStore, createCodeTool } from 'ses-executor/langchain';
import { deferred, rejection } from '../helpers.mjs';
import { KEYS, all, openSession, storeOf } from './helpers.mjs';

const THREAD = { configurable: { thread_id: '1' } };
const State = Annotation.Root({ answer: Annotation() });

/** Tools that note their calls, and the calls. The first calls of `flaky` fail. */
function noting(failures = 0) {
  const called = [];
  const make = (name, run) => langchainTool(run, { name, description: name, schema: z.object({ of: z.string() }) });
  const tools = [
    make('charge', ({ of }) => (called.push(of), of)),
    make('flaky', ({ of }) => {
      called.push(`flaky ${of}`);
      if (failures-- > 0) throw new Error('down');
      return of;
    }),
    make('confirm', ({ of }) => interrupt(of)),
    make('ask', ({ of }) => waitForAnswer(of)),
  ];
  return { called, tools };
}

/** A graph with one node, which runs programs by `run(code)`. */
function graphOf(body, executor, { checkpointer = new MemorySaver(), retryPolicy, failures, more = [] } = {}) {
  const { called, tools } = noting(failures);
  const tool = createCodeTool({ tools: [...tools, ...more], executor });
  const graph = new StateGraph(State)
    .addNode('code', async (_, config) => ({ answer: await body((code) => tool.invoke({ code }, config)) }), {
      retryPolicy,
    })
    .addEdge(START, 'code')
    .compile({ checkpointer });
  return { called, graph };
}

const payloads = ({ __interrupt__: interrupts }) => interrupts.map(({ value }) => value);
const resume = (graph, value) => graph.invoke(new Command({ resume: value }), THREAD);
const charge = (of) => `await charge({ of: ${JSON.stringify(of)} })`;
const confirm = (of) => `${charge(`before ${of}`)}; await confirm({ of: ${JSON.stringify(of)} })`;
const IMMEDIATELY = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };

// The rerun of the node sent the first program while the second one waited: it failed with ERR_RUN_WAITING.
test('the second program of a node waits, and the first one is not repeated', async () => {
  const { graph, called } = graphOf(
    async (run) => [await run(charge('a')), await run(confirm('b')), await run(charge('c'))].join(),
    await openSession('s'),
  );
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['b']);
  expect(await resume(graph, 'yes')).toStrictEqual({ answer: 'a,yes,c' });
  expect(called).toStrictEqual(['a', 'before b', 'c']);
});

test('both programs of a node wait, one after the other, and each gets its own answers', async () => {
  const twice = `${confirm('a')} + await ask({ of: 'b' })`;
  const { graph, called } = graphOf(
    async (run) => [await run(twice), await run(confirm('c'))].join(),
    await openSession('s'),
  );
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['a']);
  expect(payloads(await resume(graph, 'one'))).toStrictEqual(['b']);
  expect(payloads(await resume(graph, ' two'))).toStrictEqual(['c']);
  expect(await resume(graph, 'three')).toStrictEqual({ answer: 'one two,three' });
  expect(called).toStrictEqual(['before a', 'before c']);
});

test('interrupts of the node between its programs keep their own answers', async () => {
  const { graph, called } = graphOf(
    async (run) => [await run(confirm('a')), interrupt('node'), await run(confirm('b')), interrupt('end')].join(),
    await openSession('s'),
  );
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['a']);
  expect(payloads(await resume(graph, '1'))).toStrictEqual(['node']);
  expect(payloads(await resume(graph, '2'))).toStrictEqual(['b']);
  expect(payloads(await resume(graph, '3'))).toStrictEqual(['end']);
  expect(await resume(graph, '4')).toStrictEqual({ answer: '1,2,3,4' });
  expect(called).toStrictEqual(['before a', 'before b']);
});

test('the same code twice in a node is two programs', async () => {
  const { graph, called } = graphOf(
    async (run) => [await run(confirm('a')), await run(confirm('a'))].join(),
    await openSession('s'),
  );
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['a']);
  expect(payloads(await resume(graph, 'one'))).toStrictEqual(['a']);
  expect(await resume(graph, 'two')).toStrictEqual({ answer: 'one,two' });
  expect(called).toStrictEqual(['before a', 'before a']);
});

test('a session that is opened for each program of a node knows the programs before', async () => {
  const store = memoryStore();
  let last;
  const open = async () => {
    await last?.cleanup();
    return (last = await openSession('s', { store }));
  };
  const { graph, called } = graphOf(
    async (run) => [await run(charge('a')), await run(charge('a')), await run(confirm('b'))].join(),
    open,
  );
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['b']);
  expect(await resume(graph, 'yes')).toStrictEqual({ answer: 'a,a,yes' });
  expect(called).toStrictEqual(['a', 'a', 'before b']);
});

test('programs that a node runs at the same time take turns, and each is run once', async () => {
  const { graph, called } = graphOf(
    async (run) => (await Promise.all([run(confirm('a')), run(charge('b')), run(confirm('a'))])).join(),
    await openSession('s'),
  );
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['a']);
  expect(payloads(await resume(graph, 'one'))).toStrictEqual(['a']);
  expect(await resume(graph, 'two')).toStrictEqual({ answer: 'one,b,two' });
  expect(called).toStrictEqual(['before a', 'b', 'before a']);
});

test('a loop of many programs in a node runs each of them once, with the variables of those before', async () => {
  const { graph, called } = graphOf(
    async (run) => {
      let answer;
      for (let at = 0; at < 12; at++) {
        const question = at % 4 === 3 ? confirm(`${at}`) : charge(`${at}`);
        answer = await run(`globalThis.sum = (globalThis.sum ?? '') + (${question.replace(/; /, ', ')}); sum`);
      }
      return answer;
    },
    await openSession('s'),
  );
  let state = await graph.invoke({}, THREAD);
  for (const at of ['3', '7', '11']) {
    expect(payloads(state)).toStrictEqual([at]);
    state = await resume(graph, `[${at}]`);
  }
  expect(state).toStrictEqual({ answer: '012[3]456[7]8910[11]' });
  expect(called.map((name) => name.replace('before ', ''))).toStrictEqual(
    Array.from({ length: 12 }, (_, at) => `${at}`),
  );
});

test('in another process, with the sessions in the checkpointer, ended programs give their outputs, logs and images', async () => {
  const checkpointer = new MemorySaver();
  const image = 'new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 0])';
  const shows = `${charge('a')}; console.log('logged'); display(${image}); ({ is: [1n, undefined, 'text'] })`;
  const outcomes = [];
  const inProcess = async () => {
    const session = await openSession('s', { store: checkpointStore(checkpointer), keys: KEYS });
    const made = graphOf(
      async (run) => {
        outcomes.push(await run(shows));
        return run(confirm('b'));
      },
      session,
      { checkpointer },
    );
    return { ...made, session };
  };
  const first = await inProcess();
  expect(payloads(await first.graph.invoke({}, THREAD))).toStrictEqual(['b']);
  await first.session.cleanup();
  const second = await inProcess();
  expect(await resume(second.graph, 'yes')).toStrictEqual({ answer: 'yes' });
  expect([first.called, second.called]).toStrictEqual([['a', 'before b'], []]);
  expect(outcomes[1]).toStrictEqual(outcomes[0]);
  expect(outcomes[0].map(({ type }) => type)).toStrictEqual(['text', 'image_url']);
  expect(outcomes[0][0].text).toContain('logged');
});

test('a node that runs again after its process has ended repeats no program that has ended', async () => {
  const checkpointer = new MemorySaver();
  const store = memoryStore();
  let isDown = true;
  const inProcess = async () =>
    graphOf(
      async (run) => {
        const first = await run(charge('a'));
        if (isDown) throw new Error('the process ends');
        return first + (await run(charge('b')));
      },
      await openSession('s', { store }),
      { checkpointer },
    );
  const first = await inProcess();
  expect((await rejection(first.graph.invoke({}, THREAD))).message).toBe('the process ends');
  isDown = false;
  const second = await inProcess();
  expect(await second.graph.invoke(null, THREAD)).toStrictEqual({ answer: 'ab' });
  expect([first.called, second.called]).toStrictEqual([['a'], ['b']]);
});

test('a node whose process ends during its second program continues that program, and repeats no other', async () => {
  const checkpointer = new MemorySaver();
  const store = memoryStore();
  const started = deferred();
  const inProcess = async (store, run) => {
    const wait = langchainTool(run, { name: 'wait', description: '', schema: z.object({}) });
    const program = `${charge('b')}; await wait({})`;
    const body = async (runProgram) => [await runProgram(charge('a')), await runProgram(program)].join();
    const session = await openSession('s', { store, inDoubt: 'repeat' });
    return graphOf(body, session, { checkpointer, more: [wait] });
  };
  const first = await inProcess(store, () => new Promise(() => started.resolve()));
  first.graph.invoke({}, THREAD).catch(() => {});
  await started.promise;
  // What the session has stored when its process ends.
  const second = await inProcess(storeOf(await all(store.read('s'))), () => 'waited');
  expect(await second.graph.invoke(null, THREAD)).toStrictEqual({ answer: 'a,waited' });
  expect([first.called, second.called]).toStrictEqual([['a', 'b'], []]);
});

test('a program that failed before an interrupt fails again in the same way, without repeating its calls', async () => {
  const failures = [];
  const { graph, called } = graphOf(
    async (run) => {
      failures.push(await run(`${charge('a')}; console.log('near'); await flaky({ of: 'x' })`).catch((error) => error));
      const node = interrupt('node');
      return node + (await run(confirm('b')));
    },
    await openSession('s'),
    { failures: 1 },
  );
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['node']);
  expect(payloads(await resume(graph, 'one'))).toStrictEqual(['b']);
  expect(await resume(graph, 'two')).toStrictEqual({ answer: 'onetwo' });
  expect(called).toStrictEqual(['a', 'flaky x', 'before b']);
  expect(failures.map(({ failure }) => failure.code)).toStrictEqual(Array(3).fill('ERR_TOOL_PROXY_FAIL'));
  const shown = ({ message, failure, logs }) => ({ message, failure, logs });
  expect(failures.slice(1).map(shown)).toStrictEqual([shown(failures[0]), shown(failures[0])]);
});

test('a retry of the node runs programs that have failed again, and no others', async () => {
  const { graph, called } = graphOf(
    async (run) => {
      const first = await run(confirm('a'));
      const [second] = await Promise.all([run('await flaky({ of: "b" })'), run(charge('c'))]);
      return first + second;
    },
    await openSession('s'),
    { retryPolicy: IMMEDIATELY, failures: 2 },
  );
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['a']);
  expect(await resume(graph, 'yes')).toStrictEqual({ answer: 'yesb' });
  expect(called).toStrictEqual(['before a', 'flaky b', 'c', 'flaky b', 'flaky b']);
});

test('a program that fails runs again when its node is retried, and when the graph is invoked again', async () => {
  const { graph, called } = graphOf((run) => run('await flaky({ of: "a" })'), await openSession('s'), {
    retryPolicy: IMMEDIATELY,
    failures: 4,
  });
  expect((await rejection(graph.invoke({}, THREAD))).failure.code).toBe('ERR_TOOL_PROXY_FAIL');
  expect(called).toHaveLength(3);
  expect(await graph.invoke(null, THREAD)).toStrictEqual({ answer: 'a' });
  expect(called).toHaveLength(5);
});

test('a new invocation of the graph on the same thread runs the same programs again', async () => {
  const { graph, called } = graphOf(
    async (run) => [await run(charge('a')), await run(confirm('b'))].join(),
    await openSession('s'),
  );
  for (const reply of ['one', 'two']) {
    expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['b']);
    expect(await resume(graph, reply)).toStrictEqual({ answer: `a,${reply}` });
  }
  expect(called).toStrictEqual(['a', 'before b', 'a', 'before b']);
});

test('a graph that goes back to an earlier checkpoint runs the programs of its nodes again', async () => {
  const { graph, called } = graphOf((run) => run(charge('a')), await openSession('s'));
  await graph.invoke({}, THREAD);
  const states = await all(graph.getStateHistory(THREAD));
  const before = states.find(({ next }) => next.includes('code'));
  expect(await graph.invoke(null, before.config)).toStrictEqual({ answer: 'a' });
  expect(called).toStrictEqual(['a', 'a']);
});

test('other nodes of the graph, and other tasks of the same node, run their own programs', async () => {
  const { called, tools } = noting();
  const tool = createCodeTool({ tools, executor: await openSession('s') });
  const run = async (_, config) => ({ answer: [await tool.invoke({ code: charge('a') }, config)] });
  const Lists = Annotation.Root({
    answer: Annotation({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  });
  const graph = new StateGraph(Lists)
    .addNode('one', run)
    .addNode('two', run)
    .addNode('three', async (_, config) => ({
      answer: [await tool.invoke({ code: charge('a') }, config), await tool.invoke({ code: confirm('b') }, config)],
    }))
    .addEdge(START, 'one')
    .addEdge(START, 'two')
    .addEdge('one', 'three')
    .compile({ checkpointer: new MemorySaver() });
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['b']);
  expect(await resume(graph, 'yes')).toStrictEqual({ answer: ['a', 'a', 'a', 'yes'] });
  expect(called).toStrictEqual(['a', 'a', 'a', 'before b']);
});

test('a node in a subgraph, with two code tools on one session, repeats no program in another process', async () => {
  const checkpointer = new MemorySaver();
  const store = memoryStore();
  const called = [];
  const inProcess = async () => {
    const session = await openSession('s', { store });
    const made = [noting(), noting()];
    const [one, two] = made.map(({ tools }) => createCodeTool({ tools, executor: () => session }));
    const inner = new StateGraph(State)
      .addNode('code', async (_, config) => ({
        answer: [
          await one.invoke({ code: charge('a') }, config),
          await two.invoke({ code: charge('a') }, config),
          await two.invoke({ code: confirm('b') }, config),
        ].join(),
      }))
      .addEdge(START, 'code')
      .compile();
    const graph = new StateGraph(State).addNode('inner', inner).addEdge(START, 'inner').compile({ checkpointer });
    const invoke = async (input) => {
      const state = await graph.invoke(input, THREAD);
      called.push(...made.flatMap((it) => it.called));
      return state;
    };
    return invoke;
  };
  expect(payloads(await (await inProcess())({}))).toStrictEqual(['b']);
  expect(await (await inProcess())(new Command({ resume: 'yes' }))).toStrictEqual({ answer: 'a,a,yes' });
  expect(called).toStrictEqual(['a', 'a', 'before b']);
});

test('a tool node that runs two programs of a model at the same time repeats neither', async () => {
  const { called, tools } = noting();
  const tool = createCodeTool({ tools, executor: await openSession('s') });
  const Messages = Annotation.Root({
    messages: Annotation({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  });
  const callOf = (code, at) => ({ id: `call-${at}`, name: tool.name, args: { code } });
  const graph = new StateGraph(Messages)
    .addNode('tools', new ToolNode([tool]))
    .addEdge(START, 'tools')
    .compile({ checkpointer: new MemorySaver() });
  const said = new AIMessage({ content: '', tool_calls: [charge('a'), confirm('b')].map(callOf) });
  expect(payloads(await graph.invoke({ messages: [said] }, THREAD))).toStrictEqual(['b']);
  const { messages } = await resume(graph, 'yes');
  expect(messages.slice(1).map(({ content, status }) => [content, status])).toStrictEqual([
    ['a', 'success'],
    ['yes', 'success'],
  ]);
  expect(called).toStrictEqual(['a', 'before b']);
});

test('a program with the same code in a new invocation continues one that waits, and asks again', async () => {
  const twice = `${confirm('a')} + await ask({ of: 'b' })`;
  const { graph, called } = graphOf((run) => run(twice), await openSession('s'));
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['a']);
  expect(payloads(await resume(graph, 'one'))).toStrictEqual(['b']);
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['b']);
  expect(await resume(graph, ' two')).toStrictEqual({ answer: 'one two' });
  expect(called).toStrictEqual(['before a']);
});

test('a program whose code could not run is not mistaken for the next program of the session', async () => {
  const session = await openSession('s');
  const { graph, called } = graphOf(async (run) => {
    const failed = await run('const = 1').catch(({ failure }) => failure.code);
    return [failed, await run(charge('a')), await run(confirm('b'))].join();
  }, session);
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['b']);
  expect(await resume(graph, 'yes')).toStrictEqual({ answer: 'ERR_VALIDATION_FAILED,a,yes' });
  expect(called).toStrictEqual(['a', 'before b']);
});

test('a program that calls a tool with a program in another session runs that program in each call, and once', async () => {
  const { called, tools } = noting();
  const inner = createCodeTool({ tools, executor: await openSession('inner') });
  const sub = langchainTool(async (_, config) => inner.invoke({ code: confirm('a') }, config), {
    name: 'sub',
    description: '',
    schema: z.object({}),
  });
  const outer = createCodeTool({ tools: [sub], executor: await openSession('outer') });
  const code = '[await sub({}), await sub({})].join()';
  const graph = new StateGraph(State)
    .addNode('code', async (_, config) => ({ answer: await outer.invoke({ code }, config) }))
    .addEdge(START, 'code')
    .compile({ checkpointer: new MemorySaver() });
  expect(payloads(await graph.invoke({}, THREAD))).toStrictEqual(['a']);
  expect(payloads(await resume(graph, 'one'))).toStrictEqual(['a']);
  expect(await resume(graph, 'two')).toStrictEqual({ answer: 'one,two' });
  expect(called).toStrictEqual(['before a', 'before a']);
});
