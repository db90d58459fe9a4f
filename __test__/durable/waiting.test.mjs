// Programs that wait for somebody: the calls, their answers, and what is not called twice.

import { describe, expect, test } from 'vitest';

import { currentCall, durable, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { SESExecutor, blocking, withTimeout } from '../../index.mjs';
import { expectCode, rejection } from '../helpers.mjs';
import { openSession } from './helpers.mjs';

/** Tools that count their calls. */
function counted() {
  const calls = [];
  const called = (name, args) => calls.push([name, ...args].join(' '));
  const tools = {
    a: async (n) => (called('a', [n]), n),
    s: (n) => (called('s', [n]), n + 1),
    ask: async (question) => (called('ask', [question]), waitForAnswer({ question })),
    askNow: (question) => (called('askNow', [question]), waitForAnswer({ question })),
    askBlocking: blocking(async (question) => (called('askBlocking', [question]), await null, waitForAnswer(question))),
  };
  return { calls, tools };
}

test('run rejects with ERR_RUN_WAITING, start returns it, and answer continues', async () => {
  const { calls, tools } = counted();
  const session = await openSession('s', { tools });
  const error = await rejection(
    session.run('const before = await a(1); const reply = await ask("pay?"); [before, reply, s(1)]'),
  );
  expect(error.code).toBe('ERR_RUN_WAITING');
  const call = { key: 's/1/2', name: 'ask', args: ['pay?'], payload: { question: 'pay?' }, isInDoubt: false };
  expect(error.details.calls).toStrictEqual([call]);
  expect(session.state).toBe('WAITING');
  expect(session.waiting).toStrictEqual([call]);
  const { status, output } = await session.answer({ 's/1/2': { result: 'yes' } });
  expect([status, output.output]).toStrictEqual(['finished', [1, 'yes', 2]]);
  expect(session.state).toBe('READY');
  expect(session.waiting).toStrictEqual([]);
  expect(calls).toStrictEqual(['a 1', 'ask pay?', 's 1']);
  expect(await session.start('await ask("more?")')).toMatchObject({ status: 'waiting', calls: [{ key: 's/2/1' }] });
});

// JSON has no Infinity: the note of the limit said `null`, which is no limit of a run.
test('a run without a limit of operations continues without one in another process', async () => {
  const options = { store: memoryStore(), tools: counted().tools };
  const first = await openSession('s', options);
  await first.start('await ask("pay?"); for (let i = 0; i < 60_000; i++); "done"', { maxOperations: Infinity });
  await first.cleanup();
  const session = await openSession('s', options);
  expect((await session.answer({ 's/1/1': { result: 'yes' } })).output.output).toBe('done');
});

test.each([
  ['an asynchronous tool', 'await ask("q")'],
  ['a synchronous tool', 'askNow("q")'],
  ['a blocking tool', 'askBlocking("q")'],
  ['a tool in a getter', '({ get x() { return askNow("q"); } }).x'],
  ['a tool in a callback of sort', '[3, 1, 2].sort((x, y) => x - y + askNow("q") * 0).length && "yes"'],
  ['a tool in a generator', '[...(function* () { yield askNow("q"); })()][0]'],
])('%s waits and gets its answer', async (name, code) => {
  const { tools } = counted();
  const session = await openSession('s', { tools });
  let result = await session.start(`const x = ${code}; x`);
  while (result.status === 'waiting') {
    const [{ key }] = result.calls;
    result = await session.answer({ [key]: { result: name.includes('sort') ? 0 : 'yes' } });
  }
  expect(result.output.output).toBe('yes');
});

test('calls that still run when a program begins to wait are finished first', async () => {
  const { calls, tools } = counted();
  let finish;
  const slow = async () => {
    await new Promise((done) => (finish = done));
    calls.push('slow');
    return 'slow';
  };
  const session = await openSession('s', { tools: { ...tools, slow } });
  const started = session.start('const [x, y] = await Promise.all([ask("q"), slow()]); [x, y]');
  await expect.poll(() => finish).toBeDefined();
  finish();
  expect((await started).calls.map(({ key }) => key)).toStrictEqual(['s/1/1']);
  expect(calls).toStrictEqual(['ask q', 'slow']);
  const { output } = await session.answer({ 's/1/1': { result: 'yes' } });
  expect(output.output).toStrictEqual(['yes', 'slow']);
  expect(calls).toStrictEqual(['ask q', 'slow']);
});

describe('several calls that wait', () => {
  const CODE = `const order = []; const w = async (name) => { const x = await ask(name); order.push(name); return x; };
    const all = await Promise.all([w('one'), w('two'), w('three')]); [all, order]`;

  test('are answered together', async () => {
    const session = await openSession('s', { tools: counted().tools });
    expect((await session.start(CODE)).calls.map(({ args }) => args[0])).toStrictEqual(['one', 'two', 'three']);
    const answers = Object.fromEntries(session.waiting.map(({ key, args }) => [key, { result: args[0].length }]));
    expect((await session.answer(answers)).output.output).toStrictEqual([
      [3, 3, 5],
      ['one', 'two', 'three'],
    ]);
  });

  test('are answered one by one, in any order', async () => {
    const store = memoryStore();
    const { calls, tools } = counted();
    let session = await openSession('s', { store, tools });
    await session.start(CODE);
    const waits = [];
    let result;
    for (const key of ['s/1/2', 's/1/3', 's/1/1']) {
      result = await session.answer({ [key]: { result: key } });
      waits.push(result.status === 'waiting' ? result.calls.map((call) => call.key) : result.status);
      if (result.status === 'finished') break;
      await session.cleanup();
      session = await openSession('s', { store, tools });
    }
    expect(waits).toStrictEqual([['s/1/1', 's/1/3'], ['s/1/1'], 'finished']);
    expect(result.output.output).toStrictEqual([
      ['s/1/1', 's/1/2', 's/1/3'],
      ['two', 'three', 'one'],
    ]);
    expect(calls).toStrictEqual(['ask one', 'ask two', 'ask three']);
  });

  test('race: the first answer decides, and a later one is stale', async () => {
    const session = await openSession('s', { tools: counted().tools });
    await session.start('const first = await Promise.race([ask("one"), ask("two")]); first');
    expect((await session.answer({ 's/1/2': { result: 'two' } })).output.output).toBe('two');
    expect(await session.answer({ 's/1/1': { result: 'one' } })).toStrictEqual({ status: 'stale' });
  });

  test('a program waits again', async () => {
    const { calls, tools } = counted();
    const session = await openSession('s', { tools });
    let result = await session.start('let sum = 0; for (let i = 0; i < 3; i++) sum += await ask(i); sum');
    for (let i = 1; result.status === 'waiting'; i++) {
      expect(result.calls.map(({ key }) => key)).toStrictEqual([`s/1/${i}`]);
      result = await session.answer({ [`s/1/${i}`]: { result: i } });
    }
    expect(result.output.output).toBe(6);
    expect(calls).toStrictEqual(['ask 0', 'ask 1', 'ask 2']);
  });
});

test('an answer can be an error, which the program can catch', async () => {
  const session = await openSession('s', { tools: counted().tools });
  await session.start('try { await ask("q") } catch (e) { [e.name, e.message, e.code] }');
  const error = { name: 'Denied', message: 'not today', code: 'E_DENIED' };
  const { output } = await session.answer({ 's/1/1': { error } });
  expect(output.output).toStrictEqual(['Denied', 'not today', 'E_DENIED']);
});

test('answer rejects as run would when the program fails, and the session continues', async () => {
  const session = await openSession('s', { tools: counted().tools });
  await session.start('var reached = 1; await ask("q")');
  const error = await rejection(session.answer({ 's/1/1': { error: { message: 'not today' } } }));
  expect([error.code, error.details.tool]).toStrictEqual(['ERR_TOOL_PROXY_FAIL', 'ask']);
  expect((await session.run('reached')).output).toBe(1);
});

test('while a run waits, run and sendVariables are refused', async () => {
  const session = await openSession('s', { tools: counted().tools });
  await session.start('await ask("q")');
  for (const call of [session.run('1'), session.sendVariables({ a: 1 })]) {
    const error = await rejection(call);
    expect(error.code).toBe('ERR_RUN_WAITING');
    expect(error.details.calls.map(({ key }) => key)).toStrictEqual(['s/1/1']);
  }
  expect(session.state).toBe('WAITING');
});

test('tools that are sent while a run waits reach the guest after it', async () => {
  const session = await openSession('s', { tools: counted().tools });
  await session.start('await ask("q")');
  await session.sendTools({ later: async () => 'later' });
  await session.answer({ 's/1/1': { result: 1 } });
  expect((await session.run('await later()')).output).toBe('later');
});

describe('approval', () => {
  const policy = (call) => (call.name === 'pay' ? { wait: { about: call.name, args: call.args } } : undefined);

  test('{ wait } of onToolCall pauses before the tool, and an approval makes the call', async () => {
    const paid = [];
    const tools = {
      pay: async (n) => (
        paid.push([n, currentCall().key, currentCall().attempt, currentCall().isApproved]),
        `paid ${n}`
      ),
    };
    const session = await openSession('s', { tools, executor: { onToolCall: policy } });
    const { calls } = await session.start('await pay(5)');
    expect(calls).toMatchObject([{ key: 's/1/1', name: 'pay', args: [5], payload: { about: 'pay', args: [5] } }]);
    expect(paid).toStrictEqual([]);
    expect((await session.answer({ 's/1/1': { approve: true } })).output.output).toBe('paid 5');
    expect(paid).toStrictEqual([[5, 's/1/1', 1, true]]);
  });

  test('waitForAnswer in onToolCall does the same', async () => {
    const tools = { pay: async (n) => `paid ${n}` };
    const executor = { onToolCall: async () => (await null, waitForAnswer('sure?')) };
    const session = await openSession('s', { tools, executor });
    expect((await session.start('await pay(5)')).calls).toMatchObject([{ payload: 'sure?' }]);
    expect((await session.answer({ 's/1/1': { approve: true } })).output.output).toBe('paid 5');
  });

  test('the policy still decides about the arguments of an approved call', async () => {
    let isLimited = false;
    const tools = { pay: async (n) => `paid ${n}` };
    const executor = { onToolCall: ({ args }) => (isLimited ? { args: [Math.min(args[0], 3)] } : { wait: null }) };
    const session = await openSession('s', { tools, executor });
    await session.start('await pay(5)');
    isLimited = true;
    expect((await session.answer({ 's/1/1': { approve: true } })).output.output).toBe('paid 3');
  });

  test('a tool can ask once, and act when it is approved', async () => {
    const attempts = [];
    const pay = async (n) => {
      const { attempt, isApproved } = currentCall();
      attempts.push(attempt);
      return isApproved ? `paid ${n}` : waitForAnswer({ amount: n });
    };
    const session = await openSession('s', { tools: { pay } });
    await session.start('await pay(5)');
    expect((await session.answer({ 's/1/1': { approve: true } })).output.output).toBe('paid 5');
    expect(attempts).toStrictEqual([1, 2]);
  });
});

test('answers of the wrong form are refused, and the run continues to wait', async () => {
  const session = await openSession('s', { tools: counted().tools });
  await session.start('await ask("q")');
  for (const answers of [undefined, [], { 's/1/1': 5 }, { 's/1/1': {} }, { 's/1/1': { error: 'no' } }]) {
    expect(await rejection(session.answer(answers))).toBeInstanceOf(TypeError);
  }
  expect(await session.answer({ 's/1/9': { result: 1 } })).toStrictEqual({ status: 'stale' });
  expect(session.waiting).toHaveLength(1);
});

test('a call that waits has no time limit', async () => {
  const { tools } = counted();
  const limited = withTimeout(async () => waitForAnswer('limited'), 20);
  const slow = async () => new Promise((done) => setTimeout(done, 100, 'slow'));
  const session = await openSession('s', { tools: { ...tools, limited, slow }, executor: { toolTimeoutMs: 1_000 } });
  const { calls } = await session.start('const got = await Promise.all([limited(), ask("q"), slow()]); got');
  expect(calls.map(({ name }) => name)).toStrictEqual(['limited', 'ask']);
  const answers = Object.fromEntries(calls.map(({ key }) => [key, { result: key }]));
  expect((await session.answer(answers)).output.output).toStrictEqual(['s/1/1', 's/1/2', 'slow']);
});

test('the key of a call is its id for onToolCall', async () => {
  const ids = [];
  const executor = { onToolCall: ({ id }) => void ids.push(id) };
  const session = await openSession('s', { tools: { a: async () => 1 }, executor });
  await session.run('await a(); await a()');
  await session.run('await a()');
  expect(ids).toStrictEqual(['s/1/1', 's/1/2', 's/2/1']);
});

test('in an executor that is not recorded, waiting fails the call', async () => {
  const executor = new SESExecutor({ onToolCall: ({ name }) => (name === 'policy' ? { wait: 1 } : undefined) });
  await executor.init();
  await executor.sendTools({ ask: async () => waitForAnswer(1), policy: async () => 1, where: () => currentCall() });
  for (const tool of ['ask', 'policy']) {
    const { details } = await expectCode(executor.run(`await ${tool}()`), 'ERR_TOOL_PROXY_FAIL');
    expect(details).toMatchObject({ tool });
  }
  expect((await executor.run('where()')).output).toBeUndefined();
  await executor.cleanup();
});

test('durable keeps the name, the length and the behaviour of a function', async () => {
  const fn = durable(
    async function pay(a, b) {
      return [a, b]; // prettier-ignore
    },
    { inDoubt: 'repeat' },
  );
  expect([fn.name, fn.length]).toStrictEqual(['pay', 2]);
  expect(await fn(1, 2)).toStrictEqual([1, 2]);
  expect(() => durable(5, {})).toThrow(TypeError);
  expect(() => durable(() => {}, { inDoubt: 'maybe' })).toThrow(TypeError);
  expect(() => durable(() => {}, { redo: () => {} })).toThrow(TypeError);
});
