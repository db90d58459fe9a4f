// The code tool with a durable session: programs that wait, and calls of the tool that continue them.

import { expect, test } from 'vitest';

import { createCodeTool } from 'ses-executor/code-tool';
import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { openSession } from './helpers.mjs';

const CODE = 'const paid = await pay({ amount: 5 }); const reply = await ask({ question: "Ship?" }); [paid, reply]';
const ASKED = { name: 'ask', args: [{ question: 'Ship?' }], payload: { question: 'Ship?' }, isInDoubt: false };

const NUMBER = { type: 'object', properties: { amount: { type: 'number' } } };
const TEXT = { type: 'object', properties: { question: { type: 'string' } } };

/** A code tool with tools that count their calls. */
function counting(executor, options = {}) {
  const calls = [];
  const tools = {
    pay: {
      inputSchema: NUMBER,
      execute: async ({ amount }) => {
        calls.push(`pay ${amount}`);
        return amount;
      },
      ...options.pay,
    },
    ask: {
      inputSchema: TEXT,
      execute: async ({ question }) => {
        calls.push(`ask ${question}`);
        return waitForAnswer({ question });
      },
    },
  };
  return { calls, tool: createCodeTool({ tools, executor, ...options.tool }) };
}

test.each([
  ['javascript', CODE],
  ['python', 'paid = pay(amount=5)\nreply = ask(question="Ship?")\n[paid, reply]'],
])(
  'a program in %s that waits is a result, and the same code continues it in another process',
  async (engine, code) => {
    const store = memoryStore();
    const first = counting(await openSession('s', { store, engine }));
    const waiting = await first.tool.execute(code);
    expect(waiting).toStrictEqual({
      waiting: [{ key: 's/1/2', ...ASKED }],
      logs: '',
      text: `The program has not ended. It waits for the answer to:
- ask({"question":"Ship?"}): {"question":"Ship?"}
When the answer has arrived, send the same code again: the program continues after this call. Do not send other code before that.`,
    });
    const second = counting(await openSession('s', { store, engine }));
    expect(await second.tool.execute(code)).toStrictEqual(waiting);
    const seen = [];
    const answer = (calls) => {
      seen.push(...calls);
      return { 's/1/2': { result: 'yes' } };
    };
    const { output } = await second.tool.execute(code, { answer });
    expect(output).toStrictEqual([5, 'yes']);
    expect(seen).toStrictEqual(waiting.waiting);
    expect([first.calls, second.calls]).toStrictEqual([['pay 5', 'ask Ship?'], []]);
  },
);

test('other code does not run while a program waits, and the failure names the calls', async () => {
  const { tool, calls } = counting(await openSession('s'));
  await tool.execute(CODE);
  const { error } = await tool.execute('await pay({ amount: 7 })');
  expect(error.code).toBe('ERR_RUN_WAITING');
  expect(error.hint).toBe(`This code has not run. An earlier program has not ended. It waits for the answer to:
- ask({"question":"Ship?"}): {"question":"Ship?"}
When the answer has arrived, send the same code again: the program continues after this call. Do not send other code before that.`);
  expect(calls).toStrictEqual(['pay 5', 'ask Ship?']);
});

test('a tool that needs approval pauses the program, and is called when the call is approved', async () => {
  const { tool, calls } = counting(await openSession('s'), { pay: { needsApproval: ({ amount }) => amount > 100 } });
  const code = 'await pay({ amount: 1 }); await pay({ amount: 500 }).catch(({ code, message }) => [code, message])';
  const { waiting } = await tool.execute(code);
  const payload = { needsApproval: 'pay', plan: expect.objectContaining({ version: 1 }) };
  expect(waiting).toStrictEqual([{ key: 's/1/2', name: 'pay', args: [{ amount: 500 }], payload, isInDoubt: false }]);
  expect(calls).toStrictEqual(['pay 1']);
  const approved = await tool.execute(code, { answer: ([{ key }]) => ({ [key]: { approve: true } }) });
  expect(approved.output).toBe(500);
  expect(calls).toStrictEqual(['pay 1', 'pay 500']);

  const again = await tool.execute(code);
  expect(again.waiting[0].key).toBe('s/2/2');
  const refusal = { message: 'not today', code: 'ERR_NOT_APPROVED' };
  const refused = await tool.execute(code, { answer: () => ({ 's/2/2': { error: refusal } }) });
  expect(refused.output).toStrictEqual(['ERR_NOT_APPROVED', 'not today']);
  expect(calls).toStrictEqual(['pay 1', 'pay 500', 'pay 1']);
});

const FORTY = `const paid = [];
for (let amount = 1; amount <= 40; amount++) paid.push(await pay({ amount }));
paid.length`;

test('one approval of the plan covers all calls of the program that are in it, also in another process', async () => {
  const store = memoryStore();
  const options = { pay: { needsApproval: true } };
  const first = counting(await openSession('s', { store }), options);
  const code = `${FORTY}; const reply = await ask({ question: "More?" }); await pay({ amount: 41 }); [paid.length, reply]`;
  const { waiting } = await first.tool.execute(code);
  expect(waiting).toMatchObject([{ key: 's/1/1', payload: { needsApproval: 'pay' } }]);
  const asked = await first.tool.execute(code, { answer: () => ({ 's/1/1': { approve: 'plan' } }) });
  expect(asked.waiting).toMatchObject([{ key: 's/1/41', name: 'ask' }]);
  expect(first.calls).toHaveLength(41);
  const second = counting(await openSession('s', { store }), options);
  const { output } = await second.tool.execute(code, { answer: () => ({ 's/1/41': { result: 'yes' } }) });
  expect([output, second.calls]).toStrictEqual([[40, 'yes'], ['pay 41']]);
  // The next program is asked for again.
  expect((await second.tool.execute('await pay({ amount: 1 })')).waiting).toHaveLength(1);
});

test('an approval of the plan covers calls that wait already, but no questions', async () => {
  const { tool, calls } = counting(await openSession('s'), { pay: { needsApproval: true } });
  const pays = '[5, 6, 7].map((amount) => pay({ amount }))';
  const code = `await Promise.all([...${pays}, ask({ question: "Why?" })])`;
  const { waiting } = await tool.execute(code);
  expect(waiting.map(({ key }) => key)).toStrictEqual(['s/1/1', 's/1/2', 's/1/3', 's/1/4']);
  expect(calls).toStrictEqual(['ask Why?']);
  const asked = await tool.execute(code, { answer: () => ({ 's/1/2': { approve: 'plan' } }) });
  expect(asked.waiting).toMatchObject([{ key: 's/1/4', name: 'ask' }]);
  expect(calls.toSorted()).toStrictEqual(['ask Why?', 'pay 5', 'pay 6', 'pay 7']);
  const { output } = await tool.execute(code, { answer: () => ({ 's/1/4': { result: 'so' } }) });
  expect([output, calls.length]).toStrictEqual([[5, 6, 7, 'so'], 4]);
});

test('an approval of a plan needs a call that has one', async () => {
  const session = await openSession('s', { tools: { ask: async () => waitForAnswer({ plan: 'none' }) } });
  await session.start('await ask()');
  await expect(session.answer({ 's/1/1': { approve: 'plan' } })).rejects.toThrow(
    new TypeError('answers["s/1/1"].approve must be true: the payload of the call has no plan'),
  );
  expect((await session.answer({ 's/1/1': { result: 1 } })).output.output).toBe(1);
});

// A session has no isolate while a run waits, so plans and descriptions had nothing of its options and tools.
test.each(['in the same process', 'opened again'])(
  'a session whose run waits offers code the same as before: %s',
  async (when) => {
    // The journal has the globals and the language, and not the network.
    const network = { allow: ['api.example.com'] };
    const options = {
      store: memoryStore(),
      executor: { globals: ['timers', 'fetch'], network, language: 'typescript' },
      tools: { ask: async () => waitForAnswer({}), pay: (/** @type {number} */ n) => n },
    };
    const session = await openSession('s', options);
    const seen = async (/** @type {typeof session} */ executor) => {
      const tool = createCodeTool({ tools: {}, executor });
      const { tools } = await tool.plan("const n: number = 1; await fetch('https://api.example.com'); await pay(n)");
      return { description: tool.description, tools: tools.map(({ name }) => name).toSorted() };
    };
    const before = await seen(session);
    expect(before.tools).toStrictEqual(['fetch', 'pay']);
    await session.start('await ask()');
    if (when === 'opened again') await session.cleanup();
    const again = { ...options, executor: { network } };
    const waiting = when === 'opened again' ? await openSession('s', again) : session;
    expect(waiting.state).toBe('WAITING');
    const { description, tools } = await seen(waiting);
    expect(description).toBe(before.description);
    expect(tools).toContain('fetch');
    expect(tools).toContain('pay');
  },
);

test('a session in Python whose run waits offers its modules and its network', async () => {
  const executor = { authorized_imports: ['math'], network: { allow: ['api.example.com'] } };
  const tools = { ask: async () => waitForAnswer({}) };
  const session = await openSession('s', { engine: 'python', executor, tools });
  const described = () => createCodeTool({ tools: {}, executor: session }).description;
  const before = described();
  await session.start('ask()');
  expect(session.state).toBe('WAITING');
  expect(described()).toBe(before);
});

test('approve decides in place of the pause', async () => {
  const tool = { approve: ({ input }) => input.amount < 100 };
  const made = counting(await openSession('s'), { pay: { needsApproval: true }, tool });
  expect((await made.tool.execute('await pay({ amount: 5 })')).output).toBe(5);
});

test('an abort ends a program that continues', async () => {
  const { tool } = counting(await openSession('s'));
  const code = 'await ask({ question: "on?" }); await new Promise(() => {})';
  await tool.execute(code);
  const ended = new AbortController();
  const answer = ([{ key }]) => {
    setImmediate(() => ended.abort(new Error('stop')));
    return { [key]: { result: 'yes' } };
  };
  const { error } = await tool.execute(code, { signal: ended.signal, answer });
  expect([error.code, error.message]).toStrictEqual(['ERR_EXEC_TIMEOUT', 'Execution aborted: stop']);
});

test('a program that must continue does not start again when it has ended', async () => {
  const { tool } = counting(await openSession('s'));
  const code = 'await ask({ question: "on?" })';
  await tool.execute(code);
  const answer = ([{ key }]) => ({ [key]: { result: 'yes' } });
  expect((await tool.execute(code, { answer, continues: true })).output).toBe('yes');
  const { error } = await tool.execute(code, { answer, continues: true });
  expect(error.code).toBe('ERR_INVALID_STATE');
  expect(error.hint).toContain('is no longer waiting');
  expect((await tool.execute(code)).waiting[0].key).toBe('s/2/1');
});
