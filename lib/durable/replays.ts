import { errorOf } from '../contract/errors';
import { withTimeLimit } from '../contract/time-limit';

/** Replays of one owner that run at the same time. Others wait for their turn. */
const MAX_CONCURRENT = 4;

interface Turns {
  running: number;
  waiting: (() => void)[];
}

const byOwner = new Map<string, Turns>();

/**
 * Replays a journal in its turn, and for a limited time. A journal that somebody else has caused to be opened must not
 * keep the processors busy.
 *
 * @param owner the option of the executor
 * @param limitMs how long the replay may take
 * @param stop ends the replay
 * @throws {ExecutorError} `ERR_EXEC_TIMEOUT`
 */
export async function inTurn(owner: string, limitMs: number, replay: () => Promise<void>, stop: () => void) {
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
  const turns = byOwner.get(owner) ?? { running: 0, waiting: [] };
  byOwner.set(owner, turns);
  if (turns.running < MAX_CONCURRENT) turns.running++;
  // The one that ends passes its place on.
  else await new Promise<void>((resolve) => turns.waiting.push(resolve));
}

function end(owner: string) {
  const turns = byOwner.get(owner);
  if (turns === undefined) return;
  const next = turns.waiting.shift();
  if (next !== undefined) return next();
  turns.running--;
  if (turns.running === 0) byOwner.delete(owner);
}
