// Approvals of the AI SDK inside programs of a `DurableSession`: the program waits, and goes on after the call.

import * as ai6 from 'ai';
import * as mocks6 from 'ai/test';
import * as ai7 from 'ai-v7';
import * as mocks7 from 'ai-v7/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createCodeTool } from 'ses-executor/ai';
import { DurableSession, memoryStore } from 'ses-executor/durable';
import { openSession } from './helpers.mjs';

const VERSIONS = { 6: { ...ai6, Model: mocks6.MockLanguageModelV3 }, 7: { ...ai7, Model: mocks7.MockLanguageModelV4 } };

describe.each(Object.keys(VERSIONS))('AI SDK %s', (version) => {
  const { Model, generateText, stepCountIs, tool } = VERSIONS[version];

  /** A conversation with a model whose turns are given, and a session that can be opened again. */
  async function conversation(turns, options = {}) {
    const store = memoryStore();
    const paid = [];
    const messages = [{ role: 'user', content: 'go' }];
    const pay = tool({
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: ({ amount }) => amount > 10,
      execute: async ({ amount }) => paid.push(amount),
    });
    let turn = 0;
    const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };
    const model = new Model({
      doGenerate: async () => {
        const { code, text } = turns[turn++];
        const call = {
          type: 'tool-call',
          toolCallId: `call-${turn}`,
          toolName: 'code',
          input: JSON.stringify({ code }),
        };
        const content = [text === undefined ? call : { type: 'text', text }];
        return { content, finishReason: { unified: text === undefined ? 'tool-calls' : 'stop' }, usage, warnings: [] };
      },
    });
    let session = await DurableSession.open('chat', { store });
    let code = createCodeTool({ tools: { pay }, executor: session, ...options });
    return {
      paid,
      get session() {
        return session;
      },
      /** Sends the messages; returns the results of the code, and whether approval is requested. */
      send: async () => {
        const {
          content,
          steps,
          response,
          responseMessages = response.messages,
        } = await generateText({
          model,
          tools: { code },
          stopWhen: stepCountIs(9),
          messages,
        });
        messages.push(...responseMessages);
        const request = content.find(({ type }) => type === 'tool-approval-request');
        const outputs = steps
          .flatMap(({ content }) => content)
          .filter(({ type }) => ['tool-result', 'tool-error'].includes(type))
          .map(({ output, error }) => output?.output ?? error.failure.code);
        return { outputs, request };
      },
      decide: ({ approvalId }, approved, reason) =>
        messages.push({ role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved, reason }] }),
      restart: async () => {
        await session.cleanup();
        session = await DurableSession.open('chat', { store, tools: {} });
        code = createCodeTool({ tools: { pay }, executor: session, ...options });
      },
      /** Results of the tool in the messages, which an approved call gives before the model's turn. */
      results: () =>
        messages
          .flatMap(({ content }) => (Array.isArray(content) ? content : []))
          .filter(({ type }) => type === 'tool-result')
          .map(({ output }) => output),
      end: () => session.cleanup(),
    };
  }

  const LOOP =
    'const receipts = [];\nfor (const amount of [5, 20, 7, 30]) receipts.push(await pay({ amount }));\nreceipts';

  test('each call that needs approval pauses the program, which repeats nothing', async () => {
    const chat = await conversation([{ code: LOOP }, { code: LOOP }, { text: 'done' }]);
    const first = await chat.send();
    expect(first.request.toolCall.input).toStrictEqual({ code: LOOP });
    expect(chat.paid).toStrictEqual([5]);
    expect(chat.session.waiting.map(({ name, args }) => [name, args])).toStrictEqual([['pay', [{ amount: 20 }]]]);
    chat.decide(first.request, true);
    const second = await chat.send();
    expect(chat.paid).toStrictEqual([5, 20, 7]);
    expect(second.request.toolCall.toolCallId).toBe('call-2');
    chat.decide(second.request, true);
    await chat.send();
    expect(chat.paid).toStrictEqual([5, 20, 7, 30]);
    expect(chat.results().at(-1).value).toStrictEqual({ output: [1, 2, 3, 4], logs: '' });
    expect(chat.session.state).toBe('READY');
    await chat.end();
  });

  test.each([
    ['the same process', false],
    ['another process', true],
  ])('with approvesPlans one approval covers the calls in the plan, in %s', async (_, restarts) => {
    const chat = await conversation([{ code: LOOP }, { text: 'done' }], { approvesPlans: true });
    const { request } = await chat.send();
    expect(chat.paid).toStrictEqual([5]);
    if (restarts) await chat.restart();
    chat.decide(request, true);
    await chat.send();
    expect(chat.paid).toStrictEqual([5, 20, 7, 30]);
    expect(chat.results().at(-1).value).toStrictEqual({ output: [1, 2, 3, 4], logs: '' });
    await chat.end();
  });

  test('with approvesPlans a program whose plan has no limits is asked about call by call', async () => {
    const code = `globalThis.x;\n${LOOP}`;
    const chat = await conversation([{ code }, { code }, { text: 'done' }], { approvesPlans: true });
    const first = await chat.send();
    chat.decide(first.request, true);
    const second = await chat.send();
    expect(chat.paid).toStrictEqual([5, 20, 7]);
    expect(second.request.toolCall.toolCallId).toBe('call-2');
    await chat.end();
  });

  test('approvesPlans must be a boolean', () => {
    const message = 'options.approvesPlans must be a boolean, got "yes"';
    expect(() => createCodeTool({ tools: {}, approvesPlans: 'yes' })).toThrow(message);
  });

  test('conversations whose calls have the same id do not get the results of each other', async () => {
    const read = tool({ inputSchema: z.object({}), execute: async (_, { toolCallId }) => toolCallId });
    const pay = tool({ inputSchema: z.object({}), needsApproval: true, execute: async () => 'paid' });
    const sessions = { alice: await openSession('alice'), bob: await openSession('bob') };
    const code = createCodeTool({ tools: { read, pay }, executor: ({ messages: [{ content }] }) => sessions[content] });
    const callOf = (content) => ({ toolCallId: 'functions.code:0', messages: [{ role: 'user', content }] });
    const [ofAlice, ofBob] = [{ code: 'await read({}); "of Alice"' }, { code: '1 + 1' }];
    expect(await code.needsApproval(ofAlice, callOf('alice'))).toBe(false);
    expect(await code.needsApproval(ofBob, callOf('bob'))).toBe(false);
    expect((await code.execute(ofBob, callOf('bob'))).output).toBe(2);
    expect((await code.execute(ofAlice, callOf('alice'))).output).toBe('of Alice');
    // In one conversation too, the result of a program is not that of another one with the same id.
    expect(await code.needsApproval(ofAlice, callOf('bob'))).toBe(false);
    expect(await code.needsApproval({ code: '3' }, callOf('bob'))).toBe(false);
    expect((await code.execute({ code: '3' }, callOf('bob'))).output).toBe(3);
  });

  test('the approval survives a restart of the process', async () => {
    const chat = await conversation([
      { code: 'const first = await pay({ amount: 1 });\n[first, await pay({ amount: 50 })]' },
      { text: 'done' },
    ]);
    const { request } = await chat.send();
    await chat.restart();
    expect(chat.session.state).toBe('WAITING');
    chat.decide(request, true);
    await chat.send();
    expect(chat.paid).toStrictEqual([1, 50]);
    expect(chat.results().at(-1).value).toStrictEqual({ output: [1, 2], logs: '' });
    await chat.end();
  });

  test('a refused call fails in the program before other code runs', async () => {
    const chat = await conversation([
      {
        code: 'var reasons = [];\nfor (const amount of [50, 60]) await pay({ amount }).catch(({ code, message }) => reasons.push([code, message]));',
      },
      { code: 'await pay({ amount: 2 }); reasons' },
      { text: 'done' },
    ]);
    const { request } = await chat.send();
    chat.decide(request, false, 'too much');
    const { outputs } = await chat.send();
    const reason = [
      'ERR_NOT_APPROVED',
      'a person has refused this call of pay: too much; do not try it again unless the person asks for it',
    ];
    expect(outputs.at(-1)).toStrictEqual([reason, reason]);
    expect(chat.paid).toStrictEqual([2]);
    await chat.end();
  });

  test('a program that names such a tool and does not need approval runs immediately', async () => {
    const chat = await conversation([{ code: 'pay; await pay({ amount: 3 })' }, { code: 'fail()' }, { text: 'done' }]);
    const { outputs, request } = await chat.send();
    expect(request).toBeUndefined();
    expect(outputs).toStrictEqual([1, 'ERR_RUNTIME_EXCEPTION']);
    await chat.end();
  });

  test('an approval counts for the calls that waited when it was requested', async () => {
    const chat = await conversation([
      { code: 'await pay({ amount: 20 }); await pay({ amount: 30 })' },
      { text: 'done' },
    ]);
    const { request } = await chat.send();
    // Somebody else answers this call, and the program comes to the next one.
    const [{ key }] = chat.session.waiting;
    await chat.session.answer({ [key]: { result: 0 } });
    chat.decide(request, true);
    await chat.send();
    expect(chat.paid).toStrictEqual([]);
    expect(chat.session.waiting.map(({ args }) => args)).toStrictEqual([[{ amount: 30 }]]);
    await chat.end();
  });
});
