// Journals that somebody has changed, and journals that do not fit.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { fileStore, memoryStore } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { KEYS, all, openSession, temporaryFolder, untouchable } from './helpers.mjs';

const tools = { add: async (n) => n + 1, sync: (n) => [n] };

/** The entries of a session with a few runs. */
async function recordedIn(store, id = 's', keys = KEYS) {
  const session = await openSession(id, { store, keys, tools });
  await session.run('let n = await add(1); console.log("logged", n)');
  await session.run('n = sync(n)[0] + await add(n)');
  await session.run('final_answer(n)');
  await session.cleanup();
  return all(store.read(id));
}

/** What opening a session with these entries fails with; undefined if it does not. */
async function opening(entries, keys = KEYS, id = 's') {
  const store = memoryStore();
  store.append(id, 0, entries);
  try {
    const session = await openSession(id, { store, keys, tools: untouchable(tools) });
    await session.cleanup();
    return undefined;
  } catch (error) {
    return error;
  }
}

test('P26: a changed byte is found in each entry', async () => {
  const entries = await recordedIn(memoryStore());
  expect(await opening(entries)).toBeUndefined();
  for (let number = 0; number < entries.length; number++) {
    for (const at of [1, entries[number].length >> 1, entries[number].length - 1]) {
      const changed = entries.map((entry) => Uint8Array.from(entry));
      changed[number][at] ^= 1;
      const error = await opening(changed);
      expect(error?.code, `entry ${number}, byte ${at}`).toBe('ERR_JOURNAL_INVALID');
      expect(error.details.entry).toBe(number);
    }
  }
});

test('P26: entries that are dropped, repeated, swapped or of another session are found', async () => {
  const entries = await recordedIn(memoryStore());
  const others = await recordedIn(memoryStore(), 'other');
  for (let number = 0; number < entries.length - 1; number++) {
    const dropped = entries.toSpliced?.(number, 1) ?? entries.filter((_, index) => index !== number);
    const repeated = [...entries.slice(0, number), entries[number], ...entries.slice(number)];
    const swapped = [...entries];
    [swapped[number], swapped[number + 1]] = [swapped[number + 1], swapped[number]];
    const foreign = [...entries];
    foreign[number] = others[number];
    for (const changed of [dropped, repeated, swapped, foreign]) {
      expect((await opening(changed))?.code).toBe('ERR_JOURNAL_INVALID');
    }
  }
  expect((await opening(others))?.code).toBe('ERR_JOURNAL_INVALID');
});

test('a journal that ends early is one whose process was killed', async () => {
  const entries = await recordedIn(memoryStore());
  for (let length = 1; length < entries.length; length++) {
    expect(await opening(entries.slice(0, length)), `${length} entries`).toBeUndefined();
  }
});

test('keys rotate: an old key is accepted, and new entries have the new one', async () => {
  const store = memoryStore();
  await recordedIn(store, 's', { sign: 'old' });
  expect((await rejection(openSession('s', { store, keys: { sign: 'new' }, tools }))).code).toBe('ERR_JOURNAL_INVALID');
  const rotated = { sign: 'new', verify: ['old'] };
  const session = await openSession('s', { store, keys: rotated, tools });
  await session.run('const later = 1');
  await session.cleanup();
  const again = await openSession('s', { store, keys: rotated, tools });
  expect((await again.run('[n, later]')).output).toStrictEqual([5, 1]);
  await again.cleanup();
  expect((await rejection(openSession('s', { store, keys: { sign: 'old' }, tools }))).code).toBe('ERR_JOURNAL_INVALID');
});

test('keys are strings or bytes', async () => {
  const store = memoryStore();
  await recordedIn(store, 's', { sign: 'key' });
  await openSession('s', { store, keys: { sign: new TextEncoder().encode('key') }, tools });
});

describe('in a file', () => {
  test('an incomplete last entry is dropped, and a complete one with another byte is refused', async () => {
    const folder = temporaryFolder();
    await recordedIn(fileStore(folder));
    const path = join(folder, 's.journal');
    const whole = readFileSync(path);
    const open = () => openSession('s', { store: fileStore(folder), keys: KEYS, tools: untouchable(tools) });
    writeFileSync(path, whole.subarray(0, -1));
    await (await open()).cleanup();
    const changed = Buffer.from(whole);
    changed[changed.length - 1] ^= 1;
    writeFileSync(path, changed);
    const error = await rejection(open());
    expect([error.code, error.details.flaw]).toStrictEqual(['ERR_JOURNAL_INVALID', 'mac']);
    writeFileSync(path, whole);
    await open();
  });
});

test('P27: a journal that does not fit fails with ERR_JOURNAL_LIMIT, and nothing is cut', async () => {
  const store = memoryStore();
  const options = { store, tools: { large: async () => 'x'.repeat(50_000) }, maxJournalBytes: 100_000 };
  const session = await openSession('s', options);
  await session.run('let n = 0');
  const error = await rejection(session.run('for (;;) { n += (await large()).length }'));
  expect(error.code).toBe('ERR_JOURNAL_LIMIT');
  expect(error.details.limit).toBe(100_000);
  await session.cleanup();
  const more = await openSession('s', { ...options, maxJournalBytes: 1_000_000 });
  expect((await more.run('n')).output).toBe(0);
});
