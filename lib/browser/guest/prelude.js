// @ts-check
'use strict';

// What a page has before guest code: the page gets the source of this function and runs it first. All that it uses is
// captured; see codec.js. It speaks with the host through one function, which is on the global only until this has run. The
// host trusts nothing that is said there.

/**
 * @typedef {object} PageConfig
 * @property {string} binding name of the function that tells the host
 * @property {string} calls address of synchronous calls
 */

/**
 * @param {() => import('./codec').Codec} makeCodec
 * @param {PageConfig} config
 * @returns what the host calls
 */
function prelude(makeCodec, config) {
  const G = /** @type {any} */ (globalThis);
  const tell = G[config.binding];
  delete G[config.binding];

  const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const empty = () => /** @type {any} */ ({ __proto__: null });
  /** @type {(method: any) => (self: any, ...args: any[]) => any} */
  const unbound = Function.prototype.call.bind(Function.prototype.bind, /** @type {any} */ (Function.prototype.call));
  const get = (/** @type {any} */ object, /** @type {string} */ key) =>
    unbound(/** @type {any} */ (getOwnPropertyDescriptor(object, key)).get);
  const { encode, decode } = makeCodec();
  const { Error, TypeError, RangeError, Promise, Map, WeakMap, Object, Blob, FileReader } = G;
  const { parse, stringify } = JSON;
  const { freeze } = Object;
  const { isInteger } = Number;
  const mapGet = unbound(Map.prototype.get);
  const mapSet = unbound(Map.prototype.set);
  const mapDelete = unbound(Map.prototype.delete);
  const weakGet = unbound(WeakMap.prototype.get);
  const weakSet = unbound(WeakMap.prototype.set);
  const slice = unbound(String.prototype.slice);
  const indexOf = unbound(String.prototype.indexOf);
  const XHR = G.XMLHttpRequest;
  const open = unbound(XHR.prototype.open);
  const sendRequest = unbound(XHR.prototype.send);
  const responseText = get(XHR.prototype, 'responseText');
  const createElement = unbound(G.Document.prototype.createElement);
  const document = G.document;
  const setWidth = unbound(getOwnPropertyDescriptor(G.HTMLCanvasElement.prototype, 'width')?.set);
  const setHeight = unbound(getOwnPropertyDescriptor(G.HTMLCanvasElement.prototype, 'height')?.set);
  const getWidth = get(G.HTMLCanvasElement.prototype, 'width');
  const getHeight = get(G.HTMLCanvasElement.prototype, 'height');
  const toDataURL = unbound(G.HTMLCanvasElement.prototype.toDataURL);
  const blobType = get(Blob.prototype, 'type');
  const blobSize = get(Blob.prototype, 'size');
  const readAsDataURL = unbound(FileReader.prototype.readAsDataURL);
  const readerResult = get(FileReader.prototype, 'result');
  const listen = unbound(G.EventTarget.prototype.addEventListener);
  const later = G.setTimeout.bind(G);
  const memory = G.performance.memory;
  const usedHeap = memory && get(G.Object.getPrototypeOf(memory), 'usedJSHeapSize');

  /** A final answer unwinds the guest's stack with this. */
  const finalAnswer = new Error('final_answer');

  /** Number of the run under way; 0: none. */
  let run = 0;
  let limits = { maxTransferBytes: 0, maxLogBytes: 0, maxArtifactBytes: 0 };
  let logChars = 0;
  let isAnswered = false;
  /** @type {any} */
  let canvas;
  let artifactBytes = 0;
  let artifactsUnderWay = 0;
  let calls = 0;
  /** Resolvers of tool calls, by number. */
  const waiting = new Map();
  /** Tool call that an error stands for. */
  const failures = new WeakMap();
  /** Those that are collected. */
  let levels = empty();

  const hidden = (/** @type {any} */ object, /** @type {string} */ key, /** @type {any} */ value) =>
    defineProperty(
      object,
      key,
      /** @type {any} */ ({
        __proto__: null,
        value,
        writable: true,
        enumerable: false,
        configurable: true,
      }),
    );
  const visible = (/** @type {any} */ object, /** @type {string} */ key, /** @type {any} */ value) =>
    defineProperty(
      object,
      key,
      /** @type {any} */ ({
        __proto__: null,
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      }),
    );

  /** What the page gives to code and code cannot take away. */
  const fixed = (/** @type {string} */ name, /** @type {any} */ value) =>
    defineProperty(G, name, /** @type {any} */ ({ __proto__: null, value: freeze(value), enumerable: false }));

  /** A promise that can be awaited whatever guests have made of `Promise.prototype`. */
  const own = (/** @type {any} */ promise) => {
    hidden(promise, 'constructor', Promise);
    return promise;
  };

  // --- what is told ------------------------------------------------------------------------------------------------

  const say = (/** @type {string} */ kind, /** @type {string} */ head, /** @type {string} */ body) =>
    tell(`${kind}${run},${head},${body}`);

  /** A value that is given back: as it is, or as it looks if it cannot be cloned. */
  const give = (/** @type {string} */ kind, /** @type {any} */ value) => {
    const heap = usedHeap === undefined ? 0 : usedHeap(memory);
    let body;
    try {
      body = encode(value, { maxChars: limits.maxTransferBytes, path: 'output' });
      return say(kind, `${heap}`, body);
    } catch (error) {
      if (/** @type {any} */ (error).isTooLarge === true) return say('S', `${heap}`, '');
    }
    try {
      body = encode(value, { maxChars: limits.maxTransferBytes, isShown: true });
      say(kind === 'F' ? 'f' : 'r', `${heap}`, body);
    } catch {
      say(kind === 'F' ? 'f' : 'r', `${heap}`, '["[the output cannot be shown]"]');
    }
  };

  /** What guest code has thrown. */
  const fail = (/** @type {any} */ thrown) => {
    const heap = usedHeap === undefined ? 0 : usedHeap(memory);
    const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
    const call = (isObject && weakGet(failures, thrown)) || 0;
    let body;
    try {
      body = encode(thrown, { maxChars: 1 << 20, isShown: true });
    } catch {
      body = '["[the error cannot be shown]"]';
    }
    say('X', `${heap};${call}`, body);
  };

  // --- console -----------------------------------------------------------------------------------------------------

  const log = (/** @type {string} */ method, /** @type {any[]} */ args) => {
    // Beyond this the host has cut the log, whatever it makes of the entries.
    if (run === 0 || logChars > limits.maxLogBytes + 1) return;
    let body;
    try {
      const textChars = limits.maxLogBytes + 1;
      body = encode(args, { maxChars: 8 * textChars + (1 << 20), isShown: true, textChars });
    } catch (error) {
      body = '["[inspection failed]"]';
    }
    logChars += 1 + leastChars(args);
    say('L', method, body);
  };
  const leastChars = (/** @type {any[]} */ args) => {
    let chars = 0;
    for (let at = 0; at < args.length; at++) {
      const arg = args[at];
      chars += typeof arg === 'string' ? arg.length : 1;
    }
    return chars;
  };
  const LEVELS = /** @type {Record<string, any>} */ ({
    __proto__: null,
    log: true,
    info: true,
    warn: true,
    error: true,
    debug: true,
  });
  const METHODS =
    'log info warn error debug trace table dir dirxml assert count countReset time timeEnd timeLog group groupCollapsed groupEnd';
  for (const method of METHODS.split(' ')) {
    const { [method]: call } = {
      [method](/** @type {any[]} */ ...args) {
        if (LEVELS[method] === true && levels[method] !== true) return;
        if (method === 'assert' && args[0]) return;
        if (method === 'trace') {
          const at = new Error();
          visible(args, `${args.length}`, at.stack);
        }
        log(method, args);
      },
    };
    hidden(G.console, method, call);
  }

  // --- tools -------------------------------------------------------------------------------------------------------

  const toolError = (/** @type {string} */ text, /** @type {number} */ call) => {
    const facts = parse(text);
    const name = facts[0];
    const Native = name === 'TypeError' ? TypeError : name === 'RangeError' ? RangeError : (NATIVE[name] ?? Error);
    const error = new Native(facts[1]);
    if (error.name !== name) hidden(error, 'name', name);
    if (facts[2] !== null) visible(error, 'code', facts[2]);
    weakSet(failures, error, call);
    return error;
  };
  const NATIVE = empty();
  for (const name of ['EvalError', 'ReferenceError', 'SyntaxError', 'URIError']) NATIVE[name] = G[name];

  const argumentsText = (/** @type {any[]} */ args, /** @type {number} */ call) => {
    try {
      return encode(args, { maxChars: limits.maxTransferBytes, path: 'arguments' });
    } catch (thrown) {
      if (/** @type {any} */ (thrown).isTooLarge === true) visible(thrown, 'code', 'ERR_TRANSFER_LIMIT_EXCEEDED');
      weakSet(failures, thrown, call);
      // The host has to know of the call to name its tool.
      return thrown;
    }
  };

  const makeTool = (/** @type {any} */ spec) => {
    const { id, isAsync, length } = spec;
    const name = spec.path[spec.path.length - 1];
    const refused = (/** @type {any} */ error, /** @type {number} */ call) => {
      say('U', `${id};${call}`, '');
      return error;
    };
    const begin = (/** @type {any[]} */ args, /** @type {boolean} */ waits) => {
      if (run === 0) throw new Error('the run is over');
      const call = ++calls;
      const text = argumentsText(args, call);
      if (typeof text !== 'string') throw refused(text, call);
      say('T', `${id};${call};${waits ? 1 : 0}`, text);
      return call;
    };
    const promised = (/** @type {number} */ call) =>
      new Promise((/** @type {any} */ resolve, /** @type {any} */ reject) => {
        mapSet(waiting, call, (/** @type {boolean} */ isError, /** @type {any} */ value) =>
          isError ? reject(value) : resolve(value),
        );
      });
    const { [name]: tool } = isAsync
      ? {
          [name](/** @type {any[]} */ ...args) {
            let call;
            try {
              call = begin(args, false);
            } catch (error) {
              return new Promise((/** @type {any} */ _, /** @type {any} */ reject) => reject(error));
            }
            return promised(call);
          },
        }
      : {
          [name](/** @type {any[]} */ ...args) {
            const call = begin(args, true);
            const request = new XHR();
            open(request, 'GET', `${config.calls}${call}`, false);
            sendRequest(request);
            const text = responseText(request);
            const kind = text[0];
            const body = slice(text, 1);
            if (kind === 'p') return promised(call);
            if (kind === 'e') throw toolError(body, call);
            return decode(body);
          },
        };
    defineProperty(tool, 'length', /** @type {any} */ ({ __proto__: null, value: length, configurable: true }));
    return freeze(tool);
  };

  const defineTools = (/** @type {any[]} */ specs) => {
    const roots = empty();
    for (let index = 0; index < specs.length; index++) {
      const { path } = specs[index];
      let holder = roots;
      for (let step = 0; step < path.length - 1; step++) {
        if (!(path[step] in holder)) visible(holder, path[step], empty());
        holder = holder[path[step]];
      }
      visible(holder, path[path.length - 1], makeTool(specs[index]));
    }
    const names = Object.keys(roots);
    for (let index = 0; index < names.length; index++) visible(G, names[index], namespaceOf(roots[names[index]]));
  };
  const namespaceOf = (/** @type {any} */ holder) => {
    if (typeof holder === 'function') return holder;
    const namespace = {};
    const names = Object.keys(holder);
    for (let index = 0; index < names.length; index++)
      visible(namespace, names[index], namespaceOf(holder[names[index]]));
    return freeze(namespace);
  };

  // --- answers and pictures ----------------------------------------------------------------------------------------

  const isThenable = (/** @type {any} */ value) => {
    try {
      return typeof value.then === 'function';
    } catch {
      return false;
    }
  };
  const answerLater = async (
    /** @type {any} */ value,
    /** @type {(value: any) => void} */ done,
    /** @type {number} */ mine,
  ) => {
    try {
      done(await value);
    } catch (error) {
      if (run === mine) fail(error);
    }
  };

  fixed('final_answer', function final_answer(/** @type {any} */ value) {
    if (run === 0) throw new Error('the run is over');
    if (isAnswered) throw finalAnswer;
    isAnswered = true;
    const mine = run;
    const done = (/** @type {any} */ settled) => {
      if (run !== mine) return;
      sendCanvas();
      give('F', settled);
    };
    if (typeof value === 'object' && value !== null && isThenable(value)) own(answerLater(value, done, mine));
    else done(value);
    throw finalAnswer;
  });

  const MAX_PIXELS = 64 * 1024 * 1024;
  fixed('getCanvas', function getCanvas(/** @type {any} */ width = 800, /** @type {any} */ height = 600) {
    if (canvas !== undefined) return canvas;
    if (!isInteger(width) || !isInteger(height) || width < 1 || height < 1) {
      throw new RangeError(`getCanvas: width and height must be integers from 1 on`);
    }
    if (width * height > MAX_PIXELS) {
      throw new RangeError(`getCanvas: ${width} x ${height} are more than 64 megapixels (${MAX_PIXELS})`);
    }
    canvas = createElement(document, 'canvas');
    setWidth(canvas, width);
    setHeight(canvas, height);
    return canvas;
  });

  /** Between two frames the browser throws away what WebGL has drawn, unless it is told to keep it. */
  const keepDrawing = (/** @type {any} */ prototype) => {
    const getContext = unbound(prototype.getContext);
    hidden(
      prototype,
      'getContext',
      /** @this {any} */ function (/** @type {string} */ kind, /** @type {any} */ options) {
        const isGl = kind === 'webgl' || kind === 'webgl2' || kind === 'experimental-webgl';
        if (!isGl) return options === undefined ? getContext(this, kind) : getContext(this, kind, options);
        return getContext(this, kind, { ...options, preserveDrawingBuffer: true });
      },
    );
  };
  keepDrawing(G.HTMLCanvasElement.prototype);
  if (G.OffscreenCanvas !== undefined) keepDrawing(G.OffscreenCanvas.prototype);

  const artifact = (/** @type {string} */ name, /** @type {string} */ url, /** @type {any} */ extra) => {
    const comma = indexOf(url, ',');
    const bytes = slice(url, comma + 1);
    artifactBytes += bytes.length * 0.75;
    if (artifactBytes > limits.maxArtifactBytes) {
      throw new RangeError(
        `the artifacts of the run would take more than maxArtifactBytes (${limits.maxArtifactBytes})`,
      );
    }
    const mimeType = slice(url, 5, indexOf(url, ';') === -1 ? comma : indexOf(url, ';'));
    say('A', stringify({ name, mimeType, ...extra }), bytes);
  };
  const sendCanvas = () => {
    if (canvas === undefined) return;
    const shown = canvas;
    canvas = undefined;
    try {
      artifact('', toDataURL(shown, 'image/png'), { width: getWidth(shown), height: getHeight(shown) });
    } catch (error) {
      log('warn', [`the canvas could not be kept: ${/** @type {any} */ (error).message}`]);
    }
  };
  fixed('saveArtifact', async function saveArtifact(/** @type {any} */ name, /** @type {any} */ content) {
    if (typeof name !== 'string' || name === '') throw new TypeError('saveArtifact: the name must be a non-empty text');
    const isCanvas = content instanceof G.HTMLCanvasElement;
    if (isCanvas) {
      artifact(name, toDataURL(content, 'image/png'), { width: getWidth(content), height: getHeight(content) });
      return name;
    }
    const isText = typeof content === 'string';
    const blob = isText ? new Blob([content], { type: 'text/plain' }) : content;
    if (blobSize(blob) + artifactBytes > limits.maxArtifactBytes) {
      throw new RangeError(
        `the artifacts of the run would take more than maxArtifactBytes (${limits.maxArtifactBytes})`,
      );
    }
    artifactsUnderWay++;
    try {
      const reader = new FileReader();
      await own(
        new Promise((/** @type {any} */ resolve, /** @type {any} */ reject) => {
          listen(reader, 'load', resolve);
          listen(reader, 'error', reject);
          readAsDataURL(reader, blob);
        }),
      );
      const type = blobType(blob);
      artifact(name, readerResult(reader), type === '' ? { mimeType: 'application/octet-stream' } : {});
      return name;
    } finally {
      artifactsUnderWay--;
    }
  });

  // --- bindings of programs ----------------------------------------------------------------------------------------
  //
  // As crates/prepare/src/transform/persistence.rs and completion.rs call it. What a name had before comes back at the end of
  // the run if the run has not reached its declaration. Names that a page does not give up, such as `top`, are the program's
  // own all the same, and nobody else's.

  /** What the names that the run declares had before, and what reads them now. */
  let declared = empty();
  /** What has not been on the global: name, number of the declaration and value of each. @type {any} */
  let kept;
  let lastReached = 0;
  /** Stands for the value of a program that ends with a declaration: a promise that is only declared is not awaited. */
  const declaredValue = { __proto__: null, value: /** @type {any} */ (undefined) };

  const constant = () => {
    throw new TypeError('Assignment to constant variable.');
  };
  const install = (/** @type {string} */ name, /** @type {any} */ read, /** @type {any} */ write) =>
    defineProperty(
      G,
      name,
      /** @type {any} */ ({ __proto__: null, get: read, set: write ?? constant, enumerable: true, configurable: true }),
    );
  const declare = (/** @type {any} */ accessors, /** @type {string[]} */ vars) => {
    const names = ownKeys(accessors);
    for (let index = 0; index < names.length; index++) {
      const name = /** @type {string} */ (names[index]);
      const { get: read, set: write } = /** @type {any} */ (getOwnPropertyDescriptor(accessors, name));
      const previous = getOwnPropertyDescriptor(G, name);
      if (install(name, read, write)) declared[name] = { __proto__: null, previous, read, isVar: false };
    }
    for (let index = 0; index < vars.length; index++) {
      if (declared[vars[index]] !== undefined) declared[vars[index]].isVar = true;
    }
  };
  const keep = (/** @type {number} */ reached, /** @type {any[]} */ bindings) => {
    lastReached = reached;
    kept = bindings;
  };
  const hold = (/** @type {any} */ value) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return value;
    declaredValue.value = value;
    return declaredValue;
  };
  const isDead = (/** @type {any} */ { previous, read, isVar }) => {
    try {
      return read() === undefined && isVar && previous !== undefined;
    } catch {
      // The getter only reads the binding, so what it throws is the temporal dead zone.
      return true;
    }
  };
  const finishBindings = () => {
    const names = ownKeys(declared);
    for (let index = 0; index < names.length; index++) {
      const name = /** @type {string} */ (names[index]);
      const found = getOwnPropertyDescriptor(G, name);
      if (found?.get !== declared[name].read || !isDead(declared[name])) continue;
      if (declared[name].previous === undefined) deleteProperty(G, name);
      else defineProperty(G, name, declared[name].previous);
    }
    declared = empty();
    for (let at = 0; kept !== undefined && at < kept.length; at += 3) {
      const name = kept[at];
      const number = kept[at + 1];
      const value = kept[at + 2];
      if ((number < 0 ? -number : number) > lastReached) continue;
      // A `var` that has no value leaves what was there before it.
      if (number === 0 && value === undefined && getOwnPropertyDescriptor(G, name) !== undefined) continue;
      if (number < 0) install(name, () => value, undefined);
      else visible(G, name, value);
    }
    kept = undefined;
  };

  // --- what the host calls -----------------------------------------------------------------------------------------

  const begin = (/** @type {string} */ text) => {
    const order = parse(text);
    run = order.run;
    limits = order.limits;
    logChars = 0;
    isAnswered = false;
    canvas = undefined;
    artifactBytes = 0;
    levels = empty();
    for (let index = 0; index < order.levels.length; index++) levels[order.levels[index]] = true;
    for (let index = 0; index < order.variables.length; index++) {
      const { names, values } = order.variables[index];
      const decoded = decode(values);
      for (let at = 0; at < names.length; at++) visible(G, names[at], decoded[at]);
    }
    defineTools(order.tools);
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
        if (run === mine) finishBindings();
      }
      while (artifactsUnderWay > 0 && run === mine) await own(new Promise((/** @type {any} */ next) => later(next, 0)));
    } catch (error) {
      if (run === mine && !isAnswered) {
        isAnswered = true;
        fail(error);
      }
      return;
    }
    if (run !== mine || isAnswered) return;
    sendCanvas();
    isAnswered = true;
    give('R', isHeld ? declaredValue.value : value);
  };

  const answer = (/** @type {string} */ text) => {
    const items = parse(text);
    for (let at = 0; at < items.length; at += 3) {
      const call = items[at];
      const resolve = mapGet(waiting, call);
      if (resolve === undefined) continue;
      mapDelete(waiting, call);
      if (items[at + 1] === 'e') resolve(true, toolError(items[at + 2], call));
      else resolve(false, decode(items[at + 2]));
    }
  };

  /** `program` runs the program, with the helpers that its text calls. */
  return (/** @type {string} */ kind, /** @type {string} */ text, /** @type {any} */ program) => {
    if (kind === 'answer') return answer(text);
    if (kind === 'end') {
      run = 0;
      return;
    }
    begin(text);
    own(settle(() => apply(program, undefined, [declare, keep, hold]), run));
  };
}

module.exports = { prelude };
