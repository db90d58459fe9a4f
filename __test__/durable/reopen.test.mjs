// A session that is opened again goes on exactly where it was, and calls no tool for that.

import { describe, expect, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { expectCode, rejection } from '../helpers.mjs';
import { all, inFolder, openSession, storeOf, untouchable } from './helpers.mjs';

const TOOLS = {
  now: async (n) => n * 2,
  sync: (n) => n + 1,
  Host: { read: async (name) => new Map([[name, new Date(5)]]) },
  fails: async () => {
    throw Object.assign(new TypeError('no'), { code: 'E_NO' });
  },
};
/** Everything that JSON cannot hold: private fields, closures, suspended generators, identity. */
const FIRST = `
  class Account { #balance = 10; add(n) { return (this.#balance += n); } }
  const account = new Account();
  const counter = ((count) => () => ++count)(0);
  const numbers = (function* () { for (let i = 0; ; i++) yield i; })();
  const shared = { list: [] }; const same = [shared, shared];
  const symbol = Symbol('s'); const weak = new WeakMap([[shared, 'found']]);
  const drawn = [Math.random(), Date.now()];
  account.add(await now(4)); counter(); numbers.next(); shared.list.push(sync(1));
  let error; try { await fails(); } catch (thrown) { error = thrown; }
  const read = await Host.read('a');
  final_answer(read)`;
const PROBE = `[account.add(1), counter(), numbers.next().value, same[0] === same[1], weak.get(shared), drawn,
  error.name + error.message + error.code, read.get('a').getTime(), shared.list, Math.random(), Date.now() >= drawn[1]]`;

const PLACES = ['thread', 'process'];
const PAIRS = PLACES.flatMap((from) => PLACES.map((to) => [from, to]));

test.each(PAIRS)('a session of a %s goes on in a %s', async (from, to) => {
  const store = memoryStore();
  const first = await openSession('s', {
    store,
    tools: TOOLS,
    executor: { isolation: from },
    variables: { given: [1] },
  });
  const { output, is_final_answer: isFinal } = await first.run(FIRST);
  expect([output, isFinal]).toStrictEqual([new Map([['a', new Date(5)]]), true]);
  const probe = await first.fork('probe');
  const expected = (await first.run(PROBE)).output;
  await first.cleanup();
  expect(expected.slice(0, 9)).toStrictEqual([19, 2, 1, true, 'found', expected[5], 'TypeErrornoE_NO', 5, [2]]);
  await probe.cleanup();

  const again = await openSession('s', { store, tools: untouchable(TOOLS), executor: { isolation: to } });
  expect(again.state).toBe('READY');
  expect((await again.run('[drawn, given, counter()]')).output).toStrictEqual([expected[5], [1], 3]);
});

test.each(PAIRS)('details of failed calls of a %s are the same in a %s, also in a run that waits', async (from, to) => {
  const store = memoryStore();
  const cause = Object.assign(new TypeError('fetch failed'), { code: 'ENO', status: 'LOW' });
  const data = { tries: 3, at: new Date(5) };
  const fails = async () => {
    throw Object.assign(new AggregateError([cause, 'text'], 'all', { cause }), { status: 503, data });
  };
  const tools = { fails, ask: async () => waitForAnswer() };
  const caught = 'try { await fails(); } catch (thrown) { error = thrown; }';
  const shown = `const show = (e) => e instanceof Error ? [e.constructor.name, e.message, e.code, e.status, show(e.cause), e.errors?.map(show)] : e;
    [error instanceof AggregateError, show(error), error.data]`;
  const ofCause = ['TypeError', 'fetch failed', 'ENO', 'LOW', undefined, undefined];
  const expected = [true, ['AggregateError', 'all', undefined, 503, ofCause, [ofCause, 'text']], data];
  const first = await openSession('s', { store, tools, executor: { isolation: from } });
  await first.run(`let error; ${caught}`);
  expect((await first.run(shown)).output).toStrictEqual(expected);
  const { status } = await first.start(`error = undefined; ${caught} await ask(); ${shown}`);
  expect(status).toBe('waiting');
  await first.cleanup();

  const again = await openSession('s', { store, tools: untouchable(tools), executor: { isolation: to } });
  const { output } = await again.answer({ 's/3/2': { result: 1 } });
  expect(output.output).toStrictEqual(expected);
});

test('tools of the session that is opened again are called by what comes next', async () => {
  const store = memoryStore();
  const first = await openSession('s', { store, tools: { add: async (n) => n + 1 } });
  await first.run('const one = await add(0)');
  await first.cleanup();
  const calls = [];
  const again = await openSession('s', { store, tools: { add: async (n) => (calls.push(n), n + 100) } });
  expect((await again.run('[one, await add(1)]')).output).toStrictEqual([1, 101]);
  expect(calls).toStrictEqual([1]);
});

test('a session continues after each of many openings', async () => {
  const store = memoryStore();
  for (let count = 1; count <= 6; count++) {
    const session = await openSession('s', { store, tools: { add: async (n) => n + 1 } });
    if (count === 1) await session.run('let total = 0; const drawn = []');
    const { output } = await session.run('drawn.push(Math.random()); total = await add(total)');
    expect(output).toBe(count);
    await session.cleanup();
  }
  const last = await openSession('s', { store });
  const { output } = await last.run('new Set(drawn).size');
  expect(output).toBe(6);
});

test('the seed decides about random numbers', async () => {
  const code = '[Math.random(), Math.random()]';
  const draw = async (id, seed) => (await (await openSession(id, { seed })).run(code)).output;
  const [a, b] = [await draw('a', 'one'), await draw('b', 'one')];
  expect(a).toStrictEqual(b);
  expect(await draw('c', 'two')).not.toStrictEqual(a);
  expect(await draw('d')).not.toStrictEqual(await draw('e'));
});

test('time stands still while code runs, and moves with answers', async () => {
  const session = await openSession('s', { tools: { wait: (ms) => new Promise((done) => setTimeout(done, ms)) } });
  const { output, logs } = await session.run(`
    const shown = () => new Intl.DateTimeFormat('en', { fractionalSecondDigits: 3 }).format();
    const before = Date.now(); const text = shown(); console.time('t'); for (let i = 0; i < 40_000; i++);
    const same = [Date.now() === before, shown() === text]; console.timeEnd('t');
    await wait(20); [...same, Date.now() - before >= 20, shown() !== text]`);
  expect(output).toStrictEqual([true, true, true, true]);
  expect(logs).toBe('t: 0ms');
});

test('failed programs are part of the session', async () => {
  const store = memoryStore();
  const first = await openSession('s', { store, tools: TOOLS });
  expect((await rejection(first.run('let state = 1; state++; throw new RangeError("own")'))).details.name).toBe(
    'RangeError',
  );
  expect((await rejection(first.run('while (true) state++'))).code).toBe('ERR_MAX_OPS_EXCEEDED');
  expect((await rejection(first.run('const = 1'))).code).toBe('ERR_VALIDATION_FAILED');
  const { output } = await first.run('state');
  await first.cleanup();
  const again = await openSession('s', { store, tools: untouchable(TOOLS) });
  expect((await again.run('state')).output).toBe(output);
});

test('cleanup keeps the journal, and init opens it again', async () => {
  const session = await openSession('s', { ...inFolder(), executor: { maxOperations: Infinity } });
  // The replay takes longer than a turn of the event loop.
  await session.run('let n = 5; for (let i = 0; i < 1e7; i++) n += i % 2 === 0 ? 1 : -1;');
  await session.cleanup();
  expect(session.state).toBe('DEAD');
  expect((await rejection(session.run('n'))).code).toBe('ERR_INVALID_STATE');
  const opening = session.init();
  const states = new Set();
  let isOpen = false;
  opening.finally(() => (isOpen = true));
  while (!isOpen) {
    states.add(session.state);
    await new Promise(setImmediate);
  }
  expect([...states]).toStrictEqual(['INITIALIZING', 'REPLAYING']);
  expect(session.state).toBe('READY');
  expect((await session.run('n')).output).toBe(5);
  await session.init();
  expect(session.state).toBe('READY');
});

test('tools that were sent later get their functions again without another entry', async () => {
  const store = memoryStore();
  const first = await openSession('s', { store });
  await first.sendTools({ later: async () => 'first' });
  expect((await first.run('await later()')).output).toBe('first');
  await first.cleanup();

  const again = await openSession('s', { store });
  const { details } = await expectCode(again.run('await later()'), 'ERR_TOOL_PROXY_FAIL');
  expect(details).toMatchObject({ tool: 'later' });
  const entries = (await all(store.read('s'))).length;
  await again.sendTools({ later: async () => 'second' });
  expect(await all(store.read('s'))).toHaveLength(entries);
  expect((await again.run('await later()')).output).toBe('second');
});

test('a session gets the new tools of a new version of its host', async () => {
  const store = memoryStore();
  const first = await openSession('s', { store, tools: { a: async () => 'a' } });
  await first.run('1');
  await first.cleanup();
  const second = await openSession('s', { store, tools: { a: async () => 'a', b: async () => 'b' } });
  expect((await second.run('await a() + await b()')).output).toBe('ab');
  await second.cleanup();
  const third = await openSession('s', { store, tools: { a: async () => 'A', b: async () => 'B' } });
  expect((await third.run('await a() + await b()')).output).toBe('AB');
});

test('a tool that is missing is refused, with its name', async () => {
  const store = memoryStore();
  const tools = { a: async () => 'a', Host: { b: async () => 'b' } };
  await (await openSession('s', { store, tools })).cleanup();
  const error = await rejection(openSession('s', { store, tools: { a: tools.a, Host: { c: tools.a } } }));
  expect(error.code).toBe('ERR_REPLAY_ENGINE');
  expect(error.details).toMatchObject({ name: 'tools', expected: ['Host.b'] });
});

describe('what a session was recorded with', () => {
  test('options that are omitted later keep their values', async () => {
    const store = memoryStore();
    const executor = { maxOperations: 7, language: 'javascript', maxLogBytes: 5_000 };
    const first = await openSession('s', { store, executor });
    expect((await rejection(first.run('for (let i = 0; i < 9; i++);'))).details.maxOperations).toBe(7);
    await first.cleanup();
    const again = await openSession('s', { store });
    expect((await rejection(again.run('for (let i = 0; i < 9; i++);'))).details.maxOperations).toBe(7);
    expect((await rejection(again.run('const n: number = 1'))).code).toBe('ERR_VALIDATION_FAILED');
  });

  test('a session without a limit of operations is opened again without one', async () => {
    const store = memoryStore();
    const loop = 'let n = 0; for (let i = 0; i < 60_000; i++) n++; n';
    const first = await openSession('s', { store, executor: { maxOperations: Infinity } });
    expect((await first.run(loop)).output).toBe(60_000);
    await first.cleanup();
    const again = await openSession('s', { store });
    expect((await again.run('n')).output).toBe(60_000);
    expect((await again.run(`{ ${loop} }`)).output).toBe(60_000);
  });

  test('another option is a change of the engine', async () => {
    const store = memoryStore();
    await (await openSession('s', { store, executor: { maxOperations: 100 } })).cleanup();
    const options = { store, executor: { maxOperations: 200 } };
    const error = await rejection(openSession('s', { ...options, onEngineChange: 'refuse' }));
    expect(error.code).toBe('ERR_REPLAY_ENGINE');
    expect(error.details).toMatchObject({ name: 'options.maxOperations', expected: '100', actual: '200' });
    await openSession('s', options);
  });

  test('the same options change nothing', async () => {
    const store = memoryStore();
    const options = { store, executor: { maxOperations: 100 }, onEngineChange: 'refuse' };
    await (await openSession('s', options)).cleanup();
    await openSession('s', options);
  });

  test('modules must be the same as before', async () => {
    const store = memoryStore();
    const executor = (text) => ({
      authorizedImports: ['m', 'h'],
      modules: { m: text, h: { value: 1, twice: (n) => n * 2 } },
    });
    const first = await openSession('s', { store, executor: executor('export const one = 1') });
    const code = `const { one } = await import('m'); const { twice, value } = await import('h');
      const got = [one, value, await twice(2)]; got`;
    expect((await first.run(code)).output).toStrictEqual([1, 1, 4]);
    await first.cleanup();
    const again = await openSession('s', { store, executor: executor('export const one = 1') });
    expect((await again.run('got')).output).toStrictEqual([1, 1, 4]);
    await again.cleanup();
    const error = await rejection(openSession('s', { store, executor: executor('export const one = 2') }));
    expect([error.code, error.details.name]).toStrictEqual(['ERR_REPLAY_ENGINE', 'options.modules']);
    expect((await rejection(openSession('s', { store }))).details.name).toBe('options.modules');
  });

  test('a session of the other engine says so', async () => {
    const store = memoryStore();
    await (await openSession('s', { store })).cleanup();
    const error = await rejection(openSession('s', { store, engine: 'python' }));
    expect([error.code, error.details.name]).toStrictEqual(['ERR_REPLAY_ENGINE', 'engine']);
  });

  test('a session keeps its time zone in a process', async () => {
    const store = memoryStore();
    const code = 'new Date(Date.UTC(2026, 0, 1)).getHours()';
    const first = await openSession('s', { store, timeZone: 'Asia/Tokyo' });
    expect([first.isolation.mode, (await first.run(`const hours = ${code}; hours`)).output]).toStrictEqual([
      'process',
      9,
    ]);
    await first.cleanup();
    const error = await rejection(openSession('s', { store, executor: { isolation: 'thread' } }));
    expect([error.code, error.details.name]).toStrictEqual(['ERR_REPLAY_ENGINE', 'timeZone']);
    const again = await openSession('s', { store });
    expect((await again.run(`[hours, ${code}]`)).output).toStrictEqual([9, 9]);
  });
});

describe('wrong options', () => {
  const store = memoryStore();
  test.each([
    ['keepState', { executor: { keepState: true } }, TypeError],
    ['autoInit', { executor: { autoInit: true } }, TypeError],
    ['recover: true', { executor: { recover: true } }, TypeError],
    ['no store', { store: undefined }, TypeError],
    ['no keys for files', { ...inFolderOptions(), keys: undefined }, TypeError],
    ['an empty key', { keys: { sign: '' } }, TypeError],
    ['an unknown option', { sotre: store }, TypeError],
    ['an unknown option of the executor', { executor: { maxOps: 1 } }, TypeError],
    ['an unknown durability', { durability: 'never' }, TypeError],
    ['an unknown rule', { inDoubt: 'guess' }, TypeError],
    ['tools that are none', { tools: { a: 5 } }, TypeError],
    ['an unknown time zone', { timeZone: 'Mars/Base' }, RangeError],
    ['no bytes', { maxJournalBytes: 0 }, RangeError],
  ])('%s', async (name, options, error) => {
    const thrown = await rejection(openSession('s', { ...options, store: 'store' in options ? options.store : store }));
    expect(thrown).toBeInstanceOf(error);
  });

  test.each([[''], ['a b'], ['x'.repeat(81)], ['ü'], [5]])('the id %j', async (id) => {
    expect((await rejection(openSession(id))).name).toMatch(/^(?:Type|Range)Error$/);
  });

  test('recover: "replay" is what a session does', async () => {
    await openSession('s', { executor: { recover: 'replay' } });
  });
});

function inFolderOptions() {
  return { store: { read() {}, append() {}, list() {}, remove() {} } };
}

test('a journal that ends after its head gets a seed, and draws the same numbers when it is opened again', async () => {
  const whole = memoryStore();
  await (await openSession('s', { store: whole })).cleanup();
  const store = storeOf((await all(whole.read('s'))).slice(0, 1));
  const session = await openSession('s', { store });
  await session.run('const drawn = Math.random()');
  const { output } = await session.run('drawn');
  await session.cleanup();
  expect((await (await openSession('s', { store })).run('drawn')).output).toBe(output);
});
