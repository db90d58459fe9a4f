// @ts-check
'use strict';

/**
 * Prepares a page before guest code runs. The page gets the source of this function and of the functions that are
 * passed to it, and runs it first. Everything that it uses is captured, see language.js. It talks to the host through
 * one function, which is on the global only until this function has run. The host trusts nothing that arrives that way.
 *
 * @typedef {object} PageConfig
 * @property {string} binding name of the function that sends messages to the host
 * @property {string} key prefix of the dialogs that are calls
 * @property {boolean} isQuick whether a dialog is answered sooner than other messages
 *
 * @typedef {object} Parts
 * @property {typeof import('./language').captureLanguage} captureLanguage
 * @property {typeof import('./encode').makeEncode} makeEncode
 * @property {typeof import('./platform').makeDataOf} makeDataOf
 * @property {typeof import('./decode').makeDecode} makeDecode
 * @property {typeof import('./console').makeConsole} makeConsole
 * @property {typeof import('./tools').makeTools} makeTools
 * @property {typeof import('./artifacts').makeArtifacts} makeArtifacts
 * @property {typeof import('./bindings').makeBindings} makeBindings
 * @property {typeof import('./dialogs').endDialogs} endDialogs
 * @property {typeof import('./hints').makeLookUp} makeLookUp
 *
 * @typedef {object} Page functions that the parts share
 * @property {import('./encode').Encode} encode
 * @property {import('./decode').Decode} decode
 * @property {() => number} run number of the current run; 0: none
 * @property {(which?: number) => void} checkRun throws if no run is current, or another run than `which`
 * @property {() => { maxTransferBytes: number, maxLogBytes: number, maxArtifactBytes: number, timeoutMs: number }}
 * limits of the run
 * @property {(kind: string, head: string, body: string) => void} say sends a message to the host
 * @property {(kind: string, head: string, body: string) => string} write the text of a message, to be sent in another
 * way
 * @property {() => number} said how many messages `say` has sent
 * @property {() => void} mayBeUnhandled a call has failed, and the page may learn later that nobody has handled the
 * error
 * @property {(text: string) => void} warn writes a line to the log
 * @property {(name: string, value: any) => void} endow defines a global that code cannot remove
 * @property {<T>(promise: Promise<T>) => Promise<T>} pinned makes a promise safe to await, whatever guests have changed
 * in `Promise.prototype`
 */

/**
 * @param {Parts} parts
 * @param {PageConfig} config
 * @returns {Function} the function that the host calls
 */
function startPage(parts, config) {
  const G = /** @type {any} */ (globalThis);
  const tellHost = G[config.binding];
  delete G[config.binding];
  /** Compiles programs. Errors of scripts that the DevTools protocol has compiled are reported to nobody. */
  const compile = G.eval;

  const language = parts.captureLanguage();
  const { Error, Promise, WeakMap, apply, attempt, defineProperty, freeze, getPrototypeOf, getter, hide, parse } =
    language;
  const { unbound, weakGet, weakSet } = language;
  const { encode } = parts.makeEncode(language, parts.makeDataOf(language));
  const { decode } = parts.makeDecode(language);
  const later = G.setTimeout.bind(G);
  /** Calls back after microtasks and other waiting tasks. */
  const channel = new G.MessageChannel();
  const post = unbound(G.MessagePort.prototype.postMessage);
  const inNextTask = () =>
    page.pinned(
      new Promise((/** @type {any} */ resolve) => {
        onMessage = resolve;
        post(channel.port2, null);
      }),
    );
  /** @type {() => void} */
  let onMessage = () => {};
  const { performance } = G;
  const memoryOf = getter(getPrototypeOf(performance), 'memory');
  const usedHeap = getter(getPrototypeOf(memoryOf(performance)), 'usedJSHeapSize');
  const reasonOf = getter(G.PromiseRejectionEvent.prototype, 'reason');
  const errorOf = getter(G.ErrorEvent.prototype, 'error');
  const listen = unbound(G.EventTarget.prototype.addEventListener);

  let run = 0;
  let said = 0;
  let limits = { maxTransferBytes: 0, maxLogBytes: 0, maxArtifactBytes: 0, timeoutMs: 0 };
  let isAnswered = false;
  /** Whether the final answer is a promise, which the run awaits. */
  let isAwaited = false;
  /** Whether a call has failed. The page may learn a moment later that nobody has handled the error. */
  let hasFailedCall = false;

  /**
   * Errors that are not written to the log, or not again. They include errors of calls that failed after their run: the
   * next run may have begun when the page learns that nobody has handled them.
   */
  const unlogged = new WeakMap();
  const leaveUnlogged = (/** @type {any} */ error) => {
    if ((typeof error === 'object' && error !== null) || typeof error === 'function') weakSet(unlogged, error, true);
  };

  /** @type {Page} */
  const page = {
    encode,
    decode,
    run: () => run,
    checkRun(which = run) {
      if (run !== 0 && run === which) return;
      const error = new Error('the run is over');
      leaveUnlogged(error);
      throw error;
    },
    limits: () => limits,
    say(kind, head, body) {
      said++;
      tellHost(page.write(kind, head, body));
    },
    write: (kind, head, body) => `${kind}${run},${head},${body}`,
    said: () => said,
    mayBeUnhandled: () => void (hasFailedCall = true),
    warn: (line) => printer.print('warn', [line]),
    endow: (name, value) => void defineProperty(G, name, { __proto__: null, value: freeze(value), enumerable: false }),
    pinned(promise) {
      hide(promise, 'constructor', Promise);
      return promise;
    },
  };
  const printer = parts.makeConsole(language, page);
  const bindings = parts.makeBindings(language, page.warn);
  const tools = parts.makeTools(language, page, config);
  parts.endDialogs();
  const artifacts = parts.makeArtifacts(language, page);
  const lookUp = parts.makeLookUp(language, tools.at, bindings.isVariable);
  const { declaredValue } = bindings;

  // --- how a run ends ----------------------------------------------------------------------------------------------

  const heapUsed = () => usedHeap(memoryOf(performance));
  /** Ends the run with a value. Parts that cannot be cloned are replaced by texts that show them. */
  const give = (/** @type {string} */ kind, /** @type {any} */ value) => {
    artifacts.sendCanvas();
    const heap = heapUsed();
    try {
      page.say(
        kind,
        `${heap}`,
        encode(value, { maxChars: limits.maxTransferBytes, path: 'output', showsLeaves: true }),
      );
    } catch {
      page.say('S', `${heap}`, '');
    }
    run = 0;
  };
  /** Ends the run with an error that guest code has thrown. */
  const fail = (/** @type {any} */ thrown) => {
    const call = tools.callOf(thrown);
    let body;
    try {
      body = encode(thrown, { maxChars: 1 << 20, isShown: true });
    } catch {
      body = '["[the error cannot be shown]"]';
    }
    page.say('X', `${heapUsed()};${call}`, body);
    run = 0;
  };

  /** Thrown by a final answer to unwind the guest's stack. */
  const finalAnswer = new Error('final_answer');
  leaveUnlogged(finalAnswer);
  const isThenable = (/** @type {any} */ value) =>
    typeof value === 'object' &&
    value !== null &&
    attempt((/** @type {any} */ it) => typeof it.then === 'function', value);
  const answerLater = async (/** @type {any} */ value, /** @type {number} */ mine) => {
    try {
      const settled = await value;
      if (run === mine && artifacts.isAnimated()) await page.pinned(artifacts.untilDrawn());
      if (run === mine) give('F', settled);
    } catch (error) {
      if (run === mine && error !== finalAnswer) fail(error);
    }
  };
  page.endow('final_answer', function final_answer(/** @type {any} */ value) {
    page.checkRun();
    // The code of a promise that was given as the answer may itself give an answer.
    if (isAnswered && !isAwaited) throw finalAnswer;
    isAnswered = true;
    isAwaited = isThenable(value);
    bindings.finish();
    if (isAwaited || artifacts.isAnimated()) page.pinned(answerLater(value, run));
    else give('F', value);
    throw finalAnswer;
  });

  listen(channel.port1, 'message', () => onMessage());
  unbound(G.MessagePort.prototype.start)(channel.port1);
  /** Writes an unhandled error to the log. */
  const tellOf = (/** @type {string} */ what, /** @type {any} */ error) => {
    if (run === 0 || weakGet(unlogged, error)) return;
    leaveUnlogged(error);
    printer.tellOf(what, tools.callOf(error), error);
  };
  // Guests may dispatch such events themselves.
  const onRejection = (/** @type {any} */ event) => {
    if (event.isTrusted) tellOf('rejection', reasonOf(event));
  };
  const onError = (/** @type {any} */ event) => {
    const error = event.isTrusted ? attempt(errorOf, event) : undefined;
    // An event without an error is a message of the browser's.
    if (error !== undefined && error !== null) tellOf('exception', error);
  };
  /** Registers the listeners again if they were removed. A second registration has no effect. */
  const listenForErrors = () => {
    listen(G, 'unhandledrejection', onRejection);
    listen(G, 'error', onError);
  };
  listenForErrors();
  // `document.open` and `document.write` remove all listeners of the window together with the document's elements.
  const observer = new G.MutationObserver(listenForErrors);
  observer.observe(G.document, { __proto__: null, childList: true });

  // --- what the host calls -----------------------------------------------------------------------------------------

  const begin = (/** @type {any} */ order) => {
    run = order.run;
    limits = order.limits;
    isAnswered = false;
    isAwaited = false;
    hasFailedCall = false;
    listenForErrors();
    printer.begin(order.levels);
    artifacts.begin();
    bindings.begin();
    tools.drop();
    for (let index = 0; index < order.variables.length; index++) {
      const { names, values } = order.variables[index];
      tools.defineVariables(names, decode(values));
    }
    tools.defineTools(order.tools);
  };

  /** Waits until the page has learned of unhandled rejections. That happens in a task that follows the current one. */
  const untilTold = async () => {
    await inNextTask();
    await inNextTask();
  };
  const settle = async (/** @type {() => any} */ program, /** @type {number} */ mine) => {
    let value;
    let isHeld;
    try {
      try {
        value = program();
        if (value !== declaredValue && typeof value === 'object' && value !== null) value = await value;
        isHeld = value === declaredValue;
      } finally {
        if (run === mine) bindings.finish();
      }
      if (run === mine && !isAnswered) await page.pinned(untilTold());
      while ((artifacts.areUnderWay() || hasFailedCall) && run === mine) {
        hasFailedCall = false;
        await page.pinned(new Promise((/** @type {any} */ next) => later(next, 0)));
      }
      if (run === mine && !isAnswered && artifacts.isAnimated()) await page.pinned(artifacts.untilDrawn());
    } catch (error) {
      if (run !== mine || isAnswered) return;
      isAnswered = true;
      leaveUnlogged(error);
      await page.pinned(untilTold());
      if (run === mine) fail(error);
      return;
    }
    if (run !== mine || isAnswered) return;
    isAnswered = true;
    give('R', isHeld ? declaredValue.value : value);
  };

  /**
   * Commands of the host that deliver answers are acknowledged when this promise settles: many at once instead of each
   * one.
   */
  const ANSWERS_PER_RECEIPT = 32;
  let answers = 0;
  /** @type {Promise<unknown> | undefined} */
  let received;
  /** @type {(value?: unknown) => void} */
  let acknowledge;
  const receipt = () => {
    received ??= new Promise((/** @type {any} */ resolve) => (acknowledge = resolve));
    const promise = received;
    if (++answers % ANSWERS_PER_RECEIPT === 0) {
      received = undefined;
      acknowledge();
    }
    return promise;
  };

  /** `source`: text of the function that takes the helpers and runs the program. */
  return (/** @type {string} */ kind, /** @type {any} */ given, /** @type {string} */ source) => {
    if (kind === 'answer') {
      tools.answer(given);
      return receipt();
    }
    if (kind === 'end') {
      run = 0;
      return;
    }
    if (kind === 'look up') return lookUp(parse(given));
    begin(parse(given));
    /** @type {any} */
    let program;
    try {
      program = compile(source);
    } finally {
      // Values that arrived with the order stay for the next run, even if this program is refused.
      if (program === undefined) run = 0;
    }
    page.pinned(settle(() => apply(program, undefined, bindings.helpers), run));
  };
}

module.exports = { startPage };
