// Threads that run guests are nicer than the host's, from their start to their end.
import { getPriority } from 'node:os';

import { describe, expect, it } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { threadsOf } from '../children/threads.mjs';

const GUEST_NICE = 5;

/** The niceness of the only thread of a process that runs an isolate. */
function nicenessOf(pid, name) {
  const threads = threadsOf(pid, 'stat').map(({ text }) => {
    const [, own, rest] = /\((.*)\) (.*)/s.exec(text);
    return { own, niceness: Number(rest.split(' ')[16]) - getPriority() };
  });
  // A thread that it has just started, such as to compile, has a later number, and its name for a moment.
  return threads.find(({ own }) => own.startsWith(name))?.niceness;
}

describe.runIf(process.platform === 'linux')('priorities', () => {
  for (const isolation of ['thread', 'process']) {
    it(`a guest has a lower priority than its host, before and after a long computation: ${isolation}`, async () => {
      const executor = new SESExecutor({ isolation, timeoutMs: 30_000, maxOperations: 1e12, keepState: true });
      await executor.init();
      const see = () =>
        isolation === 'thread'
          ? nicenessOf(process.pid, 'ses-executor-')
          : nicenessOf(executor.isolation.pid, 'ses-isolate');
      await executor.sendTools({ see });
      expect((await executor.run('see()')).output).toBe(GUEST_NICE);
      await executor.run('for (let i = 0; i < 3e8; i++);');
      expect((await executor.run('see()')).output).toBe(GUEST_NICE);
      await executor.cleanup();
    });
  }
});
