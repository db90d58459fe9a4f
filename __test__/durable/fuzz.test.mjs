// Random sessions, replayed in other places, and cut at random entries. `DURABLE_SESSIONS` and `DURABLE_SEED` are the
// number of sessions and the first seed.

import { expect, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { all, openSession, storeOf, untouchable } from './helpers.mjs';
import { FIRST, factsOf, generatorOf, probeOf, programOf, randomTools } from './programs.mjs';

const SESSIONS = Number(process.env.DURABLE_SESSIONS ?? 100);
const FIRST_SEED = Number(process.env.DURABLE_SEED ?? Date.now() % 1e6);
const PLACES = [
  ['thread', 'thread'],
  ['thread', 'process'],
  ['process', 'thread'],
];
const executorIn = (isolation) => ({ isolation, timeoutMs: 20_000, maxOperations: 1e6 });

/** Part of the seeds, so that a failure names a small number of sessions. */
const PARTS = Array.from({ length: Math.ceil(SESSIONS / 10) }, (_, part) => FIRST_SEED + part * 10);
const seedsFrom = (first) => Array.from({ length: Math.min(10, FIRST_SEED + SESSIONS - first) }, (_, i) => first + i);

test.each(PARTS)(
  'sessions from seed %i on are the same when they are opened again',
  { timeout: 120_000 },
  async (first) => {
    for (const seed of seedsFrom(first)) {
      const [from, to] = PLACES[seed % PLACES.length];
      const store = memoryStore();
      const { programs } = await record(store, seed, from);
      const entries = await all(store.read('s'));
      const session = await openSession('s', { store, tools: untouchable(randomTools()), executor: executorIn(from) });
      const expected = (await session.run(probeOf(programs))).output;
      await session.cleanup();
      const copy = storeOf(entries);
      const again = await openSession('s', {
        store: copy,
        tools: untouchable(randomTools()),
        executor: executorIn(to),
      });
      const { output } = await again.run(probeOf(programs));
      expect(output, `seed ${seed}, ${programs.length} programs`).toBe(expected);
      await again.cleanup();
    }
  },
);

test.each(PARTS.filter((_, part) => part % 2 === 0))(
  'sessions from seed %i on continue after a cut at any entry',
  { timeout: 120_000 },
  async (first) => {
    for (const seed of seedsFrom(first)) {
      const random = generatorOf(seed ^ 0x5eed);
      const [from, to] = PLACES[seed % PLACES.length];
      const store = memoryStore();
      const { programs } = await record(store, seed, from);
      const entries = await all(store.read('s'));
      const cut = storeOf(entries.slice(0, 1 + Math.floor(random() * (entries.length - 1))));
      const options = { store: cut, tools: randomTools(), executor: executorIn(to) };
      const session = await openSession('s', options);
      if (session.state === 'WAITING') {
        const approvals = Object.fromEntries(session.waiting.map(({ key }) => [key, { approve: true }]));
        await factsOf(session.answer(approvals).then(({ output }) => output));
      }
      // Where the cut was does not matter: the programs do not need what was lost.
      await factsOf(session.run('typeof trace === "undefined"'));
      const more = programs.slice(0, 2).map(renamed);
      for (const program of more) await factsOf(session.run(program));
      const probe = probeOf([...programs, ...more]);
      const expected = (await session.run(probe)).output;
      const before = (await all(cut.read('s'))).length;
      await session.cleanup();
      const again = await openSession('s', { ...options, tools: untouchable(randomTools()) });
      expect(again.state, `seed ${seed}`).toBe('READY');
      expect((await all(cut.read('s'))).length).toBe(before);
      const view = await again.replayTo({ run: (await countRuns(again)) - 1 });
      expect((await view.run(probe)).output, `seed ${seed}`).toBe(expected);
      await view.cleanup();
      await again.cleanup();
    }
  },
);

/** Records a random session. */
async function record(store, seed, place) {
  const random = generatorOf(seed);
  const session = await openSession('s', {
    store,
    tools: randomTools(),
    variables: { conf: { n: seed, list: [1, 2, 3] } },
    executor: executorIn(place),
  });
  await session.run(FIRST);
  const programs = Array.from({ length: 3 + Math.floor(random() * 6) }, (_, i) => programOf(random, i + 1));
  for (const program of programs) await factsOf(session.run(program));
  await session.cleanup();
  return { programs };
}

/** The program with names that no earlier one has declared. */
function renamed(program) {
  return program.replace(/\bv(\d+)_/g, 'again$1_');
}

async function countRuns(session) {
  let runs = 0;
  for await (const { run = 0 } of session.history()) runs = Math.max(runs, run);
  return runs;
}
