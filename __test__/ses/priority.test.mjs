// Who computes for long is nicer to the others, until the run ends where the system permits that.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { getPriority } from 'node:os';

import { describe, expect, it } from 'vitest';

import { SESExecutor } from '../../index.mjs';

const GUEST_NICE = 5;
const COMPUTING_NICE = 10;

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

/** Whether the system lets a thread be less nice again. */
function canRestore() {
  const attempt =
    'const os = require("os"); const was = os.getPriority(); os.setPriority(was + 1); os.setPriority(was);';
  try {
    execFileSync(process.execPath, ['-e', attempt], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(process.platform === 'linux')('priorities', () => {
  for (const isolation of ['thread', 'process']) {
    it(`a guest that goes on computing is nicer until its run ends: ${isolation}`, async () => {
      const executor = new SESExecutor({ isolation, timeoutMs: 30_000, maxOperations: 1e12, keepState: true });
      await executor.init();
      const see = () =>
        isolation === 'thread'
          ? nicenessOf(process.pid, 'ses-executor-')
          : nicenessOf(executor.isolation.pid, 'ses-isolate');
      await executor.sendTools({ see });
      expect((await executor.run('see()')).output).toBe(GUEST_NICE);

      const abort = new AbortController();
      const endless = executor.run('for (;;);', { signal: abort.signal });
      await expect.poll(see, { timeout: 20_000, interval: 5 }).toBe(GUEST_NICE + COMPUTING_NICE);
      abort.abort();
      await expect(endless).rejects.toMatchObject({ code: 'ERR_EXEC_TIMEOUT' });

      const later = canRestore() ? GUEST_NICE : GUEST_NICE + COMPUTING_NICE;
      expect((await executor.run('see()')).output).toBe(later);
      await executor.cleanup();
    });
  }
});
