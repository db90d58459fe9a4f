// What a `PyodideExecutor` does, whichever engine runs the code: the specification's own points, and what goes beyond
// them.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import { AgentExecutionError, PyodideExecutor } from '../../build/python/index.js';

export const FIRST_START_MS = 120_000;

/** The failure of a run. */
export async function failureOf(executor, code, options) {
  const error = await executor.run(code, options).then(
    ({ output }) => expect.fail(`the run succeeded: ${JSON.stringify(output)}`),
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(AgentExecutionError);
  return error;
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} engine options that choose it
 * @param {{ startsFast: boolean, mounts: boolean }} can whether folders can be mounted, and whether interpreters start
 *   quickly; if not, most tests share one
 */
export function describePython(name, engine, { startsFast, mounts }) {
  describe(name, () => {
    const root = mkdtempSync(join(tmpdir(), 'python-'));
    const whenFast = startsFast ? test : () => {};
    const whenMounting = mounts ? test : test.skip;
    // Plain Pyodide follows links wherever they lead.
    const whenConfined = mounts && engine.engine !== 'host' ? test : () => {};
    /** @type {PyodideExecutor} */
    let executor;
    const make = (imports, options) => new PyodideExecutor(imports, { mount: false, ...engine, ...options });
    beforeAll(() => {
      executor = make(undefined, { max_operations: 20_000, max_while_iterations: 500 });
      return executor.init();
      // The first start on a machine makes what later ones begin with.
    }, FIRST_START_MS);
    afterAll(async () => {
      await executor.cleanup();
      rmSync(root, { recursive: true });
    });
    afterEach(() => vi.restoreAllMocks());
    const output = async (code) => (await executor.run(code)).output;
    /** Message without the wrapper, and what else is asserted of it. */
    const failure = async (code) => {
      const { message, code: kind, details } = await failureOf(executor, code);
      const [, cause] = /^Error executing code: ([^]*)\nLogs:\n[^]*$/.exec(message);
      return { cause, code: kind, line: details.line, column: details.column };
    };

    describe('outputs', () => {
      test.each([
        ['an expression', '1 + 1', 2],
        ['an assignment', 'y = 5', 5],
        ['an assignment of several targets', 'y = z = 5', null],
        ['an assignment to a part', 'd = {}\nd["a"] = 1', null],
        ['an augmented assignment', 'y = 1\ny += 1', null],
        ['an annotated assignment', 'y: int = 1', null],
        ['a function', 'def f():\n    return 1', null],
        ['a loop', 'for i in range(3):\n    i', null],
        ['an expression after others', 'a = 1\nb = 2\na + b', 3],
        ['nothing', '', null],
        ['a comment', '# nothing', null],
        ['None', 'None', null],
        ['texts', '"ä€😀\\u2028"', 'ä€😀\u2028'],
        ['a lone surrogate', '"\\ud800"', '\ud800'],
        ['NaN', 'float("nan")', 'NaN'],
        ['NaN in a list', '[1, float("nan")]', '[1, NaN]'],
        ['an infinity', 'float("inf")', 'Infinity'],
        ['a set', '{1}', '{1}'],
        ['a tuple', '(1, (2,))', [1, [2]]],
        ['bytes', 'b"ab"', "b'ab'"],
        ['keys that are numbers', '{1: 2, 2.5: 3, None: 4, True: 5}', { 1: 5, 2.5: 3, null: 4 }],
        ['a large integer', '2**70', 2 ** 70],
        ['an object', 'class A:\n    def __str__(self):\n        return "me"\nA()', 'me'],
        ['a date', 'import datetime\ndatetime.date(2024, 2, 29)', '2024-02-29'],
        ['a key that prototypes have', '{"__proto__": {"a": 1}}["__proto__"]', { a: 1 }],
      ])('are the value of %s', async (_title, code, expected) => {
        expect(await output(code)).toStrictEqual(expected);
      });

      test('a key that prototypes have becomes an own property', async () => {
        const value = await output('{"__proto__": {"a": 1}}');
        expect(Object.keys(value)).toStrictEqual(['__proto__']);
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      });

      test.each([
        [
          'a cycle',
          'a = []\na.append(a)\na',
          'ValueError: Circular reference detected\nwhen serializing list item 0',
          3,
        ],
        ['keys that are tuples', '{(1, 2): 3}', 'TypeError: keys must be str, int, float, bool or None, not tuple', 1],
      ])('%s cannot be represented as JSON', async (_title, code, text, line) => {
        const { cause, code: kind } = await failure(code);
        expect(cause).toBe(`${text}\nCode execution failed at line ${line}: ${code.split('\n').at(-1)}`);
        expect(kind).toBe('ERR_RUNTIME_EXCEPTION');
      });

      test('__main__ contains the names of the code', async () => {
        const own = make(['*']);
        const code = `import __main__, pickle, typing, unittest
class A:
    next: "A"
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 2)
unittest.main(argv=["x"], exit=False)
[type(pickle.loads(pickle.dumps(A()))) is A, typing.get_type_hints(A)["next"] is A, __main__.A is A]`;
        const { output: found, logs } = await own.run(code);
        expect(found).toStrictEqual([true, true, true]);
        expect(logs).toContain('stderr: FAILED (failures=1)\n');
        await own.cleanup();
      });

      test('state is kept between runs', async () => {
        await executor.run('import math\ncount = 1\ndef more(n):\n    return count + n');
        await executor.run('count = 10');
        expect(await output('more(math.floor(2.5))')).toBe(12);
      });
    });

    describe('final answers', () => {
      const final = (value) => ({ output: value, is_final_answer: true });
      const run = async (code) => {
        const { output: value, is_final_answer } = await executor.run(code);
        return { output: value, is_final_answer };
      };
      test.each([
        ['positional', 'final_answer({"ok": True, "n": 7})', { ok: true, n: 7 }],
        ['by keyword', 'final_answer(answer=[1])', [1]],
        ['by the parameter name', 'final_answer(value="v")', 'v'],
        ['none', 'final_answer()', null],
        ['in a function', 'def f():\n    final_answer(1)\nf()\nfinal_answer(2)', 1],
        ['in try/except', 'try:\n    final_answer(1)\nexcept Exception:\n    final_answer(2)', 1],
        ['in try/finally', 'try:\n    final_answer(1)\nfinally:\n    x = 1', 1],
        ['swallowed', 'try:\n    final_answer(1)\nexcept BaseException:\n    pass\nfinal_answer(2)', 1],
        ['swallowed at the end', 'try:\n    final_answer(1)\nexcept BaseException: pass', 1],
        ['before an error', 'try:\n    final_answer(1)\nfinally:\n    1/0', 1],
        ['unconverted', 'a = [1]\ntry:\n    final_answer(a)\nfinally:\n    a.append(2)', [1]],
        ['NaN', 'final_answer(float("nan"))', 'NaN'],
      ])('end the run: %s', async (_title, code, expected) => {
        expect(await run(code)).toStrictEqual(final(expected));
      });

      test('final_answer ends the run', async () => {
        const { logs } = await executor.run('print("before")\nfinal_answer(1)\nprint("after")');
        expect(logs).toBe('before\n');
      });

      test('final_answer leaves blocks like other exceptions', async () => {
        const code = `class Room:
    def __init__(self, name): self.name = name
    def __enter__(self): events.append(f"enter {self.name}")
    def __exit__(self, kind, *_):
        for step in range(2):
            events.append(f"leave {self.name} {step} {kind.__name__}")
    async def __aenter__(self): self.__enter__()
    async def __aexit__(self, *args): self.__exit__(*args)
events = []
def answer():
    with Room("a"), Room("b"):
        try:
            final_answer(1)
        except Exception:
            events.append("caught")
        finally:
            events.append("finally")
        events.append("went on")
async with Room("c"):
    answer()
events.append("went on")`;
        expect(await run(code)).toStrictEqual(final(1));
        const left = (name) => [0, 1].map((step) => `leave ${name} ${step} FinalAnswerException`);
        expect(await output('events')).toStrictEqual([
          ...['enter c', 'enter a', 'enter b', 'finally'],
          ...[...left('b'), ...left('a'), ...left('c')],
        ]);
      });

      test.each([
        ['finally', 'open()\ntry:\n    final_answer(1)\nfinally:\n    close()'],
        [
          'with',
          'class Session:\n    def __enter__(self): open()\n    def __exit__(self, *_): close()\nwith Session():\n    final_answer(1)',
        ],
      ])('tools can be called while the run exits: %s', async (_title, code) => {
        const own = make();
        const called = [];
        await own.sendTools({ open: () => void called.push('open'), close: async () => called.push('close') });
        expect((await own.run(code)).output).toBe(1);
        expect(called).toStrictEqual(['open', 'close']);
        await own.cleanup();
      });

      test('code that continues is ended soon', async () => {
        const { output: value, logs } = await executor.run(
          'n = 0\ntry: final_answer("answer")\nfinally:\n    print("on its way")\n    for _ in range(10**9):\n        n += 1\nprint("went on")',
        );
        expect([value, logs]).toStrictEqual(['answer', 'on its way\n']);
        const count = await output('n');
        expect([count > 0, count <= 1_000]).toStrictEqual([true, true]);
      });

      test('the next run starts afresh', async () => {
        await executor.run('final_answer(1)');
        expect(await run('2')).toStrictEqual({ output: 2, is_final_answer: false });
      });

      test.each([
        ['cannot be parsed', 'x = (', "SyntaxError: '(' was never closed"],
        ['is refused', 'eval("1")', 'RuntimeError: Forbidden builtin: eval'],
        ['the compiler refuses', 'return 5', "SyntaxError: 'return' outside function"],
      ])('code that %s has no answer or operations of an earlier run', async (_title, code, text) => {
        await executor.run('a = 1\nb = 2\nfinal_answer(a + b)');
        const error = await failureOf(executor, code);
        expect([error.code, error.details.cause.split('\n')[0], error.stats.operations]).toStrictEqual([
          'ERR_VALIDATION_FAILED',
          text,
          0,
        ]);
      });

      test.each([
        ['A()', 'text', false],
        ['try: final_answer("answer")\nexcept BaseException: pass\nA()', 'answer', true],
      ])('the last value is released in its run: %s', async (code, expected, isFinal) => {
        const kind = 'class A:\n    def __str__(self): return "text"\n    def __del__(self): print("let go")\n';
        const { output: value, is_final_answer, logs } = await executor.run(kind + code);
        expect([value, is_final_answer, logs]).toStrictEqual([expected, isFinal, 'let go\n']);
        expect((await executor.run('1')).logs).toBe('');
      });

      test('values of an earlier run cause no answer', async () => {
        const kind =
          'class A:\n    def __str__(self): return "text"\n    def __del__(self): final_answer("of its finalizer")\n';
        expect(await run(`${kind}A()`)).toStrictEqual(final('of its finalizer'));
        expect(await run('2')).toStrictEqual({ output: 2, is_final_answer: false });
        await executor.run('left = A()\n1');
        await executor.sendVariables({ left: 1 });
        expect(await run('left')).toStrictEqual({ output: 1, is_final_answer: false });
      });

      test('an answer that JSON cannot represent fails at its call', async () => {
        expect((await failure('x = 1\nfinal_answer({(1,): 2})')).cause).toBe(
          'TypeError: keys must be str, int, float, bool or None, not tuple\n' +
            'Code execution failed at line 2: final_answer({(1,): 2})',
        );
      });
    });

    describe('logs', () => {
      test('contain the lines, and those of stderr with a prefix', async () => {
        const code = 'import sys\nprint("a", 1)\nprint("e", file=sys.stderr)\nprint()\nprint("x\\ny")';
        const own = make(['sys']);
        const { logs, logEntries } = await own.run(code);
        await own.cleanup();
        expect(logs).toBe('a 1\nstderr: e\n\nx\ny\n');
        expect(logEntries.map(({ level, message }) => [level, message])).toStrictEqual([
          ['log', 'a 1'],
          ['error', 'stderr: e'],
          ['log', ''],
          ['log', 'x'],
          ['log', 'y'],
        ]);
      });

      test('a line without an end belongs to its run', async () => {
        expect((await executor.run('print("a", end="")')).logs).toBe('a\n');
        expect((await executor.run('print("b")')).logs).toBe('b\n');
      });

      test('an empty line is an entry', async () => {
        expect((await executor.run('print()')).logs).toBe('\n');
        expect((await executor.run('1')).logs).toBe('');
      });

      test('of the next run are complete after a run replaced the streams', async () => {
        const own = make(['sys', 'io']);
        await failureOf(own, 'import sys, io\nsys.stdout = sys.stderr = io.StringIO()\n1/0');
        expect((await own.run('print("a")\nprint("b", file=sys.stderr)')).logs).toBe('a\nstderr: b\n');
        await own.cleanup();
      });

      test('contain bytes written to the streams, and text of replaced ones', async () => {
        const own = make(['sys', 'io']);
        const code = `import sys, io
sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)
[sys.stdout.buffer.write(bytes([byte])) for byte in "ä\\n".encode()]
sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")
print("b")`;
        expect((await own.run(code)).logs).toBe('ä\nb\n');
        expect((await own.run('print("c")\nsys.stdout.buffer.write(b"d")')).logs).toBe('c\nd\n');
        await own.cleanup();
      });

      test('repeat warnings of earlier runs', async () => {
        // Cause: Python notes in the names of the code which warnings it has printed, by text and line. Fix: each run
        // begins without.
        const own = make(['warnings']);
        const code = 'import warnings\nfor i in range(2): warnings.warn("old")';
        for (let i = 0; i < 2; i++)
          expect((await own.run(code)).logs).toBe('stderr: <smolagents>:2: UserWarning: old\n');
        await own.cleanup();
      });

      test('name the line of a coroutine that was never awaited', async () => {
        // Cause: Python names where a coroutine is dropped; what a run has left, the prelude drops. Fix: its definition
        // is named then.
        const warningAt = (line) => `stderr: <smolagents>:${line}: RuntimeWarning: coroutine 'f' was never awaited\n`;
        const logsOf = async (code) => (await executor.run(`\nasync def f(): pass\n${code}`)).logs;
        expect(await logsOf('[f(), f()]')).toBe(warningAt(2));
        expect(await logsOf('f()\n0')).toBe(warningAt(3));
        const { logs } = await failureOf(executor, 'async def f(): pass\ndef g():\n    a = f()\n    1 / 0\ng()');
        expect(logs).toBe(warningAt(1));
      });

      test('of a failed run are on its error', async () => {
        const error = await failureOf(executor, 'print("a")\n1/0');
        expect(error.logs).toBe('a\n');
        expect(error.message).toBe(
          'Error executing code: ZeroDivisionError: division by zero\n' +
            'Code execution failed at line 2: 1/0\nLogs:\na\n',
        );
      });

      whenFast('are reported immediately', async () => {
        const heard = [];
        const own = make(undefined, { onLog: ({ message }) => heard.push(message) });
        await own.sendTools({ heard: () => [...heard] });
        await own.run('print("a")\nprint("b")');
        await own.cleanup();
        expect(heard).toStrictEqual(['a', 'b']);
      });
    });

    describe('imports', () => {
      test.each([
        ['import os', 'os'],
        ['from os import path', 'os'],
        ['import os.path', 'os.path'],
        ['x = __import__("os")', 'os'],
        ['def f():\n    import sys\nf()', 'sys'],
      ])('%s is refused', async (code, module) => {
        const { cause, code: kind } = await failure(code);
        expect(cause.split('\n')[0]).toBe(`ImportError: Import of '${module}' is not authorized`);
        expect(kind).toBe('ERR_IMPORT_NOT_ALLOWED');
      });

      test('the failure names the modules that can be imported', async () => {
        const own = make(['math', 'xml.*']);
        const error = await failureOf(own, 'import os');
        expect([error.details.module, error.details.hint]).toStrictEqual([
          'os',
          'Do without this module: math, xml.* can be imported.',
        ]);
        await own.cleanup();
      });

      test('__future__ needs no permission', async () => {
        expect(await output('from __future__ import annotations\ndef f(x: Unknown): return x\nf(1)')).toBe(1);
      });

      test('the defaults are allowed', async () => {
        const modules =
          'collections, datetime, itertools, json, math, queue, random, re, stat, statistics, time, unicodedata';
        expect(await output(`import ${modules}\nlen([${modules}])`)).toBe(12);
      });

      const lists = [
        [['*'], 'import os, xml.dom.minidom', true],
        [['xml.*'], 'import xml', true],
        [['xml.*'], 'import xml.dom.minidom', true],
        [['xml'], 'import xml.dom', true],
        [['xml.dom'], 'import xml.dom.minidom', true],
        [['xml.dom'], 'import xml.sax', false],
        [['xm'], 'import xml', false],
        [[], 'import math', false],
      ];
      test.each(startsFast ? lists : lists.slice(4, 5))(
        '%j with %s is decided by the list',
        async (imports, code, isAllowed) => {
          const { cause } = await whitelisted(imports, code);
          expect(cause === undefined).toBe(isAllowed);
        },
      );
      const whitelisted = async (imports, code) => {
        const own = make(imports);
        const error = await own.run(code).then(
          () => undefined,
          (thrown) => thrown,
        );
        await own.cleanup();
        return { cause: error?.message };
      };

      whenFast('options take precedence over the argument', async () => {
        const own = make(['os'], { authorized_imports: ['math'] });
        expect((await own.run('import math\nmath.pi > 3')).output).toBe(true);
        expect((await failureOf(own, 'import os')).code).toBe('ERR_IMPORT_NOT_ALLOWED');
        await own.cleanup();
      });
    });

    describe('dangerous builtins', () => {
      test.each(['eval', 'exec', 'compile'])('%s is refused before any code runs', async (builtin) => {
        const code = `print("ran")\n${builtin}("1")`;
        const error = await failureOf(executor, code);
        expect(error.message).toBe(
          `Error executing code: RuntimeError: Forbidden builtin: ${builtin}\n` +
            `Code execution failed at line 2: ${builtin}("1")\nLogs:\n`,
        );
        expect(error.code).toBe('ERR_VALIDATION_FAILED');
        expect(error.details.diagnostics).toStrictEqual([
          {
            rule: 'forbidden_builtin',
            severity: 'ERROR',
            message: `Forbidden builtin: ${builtin}`,
            location: { line: 2, column: 1 },
          },
        ]);
      });

      test('equivalent letters do not hide them', async () => {
        const error = await failureOf(executor, '\uff45val("1")');
        expect(error.details.diagnostics[0].message).toBe('Forbidden builtin: eval');
        expect(error.message.split('\n').slice(0, 2).join('\n')).toBe(
          'Error executing code: RuntimeError: Forbidden builtin: eval\nCode execution failed at line 1: \uff45val("1")',
        );
      });

      test.each(['open("x")', 'input()', '(eval)("1")', 'e = exec\ne("1")'])('%s calls None', async (code) => {
        const { cause } = await failure(code).catch((error) => error);
        expect(cause).toMatch(
          /^(TypeError: 'NoneType' object is not callable(\. `(open|input)` is not available here)?|RuntimeError: Forbidden builtin: eval)\n/,
        );
      });

      test.each([
        ['open("x")', '. `open` is not available here'],
        ['def f():\n    return [input("é"), 1]\nf()', '. `input` is not available here'],
        ['open = None\nopen("x")', ''],
        ['read = open\nread("x")', ''],
      ])('the failure names the missing builtin: %s', async (code, hint) => {
        expect((await failure(`${code}`)).cause.split('\n')[0]).toBe(
          `TypeError: 'NoneType' object is not callable${hint}`,
        );
        await executor.run('globals().pop("open", None)');
      });

      test('methods with these names belong to the code', async () => {
        expect(await output('class A:\n    def eval(self, x):\n        return x\nA().eval(3)')).toBe(3);
      });

      test('can be allowed by an option or replaced by a tool', async () => {
        const own = make(undefined, { allowed_dangerous_builtins: ['eval'] });
        expect((await own.run('eval("1 + 1")')).output).toBe(2);
        expect((await failureOf(own, 'exec("1")')).code).toBe('ERR_VALIDATION_FAILED');
        await own.sendTools({ exec: (code) => `host ran ${code}`, open: (path) => `host opened ${path}` });
        expect((await own.run('[exec("1"), open("x")]')).output).toStrictEqual(['host ran 1', 'host opened x']);
        await own.cleanup();
      });
    });

    describe('limits', () => {
      test.each([
        ['for i in range(10**9):\n    pass', 'Reached the max number of operations (20000)', { maxOperations: 20_000 }],
        ['for i in range(10**9): pass', 'Reached the max number of operations (20000)', { maxOperations: 20_000 }],
        [
          'while True:\n    pass',
          'Maximum number of 500 iterations in While loop exceeded',
          { maxWhileIterations: 500 },
        ],
        ['while True: pass', 'Maximum number of 500 iterations in While loop exceeded', { maxWhileIterations: 500 }],
        [
          'def f():\n    i = 0\n    while True:\n        i += 1\nf()',
          'Maximum number of 500 iterations in While loop exceeded',
          { maxWhileIterations: 500 },
        ],
      ])('end %s', async (code, text, details) => {
        const error = await failureOf(executor, code);
        expect(error.message.split('\n')[0]).toBe(`Error executing code: RuntimeError: ${text}`);
        expect(error.code).toBe('ERR_MAX_OPS_EXCEEDED');
        expect(error.details).toMatchObject(details);
      });

      test('the hint is specific to Python', async () => {
        const error = await failureOf(executor, 'for i in range(10**9): pass');
        expect(error.explanation.split('\n').at(-1)).toBe(
          'Hint: Write loops that end earlier, or use built-ins such as sum and sorted, and the functions that are provided.',
        );
      });

      test('code that catches the limit gets no more operations', async () => {
        const code = 'n = 0\nfor i in range(10**9):\n    try:\n        n += 1\n    except Exception:\n        pass';
        expect((await failureOf(executor, code)).code).toBe('ERR_MAX_OPS_EXCEEDED');
      });

      test('code after the limit ends as in CPython, without an answer', async () => {
        const code =
          'left = []\ntry:\n    for i in range(10**9):\n        pass\nfinally:\n    left.append(1)\n    left.append(2)\n    final_answer("in time")';
        expect((await failure(code)).cause.split('\n')[0]).toBe(
          'RuntimeError: Reached the max number of operations (20000)',
        );
        expect(await output('left')).toStrictEqual([1, 2]);
      });

      test.each([
        ['except Exception', 'try:\n    while True:\n        x = 1\nexcept Exception as e: r = "went on"\nr'],
        ['except BaseException', 'try:\n    while True: x = 1\nexcept BaseException: pass\nx = 2'],
        ['a finalizer', 'class D:\n    def __del__(self):\n        while True: pass\nD(); None'],
      ])('code that catches the limit gets no more rounds of while: %s', async (_title, code) => {
        const error = await failureOf(executor, code);
        expect([error.code, error.details.message, error.details.maxWhileIterations]).toStrictEqual([
          'ERR_MAX_OPS_EXCEEDED',
          'Maximum number of 500 iterations in While loop exceeded',
          500,
        ]);
      });

      test('rounds of while count from the start of the loop', async () => {
        expect(await output('n = 0\nwhile n < 500:\n    n += 1\nn')).toBe(500);
        const error = await failureOf(executor, 'n = 0\nwhile n < 501:\n    n += 1');
        expect([error.details.maxWhileIterations, error.details.line]).toStrictEqual([500, 2]);
        expect(await output('n')).toBe(500);
      });

      test.each([
        ['loops that are not entered', 'n = 0\nfor k in range(600):\n    while n > k: n -= 1\nn', 0],
        ['loops in a condition', 'n = 0\nwhile sum(1 for _ in range(600)) < 5:\n    n += 1\nn', 0],
        ['loops of earlier runs in the same line', 'n = 0\nwhile n < 600:\n    n += numbers()\nn', 600],
      ])('other loops are not rounds of while: %s', async (_title, code, expected) => {
        await executor.run('def numbers():\n    return len([i for i in range(600)])');
        expect(await output(code)).toBe(expected);
      });

      test('while in functions of earlier runs counts', async () => {
        await executor.run('def turn():\n    while True:\n        pass');
        const { details } = await failureOf(executor, 'x = 1\nx = 2\nx = 3\nturn()');
        expect([details.maxWhileIterations, details.line]).toStrictEqual([500, 4]);
      });

      test('functions in one line count separately for each call', async () => {
        const code = 'def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\ntwice = lambda n: n * 2\n';
        const { output: n, stats } = await executor.run(`${code}twice(fib(10))`);
        expect([n, stats.operations]).toStrictEqual([110, 3 + 177 + 1]);
        const { details } = await failureOf(executor, 'fib(25)');
        expect(details.maxOperations).toBe(20_000);
      });

      test('loops in one line count separately', async () => {
        const code = 'n = 0\nfor i in range(30): n += 1\nfor i in range(20): n += 1; m = n\nwhile n < 99: n += 1\nn';
        const { output: n, stats } = await executor.run(code);
        expect([n, stats.operations]).toStrictEqual([99, 104]);
      });

      test('functions of earlier runs count', async () => {
        await executor.run('def spin():\n    for i in range(10**9):\n        pass');
        expect((await failureOf(executor, 'spin()')).code).toBe('ERR_MAX_OPS_EXCEEDED');
      });

      test('a loop that ends in time is not affected', async () => {
        expect(await output('n = 0\nwhile n < 400:\n    n += 1\nn')).toBe(400);
      });

      test('a run may have its own limit', async () => {
        const { details } = await failureOf(executor, 'for i in range(50):\n    i', { maxOperations: 10 });
        expect(details.maxOperations).toBe(10);
        expect(await output('for i in range(50):\n    i\ni')).toBe(49);
      });

      test.each([-1, 0, 1.5, NaN, -Infinity])('a run refuses a limit of %d operations', async (maxOperations) => {
        await expect(executor.run('1', { maxOperations })).rejects.toThrow(
          new TypeError(`options.maxOperations must be a positive integer or Infinity, got ${maxOperations}`),
        );
      });

      test('a run without a limit ends only by itself', async () => {
        const code = 'n = 0\nwhile n < 400:\n    n += 1\nfor i in range(60_000):\n    n += 1\nn';
        const { output: counted, stats } = await executor.run(code, { maxOperations: Infinity });
        expect(counted).toBe(60_400);
        expect(stats.operations).toBeGreaterThan(100_000);
      });

      test('successful runs report their operations', async () => {
        const { stats } = await executor.run('a = 1\nfor i in range(3):\n    a += i\na');
        expect(stats.operations).toBe(9);
      });
    });

    describe('errors', () => {
      test.each([
        ['1/0', 'ZeroDivisionError: division by zero\nCode execution failed at line 1: 1/0', 1, 1],
        [
          'a = 1\nif a:\n    b = undefined_name',
          "NameError: name 'undefined_name' is not defined\nCode execution failed at line 3: b = undefined_name",
          3,
          9,
        ],
        [
          'x = "é😀" + 1',
          'TypeError: can only concatenate str (not "int") to str\nCode execution failed at line 1: x = "é😀" + 1',
          1,
          5,
        ],
        ['"é😀"; nope', 'NameError: name \'nope\' is not defined\nCode execution failed at line 1: "é😀"; nope', 1, 8],
        [
          'def g():\n    raise ValueError("a\\nb")\ng()',
          'ValueError: a\nb\nCode execution failed at line 2: raise ValueError("a\\nb")',
          2,
          5,
        ],
        ['raise Exception', 'Exception\nCode execution failed at line 1: raise Exception', 1, 1],
        ['raise SystemExit(3)', 'SystemExit: 3\nCode execution failed at line 1: raise SystemExit(3)', 1, 1],
        [
          'raise KeyboardInterrupt',
          'KeyboardInterrupt\nCode execution failed at line 1: raise KeyboardInterrupt',
          1,
          1,
        ],
        [
          'def f():\n    return f()\nf()',
          'RecursionError: maximum recursion depth exceeded\nCode execution failed at line 2: return f()',
          2,
          12,
        ],
        [
          'd = {"name": 1, "age": 2}\nd["nmae"]',
          "KeyError: 'nmae'. Maybe you meant one of these indexes instead: ['name']\nCode execution failed at line 2: d[\"nmae\"]",
          2,
          1,
        ],
        ['{"a": 1}["zzz"]', 'KeyError: \'zzz\'\nCode execution failed at line 1: {"a": 1}["zzz"]', 1, 1],
        [
          'class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E',
          'E: <its text cannot be made: ValueError>\nCode execution failed at line 4: raise E',
          4,
          1,
        ],
        // Nothing was known of an error with half of a character in its text: JSON that has one could not be read.
        [
          'raise ValueError("\\ud83d bad")',
          'ValueError: \ufffd bad\nCode execution failed at line 1: raise ValueError("\\ud83d bad")',
          1,
          1,
        ],
      ])('%s has its cause and place', async (code, cause, line, column) => {
        expect(await failure(code)).toStrictEqual({ cause, code: 'ERR_RUNTIME_EXCEPTION', line, column });
      });

      test.each([
        ['x = = 1', 'SyntaxError: invalid syntax\nCode parsing failed at line 1:\nx = = 1\n    ^', 1, 5],
        [
          'def f():\nreturn 1',
          'IndentationError: expected an indented block after function definition on line 1\nCode parsing failed at line 2:\nreturn 1\n^',
          2,
          1,
        ],
        ['x = (', "SyntaxError: '(' was never closed\nCode parsing failed at line 1:\nx = (\n    ^", 1, 5],
        ['"😀" = 1', undefined, 1, 1],
        [
          'x = 1\nreturn x',
          "SyntaxError: 'return' outside function\nCode parsing failed at line 2:\nreturn x\n^",
          2,
          1,
        ],
        [
          '"😀é"; return 1',
          'SyntaxError: \'return\' outside function\nCode parsing failed at line 1:\n"😀é"; return 1\n      ^',
          1,
          8,
        ],
      ])('syntax errors are reported: %s', async (code, cause, line, column) => {
        const found = await failure(code);
        expect({ ...found, cause: undefined }).toStrictEqual({
          cause: undefined,
          code: 'ERR_VALIDATION_FAILED',
          line,
          column,
        });
        if (cause !== undefined) expect(found.cause).toBe(cause);
      });

      test.each([
        [
          'a name',
          'total = 1\ndef f(): return totl\nf()',
          "NameError: name 'totl' is not defined. Did you mean: 'total'?",
        ],
        ['a name like a builtin that is off', 'opn("x")', "NameError: name 'opn' is not defined"],
        [
          'a module that was not imported',
          'globals().pop("statistics", None)\nstatistics.mean([1])',
          "NameError: name 'statistics' is not defined. Did you forget to import 'statistics'?",
        ],
        ['a module that is not allowed', 'subprocess.run', "NameError: name 'subprocess' is not defined"],
        [
          'an attribute of self',
          'class A:\n    def __init__(self): self.size = 1\n    def f(self): return size\nA().f()',
          "NameError: name 'size' is not defined. Did you mean: 'self.size'?",
        ],
        [
          'an attribute of an instance',
          'class A:\n    def __init__(self): self.value = 1\nA().valu',
          "AttributeError: 'A' object has no attribute 'valu'. Did you mean: 'value'?",
        ],
        [
          'an attribute of a class',
          'class A:\n    value = 1\nA.valu',
          "AttributeError: type object 'A' has no attribute 'valu'. Did you mean: 'value'?",
        ],
        [
          'a method of a builtin',
          '"a".uper()',
          "AttributeError: 'str' object has no attribute 'uper'. Did you mean: 'upper'?",
        ],
        [
          'an attribute of a module',
          'import math\nmath.sqr(2)',
          "AttributeError: module 'math' has no attribute 'sqr'. Did you mean: 'sqrt'?",
        ],
        [
          'a name of a module',
          'from math import sqr',
          "ImportError: cannot import name 'sqr' from 'math' (unknown location). Did you mean: 'sqrt'?",
        ],
        [
          'without running code of the guest',
          'class A:\n    value = 1\n    def __dir__(self): return ["valu2"]\n    @property\n    def __dict__(self): return {"valu3": 1}\nA().valu',
          "AttributeError: 'A' object has no attribute 'valu'. Did you mean: 'value'?",
        ],
      ])('a suggestion is added: %s', async (_title, code, text) => {
        expect((await failure(code)).cause.split('\n')[0]).toBe(text);
      });

      test.each([
        [
          'a cause',
          'try:\n    {}["port"]\nexcept KeyError as e:\n    raise RuntimeError("no config") from e',
          [
            'RuntimeError: no config',
            'Code execution failed at line 4: raise RuntimeError("no config") from e',
            'Caused by KeyError: \'port\' at line 2: {}["port"]',
          ],
        ],
        [
          'an error that was being handled',
          'try:\n    1/0\nexcept ZeroDivisionError:\n    [][1]',
          [
            'IndexError: list index out of range',
            'Code execution failed at line 4: [][1]',
            'Raised while handling ZeroDivisionError: division by zero at line 2: 1/0',
          ],
        ],
        [
          'a hidden one is omitted',
          'try:\n    1/0\nexcept ZeroDivisionError:\n    raise KeyError(1) from None',
          ['KeyError: 1', 'Code execution failed at line 4: raise KeyError(1) from None'],
        ],
        [
          'notes',
          'e = ValueError("bad")\ne.add_note("in row 7")\nraise e',
          ['ValueError: bad', 'in row 7', 'Code execution failed at line 3: raise e'],
        ],
        [
          'notes that are strings, with long ones cut',
          'e = ValueError("bad")\ne.__notes__ = [5, "x" * 999]\nraise e',
          ['ValueError: bad', `${'x'.repeat(500)}...`, 'Code execution failed at line 3: raise e'],
        ],
        [
          'the members of groups',
          'a = ValueError("a")\na.add_note("noted")\nb = ExceptionGroup("b", [KeyError("c"), a])\nraise ExceptionGroup("d", [b, a, TypeError("e")])',
          [
            'ExceptionGroup: d (3 sub-exceptions)',
            'Code execution failed at line 4: raise ExceptionGroup("d", [b, a, TypeError("e")])',
            '  - ExceptionGroup: b (2 sub-exceptions)',
            "    - KeyError: 'c'",
            '    - ValueError: a',
            '    noted',
            '  - TypeError: e',
          ],
        ],
        [
          'ten of many members',
          'raise ExceptionGroup("m", [ValueError(n) for n in range(99)])',
          [
            'ExceptionGroup: m (99 sub-exceptions)',
            'Code execution failed at line 1: raise ExceptionGroup("m", [ValueError(n) for n in range(99)])',
            ...Array.from({ length: 10 }, (_, n) => `  - ValueError: ${n}`),
            '  ... more errors',
          ],
        ],
      ])('errors within errors are reported: %s', async (_title, code, lines) => {
        const error = await failureOf(executor, code);
        expect(error.details.cause.split('\n')).toStrictEqual(lines);
        const told = lines.filter((line) => !line.startsWith('Code execution failed'));
        expect(error.details.traceback.split('\n').slice(2)).toStrictEqual(told);
      });

      test.each([
        ['a traceback', 'class E(Exception):\n    __traceback__ = 5\nraise E("x")', 'E: x', 3],
        [
          'other parts of an error',
          'class E(KeyError):\n    @property\n    def args(self): 1/0\n    name = details = __dict__ = __class__ = __cause__ = __context__ = __notes__ = args\nraise E("x")',
          "E: 'x'",
          5,
        ],
        [
          'a class of the host',
          'class M(type):\n    @property\n    def __name__(cls): 1/0\nclass E(Exception, metaclass=M): pass\nraise E("x")',
          'E: x',
          5,
        ],
        [
          'an error text',
          'class T(str):\n    def __len__(self): 1/0\n    __format__ = __getitem__ = __len__\nclass E(Exception):\n    def __str__(self): return T("x")\nraise E',
          'E: x',
          6,
        ],
        [
          'marks of the host',
          'class E(ImportError):\n    __smolagents_refused__ = True\n    __smolagents_place__ = 7\nraise E("x", name="os")',
          'E: x',
          4,
        ],
        [
          'a limit',
          'try:\n    while True: pass\nexcept RuntimeError as e: made = type(e)("mine")\nraise made',
          'RuntimeError: Maximum number of 500 iterations in While loop exceeded',
          2,
          'ERR_MAX_OPS_EXCEEDED',
        ],
      ])('guests cannot forge %s', async (_title, code, text, line, kind = 'ERR_RUNTIME_EXCEPTION') => {
        await executor.run('kept = 1');
        const { details, code: found } = await failureOf(executor, code);
        expect([found, details.cause.split('\n')[0], details.line]).toStrictEqual([kind, text, line]);
        expect(details).not.toHaveProperty('module');
        expect(await output('kept')).toBe(1);
      });

      test('a missing time zone says what can be done', async () => {
        const own = make(['zoneinfo']);
        const { details } = await failureOf(own, 'import zoneinfo\nzoneinfo.ZoneInfo("Europe/Rome")');
        const text =
          "No time zone found with key Europe/Rome. The host has to add the package tzdata to the executor's `packages`.";
        expect(details.message).toBe(`"${text}"`);
        await own.cleanup();
      });

      whenFast('missing processes and network are reported as such', async () => {
        const own = make(['multiprocessing.*', 'urllib.*']);
        const messageOf = async (code) => (await failureOf(own, code)).details.message;
        expect(await messageOf('import multiprocessing\nmultiprocessing.Pool(2)')).toBe(
          "No module named '_multiprocessing': there are no other processes here; call the function directly",
        );
        expect(await messageOf('import urllib.request\nurllib.request.urlopen("http://a.example")')).toBe(
          '<urlopen error [Errno 23] Host is unreachable: there is no network here>',
        );
        await own.cleanup();
      });

      test.each([
        ['math.factorial(2000)', ''],
        ['str(math.factorial(2000))', ''],
        ['int("1" * 5000)', ': value has 5000 digits'],
      ])('integers with too many digits are reported: %s', async (code, what) => {
        const text = `ValueError: Exceeds the limit (4300 digits) for integer string conversion${what}`;
        const { cause } = await failure(`import math\n${code}`);
        expect(cause.split('\n')[0]).toBe(`${text}; hexadecimal has no such limit`);
      });

      whenFast('integers with too many digits suggest raising the limit if code may do that', async () => {
        const own = make(['sys']);
        expect((await failureOf(own, 'str(10**5000)')).details.message).toBe(
          'Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit',
        );
        await own.cleanup();
      });

      test('code that is too deep for the parser is reported', async () => {
        const { message, code, details } = await failureOf(executor, `${'-'.repeat(100_000)}1`);
        const reason = 'Parser stack overflowed - Python source too complex to parse';
        expect(message).toBe(`Error executing code: MemoryError: ${reason}\nLogs:\n`);
        const location = { line: 1, column: 1 };
        expect([code, details.diagnostics]).toStrictEqual([
          'ERR_VALIDATION_FAILED',
          [{ rule: 'syntax_valid', severity: 'ERROR', message: reason, location }],
        ]);
      });

      test('a long traceback keeps both ends', async () => {
        const { details } = await failureOf(executor, 'def f(n):\n    return 1 / n if n == 0 else f(n - 1)\nf(99)');
        const frames = (count) => Array(count).fill('  line 2, in f');
        expect(details.traceback.split('\n')).toStrictEqual([
          'Traceback (most recent call last):',
          '  line 3, in <module>',
          ...frames(24),
          '  ... 51 more ...',
          ...frames(25),
          'ZeroDivisionError: division by zero',
        ]);
      });

      test('an error has a traceback and fields', async () => {
        const error = await failureOf(executor, 'def f(n):\n    return 1 / n\nf(0)');
        expect(error.name).toBe('AgentExecutionError');
        expect(error.severity).toBe('ERROR');
        expect(error.retryable).toBe(true);
        expect(error.details).toStrictEqual({
          // The addon draws it.
          ...(engine.engine !== 'host' && {
            codeFrame:
              '  |\n1 | def f(n):\n2 |     return 1 / n\n  |            ^ ZeroDivisionError: division by zero\n3 | f(0)\n  |',
          }),
          name: 'ZeroDivisionError',
          message: 'division by zero',
          cause: 'ZeroDivisionError: division by zero\nCode execution failed at line 2: return 1 / n',
          line: 2,
          column: 12,
          traceback:
            'Traceback (most recent call last):\n  line 3, in <module>\n  line 2, in f\nZeroDivisionError: division by zero',
        });
      });

      test('the next run works after an error', async () => {
        await failureOf(executor, 'import json\njson.dumps = None\nraise SystemExit');
        expect(await output('[1]')).toStrictEqual([1]);
      });
    });

    describe('variables', () => {
      test('are dictionaries with attribute access', async () => {
        const user = { name: 'n', tags: ['a', { b: 1 }], items: 2 };
        await executor.sendVariables({ user, x: 41, nothing: null, missing: undefined });
        expect(await output('[x + 1, user.name, user["tags"][1].b, user["items"], nothing, missing]')).toStrictEqual([
          42,
          'n',
          1,
          2,
          null,
          null,
        ]);
        expect(
          await output('[type(user) is dict, isinstance(user, dict), str(type(user)), list(user), user == dict(user)]'),
        ).toStrictEqual([false, true, "<class 'dict'>", ['name', 'tags', 'items'], true]);
        await executor.run('user.name = "m"\nuser.tags.append(3)');
        expect(await output('user')).toStrictEqual({ name: 'm', tags: ['a', { b: 1 }, 3], items: 2 });
        // The host's own is another one.
        expect(user).toStrictEqual({ name: 'n', tags: ['a', { b: 1 }], items: 2 });
      });

      test('suggest a name for a missing attribute', async () => {
        await executor.sendVariables({ user: { name: 'n' } });
        expect((await failure('user.nmae')).cause).toBe(
          "AttributeError: 'dict' object has no attribute 'nmae'. Did you mean: 'name'?\n" +
            'Code execution failed at line 1: user.nmae',
        );
      });

      test('stay dictionaries with attribute access as copies, and may contain themselves', async () => {
        const user = { tags: [{ a: 1 }] };
        user.me = user;
        const own = make(['*']);
        await own.sendVariables({ user, set: new Set([{ id: 1 }]) });
        const code = `import copy, pickle
one, deep, plain = copy.copy(user), copy.deepcopy(user), pickle.loads(pickle.dumps(user))
[one.tags is user.tags, one.me is user, deep.me is deep, deep.tags[0].a, deep.tags is user.tags, plain["me"] is plain, type(plain) is dict, [each.id for each in copy.deepcopy(set)]]`;
        expect((await own.run(code)).output).toStrictEqual([true, true, true, 1, false, true, true, [1]]);
        await own.cleanup();
      });

      test('of every type are converted', async () => {
        const cycle = { list: [] };
        cycle.list.push(cycle);
        await executor.sendVariables({
          cycle,
          bytes: new Uint8Array([1, 255]),
          date: new Date(86_400_000.5),
          big: 2n ** 70n,
          map: new Map([[1, [2]]]),
          set: new Set(['a']),
          float: 1.5,
        });
        expect(
          await output(
            'import datetime\n[cycle.list[0] is cycle, bytes == b"\\x01\\xff", date.isoformat(), big == 2**70, type(big) is int, ' +
              'map == {1: [2]}, set == {"a"}, float]',
          ),
        ).toStrictEqual([true, true, '1970-01-02T00:00:00+00:00', true, true, true, true, 1.5]);
      });

      test('keep members of sets and keys of maps apart', async () => {
        const inner = { id: 3 };
        await executor.sendVariables({
          objects: new Set([{ id: 1 }, { id: 1 }, inner]),
          inner,
          keyed: new Map([
            [{ x: 1 }, 'a'],
            [{ x: 2 }, 'b'],
          ]),
          lists: new Map([
            [[1, [2]], 'a'],
            [[3], 'b'],
          ]),
          sets: new Set([new Set([1, 2]), new Set([3])]),
        });
        expect(
          await output(
            '[sorted(each.id for each in objects), sorted(keyed[key] + str(key.x) for key in keyed), ' +
              'lists == {(1, (2,)): "a", (3,): "b"}, sets == {frozenset((1, 2)), frozenset((3,))}]',
          ),
        ).toStrictEqual([[1, 1, 3], ['a1', 'b2'], true, true]);
      });

      const cyclic = new Set();
      cyclic.add([cyclic]);
      const beyond = [
        [
          'a date before the first year',
          new Date('0000-01-01T00:00:00Z'),
          ' (Date outside of the years 1 to 9999)',
          '',
        ],
        [
          'a date after the last year',
          { 'a b': [1, new Date(8.64e15)] },
          '["a b"][1] (Date outside of the years 1 to 9999)',
          '',
        ],
        [
          'members that are one in Python',
          new Map([[1, new Set([1, true])]]),
          '[value 0] (Set)',
          ': two of its members would be equal',
        ],
        [
          'keys that are one in Python',
          [
            new Map([
              [[1], 'a'],
              [[1], 'b'],
            ]),
          ],
          '[0] (Map)',
          ': two of its keys would be equal',
        ],
        ['members that have no hash', new Set([new Map()]), ' (Set)', ': one of its members cannot be hashed'],
        ['a set in itself', cyclic, ' (Set)', ': one of its members cannot be hashed'],
      ];
      test.each(beyond)(
        'are refused for a value that Python cannot represent: %s',
        async (_title, value, place, reason) => {
          const text = `${place} cannot be given to Python${reason}`;
          await executor.sendTools({ give: () => value });
          await expect(executor.sendVariables({ before: 1, v: value })).rejects.toThrow(
            new TypeError(`variables.v${text}`),
          );
          const error = await failureOf(executor, 'give()');
          expect([error.code, error.details.message, error.details.bridge, error.details.tool]).toStrictEqual([
            'ERR_TOOL_PROXY_FAIL',
            `result${text}`,
            true,
            'give',
          ]);
          expect(error.message.split('\n')[0]).toBe(`Error executing code: ToolError: TypeError: result${text}`);
        },
      );

      test('cannot replace names of the executor', async () => {
        await expect(executor.sendVariables({ __smolagents_run: 1 })).rejects.toThrow(
          new TypeError('variables.__smolagents_run must have another name: `__smolagents_` is reserved'),
        );
        await expect(executor.sendTools({ ok: () => 1, __smolagents_run: () => 1 })).rejects.toThrow(
          new TypeError('tools.__smolagents_run must have another name: `__smolagents_` is reserved'),
        );
        await executor.sendVariables({ json: 'mine', ast: 'mine' });
        expect(await output('[json, ast]')).toStrictEqual(['mine', 'mine']);
      });
    });

    describe('tools', () => {
      test('may be sync or async, with and without await', async () => {
        await executor.sendTools({
          add: (a, b) => a + b,
          later: async (value) => value,
          Host: { nested: { echo: (...args) => args } },
        });
        expect(await output('add(1, 2)')).toBe(3);
        expect(await output('await add(1, 2)')).toBe(3);
        expect(await output('r = await later({"a": [1]})\nr.a')).toStrictEqual([1]);
        expect(await output('(await later({"a": [1]})).a[0] + await add(1, 1)')).toBe(3);
        expect(await output('async def f(n):\n    return await add(n, 1)\nawait f(2)')).toBe(3);
        expect(await output('Host.nested.echo(1, b=2, c=[3])')).toStrictEqual([1, { b: 2, c: [3] }]);
        expect(await output('add.__name__ + Host.nested.echo.__qualname__')).toBe('addHost.nested.echo');
      });

      test('receive keyword arguments as a last object', async () => {
        await executor.sendTools({ give: (...args) => args, later: async (...args) => args });
        const code = '[give(a=1), give(1, b=[2]), await later({"x": 1}, b=None), await later(**{"for": 1}), give()]';
        expect(await output(code)).toStrictEqual([
          [{ a: 1 }],
          [1, { b: [2] }],
          [{ x: 1 }, { b: null }],
          [{ for: 1 }],
          [],
        ]);
      });

      test('receive and return values of every type', async () => {
        let given;
        await executor.sendTools({ give: (...args) => (given = args)[0] });
        const code = `import datetime, collections, math
cycle = {"n": 1}
cycle["self"] = cycle
when = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
Point = collections.namedtuple("Point", "x y")
r = give(cycle, b"ab", when, 2**70, {1, 2}, {(1, 2): 3}, Point(1, 2), None, True, 1.5, math.inf, datetime.date(2024, 1, 1), range(2), {"__proto__": 1})
[r.self is r, r.n]`;
        expect(await output(code)).toStrictEqual([true, 1]);
        const [cycle, bytes, when, big, set, map, point, ...others] = given;
        expect(cycle.self).toBe(cycle);
        expect(Buffer.from(bytes).toString()).toBe('ab');
        expect([when, big, set, map, point]).toStrictEqual([
          new Date('2024-01-01T00:00:00Z'),
          2n ** 70n,
          new Set([1, 2]),
          new Map([[[1, 2], 3]]),
          [1, 2],
        ]);
        expect(others.slice(1, -1)).toStrictEqual([true, 1.5, Infinity, '2024-01-01', [0, 1]]);
        expect(others[0] ?? null).toBe(null);
        expect(Object.keys(others.at(-1))).toStrictEqual(['__proto__']);
      });

      test('receive objects of classes whose parts are shared or cyclic', async () => {
        const own = make(['dataclasses', 'collections']);
        let given;
        await own.sendTools({ give: (...args) => void (given = args) });
        await own.run(`import collections, dataclasses
@dataclasses.dataclass
class Node:
    name: str
    kids: list = dataclasses.field(default_factory=list)
    parent: object = None
root = Node("root")
root.kids += [Node("a", parent=root), Node("b", parent=root)]
queue = collections.deque()
queue.append(queue)
give(root, root.kids[0], queue, queue)`);
        const [node, kid, queue, same] = given;
        expect(node.kids.map(({ name, kids, parent }) => [name, kids, parent === node])).toStrictEqual([
          ['a', [], true],
          ['b', [], true],
        ]);
        expect([node.name, node.parent ?? null, kid === node.kids[0]]).toStrictEqual(['root', null, true]);
        expect([queue[0] === queue, same === queue, queue.length]).toStrictEqual([true, true, 1]);
        await own.cleanup();
      });

      test('receive enum members and the like as their values, as outputs have them', async () => {
        const own = make(['enum']);
        const given = [];
        await own.sendTools({ give: (...args) => void given.push(args) });
        const code = `import enum
class Status(str, enum.Enum):
    OPEN = "open"
class Priority(int, enum.Enum):
    HIGH = 3
class Rate(float, enum.Enum):
    LOW = 0.5
class Loud(str):
    def __str__(self): return "LOUD"
values = [Status.OPEN, Priority.HIGH, Rate.LOW, Loud("quiet"), {Status.OPEN: 1, Priority.HIGH: 2, Rate.LOW: 3, float("inf"): 4, True: 5}]
give(values, enum.Enum("Plain", {"A": "a"}).A)
values`;
        const { output: values } = await own.run(code);
        expect(given).toStrictEqual([[values, 'a']]);
        expect(values).toStrictEqual(['open', 3, 0.5, 'quiet', { open: 1, 3: 2, 0.5: 3, Infinity: 4, true: 5 }]);
        await own.cleanup();
      });

      // The result of `tolist` was treated as plain data: a date, as that of numpy's `datetime64` is, was "not
      // iterable".
      test('receive arrays and scalars of numpy as lists and values', async () => {
        const given = [];
        await executor.sendTools({ give: (...args) => void given.push(args) });
        await executor.run(`import datetime
class Scalar:
    def __init__(self, value): self.value = value
    def tolist(self): return self.value
day = datetime.date(2024, 1, 2)
give(Scalar(day), Scalar([Scalar(day), Scalar(1.5)]), [Scalar(None)], Scalar(2))`);
        expect(given).toStrictEqual([['2024-01-02', ['2024-01-02', 1.5], [null], 2]]);
      });

      test('refuse the minimum and maximum datetime without a time zone', async () => {
        await executor.sendTools({ give: (value) => value });
        expect((await failure('import datetime\ngive({"when": datetime.datetime.min})')).cause).toBe(
          'TypeError: a datetime of the year 1 without a time zone cannot be given to a tool: give it one with a time zone\n' +
            'Code execution failed at line 2: give({"when": datetime.datetime.min})',
        );
        const code = 'give(datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)).isoformat()';
        expect(await output(code)).toBe('0001-01-01T00:00:00+00:00');
      });

      test('refuse functions as arguments', async () => {
        await executor.sendTools({ give: (value) => value });
        const { cause, code } = await failure('give([lambda: 1])');
        expect(cause.split('\n')[0]).toBe(
          "TypeError: a value of type 'function' cannot be given to a tool: give it data, such as a dict or a list",
        );
        expect(code).toBe('ERR_RUNTIME_EXCEPTION');
      });

      test('raise ToolError if they throw', async () => {
        const thrown = Object.assign(new RangeError('too far'), { code: 'E_FAR' });
        await executor.sendTools({
          Host: {
            fail: () => {
              throw thrown;
            },
          },
        });
        const error = await failureOf(executor, 'print("a")\nHost.fail(1)');
        expect(error.message).toBe(
          'Error executing code: ToolError: RangeError: too far\nCode execution failed at line 2: Host.fail(1)\nLogs:\na\n',
        );
        expect(error.code).toBe('ERR_TOOL_PROXY_FAIL');
        expect(error.details).toMatchObject({
          tool: 'Host.fail',
          name: 'RangeError',
          message: 'too far',
          code: 'E_FAR',
        });
        expect(error.cause).toBe(thrown);
        expect(
          await output('try:\n    Host.fail()\nexcept Exception as e:\n    r = [e.name, e.message, e.code]\nr'),
        ).toStrictEqual(['RangeError', 'too far', 'E_FAR']);
      });

      test('raise a group of errors if they throw an AggregateError', async () => {
        const cause = Object.assign(new Error('why'), { data: { list: [1, null] } });
        const thrown = Object.assign(new AggregateError([cause, 'text', { n: 1 }], 'all', { cause }), {
          status: 'LOW',
        });
        await executor.sendTools({
          fail: () => {
            throw thrown;
          },
        });
        const code = `
try: fail()
except ToolError as e: error = e
[isinstance(error, ExceptionGroup), str(error), error.message, error.name, error.status, error.data, error.errors == list(error.exceptions),
  [[str(each), each.data] for each in error.errors], [type(error.__cause__).__name__, error.__cause__.data.list]]`;
        expect(await output(code)).toStrictEqual([
          ...[true, 'AggregateError: all', 'all', 'AggregateError', 'LOW', null, true],
          [
            ['why', { list: [1, null] }],
            ['text', 'text'],
            ['', { n: 1 }],
          ],
          ['ToolError', [1, null]],
        ]);
        const split = `
def is_text(error): return error.data == "text"
try: fail()
except* ToolError as e: whole = type(e).__name__
match, rest = error.split(is_text)
[whole, [str(each) for each in match.exceptions], [str(each) for each in rest.exceptions]]`;
        expect(await output(split)).toStrictEqual(['ToolErrorGroup', ['text'], ['why', '']]);
        const failed = await failureOf(executor, 'fail()');
        expect([failed.code, failed.details.name, failed.cause]).toStrictEqual([
          'ERR_TOOL_PROXY_FAIL',
          'AggregateError',
          thrown,
        ]);
        expect(failed.details.cause).toBe(
          'ToolError: AggregateError: all\nCode execution failed at line 1: fail()\nCaused by ToolError: why\n  - ToolError: why\n  - ToolError: text\n  - ToolError',
        );
        const again = await failureOf(executor, 'raise error');
        expect([again.code, again.details.name, again.details.message]).toStrictEqual([
          'ERR_RUNTIME_EXCEPTION',
          'AggregateError',
          'all',
        ]);
      });

      test.each([
        ['a date that Python does not have', { status: 5, data: new Date(8.64e15) }],
        ['an empty list of errors', Object.assign(new AggregateError([], 'no'), { status: 5 })],
        ['a cause that is null', { status: 5, cause: null, data: undefined }],
      ])('raise a ToolError if they throw an error with %s', async (_title, parts) => {
        const thrown = parts instanceof Error ? parts : Object.assign(new Error('no'), parts);
        await executor.sendTools({
          fail: () => {
            throw thrown;
          },
        });
        const code = 'try: fail()\nexcept ToolError as e: r = [type(e).__name__, e.message]\nr';
        expect(await output(code)).toStrictEqual(['ToolError', 'no']);
      });

      // A code that is not a JSON number made the failure unreadable.
      test.each([NaN, Infinity])('may throw an error with the code %d, which is omitted', async (code) => {
        const thrown = Object.assign(new Error('no'), { code });
        await executor.sendTools({
          fail: () => {
            throw thrown;
          },
        });
        const error = await failureOf(executor, 'fail()');
        expect([error.code, error.details.tool, error.details.code, error.cause]).toStrictEqual([
          'ERR_TOOL_PROXY_FAIL',
          'fail',
          null,
          thrown,
        ]);
      });

      test('raise an error that code can catch by its name', async () => {
        const fail = () => {
          throw new Error('no');
        };
        const source = 'def caught():\n    try: fail()\n    except ToolError as e: return e.message';
        await executor.sendTools({ fail }, { caught: source });
        expect(await output('try:\n    fail()\nexcept ToolError as e: r = e.message\n[r, caught()]')).toStrictEqual([
          'no',
          'no',
        ]);
      });

      test('are not blamed for errors that guests make of their failures', async () => {
        await executor.sendTools({ fail: () => Promise.reject(new RangeError('no')) });
        const catching = 'try: await fail()\nexcept Exception as e: caught = e\n';
        const other =
          'made = type(caught)("mine", "Mine", "ERR_TOOL_PROXY_FAIL", caught.call, True, "fail")\nraise made';
        const error = await failureOf(executor, catching + other);
        expect(error.code).toBe('ERR_RUNTIME_EXCEPTION');
        expect(error.cause).toBeUndefined();
        expect(error.details).toMatchObject({ name: 'Mine', message: 'mine', line: 4 });
        expect(error.details).not.toHaveProperty('tool');
        // A value that is not a string cannot be reported.
        const round = await failureOf(executor, `${catching}made = type(caught)("m")\nmade.name = [made]\nraise made`);
        expect(round.details).toMatchObject({ name: 'ToolError', message: 'm' });
      });

      test('raise ToolError if they reject', async () => {
        await executor.sendTools({ fail: () => Promise.reject(new Error('no')) });
        const { cause, code } = await failure('await fail()');
        expect(cause).toBe('ToolError: no\nCode execution failed at line 1: await fail()');
        expect(code).toBe('ERR_TOOL_PROXY_FAIL');
      });

      whenFast('are submitted to onToolCall first', async () => {
        const own = make(undefined, {
          onToolCall({ name, args }) {
            if (name === 'secret') throw new Error('not allowed');
            return { args: args.map((n) => n * 10) };
          },
        });
        await own.sendTools({ double: (n) => n * 2, secret: () => 1 });
        expect((await own.run('double(2)')).output).toBe(40);
        expect((await failureOf(own, 'secret()')).message).toContain('ToolError: not allowed\n');
        await own.cleanup();
      });

      test('in Python take precedence as the specification says', async () => {
        await executor.sendTools(
          { twice: (n) => n * 2 },
          { add_one: '\n    def add_one(n):\n        return helper(n)\n    def helper(n):\n        return n + 1\n' },
        );
        expect(await output('add_one(twice(20)) + 1')).toBe(42);
        expect((await failure('helper(1)')).cause).toContain("NameError: name 'helper' is not defined");
      });

      test('in Python are refused if they cannot be parsed', async () => {
        const log = vi.spyOn(console, 'error').mockImplementation(() => {});
        const error = await executor.sendTools({}, { bad: 'def bad(:\n    pass' }).catch((thrown) => thrown);
        expect(error.message).toBe('  File "<bad>", line 1\n    def bad(:\n            ^\nSyntaxError: invalid syntax');
        expect(error.details).toStrictEqual({ name: 'SyntaxError', message: 'invalid syntax', pythonTool: 'bad' });
        expect(log.mock.calls).toStrictEqual([['Failed to inject Python tool bad:', error]]);
      });

      test('in Python are refused if they do not define their name, which keeps its value', async () => {
        vi.spyOn(console, 'error').mockImplementation(() => {});
        await executor.sendTools({}, { double: 'def double(n): return 2 * n' });
        const error = await executor.sendTools({}, { double: 'def triple(n): return 3 * n' }).catch((thrown) => thrown);
        const message = 'the source of the tool double defines no double';
        expect(error.message).toBe(`NameError: ${message}`);
        expect(error.details).toStrictEqual({ name: 'NameError', message, pythonTool: 'double' });
        expect(await output('double(1)')).toBe(2);
      });
    });

    describe('asyncio', () => {
      test('code may await its own coroutines', async () => {
        const own = make(['asyncio']);
        const code = `import asyncio
async def f(n):
    await asyncio.sleep(0.01 * n)
    return n
await asyncio.gather(f(2), f(1))`;
        expect((await own.run(code)).output).toStrictEqual([2, 1]);
        await own.cleanup();
      });

      test('gather and task groups accept results of tools, which are not awaitables', async () => {
        const own = make(['asyncio']);
        await own.sendTools({ plain: (value) => value, later: async (value) => value });
        const gathered = await own.run('import asyncio\nawait asyncio.gather(plain({"a": 1}), later(1), plain(1))');
        expect(gathered.output).toStrictEqual([{ a: 1 }, 1, 1]);
        const code = `async with asyncio.TaskGroup() as group:
    tasks = [group.create_task(plain(1)), asyncio.create_task(plain([2]))]
[task.result() for task in tasks] + [await asyncio.wait_for(plain(3), timeout=1), await asyncio.shield(plain(4))]`;
        expect((await own.run(code)).output).toStrictEqual([1, [2], 3, 4]);
        const iterated = `async def main(): return 3
done, pending = await asyncio.wait([plain(1), asyncio.create_task(main())])
[await each for each in asyncio.as_completed([plain(1), later(2), main()])] + sorted(each.result() for each in done)`;
        expect((await own.run(iterated)).output.sort()).toStrictEqual([1, 1, 2, 3, 3]);
        await own.cleanup();
      });
    });

    describe('files', () => {
      const tools = {
        store:
          'import os\ndef store(name, text):\n    with open(os.path.join(os.environ["PYODIDE_MOUNT_POINT"], name), "w") as f:\n        f.write(text)\n',
        names:
          'import os\ndef names(path="."):\n    return sorted(os.listdir(os.path.join(os.environ["PYODIDE_MOUNT_POINT"], path)))\n',
        load: 'import os\ndef load(name):\n    return open(os.path.join(os.environ["PYODIDE_MOUNT_POINT"], name)).read()\n',
        rename:
          'import os\ndef rename(a, b):\n    at = os.environ["PYODIDE_MOUNT_POINT"]\n    os.rename(os.path.join(at, a), os.path.join(at, b))\n',
      };

      whenMounting('the folder is mounted', async () => {
        const folder = mkdtempSync(join(root, 'mount-'));
        writeFileSync(join(folder, 'a.txt'), 'ä');
        const own = make(undefined, { mount: true, workDir: folder, mountPoint: '/data' });
        await own.sendTools({}, tools);
        expect((await own.run('load("a.txt")')).output).toBe('ä');
        await own.run('store("b.txt", "from python")\nrename("a.txt", "c.txt")');
        expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('from python');
        expect((await own.run('names()')).output).toStrictEqual(['b.txt', 'c.txt']);
        await own.cleanup();
      });

      whenMounting('written files exist when a final answer or a limit ends the run', async () => {
        const folder = mkdtempSync(join(root, 'mount-'));
        const options = { allowed_dangerous_builtins: ['open'], max_operations: 100 };
        const own = make(undefined, { mount: true, workDir: folder, ...options });
        await own.run('with open("/mnt/a.txt", "w") as f:\n    f.write("hello")\n    final_answer("a.txt")');
        await failureOf(own, 'with open("/mnt/b.txt", "w") as f:\n    for _ in range(10**9): f.write("x")');
        const content = ['a.txt', 'b.txt'].map((name) => readFileSync(join(folder, name), 'utf8'));
        expect(content).toStrictEqual(['hello', 'x'.repeat(content[1].length)]);
        expect(content[1].length).toBeGreaterThan(90);
        await own.cleanup();
      });

      whenMounting.each([
        ['text', 'f = open("/mnt/a.txt", "w")\nf.write("hello")', 'a.txt', 'hello'],
        ['bytes', 'f = open("/mnt/a.bin", "wb")\nf.write(b"hello")', 'a.bin', 'hello'],
        [
          'files opened by a module',
          'import pathlib\nf = pathlib.Path("/mnt/a.txt").open("w")\nf.write("é")',
          'a.txt',
          'é',
        ],
        ['a run that fails', 'f = open("/mnt/a.txt", "w")\nf.write("hello")\n1/0', 'a.txt', 'hello'],
        ['a final answer', 'f = open("/mnt/a.txt", "w")\nf.write("hello")\nfinal_answer(1)', 'a.txt', 'hello'],
      ])('buffered writes of open files are written at the end of a run: %s', async (_title, code, name, content) => {
        const folder = mkdtempSync(join(root, 'mount-'));
        const own = make(['*'], { mount: true, workDir: folder, allowed_dangerous_builtins: ['open'] });
        await own.run(code).catch(() => {});
        expect(readFileSync(join(folder, name), 'utf8')).toBe(content);
        await own.run('f.write("." if "b" not in f.mode else b".")');
        expect(readFileSync(join(folder, name), 'utf8')).toBe(`${content}.`);
        await own.cleanup();
      });

      whenMounting('failed writes are reported', async () => {
        const folder = mkdtempSync(join(root, 'mount-'));
        const own = make(['os'], { mount: true, workDir: folder, allowed_dangerous_builtins: ['open'] });
        const { output: value, logs } = await own.run(
          'import os\nf = open("/mnt/a.txt", "w")\nf.write("hello")\nos.close(f.fileno())\n1',
        );
        expect([value, logs]).toStrictEqual([
          1,
          'stderr: the buffer of an open file could not be written: OSError: [Errno 8] Bad file descriptor\n',
        ]);
        await own.cleanup();
      });

      whenConfined('a folder can be mounted read-only', async () => {
        const folder = mkdtempSync(join(root, 'mount-'));
        writeFileSync(join(folder, 'a.txt'), 'ä');
        const own = make(undefined, { mount: true, workDir: folder, readOnly: true });
        await own.sendTools({}, tools);
        expect((await own.run('load("a.txt")')).output).toBe('ä');
        expect((await failureOf(own, 'store("b.txt", "x")')).details.name).toMatch(/^(PermissionError|OSError)$/);
        expect(existsSync(join(folder, 'b.txt'))).toBe(false);
        await own.cleanup();
      });

      whenConfined('folders can be opened, listed and removed with their contents', async () => {
        const folder = mkdtempSync(join(root, 'mount-'));
        const own = make(['*'], { mount: true, workDir: folder, allowed_dangerous_builtins: ['open'] });
        const code = `import os, shutil, tempfile
os.makedirs("/mnt/a/b/c")
open("/mnt/a/b/x.txt", "w").close()
fd = os.open("/mnt/a/b", os.O_RDONLY)
listed = [sorted(os.listdir(fd)), os.fstat(fd).st_mode == os.stat("/mnt/a/b").st_mode]
os.close(fd)
walked = [[at, folders, files] for at, folders, files, _ in os.fwalk("/mnt/a")]
shutil.rmtree("/mnt/a")
with tempfile.TemporaryDirectory(dir="/mnt") as made:
    open(os.path.join(made, "y.txt"), "w").close()
[listed, walked, os.listdir("/mnt")]`;
        expect((await own.run(code)).output).toStrictEqual([
          [['c', 'x.txt'], true],
          [
            ['/mnt/a', ['b'], []],
            ['/mnt/a/b', ['c'], ['x.txt']],
            ['/mnt/a/b/c', [], []],
          ],
          [],
        ]);
        expect((await failureOf(own, 'open("/mnt")')).details.name).toBe('IsADirectoryError');
        await own.cleanup();
      });

      whenConfined('changes that others made to a path are seen', async () => {
        const folder = mkdtempSync(join(root, 'mount-'));
        const path = join(folder, 'x');
        const own = make(['os'], { mount: true, workDir: folder, allowed_dangerous_builtins: ['open'] });
        const found = async (code) => (await own.run(code)).output;
        writeFileSync(path, 'file');
        expect(await found('import os\nopen("/mnt/x").read()')).toBe('file');
        rmSync(path);
        mkdirSync(path);
        writeFileSync(join(path, 'in.txt'), 'within');
        expect(await found('[os.listdir("/mnt/x"), open("/mnt/x/in.txt").read()]')).toStrictEqual([
          ['in.txt'],
          'within',
        ]);
        rmSync(path, { recursive: true });
        expect(await found('os.makedirs("/mnt/x", exist_ok=True)\nos.listdir("/mnt/x")')).toStrictEqual([]);
        rmSync(path, { recursive: true });
        expect(await found('open("/mnt/x", "w").write("new")')).toBe(3);
        expect(readFileSync(path, 'utf8')).toBe('new');
        expect(
          await found(
            'open("/mnt/y", "w").close()\nos.replace("/mnt/y", "/mnt/x")\nos.remove("/mnt/x")\nos.mkdir("/mnt/x")',
          ),
        ).toBe(null);
        await own.cleanup();
      });

      whenConfined('no path leads out of the folder', async () => {
        const folder = mkdtempSync(join(root, 'mount-'));
        writeFileSync(join(root, 'secret.txt'), 'secret');
        symlinkSync(join(root, 'secret.txt'), join(folder, 'link.txt'));
        const own = make(undefined, { mount: true, workDir: folder, allowed_dangerous_builtins: ['open'] });
        for (const path of ['../secret.txt', 'link.txt', join(root, 'secret.txt')]) {
          const { details } = await failureOf(own, `open("/mnt/${path}").read()`);
          expect(details.name).toMatch(/^(FileNotFoundError|PermissionError|OSError)$/);
        }
        await own.cleanup();
      });

      whenConfined('guests cannot make links, neither out of the folder nor in it', async () => {
        const folder = mkdtempSync(join(root, 'mount-'));
        const secret = join(root, 'linked.txt');
        writeFileSync(secret, 'secret');
        writeFileSync(join(folder, 'own.txt'), 'own');
        const own = make(['os'], { mount: true, workDir: folder, allowed_dangerous_builtins: ['open'] });
        await own.sendVariables({ secret });
        const refused = async (code) => (await failureOf(own, `import os\n${code}`)).details.name;
        for (const target of ['secret', '"../linked.txt"', '"/mnt/own.txt"', '"own.txt"', '".."']) {
          expect(await refused(`os.symlink(${target}, "/mnt/link")`)).toBe('PermissionError');
        }
        expect((await own.run('import os\nhasattr(os, "link")')).output).toBe(false);
        // Outside the folder are the guest's own files, where links lead no further.
        expect(await refused('os.symlink(secret, "/tmp/link")\nopen("/tmp/link").read()')).toBe('FileNotFoundError');
        expect(await refused('os.symlink("/mnt/..", "/tmp/up")\nopen("/tmp/up" + secret).read()')).toBe(
          'FileNotFoundError',
        );
        expect((await own.run('os.symlink("/mnt", "/tmp/in")\nopen("/tmp/in/own.txt").read()')).output).toBe('own');
        expect(readdirSync(folder)).toStrictEqual(['own.txt']);
        await own.cleanup();
      });

      whenMounting('a folder that cannot be mounted is reported, and Python works', async () => {
        const log = vi.spyOn(console, 'error').mockImplementation(() => {});
        const own = make(undefined, { mount: true, workDir: join(root, 'missing') });
        expect((await own.run('1 + 1')).output).toBe(2);
        expect(log.mock.calls.map(([text]) => text)).toStrictEqual(['Failed to mount NODEFS:']);
        await own.cleanup();
      });

      whenConfined('an impossible mount point is reported with an explanation', async () => {
        const log = vi.spyOn(console, 'error').mockImplementation(() => {});
        const own = make(undefined, { mount: true, workDir: root, mountPoint: '/' });
        expect((await own.run('1 + 1')).output).toBe(2);
        expect(log.mock.calls.map(([text, { message }]) => [text, message])).toStrictEqual([
          ['Failed to mount NODEFS:', 'Runtime exception: nothing can be mounted at / (errno 10)'],
        ]);
        await own.cleanup();
      });

      whenMounting("a mount point that would hide Python's own modules is reported, and Python works", async () => {
        const log = vi.spyOn(console, 'error').mockImplementation(() => {});
        const own = make(undefined, { mount: true, workDir: root, mountPoint: '/mnt/..//lib/./' });
        expect((await own.run('import statistics\nstatistics.mean([1, 3])')).output).toBe(2);
        expect(log.mock.calls).toStrictEqual([
          [
            'Failed to mount NODEFS:',
            new Error("nothing can be mounted at /mnt/..//lib/./: Python's own modules are there"),
          ],
        ]);
        await own.cleanup();
      });

      test('nativefs requires a handle and a browser', async () => {
        expect(() => make(undefined, { fsMode: 'nativefs' })).toThrow(
          new Error('directoryHandle is required when fsMode is "nativefs"'),
        );
        const log = vi.spyOn(console, 'error').mockImplementation(() => {});
        const directoryHandle = { kind: 'directory', name: 'd', requestPermission: async () => 'denied' };
        const own = make(undefined, { fsMode: 'nativefs', directoryHandle });
        expect((await own.run('1 + 1')).output).toBe(2);
        expect(log.mock.calls).toStrictEqual([
          ['Failed to mount NativeFS:', new Error('readwrite permission not granted for directory')],
        ]);
        await own.cleanup();
      });
    });

    describe('lifecycle', () => {
      test('the smoke tests of the specification pass', async () => {
        const own = new PyodideExecutor(undefined, {
          ...engine,
          mount: mounts,
          fsMode: 'nodefs',
          workDir: root,
          mountPoint: '/mnt',
        });
        await own.sendVariables({ x: 41 });
        await own.sendTools({}, { add_one: '\ndef add_one(n):\n    return n + 1\n' });
        const normal = await own.run('y = add_one(x)\ny');
        expect(normal).toMatchObject({ is_final_answer: false, output: 42 });
        const final = await own.run('final_answer({"ok": True, "n": 7})');
        expect(final).toMatchObject({ is_final_answer: true, output: { ok: true, n: 7 } });
        const ex = new PyodideExecutor(['math'], { ...engine, mount: mounts });
        expect((await failureOf(ex, 'import os')).message).toMatch(/Import of 'os' is not authorized/);
        await ex.cleanup();
        await own.cleanup();
      });

      test('an executor can be cleaned up and reused, with the right states', async () => {
        const own = make();
        expect(own.state).toBe('NEW');
        await own.cleanup();
        await Promise.all([own.init(), own.init()]);
        expect(own.state).toBe('READY');
        await own.run('a = 1');
        await own.cleanup();
        expect(own.state).toBe('DEAD');
        expect((await failureOf(own, 'a')).code).toBe('ERR_RUNTIME_EXCEPTION');
        expect(own.state).toBe('READY');
        await own.cleanup();
      });

      test('the steps of an agent can be repeated', async () => {
        for (let step = 1; step <= 3; step++) {
          await executor.sendVariables({ step });
          await executor.sendTools({}, { double: 'def double(n):\n    return n * 2' });
          expect(await output('double(step)')).toBe(step * 2);
        }
      });

      whenFast('sessions have distinct numbers', async () => {
        const own = make();
        const code = 'import random\nrandom.random()';
        const [{ output: first }, second] = [await own.run(code), await output(code)];
        expect(first).not.toBe(second);
        await own.cleanup();
      });
    });
  });
}
