// A process that is killed when it has written an entry of each kind, or all but the last byte of it: another process
// goes on, the programs end as they would have, and no call that had an answer is made again.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { spawnNode } from '../helpers.mjs';
import { appending, openIn, play } from './fixtures/playing.mjs';
import { all, temporaryFolder } from './helpers.mjs';

const PLAYING = fileURLToPath(new URL('fixtures/playing.mjs', import.meta.url));

const JAVASCRIPT = [
  'console.log("begins"); let total = await add(given) + now(2); const key = await token(); undefined',
  `const end = async (work) => { try { return await work() } catch ({ code }) { return code } };
   const [paid, ...got] = await Promise.all([pay(5), ask("q"), add(7), again(8), end(() => once(9))]);
   got[3] = [9, "ERR_CALL_IN_DOUBT"].includes(got[3]); total += await pay(paid); console.log(total); undefined`,
  '[total, key, got]',
];
const PYTHON = [
  'import asyncio\nprint("begins")\ntotal = add(given) + now(2)\n0',
  `def end(tool, n):
    try: return tool(n)
    except Exception as error: return n if error.code == "ERR_CALL_IN_DOUBT" else None
got = await asyncio.gather(asyncio.to_thread(ask, "q"), asyncio.to_thread(add, 7), asyncio.to_thread(again, 8), asyncio.to_thread(end, once, 9))
total += pay(5)
print(total)
0`,
  '[total, got]',
];

const effectsIn = (folder) => {
  const path = join(folder, 'effects');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const outputOf = async (session) =>
  (await all(session.history())).findLast(({ type, output }) => type === 'end' && output !== undefined).output;

async function opened(...args) {
  const session = await openIn(...args);
  onTestFinished(() => session.cleanup());
  return session;
}

/** What a session that nobody kills comes to, and the appends that are the first ones with a kind of entry. */
async function undisturbed(programs, options) {
  const sizes = [];
  const counting = (store) => appending(store, (append, [, , entries]) => (sizes.push(entries.length), append()));
  const session = await opened(temporaryFolder(), options, counting);
  await play(session, programs);
  const output = await outputOf(session);
  const types = new Map((await all(session.history())).map(({ number, type }) => [number, type]));
  await session.cleanup();
  const kinds = new Map();
  let first = 0;
  for (const [at, size] of sizes.entries()) {
    const kind = [...new Set(Array.from({ length: size }, (_, index) => types.get(first + index)))].sort().join(' ');
    if (!kinds.has(kind)) kinds.set(kind, at + 1);
    first += size;
  }
  expect([...new Set(types.values())].sort()).toStrictEqual([
    'answers',
    'call',
    'end',
    'head',
    'log',
    'note',
    'run',
    'seed',
    'tools',
    'variables',
  ]);
  return { output, kinds };
}

test.each([
  ['JavaScript on a thread', JAVASCRIPT, { isolation: 'thread' }],
  ['JavaScript in a process', JAVASCRIPT, { isolation: 'process' }],
  ['Python on a thread', PYTHON, { isolation: 'thread', engine: 'python' }],
])('%s', { timeout: 240_000 }, async (_, programs, options) => {
  const { output, kinds } = await undisturbed(programs, options);
  let killed = 0;
  for (const [index, [kind, at]] of [...kinds].entries()) {
    const how = index % 2 === 0 ? 'torn' : 'after';
    const place = `${how}: ${kind}, append ${at}`;
    const folder = temporaryFolder();
    const { signal, stderr } = await spawnNode([
      PLAYING,
      folder,
      JSON.stringify({ ...options, programs, kill: { at, how } }),
    ]);
    expect([signal ?? 'none', stderr], place).toStrictEqual([expect.stringMatching(/^(?:SIGKILL|none)$/), '']);
    if (signal === 'SIGKILL') killed++;

    const before = effectsIn(folder);
    const session = await opened(folder, options);
    expect(effectsIn(folder), place).toStrictEqual(before);
    const answered = (await all(session.history()))
      .filter(({ type, isPending }) => type === 'answers' && !isPending)
      .map(({ key }) => key);
    await play(session, programs);
    expect(await outputOf(session), place).toStrictEqual(output);
    await session.cleanup();

    const effects = effectsIn(folder);
    const repeated = effects.slice(before.length).filter((line) => answered.includes(line.split(' ')[0]));
    const twice = effects.filter((line, number) => effects.indexOf(line) !== number);
    expect([repeated, twice.filter((line) => line.endsWith(' once'))], place).toStrictEqual([[], []]);

    const again = await opened(folder, options);
    expect([again.state, effectsIn(folder)], place).toStrictEqual(['READY', effects]);
    await again.cleanup();
  }
  // Which entries are written together may differ from process to process.
  expect(killed).toBeGreaterThan(kinds.size / 2);
});
