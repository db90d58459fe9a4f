import { clearInterval, setInterval } from '../contract/clock';
import type { NativeConnection } from './native-connection';

/**
 * How often Deno's event loop is made to check for work while calls are under way, in milliseconds. Deno first drains
 * the tasks of other threads and registers its waker afterwards. A task that arrives between the two waits until
 * something else wakes the loop, up to 30 seconds (`V8TaskSpawnerFactory::poll_inner` of Deno 2.9; about one of 20,000
 * tool calls in a row).
 */
const LOOK_MS = process.versions.deno === undefined ? undefined : 10;

/**
 * Executors with calls under way. The native side holds its executor weakly, so that an idle one can be collected. An
 * executor with a pending call must stay alive.
 */
const executors: Set<NativeConnection> = new Set();

let looks: NodeJS.Timeout | undefined;

/** Continues for one interval after the last call has ended, so that single calls neither start nor stop the timer. */
function look() {
  if (executors.size > 0) return;
  clearInterval(looks);
  looks = undefined;
}

export function begin(executor: NativeConnection) {
  executors.add(executor);
  if (LOOK_MS !== undefined) looks ??= setInterval(look, LOOK_MS).unref();
}

export function end(executor: NativeConnection) {
  executors.delete(executor);
}
