// Approvals of the OpenAI Agents SDK inside programs of a `DurableSession`: the run of the agent is interrupted, and
// the program goes on after the call when it is resumed.

import { Agent, RunState, Runner, Usage, tool } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { DurableSession, memoryStore } from 'ses-executor/durable';
import { createCodeTool } from 'ses-executor/openai-agents';

/** An agent whose model has these turns, and a session that can be opened again. */
async function conversation(turns, options = {}) {
  const store = memoryStore();
  const paid = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ amount: z.number() }),
    needsApproval: async (_, { amount }) => amount > 10,
    execute: async ({ amount }) => paid.push(amount),
  });
  let turn = 0;
  const getResponse = async () => {
    const { code, text } = turns[turn++];
    const output = [
      text === undefined
        ? { type: 'function_call', callId: `call-${turn}`, name: 'code', arguments: JSON.stringify({ code }) }
        : { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
    ];
    return { usage: new Usage(), output };
  };
  const runner = new Runner({ tracingDisabled: true, modelProvider: { getModel: () => ({ getResponse }) } });
  const open = async () => {
    const session = await DurableSession.open('chat', { store });
    const code = createCodeTool({ tools: [pay], name: 'code', executor: session, ...options });
    return { session, agent: new Agent({ name: 'payer', instructions: '', tools: [code] }) };
  };
  let opened = await open();
  return {
    paid,
    get session() {
      return opened.session;
    },
    /** @param input the question, or a state to resume */
    run: (input) => runner.run(opened.agent, input),
    /** The state in another process. */
    restart: async (state) => {
      await opened.session.cleanup();
      opened = await open();
      return RunState.fromString(opened.agent, state.toString());
    },
  };
}

const results = ({ newItems }) =>
  newItems
    .filter(({ type }) => type === 'tool_call_output_item')
    .map(({ rawItem }) => rawItem.output.text ?? rawItem.output);

const LOOP =
  'const receipts = [];\nfor (const amount of [5, 20, 7, 30]) receipts.push(await pay({ amount }));\nreceipts';

describe('a program that calls a tool with needsApproval', () => {
  test('interrupts the run at each such call, and repeats nothing', async () => {
    const chat = await conversation([{ code: LOOP }, { code: LOOP }, { text: 'done' }]);
    const first = await chat.run('go');
    expect(first.interruptions.map(({ rawItem }) => rawItem.callId)).toStrictEqual(['call-1']);
    expect(chat.session.waiting.map(({ name, args }) => [name, args])).toStrictEqual([['pay', [{ amount: 20 }]]]);
    first.state.approve(first.interruptions[0]);
    const second = await chat.run(first.state);
    expect(chat.paid).toStrictEqual([5, 20, 7]);
    second.state.approve(second.interruptions[0]);
    const last = await chat.run(second.state);
    expect(chat.paid).toStrictEqual([5, 20, 7, 30]);
    expect(last.finalOutput).toBe('done');
    expect(results(last).at(-1)).toBe('[1,2,3,4]');
    await chat.session.cleanup();
  });

  test('with approvesPlans one approval covers the calls in the plan', async () => {
    const chat = await conversation([{ code: LOOP }, { text: 'done' }], { approvesPlans: true });
    const { state, interruptions } = await chat.run('go');
    expect(chat.paid).toStrictEqual([5]);
    state.approve(interruptions[0]);
    const last = await chat.run(state);
    expect(chat.paid).toStrictEqual([5, 20, 7, 30]);
    expect(results(last).at(-1)).toBe('[1,2,3,4]');
    await chat.session.cleanup();
  });

  test('after alwaysApprove later programs run too, each once', async () => {
    const turns = ['await pay({ amount: 20 })', '1 + 1', 'await pay({ amount: 30 })', 'await pay({ amount: 30 })'];
    const chat = await conversation([...turns.map((code) => ({ code })), { text: 'done' }]);
    let last = await chat.run('go');
    last.state.approve(last.interruptions[0], { alwaysApprove: true });
    last = await chat.run(last.state);
    expect(last.finalOutput).toBe('done');
    expect(results(last)).toStrictEqual(['1', '2', '2', '3']);
    expect(chat.paid).toStrictEqual([20, 30, 30]);
    await chat.session.cleanup();
  });

  test('continues after a restart of the process', async () => {
    const chat = await conversation([
      { code: 'const first = await pay({ amount: 1 });\n[first, await pay({ amount: 50 })]' },
      { text: 'done' },
    ]);
    const { state } = await chat.run('go');
    const restored = await chat.restart(state);
    restored.approve(restored.getInterruptions()[0]);
    const last = await chat.run(restored);
    expect(chat.paid).toStrictEqual([1, 50]);
    expect(results(last)).toStrictEqual(['[1,2]']);
    await chat.session.cleanup();
  });

  test('gets the refusal as the failure of the call, before other code runs', async () => {
    const chat = await conversation([
      { code: 'var reason;\nawait pay({ amount: 50 }).catch(({ code }) => { reason = code; });' },
      { code: '[await pay({ amount: 2 }), reason]' },
      { text: 'done' },
    ]);
    const { state, interruptions } = await chat.run('go');
    state.reject(interruptions[0]);
    const last = await chat.run(state);
    expect(results(last).at(-1)).toBe('[1,"ERR_NOT_APPROVED"]');
    expect(chat.paid).toStrictEqual([2]);
    await chat.session.cleanup();
  });

  test('does not run again if somebody else has continued it to its end', async () => {
    const chat = await conversation([{ code: 'await pay({ amount: 50 })' }, { text: 'done' }]);
    const { state, interruptions } = await chat.run('go');
    await chat.session.answer({ [chat.session.waiting[0].key]: { result: 'paid elsewhere' } });
    state.approve(interruptions[0]);
    const last = await chat.run(state);
    expect(results(last)).toStrictEqual([expect.stringContaining('ERR_')]);
    expect(chat.paid).toStrictEqual([]);
    await chat.session.cleanup();
  });

  test('does not interrupt the run if no call needs approval', async () => {
    const chat = await conversation([{ code: 'await pay({ amount: 3 })' }, { text: 'done' }]);
    const last = await chat.run('go');
    expect(last.interruptions).toStrictEqual([]);
    expect(chat.paid).toStrictEqual([3]);
    expect(results(last)).toStrictEqual(['1']);
    await chat.session.cleanup();
  });
});
