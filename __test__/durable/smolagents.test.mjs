// Steps of an agent in a durable session.

import { expect, test } from 'vitest';

import { currentCall, waitForAnswer } from 'ses-executor/durable';
import { SmolagentsExecutor, createSmolagentsExecutor, formatErrorObservation } from 'ses-executor/smolagents';
import { rejection } from '../helpers.mjs';
import { inFolder, openSession } from './helpers.mjs';

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

const MAKERS = [
  ['SmolagentsExecutor', (options) => new SmolagentsExecutor(options)],
  ['createSmolagentsExecutor', createSmolagentsExecutor],
];
const STEP = `console.log('go'); await charge(5);
const paid = await pay(500).catch(({ message, code }) => [message, code]); paid`;

/** The executor of an agent in another process, whose payments need approval, and the calls that its tools have got. */
async function inProcess(make, shared, calls) {
  const session = await openSession('s', {
    ...shared,
    executor: { onToolCall: ({ name, args }) => (name === 'pay' ? { wait: { amount: args[0] } } : undefined) },
  });
  const noted = (name) => calls.push(`${name} ${currentCall().key}`);
  const tools = {
    charge: async (amount) => (noted('charge'), amount),
    pay: async (amount) => (noted('pay'), amount),
  };
  // As agents do before each step; also while a program waits.
  const executor = make({ executor: session, tools });
  await executor.sendTools({}, {});
  return { session, executor };
}

test.each(MAKERS)('a step is approved in another process, and its calls are made once (%s)', async (_, make) => {
  const [shared, calls] = [inFolder(), []];
  const first = await inProcess(make, shared, calls);
  expect((await rejection(first.executor.run(STEP))).code).toBe('ERR_RUN_WAITING');
  await first.executor.cleanup();

  const second = await inProcess(make, shared, calls);
  expect(second.session.waiting).toMatchObject([{ key: 's/1/2', name: 'pay', args: [500], payload: { amount: 500 } }]);
  // The agent may send a step before somebody has decided.
  expect((await rejection(second.executor.run('1'))).code).toBe('ERR_RUN_WAITING');
  expect(calls).toStrictEqual(['charge s/1/1']);
  const { status, output } = await second.session.answer({ 's/1/2': { approve: true } });
  expect([status, output.output, output.logs]).toStrictEqual(['finished', 500, 'go']);
  expect(calls).toStrictEqual(['charge s/1/1', 'pay s/1/2']);
  expect((await second.executor.run('paid + (await charge(1))')).output).toBe(501);
  await second.executor.cleanup();

  const third = await inProcess(make, shared, calls);
  expect((await third.executor.run('paid')).output).toBe(500);
  expect(calls).toStrictEqual(['charge s/1/1', 'pay s/1/2', 'charge s/2/1']);
});

test.each(MAKERS)('a step whose call is refused in another process gets the refusal (%s)', async (_, make) => {
  const [shared, calls] = [inFolder(), []];
  const first = await inProcess(make, shared, calls);
  await rejection(first.executor.run(STEP));
  await first.executor.cleanup();

  const second = await inProcess(make, shared, calls);
  const refusal = { error: { message: 'too much', code: 'ERR_NOT_APPROVED' } };
  const { output } = await second.session.answer({ 's/1/2': refusal });
  expect(output.output).toStrictEqual(['too much', 'ERR_NOT_APPROVED']);
  // A program that does not catch it fails, and the agent observes why.
  const code = 'console.log("again"); await pay(600)';
  expect((await rejection(second.executor.run(code))).code).toBe('ERR_RUN_WAITING');
  await second.executor.cleanup();
  const third = await inProcess(make, shared, calls);
  const error = await rejection(third.session.answer({ 's/2/1': refusal }));
  expect(error.code).toBe('ERR_TOOL_PROXY_FAIL');
  expect(formatErrorObservation(error)).toMatch(/^Execution logs:\nagain\n[^]*too much/);
  expect(calls).toStrictEqual(['charge s/1/1']);
});
