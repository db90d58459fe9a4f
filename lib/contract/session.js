// @ts-check
'use strict';

const { ExecutorError } = require('./errors');
const { STATE_LOST, failureOf, withStateLost } = require('./failure');
const { queueOf } = require('./executor-queue');
const { REFUSALS, invalidState } = require('./lifecycle');

/**
 * What came of a run: `failure` if it failed, else `output`.
 *
 * @typedef {object} Report
 * @property {unknown} [output]
 * @property {import('./failure').RunFailure} [failure]
 * @property {string} logs
 * @property {import('../../index').LogEntry[]} logEntries
 * @property {string} [note] what else the author of the code has to know, where there is no `failure` whose hint says it
 *
 * @typedef {object} SessionRunOptions
 * @property {import('../../index').Tools} [tools] what the code can call, of all that sessions have sent
 * @property {number} [before] UTF-16 units that `wrapped` has in front of the code, on its first line
 * @property {string} [wrapped] the code as it runs; by default as it is
 * @property {boolean} [afresh] whether to forget everything that earlier runs have left first
 * @property {AbortSignal} [signal]
 * @property {number} [timeoutMs]
 */

/**
 * What a caller does in one turn of the executor.
 *
 * @typedef {object} Turn
 * @property {(code: string, options?: SessionRunOptions) => Promise<Report>} run
 * @property {() => Promise<void>} reset
 */

/**
 * An executor for callers that must not fail: runs take turns, with those of other sessions of the executor, a failure is a
 * value, and after a run that leaves the executor `DIRTY` the next one finds a fresh isolate. Code cannot call what another
 * session, or an earlier run, has sent as tools.
 */
class Session {
  /** @type {import('../../index').Executor} */
  #executor;
  #queue;
  #livesOn;
  #codeFrame;
  #variables;
  /** The isolate that has the variables. */
  /** @type {number | undefined} */
  #variablesIn;
  /**
   * The isolate that runs were in, as far as reports have said that somebody reads: what they have left is gone in another.
   *
   * @type {number | undefined}
   */
  #isolate;
  #isClosed = false;

  /**
   * @param {import('../../index').Executor} executor
   * @param {object} kind
   * @param {boolean} kind.livesOn whether there are further runs, which failures have to speak of
   * @param {import('./failure').CodeFrame} kind.codeFrame
   * @param {Record<string, unknown>} [kind.variables] that each isolate has
   */
  constructor(executor, { livesOn, codeFrame, variables }) {
    this.#executor = executor;
    this.#queue = queueOf(executor);
    this.#livesOn = livesOn;
    this.#codeFrame = codeFrame;
    this.#variables = variables;
  }

  /**
   * @param {string} code
   * @param {SessionRunOptions} [options]
   * @returns {Promise<Report>} rejects only with errors that are no `ExecutorError`: those of the program around it
   */
  run(code, options = {}) {
    const { signal, before } = options;
    return this.inTurn((turn) => turn.run(code, options), signal).catch((thrown) =>
      this.#reportOf(thrown, code, before),
    );
  }

  /** Forgets everything that runs have left. */
  reset() {
    return this.inTurn((turn) => turn.reset());
  }

  /**
   * Several calls with none of another session between them.
   *
   * @template T
   * @param {(turn: Turn) => Promise<T>} work
   * @param {AbortSignal} [signal] that ends the wait for the turn
   * @returns {Promise<T>}
   */
  inTurn(work, signal) {
    const turn = {
      run: async (/** @type {string} */ code, /** @type {SessionRunOptions} */ options = {}) =>
        this.#noted(await this.#run(code, options), options),
      reset: () => this.#forget(),
    };
    return this.#queue.next(async () => {
      if (this.#isClosed) throw invalidState(this.#executor.state, 'run', REFUSALS.CLEANED_UP);
      return work(turn);
    }, signal);
  }

  /** Ends at once for good, also the run that is under way and those that wait for their turn. */
  async close() {
    this.#isClosed = true;
    await this.#queue.cleanup();
  }

  /**
   * @param {string} code
   * @param {SessionRunOptions} options
   * @returns {Promise<Report>}
   */
  async #run(code, { tools = {}, before, wrapped = code, afresh = false, ...runOptions }) {
    try {
      if (afresh) await this.#forget();
      await this.#makeReady();
      this.#isolate ??= this.#queue.isolate;
      await this.#queue.sendTools(tools);
      const { output, logs, logEntries } = await this.#executor.run(wrapped, runOptions);
      return { output, logs, logEntries };
    } catch (thrown) {
      const report = this.#reportOf(thrown, code, before);
      if (this.#executor.state === 'DIRTY') await this.#queue.discard();
      return report;
    }
  }

  /**
   * @param {unknown} thrown
   * @param {string} code
   * @param {number} [before]
   * @returns {Report}
   * @throws what is no `ExecutorError`
   */
  #reportOf(thrown, code, before = 0) {
    if (!(thrown instanceof ExecutorError)) throw thrown;
    const error = /** @type {import('../../index').ExecutorError} */ (/** @type {unknown} */ (thrown));
    const failure = failureOf(error, { code, before, codeFrame: this.#codeFrame });
    return { failure, logs: error.logs ?? '', logEntries: error.logEntries ?? [] };
  }

  /**
   * Who aborts a run does not hand its report on: the next one says what is gone.
   *
   * @param {Report} report
   * @param {SessionRunOptions} options
   * @returns {Report}
   */
  #noted(report, { signal }) {
    const { isolate } = this.#queue;
    if (!this.#livesOn || this.#isolate === undefined || this.#isolate === isolate) return report;
    if (signal?.aborted !== true) this.#isolate = isolate;
    const { failure } = report;
    if (failure === undefined) return { ...report, note: STATE_LOST };
    return { ...report, failure: withStateLost(failure) };
  }

  async #forget() {
    await this.#queue.discard();
    this.#isolate = undefined;
  }

  async #makeReady() {
    await this.#queue.makeReady();
    const { isolate } = this.#queue;
    if (this.#variables === undefined || this.#variablesIn === isolate) return;
    await this.#executor.sendVariables(this.#variables);
    this.#variablesIn = isolate;
  }
}

module.exports = { Session };
