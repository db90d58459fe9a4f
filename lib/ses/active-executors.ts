import { clearInterval, setInterval } from '../contract/clock';
import type { NativeConnection } from './native-connection';

/**
 * How often Deno's event loop is made to look while calls are under way, in milliseconds. It looks for what other threads have
 * for it first, and says only then how it can be woken: what comes between the two waits until something else wakes it, up to
 * 30 seconds (`V8TaskSpawnerFactory::poll_inner` of Deno 2.9; about one of 20,000 tool calls in a row).
 */
const LOOK_MS = process.versions.deno === undefined ? undefined : 10;

/**
 * Executors with calls under way. The native side holds its executor weakly, so that one that is idle can be collected; one
 * that somebody waits for cannot.
 */
const executors: Set<NativeConnection> = new Set();

let looks: NodeJS.Timeout | undefined;

/** Goes on for one look more than anything is under way, so that a call alone starts and stops nothing. */
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
