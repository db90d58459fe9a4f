/** The command line is invalid: exit status 2. */
export class UsageError extends Error {}

/** Why hosts are refused. */
export const HOSTS_NEED_FETCH = '--allow-host needs --globals fetch';

/** Runs a function that only rejects invalid input, and reports its errors as usage errors. */
export async function asUsage<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRefusal = [TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind);
    throw isRefusal ? new UsageError((error as Error).message) : error;
  }
}
