// What was recorded is stored before anything follows from it: with a journal that the test plays, and stores that are
// immediate, slow, or fail.

import { createRequire } from 'node:module';

import { expect, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { all } from './helpers.mjs';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { Recorder } = require('../../build/durable/recorder.js');
const { waitForAnswer } = require('../../build/durable/calls.js');
const { RunScope } = require('../../build/contract/run-scope.js');

const bytes = (text) => new TextEncoder().encode(text);

/** A native journal whose entries the test records. */
function journalOf() {
  return {
    first: 0,
    entries: [],
    facts: {},
    writtenTo: [],
    notes: [],
    waits: [],
    record(text, facts = {}) {
      this.entries.push(bytes(text));
      Object.assign(this.facts, facts);
    },
    /** As `Batch::write` of `crates/journal` does. */
    take(room) {
      if (this.entries.length === 0) return 0;
      const end = this.entries.reduce((at, entry) => at + 4 + entry.length, 12);
      if (end > room.length) return -end;
      room.writeDoubleLE(this.first, 0);
      room.writeUInt32LE((this.facts.answers ? 1 : 0) + (this.facts.ends ? 2 : 0), 8);
      let at = 12;
      for (const entry of this.entries) {
        at = room.writeUInt32LE(entry.length, at);
        room.set(entry, at);
        at += entry.length;
      }
      this.first += this.entries.length;
      this.entries = [];
      this.facts = {};
      return end;
    },
    written(next) {
      this.writtenTo.push(next);
    },
    note(text) {
      this.notes.push(text);
      this.record(`note ${text}`);
    },
    setWaiting(calls) {
      this.waits.push(calls);
    },
    numbersOf: (call) => [1, call],
  };
}

/** A store whose appends the test finishes. */
function slowStore() {
  const inner = memoryStore();
  const pending = [];
  return {
    ...inner,
    read: (...args) => inner.read(...args),
    syncs: [],
    append(id, after, entries, how) {
      this.syncs.push(how.sync);
      return new Promise((resolve, reject) =>
        pending.push({ done: () => resolve(inner.append(id, after, entries)), fail: reject }),
      );
    },
    async finish() {
      pending.shift().done();
      await new Promise(setImmediate);
    },
    async fail(error) {
      pending.shift().fail(error);
      await new Promise(setImmediate);
    },
    get pending() {
      return pending.length;
    },
  };
}

function recorderOf(store, options = {}) {
  const journal = journalOf();
  const failures = [];
  const recorder = new Recorder({
    id: 's',
    keyPrefix: 's',
    journal,
    store,
    durability: 'turn',
    timeZone: undefined,
    isRestored: false,
    adopt: () => {},
    onFailure: () => failures.push(recorder.failure.code),
    ...options,
  });
  return { journal, recorder, failures };
}

test('with an immediate store, everything is stored and reported before the work, without a promise', async () => {
  const store = memoryStore();
  const { journal, recorder } = recorderOf(store);
  journal.record('a');
  journal.record('b');
  let seen;
  recorder.whenStored(() => (seen = [...journal.writtenTo]));
  expect(seen).toStrictEqual([2]);
  recorder.flush();
  expect(journal.writtenTo).toStrictEqual([2]);
  expect(await all(store.read('s'))).toHaveLength(2);
});

test('with a slow store, works wait for what was recorded before them, in order', async () => {
  const store = slowStore();
  const { journal, recorder } = recorderOf(store);
  const done = [];
  journal.record('a');
  recorder.whenStored(() => done.push('after a'));
  journal.record('b');
  recorder.whenStored(() => done.push('after b'));
  recorder.whenStored(() => done.push('after b, too'));
  expect([done, store.pending, journal.writtenTo]).toStrictEqual([[], 1, []]);
  await store.finish();
  expect([done, store.pending, journal.writtenTo]).toStrictEqual([['after a'], 1, [1]]);
  await store.finish();
  expect(done).toStrictEqual(['after a', 'after b', 'after b, too']);
  expect(journal.writtenTo).toStrictEqual([1, 2]);
});

test('what a work records is stored before later works', async () => {
  const store = slowStore();
  const { journal, recorder } = recorderOf(store);
  const done = [];
  journal.record('a');
  recorder.whenStored(() => {
    journal.record('answer');
    recorder.flush();
    done.push('first');
  });
  await store.finish();
  recorder.whenStored(() => done.push('second'));
  expect(done).toStrictEqual(['first']);
  await store.finish();
  expect(done).toStrictEqual(['first', 'second']);
});

test.each([
  ['call', [true, true, true]],
  ['turn', [false, true, true]],
  ['run', [false, false, true]],
])('with durability %s, calls, answers and ends are synchronised: %j', async (durability, expected) => {
  const syncs = [];
  const inner = memoryStore();
  const store = {
    append: (id, after, entries, { sync }) => (syncs.push(sync), inner.append(id, after, entries)),
  };
  const { journal, recorder } = recorderOf(store, { durability });
  for (const facts of [{}, { answers: true }, { ends: true }]) {
    journal.record('x', facts);
    recorder.flush();
  }
  expect(syncs).toStrictEqual(expected);
});

test.each([
  ['at once', Object.assign(new Error('no space left'), { code: 'ENOSPC' }), 'ERR_JOURNAL_INVALID'],
  ['later', Object.assign(new Error('no space left'), { code: 'ENOSPC' }), 'ERR_JOURNAL_INVALID'],
  ['later', Object.assign(new Error('taken'), { code: 'ERR_JOURNAL_CONFLICT' }), 'ERR_JOURNAL_CONFLICT'],
])('a store that fails %s ends the recording: nothing is reported, nothing is stored', async (when, error, code) => {
  const slow = slowStore();
  const store = when === 'later' ? slow : { append: () => { throw error; } }; // prettier-ignore
  const { journal, recorder, failures } = recorderOf(store);
  const states = [];
  journal.record('a');
  recorder.whenStored(() => states.push(recorder.hasFailed));
  if (when === 'later') await slow.fail(error);
  expect(failures).toStrictEqual([code]);
  expect(recorder.failure.code).toBe(code);
  // Works look at `hasFailed`, and have no effect.
  expect(states).toStrictEqual([true]);
  journal.record('b');
  recorder.flush();
  expect([journal.writtenTo, slow.pending]).toStrictEqual([[], 0]);
  await expect(recorder.stored()).rejects.toBe(recorder.failure);
});

test('large entries are blobs, and small ones are not', async () => {
  const { readEntries } = require('../../build/durable/entries.js');
  const blobs = new Map();
  const inner = memoryStore();
  const store = {
    read: (id) => inner.read(id),
    append: (id, after, entries) => inner.append(id, after, entries),
    putBlob: (id, digest, value) => void blobs.set(digest, Uint8Array.from(value)),
    getBlob: (id, digest) => blobs.get(digest),
  };
  const { journal, recorder } = recorderOf(store);
  const large = 'x'.repeat(64 << 10);
  journal.record('small');
  journal.record(large);
  recorder.flush();
  expect(blobs.size).toBe(1);
  expect((await all(store.read('s'))).map(({ length }) => length)).toStrictEqual([6, 33]);
  const read = [];
  const reader = { add: (entry) => void read.push(Buffer.from(entry).toString()) };
  const reading = (maxBytes) => readEntries(store, 's', reader, maxBytes);
  expect(await reading(1 << 20)).toStrictEqual({ count: 2, bytes: 5 + large.length });
  expect(read).toStrictEqual(['small', large]);
  await expect(reading(64 << 10)).rejects.toMatchObject({ code: 'ERR_JOURNAL_LIMIT' });
  const [[digest, value]] = blobs;
  value[5] = 0;
  await expect(reading(1 << 20)).rejects.toMatchObject({
    code: 'ERR_JOURNAL_INVALID',
    details: { flaw: 'form', entry: 1 },
  });
  blobs.delete(digest);
  await expect(reading(1 << 20)).rejects.toMatchObject({ code: 'ERR_JOURNAL_INVALID' });
});

test('a call that waits is recorded with its payload before the native side is notified', () => {
  const { journal, recorder } = recorderOf(memoryStore());
  const tool = { path: ['Host', 'pay'] };
  const call = recorder.callOf(7, tool, [5]);
  expect(call.key).toBe('s/1/7');
  call.wait({ amount: 5 });
  expect(journal.notes.map((text) => JSON.parse(text))).toStrictEqual([
    { waiting: { call: 7, payload: '{"payload":{"amount":5}}', attempts: 0 } },
  ]);
  expect(journal.waits).toStrictEqual([[7]]);
  expect([...recorder.waiting.values()]).toStrictEqual([
    { key: 's/1/7', name: 'Host.pay', args: [5], payload: { amount: 5 }, isInDoubt: false },
  ]);
});

test.each([
  ['a cycle', () => Object.assign(Object.create(null), { get self() { return this; } }), TypeError], // prettier-ignore
  ['a BigInt', () => 5n, TypeError],
  ['too much', () => 'x'.repeat(64 << 10), RangeError],
])('a payload that is %s cannot be kept', (name, payload, error) => {
  const { journal, recorder } = recorderOf(memoryStore());
  const call = recorder.callOf(7, { path: ['pay'] }, []);
  expect(() => call.wait(payload())).toThrow(error);
  expect(journal.waits).toStrictEqual([]);
});

test('currentCall is the call that code works for, also after an await', async () => {
  const { currentCall } = require('../../build/contract/current-call.js');
  const { recorder } = recorderOf(memoryStore());
  const scope = new RunScope();
  const call = recorder.callOf(3, { path: ['a'] }, []);
  expect(currentCall()).toBeUndefined();
  const seen = await call.within(scope, async () => {
    await null;
    return currentCall();
  });
  expect(seen).toMatchObject({ key: 's/1/3', attempt: 1, isApproved: false });
  expect(seen.signal.aborted).toBe(false);
  scope.end();
  expect(seen.signal.aborted).toBe(true);
  expect(currentCall()).toBeUndefined();
});

test('waitForAnswer says what it needs where nothing is recorded', () => {
  expect(() => waitForAnswer({ amount: 1 })).toThrow('waitForAnswer() needs a DurableSession');
});
