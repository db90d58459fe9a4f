// @ts-check
'use strict';

const { describe } = require('../contract/describe');
const { abortController } = require('../contract/signals');
const { InvalidCallError, SdkCallError, callLimitExceeded, invalidState } = require('./errors');

/** Characters of a path in what a program gives. */
const MAX_SHOWN = 200;

/** For calls whose execution has ended: nobody wants an answer. */
const never = new Promise(() => {});

/**
 * @typedef {(params: Record<string, unknown>, call: import('./index').SdkCall) => unknown} Adapter
 *
 * @typedef {object} Api what the executions of one manager share
 * @property {(source: string, method: string) => { reader: import('./params').ParamsReader, adapter: Adapter } | string}
 *   methodOf or why there is none
 * @property {(source: string) => import('./rate-limits').RateLimit | undefined} rateLimitOf
 * @property {number} maxSdkCalls
 */

/** One execution as the host sees it: what it may call, what it has called, and how it was ended. */
class Execution {
  #api;
  #context;
  /** Ends the program. */
  #stop = abortController();
  /** Why the execution has ended, if it has. */
  /** @type {{ reason: unknown } | undefined} */
  #end;
  /** Made for the first adapter that asks for its signal. */
  /** @type {AbortController | undefined} */
  #ended;
  #calls = 0;
  /** @type {Map<string, number>} */
  #callsBySource = new Map();
  /** Source and method of calls that have no answer yet, as the guest has named them. */
  /** @type {Set<unknown[]>} */
  #unanswered = new Set();
  /** Answers by ticket, until the guest takes them. */
  /** @type {Map<number, { value?: unknown, thrown?: { error: unknown } }>} */
  #answers = new Map();
  #nextTicket = 1;
  /** Tickets that are answered and that the guest has not heard of. */
  /** @type {number[]} */
  #done = [];
  /** @type {((ticket: number) => void) | undefined} */
  #waiting;
  /** Why the host has ended it, if it has. */
  /** @type {import('./errors').SandboxError | undefined} */
  failure;

  /**
   * @param {'search' | 'execute' | 'mutate'} kind
   * @param {Api} api
   * @param {unknown} context
   */
  constructor(kind, api, context) {
    this.kind = kind;
    this.#api = api;
    this.#context = context;
  }

  /** Aborted when the program is to end. */
  get stop() {
    return this.#stop.signal;
  }

  get isOver() {
    return this.#end !== undefined;
  }

  /** Aborted when the execution ends, for whatever reason. */
  get signal() {
    if (this.#ended === undefined) {
      this.#ended = abortController();
      if (this.#end !== undefined) this.#ended.abort(reasonOf(this.#end));
    }
    return this.#ended.signal;
  }

  get callsBySource() {
    return Object.fromEntries(this.#callsBySource);
  }

  /** Methods of calls that have no answer. */
  get unanswered() {
    return [...new Set([...this.#unanswered].map(([source, method]) => `sdk.${source}.${method}`))];
  }

  /**
   * Ends it from the host's side.
   *
   * @param {import('./errors').SandboxError} failure
   */
  fail(failure) {
    this.failure ??= failure;
    this.abort(failure);
  }

  /** @param {unknown} reason of a caller that has given up */
  abort(reason) {
    this.end(reason);
    this.#stop.abort(reason);
  }

  /**
   * The program has ended, or is to end.
   *
   * @param {unknown} [reason]
   */
  end(reason) {
    this.#answers.clear();
    if (this.isOver) return;
    this.#end = { reason };
    this.#ended?.abort(reasonOf(this.#end));
  }

  /**
   * Makes one call of the guest.
   *
   * @param {unknown} source
   * @param {unknown} method
   * @param {unknown} text the parameters as JSON
   * @param {unknown} [place] byte offset of the call in the code
   */
  async call(source, method, text, place) {
    if (this.isOver) return never;
    // Before anything that can fail: a guest that catches gains nothing.
    if (++this.#calls > this.#api.maxSdkCalls) {
      this.fail(callLimitExceeded(this.#api.maxSdkCalls));
      return never;
    }
    const at = Number.isInteger(place) ? /** @type {number} */ (place) : -1;
    const names = [source, method];
    this.#unanswered.add(names);
    try {
      return await this.#answerOf(source, method, text, at);
    } catch (error) {
      if (this.isOver) return never;
      if (error instanceof InvalidCallError) error.at = at;
      throw error;
    } finally {
      this.#unanswered.delete(names);
    }
  }

  /**
   * @param {unknown} given
   * @param {unknown} name
   * @param {unknown} text
   * @param {number} at
   */
  async #answerOf(given, name, text, at) {
    const { reader, adapter } = this.#methodOf(given, name);
    const [source, method] = /** @type {string[]} */ ([given, name]);
    this.#callsBySource.set(source, (this.#callsBySource.get(source) ?? 0) + 1);
    let params;
    try {
      params = await reader.read(text, this.signal);
    } catch (error) {
      if (this.isOver) return never;
      throw error;
    }
    if (this.isOver) return never;
    const leave = await this.#api.rateLimitOf(source)?.enter(this.signal);
    try {
      const value = await adapter(params, this.#callOf(source, method));
      return this.isOver ? never : value;
    } catch (thrown) {
      throw new SdkCallError(source, method, thrown, at);
    } finally {
      leave?.();
    }
  }

  /**
   * What an adapter learns of a call.
   *
   * @param {string} source
   * @param {string} method
   * @returns {import('./index').SdkCall}
   */
  #callOf(source, method) {
    const signal = () => this.signal;
    return {
      source,
      method,
      context: this.#context,
      get signal() {
        return signal();
      },
    };
  }

  /**
   * Makes a call whose answer the guest takes later.
   *
   * @param {unknown} source
   * @param {unknown} method
   * @param {unknown} text
   */
  start(source, method, text) {
    const ticket = this.#nextTicket++;
    this.call(source, method, text).then(
      (value) => this.#answer(ticket, { value }),
      (error) => this.#answer(ticket, { thrown: { error } }),
    );
    return ticket;
  }

  /** @returns {Promise<number> | number} the next ticket that is answered */
  next() {
    if (this.#done.length > 0) return /** @type {number} */ (this.#done.shift());
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  /** @param {unknown} ticket */
  take(ticket) {
    const answer = this.#answers.get(/** @type {number} */ (ticket));
    if (answer === undefined) throw new TypeError('there is no such call');
    this.#answers.delete(/** @type {number} */ (ticket));
    if (answer.thrown !== undefined) throw answer.thrown.error;
    return answer.value;
  }

  /**
   * The program has given what is no data.
   *
   * @param {unknown} path
   * @param {unknown} what
   */
  refuse(path, what) {
    if (!this.isOver) this.fail(invalidState([{ path: shown(path), message: `must be data, got ${shown(what)}` }]));
    return never;
  }

  /**
   * @param {number} ticket
   * @param {{ value?: unknown, thrown?: { error: unknown } }} answer
   */
  #answer(ticket, answer) {
    this.#answers.set(ticket, answer);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#done.push(ticket);
    else waiting(ticket);
  }

  /**
   * @param {unknown} source
   * @param {unknown} method
   */
  #methodOf(source, method) {
    // To make a text of anything else may take for ever: an array that has another one twice, and so on.
    if (typeof source !== 'string' || typeof method !== 'string') {
      const reason = `there is no method whose name is ${describe(typeof source === 'string' ? method : source)}`;
      throw new InvalidCallError('ERR_UNKNOWN_METHOD', reason, { path: 'sdk' });
    }
    const path = `sdk.${source}.${method}`;
    if (this.kind === 'search') {
      throw new InvalidCallError('ERR_UNKNOWN_METHOD', 'a search has no sdk', { path });
    }
    const found = this.#api.methodOf(source, method);
    if (typeof found === 'string') throw new InvalidCallError('ERR_UNKNOWN_METHOD', found, { path });
    return found;
  }
}

/** @param {unknown} text of a guest */
function shown(text) {
  return typeof text === 'string' ? text.slice(0, MAX_SHOWN) : '';
}

/** @param {{ reason: unknown }} end */
function reasonOf({ reason }) {
  return reason ?? new Error('the execution has ended');
}

module.exports = { Execution };
