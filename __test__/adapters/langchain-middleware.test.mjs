// `createCodeMiddleware` of `ses-executor/langchain` in the agents of `langchain` and `deepagents`, with a model whose
// turns are written down.

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { Command, MemorySaver, interrupt } from '@langchain/langgraph';
import { createDeepAgent } from 'deepagents';
import { createAgent } from 'langchain';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';

import { SESExecutor } from '../../index.mjs';
import { DurableSession, memoryStore } from 'ses-executor/durable';
import { checkpointStore, createCodeMiddleware } from 'ses-executor/langchain';

import { all } from '../durable/helpers.mjs';
import { deferred, rejection } from '../helpers.mjs';

const made = [];
afterEach(() => Promise.all(made.splice(0).map((middleware) => middleware.cleanup())));

/** A model that plays turns: programs, calls of other tools, or a last answer. */
class ScriptedModel extends BaseChatModel {
  constructor(turns) {
    super({});
    this.turns = turns;
  }

  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const turn = this.turns.shift();
    const callOf = ({ name = 'run_javascript', args = {}, code }, at) => ({
      id: `call-${this.turns.length}-${at}`,
      name,
      args: code === undefined ? args : { code },
    });
    const message = new AIMessage(
      typeof turn === 'string' ? { content: turn } : { content: '', tool_calls: [turn].flat().map(callOf) },
    );
    return { generations: [{ text: message.text, message }] };
  }
}

const increment = langchainTool(({ n }) => n + 1, {
  name: 'increment',
  description: 'Adds 1.',
  schema: z.object({ n: z.number() }),
});

function makeMiddleware(options = {}) {
  const middleware = createCodeMiddleware({ tools: [increment], ...options });
  made.push(middleware);
  return middleware;
}

const inThread = (thread_id) => ({ configurable: { thread_id } });
const say = { messages: [{ role: 'user', content: 'Go' }] };
const results = ({ messages }) => messages.filter(({ type }) => type === 'tool').map(({ content }) => content);
const COUNT = { code: 'globalThis.n = await increment({ n: globalThis.n ?? 0 }); n' };

test.each([
  ['thread', ['1', '2', '3']],
  ['turn', ['1', '2', '1']],
  ['call', ['1', '1', '1']],
])('deepagents: variables live for a %s', async (state, expected) => {
  const middleware = makeMiddleware({ state });
  const model = new ScriptedModel([COUNT, COUNT, 'Done.', COUNT, 'Done.', COUNT, 'Done.']);
  const agent = createDeepAgent({ model, middleware: [middleware], checkpointer: new MemorySaver() });
  await agent.invoke(say, inThread('a'));
  expect(results(await agent.invoke(say, inThread('a')))).toStrictEqual(expected);
  expect(results(await agent.invoke(say, inThread('b')))).toStrictEqual(['1']);
});

test('without a thread, variables live for a turn', async () => {
  const ended = [];
  const model = new ScriptedModel([COUNT, COUNT, 'Done.', COUNT, 'Done.']);
  const agent = createAgent({ model, middleware: [makeMiddleware({ onEnd: (id) => ended.push(id) })] });
  const first = await agent.invoke(say);
  expect(results(first)).toStrictEqual(['1', '2']);
  expect(Object.keys(first)).toStrictEqual(['messages']);
  expect(results(await agent.invoke(say))).toStrictEqual(['1']);
  expect(new Set(ended).size).toBe(2);
});

test('without a thread, calls of different agents with the same id have their own sessions', async () => {
  const [started, goOn] = [deferred(), deferred()];
  const wait = langchainTool(async () => (started.resolve(), await goOn.promise, 'waited'), {
    name: 'wait',
    description: 'Waits.',
    schema: z.object({}),
  });
  const middleware = makeMiddleware({ tools: [wait], state: 'call' });
  const agentOf = (code) => createAgent({ model: new ScriptedModel([{ code }, 'Done.']), middleware: [middleware] });
  const first = agentOf('globalThis.n = 1; await wait({})').invoke(say);
  await started.promise;
  expect(results(await agentOf('typeof n').invoke(say))).toStrictEqual(['undefined']);
  goOn.resolve();
  expect(results(await first)).toStrictEqual(['waited']);
});

test('deepagents: a subagent with the same middleware shares the session of the thread, and has its own turns', async () => {
  const task = { name: 'task', args: { description: 'Count', subagent_type: 'counter' } };
  for (const [state, expected] of [
    ['thread', ['1', '2', '3']],
    ['turn', ['1', '1', '2']],
  ]) {
    const middleware = makeMiddleware({ state });
    const counted = [];
    const watched = { ...middleware, wrapToolCall: watch(middleware.wrapToolCall, counted) };
    const model = new ScriptedModel([COUNT, task, COUNT, 'Counted.', COUNT, 'Done.']);
    const counter = { name: 'counter', description: 'Counts.', systemPrompt: '', middleware: [watched] };
    const agent = createDeepAgent({
      model,
      middleware: [watched],
      subagents: [counter],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke(say, inThread('a'));
    expect(counted).toStrictEqual(expected);
  }
});

/** Notes the results of programs. */
function watch(wrapToolCall, noted) {
  return async (request, handler) => {
    const result = await wrapToolCall(request, handler);
    if (request.toolCall.name === 'run_javascript') noted.push(result.content);
    return result;
  };
}

test('an interrupt pauses the program of a durable session, which continues in another process', async () => {
  const store = memoryStore();
  const checkpointer = new MemorySaver();
  const called = [];
  const charge = langchainTool(() => called.push('charge'), { name: 'charge', description: '', schema: z.object({}) });
  const confirm = langchainTool(() => interrupt('Sure?'), { name: 'confirm', description: '', schema: z.object({}) });
  const program = { code: 'await charge({}); await confirm({})' };
  for (const state of ['thread', 'turn', 'call']) {
    const ids = [];
    const ended = [];
    const inProcess = (turns) => {
      const open = (id) => (ids.push(id), DurableSession.open(id, { store }));
      const middleware = makeMiddleware({ state, open, onEnd: (id) => ended.push(id), tools: [charge, confirm] });
      return createDeepAgent({ model: new ScriptedModel(turns), middleware: [middleware], checkpointer });
    };
    const { __interrupt__: interrupts } = await inProcess([program]).invoke(say, inThread(state));
    expect(interrupts.map(({ value }) => value)).toStrictEqual(['Sure?']);
    const answered = await inProcess(['Done.']).invoke(new Command({ resume: 'yes' }), inThread(state));
    expect(results(answered)).toStrictEqual(['yes']);
    expect(called.splice(0)).toStrictEqual(['charge']);
    expect(ids).toStrictEqual([ids[0], ids[0]]);
    expect(ids[0].split('.')[0]).toBe(state);
    expect(ended).toStrictEqual(state === 'thread' ? [] : [ids[0]]);
  }
});

test.each([
  ['thread', 'a thread'],
  ['thread', 'ü'.repeat(100)],
  ['turn', 'b'],
  ['call', 'c'.repeat(80)],
])('with checkpointer, the sessions of a %s are in it, and end with their state: %s', async (state, thread) => {
  const checkpointer = new MemorySaver();
  const called = [];
  const ended = [];
  const charge = langchainTool(() => called.push('charge'), { name: 'charge', description: '', schema: z.object({}) });
  const confirm = langchainTool(() => interrupt('Sure?'), { name: 'confirm', description: '', schema: z.object({}) });
  const program = { code: 'globalThis.n = 1; await charge({}); await confirm({})' };
  const inProcess = (turns) => {
    const options = { state, checkpointer, keys: { sign: 'a key' }, timeoutMs: 20_000, onEnd: (id) => ended.push(id) };
    const middleware = makeMiddleware({ ...options, tools: [charge, confirm] });
    return createDeepAgent({ model: new ScriptedModel(turns), middleware: [middleware], checkpointer });
  };
  const journals = async () => (await all(checkpointStore(checkpointer).list())).length;
  const { __interrupt__: interrupts } = await inProcess([program]).invoke(say, inThread(thread));
  expect(interrupts.map(({ value }) => value)).toStrictEqual(['Sure?']);
  expect([await journals(), ended]).toStrictEqual([1, []]);
  const turns = [{ code: 'globalThis.n' }, 'Done.'];
  const answered = await inProcess(turns).invoke(new Command({ resume: 'yes' }), inThread(thread));
  expect(results(answered)).toStrictEqual(['yes', state === 'call' ? 'The program has no value.' : '1']);
  expect(called).toStrictEqual(['charge']);
  expect([await journals(), new Set(ended).size]).toStrictEqual(
    state === 'thread' ? [1, 0] : [0, state === 'turn' ? 1 : 2],
  );
});

test('of programs that a model sends at the same time, one waits, and the model can send the others again', async () => {
  const checkpointer = new MemorySaver();
  const called = [];
  const make = (name, run) => langchainTool(run, { name, description: '', schema: z.object({}) });
  const tools = [make('charge', () => called.push('charge')), make('confirm', () => interrupt('Sure?'))];
  const [waits, charges] = [{ code: 'await charge({}); await confirm({})' }, { code: 'await charge({})' }];
  const middleware = makeMiddleware({ checkpointer, keys: { sign: 'a key' }, tools });
  const agent = createAgent({
    model: new ScriptedModel([[waits, charges], charges, 'Done.']),
    middleware: [middleware],
    checkpointer,
  });
  const { __interrupt__: interrupts } = await agent.invoke(say, inThread('a'));
  expect(interrupts.map(({ value }) => value)).toStrictEqual(['Sure?']);
  const [answered, refused, again] = results(await agent.invoke(new Command({ resume: 'yes' }), inThread('a')));
  expect([answered, again]).toStrictEqual(['yes', '2']);
  expect(refused).toMatch(/^ERR_RUN_WAITING[^]*This code has not run\. An earlier program has not ended\./);
  expect(called).toStrictEqual(['charge', 'charge']);
});

test('a durable session is released after each turn', async () => {
  const sessions = [];
  const store = memoryStore();
  const open = async (id) => {
    sessions.push(await DurableSession.open(id, { store }));
    return sessions.at(-1);
  };
  const model = new ScriptedModel([COUNT, 'Done.', COUNT, 'Done.']);
  const agent = createAgent({ model, middleware: [makeMiddleware({ open })], checkpointer: new MemorySaver() });
  await agent.invoke(say, inThread('a'));
  expect(sessions.map(({ state }) => state)).toStrictEqual(['DEAD']);
  expect(results(await agent.invoke(say, inThread('a')))).toStrictEqual(['1', '2']);
  expect(sessions.map(({ state }) => state)).toStrictEqual(['DEAD', 'DEAD']);
});

test('above maxSessions, the session that was not used for the longest time is cleaned up', async () => {
  const executors = new Map();
  const open = (id) => {
    executors.set(id, new SESExecutor());
    return executors.get(id);
  };
  const middleware = makeMiddleware({ open, maxSessions: 2 });
  const turns = Array.from({ length: 4 }, () => [COUNT, 'Done.']).flat();
  const agent = createAgent({
    model: new ScriptedModel(turns),
    middleware: [middleware],
    checkpointer: new MemorySaver(),
  });
  for (const thread of ['a', 'b', 'a', 'c']) await agent.invoke(say, inThread(thread));
  expect([...executors].map(([id, { state }]) => [id, state])).toStrictEqual([
    ['a', 'READY'],
    ['b', 'DEAD'],
    ['c', 'READY'],
  ]);
  await middleware.cleanup();
  expect([...executors.values()].map(({ state }) => state)).toStrictEqual(['DEAD', 'DEAD', 'DEAD']);
});

test('programs that a model sends at the same time share the session', async () => {
  const model = new ScriptedModel([[COUNT, COUNT, COUNT], 'Done.']);
  const agent = createAgent({ model, middleware: [makeMiddleware({ state: 'turn' })] });
  expect(results(await agent.invoke(say))).toStrictEqual(['1', '2', '3']);
});

test('input without code is a message for the model, and failing code, too', async () => {
  const model = new ScriptedModel([{ args: { script: '1' } }, { code: 'null.x' }, 'Done.']);
  const agent = createAgent({ model, middleware: [makeMiddleware()] });
  const [wrongInput, failed] = results(await agent.invoke(say));
  expect(wrongInput).toContain('code');
  expect(failed).toContain('ERR_RUNTIME_EXCEPTION');
});

test('an executor that cannot be opened ends the agent, and the next call opens it again', async () => {
  let isDown = true;
  const open = () => {
    if (isDown) throw new Error('the database is down');
    return new SESExecutor();
  };
  const model = new ScriptedModel([COUNT, COUNT, 'Done.']);
  const agent = createAgent({ model, middleware: [makeMiddleware({ open })], checkpointer: new MemorySaver() });
  expect((await rejection(agent.invoke(say, inThread('a')))).message).toContain('the database is down');
  isDown = false;
  expect(results(await agent.invoke(say, inThread('b')))).toStrictEqual(['1']);
});

test.each([
  [{ state: 'day' }, 'options.state must be "thread", "turn" or "call", got "day"'],
  [{ executor: new SESExecutor() }, 'options.executor is not an option; use options.open'],
  [{ open: 1 }, 'options.open must be a function, got 1'],
  [{ maxSessions: 0 }, 'options.maxSessions must be an integer >= 1, got 0'],
  [{ timeout: 1 }, 'options.timeout is not an option; did you mean options.timeoutMs?'],
  [{ maxLogBytes: 1 }, 'options.maxLogBytes must be an integer >= 1024, got 1'],
  [{ language: 'python' }, 'Python needs options.open, which returns a PyodideExecutor'],
  [{ open: () => {}, timeoutMs: 1 }, 'options.timeoutMs is an option of executors'],
  [{ checkpointer: {}, keys: { sign: 'a' } }, 'checkpointer must be a checkpointer of LangGraph, got an object'],
  [{ checkpointer: new MemorySaver() }, 'options.keys is required'],
  [{ keys: { sign: 'a' } }, 'options.keys needs options.checkpointer'],
  [{ checkpointer: new MemorySaver(), open: () => {} }, 'options.checkpointer cannot be combined with options.open'],
  [{ checkpointer: new MemorySaver(), keys: { sign: 'a' }, keepState: true }, 'keepState cannot be combined'],
])('options are refused: %j', (options, message) => {
  expect(() => createCodeMiddleware({ tools: [], ...options })).toThrow(message);
});
