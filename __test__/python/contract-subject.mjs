// Python as the suite of the contract takes an executor: with the contract's options and words, and with programs that the suite
// has in JavaScript written in Python.

import { PyodideExecutor } from '../../lib/python/index.js';

/** The programs of the suite that are not the same in Python. */
const PROGRAMS = new Map([
  // Queue.
  ['', '('],
  ['enter("a"); await gate(); leave("a"); "A"', 'enter("a")\nawait gate()\nleave("a")\n"A"'],
  ['enter("c"); await null; leave("c"); final_answer("C")', 'enter("c")\nawait 0\nleave("c")\nfinal_answer("C")'],
  ['enter("g"); leave("g"); "G"', 'enter("g")\nleave("g")\n"G"'],
  ['throw new Error("d")', 'raise Exception("d")'],
  ['null.x', 'None.x'],
  ['let n = 1; console.log("one"); n', 'n = 1\nprint("one")\nn'],
  ['n += 1; console.log("two"); n', 'n += 1\nprint("two")\nn'],
  ['n += 1; n', 'n += 1\nn'],
  ['console.log("first"); await gate()', 'print("first")\nawait gate()'],
  ['await slow(); 1', 'slow()\n1'],
  ['await gate(); 1', 'gate()\n1'],
  ['started(); await new Promise(() => {})', 'started()\nsum(range(10**12))'],
  ['tool(); 1', 'tool()\n1'],
  ['var order = [];', 'order = []'],
  [
    'const before = [typeof x, tool()]; await gate(); [...before, typeof x, tool()]',
    'kind = lambda: "number" if "x" in globals() else "undefined"\nbefore = [kind(), tool()]\ngate()\n[*before, kind(), tool()]',
  ],
  // Tools that block.
  [
    `const caught = (() => { try { fails(); } catch (error) { return [error.name, error.message, error.code]; } })();
[later(21), Host.self(), caught, direct(3), [1, 2].map((n) => later(n))]`,
    `try:
    fails()
except Exception as error:
    caught = [error.name, error.message, error.code]
[later(21), Host.self(), caught, direct(3), [later(n) for n in [1, 2]]]`,
  ],
  ['const p = soon(); wait(); await p', 'wait()\nawait soon()'],
  // What the host decides on calls.
  ['[add(1, 2), await Host.later({ x: [3] })]', '[add(1, 2), await Host.later({"x": [3]})]'],
  [
    `const caught = [];
try { remove('a'); } catch (error) { caught.push([error.name, error.message, error.code]); }
try { await later(); } catch (error) { caught.push([error.name, error.message, error.code]); }
caught`,
    `caught = []
try:
    remove("a")
except Exception as error:
    caught.append([error.name, error.message, error.code])
try:
    await later()
except Exception as error:
    caught.append([error.name, error.message, error.code])
caught`,
  ],
  [
    `const promise = promised();
[half(1, 2), given(1), await promise, nothing(1),
await halfAsync(1), await givenAsync(1), await promisedAsync(1), await nothingAsync(1), promise instanceof Promise]`,
    // There are no promises: each call waits.
    `[half(1, 2), given(1), promised(), nothing(1),
 halfAsync(1), await givenAsync(1), promisedAsync(1), await nothingAsync(1), True]`,
  ],
  ['const sum = add(1, 2); [sum, sum instanceof Promise]', '[add(1, 2), False]'],
  // Lifecycle.
  // What nothing interrupts: Python keeps its state at other deadlines.
  ['await new Promise(() => {})', 'sum(range(10**12))'],
  ['var declared = 1; globalThis.assigned = 1;', 'declared = assigned = 1'],
  [
    '[typeof tool, typeof variable, typeof declared, typeof assigned]',
    '["undefined" if name not in globals() else "here" for name in ("tool", "variable", "declared", "assigned")]',
  ],
  ['let kept = 1;', 'kept = 1'],
  ['var kept = 1;', 'kept = 1'],
  ['throw new Error("x")', 'raise Exception("x")'],
  ['let = ;', 'let = ='],
  ['throw 1', 'raise Exception(1)'],
  ['look(); console.log(1)', 'look()\nprint(1)'],
  ['console.log("before"); await never()', 'print("before")\nnever()'],
  ['for (;;);', 'while True: pass'],
  ['Array(1e8).fill(1)', 'sum(range(10**12))'],
]);

/** Programs with numbers in them. */
const PATTERNS = /** @type {[RegExp, string][]} */ ([
  [/^order\.push\((\d+)\)$/, 'order.append($1)'],
  [/^var me = (\d+); me$/, 'me = $1\nme'],
]);

/** What is Python as it is: literals, names, calls, and what is neither language. */
const SAME =
  /^(this is no program|(await )?[\w.]+(\((\w+(, \w+)*|"\w*")?\))?( \+ 1)?|"[\w ]+"|\[\w+, \w+\(\)(, await \w+\(\))?\])$/;

/** @param {string} program of the suite */
function pythonOf(program) {
  const lines = program.split('\n').map((line) => line.trim());
  const text = lines.join('\n').trim();
  const python = PROGRAMS.get(text);
  if (python !== undefined) return python;
  const pattern = PATTERNS.find(([form]) => form.test(text));
  if (pattern !== undefined) return text.replace(...pattern);
  if (SAME.test(text)) return text;
  throw new Error(`no Python for ${JSON.stringify(text)}`);
}

/** A `PyodideExecutor` that takes the suite's programs, and words messages, logs and nothing as other executors do. */
class PythonSubject extends PyodideExecutor {
  /**
   * @param {string} code
   * @param {any} [options]
   */
  async run(code, options) {
    try {
      const outcome = await super.run(pythonOf(code), options);
      outcome.output = withoutNull(outcome.output);
      return Object.defineProperty(outcome, 'logs', { value: outcome.logs.replace(/\n$/, '') });
    } catch (error) {
      const { details, logs } = /** @type {any} */ (error);
      if (details?.cause === undefined) throw error;
      // The specification's wording says where in the code that was, and what was logged.
      const [cause] = String(details.cause).split('\nCode execution failed');
      const message = cause.replace(/^ToolError: /, 'Tool execution failed: ');
      throw Object.defineProperties(/** @type {object} */ (error), {
        message: { value: message },
        logs: { value: logs.replace(/\n$/, '') },
      });
    }
  }
}

/** JSON has no `undefined`. @param {unknown} value @returns {any} */
function withoutNull(value) {
  return Array.isArray(value) ? value.map(withoutNull) : (value ?? undefined);
}

/**
 * An executor with the options of the contract: nothing starts by itself, `maxOperations` counts for loops as well.
 *
 * @param {any} [options]
 */
export function makePython({ maxOperations = 1e6, autoInit = false, ...options } = {}) {
  const limits = { max_operations: maxOperations, max_while_iterations: maxOperations };
  // An isolate that nobody will have would cost as much as the one that is tested.
  return new PythonSubject(undefined, { warmPool: 0, spares: 0, autoInit, mount: false, ...limits, ...options });
}
