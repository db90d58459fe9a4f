import { errorOf } from '../contract/errors';
import { withTimeLimit } from '../contract/time-limit';

/** Replays of one owner that run at the same time. Others wait in a queue. */
const MAX_CONCURRENT = 4;

interface Replays {
  running: number;
  waiting: (() => void)[];
}

const byOwner = new Map<string, Replays>();

/**
 * Replays a journal when few others of its owner run, and for a limited time. A journal that somebody else has caused
 * to be opened must not keep the processors busy.
 *
 * @param owner the option of the executor
 * @param limitMs how long the replay may take
 * @param stop ends the replay
 * @throws {ExecutorError} `ERR_EXEC_TIMEOUT`
 */
export async function limitedReplay(owner: string, limitMs: number, replay: () => Promise<void>, stop: () => void) {
  await begin(owner);
  const late = () => {
    stop();
    return errorOf('ERR_EXEC_TIMEOUT', { timeoutMs: limitMs }, { timeoutMs: limitMs, reason: 'replay' });
  };
  try {
    await withTimeLimit(replay(), { timeoutMs: limitMs, late });
  } finally {
    end(owner);
  }
}

async function begin(owner: string) {
  const replays = byOwner.get(owner) ?? { running: 0, waiting: [] };
  byOwner.set(owner, replays);
  if (replays.running < MAX_CONCURRENT) replays.running++;
  // The one that ends passes its place on.
  else await new Promise<void>((resolve) => replays.waiting.push(resolve));
}

function end(owner: string) {
  const replays = byOwner.get(owner);
  if (replays === undefined) return;
  const next = replays.waiting.shift();
  if (next !== undefined) return next();
  replays.running--;
  if (replays.running === 0) byOwner.delete(owner);
}
