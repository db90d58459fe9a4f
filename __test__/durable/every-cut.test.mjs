// A journal that ends after any of its entries, as that of a process that was killed there: the session opens without a
// call of a tool, its run ends, and no call that had an answer is made again.

import { expect, test } from 'vitest';

import { currentCall, durable, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { all, openSession, storeOf } from './helpers.mjs';

/** @param made takes the key of each call */
function tools(made) {
  const noted = (tool) => (argument) => (made.push(currentCall().key), tool(argument));
  return {
    add: noted(async (n) => n + 1),
    now: noted((n) => n + 1),
    ask: async (question) => waitForAnswer({ question }),
    pay: durable(
      noted(async (n) => n),
      { revert: () => {} },
    ),
    token: durable(async () => 'token', { record: 'nothing' }),
  };
}
const onToolCall = ({ name }) => (name === 'pay' ? { wait: 'pay?' } : undefined);
/** One decision at a time. */
const decisionOf = ([call]) =>
  call === undefined ? {} : { [call.key]: call.name === 'ask' ? { result: 'yes' } : { approve: true } };

async function untilFinished(session, report) {
  let { status, calls } = report;
  while (status === 'waiting') ({ status, calls } = await session.answer(decisionOf(calls)));
}

const JAVASCRIPT = [
  'let total = 0; console.log("hi", given.x); total = await add(1) + now(2);',
  `const secret = await token();
   const [paid, reply, sum] = await Promise.all([pay(5), ask("q"), add(7)]); total += paid; console.log(reply);
   await pay(total)`,
];
const PYTHON = [
  'total = add(1) + now(2)\nprint("hi", given["x"])\n0',
  'reply = ask("q")\npaid = pay(5)\ntotal += paid\nprint(reply)\n0',
];

test.each([
  ['JavaScript on a thread', JAVASCRIPT, { executor: { onToolCall } }],
  ['JavaScript in a process', JAVASCRIPT, { executor: { onToolCall, isolation: 'process' } }],
  ['Python', PYTHON, { engine: 'python', executor: { onToolCall } }],
])('%s', { timeout: 240_000 }, async (_, programs, options) => {
  const store = memoryStore();
  const first = await openSession('s', { ...options, store, tools: tools([]), variables: { given: { x: 1 } } });
  for (const program of programs) await untilFinished(first, await first.start(program));
  expect((await first.run('total')).output).toBe(10);
  await first.cleanup();

  const entries = await all(store.read('s'));
  expect(entries.length).toBeGreaterThan(15);
  for (let count = 1; count <= entries.length; count++) {
    const place = `after entry ${count} of ${entries.length}`;
    const made = [];
    const cut = { ...options, store: storeOf(entries.slice(0, count)), tools: tools(made) };
    const session = await openSession('s', cut);
    const answered = (await all(session.history())).filter(({ type, isPending }) => type === 'answers' && !isPending);
    if (session.state === 'WAITING') await untilFinished(session, { status: 'waiting', calls: session.waiting });
    await session.cleanup();
    expect(
      made.filter((key) => answered.some((answer) => answer.key === key)),
      place,
    ).toStrictEqual([]);

    const calls = made.length;
    const again = await openSession('s', cut);
    expect([again.state, made.length], place).toStrictEqual(['READY', calls]);
    await again.cleanup();
  }
});
