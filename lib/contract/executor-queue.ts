import { isPlainObject, memberPath } from './describe';
import { abortedBeforeStart } from './errors';
import { REFUSALS, invalidState, needsInit } from './lifecycle';
import { onAbort } from './signals';
import { runNested, isNestedIn } from './reentrancy';
import type { Executor } from './executor-types';
import type { Tools } from './tool-types';

/** An executor that several sessions share: the jobs that wait for it, and what each session has sent. */
class ExecutorQueue {
  #executor;
  /** Settles with the last queued job. */
  #last = Promise.resolve();
  /** Tools that guests can call. */
  #tools: Tools = {};
  /** Names of everything that was sent to the isolate. */
  #names: Set<string> = new Set();
  /** Number of the current isolate. It grows when an isolate has ended. */
  isolate = 0;
  /** Whether there is no isolate with this number yet. */
  #isAhead = false;
  /** Grows when the executor is cleaned up. Jobs queued before that are refused. */
  #epoch = 0;
  /** The epoch of the current job. */
  #jobEpoch = 0;

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  /**
   * @param signal when it is aborted, a job that has not started is skipped
   * @returns fails with `ERR_INVALID_STATE` if the executor is cleaned up before the job starts, or if called within
   *   another job
   */
  add<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal === undefined) return this.#queue(job);
    if (signal.aborted) return Promise.reject(abortedBeforeStart(signal.reason));
    return new Promise((resolve, reject) => {
      const stopListening = onAbort(signal, () => reject(abortedBeforeStart(signal.reason)));
      const begin = async () => {
        stopListening();
        if (!signal.aborted) resolve(await job());
      };
      this.#queue(begin).catch((error) => {
        stopListening();
        reject(error);
      });
    });
  }

  #queue<T>(job: () => Promise<T>): Promise<T> {
    if (isNestedIn(this)) return Promise.reject(invalidState(this.#executor.state, 'run', REFUSALS.WITHIN));
    this.#notice();
    const epoch = this.#epoch;
    const result = this.#last.then(() => {
      this.#jobEpoch = epoch;
      this.#refuseAfterCleanup();
      return runNested(this, (work) => job().finally(() => (work.isOver = true)));
    });
    this.#last = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /** Within a job: creates an isolate if there is no usable one. */
  async makeReady() {
    this.#refuseAfterCleanup();
    if (this.#executor.state === 'DIRTY') {
      await this.discard();
      this.#refuseAfterCleanup();
    }
    const isThere = !needsInit(this.#executor.state);
    if (!isThere && !this.#isAhead) this.#forget();
    // An existing isolate may have been created by the executor's owner.
    this.#isAhead = false;
    if (isThere) return;
    try {
      await this.#executor.init();
    } catch (error) {
      // Otherwise it was cleaned up.
      if ((error as { code?: unknown } | undefined)?.code !== 'ERR_INVALID_STATE') this.#isAhead = true;
      throw error;
    }
  }

  /**
   * From now on guests can call only these tools, of all that sessions have sent.
   *
   * @param tools the same object as before: nothing is sent
   */
  async sendTools(tools: Tools) {
    this.#refuseAfterCleanup();
    if (tools === this.#tools) return;
    const { isolate } = this;
    const others = Object.entries(this.#tools).filter(([name]) => !Object.hasOwn(tools, name));
    const withdrawn = others.map(([name, tool]) => [name, refusing(tool, name)]);
    const sent = { ...Object.fromEntries(withdrawn), ...tools };
    if (Object.keys(sent).length === 0) return;
    // If sending fails, tools that have arrived must be withdrawn as well.
    this.#tools = { ...this.#tools, ...tools };
    for (const name of Object.keys(tools)) this.#names.add(name);
    await this.#executor.sendTools(sent);
    // Otherwise the next step would use the isolate that `autoInit` creates.
    this.#refuseAfterCleanup();
    if (isolate === this.isolate) this.#tools = tools;
  }

  /** Whether a name in the isolate belongs to a tool of one session. */
  hasSent(name: string) {
    return this.#names.has(name);
  }

  /** Within a job: ends the isolate. */
  async discard() {
    this.#forget();
    await this.#executor.cleanup();
  }

  /** Ends the isolate, the current job and the waiting jobs. */
  async cleanup() {
    this.#epoch++;
    await this.discard();
  }

  #refuseAfterCleanup() {
    this.#notice();
    if (this.#jobEpoch !== this.#epoch) throw invalidState(this.#executor.state, 'run', REFUSALS.CLEANED_UP);
  }

  /** The executor's own `cleanup()` is not reported to the queue. */
  #notice() {
    if (this.#isAhead || this.#executor.state !== 'DEAD') return;
    this.#forget();
    this.#epoch++;
  }

  #forget() {
    this.#tools = {};
    this.#names.clear();
    this.isolate++;
    this.#isAhead = true;
  }
}

/** Takes the place of a tool, or of a namespace of tools, and refuses each call. */
function refusing(tool: unknown, path: string): Tools[string] {
  if (isPlainObject(tool)) {
    return Object.fromEntries(
      Object.entries(tool).map(([key, inner]) => [key, refusing(inner, memberPath(path, key))]),
    );
  }
  return async () => {
    throw new Error(`${path} is not one of the functions that this code can call`);
  };
}

/** Held as long as the executor. */
const known: WeakMap<Executor, ExecutorQueue> = new WeakMap();

export function queueOf(executor: Executor) {
  const queue = known.get(executor) ?? new ExecutorQueue(executor);
  known.set(executor, queue);
  return queue;
}
