// @ts-check
'use strict';

/**
 * What a page has before guest code: the page gets the source of this function and of those that it is given, and runs it first.
 * All that is used is captured; see language.js. It speaks with the host through one function, which is on the global only until
 * this has run. The host trusts nothing that is said there.
 *
 * @typedef {object} PageConfig
 * @property {string} binding name of the function that tells the host
 * @property {string} key what marks the dialogs that are calls
 * @property {boolean} isQuick whether dialogs take less time than other ways to be answered
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
 * @typedef {object} Page what the parts share
 * @property {import('./encode').Encode} encode
 * @property {import('./decode').Decode} decode
 * @property {() => number} run number of the run under way; 0: none
 * @property {(which?: number) => void} checkRun throws if there is none, or another than that
 * @property {() => { maxTransferBytes: number, maxLogBytes: number, maxArtifactBytes: number, timeoutMs: number }} limits of the run
 * @property {(kind: string, head: string, body: string) => void} say tells the host
 * @property {(kind: string, head: string, body: string) => string} write what the host is told in another way
 * @property {() => number} said how often `say` has told the host something
 * @property {() => void} mayBeUnhandled a call has failed, of which the page may hear later that nobody has handled it
 * @property {(text: string) => void} warn writes a line to the log
 * @property {(name: string, value: any) => void} endow gives code what it cannot take away
 * @property {<T>(promise: Promise<T>) => Promise<T>} pinned one that can be awaited whatever guests have made of `Promise.prototype`
 */

/**
 * @param {Parts} parts
 * @param {PageConfig} config
 * @returns {Function} what the host calls
 */
function startPage(parts, config) {
  const G = /** @type {any} */ (globalThis);
  const tellHost = G[config.binding];
  delete G[config.binding];
  /** Programs are not its own: of errors of scripts that the DevTools protocol has compiled nobody is told. */
  const compile = G.eval;

  const language = parts.captureLanguage();
  const { Error, Promise, WeakMap, apply, attempt, defineProperty, freeze, getPrototypeOf, getter, hide, parse } =
    language;
  const { unbound, weakGet, weakSet } = language;
  const encode = parts.makeEncode(language, parts.makeDataOf(language));
  const { decode } = parts.makeDecode(language);
  const later = G.setTimeout.bind(G);
  /** Calls back when microtasks and what else waits have had their turn. */
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
  /** It is a promise, which the run waits for. */
  let isAwaited = false;
  /** Whether a call has failed, of which the page may hear a moment later that nobody has handled it. */
  let hasFailedCall = false;

  /**
   * Errors that no line of the log is written of, or no further one. Those of calls whose run was over are among them: the next run may
   * have begun when the page hears that nobody has handled them.
   */
  const untold = new WeakMap();
  const leaveUntold = (/** @type {any} */ error) => {
    if ((typeof error === 'object' && error !== null) || typeof error === 'function') weakSet(untold, error, true);
  };

  /** @type {Page} */
  const page = {
    encode,
    decode,
    run: () => run,
    checkRun(which = run) {
      if (run !== 0 && run === which) return;
      const error = new Error('the run is over');
      leaveUntold(error);
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
  /** A value that is given back: as it is, what cannot be cloned as it looks. */
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
  /** What guest code has thrown. */
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

  /** A final answer unwinds the guest's stack with this. */
  const finalAnswer = new Error('final_answer');
  leaveUntold(finalAnswer);
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
    // The code of a promise that was given may answer itself.
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
  /** Writes to the log what nobody has handled. */
  const tellOf = (/** @type {string} */ what, /** @type {any} */ error) => {
    if (run === 0 || weakGet(untold, error)) return;
    leaveUntold(error);
    printer.tellOf(what, tools.callOf(error), error);
  };
  // Guests may send their own events.
  const onRejection = (/** @type {any} */ event) => {
    if (event.isTrusted) tellOf('rejection', reasonOf(event));
  };
  const onError = (/** @type {any} */ event) => {
    const error = event.isTrusted ? attempt(errorOf, event) : undefined;
    // Without one it is a remark of the browser's.
    if (error !== undefined && error !== null) tellOf('exception', error);
  };
  /** Nothing where it listens already. */
  const listenForErrors = () => {
    listen(G, 'unhandledrejection', onRejection);
    listen(G, 'error', onError);
  };
  listenForErrors();
  // `document.open` and `document.write` take all listeners of the window with the elements of the document.
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

  /** The page hears of a rejection in a task that the end of this one brings about. */
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
      leaveUntold(error);
      await page.pinned(untilTold());
      if (run === mine) fail(error);
      return;
    }
    if (run !== mine || isAnswered) return;
    isAnswered = true;
    give('R', isHeld ? declaredValue.value : value);
  };

  /** The host's commands that give answers are themselves answered when this promise settles: many at once, not each. */
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

  /** `source`: what runs the program, with the helpers that its text calls. */
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
      // What the order has brought is there for the next run also if this one is refused.
      if (program === undefined) run = 0;
    }
    page.pinned(settle(() => apply(program, undefined, bindings.helpers), run));
  };
}

module.exports = { startPage };
