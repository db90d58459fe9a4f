// Steps of an agent in a durable session.

import { expect, test } from 'vitest';

import { waitForAnswer } from 'ses-executor/durable';
import { SmolagentsExecutor, formatErrorObservation } from 'ses-executor/smolagents';
import { rejection } from '../helpers.mjs';
import { openSession } from './helpers.mjs';

test('a step that waits is an observation of the calls, and answer of the session continues it', async () => {
  const session = await openSession('s');
  const calls = [];
  const tools = {
    charge: async (amount) => calls.push(`charge ${amount}`),
    ask: async (question) => waitForAnswer({ question }),
  };
  const executor = new SmolagentsExecutor({ executor: session });
  await executor.sendTools(tools);
  const error = await rejection(
    executor.run('console.log("go"); await charge(5); const reply = await ask("Ship?"); await charge(6); reply'),
  );
  expect(error.code).toBe('ERR_RUN_WAITING');
  expect(formatErrorObservation(error)).toBe(`Execution logs:
go
The program has not ended. It waits for the answer to:
- ask("Ship?"): {"question":"Ship?"}
When the answer has arrived, send the same code again: the program continues after this call. Do not send other code before that.`);
  const { status, output } = await session.answer({ 's/1/2': { result: 'yes' } });
  expect([status, output.output]).toStrictEqual(['finished', 'yes']);
  expect(calls).toStrictEqual(['charge 5', 'charge 6']);
  expect((await executor.run('reply')).output).toBe('yes');
});
