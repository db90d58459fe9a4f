// @ts-check
'use strict';

const { RunScope } = require('../contract/run-scope');
const { ToolExceptions } = require('../contract/tool-exceptions');
const { REPLY_KIND } = require('../contract/boundary-numbers');
const { answerToolCall } = require('../contract/tool-calls');
const wire = require('./transfer');
const { mayReadNow, readInSlices } = require('./read-scheduler');

/**
 * @typedef {object} UnreadCall
 * @property {number} call
 * @property {number} id of the tool
 * @property {boolean} isAsync
 * @property {any} args as the native side gives them
 */

const now = Promise.resolve();

/** Tool calls of one run. When that has ended nobody waits for their answers: those that still come are dropped. */
class RunCalls {
  #executor;
  #isOver = false;
  #scope = new RunScope();
  /** Calls that the host works on. */
  #unanswered = 0;
  /** Those of them whose tools have given promises. */
  #working = 0;
  /** Begin calls that wait for one of these to settle. @type {(() => void)[]} */
  #waiting = [];
  /** Bytes of their arguments. */
  #waitingBytes = 0;
  #isStarting = false;
  /** Calls whose arguments have not been read, in their order. @type {UnreadCall[]} */
  #unread = [];
  /** Answers for `NativeExecutor.toolResults` that have not been sent. @type {unknown[]} */
  #replies = [];
  #willSend = false;
  #thrown = new ToolExceptions();

  /** @param {import('./native-connection').NativeConnection} executor */
  constructor(executor) {
    this.#executor = executor;
  }

  get unanswered() {
    return this.#unanswered;
  }

  /**
   * @param {number} call
   * @returns {{ cause: unknown } | undefined} what the host's tool threw, if it did
   */
  causeOf(call) {
    return this.#thrown.causeOf(call);
  }

  /** Nobody waits for what tools still answer. */
  end() {
    this.#isOver = true;
    this.#waiting = [];
    this.#unread = [];
    this.#replies = [];
    this.#scope.end();
  }

  /**
   * Calls a tool, once its arguments and those of the calls before it are read.
   *
   * @param {number} call
   * @param {number} id of the tool
   * @param {boolean} isAsync
   * @param {any} args as the native side gives them
   */
  add(call, id, isAsync, args) {
    if (this.#unread.length === 0 && mayReadNow(args)) {
      this.#begin(call, id, isAsync, wire.readArguments(args), bytesOf(args));
    } else {
      this.#unread.push({ call, id, isAsync, args });
      if (this.#unread.length === 1) void this.#readUnread();
    }
  }

  /** Reads arguments in turns of the event loop, one call after the other, so that tools are called in order. */
  async #readUnread() {
    for (let next = this.#unread[0]; next !== undefined; next = this.#unread[0]) {
      const { call, id, isAsync, args } = next;
      const read = mayReadNow(args)
        ? wire.readArguments(args)
        : await readInSlices(args, this.#scope).catch((error) => /** @type {const} */ ({ error }));
      if (this.#isOver) return;
      this.#unread.shift();
      this.#begin(call, id, isAsync, read, bytesOf(args));
    }
  }

  /**
   * @param {number} call
   * @param {number} id
   * @param {boolean} isAsync
   * @param {unknown[] | { error: unknown }} args
   * @param {number} bytes of them
   */
  #begin(call, id, isAsync, args, bytes) {
    const executor = this.#executor;
    const run = executor.runUnderWay();
    // The guest of a run that was settled from outside may still have been about to call: nobody wants the effect.
    if (run === undefined) return;
    const tool = executor.tools.get(id);
    this.#unanswered++;
    // Of such calls the native side sees to it that there are not too many.
    let isWorking = isAsync;
    if (isAsync) this.#working++;
    // The guest has a promise already.
    let isPromised = false;
    /** @type {import('../contract/tool-calls').Answer} */
    const answer = {
      wire,
      maxTransferBytes: executor.maxTransferBytes,
      timeoutMs: run.toolTimeoutMs,
      scope: this.#scope,
      onToolCall: executor.onToolCall,
      reply: (status, payload) => {
        if (this.#isOver) return;
        if (status === REPLY_KIND.PROMISE) {
          isWorking = true;
          this.#working++;
          if (tool !== undefined) executor.promising.add(tool.fn);
          if (isPromised) return;
        }
        this.#reply(call, status, payload, isAsync || isPromised);
        if (status === REPLY_KIND.PROMISE) return;
        if (isWorking) this.#working--;
        this.#startWaiting();
      },
      onThrown: (thrown) => {
        if (!this.#isOver) this.#thrown.keep(call, thrown);
      },
    };
    const begin = () => run.context.runInAsyncScope(() => answerToolCall(tool, isAsync, args, answer));
    const givesPromise = tool !== undefined && !tool.isBlocking && executor.promising.has(tool.fn);
    if (isAsync || !givesPromise || this.#working < executor.maxConcurrentToolCalls) return begin();
    this.#waitingBytes += bytes;
    this.#waiting.push(() => {
      this.#waitingBytes -= bytes;
      begin();
    });
    // Otherwise the guest itself waits, so that the host has to keep no more arguments.
    isPromised = this.#waitingBytes <= executor.maxTransferBytes;
    if (isPromised) this.#reply(call, REPLY_KIND.PROMISE, undefined, false);
  }

  /** Begins calls that wait, as long as there may be more. One may be done at once. */
  #startWaiting() {
    if (this.#isStarting) return;
    this.#isStarting = true;
    while (this.#working < this.#executor.maxConcurrentToolCalls) {
      const begin = this.#waiting.shift();
      if (begin === undefined) break;
      begin();
    }
    this.#isStarting = false;
  }

  /**
   * Passes an answer on, together with others of this moment if there may be some.
   *
   * @param {number} call
   * @param {number} status
   * @param {unknown} payload
   * @param {boolean} canWait whether the guest can do without for a moment
   */
  #reply(call, status, payload, canWait) {
    if (status !== REPLY_KIND.PROMISE) this.#unanswered--;
    const isLast = !canWait || this.#unanswered <= 0;
    if (isLast && this.#replies.length === 0) return this.#executor.native.toolResult(call, status, payload);
    this.#replies.push(call, status, payload);
    if (isLast) return this.#sendReplies();
    if (this.#willSend) return;
    this.#willSend = true;
    // Behind the answers that are ready now.
    now.then(() => {
      this.#willSend = false;
      this.#sendReplies();
    });
  }

  #sendReplies() {
    if (this.#replies.length === 0) return;
    const replies = this.#replies;
    this.#replies = [];
    this.#executor.native.toolResults(replies);
  }
}

/**
 * What arguments take at least, as they arrive.
 *
 * @param {any} args a wire, or values one by one
 */
function bytesOf(args) {
  if (ArrayBuffer.isView(args)) return args.byteLength;
  let bytes = 0;
  for (const value of args) bytes += typeof value === 'string' ? value.length : (value?.byteLength ?? 0);
  return bytes;
}

module.exports = { RunCalls };
