import { isThenable, ownPromise } from '../contract/tool-calls';
import { RunScope } from '../contract/run-scope';

/**
 * The tool calls of a run that can continue on another worker. The tools do not learn that the worker was lost: they go
 * on, and the run that continues takes their results.
 */
export class KeptCalls {
  /** The number of the run that has made them. */
  #number = 0;
  /** By their numbers in the run. */
  #promises: Map<number, Promise<unknown>> = new Map();
  #run = new RunScope();

  /**
   * Calls a tool.
   *
   * @param call the numbers of the run and of the call
   * @param scope of the call; when it ends, the work of the tool ends too, unless the run continues elsewhere
   * @param isMoving whether it does
   */
  perform<T>(
    [run, number]: readonly [number, number],
    scope: RunScope,
    isMoving: () => boolean,
    work: (scope: RunScope) => T,
  ): T {
    if (run !== this.#number) this.#begin(run);
    const kept = this.#run.part();
    scope.atEnd(() => {
      if (!isMoving()) kept.end();
    });
    const result = work(kept);
    if (!isThenable(result)) return result;
    const promise = ownPromise(result);
    // Its caller handles a rejection, unless the worker is lost before.
    promise.catch(() => {});
    this.#promises.set(number, promise);
    return promise as T;
  }

  /**
   * What a tool that was called returns or has returned; undefined if it was not called, or has returned no promise.
   */
  resultOf(number: number): Promise<unknown> | undefined {
    return this.#promises.get(number);
  }

  /** A run that has continued elsewhere has ended. Ends the work that is left of it. */
  end(run: number) {
    if (run === this.#number) this.#begin(0);
  }

  #begin(run: number) {
    this.#number = run;
    this.#promises = new Map();
    this.#run.end();
    this.#run = new RunScope();
  }
}
