// Random sessions of Python whose tool calls overlap, opened again. `DURABLE_PYTHON_SESSIONS` is the number of sessions and
// `DURABLE_SEED` the first seed.

import { expect, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { openSession, untouchable } from './helpers.mjs';
import { generatorOf } from './programs.mjs';

const SESSIONS = Number(process.env.DURABLE_PYTHON_SESSIONS ?? 6);
const FIRST_SEED = Number(process.env.DURABLE_SEED ?? Date.now() % 1e6);

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
    try:
        value = await awaitable
    except Exception as error:
        value = str(error)
    trace.append(">" + name)
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

test.each(Array.from({ length: SESSIONS }, (_, i) => FIRST_SEED + i))(
  'a session of Python from seed %i whose calls overlap is the same when it is opened again',
  { timeout: 120_000 },
  async (seed) => {
    const random = generatorOf(seed);
    const store = memoryStore();
    const executor = { authorized_imports: ['*'] };
    const session = await openSession('s', { store, engine: 'python', tools: TOOLS, executor });
    await session.run(FIRST);
    for (let step = 1; step <= 3; step++) await session.run(programOf(random, step));
    const fork = await session.fork('f', { seed: 'same' });
    await session.cleanup();
    const expected = (await fork.run(PROBE)).output;
    await fork.cleanup();
    const isolation = seed % 2 === 0 ? 'thread' : 'process';
    const again = await openSession('s', { store, tools: untouchable(TOOLS), executor: { isolation } });
    expect((await again.run(PROBE)).output).toStrictEqual(expected);
    await again.cleanup();
  },
);
