// What the tests of durable sessions share.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { DurableSession, fileStore, memoryStore } from 'ses-executor/durable';

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
