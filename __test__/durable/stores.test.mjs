// What each store keeps, and what the store of files does about processes that end.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { DurableSession, fileStore, journalConflict, memoryStore, natsStore, sqliteStore } from 'ses-executor/durable';
import { openBroker } from '../broker.mjs';
import { ROOT, describeIf, rejection, testIf } from '../helpers.mjs';
import { KEYS, all, temporaryFolder } from './helpers.mjs';

const bytes = (...texts) => texts.map((text) => new TextEncoder().encode(text));
const texts = async (store, id, from) =>
  (await all(store.read(id, from))).map((entry) => Buffer.from(entry).toString());

const hasSqlite = await import('node:sqlite').then(
  () => true,
  () => false,
);
const realOpen = fs.open;
let broker;
beforeAll(async () => {
  broker = await openBroker({ isKept: true });
});
afterAll(() => broker.close());
let count = 0;
/** A store with its own streams. */
function onBroker() {
  const store = natsStore({ servers: broker.url, name: `store-${++count}` });
  onTestFinished(() => store.close());
  return store;
}

const STORES = [
  ['memoryStore', () => memoryStore()],
  ['fileStore', () => fileStore(join(temporaryFolder(), 'made'))],
  ['natsStore', onBroker],
  ...(hasSqlite ? [['sqliteStore', () => sqliteStore(join(temporaryFolder(), 'journals.db'))]] : []),
];

/** What a lock of this process in a folder says of its owner. `file`: the path of the lock. */
async function ownerOfLock(folder, file) {
  const unlock = await fileStore(folder).lock('s');
  const owner = JSON.parse(readFileSync(file, 'utf8'));
  await unlock();
  return owner;
}

describe.each(STORES)('%s', (name, make) => {
  test('a session that does not exist has no entries', async () => {
    const store = make();
    expect(await all(store.read('none'))).toStrictEqual([]);
    expect(await all(store.list())).toStrictEqual([]);
    await store.remove('none');
  });

  test('entries are read in order, from a number on', async () => {
    const store = make();
    expect(await store.append('s', 0, bytes('a', 'b'))).toBe(2);
    expect(await store.append('s', 2, bytes('c'), { sync: true })).toBe(3);
    expect(await texts(store, 's')).toStrictEqual(['a', 'b', 'c']);
    expect(await texts(store, 's', 2)).toStrictEqual(['c']);
    expect(await texts(store, 's', 3)).toStrictEqual([]);
  });

  test('overlapping reads each return all entries, even of one session', async () => {
    const store = make();
    const written = Array.from({ length: 150 }, (_, index) => `entry ${index}`);
    const ids = ['s', 't', 's'];
    for (const id of ['s', 't']) await store.append(id, 0, bytes(...written));
    const reads = ids.map((id) => store.read(id)[Symbol.asyncIterator]());
    const found = ids.map(() => []);
    for (let index = 0; index <= written.length; index++) {
      for (const [number, read] of reads.entries()) {
        const { done, value } = await read.next();
        if (!done) found[number].push(Buffer.from(value).toString());
      }
    }
    expect(found).toStrictEqual(ids.map(() => written));
  });

  test('an entry that changes after it was appended is kept as it was', async () => {
    const store = make();
    const [entry] = bytes('abc');
    await store.append('s', 0, [entry]);
    entry.fill(0);
    expect(await texts(store, 's')).toStrictEqual(['abc']);
  });

  test.each([0, 1, 3])('an append after %i of 2 entries is a conflict and adds nothing', async (after) => {
    const store = make();
    await store.append('s', 0, bytes('a', 'b'));
    const error = await rejection((async () => store.append('s', after, bytes('c')))());
    expect(error.code).toBe('ERR_JOURNAL_CONFLICT');
    expect(error.details).toMatchObject({ id: 's', expected: after, actual: 2 });
    expect(await texts(store, 's')).toStrictEqual(['a', 'b']);
  });

  test('ids with special characters are separate sessions', async () => {
    const store = make();
    const ids = ['a', 'a/b', 'a.b', 'a:b', 'a@b', '../a', 'A-b_c'];
    for (const id of ids) await store.append(id, 0, bytes(id));
    for (const id of ids) expect(await texts(store, id)).toStrictEqual([id]);
    expect((await all(store.list())).map(({ id }) => id).sort()).toStrictEqual([...ids].sort());
  });

  // 60 signs with long escapes have 180 bytes, the most of a name that has them.
  test.each(['a'.repeat(80), '/'.repeat(60), '/'.repeat(61), '.:@/'.repeat(20), 'a@b.c/'.repeat(13)])(
    'the longest ids have claims, entries and blobs: %s',
    async (id) => {
      const store = make();
      const unlock = await store.lock?.(id);
      expect(await store.append(id, 0, bytes('a'))).toBe(1);
      await store.putBlob?.(id, 'd'.repeat(64), bytes('large')[0]);
      await unlock?.();
      expect(await texts(store, id)).toStrictEqual(['a']);
      expect(await all(store.list())).toStrictEqual([{ id }]);
      await store.remove(id);
      expect(await store.getBlob?.(id, 'd'.repeat(64))).toBeUndefined();
      expect(await all(store.list())).toStrictEqual([]);
    },
  );

  test('a session that was removed is gone, and its id is free', async () => {
    const store = make();
    await store.append('s', 0, bytes('a'));
    await store.append('t', 0, bytes('b'));
    await store.remove('s');
    expect(await texts(store, 's')).toStrictEqual([]);
    expect(await all(store.list())).toStrictEqual([{ id: 't' }]);
    expect(await store.append('s', 0, bytes('c'))).toBe(1);
  });

  if (name === 'memoryStore') return;

  test('blobs belong to a session and are removed with it', async () => {
    const store = make();
    await store.append('s', 0, bytes('a'));
    await store.putBlob('s', 'd1', bytes('large')[0]);
    await store.putBlob('s', 'd1', bytes('large')[0]);
    expect(Buffer.from(await store.getBlob('s', 'd1')).toString()).toBe('large');
    expect(await store.getBlob('t', 'd1')).toBeUndefined();
    await store.remove('s');
    expect(await store.getBlob('s', 'd1')).toBeUndefined();
  });
});

describeIf(hasSqlite)('sqliteStore', () => {
  test('waits for another host that is setting up the same new file', async () => {
    const path = join(temporaryFolder(), 'journals.db');
    const steps = new Int32Array(new SharedArrayBuffer(4));
    const other = new Worker(
      `const { workerData: { path, steps }, parentPort } = require('node:worker_threads');
      const database = new (require('node:sqlite').DatabaseSync)(path);
      database.exec('CREATE TABLE other (a); BEGIN IMMEDIATE');
      parentPort.postMessage('held');
      Atomics.wait(steps, 0, 0);
      Atomics.wait(steps, 0, 1, 50);
      database.exec('COMMIT');`,
      { eval: true, workerData: { path, steps } },
    );
    const ended = once(other, 'exit');
    expect(await once(other, 'message')).toStrictEqual(['held']);
    Atomics.store(steps, 0, 1);
    Atomics.notify(steps, 0);
    const store = sqliteStore(path);
    expect(await store.append('s', 0, bytes('a'))).toBe(1);
    expect(await texts(store, 's')).toStrictEqual(['a']);
    await ended;
  });

  test('one host at a time has a session, which cannot be removed meanwhile', async () => {
    const folder = temporaryFolder();
    const make = () => sqliteStore(join(folder, 'journals.db'));
    const unlock = await make().lock('a/b');
    for (const claiming of [async () => make().lock('a/b'), () => make().remove('a/b')]) {
      const error = await rejection(claiming());
      expect([error.code, error.details.pid]).toStrictEqual(['ERR_JOURNAL_CONFLICT', process.pid]);
    }
    await (
      await make().lock('other')
    )();
    await unlock();
    await (
      await make().lock('a/b')
    )();
    expect(readdirSync(folder).filter((name) => name.includes('lock'))).toStrictEqual([]);
  });
});

describe('fileStore', () => {
  test('only the user can read what it writes', async () => {
    const folder = join(temporaryFolder(), 'made');
    const store = fileStore(folder);
    await store.append('s', 0, bytes('a'));
    await store.putBlob('s', 'd1', bytes('large')[0]);
    const unlock = await store.lock('s');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toStrictEqual([0o600, 0o600, 0o600]);
    await unlock();
  });

  test('a file has a first line and entries behind their lengths, and large entries have files of their digests', async () => {
    const folder = temporaryFolder();
    const store = fileStore(folder);
    await store.append('s', 0, [Uint8Array.of(0, 1, 2, 255), Uint8Array.of(7)]);
    await store.append('s', 2, [Uint8Array.of(8)]);
    const [path] = readdirSync(folder).map((name) => join(folder, name));
    // The highest bit of a length: the next entry was appended together with this one.
    expect(readFileSync(path).toString('latin1')).toBe(
      'ses-executor journal 1\n\x04\0\0\x80\0\x01\x02\xff\x01\0\0\0\x07\x01\0\0\0\x08',
    );

    const session = await DurableSession.open('large', {
      store,
      keys: KEYS,
      tools: { big: async () => 'x'.repeat(1 << 17) },
    });
    await session.run('(await big()).length');
    await session.cleanup();
    const entries = await all(store.read('large'));
    const [reference, ...others] = entries.filter(([form]) => form === 1);
    expect([reference.length, others]).toStrictEqual([1 + 32, []]);
    const blob = await store.getBlob('large', Buffer.from(reference.subarray(1)).toString('hex'));
    expect(createHash('sha256').update(blob).digest()).toStrictEqual(Buffer.from(reference.subarray(1)));
  });

  // The first entries of a checkpoint or a fork were read without the others, as another state of the session.
  test('of entries that were appended together, all or none are read, wherever the file ends', async () => {
    const folder = temporaryFolder();
    const store = fileStore(folder);
    const path = join(folder, 's.journal');
    const ends = [];
    for (const [after, added] of [
      [0, ['first']],
      [1, ['second', 'third', 'fourth']],
      [4, ['fifth', 'sixth']],
    ]) {
      await store.append('s', after, bytes(...added));
      ends.push({ size: statSync(path).size, entries: after + added.length });
    }
    const whole = readFileSync(path);
    for (let size = whole.length - 1; size >= ends[0].size; size--) {
      writeFileSync(path, whole.subarray(0, size));
      const { entries } = ends.findLast((end) => end.size <= size);
      expect(await texts(store, 's'), `${size} bytes`).toHaveLength(entries);
    }
    writeFileSync(path, whole.subarray(0, whole.length - 'sixth'.length - 4));
    expect(await store.append('s', 4, bytes('seventh'))).toBe(5);
    expect(await texts(store, 's')).toStrictEqual(['first', 'second', 'third', 'fourth', 'seventh']);
  });

  test('zeros at the end, as a loss of power leaves them, are dropped', async () => {
    const folder = temporaryFolder();
    const store = fileStore(folder);
    await store.append('s', 0, bytes('first'));
    appendFileSync(join(folder, 's.journal'), Buffer.alloc(100));
    expect(await texts(store, 's')).toStrictEqual(['first']);
    expect(await store.append('s', 1, bytes('second'))).toBe(2);
    expect(await texts(store, 's')).toStrictEqual(['first', 'second']);
  });

  test('a file that is not a journal is refused and left unchanged', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 's.journal');
    writeFileSync(path, 'something else that somebody needs');
    await rejection(all(fileStore(folder).read('s')));
    await rejection(fileStore(folder).lock('s'));
    expect(readFileSync(path, 'utf8')).toBe('something else that somebody needs');
  });

  test('one host at a time has a session', async () => {
    const folder = temporaryFolder();
    const unlock = await fileStore(folder).lock('s');
    const error = await rejection(fileStore(folder).lock('s'));
    expect(error.code).toBe('ERR_JOURNAL_CONFLICT');
    expect(error.details.pid).toBe(process.pid);
    const other = await fileStore(folder).lock('other');
    await other();
    await unlock();
    await (
      await fileStore(folder).lock('s')
    )();
    // A session without entries leaves no file.
    expect(readdirSync(folder)).toStrictEqual([]);
  });

  test('the lock of a live process is a conflict, and that of a killed one is taken over', async () => {
    const folder = temporaryFolder();
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { fileStore } from 'ses-executor/durable';
         const store = fileStore(${JSON.stringify(folder)});
         await store.lock('s');
         store.append('s', 0, [new TextEncoder().encode('of the child')]);
         process.stdout.write('locked');
         setInterval(() => {}, 1000);`,
      ],
      { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    const store = fileStore(folder);
    const error = await rejection(store.lock('s'));
    expect(error.code).toBe('ERR_JOURNAL_CONFLICT');
    expect(error.details.pid).toBe(child.pid);
    child.kill('SIGKILL');
    await exited;
    const unlock = await store.lock('s');
    expect(readdirSync(folder).filter((name) => name.includes('.lock-'))).toHaveLength(1);
    expect(store.append('s', 1, bytes('of the parent'))).toBe(2);
    await unlock();
    expect(await texts(store, 's')).toStrictEqual(['of the child', 'of the parent']);
  });

  test('the lock of a process that had the number of a live one is taken over', async () => {
    const folder = temporaryFolder();
    const unlock = await fileStore(folder).lock('s');
    const [lock] = readdirSync(folder).filter((name) => name.includes('.lock-'));
    const owner = JSON.parse(readFileSync(join(folder, lock), 'utf8'));
    writeFileSync(join(folder, lock), JSON.stringify({ ...owner, token: 'another', began: '1' }));
    const own = await fileStore(folder).lock('s');
    await own();
    await unlock();
  });

  test('the lock of a process in another PID namespace is a conflict, as if it were on another host', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 's.journal.lock-1');
    const dead = { token: 'another', pid: 2 ** 22 + 1, began: '1' };
    const owner = await ownerOfLock(folder, file);
    for (const elsewhere of [{ namespace: 'pid:[1]' }, { host: 'another' }]) {
      writeFileSync(file, JSON.stringify({ ...owner, ...dead, ...elsewhere }));
      const host = elsewhere.host ?? owner.host;
      for (const claiming of [fileStore(folder).lock('s'), fileStore(folder).remove('s')]) {
        const { code, details } = await rejection(claiming);
        const where = elsewhere.host ? 'on another' : `in another PID namespace on ${host}`;
        const reason = `process ${dead.pid} ${where} has the session s open; if that process has ended, remove ${file}`;
        expect([code, details]).toStrictEqual(['ERR_JOURNAL_CONFLICT', { reason, pid: dead.pid, host }]);
      }
    }
  });

  test.each([
    ['without a namespace, as earlier versions wrote it,', { namespace: undefined }],
    ['of another namespace, from before a restart of the machine,', { namespace: 'pid:[1]', boot: 'earlier' }],
  ])('a lock %s is taken over if its process has ended', async (_, its) => {
    const folder = temporaryFolder();
    const file = join(folder, 's.journal.lock-1');
    const dead = { token: 'dead', pid: 2 ** 22 + 1, began: '1' };
    const owner = await ownerOfLock(folder, file);
    writeFileSync(file, JSON.stringify({ ...owner, ...dead, ...its }));
    const own = await fileStore(folder).lock('s');
    expect(readdirSync(folder).filter((name) => name.includes('.lock-'))).toStrictEqual(['s.journal.lock-2']);
    await own();
  });

  test('of many hosts that want the lock of a dead process, at most one gets it', async () => {
    const folder = temporaryFolder();
    const dead = { token: 'dead', pid: 2 ** 22 + 1, began: '1' };
    const unlock = await fileStore(folder).lock('s');
    const [lock] = readdirSync(folder).filter((name) => name.includes('.lock-'));
    const owner = JSON.parse(readFileSync(join(folder, lock), 'utf8'));
    writeFileSync(join(folder, lock), JSON.stringify({ ...owner, ...dead }));
    const code = `import { fileStore } from 'ses-executor/durable';
      process.stdout.write('ready');
      process.stdin.once('data', async () => {
        try { await fileStore(${JSON.stringify(folder)}).lock('s'); process.stdout.write('got'); }
        catch (error) { process.stdout.write(error.code); }
        process.stdin.once('data', () => process.exit());
      });`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    const said = async (child) => String((await once(child.stdout, 'data'))[0]);
    expect(await Promise.all(children.map(said))).toStrictEqual(Array(4).fill('ready'));
    const results = Promise.all(children.map(said));
    for (const child of children) child.stdin.write('go');
    expect((await results).sort()).toStrictEqual([...Array(3).fill('ERR_JOURNAL_CONFLICT'), 'got']);
    const exited = Promise.all(children.map((child) => once(child, 'exit')));
    for (const child of children) child.stdin.write('end');
    await exited;
    await unlock();
  });

  test.each([true, false])(
    'entries that another process has added in spite of the lock are a conflict, synced: %s',
    async (sync) => {
      const folder = temporaryFolder();
      const store = fileStore(folder);
      const unlock = await store.lock('s');
      store.append('s', 0, bytes('a'));
      const path = join(folder, 's.journal');
      appendFileSync(path, Buffer.from([1, 0, 0, 0, 65]));
      const append = () => store.append('s', 1, bytes('b'), { sync });
      expect(append).toThrow(expect.objectContaining({ code: 'ERR_JOURNAL_CONFLICT' }));
      truncateSync(path, statSync(path).size - 5);
      expect(store.append('s', 1, bytes('b'))).toBe(2);
      await unlock();
    },
  );

  test('a session that a live process has open cannot be removed', async () => {
    const folder = temporaryFolder();
    const store = fileStore(folder);
    const unlock = await store.lock('s');
    store.append('s', 0, bytes('a'));
    expect((await rejection(fileStore(folder).remove('s'))).code).toBe('ERR_JOURNAL_CONFLICT');
    await unlock();
    await fileStore(folder).remove('s');
    expect(readdirSync(folder)).toStrictEqual([]);
  });

  test('an append to a locked session needs no promise, unless it is synchronised', async () => {
    const store = fileStore(temporaryFolder());
    const unlock = await store.lock('s');
    expect(store.append('s', 0, bytes('a'))).toBe(1);
    const synced = store.append('s', 1, bytes('b'), { sync: true });
    expect(synced).toBeInstanceOf(Promise);
    expect(await synced).toBe(2);
    await unlock();
  });

  // The names of blobs were not written to the disk, so a loss of power could leave a journal without its large values.
  testIf(process.platform !== 'win32')(
    'the first synchronised append after a blob writes the folder, also if the blob was there',
    async () => {
      const folder = temporaryFolder();
      const written = [];
      const open = vi.spyOn(fs, 'open').mockImplementation(async (path, ...rest) => {
        const file = await realOpen(path, ...rest);
        const sync = file.sync.bind(file);
        file.sync = () => (written.push(path), sync());
        return file;
      });
      onTestFinished(() => open.mockRestore());
      const during = async (work) => {
        written.length = 0;
        await work();
        return [...written];
      };
      const store = fileStore(folder);
      const unlock = await store.lock('s');
      await store.putBlob('s', 'd1', ...bytes('large'));
      expect(await during(() => store.append('s', 0, bytes('a'), { sync: false }))).toStrictEqual([]);
      expect(await during(() => store.append('s', 1, bytes('b'), { sync: true }))).toStrictEqual([folder]);
      expect(await during(() => store.append('s', 2, bytes('c'), { sync: true }))).toStrictEqual([]);
      await unlock();
      const later = fileStore(folder);
      await later.putBlob('s', 'd1', ...bytes('large'));
      expect(await during(() => later.append('s', 3, bytes('d')))).toStrictEqual([folder]);
    },
  );

  test.each([[''], [undefined], [5]])('%s is not a folder', (folder) => {
    expect(() => fileStore(folder)).toThrow(TypeError);
  });
});

describe('a claim that fails', () => {
  const failing = (thrown) => ({
    isInMemory: true,
    async *read() {},
    append: (_, after, entries) => after + entries.length,
    async *list() {},
    remove: async () => {},
    lock: async (id) => {
      if (id === 'taken') throw thrown;
    },
  });

  test('is an error of the store, with what it threw', async () => {
    const thrown = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const error = await rejection(DurableSession.open('taken', { store: failing(thrown) }));
    const reason = 'the store failed: no space';
    expect([error.code, error.details]).toStrictEqual(['ERR_JOURNAL_INVALID', { flaw: 'store', reason }]);
    expect(error.cause).toBe(thrown);
  });

  test('is a conflict if the store says so', async () => {
    const thrown = Object.assign(new Error('somebody has it'), { code: 'ERR_JOURNAL_CONFLICT' });
    const error = await rejection(DurableSession.open('taken', { store: failing(thrown) }));
    expect(error.code).toBe('ERR_JOURNAL_CONFLICT');
  });

  test('is an error of the store if it is that of a fork', async () => {
    const folder = temporaryFolder();
    const store = fileStore(folder);
    const session = await DurableSession.open('s', { store, keys: { sign: 'k' } });
    onTestFinished(() => session.cleanup());
    const thrown = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    store.lock = () => Promise.reject(thrown);
    const error = await rejection(session.fork('t'));
    expect([error.code, error.details.flaw, error.cause]).toStrictEqual(['ERR_JOURNAL_INVALID', 'store', thrown]);
  });

  test('is an error of the store if the folder is a file', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, '');
    const error = await rejection(DurableSession.open('s', { store: fileStore(path), keys: { sign: 'k' } }));
    expect([error.code, error.details.flaw]).toStrictEqual(['ERR_JOURNAL_INVALID', 'store']);
  });
});

test('a third-party store creates its conflicts with journalConflict', () => {
  const error = journalConflict('another host was faster', { id: 's' });
  expect(error.code).toBe('ERR_JOURNAL_CONFLICT');
  expect(error.message).toBe('Journal conflict: another host was faster');
  expect(error.details).toStrictEqual({ reason: 'another host was faster', id: 's' });
});
