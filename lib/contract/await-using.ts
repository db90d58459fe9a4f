/// <reference lib="esnext.disposable" preserve="true" />

/** Something that `await using` cleans up. */
export interface AwaitUsing {
  /** Calls `cleanup()`, or `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes instances of a class disposable. Versions of Node.js before 20.4 have neither `Symbol.asyncDispose` nor `await
 * using`.
 *
 * @internal
 * @param dispose a method of the class
 */
export function makeDisposable<T extends AwaitUsing>(prototype: T, dispose: () => Promise<void>): void {
  if (Symbol.asyncDispose === undefined) return;
  Object.defineProperty(prototype, Symbol.asyncDispose, { value: dispose, writable: true, configurable: true });
}
