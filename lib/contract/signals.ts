import { setMaxListeners } from 'node:events';
import * as util from 'node:util';

// Node.js treats more than ten listeners of one signal as a leak and warns. Many runs with one signal, or many tool
// calls that listen to the signal of their run, are not a leak.

/** Callbacks by the signals of callers. */
const callbacks: WeakMap<AbortSignal, Set<() => void>> = new WeakMap();

function callAll(this: AbortSignal) {
  const all = callbacks.get(this);
  callbacks.delete(this);
  for (const callback of all ?? []) callback();
}

/**
 * Calls `callback` once when a signal of a caller is aborted. A signal has one listener, however many callbacks there
 * are.
 *
 * @param signal of this realm, another one, or a polyfill
 * @param callback must not throw
 * @returns a function that cancels the callback
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let all = callbacks.get(signal);
  if (all === undefined) {
    all = new Set();
    callbacks.set(signal, all);
    signal.addEventListener('abort', callAll, { once: true });
  }
  all.add(callback);
  return () => {
    all.delete(callback);
    if (all.size > 0 || callbacks.get(signal) !== all) return;
    callbacks.delete(signal);
    signal.removeEventListener('abort', callAll);
  };
}

/** An `AbortController` whose signal takes any number of listeners. */
export function abortController() {
  const controller = new AbortController();
  try {
    setMaxListeners(0, controller.signal);
    return controller;
  } catch {
    return nodeController() ?? controller;
  }
}

/**
 * Test environments such as jsdom and happy-dom replace the global class. Neither Node.js nor its `fetch` accepts the
 * signals of theirs.
 */
function nodeController(): AbortController | undefined {
  const controller = util.transferableAbortController?.();
  if (controller !== undefined) setMaxListeners(0, controller.signal);
  return controller;
}
