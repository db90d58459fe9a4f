// @ts-check
'use strict';

/**
 * Defines the host's tools, as functions and names that guests cannot change, and the host's variables.
 *
 * @param {import('./language').Language} language
 * @param {import('./page').Page} page
 * @param {import('./page').PageConfig} config
 */
function makeTools(language, page, { key, isQuick }) {
  const { Error, Map, NATIVE_ERRORS, Promise, WeakMap, attempt, bind, captureStackTrace, defineProperty, empty } =
    language;
  const { freeze, hide, indexOf, mapClear, mapDelete, mapGet, mapSet, own, ownKeys, parse, put, slice, text } =
    language;
  const { setPrototypeOf, weakGet, weakSet } = language;
  const G = /** @type {any} */ (globalThis);
  const aggregatePrototype = G.AggregateError.prototype;

  /**
   * Makes calls that wait for the result: the dialog blocks the page until the host has entered the answer as its text.
   */
  const ask = G.prompt;
  let calls = 0;
  /** Number of a call -> the functions that settle its promise. */
  const waiting = new Map();
  /** Error -> number of the failed call. */
  const failures = new WeakMap();

  /**
   * Asks the host, and waits. A long answer arrives in pieces: all except the last begin with `+`. Returns null if the
   * host has not answered.
   */
  const answerTo = (/** @type {string} */ message) => {
    let answer = ask(`${key}${page.said()}`, message);
    let begun = '';
    while (answer !== null && answer[0] === '+') {
      begun += slice(answer, 1);
      answer = ask(`${key}${page.said()}`, page.write('N', '', ''));
    }
    return answer === null || begun === '' ? answer : `${answer[0]}${begun}${slice(answer, 1)}`;
  };

  /** An object whose stack shows where `fn` was called. */
  const traceFrom = (/** @type {Function} */ fn) => {
    const trace = {};
    captureStackTrace(trace, fn);
    return trace;
  };

  /** The value or the error that a `Part` of lib/contract/error-details.ts stands for. */
  const valueOf = (/** @type {any} */ part) => {
    if (part.length === 1) return part[0];
    const name = part[0];
    const message = part[1];
    const code = part[2];
    const error = new (NATIVE_ERRORS[name] ?? Error)(message);
    if (part[3] !== undefined) addDetails(error, part[3]);
    if (error.name !== name) hide(error, 'name', name);
    if (code !== undefined) put(error, 'code', code);
    hide(error, 'stack', message === '' ? name : `${name}: ${message}`);
    return error;
  };
  /** Gives an error what `ErrorDetails` has. Guests may have added properties to the prototype of the details. */
  const addDetails = (/** @type {any} */ error, /** @type {any} */ details) => {
    const partOf = (/** @type {string} */ key) => own(details, key)?.value;
    if (partOf('isAggregate') === true) setPrototypeOf(error, aggregatePrototype);
    if (partOf('cause') !== undefined) hide(error, 'cause', valueOf(details.cause));
    const parts = partOf('errors');
    if (parts !== undefined) {
      /** @type {any[]} */
      const errors = [];
      for (let at = 0; at < parts.length; at++) put(errors, at, valueOf(parts[at]));
      hide(error, 'errors', errors);
    }
    if (partOf('status') !== undefined) put(error, 'status', details.status);
    if (own(details, 'data') !== undefined) put(error, 'data', details.data);
  };
  const failureOf = (/** @type {string} */ facts, /** @type {number} */ call, /** @type {any} */ trace) => {
    // Destructuring would call the iterator of lists, which guests may have changed.
    const parts = parse(facts);
    const name = parts[0];
    const message = parts[1];
    const code = parts[2];
    const error = new (NATIVE_ERRORS[name] ?? Error)(message);
    if (parts.length > 4) addDetails(error, page.decode(parts[4]));
    if (error.name !== name) hide(error, 'name', name);
    if (code !== null) put(error, 'code', code);
    const stack = text(attempt((/** @type {any} */ from) => from.stack, trace));
    const frames = indexOf(stack, '\n');
    const head = message === '' ? name : `${name}: ${message}`;
    hide(error, 'stack', frames === -1 ? head : head + slice(stack, frames));
    weakSet(failures, error, call);
    return error;
  };

  /** The number of a new call, and its encoded arguments. Throws if they cannot be sent. */
  const begin = (/** @type {number} */ id, /** @type {Function} */ tool, /** @type {any[]} */ args) => {
    page.checkRun();
    const call = ++calls;
    try {
      return {
        call,
        encoded: page.encode(args, { maxChars: page.limits().maxTransferBytes, path: 'arguments', isList: true }),
      };
    } catch (thrown) {
      const error = /** @type {any} */ (thrown);
      const isTooLarge = attempt((/** @type {any} */ e) => e.isTooLarge, error) === true;
      if (isTooLarge) put(error, 'code', 'ERR_TRANSFER_LIMIT_EXCEEDED');
      // The stack then begins at the guest's call and not in the encoder.
      if (isTooLarge || attempt((/** @type {any} */ e) => e.isUncloneable, error) === true)
        attempt((/** @type {any} */ e) => captureStackTrace(e, tool), error);
      if (typeof error === 'object' && error !== null) weakSet(failures, error, call);
      // The host can name the tool only if it knows of the call.
      page.say('U', `${id};${call}`, '');
      throw error;
    }
  };
  const promised = (/** @type {number} */ call, /** @type {any} */ trace) =>
    new Promise((/** @type {any} */ resolve, /** @type {any} */ reject) => {
      mapSet(waiting, call, { __proto__: null, resolve, reject, trace, begun: '' });
    });

  /** Settles the promise of a call with its answer. */
  const settle = (/** @type {number} */ call, /** @type {string} */ kind, /** @type {string} */ body) => {
    const promise = mapGet(waiting, call);
    if (promise === undefined) return;
    // A long answer arrives in pieces.
    if (kind === '+') {
      promise.begun += body;
      return;
    }
    mapDelete(waiting, call);
    if (kind === 'e') {
      page.mayBeUnhandled();
      promise.reject(failureOf(body, call, promise.trace));
    } else {
      promise.resolve(page.decode(promise.begun + body));
    }
  };

  /** Whether no asynchronous call was made in this turn, which ends with the microtasks. */
  let isFirst = true;
  const untilTurnEnds = async () => {
    isFirst = false;
    await undefined;
    isFirst = true;
  };

  const makeTool = (/** @type {any} */ { id, isAsync, length, path }) => {
    /**
     * Whether the tool takes longer than a turn of the host. Until it does, a call that is the first of its turn waits
     * for the answer: that takes less time than receiving the answer later.
     */
    let isSlow = !isQuick;
    const later = (/** @type {any[]} */ ...args) => {
      try {
        const { call, encoded } = begin(id, tool, args);
        const promise = promised(call, traceFrom(tool));
        if (isSlow || !isFirst) {
          page.say('T', `${id};${call};0`, encoded);
          return promise;
        }
        void untilTurnEnds();
        const answer = answerTo(page.write('T', `${id};${call};2`, encoded));
        isSlow = answer === null || answer[0] === 'p';
        if (!isSlow) settle(call, answer[0], slice(answer, 1));
        return promise;
      } catch (error) {
        return new Promise((/** @type {any} */ _, /** @type {any} */ reject) => reject(error));
      }
    };
    const atOnce = (/** @type {any[]} */ ...args) => {
      const { call, encoded } = begin(id, tool, args);
      // Chrome cuts the text of dialogs, so the message is in the default text of the prompt.
      const answer = answerTo(page.write('T', `${id};${call};1`, encoded));
      if (answer === null) throw new Error('the host has not answered');
      const body = slice(answer, 1);
      if (answer[0] === 'p') return promised(call, traceFrom(tool));
      if (answer[0] === 'e') throw failureOf(body, call, traceFrom(tool));
      return page.decode(body);
    };
    // The text of a bound function does not show this source.
    const tool = bind(isAsync ? later : atOnce);
    defineProperty(tool, 'name', { __proto__: null, value: path[path.length - 1], configurable: true });
    defineProperty(tool, 'length', { __proto__: null, value: length, configurable: true });
    return freeze(tool);
  };

  /** A tool, or an object of tools and namespaces. */
  const makeNamespace = (/** @type {any} */ holder) => {
    if (typeof holder === 'function') return holder;
    const namespace = {};
    const names = ownKeys(holder);
    for (let at = 0; at < names.length; at++) put(namespace, names[at], makeNamespace(holder[names[at]]));
    return freeze(namespace);
  };

  /** Name of a tool -> its cell. If the host replaces a tool, functions of earlier runs use the new one too. */
  const cells = empty();
  const define = (/** @type {string} */ name, /** @type {any} */ value) => {
    if (cells[name] !== undefined) {
      cells[name].value = value;
      return;
    }
    const cell = { __proto__: null, value };
    const get = () => cell.value;
    if (defineProperty(G, name, { __proto__: null, get, set: undefined, enumerable: true, configurable: false })) {
      cells[name] = cell;
    } else {
      page.warn(`the tool '${name}' cannot be set in this page: the code has made the name read-only.`);
    }
  };

  return {
    /** The host's value under a name of the global; undefined if there is none. @param {string} name */
    at: (name) => cells[name]?.value,

    /** The number of the call whose failure was thrown; 0: none. @param {any} thrown */
    callOf: (thrown) =>
      ((typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function'
        ? weakGet(failures, thrown)
        : 0) || 0,

    /** @param {any[]} specs */
    defineTools(specs) {
      const roots = empty();
      for (let at = 0; at < specs.length; at++) {
        const { path } = specs[at];
        let holder = roots;
        for (let step = 0; step < path.length - 1; step++) {
          if (!(path[step] in holder)) put(holder, path[step], empty());
          holder = holder[path[step]];
        }
        put(holder, path[path.length - 1], makeTool(specs[at]));
      }
      const names = ownKeys(roots);
      for (let at = 0; at < names.length; at++)
        define(/** @type {string} */ (names[at]), makeNamespace(roots[names[at]]));
    },

    /**
     * @param {string[]} names
     * @param {any[]} values
     */
    defineVariables(names, values) {
      for (let at = 0; at < names.length; at++) {
        const name = names[at];
        if (cells[name] !== undefined) cells[name].value = values[at];
        else if (own(G, name)?.configurable === false)
          page.warn(`the variable '${name}' cannot be set in this page: the code has made the name read-only.`);
        else put(G, name, values[at]);
      }
    },

    /** Settles promises of calls. @param {any[]} items call, kind and text of each; the kind `+` is that of a piece */
    answer(items) {
      for (let at = 0; at < items.length; at += 3) settle(items[at], items[at + 1], items[at + 2]);
    },

    /** Abandons unanswered calls: their promises never settle. */
    drop: () => mapClear(waiting),
  };
}

module.exports = { makeTools };
