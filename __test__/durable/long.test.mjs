// Long sessions, and sessions whose answers do not fit into the isolate.

import { expect, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { all, inFolder, openSession, temporaryFolder, untouchable } from './helpers.mjs';

test('a session of 1,000 steps is rebuilt, and continues', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const tools = { double: async (n) => 2 * n, next: (n) => n + 1 };
  const session = await openSession('s', { ...inFolder(folder), tools });
  await session.run('let sum = 0; const made = []; const ids = (function* () { for (let i = 0; ; i++) yield i; })()');
  for (let step = 1; step <= 1_000; step++) {
    const code = `const step${step} = await double(${step}); sum += next(step${step}); made.push(() => ids.next().value); console.log(sum)`;
    await session.run(code);
  }
  await session.cleanup();
  const again = await openSession('s', { ...inFolder(folder), tools: untouchable(tools) });
  const probe = '[sum, step1000, made.length, made[0](), made[999](), Math.random()]';
  const { output } = await again.run(probe);
  expect(output.slice(0, 5)).toStrictEqual([1_000 * 1_001 + 1_000, 2_000, 1_000, 0, 1]);
  const view = await again.replayTo({ run: 1_001 });
  expect((await view.run('[sum, made.length]')).output).toStrictEqual(output.slice(0, 3).filter((_, at) => at !== 1));
  await view.cleanup();
  const calls = (await all(again.history())).filter(({ type }) => type === 'call');
  expect([calls.length, calls.at(-1).key]).toStrictEqual([2_000, 's/1001/2']);
});

test('answers that are refused for lack of memory are refused again', { timeout: 120_000 }, async () => {
  const tools = { big: async (n) => `${n}`.repeat(12 << 20), s: (n) => n };
  const executor = { memoryLimitMb: 48, maxOperations: Infinity };
  // The guest computes while the answers arrive, so which of them find room depends on time.
  const code = `const calls = [1, 2, 3, 4, 5, 6].map((n) => big(n));
let spun = 0; for (let i = 0; i < 2e7; i++) spun += i;
const got = (await Promise.allSettled(calls)).map(({ value, reason }) => value?.length ?? reason.code);
s(got)`;
  const refused = [];
  for (let round = 0; round < 10 && refused.length === 0; round++) {
    const store = memoryStore();
    const session = await openSession('s', { store, tools, executor });
    const { output } = await session.run(code).catch((error) => ({ output: error.code }));
    await session.cleanup();
    const again = await openSession('s', { store, tools: untouchable(tools), executor });
    const after = (await again.run('typeof got === "undefined" ? "lost" : got')).output;
    expect(after).toStrictEqual(output === 'ERR_MEMORY_LIMIT_EXCEEDED' ? 'lost' : output);
    await again.cleanup();
    if (Array.isArray(output)) refused.push(...output.filter((one) => typeof one === 'string'));
  }
  expect(refused).toStrictEqual(refused.map(() => 'ERR_TRANSFER_LIMIT_EXCEEDED'));
  expect(refused.length).toBeGreaterThan(0);
});
