// Threads that run guests are nicer than the host's, from their start to their end.
import { readFileSync, readdirSync } from 'node:fs';
import { getPriority } from 'node:os';

import { describe, expect, it } from 'vitest';

import { SESExecutor } from '../../index.mjs';

const GUEST_NICE = 5;

/** The name of a thread and how nice it is; undefined: it has ended. */
function threadOf(folder) {
  try {
    const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`${folder}/stat`, 'utf8'));
    return { name, niceness: Number(rest.split(' ')[16]) - getPriority() };
  } catch {
    return undefined;
  }
}

/** How nice the only isolate's thread of a process is. */
function nicenessOf(pid, name) {
  const ids = readdirSync(`/proc/${pid}/task`).sort((a, b) => a - b);
  // One that it has just begun, such as to compile, has its name for a moment.
  return ids.map((id) => threadOf(`/proc/${pid}/task/${id}`)).find((thread) => thread?.name.startsWith(name))?.niceness;
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
