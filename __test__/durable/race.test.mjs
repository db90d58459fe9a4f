// Two processes that want to continue the same session at the same time: one of them does, and the other calls no tool.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { ROOT } from '../helpers.mjs';
import { temporaryFolder } from './helpers.mjs';

const RACER = fileURLToPath(new URL('fixtures/racer.mjs', import.meta.url));
const ROUNDS = 8;
const hasSqlite = await import('node:sqlite').then(
  () => true,
  () => false,
);
const KINDS = ['file', ...(hasSqlite ? ['sqlite', 'sqlite without claims'] : [])];

/** A process that takes commands. */
async function racer(kind, folder, name) {
  const child = spawn(process.execPath, [RACER, kind, folder, name], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  expect(await next()).toBe('ready');
  return (command) => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    return next();
  };
}

const LOSES = /^(?:ERR_JOURNAL_CONFLICT|stale)$/;

test.each(KINDS)('of two processes that answer one call of a %s store, one continues the program', async (kind) => {
  const folder = temporaryFolder();
  const hosts = await Promise.all(['a', 'b'].map((name) => racer(kind, folder, name)));
  const path = join(folder, 'effects');
  const effectsOf = (id) =>
    (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []).filter((line) => line.startsWith(`${id} `));
  for (let round = 0; round < ROUNDS; round++) {
    const id = `answers-${round}`;
    const code = 's(); const reply = await ask(); await act(); s(); reply';
    expect(await hosts[round % 2]({ id, action: 'start', value: code })).toStrictEqual({ status: 'waiting' });
    const answers = (name) => ({ [`${id}/1/2`]: { result: name } });
    const results = await Promise.all(
      hosts.map((host, at) => host({ id, action: 'answer', value: answers('ab'[at]) })),
    );
    const winner = results.findIndex(({ status }) => status === 'finished');
    const [won, lost] = [results[winner], results[1 - winner]];
    expect([won?.output, lost?.status]).toStrictEqual(['ab'[winner], expect.stringMatching(LOSES)]);
    const [first, ...others] = effectsOf(id);
    expect(first).toBe(`${id} s ${'ab'[round % 2]}`);
    expect(others).toStrictEqual([`${id} act ${won.output}`, `${id} s ${won.output}`]);
    // What the winner has stored is whole.
    const after = await hosts[1 - winner]({ id, action: 'start', value: 'reply' });
    expect(after).toStrictEqual({ status: 'finished', output: won.output });
  }
});

test.each(KINDS)('of two processes that run code in one session of a %s store, one calls its tools', async (kind) => {
  const folder = temporaryFolder();
  const hosts = await Promise.all(['a', 'b'].map((name) => racer(kind, folder, name)));
  for (let round = 0; round < ROUNDS; round++) {
    const id = `runs-${round}`;
    await hosts[round % 2]({ id, action: 'start', value: 'let n = 0' });
    const command = { id, action: 'start', value: 'n++; await act(); s(); n' };
    const results = await Promise.all(hosts.map((host) => host(command)));
    const lines = readFileSync(join(folder, 'effects'), 'utf8').split('\n');
    const effects = lines.filter((line) => line.startsWith(`${id} `));
    const finished = results.filter(({ status }) => status === 'finished');
    // Both finish if one has ended before the other began.
    expect(finished.map(({ output }) => output).toSorted()).toStrictEqual(finished.length === 1 ? [1] : [1, 2]);
    expect(effects).toHaveLength(2 * finished.length);
    // Without claims, the other one may find the run of the first under way.
    const others =
      kind === 'sqlite without claims'
        ? /^(?:finished|waiting|ERR_JOURNAL_CONFLICT)$/
        : /^(?:finished|ERR_JOURNAL_CONFLICT)$/;
    for (const { status } of results) expect(status).toMatch(others);
    const after = await hosts[0]({ id, action: 'start', value: 'n' });
    expect(after).toStrictEqual({ status: 'finished', output: finished.length });
  }
});
