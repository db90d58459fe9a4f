// Random sessions of Python whose tool calls overlap, which move between threads and processes, opened again.
// `DURABLE_PYTHON_SESSIONS` is the number of sessions and `DURABLE_SEED` the first seed.

import { expect, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { all, openSession, storeOf, untouchable } from './helpers.mjs';
import { factsOf, generatorOf } from './programs.mjs';

const SESSIONS = Number(process.env.DURABLE_PYTHON_SESSIONS ?? 6);
const FIRST_SEED = Number(process.env.DURABLE_SEED ?? Date.now() % 1e6);
/** Where a session is recorded, and where it goes on before it comes back. */
const PLACES = [
  ['thread', 'process'],
  ['process', 'thread'],
  ['process', 'process'],
  ['thread', 'thread'],
];
const placesOf = (seed) => PLACES[seed % PLACES.length];

/** Not from the generator: a replay has to do without the latencies. */
const lag = () => new Promise((done) => setTimeout(done, Math.random() * 4));
const TOOLS = {
  later: async (n) => (await lag(), n),
  failing: async (n) => {
    await lag();
    throw new RangeError(`failing ${n}`);
  },
  drawn: async () => (await lag(), Math.random()),
  now: (n) => n + 1,
};

const FIRST = `
import asyncio, random, time
trace = []
async def traced(name, awaitable):
    trace.append("<" + name)
    print("before", name)
    try:
        value = await awaitable
    except Exception as error:
        value = str(error)
    trace.append(">" + name)
    print("after", name)
    return value
async def waits(seconds, name):
    await asyncio.sleep(seconds)
    trace.append("slept " + name)
    return time.time()
0`;
const PROBE = '[trace, results, random.random(), time.time() > 0, sorted(map(hash, ["a", "b"]))]';

/** A program that overlaps calls. */
function programOf(random, step) {
  const int = (n) => Math.floor(random() * n);
  const one = (...choices) => choices[int(choices.length)];
  const call = (i) => {
    const tool = one('later', 'failing', 'drawn', 'slept');
    if (tool === 'slept') return `traced("${step}.${i}", waits(${int(4) / 1000}, "${i}"))`;
    return `traced("${step}.${i}", asyncio.to_thread(${tool}${tool === 'drawn' ? '' : `, ${i}`}))`;
  };
  const calls = Array.from({ length: 2 + int(4) }, (_, i) => call(i));
  const gathered = `await asyncio.gather(${calls.join(', ')})`;
  const grouped = `\nasync with asyncio.TaskGroup() as group:\n    tasks = [group.create_task(x) for x in [${calls.join(', ')}]]\nresults = [task.result() for task in tasks]`;
  const first = one(
    `results = ${gathered}`,
    grouped,
    `results = [now(${int(9)}), later(${int(9)})]\nresults += ${gathered}`,
  );
  return `${first}\ntrace.append(random.random())\nprint(len(trace))\nlen(results)`;
}

const SEEDS = Array.from({ length: SESSIONS }, (_, i) => FIRST_SEED + i);

test.each(SEEDS)(
  'a session of Python from seed %i whose calls overlap is the same after each move',
  { timeout: 120_000 },
  async (seed) => {
    const random = generatorOf(seed);
    const store = memoryStore();
    const [from, to] = placesOf(seed);
    const opened = (isolation, tools, more) =>
      openSession('s', { store, tools, executor: { isolation, ...more }, engine: 'python' });
    const session = await opened(from, TOOLS, { authorized_imports: ['*'] });
    await session.run(FIRST);
    for (let step = 1; step <= 3; step++) await session.run(programOf(random, step));
    const before = await session.run(PROBE);
    await session.cleanup();

    const moved = await opened(to, TOOLS);
    await moved.run(programOf(random, 4));
    const fork = await moved.fork('f', { seed: 'same' });
    await moved.cleanup();
    const expected = (await fork.run(PROBE)).output;
    await fork.cleanup();

    const again = await opened(from, untouchable(TOOLS));
    const view = await again.replayTo({ run: 4 });
    const at = `seed ${seed}, ${from} to ${to}`;
    expect((await view.run(PROBE)).output, at).toStrictEqual(before.output);
    await view.cleanup();
    expect((await again.run(PROBE)).output, at).toStrictEqual(expected);
    await again.cleanup();
  },
);

/** The same if the session had begun. */
const PROBE_IF_BEGUN = `(${PROBE}) if "results" in dir() else "not begun"`;

test.each(SEEDS.filter((_, at) => at % 2 === 0))(
  'a session of Python from seed %i continues after a cut at any entry',
  { timeout: 120_000 },
  async (seed) => {
    const random = generatorOf(seed ^ 0x5eed);
    const store = memoryStore();
    const [from, to] = placesOf(seed);
    const executor = { authorized_imports: ['*'], isolation: from };
    const session = await openSession('s', { store, engine: 'python', tools: TOOLS, executor });
    await session.run(FIRST);
    const programs = [1, 2, 3].map((step) => programOf(random, step));
    for (const program of programs) await session.run(program);
    await session.cleanup();
    const entries = await all(store.read('s'));
    const cut = storeOf(entries.slice(0, 1 + Math.floor(random() * (entries.length - 1))));
    const options = { store: cut, tools: TOOLS, executor: { isolation: to } };
    const cutShort = await openSession('s', options);
    if (cutShort.state === 'WAITING') {
      const approvals = Object.fromEntries(cutShort.waiting.map(({ key }) => [key, { approve: true }]));
      await cutShort.answer(approvals);
    }
    // Without the first run, it fails each time in the same way.
    await factsOf(cutShort.run(programs[0]));
    let runs = 0;
    for await (const { run = 0 } of cutShort.history()) runs = Math.max(runs, run);
    const probe = await factsOf(cutShort.run(PROBE_IF_BEGUN));
    await cutShort.cleanup();
    const again = await openSession('s', { ...options, tools: untouchable(TOOLS) });
    const view = await again.replayTo({ run: runs });
    expect((await factsOf(view.run(PROBE_IF_BEGUN))).output, `seed ${seed}`).toStrictEqual(probe.output);
    await view.cleanup();
    await again.cleanup();
  },
);
