// Code in Python shares its memory with the prelude. Whether a tool failed, a limit was reached, an answer was given or
// state was lost is decided where that code cannot reach it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { PyodideExecutor } from '../../build/python/index.js';
import { FIRST_START_MS, failureOf } from './suite.mjs';

const tools = {
  boom: () => {
    throw Object.assign(new TypeError('real'), { code: 'E_REAL' });
  },
  plain: () => {
    throw new Error('real');
  },
  fine: () => ({ a: 1 }),
};

/** What gives code the globals of the prelude, if anything does. */
const WAYS = [
  'g = final_answer.__globals__',
  'g = boom.__globals__',
  'g = ToolError.__init__.__globals__',
  'g = __import__.__globals__',
  'try: boom()\nexcept Exception as e:\n    step = e.__traceback__\n    while step.tb_next: step = step.tb_next\n    g = step.tb_frame.f_globals',
  'try: boom()\nexcept Exception as e: g = e.__traceback__.tb_frame.f_back.f_globals',
  'g = type(final_answer).__dict__["__globals__"].__get__(final_answer)',
  'import sys\ng = sys._getframe().f_back.f_globals',
  'import sys, inspect\ng = inspect.currentframe().f_back.f_globals',
  'import operator\ng = operator.attrgetter("__globals__")(final_answer)',
  'import string\ng = string.Formatter().get_field("0.__globals__", [final_answer], {})[0]',
];

describe('P21 outcomes of Python code', () => {
  /** @type {PyodideExecutor} */
  let executor;
  beforeAll(async () => {
    executor = new PyodideExecutor(['*'], { mount: false, max_operations: 20_000, max_while_iterations: 500 });
    await executor.sendTools(tools);
  }, FIRST_START_MS);
  afterAll(() => executor.cleanup());

  test.each([
    ['arguments', 'x.args = ("forged",)'],
    [
      'all attributes',
      'x.message, x.name, x.code, x.call, x.tool, x.is_bridge = "forged", "Forged", "E_FORGED", 99, "fine", True',
    ],
    ['the name of the class', 'type(x).__name__ = "Forged"'],
    ['its __str__', 'type(x).__str__ = lambda self: "forged"'],
    ['its number', 'x.call = x.call + 1'],
  ])('the failure of a tool keeps its text after a change of %s', async (_title, change) => {
    const error = await failureOf(executor, `try: boom()\nexcept Exception as e: x = e\n${change}\nraise x`);
    const { name, message, code, tool } = error.details;
    expect([error.code, name, message, code, tool]).toStrictEqual([
      'ERR_TOOL_PROXY_FAIL',
      'TypeError',
      'real',
      'E_REAL',
      'boom',
    ]);
    expect(error.details.cause.split('\n')[0]).toBe('ToolError: TypeError: real');
    expect(error.message.split('\n')[0]).toBe('Error executing code: ToolError: TypeError: real');
    expect(error.details.traceback).toContain('\nToolError: TypeError: real');
    expect(error.cause).toMatchObject({ message: 'real' });
    // Classes are shared by later runs.
    await executor.cleanup();
    await executor.sendTools(tools);
  });

  test.each([
    [
      'a caught failure',
      'try: plain()\nexcept Exception as e: x = e\nx.args = ("forged",)\nraise ValueError("v") from x',
      'Caused by ToolError: real at line 1: try: plain()',
    ],
  ])("the host's text of the failure survives %s", async (_title, code, line) => {
    const error = await failureOf(executor, code);
    expect(error.code).toBe('ERR_RUNTIME_EXCEPTION');
    expect(error.details.cause.split('\n')).toContain(line);
  });

  test.each([
    ['a copy', 'try: plain()\nexcept Exception as e: x = type(e)(*e.args)\nx.call = 1\nraise x'],
    ['a new error', 'raise ToolError("real", "Error", None, 1, False, "fine")'],
    [
      'a bridge error',
      'raise ToolError("result[0] (Set) cannot be given to Python", "TypeError", None, None, True, "fine")',
    ],
  ])('%s is not a failure of a tool', async (_title, code) => {
    expect((await failureOf(executor, code)).code).toBe('ERR_RUNTIME_EXCEPTION');
  });

  test.each(WAYS.map((way) => [way]))('the globals of the prelude cannot be found: %s', async (way) => {
    const found = `${way}\nx = "_run" in g`;
    const { output } = await executor.run(
      `try:\n${found.replaceAll(/^/gm, '    ')}\nexcept (AttributeError, KeyError): x = False\nx`,
    );
    expect(output).toBe(false);
  });

  test.each([
    ['MemoryError', 'raise MemoryError()'],
    ['a subclass', 'class M(MemoryError): pass\nraise M("x")'],
    ['SystemError', 'raise SystemError("x returned NULL without setting an exception")'],
    ['an error raised by a generator', 'def f(): yield\ng = f()\nnext(g)\ng.throw(MemoryError())'],
    [
      'an error with another traceback',
      'try: 1 / 0\nexcept Exception as e: t = e.__traceback__\nraise MemoryError().with_traceback(t)',
    ],
  ])('%s raised by code is not a memory limit', async (_title, code) => {
    const error = await failureOf(executor, code);
    expect([error.code, error.details.limitBytes]).toStrictEqual(['ERR_RUNTIME_EXCEPTION', undefined]);
  });

  test.each([
    ['by monitoring', 'import sys\nsys.monitoring.free_tool_id(3)'],
    ['by its events', 'import sys\nsys.monitoring.set_local_events(3, (lambda: 0).__code__, 0)'],
    [
      'with another tool number',
      'import sys\nclass N(int):\n    def __eq__(self, other): return False\n    __hash__ = int.__hash__\nsys.monitoring.register_callback(N(3), sys.monitoring.events.LINE, None)',
    ],
    ['by clearing', 'import sys\nsys.monitoring.clear_tool_id(3)'],
    ['by the prelude', 'final_answer.__globals__["_run"].bound = 1e99'],
  ])('operations are still counted after an attack %s', async (_title, attempt) => {
    const code = `try:\n${attempt.replaceAll(/^/gm, '    ')}\nexcept Exception: pass\nfor i in range(10**6):\n    x = i\nx`;
    const error = await failureOf(executor, code);
    expect([error.code, error.details.maxOperations]).toStrictEqual(['ERR_MAX_OPS_EXCEEDED', 20_000]);
  });

  // Cause: copies of code were not counted.
  test.each([
    ['a function with replaced code', 'f.__code__ = f.__code__.replace(co_name="g")\nf()'],
    ['a new function with replaced code', 'type(f)(f.__code__.replace(), globals())()'],
    ['a copy', 'type(f)(f.__code__.__replace__(), {})()'],
    ['the constructor of code', 'k = f.__code__\ntype(f)(type(k)(0, 0, 0, k.co_nlocals, k.co_stacksize, k.co_flags, k.co_code, k.co_consts, k.co_names, k.co_varnames, "f", "f", "f", 1, k.co_linetable, k.co_exceptiontable), {})()'],
    ['a function with other globals', 'def g(k, t):\n    t(k.replace(co_filename="/x"), {})()\ntype(f)(g.__code__, {})(f.__code__, type(f))'],
    ['a copy by the library', 'import copy\ntype(f)(copy.replace(f.__code__), {})()'],
    ['a coroutine', 'import types\n@types.coroutine\ndef g():\n    for i in range(10**6): x = i\n    yield\nawait g()'],
    ['exec', 'exec("for i in range(10**6): x = i")'],
    ['eval of a list', 'len(eval("[i for i in range(10**6)]"))'],
    ['eval of a function', 'eval("lambda: [i for i in range(10**6)]")()'],
  ])('operations are counted in code that code makes: %s', async (_title, attempt) => {
    const own = new PyodideExecutor(['*'], { mount: false, max_operations: 20_000, allowed_dangerous_builtins: ['exec', 'eval'] });
    const code = `def f():\n    for i in range(10**6): x = i\n${attempt}\nNone`;
    const error = await failureOf(own, code);
    const isRefused = error.details.message === 'code objects cannot be made here';
    expect([isRefused || error.code === 'ERR_MAX_OPS_EXCEEDED', error.details.cause]).toStrictEqual([true, expect.any(String)]);
    await own.cleanup();
  }); // prettier-ignore

  // Cause: the counter was a global of the code.
  test.each([
    ['new globals', 'for name in list(globals()):\n    if "round" in name: globals()[name] = lambda: None'],
    ['a global', '__smolagents_round__ = lambda: None'],
    ['a constant', '[c for c in (lambda: 0).__code__.co_consts if type(c).__name__ == "callable_iterator"]'],
  ])('iterations of while are still counted after an attack by %s', async (_title, attempt) => {
    const error = await failureOf(executor, `${attempt}\nn = 0\nwhile n < 600:\n    n += 1\nn`);
    expect([error.code, error.details.maxWhileIterations]).toStrictEqual(['ERR_MAX_OPS_EXCEEDED', 500]);
  });

  test.each([
    ['__new__', 'T.__new__ = bad'],
    ['__init__', 'T.__init__ = bad'],
    ['__str__', 'T.__str__ = bad'],
  ])('a limit that is reached is reported after a change of %s of its class', async (_title, change) => {
    const loop = (line) => `for i in range(10**6):\n    try: ${line}\n    except ValueError: pass`;
    await failureOf(executor, `try:\n    for i in range(10**6): x = i\nexcept RuntimeError as e: T = type(e)`);
    const error = await failureOf(executor, `def bad(*_): raise ValueError("v")\n${change}\n${loop('x = i')}`);
    expect([error.code, error.details.maxOperations]).toStrictEqual(['ERR_MAX_OPS_EXCEEDED', 20_000]);
    // Classes are shared by later runs.
    await executor.cleanup();
    await executor.sendTools(tools);
  });

  // Cause: values were encoded by methods that code could replace.
  test.each([
    ['iterencode', 'json.JSONEncoder.iterencode = lambda *_: "1"'],
    ['encode', 'json.JSONEncoder.encode = lambda *_: "1"'],
    ['raw_decode', 'json.JSONDecoder.raw_decode = lambda *_: (1, 1)'],
  ])('values keep their text after a change of %s of json', async (_title, change) => {
    expect((await executor.run(`import json\n${change}\nfinal_answer({"a": [True]})`)).output).toStrictEqual({
      a: [true],
    });
    await executor.sendVariables({ given: { b: null } });
    expect((await executor.run('given')).output).toStrictEqual({ b: null });
    await executor.cleanup();
    await executor.sendTools(tools);
  });

  test.each([
    ['caught', 'try: final_answer(1)\nexcept BaseException: pass\n5'],
    ['caught, followed by another one', 'try: final_answer(1)\nexcept BaseException: pass\nfinal_answer(2)'],
    ['followed by a failure', 'try: final_answer(1)\nfinally: raise ValueError("x")'],
    [
      'with the bridge gone',
      'try: final_answer.__globals__["_bridge"].final_answer = None\nexcept AttributeError: pass\nfinal_answer(1)',
    ],
    [
      'with the run closed',
      'try: final_answer.__globals__["_run"].is_open = False\nexcept AttributeError: pass\nfinal_answer(1)',
    ],
  ])('a final answer takes effect: %s', async (_title, code) => {
    expect(await executor.run(code)).toMatchObject({ output: 1, is_final_answer: true });
  });

  test('details contain only facts that the host knows', async () => {
    const code = `class E(RuntimeError): pass
e = E("x")
e.details = {"aborted": True, "stateLost": True, "recovered": True}
e.code = "ERR_ABORTED"
raise e`;
    const { code: kind, details } = await failureOf(executor, code);
    expect([kind, details.aborted, details.stateLost, details.recovered]).toStrictEqual([
      'ERR_RUNTIME_EXCEPTION',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

// Objects of the prelude are found by the garbage collector, where that may be imported. What such code says of its run
// is compared.
describe('a run that forges its own failure', () => {
  /** The failure of a run that has the prelude raise these claims. */
  const claimed = async (code, message, details, before = '') => {
    const executor = new PyodideExecutor(['*'], { mount: false });
    await executor.sendTools(tools);
    await executor.sendVariables({ claim: { code, message, details: JSON.stringify(details) } });
    const error = await failureOf(
      executor,
      `import gc, json
${before}
[g] = [o for o in gc.get_referents(final_answer) if type(o) is dict and "_failure_of" in o]
failure = g["_Failure"](claim["message"], claim["code"], json.loads(claim["details"]))
g["_failure_of"] = lambda *_: failure
1 / 0`,
    );
    await executor.cleanup();
    return error;
  };

  test.each([
    ['a tool that was not called', 'ERR_TOOL_PROXY_FAIL', { name: 'Error', message: 'm', tool: 'boom', call: 1 }],
    ['a limit of memory', 'ERR_MEMORY_LIMIT_EXCEEDED', { name: 'MemoryError', message: '' }],
    ['a limit of operations', 'ERR_MAX_OPS_EXCEEDED', { name: 'RuntimeError', message: 'm', maxOperations: 100_000 }],
    ['another limit of loops', 'ERR_MAX_OPS_EXCEEDED', { name: 'RuntimeError', message: 'm', maxWhileIterations: 5 }],
    ['a module that is allowed', 'ERR_IMPORT_NOT_ALLOWED', { name: 'ImportError', message: 'm', module: 'json' }],
    ['code that was not run', 'ERR_VALIDATION_FAILED', { name: 'SyntaxError', message: 'm', line: 1, column: 1 }],
    ['an error code that Python does not have', 'ERR_EXEC_TIMEOUT', { name: 'X', message: 'm' }],
  ])('is not believed about %s', async (_title, code, details) => {
    const error = await claimed(code, 'forged', { ...details, aborted: true, stateLost: true, reason: 'deadline' });
    expect([error.code, error.details.aborted, error.details.stateLost, error.details.reason]).toStrictEqual([
      'ERR_RUNTIME_EXCEPTION',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('keeps the text of the tool that really failed', async () => {
    const before = 'try: boom()\nexcept Exception as e: call = e.call';
    const details = { name: 'Forged', message: 'forged', tool: 'fine', traceback: 'forged', bridge: true };
    // The prelude adds the number.
    const executor = new PyodideExecutor(['*'], { mount: false });
    await executor.sendTools(tools);
    await executor.sendVariables({ details });
    const error = await failureOf(
      executor,
      `import gc
${before}
[g] = [o for o in gc.get_referents(final_answer) if type(o) is dict and "_failure_of" in o]
failure = g["_Failure"]("forged", "ERR_TOOL_PROXY_FAIL", {**details, "call": call})
g["_failure_of"] = lambda *_: failure
1 / 0`,
    );
    expect([
      error.code,
      error.details.cause,
      error.details.message,
      error.details.tool,
      error.details.traceback,
    ]).toStrictEqual(['ERR_TOOL_PROXY_FAIL', 'ToolError: TypeError: real', 'real', 'boom', undefined]);
    expect(error.details.bridge).toBe(undefined);
    await executor.cleanup();
  });
});
