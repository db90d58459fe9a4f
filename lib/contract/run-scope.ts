import { abortController } from './signals';

// Tools that can end their work early, such as searches, learn here that the run that called them is over. No argument and no
// `this` says it: those belong to the tool's own contract.

/** What has to end with a run, or with one call. */
export class RunScope {
  #atEnd: Set<() => void> = new Set();
  /** Takes a part out of its whole. */
  #detach: (() => void) | undefined;
  #isOver = false;
  #controller: AbortController | undefined;

  /** Whether the run has ended, or the time of the call is over. */
  get isOver() {
    return this.#isOver;
  }

  /** Aborted when that is so. */
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
   * @returns has it not be called
   */
  atEnd(callback: () => void): () => void {
    if (this.#isOver) callback();
    else this.#atEnd.add(callback);
    return () => this.#atEnd.delete(callback);
  }

  /** A scope for a part of the run: it ends with this one, or before. */
  part() {
    const part = new RunScope();
    part.#detach = this.atEnd(() => part.end());
    return part;
  }

  /** Nothing of it is left that could be ended. */
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

/** The scope that a tool is called in, as long as the tool has not awaited anything; undefined outside of calls. */
export function currentScope() {
  return current;
}
