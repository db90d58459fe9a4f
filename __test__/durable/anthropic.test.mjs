// Programs of a durable session in the tool runner of Anthropic's SDK: a call that needs approval pauses the program,
// the model is told so, and the answer continues the program in another process.

import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { createCodeTool } from 'ses-executor/anthropic';
import { memoryStore } from 'ses-executor/durable';
import { openSession } from './helpers.mjs';

const CODE = 'const receipts = [];\nfor (const amount of [5, 20, 30]) receipts.push(await pay({ amount }));\nreceipts';

/** Runs the runner with a model that sends the code of each turn, then ends. Resolves to the results of the tool. */
async function converse(tool, turns) {
  const results = [];
  const answer = async (_url, { body }) => {
    const part = JSON.parse(body).messages.at(-1).content[0];
    if (part.type === 'tool_result') results.push(part);
    const code = turns.shift();
    const content =
      code === undefined
        ? { type: 'text', text: 'done' }
        : { type: 'tool_use', id: `call-${turns.length}`, name: 'run_javascript', input: { code } };
    const usage = { input_tokens: 0, output_tokens: 0 };
    const ended = code === undefined ? 'end_turn' : 'tool_use';
    return Response.json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [content],
      stop_reason: ended,
      usage,
    });
  };
  const client = new Anthropic({ apiKey: 'none', fetch: answer });
  const messages = [{ role: 'user', content: 'go' }];
  await client.beta.messages.toolRunner({ model: 'scripted', max_tokens: 10, messages, tools: [tool] });
  return results.map(({ content }) => content);
}

test('a program waits for the approval of a call, and repeats nothing afterwards', async () => {
  const store = memoryStore();
  const paid = [];
  const made = betaZodTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ amount: z.number() }),
    run: async ({ amount }) => `${paid.push(amount)}`,
  });
  const tools = [{ ...made, needsApproval: ({ amount }) => amount > 10 }];
  const session = await openSession('s', { store });
  const results = await converse(createCodeTool({ tools, executor: session }), [
    CODE,
    CODE,
    'await pay({ amount: 1 })',
  ]);
  const waits = `The program has not ended. It waits for the answer to:
- pay({"amount":20}): {"needsApproval":"pay"}
When the answer has arrived, send the same code again: the program continues after this call. Do not send other code before that.`;
  expect(results.slice(0, 2)).toStrictEqual([waits, waits]);
  expect(results[2]).toMatch(/ERR_RUN_WAITING/);
  expect(paid).toStrictEqual([5]);
  await session.cleanup();

  const later = await openSession('s', { store });
  const [{ key, payload }] = later.waiting;
  expect(payload.plan.tools.map(({ name, times }) => [name, times])).toStrictEqual([['pay', { atMost: 3 }]]);
  const answers = { [key]: { approve: 'plan' } };
  const tool = createCodeTool({ tools, executor: later, answer: () => answers });
  expect(await converse(tool, [CODE])).toStrictEqual(['["1","2","3"]']);
  expect(paid).toStrictEqual([5, 20, 30]);
});
