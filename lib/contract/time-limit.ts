import { clearTimeout, setTimeout } from './clock';
import { onAbort } from './signals';

/**
 * The value of a promise, awaited up to a deadline, if there is one, and until a signal is aborted.
 *
 * @param until.late makes the error at the deadline
 * @param until.aborted makes the error from the signal's reason
 * @param until.holds whether the process stays alive for it; default true
 */
export async function withTimeLimit<T>(
  promise: Promise<T>,
  {
    timeoutMs,
    signal,
    late,
    aborted = (reason) => reason,
    holds = true,
  }: {
    timeoutMs?: number;
    signal?: AbortSignal;
    late?: () => unknown;
    aborted?: (reason: unknown) => unknown;
    holds?: boolean;
  },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  const end = new Promise((_, reject) => {
    if (timeoutMs !== undefined) timer = setTimeout(() => reject(late?.()), timeoutMs);
    if (!holds) timer?.unref();
    const abort = () => reject(aborted(signal?.reason));
    stopListening = signal && onAbort(signal, abort);
    if (signal?.aborted) abort();
  });
  try {
    return await (Promise.race([promise, end]) as Promise<T>);
  } finally {
    clearTimeout(timer);
    stopListening?.();
  }
}
