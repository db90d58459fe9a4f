// Processes that are killed at any point. Another process continues, and what had finished is not done again.

import { expect, test } from 'vitest';

import { inProcesses } from './helpers.mjs';

test('a program waits in one process and continues in another', async () => {
  const { act, effects } = inProcesses();
  const first = await act('start', 'const x = await a(1); const reply = await ask("pay?"); [x, reply, s(await a(2))]');
  expect(first).toMatchObject({ state: 'WAITING', result: { status: 'waiting', calls: [{ key: 's/1/2' }] } });
  expect(await act('look')).toMatchObject({ state: 'WAITING', waiting: first.waiting });
  const second = await act('answer', { 's/1/2': { result: 'yes' } });
  expect(second.result).toMatchObject({ status: 'finished', output: { output: [1, 'yes', 3] } });
  expect(effects()).toStrictEqual(['a 1', 'ask pay?', 'a 2', 's 2']);
  expect((await act('start', '[x, reply]')).result.output.output).toStrictEqual([1, 'yes']);
});

test.each(['thread', 'process'])('a call in doubt waits, and an approval makes it again (%s)', async (isolation) => {
  const { act, effects } = inProcesses({ isolation });
  expect(await act('start', 'const x = await a(1); const y = await waits(); [x, y]')).toStrictEqual({
    signal: 'SIGKILL',
  });
  const looked = await act('look');
  expect(looked).toMatchObject({
    state: 'WAITING',
    waiting: [{ key: 's/1/2', name: 'waits', args: [], isInDoubt: true }],
  });
  expect(effects()).toStrictEqual(['a 1', 'waits s/1/2 1']);
  const { result } = await act('answer', { 's/1/2': { approve: true } });
  expect(result.output.output).toStrictEqual([1, 'waits 2']);
  expect(effects()).toStrictEqual(['a 1', 'waits s/1/2 1', 'waits s/1/2 2']);
});

test('a call in doubt can be answered, without a call', async () => {
  const { act, effects } = inProcesses();
  await act('start', 'await waits()');
  expect((await act('answer', { 's/1/1': { result: 'it had worked' } })).result.output.output).toBe('it had worked');
  expect(effects()).toStrictEqual(['waits s/1/1 1']);
});

test('a tool that may be repeated is called again with the same key', async () => {
  const { act, effects } = inProcesses();
  await act('start', 'const x = await a(1); [x, await repeats()]');
  expect(await act('look')).toMatchObject({ state: 'WAITING', waiting: [] });
  expect((await act('answer', {})).result.output.output).toStrictEqual([1, 'repeats 2']);
  expect(effects()).toStrictEqual(['a 1', 'repeats s/1/2 1', 'repeats s/1/2 2']);
});

test('a tool that must not be repeated fails in the guest with ERR_CALL_IN_DOUBT', async () => {
  const { act, effects } = inProcesses();
  await act('start', 'try { await fails() } catch (error) { error.code }');
  expect((await act('answer', {})).result.output.output).toBe('ERR_CALL_IN_DOUBT');
  expect(effects()).toStrictEqual(['fails s/1/1 1']);
});

test('a process that is killed in a synchronous tool leaves it in doubt', async () => {
  const { act, effects } = inProcesses();
  await act('start', 'const x = s(1); [x, dieNow()]');
  expect((await act('look')).waiting).toMatchObject([{ key: 's/1/2', name: 'dieNow', isInDoubt: true }]);
  expect((await act('answer', { 's/1/2': { result: null } })).result.output.output).toStrictEqual([2, null]);
  expect(effects()).toStrictEqual(['s 1']);
});

test('the calls next to the one that killed the process are in doubt or finished, never both', async () => {
  const { act, effects } = inProcesses();
  await act('start', 'const got = await Promise.all([a(1), waits(), a(2), ask("q")]); got');
  const { waiting } = await act('look');
  const names = waiting.map(({ name, isInDoubt }) => `${name} ${isInDoubt}`);
  expect(names).toContain('waits true');
  const answers = Object.fromEntries(waiting.map(({ key }) => [key, { result: key }]));
  const before = effects();
  const { result } = await act('answer', answers);
  const output = result.output.output;
  expect(output[1]).toBe('s/1/2');
  expect(output[3]).toBe('s/1/4');
  expect(effects()).toStrictEqual(before);
});

const PROGRAM = `const first = await a(1); console.log(first); const sum = s(first);
const both = await Promise.all([a(2), a(3)]); both.push(sum); both`;

test(
  'a process that is killed before any of its entries is stored repeats no call that had finished',
  { timeout: 180_000 },
  async () => {
    const outcomes = [];
    for (let killAt = 1; ; killAt++) {
      const { act, effects } = inProcesses();
      const killed = await act('start', PROGRAM, { killAt });
      if (killed.signal === undefined) break;
      const before = effects();
      const { result } = await act('recover', 'typeof both === "undefined" ? "not begun" : [first, ...both]');
      const { waiting, answered, probed } = result;
      outcomes.push(`${before.length} ${waiting.length} ${answered?.status ?? ''}`);
      const probe = probed.output.output;
      if (probe === 'not begun') {
        expect([answered, before], `entry ${killAt}`).toStrictEqual([undefined, []]);
        continue;
      }
      expect(probe).toStrictEqual([1, 2, 3, 2]);
      // A call that is made twice was in doubt.
      const doubted = waiting.map(({ name, args }) => `${name} ${args}`);
      const expected = ['a 1', 's 1', 'a 2', 'a 3', ...doubted.filter((call) => before.includes(call))];
      expect(effects().toSorted(), `entry ${killAt}`).toStrictEqual(expected.toSorted());
      expect(waiting.every(({ isInDoubt }) => isInDoubt)).toBe(true);
    }
    expect(outcomes.length).toBeGreaterThan(6);
  },
);
