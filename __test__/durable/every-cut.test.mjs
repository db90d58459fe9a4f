// A journal that ends after any of its entries, as that of a process that was killed there: the session opens without a
// call of a tool, its programs end as they would have, and no call that had an answer is made again. The same holds for
// a fork of the session.

import { describe, expect, test } from 'vitest';

import { durable, memoryStore } from 'ses-executor/durable';
import { decisionOf, onToolCall, play, toolsNoted } from './fixtures/playing.mjs';
import { all, openSession, storeOf } from './helpers.mjs';

/** @param made takes the key of each call, and the name of its tool */
function tools(made) {
  const noted = toolsNoted((key, name) => made.push({ key, name }));
  return { ...noted, pay: durable(noted.pay, { revert: () => {} }) };
}
const variables = { given: { x: 1 } };

/** The last expression of each is the same however often the process ended. */
const JAVASCRIPT = {
  'calls that wait, are paid for and are not recorded': [
    'let total = 0; console.log("hi", given.x); total = await add(1) + now(2); undefined',
    `const secret = await token();
     const [paid, reply, sum] = await Promise.all([pay(5), ask("q"), add(7)]); total += paid; console.log(reply);
     await pay(total); [total, reply, secret.length]`,
  ],
  'calls at the same time': [
    `const got = await Promise.all([add(1), add(2), ask("a"), Promise.race([ask("b"), add(3)]), now(4)]);
     const seen = await Promise.allSettled([add(given.x), ask("c"), (async () => wrong())()]);
     [got[0], got[1], got[2], got[4], seen.map(({ status }) => status)]`,
  ],
  'synchronous tools, also in getters and after calls that wait': [
    'const it = { get x() { return now(this.n++) }, n: given.x }; const first = it.x; undefined',
    `const caught = []; for (let i = 0; i < 2; i++) { try { wrong() } catch ({ name }) { caught.push(name, now(i)) } }
     const reply = await ask("q"); [first, it.x, caught, it.x, reply]`,
  ],
  'calls in doubt with each rule': [
    `const end = async (work) => { try { return await work() } catch ({ code }) { return code } };
     const all = [await again(given.x), await add(2)]; undefined`,
    `all.push(await end(() => once(3)) === 3 || "ERR_CALL_IN_DOUBT", ...await Promise.all([again(4), end(() => once(5)), add(6)]));
     all.map((one) => one === true || one === 5 ? "ERR_CALL_IN_DOUBT" : one)`,
  ],
};
const PYTHON = {
  'calls that wait': [
    'total = add(1) + now(2)\nprint("hi", given["x"])\n0',
    'reply = ask("q")\npaid = pay(5)\ntotal += paid\nprint(reply)\n[total, reply]',
  ],
  'calls at the same time, and calls in doubt with each rule': [
    `import asyncio
def end(tool, n):
    try: return tool(n)
    except Exception as error: return n if error.code == "ERR_CALL_IN_DOUBT" else None
first = await asyncio.gather(asyncio.to_thread(again, given["x"]), asyncio.to_thread(add, 2), asyncio.to_thread(end, once, 3))
0`,
    '[first, await asyncio.gather(asyncio.to_thread(ask, "q"), asyncio.to_thread(add, 4)), end(once, 5), again(6)]',
  ],
};

/** The numbers of entries after which to cut. */
function cuts(entries, types, isEvery) {
  const seen = new Set();
  return entries.flatMap((_, at) => {
    const kind = types.slice(Math.max(0, at - 1), at + 1).join(' ');
    if (!isEvery && seen.has(kind)) return [];
    seen.add(kind);
    return [at + 1];
  });
}

describe.each([
  { name: 'JavaScript on a thread', kinds: JAVASCRIPT, options: { executor: { onToolCall } }, isEvery: true },
  // Elsewhere it takes longer to start: one cut for each kind of entry after each kind of entry, and no forks.
  { name: 'JavaScript in a process', kinds: JAVASCRIPT, options: { executor: { onToolCall, isolation: 'process' } } },
  {
    name: 'Python',
    kinds: PYTHON,
    options: { engine: 'python', executor: { onToolCall, authorized_imports: ['asyncio'] } },
  },
])('$name', ({ kinds, options, isEvery = false }) => {
  test.each(Object.entries(kinds))('%s', { timeout: 240_000 }, async (_, programs) => {
    const store = memoryStore();
    const first = await openSession('s', { ...options, store, tools: tools([]), variables });
    let last;
    for (const program of programs) {
      last = await first.start(program);
      while (last.status === 'waiting') last = await first.answer(decisionOf(last.calls));
    }
    const expected = last.output.output;
    const numbers = new Map();
    for (const { number, type } of await all(first.history())) numbers.set(number, type);
    await first.cleanup();

    const entries = await all(store.read('s'));
    expect(entries.length).toBeGreaterThan(10);
    expect(numbers.size).toBe(entries.length);
    for (const count of cuts(entries, [...numbers.values()], isEvery)) {
      const place = `after entry ${count} of ${entries.length}`;
      for (const id of isEvery ? ['s', 'fork'] : ['s']) {
        const made = [];
        const cut = { ...options, store: storeOf(entries.slice(0, count)), tools: tools(made), variables };
        let session = await openSession('s', cut);
        expect(made, place).toStrictEqual([]);
        const history = await all(session.history());
        if (id !== 's') {
          const fork = await session.fork(id);
          await session.cleanup();
          session = fork;
        }
        const keys = (type) =>
          history
            .filter((entry) => entry.type === type && !entry.isPending)
            .map(({ key }) => key.replace('s/', `${id}/`));
        const answered = keys('answers');
        const begun = keys('call');
        await play(session, programs);
        const repeated = made.filter(({ key }) => answered.includes(key));
        const doubtful = made.filter(({ key, name }) => name === 'once' && begun.includes(key));
        expect([repeated, doubtful], place).toStrictEqual([[], []]);
        expect(new Set(made.map(({ key }) => key)).size, place).toBe(made.length);
        const outputs = (await all(session.history())).filter(
          ({ type, output }) => type === 'end' && output !== undefined,
        );
        expect(outputs.at(-1).output, place).toStrictEqual(expected);
        await session.cleanup();

        if (options.engine === 'python') continue;
        const calls = made.length;
        const again = await openSession(id, cut);
        expect([again.state, made.length], place).toStrictEqual(['READY', calls]);
        await again.cleanup();
      }
    }
  });
});
