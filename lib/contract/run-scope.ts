import { abortController } from './signals';

// Tools that can end their work early, such as searches, learn here that the run that called them is over. They do not
// learn it from an argument or from `this`, which belong to the tool's own contract.

/** Holds everything that must end with a run, or with one call. */
export class RunScope {
  #atEnd: Set<() => void> = new Set();
  /** Removes this scope from the one that contains it. */
  #detach: (() => void) | undefined;
  /** The scope of the run that this is a part of, or this one. */
  #whole: RunScope | undefined;
  #isOver = false;
  #controller: AbortController | undefined;

  /** Whether the run has ended, or the time of the call is over. */
  get isOver() {
    return this.#isOver;
  }

  /** Aborted when the run or call is over. */
  get signal() {
    if (this.#controller === undefined) {
      const controller = abortController();
      this.#controller = controller;
      this.atEnd(() => controller.abort());
    }
    return this.#controller.signal;
  }

  /**
   * @param callback called once, at the end; must not throw
   * @returns a function that cancels the callback
   */
  atEnd(callback: () => void): () => void {
    if (this.#isOver) callback();
    else this.#atEnd.add(callback);
    return () => this.#atEnd.delete(callback);
  }

  get whole(): RunScope {
    return this.#whole ?? this;
  }

  /** A scope for a part of the run. It ends with this scope, or earlier. */
  part() {
    const part = new RunScope();
    part.#whole = this.whole;
    part.#detach = this.atEnd(() => part.end());
    return part;
  }

  /** Ends the scope without ending its work, because there is none left. */
  close() {
    this.#detach?.();
    this.#atEnd.clear();
  }

  end() {
    if (this.#isOver) return;
    this.#isOver = true;
    const callbacks = [...this.#atEnd];
    this.close();
    for (const callback of callbacks) callback();
  }
}

let current: RunScope | undefined;

/** Calls a tool for a run, or for a part of it. */
export function within<T>(scope: RunScope, call: () => T): T {
  const outer = current;
  current = scope;
  try {
    return call();
  } finally {
    current = outer;
  }
}

/** The scope that a tool is called in, until the tool's first `await`; undefined outside calls. */
export function currentScope() {
  return current;
}
