/** The command line was used wrongly: exit status 2. */
export class UsageError extends Error {}

/** Does work that refuses only what it was given: wrong arguments are wrong use. */
export async function asUsage<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRefusal = [TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind);
    throw isRefusal ? new UsageError((error as Error).message) : error;
  }
}
