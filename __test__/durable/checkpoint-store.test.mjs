// `checkpointStore` of `ses-executor/langchain`: journals in a checkpointer of LangGraph.

import { tool as langchainTool } from '@langchain/core/tools';
import { Annotation, Command, MemorySaver, START, StateGraph, interrupt } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { checkpointStore, createCodeTool } from 'ses-executor/langchain';

import { rejection } from '../helpers.mjs';
import { KEYS, all, openSession } from './helpers.mjs';

const bytes = (...texts) => texts.map((text) => new TextEncoder().encode(text));
const texts = async (store, id, from) =>
  (await all(store.read(id, from))).map((entry) => Buffer.from(entry).toString());

test('a session that does not exist has no entries', async () => {
  const store = checkpointStore(new MemorySaver());
  expect(await all(store.read('none'))).toStrictEqual([]);
  expect(await all(store.list())).toStrictEqual([]);
  await store.remove('none');
});

test('entries are read in order, from a number on, also through another store', async () => {
  const saver = new MemorySaver();
  const store = checkpointStore(saver);
  expect(await store.append('s', 0, bytes('a', 'b'))).toBe(2);
  expect(await store.append('s', 2, [])).toBe(2);
  expect(await store.append('s', 2, bytes('c'))).toBe(3);
  expect(await checkpointStore(saver).append('s', 3, bytes('d'))).toBe(4);
  expect(await store.append('s', 4, bytes('e'))).toBe(5);
  expect(await texts(store, 's')).toStrictEqual(['a', 'b', 'c', 'd', 'e']);
  expect(await texts(store, 's', 1)).toStrictEqual(['b', 'c', 'd', 'e']);
  expect(await texts(store, 's', 5)).toStrictEqual([]);
});

test('a journal of many entries has several checkpoints', async () => {
  const store = checkpointStore(new MemorySaver());
  const expected = [];
  for (let size = 1; expected.length < 500; size = (size % 9) + 1) {
    const added = Array.from({ length: expected.length === 100 ? 200 : size }, (_, at) => `${expected.length + at}`);
    await store.append('s', expected.length, bytes(...added));
    expected.push(...added);
  }
  expect(await texts(store, 's')).toStrictEqual(expected);
  expect(await texts(store, 's', 333)).toStrictEqual(expected.slice(333));
});

test.each([[], undefined, 'x'])(
  'a write of another program, with the entries %j, ends the journal',
  async (entries) => {
    const saver = new MemorySaver();
    const store = checkpointStore(saver);
    await store.append('s', 0, bytes('a', 'b'));
    const [[thread_id, namespaces]] = Object.entries(saver.storage);
    const [[checkpoint_ns, checkpoints]] = Object.entries(namespaces);
    const config = { configurable: { thread_id, checkpoint_ns, checkpoint_id: Object.keys(checkpoints)[0] } };
    await saver.putWrites(config, [['journal', { token: 'x', entries }]], '2');
    expect(await texts(checkpointStore(saver), 's')).toStrictEqual(['a', 'b']);
  },
);

test.each([0, 1, 3])('an append after %i of 2 entries is a conflict and adds nothing', async (after) => {
  const saver = new MemorySaver();
  await checkpointStore(saver).append('s', 0, bytes('a', 'b'));
  for (const store of [checkpointStore(saver), checkpointStore(saver)]) {
    const error = await rejection(store.append('s', after, bytes('c')));
    expect(error.code).toBe('ERR_JOURNAL_CONFLICT');
    expect(error.details).toMatchObject({ id: 's', expected: after, actual: 2 });
    expect(await texts(store, 's')).toStrictEqual(['a', 'b']);
  }
});

test('of hosts that append at the same time, one wins', async () => {
  const saver = new MemorySaver();
  for (let after = 0; after < 70; after++) {
    const hosts = ['x', 'y', 'z'].map((host) => checkpointStore(saver).append('s', after, bytes(`${host}${after}`)));
    const settled = await Promise.allSettled(hosts);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = settled.flatMap(({ reason }) => reason?.code ?? []);
    expect(codes).toStrictEqual(['ERR_JOURNAL_CONFLICT', 'ERR_JOURNAL_CONFLICT']);
    expect(await texts(checkpointStore(saver), 's')).toHaveLength(after + 1);
  }
});

test('ids with special characters are separate sessions, next to the threads of graphs', async () => {
  const saver = new MemorySaver();
  const store = checkpointStore(saver);
  const ids = ['a', 'a/b', 'a.b', 'a:b', 'a@b', '../a', 'A-b_c'];
  await saver.put({ configurable: { thread_id: 'a' } }, { v: 4, id: '1', channel_values: {} }, { source: 'input' }, {});
  for (const id of ids) await store.append(id, 0, bytes(id));
  for (const id of ids) expect(await texts(store, id)).toStrictEqual([id]);
  expect((await all(store.list())).map(({ id }) => id).sort()).toStrictEqual([...ids].sort());
});

test('a session that was removed is gone, and its id is free', async () => {
  const saver = new MemorySaver();
  const store = checkpointStore(saver);
  await store.append('s', 0, bytes('a'));
  await store.append('t', 0, bytes('b'));
  await store.remove('s');
  expect(await texts(store, 's')).toStrictEqual([]);
  expect(await all(store.list())).toStrictEqual([{ id: 't' }]);
  expect(await store.append('s', 0, bytes('c'))).toBe(1);
  await checkpointStore(saver).remove('s');
  expect((await rejection(store.append('s', 1, bytes('d')))).code).toBe('ERR_JOURNAL_CONFLICT');
});

test('a checkpointer that replaces first writes is refused', async () => {
  class LastWins extends MemorySaver {
    async putWrites(config, writes, taskId) {
      const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable;
      const written = this.writes[JSON.stringify([thread_id, checkpoint_ns, checkpoint_id])];
      if (written !== undefined) delete written[`${taskId},0`];
      return super.putWrites(config, writes, taskId);
    }
  }
  const store = checkpointStore(new LastWins());
  const { message } = await rejection(store.append('s', 0, bytes('a')));
  expect(message).toContain('needs a checkpointer that keeps the first write of a task');
  expect(await texts(store, 's')).toStrictEqual([]);
});

test('a value that is not a checkpointer is refused', () => {
  expect(() => checkpointStore({})).toThrow('checkpointer must be a checkpointer of LangGraph, got an object');
});

test('a graph and the sessions of its programs share a checkpointer, and no call is made twice in another process', async () => {
  const checkpointer = new MemorySaver();
  const called = [];
  const make = (name, run) => langchainTool(run, { name, description: name, schema: z.object({}) });
  const tools = [
    make('charge', () => called.push('charge')),
    make('confirm', () => interrupt('Sure?')),
    make('ship', () => called.push('ship')),
  ];
  const code = 'await charge({}); const reply = await confirm({}); await ship({}); reply';
  const inProcess = async () => {
    const executor = await openSession('order-7', { store: checkpointStore(checkpointer), keys: KEYS });
    const codeTool = createCodeTool({ tools, executor });
    return new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode('code', async (_, config) => ({ answer: await codeTool.invoke({ code }, config) }))
      .addEdge(START, 'code')
      .compile({ checkpointer });
  };
  const thread = { configurable: { thread_id: 'order-7' } };
  const { __interrupt__: interrupts } = await (await inProcess()).invoke({}, thread);
  expect(interrupts[0].value).toBe('Sure?');
  const graph = await inProcess();
  expect(await graph.invoke(new Command({ resume: 'yes' }), thread)).toStrictEqual({ answer: 'yes' });
  expect(called).toStrictEqual(['charge', 'ship']);
  expect((await graph.getState(thread)).values).toStrictEqual({ answer: 'yes' });
});
