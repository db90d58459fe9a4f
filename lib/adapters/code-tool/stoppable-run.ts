import { abortController, onAbort } from '../../contract/signals';

/**
 * Runs code whose tools can end the run with an error for the framework. The error is reported even if the code catches
 * it.
 *
 * @param signal the caller's signal
 * @returns a promise that rejects with the first error that stopped the run
 */
export async function stoppable<T>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal, stop: (thrown: unknown) => void) => Promise<T>,
): Promise<T> {
  const ended = abortController();
  const abort = () => ended.abort(signal?.reason);
  if (signal?.aborted) abort();
  const stopListening = signal && onAbort(signal, abort);
  let stopped: { thrown: unknown } | undefined;
  const stop = (thrown: unknown) => {
    stopped ??= { thrown };
    ended.abort(thrown);
  };
  try {
    const result = await run(ended.signal, stop);
    if (stopped !== undefined) throw stopped.thrown;
    return result;
  } finally {
    stopListening?.();
  }
}
