// What the tests of durable sessions share.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { DurableSession, fileStore, memoryStore } from 'ses-executor/durable';
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
