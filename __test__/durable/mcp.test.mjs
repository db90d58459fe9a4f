// An MCP server with a durable session: it asks the person at the client about calls that wait.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { createMcpServer } from 'ses-executor/mcp';
import { PyodideExecutor } from 'ses-executor/python';
import { SESExecutor } from '../../index.mjs';
import { createServed } from '../../build/adapters/mcp/server.js';
import { deferred, rejection } from '../helpers.mjs';
import { all, openSession } from './helpers.mjs';

const CODE = '[await charge(5), await ask("Ship?").catch(({ code }) => code)]';
const CALL = { key: 's/1/2', name: 'ask', args: ['Ship?'], payload: { question: 'Ship?' }, isInDoubt: false };

/** A client of a server whose code can charge and ask. `decide` replies to elicitations. */
async function connect(executor, decide, more = {}, options = {}) {
  const calls = [];
  const tools = {
    charge: async (amount) => (calls.push(`charge ${amount}`), amount),
    ask: async (question) => waitForAnswer({ question }),
    ...more,
  };
  const server = await createMcpServer({ executor, tools, ...options });
  const capabilities = decide === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  if (decide !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => decide(params));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => server.close());
  // The client checks `structuredContent` against the schema of the tool.
  await client.listTools();
  const run = (code, more) => client.callTool({ name: 'run_javascript', arguments: { code, ...more } });
  return { calls, run, reset: () => client.callTool({ name: 'reset', arguments: {} }), close: () => server.close() };
}

test('a program that waits is a result with its calls, and a client that can ask continues it in another process', async () => {
  const store = memoryStore();
  const first = await connect(await openSession('s', { store }));
  const waiting = await first.run(CODE);
  expect(waiting.isError).toBeUndefined();
  expect(waiting.structuredContent).toStrictEqual({ waiting: [CALL], logs: '' });
  const asked = [];
  const second = await connect(await openSession('s', { store }), ({ message }) => {
    asked.push(message);
    return { action: 'accept', content: { decision: 'answer', answer: 'yes' } };
  });
  expect((await second.run(CODE)).structuredContent).toStrictEqual({ output: [5, 'yes'], logs: '' });
  expect(asked).toStrictEqual(['A program waits for your decision about:\n- ask("Ship?"): {"question":"Ship?"}']);
  expect([first.calls, second.calls]).toStrictEqual([['charge 5'], []]);
});

test.each([
  ['declines', { action: 'decline' }],
  ['refuses', { action: 'accept', content: { decision: 'refuse' } }],
])('a person who %s makes the call fail', async (_, reply) => {
  const { run } = await connect(await openSession('s'), () => reply);
  expect((await run(CODE)).structuredContent.output).toStrictEqual([5, 'ERR_NOT_APPROVED']);
});

test('a person who cancels leaves the program waiting', async () => {
  const { run } = await connect(await openSession('s'), () => ({ action: 'cancel' }));
  expect((await run(CODE)).structuredContent.waiting).toStrictEqual([CALL]);
});

test('an approval makes the call', async () => {
  const onToolCall = ({ name }) => (name === 'charge' ? { wait: null } : undefined);
  const executor = await openSession('s', { executor: { onToolCall } });
  const { calls, run } = await connect(executor, () => ({ action: 'accept', content: { decision: 'approve' } }));
  expect((await run('await charge(5)')).structuredContent.output).toBe(5);
  expect(calls).toStrictEqual(['charge 5']);
});

test('an approval of the plan, which the person reads, covers the calls in it', async () => {
  const paid = [];
  const pay = { needsApproval: true, execute: ({ n }) => (paid.push(n), n) };
  const asked = [];
  const decide = (params) => {
    asked.push(params);
    return { action: 'accept', content: { decision: 'approve plan' } };
  };
  const { run } = await connect(await openSession('s'), decide, { pay });
  const code = 'for (const n of [1, 2, 3]) await pay({ n }); display("all"); await charge(7)';
  expect((await run(code)).structuredContent.output).toBe(7);
  expect(paid).toStrictEqual([1, 2, 3]);
  expect(asked.map(({ message }) => message)).toStrictEqual([
    [
      'A program waits for your decision about:',
      '- pay({"n":1}): {"needsApproval":"pay"}',
      '',
      'The plan of the program:',
      'The program can call 2 tools:',
      '- charge: once',
      '    line 1: charge(7)',
      '- pay: at most 3 times',
      '    line 1: pay({ n: 1 | 2 | 3 }) at most 3 times',
    ].join('\n'),
  ]);
  expect(asked[0].requestedSchema.properties.decision.enum).toStrictEqual([
    'approve',
    'approve plan',
    'answer',
    'refuse',
  ]);
});

describe('with enforcePlan', () => {
  const paying = () => {
    const paid = [];
    return { paid, tools: { pay: { needsApproval: true, execute: ({ n }) => (paid.push(n), n) } } };
  };

  test('a run is held to the plan that a person has approved, also in another process', async () => {
    const store = memoryStore();
    const asked = [];
    const { paid, tools } = paying();
    const code = 'for (const n of [1, 2, 3]) await pay({ n }); await charge(7)';
    const first = await connect(await openSession('s', { store }), undefined, tools, { enforcePlan: true });
    expect((await first.run(code)).structuredContent.waiting).toHaveLength(1);
    const decide = ({ message }) => (asked.push(message), { action: 'accept', content: { decision: 'approve plan' } });
    const session = await openSession('s', { store });
    const second = await connect(session, decide, tools, { enforcePlan: true });
    expect((await second.run(code)).structuredContent).toStrictEqual({ output: 7, logs: '' });
    expect([paid, asked.length]).toStrictEqual([[1, 2, 3], 1]);
    const { plan: approved } = JSON.parse(
      (await all(session.history())).map(({ waiting }) => waiting?.payload).find(Boolean),
    ).payload;
    const held = (await all(session.history())).find(({ plan }) => plan !== undefined);
    expect(held.plan).toStrictEqual({ run: 1, plan: approved });
    expect(approved.tools.map(({ name, times }) => [name, times])).toStrictEqual([
      ['charge', 'once'],
      ['pay', { atMost: 3 }],
    ]);
  });

  test.each([
    [undefined, [666], 666],
    [false, [666], 666],
    [true, [], 'ERR_CALL_NOT_PLANNED'],
  ])(
    '%j, a call that is not in the plan of the program has these effects: %j',
    async (enforcePlan, effects, output) => {
      // The plan does not know what the owner of the executor adds to programs.
      class Adding extends SESExecutor {
        run(code, options) {
          return super.run(`${code}; await charge(666).catch(({ code }) => code)`, options);
        }
      }
      const { calls, run } = await connect(new Adding(), undefined, {}, { enforcePlan });
      expect((await run('1')).structuredContent).toStrictEqual({ output, logs: '' });
      expect(calls).toStrictEqual(effects.map((n) => `charge ${n}`));
    },
  );

  test('is refused where there are no plans', async () => {
    const refusal = (options) => rejection(createMcpServer(options)).then(({ name, message }) => [name, message]);
    expect(await refusal({ enforcePlan: 'yes' })).toStrictEqual([
      'TypeError',
      'options.enforcePlan must be a boolean, got "yes"',
    ]);
    expect(await refusal({ enforcePlan: true, executor: new PyodideExecutor() })).toStrictEqual([
      'TypeError',
      'options.enforcePlan needs a JavaScript executor of this package: other programs have no plans',
    ]);
  });
});

// The program ran again from its beginning, with all its effects.
describe('a program that has ended does not run again', () => {
  const ENDED = 'the program is no longer waiting, because an earlier answer continued it; nothing was run';

  test('when a second dialog about the same call is answered', async () => {
    const dialogs = [deferred(), deferred()];
    let asked = 0;
    const decide = async () => {
      const dialog = dialogs[asked++];
      if (asked === 2) dialogs[0].resolve();
      await dialog.promise;
      return { action: 'accept', content: { decision: 'answer', answer: 'yes' } };
    };
    const { calls, run } = await connect(await openSession('s'), decide);
    const [first, second] = [run(CODE), run(CODE)];
    expect((await Promise.race([first, second])).structuredContent.output).toStrictEqual([5, 'yes']);
    dialogs[1].resolve();
    const ends = (await Promise.all([first, second])).map(({ structuredContent }) => structuredContent.error);
    expect(ends.filter(Boolean)).toMatchObject([{ code: 'ERR_INVALID_STATE', hint: ENDED }]);
    expect([asked, calls]).toStrictEqual([2, ['charge 5']]);
  });

  test('when a client of protocol 2026-07-28 repeats its request twice', async () => {
    const calls = [];
    const tools = { charge: async (n) => (calls.push(n), n), ask: async (question) => waitForAnswer({ question }) };
    const served = createServed({ executor: await openSession('s'), tools });
    onTestFinished(() => served.close());
    const asked = new Error('a person has to decide');
    const call = (more) =>
      served.tools[0].call(
        { code: CODE },
        { signal: new AbortController().signal, sendNotification: async () => {}, ...more },
      );
    expect(await rejection(call({ ask: () => Promise.reject(asked) }))).toBe(asked);
    const repeated = () => call({ isRepeated: true, ask: async () => ({ result: 'yes' }) });
    expect((await repeated()).structuredContent.output).toStrictEqual([5, 'yes']);
    expect((await repeated()).structuredContent.error).toMatchObject({
      code: 'ERR_INVALID_STATE',
      hint: ENDED,
    });
    expect(calls).toStrictEqual([5]);
  });
});

test.each([
  ['a call has no plan', 'await ask("Ship?").catch(({ code }) => code)'],
  ['the plan has no limits', 'globalThis.x; await pay({ n: 1 }).catch(({ code }) => code)'],
])('nobody can approve a plan if %s', async (_, code) => {
  const asked = [];
  const decide = ({ requestedSchema }) => {
    asked.push(requestedSchema.properties.decision.enum);
    return { action: 'accept', content: { decision: 'approve plan' } };
  };
  const pay = { needsApproval: true, execute: ({ n }) => n };
  const { run } = await connect(await openSession('s'), decide, { pay });
  // The client's answer is not one of those that it was asked for.
  expect((await run(code)).structuredContent.waiting).toHaveLength(1);
  expect(asked).toStrictEqual([['approve', 'answer', 'refuse']]);
});

test.each([
  ['the tool reset', async ({ reset }) => void (await reset())],
  ['the argument reset', async ({ run }) => void (await run('1', { reset: true }))],
])(
  '%s begins a new journal, also while a program waits, and a later process has no earlier state',
  async (_, forget) => {
    const store = memoryStore();
    const first = await connect(await openSession('s', { store }));
    await first.run('var kept = 1');
    expect((await first.run(CODE)).structuredContent.waiting).toStrictEqual([{ ...CALL, key: 's/2/2' }]);
    await forget(first);
    expect((await first.run('typeof kept')).structuredContent.output).toBe('undefined');
    await first.run('var later = 2');
    await first.close();
    const second = await connect(await openSession('s', { store }));
    expect((await second.run('[typeof kept, later]')).structuredContent.output).toStrictEqual(['undefined', 2]);
  },
);
