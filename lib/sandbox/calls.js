// @ts-check
'use strict';

const { ExecutorError } = require('../contract/errors');
const { failureOf } = require('../contract/failure');
const { ConcurrencyLimiter } = require('../contract/concurrency-limiter');
const { withTimeLimit } = require('../contract/time-limit');
const { codeFrame } = require('../ses/code-frame');
const { hostTooSlow } = require('./errors');
const { aborted } = require('./failures');
const { RULES, sourcesText } = require('./prompt');

/**
 * The three ways to use a manager as a model's tools call them: failures are values, and the state lives here or where
 * the options say.
 */
class SandboxCalls {
  #manager;
  #options;
  /** @type {unknown} */
  #state;
  #limiter = new ConcurrencyLimiter({ maxConcurrent: 1, maxQueued: Infinity });

  /**
   * @param {import('./index').SandboxManager<any, any>} manager
   * @param {any} [options]
   */
  constructor(manager, options = {}) {
    this.#manager = manager;
    this.#options = options;
    this.#state = options.state;
  }

  /** What models are told of each call. */
  get descriptions() {
    const style = /** @type {'sync' | 'async'} */ (this.#options.style ?? 'sync');
    const sources = sourcesText(this.#manager);
    return {
      search: `Finds methods of the API. Runs JavaScript in which only \`spec\` is defined: spec.find('words' or /pattern/) gives \
[{ method, description }], the best first, spec.method('source.method') gives params and result as JSON schemas, spec.sources has all. The last \
expression is the result.\n\nSources:\n${sources}`,
      execute: `Runs JavaScript that calls the API: sdk.source.method(params), with spec and utils. Search for methods and read their \
schemas first. The last expression is the result, and becomes the current state.\n${RULES[style]}\n\nSources:\n${sources}`,
      mutate: `Changes the current state: a function of it, (state) => ({ ...state, … }), that may use sdk, spec and utils. The state is \
frozen; what the function gives back becomes the current state.\n${RULES[style]}`,
    };
  }

  /**
   * @param {'search' | 'execute' | 'mutate'} name
   * @param {string} code
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ output?: unknown, failure?: import('../contract/failure').RunFailure, logs: string }>} rejects only
   *   with errors of the program around it
   */
  async call(name, code, signal) {
    const { style, ...given } = this.#options;
    let report = { logs: '' };
    const onReport = (/** @type {any} */ one) => (report = one);
    const options = {
      signal,
      onReport,
      ...(style && { style }),
      ...('context' in given && { context: given.context }),
    };
    try {
      const output =
        name === 'search' ? await this.#manager.executeSearch(code, options) : await this.#change(name, code, options);
      return { output, logs: report.logs };
    } catch (thrown) {
      if (!(thrown instanceof ExecutorError)) throw thrown;
      const error = /** @type {any} */ (thrown);
      const failure = failureOf(error, { code, codeFrame, before: 0 });
      return { failure, logs: error.logs ?? '' };
    }
  }

  /**
   * Makes a state of the one before it. Calls take turns, in order: of two at the same time the second has the state of the first.
   *
   * @param {'execute' | 'mutate'} name
   * @param {string} code
   * @param {{ signal: AbortSignal | undefined }} options
   */
  async #change(name, code, options) {
    const { getState, setState } = this.#options;
    const { signal } = options;
    const timeoutMs = this.#manager.limits.executionTimeoutMs;
    /** What a function of the host gives, for which the others that wait for their turn wait no longer than for a program. */
    const answered = (/** @type {string} */ name, /** @type {string} */ when, /** @type {unknown} */ given) =>
      withTimeLimit(Promise.resolve(given), {
        timeoutMs,
        signal,
        late: () => hostTooSlow(name, name, timeoutMs),
        aborted: (reason) => aborted(when, timeoutMs, reason),
      });
    const beforeItBegan = 'before it began';
    await this.#limiter.enter(signal, () => aborted(beforeItBegan, timeoutMs, signal?.reason));
    try {
      const state = () => (getState ? answered('getState', beforeItBegan, getState()) : this.#state);
      const output =
        name === 'mutate'
          ? await this.#manager.executeMutate(code, await state(), options)
          : await this.#manager.executeCode(code, options);
      this.#state = output;
      if (setState) await answered('setState', 'before its state was stored', setState(output));
      return output;
    } finally {
      this.#limiter.leave();
    }
  }
}

module.exports = { SandboxCalls };
