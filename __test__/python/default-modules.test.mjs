// The modules that code may import by default lead to no other module, and to nothing that opens files: whatever path
// is tried.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { SmolagentsExecutor } from '../../build/adapters/smolagents/index.js';
import { PyodideExecutor } from '../../build/python/index.js';
import { FIRST_START_MS, failureOf } from './suite.mjs';

const WALK = readFileSync(new URL('fixtures/walk.py', import.meta.url), 'utf8');
const WALK_MS = 500_000;

describe('default modules', () => {
  const root = mkdtempSync(join(tmpdir(), 'modules-'));
  /** @type {PyodideExecutor} */
  let executor;
  beforeAll(async () => {
    writeFileSync(join(root, 'x'), 'kept');
    executor = new PyodideExecutor(undefined, { workDir: root, max_operations: 1e9, max_while_iterations: 1e9 });
    await executor.sendVariables({ user: { name: 'Ada' } });
    await executor.sendTools({
      boom: () => {
        throw new Error('boom');
      },
    });
  }, FIRST_START_MS);
  afterAll(async () => {
    await executor.cleanup();
    rmSync(root, { recursive: true });
  });

  test(
    'lead to no forbidden module and to nothing that opens files',
    async () => {
      const own = new PyodideExecutor(undefined, {
        mount: false,
        max_operations: 1e12,
        max_while_iterations: 1e12,
        timeoutMs: WALK_MS,
        memoryLimitMb: 512,
      });
      await own.sendVariables({ user: { name: 'Ada' } });
      await own.sendTools({
        boom: () => {
          throw new Error('boom');
        },
      });
      expect((await own.run(WALK)).output).toStrictEqual([true, []]);
      await own.cleanup();
    },
    WALK_MS + FIRST_START_MS,
  );

  test.each([
    ['random._os', 'import random\nrandom._os.remove("/mnt/x")'],
    ['an import of random._os', 'from random import _os\n_os.remove("/mnt/x")'],
    ['getattr', 'import random\ngetattr(random, "_os").remove("/mnt/x")'],
    ['vars', 'import random\nvars(random)["_os"].remove("/mnt/x")'],
    ['__dict__', 'import random\nrandom.__dict__["_os"].remove("/mnt/x")'],
    ['object.__getattribute__', 'import random\nobject.__getattribute__(random, "_os").remove("/mnt/x")'],
    ['json.codecs', 'import json\njson.codecs.open("/mnt/x", "w")'],
    ['statistics.random._os', 'import statistics\nstatistics.random._os.remove("/mnt/x")'],
    ['collections._sys.modules', 'import collections\ncollections._sys.modules["os"].remove("/mnt/x")'],
    ['a submodule', 'import json.tool\njson.tool.Path("/mnt/x").unlink()'],
    ['a submodule by from', 'from json import tool\ntool.sys.modules["os"].remove("/mnt/x")'],
    ['__globals__', 'import random\nrandom.Random.seed.__globals__["_os"].remove("/mnt/x")'],
    ['__globals__ of a method', 'import json\njson.JSONDecoder().decode.__func__.__globals__["scanner"].re.enum.sys'],
    ['a format', 'import json\nx = "{0.__globals__[codecs]}".format(json.loads)\n1 / (x == "")'],
    [
      'a function of C',
      'import random\nlist(map(getattr, [random.shuffle.__func__], ["__globals__"]))[0]["_os"].remove("/mnt/x")',
    ],
    [
      'a function of a module as a deputy',
      'import collections, random\nclass M:\n    __getitem__ = random.shuffle.__func__.__getattribute__\ncollections.ChainMap(M())["__globals__"]["_os"].remove("/mnt/x")',
    ],
    [
      'the descriptor',
      'import random\nf = random.shuffle.__func__\ntype(f).__dict__["__globals__"].__get__(f)["_os"].remove("/mnt/x")',
    ],
    [
      'code of a function',
      'import random\nf = random.shuffle.__func__\nf.__code__ = (lambda self, x: _os.remove("/mnt/x")).__code__\nrandom.shuffle([])',
    ],
    ['__builtins__', '__builtins__["__import__"]("os").remove("/mnt/x")'],
    ['__builtins__.__loader__', '__builtins__["__loader__"].load_module("posix").remove("/mnt/x")'],
    ['__loader__', '__loader__.load_module("posix").remove("/mnt/x")'],
    ['__spec__', 'import json\njson.__spec__.loader.get_data("/mnt/x")'],
    ['print.__self__', 'print.__self__.open("/mnt/x", "w")'],
    ['math.sqrt.__self__', 'import math\nmath.sqrt.__self__.__loader__.load_module("posix").remove("/mnt/x")'],
    [
      '__subclasses__',
      '[c for c in object.__subclasses__() if c.__name__ == "_wrap_close"][0].__init__.__globals__["remove"]("/mnt/x")',
    ],
    [
      'type.__subclasses__',
      '[c for c in type.__subclasses__(object) if c.__name__ == "FileLoader"][0]("a", "/mnt/x").get_data("/mnt/x")',
    ],
    [
      'frames',
      'import json\ntry: json.loads("x")\nexcept Exception as e:\n    step = e.__traceback__\n    while step.tb_next: step = step.tb_next\n    step.tb_frame.f_globals["codecs"].open("/mnt/x", "w")',
    ],
    [
      'frames that ran the code',
      'try: 1 / 0\nexcept Exception as e:\n    f = e.__traceback__.tb_frame\n    while f.f_back: f = f.f_back\n    f.f_globals["os"].remove("/mnt/x")',
    ],
    ['the closure of an import', '__import__.__closure__[0].cell_contents("os").remove("/mnt/x")'],
    ['final_answer', 'final_answer.__globals__["os"].remove("/mnt/x")'],
    ['globals of a tool', 'boom.__globals__["os"].remove("/mnt/x")'],
    ['license', 'license._Printer__filenames = ["/mnt/x"]\nlicense()'],
    [
      '__subclasses__ by the name of abc',
      'try:\n    __name__ = "abc"\n    [c for c in object.__subclasses__() if c.__name__ == "FileLoader"][0]("a", "/mnt/x").get_data("/mnt/x")\nfinally: __name__ = "__main__"',
    ],
    [
      '__subclasses__ by globals that have the name of abc',
      '[c for c in type(lambda: 0)((lambda: object.__subclasses__()).__code__, {"__name__": "abc", "object": object})() if c.__name__ == "FileLoader"][0]("a", "/mnt/x").get_data("/mnt/x")',
    ],
    ...[
      // What these functions of modules name themselves.
      'collections.namedtuple("P", map(found.append, map(getattr, [frame], ["f_globals"])))',
      'collections.namedtuple("P", map(found.append, map(getattr, [json.loads], ["__builtins__"])))',
      're.RegexFlag.__mro__[1]("P", names=map(found.append, map(getattr, [frame], ["f_globals"])))',
    ].map((attempt) => [
      attempt,
      `import collections, json, re\ntry: json.loads("x")\nexcept Exception as e:\n    step = e.__traceback__\n    while step.tb_next: step = step.tb_next\nframe, found = step.tb_frame, []\ntry: ${attempt}\nexcept Exception: pass\nfound[0]["open"]("/mnt/x", "w") if "open" in found[0] else found[0]["codecs"].open("/mnt/x", "w")`,
    ]),
    [
      'classes of enum',
      'import re\n[E] = [c for c in re.RegexFlag.__mro__ if c.__name__ == "Enum"]\nE._convert_("X", "os", lambda name: name == "remove").remove.value("/mnt/x")',
    ],
    [
      'the name of an alias',
      'class A[T]: pass\na = A[int]\na._name = "sys"\na.__reduce__()[1][0].modules["os"].remove("/mnt/x")',
    ],
    [
      'the name of an alias that is copied',
      'class A[T]: pass\na = A[int]\na._name = "sys"\na.__reduce_ex__(4)[1][0].modules["os"].remove("/mnt/x")',
    ],
    [
      'the builtins of typing',
      'class A[T]: pass\na = A[int]\na._name = "__builtins__"\na.__reduce__()[1][0]["open"]("/mnt/x", "w")',
    ],
    [
      'a reference to a type',
      `class A[T]: pass\nA["__import__('os')"].__args__[0].evaluate(globals={}).remove("/mnt/x")`,
    ],
    [
      'a reference to a type in another module',
      'class A[T]: pass\nr = A["remove"].__args__[0]\nr.__forward_module__ = "os"\nr.evaluate()("/mnt/x")',
    ],
    [
      'the function of a reference',
      `class A[T]: pass\nr = A["__import__('os')"].__args__[0]\nlist(map(type(r).__dict__["evaluate"].__get__(r), []))`,
    ],
    [
      'a name that equals all others',
      'class S(str):\n    __hash__ = str.__hash__\n    def __eq__(self, other): return True\n__import__(S("os")).remove("/mnt/x")',
    ],
    [
      'a name that starts with all others',
      'class S(str):\n    def startswith(self, *_): return True\n__import__(S("os")).remove("/mnt/x")',
    ],
    [
      'a name that lies about its parts',
      'class S(str):\n    __hash__ = str.__hash__\n    def __eq__(self, other): return True\n    def partition(self, _): return ("json", "", "")\n__import__(S("os")).remove("/mnt/x")',
    ],
    [
      'globals that lie about their package',
      'class D(dict):\n    def get(self, *_): return "json"\n__import__("path", D(__package__="os", __name__="os", __path__=[]), None, ["os"], 1).os.remove("/mnt/x")',
    ],
    [
      'a package that lies about its name',
      'class S(str):\n    def rpartition(self, *_): return ("json", "", "")\n    def rsplit(self, *_): return ["json"]\n__import__("path", {"__package__": S("os")}, None, ["os"], 1).os.remove("/mnt/x")',
    ],
    [
      'a level that lies',
      'class L(int):\n    def __gt__(self, other): return False\n    def __le__(self, other): return True\n__import__("json", {"__package__": "os"}, None, ["x"], L(1)).os.remove("/mnt/x")',
    ],
    ['the defaults of a function', 'import json\njson.JSONDecoder.decode.__defaults__ = (None,)\njson.loads("1")'],
    ['inspect', 'import inspect\ninspect.os.remove("/mnt/x")'],
    ['sys.modules', 'import sys\nsys.modules["os"].remove("/mnt/x")'],
  ])('reveal nothing through %s', async (_title, code) => {
    const error = await failureOf(executor, code);
    expect(error.code).toMatch(/^ERR_(RUNTIME_EXCEPTION|IMPORT_NOT_ALLOWED)$/);
    expect([readdirSync(root), readFileSync(join(root, 'x'), 'utf8')]).toStrictEqual([['x'], 'kept']);
  });

  // Cause: help() and warnings show lines of the file that an object names as its source.
  test.each([
    ['help about a module', 'm = type(__import__("json"))("m")\nm.__file__ = "/mnt/lines"\nhelp(m)'],
    ['help about a package', 'm = type(__import__("json"))("m")\nm.__file__, m.__path__ = "/mnt/lines", ["/mnt"]\nhelp(m)'],
    ['help about a function', 'def f(): pass\nf.__code__ = f.__code__.replace(co_filename="/mnt/lines", co_firstlineno=3)\nhelp(f)'],
    ['a warning', 'def f(): return ~True\nf.__code__ = f.__code__.replace(co_filename="/mnt/lines", co_firstlineno=1)\nf()'],
    ['an error in a finalizer', 'class A:\n    def __del__(self): 1 / 0\nA.__del__.__code__ = A.__del__.__code__.replace(co_filename="/mnt/lines", co_firstlineno=1)\nA()\n1'],
    ['a name that lies', 'class S(str):\n    def startswith(self, *_): return True\n    def __contains__(self, _): return False\nm = type(__import__("json"))("m")\nm.__file__ = S("/mnt/lines")\nhelp(m)'],
    ['a path through the library', 'm = type(__import__("json"))("m")\nm.__file__ = "/lib/../mnt/lines"\nhelp(m)'],
    ['a path through packages', 'm = type(__import__("json"))("m")\nm.__file__ = "/packages/../mnt/lines"\nhelp(m)'],
    ['a relative path', 'm = type(__import__("json"))("m")\nm.__file__ = "../../../../../mnt/lines"\nhelp(m)'],
  ])('show no lines of files in %s', async (_title, code) => {
    writeFileSync(join(root, 'lines'), '# line one\n# line two\nx = 3\n');
    const ended = await executor.run(code).catch((error) => error);
    rmSync(join(root, 'lines'));
    expect(`${ended.logs} ${ended.message}`).not.toMatch(/line (?:one|two)/);
  }); // prettier-ignore

  test('still show help about functions of modules', async () => {
    expect((await executor.run('import json\nhelp(json.dumps)')).logs).toContain('Serialize ``obj`` to a JSON formatted ``str``.');
  }); // prettier-ignore

  test.each([
    [
      'names of modules',
      'import random, json.decoder\nfrom collections import abc\n[random.__name__, json.decoder.__name__, isinstance([], abc.Sequence)]',
      ['random', 'json.decoder', true],
    ],
    ['all names', 'from math import *\nfrom random import *\nseed(1)\n[floor(2.5), len(sample([1, 2, 3], 2))]', [2, 2]],
    ['modules inside modules', 'import statistics\nstatistics.random.__name__', 'random'],
    [
      'own functions',
      'x = 1\ndef f(): return x\nf.__globals__["x"] = 5\n[f(), f.__code__.co_name, f.__closure__]',
      [5, 'f', null],
    ],
    ['own closures', 'def f(n):\n    return lambda: n\nf(3).__closure__[0].cell_contents', 3],
    [
      'own frames',
      'def f():\n    a = 1\n    try: 1 / 0\n    except Exception as e: return e.__traceback__.tb_frame.f_locals["a"]\nf()',
      1,
    ],
    [
      'names of classes and enums',
      'import collections, re\nE = [c for c in re.RegexFlag.__mro__ if c.__name__ == "Enum"][0]\n[collections.namedtuple("P", "x").__module__, re.RegexFlag.A.name, E("F", "a b").a.value]',
      ['__main__', 'ASCII', 1],
    ],
    [
      'aliases of own classes',
      'class A[T]: pass\na = A[int]\n[str(a), a.__reduce__()[1][0] is A, A["int"].__args__[0].__forward_arg__]',
      ['__main__.A[int]', true, 'int'],
    ],
    ['own subclasses', 'class A: pass\nclass B(A): pass\n[c.__name__ for c in A.__subclasses__()]', ['B']],
    ['methods of builtins', '[[].append.__self__, "ab".upper.__self__]', [[], 'ab']],
    [
      'classes of collections',
      'import collections\nclass P(collections.namedtuple("P", "x y")): pass\nP(1, 2)._asdict()',
      { x: 1, y: 2 },
    ],
  ])('behave as usual: %s', async (_title, code, expected) => {
    expect((await executor.run(code)).output).toStrictEqual(expected);
  });

  test('are complete if everything may be imported', async () => {
    const own = new PyodideExecutor(['*'], { mount: false });
    const code =
      'import copy, random, inspect, signal, typing\ndef f(x: "int"): pass\n[random._os.__name__, str(inspect.signature(f)), typing.get_type_hints(f)["x"].__name__, signal.Signals.SIGINT.name, str(copy.copy(typing.List[int]))]';
    expect((await own.run(code)).output).toStrictEqual(['os', "(x: 'int')", 'int', 'SIGINT', 'typing.List[int]']);
    await own.cleanup();
  });
});

describe('SmolagentsExecutor for Python', () => {
  const list = { language: 'python', authorized_imports: ['os'] };
  const code = 'import os\nos.path.exists("/mnt")';

  test.each([
    ['mounts nothing by default', {}, false],
    ['mounts a folder on request', { mount: true }, true],
    ['mounts the given folder', { workDir: process.cwd() }, true],
  ])('%s', async (_title, options, expected) => {
    const executor = new SmolagentsExecutor({ ...list, ...options, readOnly: true });
    expect((await executor.run(code)).output).toBe(expected);
    await executor.cleanup();
  });
});
