// Programs of durable sessions are checked before they begin. A refused program has never been in the journal.

import { createRequire } from 'node:module';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { NATIVE, sharedChecker, useTypeScript } from '../typecheck/helpers.mjs';
import { rejection } from '../helpers.mjs';
import { all, openSession } from './helpers.mjs';

const { defined } = createRequire(import.meta.url)('../../build/contract/tool-traits.js');

const CHECKED = { executor: { typecheck: 'error' } };

beforeAll(() => useTypeScript(NATIVE));
afterAll(() => sharedChecker().end());

/** A tool that takes one text by the name of the member. */
function asking(member, calls = []) {
  const inputSchema = { type: 'object', properties: { [member]: { type: 'string' } }, required: [member] };
  const ask = async (input) => {
    calls.push(input);
    return waitForAnswer();
  };
  return { tools: { ask: defined(ask, { description: '', inputSchema, outputSchema: {} }) }, calls };
}

const messagesOf = ({ details }) => details.diagnostics.map(({ message }) => message);
const runsIn = async (session) =>
  (await all(session.history())).filter(({ type }) => type === 'run').map(({ code }) => code);

test('a refused program calls no tool and leaves nothing in the journal', async () => {
  const store = memoryStore();
  const { tools, calls } = asking('question');
  const session = await openSession('s', { store, tools, ...CHECKED });
  await session.run('const kept = 1;');
  const before = (await all(session.history())).length;
  const error = await rejection(session.run('await ask({ questoin: "why?" })'));
  expect(error.code).toBe('ERR_VALIDATION_FAILED');
  expect(messagesOf(error)).toStrictEqual([expect.stringContaining("'questoin' does not exist")]);
  expect(session.state).toBe('READY');
  expect(calls).toStrictEqual([]);
  expect((await all(session.history())).length).toBe(before);
  expect((await session.run('kept + 1')).output).toBe(2);
  await session.cleanup();
  expect(await runsIn(await openSession('s', { store, tools }))).toStrictEqual(['const kept = 1;', 'kept + 1']);
});

test('a session from a journal checks its tools, and knows no declarations of earlier runs', async () => {
  const store = memoryStore();
  const { tools } = asking('question');
  const first = await openSession('s', { store, tools, ...CHECKED });
  await first.run('const kept = { size: 1 };');
  await first.cleanup();
  const session = await openSession('s', { store, tools, ...CHECKED });
  expect((await session.run('kept.size')).output).toBe(1);
  expect(messagesOf(await rejection(session.run('await ask({})')))).toStrictEqual([
    expect.stringContaining("Property 'question' is missing"),
  ]);
});

test('programs are checked against the new definitions of tools that a session from a journal has', async () => {
  const store = memoryStore();
  const first = await openSession('s', { store, tools: asking('question').tools, ...CHECKED });
  await first.cleanup();
  const session = await openSession('s', { store, tools: asking('question').tools, ...CHECKED });
  await session.sendTools(asking('text').tools);
  expect(messagesOf(await rejection(session.run('await ask({ question: "why?" })')))).toStrictEqual([
    expect.stringContaining("'question' does not exist"),
  ]);
  expect(await session.start('await ask({ text: "why?" })')).toMatchObject({ status: 'waiting' });
});

test('a checked run that continues in another process has its limits, and a refused one leaves none', async () => {
  const executor = { typecheck: 'error', maxOperations: Infinity };
  const options = { store: memoryStore(), tools: asking('question').tools, executor };
  const first = await openSession('s', options);
  await rejection(first.run('await ask({})', { timeoutMs: 5_000 }));
  const { calls } = await first.start('await ask({ question: "go on?" }); for (;;);', { timeoutMs: 300 });
  await first.cleanup();
  const session = await openSession('s', options);
  const notes = (await all(session.history())).filter(({ type }) => type === 'note');
  expect(notes.flatMap(({ options = [] }) => options)).toStrictEqual([{ timeoutMs: 300 }]);
  const error = await rejection(session.answer({ [calls[0].key]: { result: 'yes' } }));
  expect([error.code, error.details.timeoutMs]).toStrictEqual(['ERR_EXEC_TIMEOUT', 300]);
});

test('a run that has begun is not checked again when it continues', async () => {
  const store = memoryStore();
  const first = await openSession('s', { store, tools: asking('question').tools, ...CHECKED });
  const { calls } = await first.start('const reply = await ask({ question: "why?" }); reply');
  await first.cleanup();
  const session = await openSession('s', { store, tools: asking('text').tools, ...CHECKED });
  expect(await session.answer({ [calls[0].key]: { result: 'because' } })).toMatchObject({
    status: 'finished',
    output: { output: 'because' },
  });
});

test('a session of Python refuses the option', async () => {
  const error = await rejection(openSession('s', { engine: 'python', ...CHECKED }));
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toContain('typecheck');
});
