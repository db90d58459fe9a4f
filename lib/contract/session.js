// @ts-check
'use strict';

const { ExecutorError } = require('./errors');
const { STATE_LOST, failureOf } = require('./failure');

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
 * @property {import('../../index').Tools} [tools] what the code can call from now on
 * @property {number} [before] UTF-16 units that `wrapped` has in front of the code, on its first line
 * @property {string} [wrapped] the code as it runs; by default as it is
 * @property {boolean} [afresh] whether to forget everything that earlier runs have left first
 * @property {AbortSignal} [signal]
 * @property {number} [timeoutMs]
 */

/**
 * An executor for callers that must not fail: runs take turns, a failure is a value, and after a run that leaves the
 * executor `DIRTY` the next one finds a fresh isolate.
 */
class Session {
  /** @type {import('../../index').Executor} */
  #executor;
  #livesOn;
  #codeFrame;
  #variables;
  /** Settles with the last call that was made. */
  #last = Promise.resolve();
  /** Whether what earlier runs have left is gone, and no report that somebody reads has said so. */
  #isLost = false;

  /**
   * @param {import('../../index').Executor} executor
   * @param {object} kind
   * @param {boolean} kind.livesOn whether there are further runs, which failures have to speak of
   * @param {import('./failure').CodeFrame} kind.codeFrame
   * @param {Record<string, unknown>} [kind.variables] that each isolate has
   */
  constructor(executor, { livesOn, codeFrame, variables }) {
    this.#executor = executor;
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
    return this.#inTurn(async () => this.#noted(await this.#run(code, options), options));
  }

  /** Forgets everything that runs have left. */
  reset() {
    return this.#inTurn(() => this.#forget());
  }

  /** Ends at once, also the run that is under way. */
  async close() {
    await this.#executor.cleanup();
  }

  /**
   * @param {string} code
   * @param {SessionRunOptions} options
   * @returns {Promise<Report>}
   */
  async #run(code, { tools = {}, before = 0, wrapped = code, afresh = false, ...runOptions }) {
    try {
      if (afresh) await this.#forget();
      await this.#makeReady();
      if (Object.keys(tools).length > 0) await this.#executor.sendTools(tools);
      const { output, logs, logEntries } = await this.#executor.run(wrapped, runOptions);
      return { output, logs, logEntries };
    } catch (thrown) {
      if (!(thrown instanceof ExecutorError)) throw thrown;
      const error = /** @type {import('../../index').ExecutorError} */ (/** @type {unknown} */ (thrown));
      const failure = failureOf(error, { code, before, codeFrame: this.#codeFrame });
      if (this.#executor.state === 'DIRTY') {
        await this.#executor.cleanup();
        this.#isLost = this.#livesOn;
      }
      return { failure, logs: error.logs ?? '', logEntries: error.logEntries ?? [] };
    }
  }

  /**
   * Who aborts a run does not hand its report on: the next one says what is gone.
   *
   * @param {Report} report
   * @param {SessionRunOptions} options
   * @returns {Report}
   */
  #noted(report, { signal }) {
    if (!this.#isLost) return report;
    this.#isLost = signal?.aborted === true;
    const { failure } = report;
    if (failure === undefined) return { ...report, note: STATE_LOST };
    return { ...report, failure: { ...failure, hint: `${failure.hint} ${STATE_LOST}` } };
  }

  async #forget() {
    await this.#executor.cleanup();
    this.#isLost = false;
  }

  async #makeReady() {
    if (this.#executor.state === 'DIRTY') await this.#executor.cleanup();
    if (!['NEW', 'INITIALIZING', 'DEAD'].includes(this.#executor.state)) return;
    await this.#executor.init();
    if (this.#variables !== undefined) await this.#executor.sendVariables(this.#variables);
  }

  /**
   * @template T
   * @param {() => Promise<T>} call
   */
  #inTurn(call) {
    const turn = this.#last.then(call);
    this.#last = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }
}

module.exports = { Session };
