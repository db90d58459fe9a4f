// V8 compiles for a guest on a thread that is the isolate's own, beside the guest, as long as functions are small.
import { getPriority } from 'node:os';

import { describe, expect, it } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { threadsOf } from '../children/threads.mjs';

/** How nice each thread is that compiles for a guest of this process. */
function compiling() {
  const found = threadsOf('self', 'stat').map(({ text }) => /\(ses-compile\) (.*)/.exec(text)?.[1].split(' ')[16]);
  return found.filter((nice) => nice !== undefined).map((nice) => Number(nice) - getPriority());
}

/** One function after the other that is hot, for seconds, and then a loop. */
const HOT = Array.from(
  { length: 500 },
  (_, k) => `((n) => { let s = ${k}; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; })(2e7);`,
);
const BUSY = `${HOT.join('\n')} for (;;);`;

/** A run that goes on until the returned function is called. */
function computing(executor) {
  const abort = new AbortController();
  const run = executor.run(BUSY, { signal: abort.signal });
  return async () => {
    abort.abort();
    await expect(run).rejects.toMatchObject({ code: 'ERR_EXEC_TIMEOUT' });
  };
}

const OPTIONS = { timeoutMs: 60_000, maxOperations: 1e15, maxToolCalls: 1e6 };
const POLL = { timeout: 20_000, interval: 5 };
const HELPING_NICE = 16;

describe.runIf(process.platform === 'linux')('the compile thread', () => {
  it('runs for each guest that needs it, at a lower priority than guests, and ends with the isolate', async () => {
    expect(compiling()).toStrictEqual([]);
    const executors = [new SESExecutor(OPTIONS), new SESExecutor(OPTIONS)];
    const ends = [];
    for (const [index, executor] of executors.entries()) {
      await executor.init();
      expect((await executor.run('1 + 1')).output).toBe(2);
      ends.push(computing(executor));
      await expect.poll(compiling, POLL).toStrictEqual(Array(index + 1).fill(HELPING_NICE));
    }
    for (const [index, executor] of executors.entries()) {
      await ends[index]();
      await executor.cleanup();
      await expect.poll(() => compiling().length, POLL).toBeLessThan(2 - index);
    }
  });

  it('ends when its guest has not needed it for a while, and starts again on demand', async () => {
    const executor = new SESExecutor(OPTIONS);
    await executor.init();
    await executor.sendTools({ look: () => compiling().length });
    const hot = 'const f = (n) => { let s = 0; for (let i = 0; i < n; i++) s = (s + i) & 255; return s; };';
    for (let time = 0; time < 2; time++) {
      const { output } = await executor.run(`${hot} let seen; do { f(3e5); seen = look(); } while (seen === 0); seen`);
      expect(output).toBe(1);
      await expect.poll(() => compiling().length, POLL).toBe(0);
    }
    await executor.cleanup();
  });

  it("leaves large functions to the guest's thread", async () => {
    const executor = new SESExecutor({ ...OPTIONS, maxCodeBytes: 1 << 20 });
    await executor.init();
    let seen = -1;
    await executor.sendTools({ look: () => (seen = compiling().length) });
    const statements = 's = (s + i) & 255;'.repeat(600);
    await executor.run(`let s = 0; for (let i = 0; i < 3000; i++) { ${statements} } look();`);
    expect(seen).toBe(0);
    await executor.cleanup();
  });
});
