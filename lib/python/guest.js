'use strict';

// Connects Python and its host, in the realm that Pyodide runs in: an isolate, or the host's realm. A classic script
// that needs nothing from Node.js and leaves nothing on the global. Its completion value has the functions that the
// host calls; in a module system, it is the export.

/** Letters for the kinds of containers and of values without parts, as in `prelude/60_values.py`. */
const [LIST, OBJECT, MAP, SET] = 'LOMS';
const [NONE, BYTES, DATE] = 'NBD';
/** How often a run is made before a snapshot. */
const PREPARATIONS = 64;
/**
 * How often a program is rehearsed. V8 optimises code that has run often. Each process compiles all other code anew.
 */
const REHEARSALS = 40;
/** A program for rehearsing the parts of a run other than its code, and how often it runs. */
const SHORT_PROGRAM = 'import math\nx = [1]\nx';
const SHORT_REHEARSALS = 3_000;
/** Stands for the number of a call that has its result already. */
const DONE = -1;
/** The first element of a list that reports a failed call. */
const FAILED = '!';
/** The name of the error for a lack of memory. */
const MEMORY_ERROR = 'MemoryError';
/** Strings with at least this many characters are converted where a lack of memory can be reported. */
const LONG_TEXT = 1 << 16;

/** @typedef {unknown[]} Tape a value as Python takes it, see `prelude/60_values.py` */

/**
 * The tape of a list of values.
 *
 * @param {unknown[]} root
 * @returns {Tape}
 */
function encode(root) {
  let kinds = '';
  /** @type {Tape} */
  const tape = [''];
  /** @type {Map<unknown, number>} */
  const numbers = new Map([[root, 0]]);
  /** @type {object[]} */
  const containers = [root];
  // The list grows during the loop.
  for (const container of containers) {
    const [kind, parts] = partsOf(container);
    kinds += kind;
    tape.push(parts.length);
    for (const part of parts) {
      const value = dataOf(part);
      if (value === null) tape.push(undefined, NONE);
      else if (typeof value !== 'object') tape.push(value);
      else if (value instanceof Uint8Array) tape.push(undefined, BYTES, value);
      else if (value instanceof Date) tape.push(undefined, DATE, Number(value));
      else tape.push(undefined, numberOf(value));
    }
  }
  tape[0] = kinds;
  return tape;

  /** @param {object} value */
  function numberOf(value) {
    let number = numbers.get(value);
    if (number === undefined) {
      number = containers.length;
      numbers.set(value, number);
      containers.push(value);
    }
    return number;
  }
}

/**
 * @param {any} container
 * @returns {[kind: string, parts: unknown[]]}
 */
function partsOf(container) {
  if (Array.isArray(container)) return [LIST, container];
  if (container instanceof Set) return [SET, [...container]];
  if (container instanceof Map) return [MAP, [...container].flat()];
  if (ArrayBuffer.isView(container)) return [LIST, Array.from(/** @type {any} */ (container))];
  if (container instanceof Error) return [OBJECT, ['name', container.name, 'message', container.message]];
  return [OBJECT, Object.entries(container).flat()];
}

/**
 * A value in a form that tapes can represent: a plain value, null, a Date, bytes, or a container.
 *
 * @param {any} value
 */
function dataOf(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`a ${typeof value} cannot be given to Python`);
  }
  if (typeof value !== 'object') return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof DataView) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof Uint8ClampedArray) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof Date && Number.isNaN(Number(value))) return null;
  if (value instanceof RegExp) return String(value);
  return isBoxed(value) ? value.valueOf() : value;
}

/** @param {object} value */
function isBoxed(value) {
  return value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof BigInt;
}

/**
 * The list of values of a tape that Python has made.
 *
 * @param {Tape} tape
 * @returns {unknown[]}
 */
function decode(tape) {
  const made = [...String(tape[0])].map(
    (kind) => /** @type {any} */ (kind === LIST ? [] : kind === OBJECT ? {} : kind === MAP ? new Map() : new Set()),
  );
  let at = 1;
  for (const container of made) {
    const parts = Array.from({ length: Number(tape[at++]) }, readPart);
    fill(container, parts);
  }
  return made[0];

  function readPart() {
    const part = tape[at++];
    if (part !== undefined) return part;
    const what = tape[at++];
    if (typeof what === 'number') return made[what];
    if (what === NONE) return null;
    const content = tape[at++];
    return what === BYTES ? content : new Date(Number(content));
  }
}

/**
 * @param {any} container
 * @param {unknown[]} parts
 */
function fill(container, parts) {
  if (Array.isArray(container)) {
    for (const part of parts) container.push(part);
  } else if (container instanceof Set) {
    for (const part of parts) container.add(part);
  } else {
    for (let at = 0; at < parts.length; at += 2) {
      const [key, value] = [parts[at], parts[at + 1]];
      if (container instanceof Map) container.set(key, value);
      // Also for `__proto__`.
      else
        Object.defineProperty(container, String(key), { value, writable: true, enumerable: true, configurable: true });
    }
  }
}

/**
 * Called once for each interpreter.
 *
 * @param {any} pyodide
 * @param {{ prelude: string, modules: string[] }} texts modules: imported ahead
 */
function prepare(pyodide, { prelude, modules }) {
  const scope = pyodide.runPython('{"__name__": "__smolagents__"}');
  pyodide.runPython(prelude, { globals: scope, filename: '<prelude>' });
  // `connect` finds it here. Guest code can reach `__main__` only by its name.
  pyodide.globals.set('__smolagents_prelude__', scope);
  scope.get('import_ahead')(JSON.stringify(modules));
  configureHostCode(scope, []);
  // CPython specializes its bytecode as it runs. In the snapshot the prelude is specialized as if it had run for long.
  pyodide.runPython(`for _ in range(${PREPARATIONS}): run('0')`, { globals: scope });
  scope.destroy();
}

/**
 * The functions that the host provides. `callTool` throws an error with `name`, `message`, `code`, `call`, `bridge` and
 * `details`, which are `ErrorDetails` or undefined. It returns a promise only if the host does not block.
 *
 * @typedef {object} Host
 * @property {(tool: number, args: unknown[]) => unknown} callTool
 * @property {(tool: number, args: unknown[]) => number | [result: unknown]} [startTool] starts a call and returns its
 * number, or its result if there is one already
 * @property {(ms: number) => [call: number, result: unknown] | undefined} [nextReply] waits for the next result of a
 * started call, for at most `ms` milliseconds, or without limit if `ms` is negative. Throws as `callTool` does.
 * @property {() => void} [begin] called when guest code is about to run
 * @property {(level: number, line: string) => void} log
 * @property {(value: unknown) => void} finalAnswer
 * @property {(ms: number) => void} [sleep]
 * @property {(count: number) => void} operations
 * @property {(path: string) => void} mount
 * @property {() => void} [broken] called when the interpreter cannot go on
 * @property {boolean} blocks whether calls of tools block this thread until there is a result
 *
 * @typedef {object} Guest
 * @property {(code: string, maxOperations?: number) => unknown} run returns a promise if the host does not block
 * @property {(names: string[], values: unknown[]) => void} setVariables
 * @property {(tools: { path: string[], id: number }[]) => void} setTools
 * @property {Record<string, any>} held objects of Python that are held as long as the session lives
 */

/**
 * Called once for each session.
 *
 * @param {any} pyodide
 * @param {Host} host
 * @returns {Guest}
 */
function connect(pyodide, host) {
  const prelude = pyodide.globals.get('__smolagents_prelude__');
  // Guest code could name it.
  pyodide.globals.delete('__smolagents_prelude__');
  const run = prelude.get(host.blocks ? 'run' : 'run_async');
  takeTimeZone(pyodide._module);
  prelude.get('connect').callKwargs(bridgeOf(pyodide, host));
  // For output that bypasses `sys.stdout`.
  pyodide.setStdout({ batched: (/** @type {string} */ line) => host.log(0, line) });
  pyodide.setStderr({ batched: (/** @type {string} */ line) => host.log(3, `stderr: ${line}`) });
  /** @type {Guest} */
  const guest = {
    run(code, maxOperations) {
      const outcome = callPrelude(() => run(code, maxOperations), host);
      return typeof outcome === 'string' ? outputOf(outcome) : outcome.then(outputOf);
    },
    setVariables: variablesSetter(pyodide, prelude, host),
    setTools: (tools) => prelude.get('set_tools')(JSON.stringify(tools.map(({ path, id }) => [path, id]))),
    held: { prelude, run },
  };
  if (host.blocks) warmUp(prelude, guest);
  return guest;
}

/**
 * Tells C code the time zone of this process. C code looks it up only once, which happened before the snapshot.
 *
 * @param {any} module Emscripten's
 */
function takeTimeZone({ __tzset_js: take, _timezone, _daylight, _tzname, HEAPU32 }) {
  const names = _tzname / HEAPU32.BYTES_PER_ELEMENT;
  take?.(_timezone, _daylight, HEAPU32[names], HEAPU32[names + 1]);
}

/**
 * Does in advance what the first run would otherwise do once. A session copies the shared memory that it changes, and
 * V8 compiles each function at its first call.
 *
 * @param {any} prelude
 * @param {Guest} guest
 */
function warmUp(prelude, guest) {
  configureHostCode(prelude, []);
  try {
    guest.run('0', 1);
  } catch {
    // Memory has run out. The first run will report that.
  }
}

/**
 * The configuration for code that is not the guest's, until the host sends one.
 *
 * @param {any} prelude
 * @param {string[]} imports modules that the code may import
 */
function configureHostCode(prelude, imports) {
  const limits = { max_operations: 1e9, max_while_iterations: 1e9, allowed_dangerous_builtins: [] };
  prelude.get('configure')(JSON.stringify({ ...limits, authorized_imports: imports, mount_point: '/' }));
}

/**
 * The functions that the prelude's `connect` takes.
 *
 * @param {any} pyodide
 * @param {Host} host
 */
function bridgeOf(pyodide, host) {
  const { callTool, startTool, nextReply, begin, log, finalAnswer, sleep, operations, blocks } = host;
  /** @type {unknown} the result that `next_reply` has received */
  let received;
  /** @param {any} tape */
  const call = (/** @type {number} */ tool, tape) => give(() => callTool(tool, decode(tape.toJs({ depth: 2 }))));
  const callPlain = (/** @type {number} */ tool, /** @type {unknown[]} */ ...args) => give(() => callTool(tool, args));
  const startOf = (/** @type {number} */ tool, /** @type {any} */ tape) => {
    const started = /** @type {NonNullable<Host['startTool']>} */ (startTool)(tool, decode(tape.toJs({ depth: 2 })));
    if (typeof started === 'number') return started;
    [received] = started;
    return DONE;
  };
  const start = startTool && ((/** @type {number} */ tool, /** @type {any} */ tape) => tell(() => startOf(tool, tape)));
  const nextOf = (/** @type {number} */ ms) => {
    const reply = nextReply?.(ms);
    received = reply?.[1];
    return reply?.[0];
  };
  return {
    ...{ call, call_plain: callPlain, start, log, sleep, operations, begin, blocks },
    next_reply: (/** @type {number} */ ms) => tell(() => nextOf(ms)),
    reply: () => give(() => received),
    final_answer: (/** @type {string} */ json) => finalAnswer(parse(json)),
  };

  /** @param {() => number | undefined} make */
  function tell(make) {
    try {
      return make();
    } catch (error) {
      return failed(error);
    }
  }

  /** @param {() => unknown} make */
  function give(make) {
    try {
      const result = make();
      return result instanceof Promise ? result.then(toPython).catch(failed) : toPython(result);
    } catch (error) {
      return failed(error);
    }
  }

  /** @param {unknown} result */
  function toPython(result) {
    // Python has `None` for `undefined`, not for `null`.
    if (result === null) return undefined;
    const isPlain = typeof result === 'string' ? result.length < LONG_TEXT : typeof result !== 'object';
    return isPlain ? result : pyodide.toPy(encode([result]));
  }

  /** @param {any} error */
  function failed(error) {
    if (lacksMemory(error)) return pyodide.toPy([FAILED, '', MEMORY_ERROR, undefined, undefined, true]);
    const { message, name, code, call, bridge = true, details } = error;
    // The failure of a run is reported as JSON, which has no other numbers.
    const kept = typeof code === 'number' && !Number.isFinite(code) ? undefined : code;
    const tape = details === undefined ? undefined : encode([details]);
    return pyodide.toPy([FAILED, String(message), name, kept, call, bridge, tape]);
  }
}

/** Names that no variable has. The host sends other values under them. */
const CONFIG = '__smolagents_config__';
const MOUNT = '__smolagents_mount__';
const PYTHON_TOOLS = '__smolagents_python_tools__';

/**
 * @param {any} pyodide
 * @param {any} prelude
 * @param {Host} host
 * @returns {Guest['setVariables']}
 */
function variablesSetter(pyodide, prelude, host) {
  const taken = ['configure', 'define_tool', 'set_variables', '_show_lack'];
  const [configure, defineTool, define, showLack] = taken.map((name) => prelude.get(name));
  return (names, values) => {
    switch (names[0]) {
      case CONFIG:
        return configure(JSON.stringify(values[0]));
      case MOUNT:
        return mountAt(String(values[0]), host);
      case PYTHON_TOOLS:
        return defineTools(/** @type {any} */ (values[0]));
    }
    const failure = defineVariables(names, values);
    if (failure !== undefined) outputOf(failure);
  };

  /**
   * @param {string[]} names
   * @param {unknown[]} values
   */
  function defineVariables(names, values) {
    try {
      const tape = pyodide.toPy(encode(values));
      const failure = define(JSON.stringify(names), tape);
      tape.destroy();
      return failure;
    } catch (error) {
      if (!lacksMemory(error)) throw error;
      showLack();
      throw noMemory();
    }
  }

  /** @param {Record<string, string>} sources by the names of what they define */
  function defineTools(sources) {
    for (const [name, source] of Object.entries(sources)) {
      const failure = defineTool(name, source);
      if (failure !== undefined) outputOf(failure);
    }
  }
}

/**
 * @param {string} path
 * @param {Host} host
 * @throws {Error} if Emscripten cannot mount a folder there; the message has its error number
 */
function mountAt(path, { mount }) {
  try {
    mount(path);
  } catch (error) {
    const { errno } = /** @type {any} */ (error);
    throw errno === undefined ? error : new Error(`nothing can be mounted at ${path} (errno ${errno})`);
  }
}

/** The error for a failed run, in the form that the host expects. */
class RunError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {Record<string, any>} details
   */
  constructor(code, message, details) {
    super(message);
    this.code = code;
    this.limit = details.maxOperations ?? details.maxWhileIterations;
    this.module = details.module;
    const { call, ...others } = details;
    this.toolCall = call;
    // The reader expects valid text, so lone surrogates are replaced.
    this.details = JSON.stringify({ ...others, cause: message }, (_key, value) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    );
  }
}

/**
 * The outcome from the prelude's `run`. The prelude reports everything that guest code does as an outcome. If there is
 * none, guest code has broken the prelude or the interpreter, and no later run would work either.
 *
 * @param {() => any} run
 * @param {Host} host
 * @returns {string | Promise<string>}
 * @throws {RunError} if not even the prelude had memory left
 */
function callPrelude(run, { broken }) {
  try {
    const outcome = run();
    if (typeof outcome === 'string' || typeof outcome?.then === 'function') return outcome;
    throw new TypeError('the interpreter was broken');
  } catch (error) {
    if (lacksMemory(error)) throw noMemory();
    // A deadline may come while the prelude itself is running.
    if (/** @type {any} */ (error).type !== 'KeyboardInterrupt') broken?.();
    throw error;
  }
}

/**
 * Whether something was too large for the remaining memory of Python, or for V8's memory for buffers.
 *
 * @param {any} error
 */
function lacksMemory(error) {
  return error?.type === MEMORY_ERROR || (error instanceof RangeError && /allocation failed/.test(error.message));
}

function noMemory() {
  return new RunError('ERR_MEMORY_LIMIT_EXCEEDED', MEMORY_ERROR, { name: MEMORY_ERROR, message: '' });
}

/**
 * @param {string} outcome a letter for its kind, followed by JSON
 * @throws {RunError}
 */
function outputOf(outcome) {
  const json = outcome.slice(1);
  if (outcome[0] !== 'e') return parse(json);
  const { code, message, details } = JSON.parse(json);
  throw new RunError(code, message, details);
}

/**
 * The value of JSON that `json.dumps` has written, or the text itself: `NaN` is not valid JSON.
 *
 * @param {string} json
 */
function parse(json) {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/**
 * Makes Python run typical agent code repeatedly, so that V8 learns what to optimise.
 *
 * @param {any} pyodide
 * @param {string} program
 */
function rehearse(pyodide, program) {
  const prelude = pyodide.globals.get('__smolagents_prelude__');
  configureHostCode(prelude, ['*']);
  const run = prelude.get('run');
  for (let round = 0; round < REHEARSALS; round++) outputOf(run(program));
  for (let round = 0; round < SHORT_REHEARSALS; round++) outputOf(run(SHORT_PROGRAM));
}

const guest = { prepare, connect, rehearse };
if (typeof module === 'object') module.exports = guest;
guest;
