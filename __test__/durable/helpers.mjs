// What the tests of durable sessions share.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished } from 'vitest';

import { DurableSession, fileStore, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { spawnNode } from '../helpers.mjs';

const AGENT = fileURLToPath(new URL('fixtures/agent.mjs', import.meta.url));

export const KEYS = { sign: 'a key for tests' };

/** A folder that is removed after the test. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'ses-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A session that is cleaned up after the test. */
export async function openSession(id, options = {}) {
  const session = await DurableSession.open(id, { store: memoryStore(), ...options });
  onTestFinished(() => session.cleanup());
  return session;
}

/**
 * Processes that work on the session `s`, one after the other.
 *
 * @param input further input of `fixtures/agent.mjs`, such as `isolation` and `servers`
 * @returns `act` does one thing in a process; `effects` returns what tools have done in all of them
 */
export function inProcesses(input = {}) {
  const folder = temporaryFolder();
  const act = async (action, value, more = {}) => {
    const args = [AGENT, folder, 's', action, JSON.stringify({ value, ...input, ...more })];
    const { stdout, stderr, signal } = await spawnNode(args);
    if (signal !== null) return { signal };
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const path = join(folder, 'effects');
  const effects = () => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
  return { folder, act, effects };
}

/** A store in a folder, and the options that sessions in it need. */
export function inFolder(folder = temporaryFolder()) {
  return { store: fileStore(folder), keys: KEYS };
}

/** A store in memory whose session `s` has these entries. */
export function storeOf(entries) {
  const store = memoryStore();
  store.append('s', 0, entries);
  return store;
}

/** The sessions of another store, for which `append` does what the test is about. */
export function storeThatAppends(inner, append) {
  return {
    isInMemory: true,
    read: (...args) => inner.read(...args),
    list: () => inner.list(),
    remove: (id) => inner.remove(id),
    append,
  };
}

/** What an async iterable gives. */
export async function all(iterable) {
  const found = [];
  for await (const item of iterable) found.push(item);
  return found;
}

/** Tools that fail the test if they are called. */
export function untouchable(tools) {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      if (typeof tool !== 'function') return [name, untouchable(tool)];
      const refuse = () => {
        throw new Error(`${name} was called`);
      };
      return [name, tool.constructor.name === 'AsyncFunction' ? async () => refuse() : refuse];
    }),
  );
}

/**
 * Two hosts answer the same call of the session `s` at the same time. One goes on, and the other one calls no tool.
 *
 * @param open opens the session with tools, as another host
 */
export async function expectOneAnswer(open) {
  const called = [];
  const toolsOf = (name) => ({ ask: async () => waitForAnswer(), act: async () => called.push(name) });
  const first = await open(toolsOf('first'));
  await first.start('const reply = await ask(); await act(); reply');
  const second = await open(toolsOf('second'));
  const results = await Promise.allSettled([
    first.answer({ 's/1/1': { result: 'first' } }),
    second.answer({ 's/1/1': { result: 'second' } }),
  ]);
  const winner = results.findIndex(({ value }) => value?.status === 'finished');
  const name = ['first', 'second'][winner];
  expect([results[winner]?.value.output.output, called]).toStrictEqual([name, [name]]);
  const { reason, value } = results[1 - winner];
  expect(reason?.code ?? value.status).toMatch(/^(?:ERR_JOURNAL_CONFLICT|stale)$/);
}
