// Programs of guests that look for a way into the host. Each knows what there is to find: the path of a secret file,
// the name of a variable of the environment, the path of a file to leave, and commands that would do so.

import { fileURLToPath } from 'node:url';

import { spawnNode } from '../children/spawn.mjs';

/** Python that reaches JavaScript and then tries `body`, with `js` being its global. */
const withJs = (body) => `import js\n${body}`;
/** JavaScript that reaches for the host, as text of a Python string. */
const HOST_CODE = [
  'process.env.PYTHON_TEST_SECRET',
  'require("fs").writeFileSync(marker, "x")',
  'process.binding("fs")',
  'globalThis.process.mainModule.require("child_process").execSync("id")',
  'import("node:fs")',
  'new Worker("x")',
  'fetch("http://127.0.0.1")',
  'WebAssembly.compile(new Uint8Array(8))',
  'Deno.core.ops',
  'read("/etc/passwd")',
  'readbuffer("/etc/passwd")',
  'load("/etc/passwd")',
];

/** @type {[name: string, program: string][]} */
export const ESCAPES = [
  ['import os', 'import os\nos.system(command)'],
  ['random._os', 'import random\nrandom._os.system(command)'],
  ['random._os.environ', 'import random\ndict(random._os.environ)'],
  ['random._os.popen', 'import random\nrandom._os.popen(command).read()'],
  ['statistics to sys', 'import statistics\nstatistics.sys.modules["os"].system(command)'],
  ['json.codecs.sys.modules', 'import json\njson.codecs.sys.modules["os"].listdir("/")'],
  ['json.codecs to builtins', 'import json\njson.codecs.builtins.open(secret_file).read()'],
  ['collections._sys', 'import collections\ncollections._sys.modules["posix"].open(secret_file, 0)'],
  [
    'subclasses',
    '[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == "_wrap_close"][0].__init__.__globals__["system"](command)',
  ],
  [
    'subclasses to FileIO',
    '[c for c in ().__class__.__base__.__subclasses__() if "FileLoader" in c.__name__][0]("a", secret_file).get_data(secret_file)',
  ],
  ['globals of final_answer', 'final_answer.__globals__["os"].system(command)'],
  [
    'globals of final_answer to the bridge',
    'b = final_answer.__globals__["_bridge"]\nb.call.constructor("return process")().exit(7)',
  ],
  [
    'bridge to its constructor',
    'f = final_answer.__globals__["_bridge"].log\nf.constructor.constructor("return this")().process.exit(7)',
  ],
  [
    'closure of a tool',
    'echo.__closure__[1].cell_contents, echo.__globals__["_bridge"].call_plain.constructor("return process")()',
  ],
  ['print.__self__', 'print.__self__.open(secret_file).read()'],
  ['print.__self__.__import__', 'print.__self__.__import__("os").system(command)'],
  ['builtins of a function', 'def f(): pass\nf.__builtins__["open"](secret_file).read()'],
  [
    'frames',
    'import sys\nf = sys._getframe()\nwhile f.f_back: f = f.f_back\nf.f_globals["__builtins__"]["open"](secret_file).read()',
  ],
  [
    'frames of a traceback',
    'try:\n    1/0\nexcept Exception as e:\n    f = e.__traceback__.tb_frame\n    while f.f_back: f = f.f_back\nstr(f.f_globals)',
  ],
  ['settrace(None)', 'import sys\nsys.settrace(None)\nsys.setprofile(None)\nopen(secret_file).read()'],
  ['monitoring off', 'import sys\nsys.monitoring.free_tool_id(3)\nopen(secret_file).read()'],
  ['subprocess', 'import subprocess\nsubprocess.run(command, shell=True)'],
  ['multiprocessing', 'import multiprocessing\nmultiprocessing.Process(target=print).start()'],
  ['os.fork', 'import os\nos.fork()'],
  ['os.execv', 'import os\nos.execv("/bin/sh", ["sh", "-c", command])'],
  ['os.kill of the host', 'import os\nos.kill(os.getppid(), 9)\nos.kill(host_pid, 9)'],
  ['os.kill of itself', 'import os\nos.kill(os.getpid(), 9)'],
  ['os._exit', 'import os\nos._exit(7)'],
  ['os.abort', 'import os\nos.abort()'],
  ['SystemExit', 'raise SystemExit(7)'],
  ['sys.exit in a thread', 'import threading, sys\nthreading.Thread(target=sys.exit).start()'],
  ['signal', 'import signal, os\nsignal.raise_signal(signal.SIGKILL)'],
  ['faulthandler', 'import faulthandler\nfaulthandler._sigsegv()'],
  ['ctypes.CDLL(None)', 'import ctypes\nctypes.CDLL(None).system(command.encode())'],
  ['ctypes memset', 'import ctypes\nctypes.memset(8, 0, 2**31 - 16)'],
  ['ctypes of a bad address', 'import ctypes\nctypes.string_at(2**32 - 64, 128)'],
  ['ctypes write everywhere', 'import ctypes\nfor at in range(0, 2**24, 4096): ctypes.memset(at, 65, 16)'],
  ['ctypes function pointer', 'import ctypes\nctypes.CFUNCTYPE(ctypes.c_int)(12345)()'],
  ['socket', 'import socket\nsocket.create_connection(("127.0.0.1", host_port), 1)'],
  ['urllib', 'import urllib.request\nurllib.request.urlopen(f"http://127.0.0.1:{host_port}/")'],
  ['files of the host', 'open(secret_file).read()'],
  ['files by a symlink', 'import os\nos.symlink(secret_file, "/tmp/link")\nopen("/tmp/link").read()'],
  ['a symlink out of the mount', 'import os\nos.symlink(secret_file, "/mnt/link")\nopen("/mnt/link").read()'],
  ['a relative symlink out of the mount', 'import os\nos.symlink("../secret", "/mnt/link")\nopen("/mnt/link").read()'],
  ['a hard link out of the mount', 'import os\nos.link(secret_file, "/mnt/link")\nopen("/mnt/link").read()'],
  [
    'a symlink to the parent of the mount',
    'import os\nos.symlink("/mnt/..", "/tmp/up")\nopen("/tmp/up" + secret_file).read()',
  ],
  [
    'a symlink of JavaScript in the mount',
    'import pyodide_js\npyodide_js.FS.symlink(secret_file, "/mnt/link")\nopen("/mnt/link").read()',
  ],
  ['renaming out of the mount', 'import os\nopen("/mnt/a", "w").write("x")\nos.rename("/mnt/a", "/mnt/../" + marker)'],
  ['files by .. of the mount', 'open("/mnt/../secret").read(), open("/mnt/./../mounted/../secret").read()'],
  ['writing over .. of the mount', 'open("/mnt/../marker", "w").write("x")'],
  ['listing over .. of the mount', 'import os\nstr(os.listdir("/mnt/..")) + str(list(os.walk("/mnt")))'],
  [
    'a descriptor of the mount',
    'import os\nfd = os.open("/mnt", os.O_RDONLY)\nos.read(os.open("../secret", os.O_RDONLY, dir_fd=fd), 99)',
  ],
  ['files by /proc', 'open("/proc/self/environ").read()'],
  ['files by ..', 'open("/mnt/../../../../" + secret_file).read()'],
  [
    'writing to the host',
    'import os\nos.makedirs(os.path.dirname(marker), exist_ok=True)\nopen(marker, "w").write("x")',
  ],
  ['environment', 'import os\nos.environ["PYTHON_TEST_SECRET"]'],
  [
    'pyodide_js',
    'import pyodide_js\npyodide_js.FS.mount(pyodide_js.FS.filesystems.NODEFS, {"root": "/"}, "/home")\nopen("/home" + secret_file).read()',
  ],
  ['pyodide_js.loadPackage', 'import pyodide_js\nawait pyodide_js.loadPackage("numpy")'],
  ['pyodide_js internals', 'import pyodide_js\npyodide_js._module.constructor.constructor("return process")().exit(7)'],
  ['micropip', 'import micropip\nawait micropip.install("requests")'],
  ['run_js', 'from pyodide.code import run_js\nrun_js("process.exit(7)")'],
  [
    'run_js of the global',
    'from pyodide.code import run_js\nrun_js("globalThis.constructor.constructor(\'return process\')()")',
  ],
  ['eval_code', 'from pyodide.code import eval_code\neval_code("open(f).read()", {"f": secret_file})'],
  [
    'js prototype pollution',
    withJs(
      'js.Object.prototype.polluted = 1\njs.Array.prototype.push = None\njs.Object.getPrototypeOf(js.Object).call = None',
    ),
  ],
  ['js Reflect', withJs('js.Reflect.construct(js.Function, js.Array.of("return process"))()')],
  ['js constructor', withJs('js.Object.constructor("return this")().process.exit(7)')],
  [
    'js async constructor',
    withJs('js.Object.getPrototypeOf(js.eval("async () => {}")).constructor("return process")()'),
  ],
  ['js setTimeout of text', withJs('js.setTimeout("process.exit(7)", 0)')],
  [
    'js of every name',
    withJs(
      '[getattr(js, name) for name in dir(js) if name in ("process", "require", "module", "Deno", "fetch", "read")]',
    ),
  ],
  ['js dir is closed', withJs('"secrets: " + str([str(getattr(js, name, None)) for name in dir(js)])')],
  ['replaced JSON', withJs('js.JSON.parse = js.eval\n{"a": 1}')],
  ['replaced json.dumps', 'import json\njson.dumps = lambda *a, **k: open(secret_file).read()\n[1]'],
  [
    'replaced JSONEncoder',
    'import json\njson.encoder.JSONEncoder.encode = lambda *a: "x"\njson.JSONEncoder.iterencode = None\n[1]',
  ],
  [
    'a result whose text has effects',
    'class A:\n    def __str__(self):\n        import os\n        os.system(command)\n        return open(secret_file).read()\nA()',
  ],
  [
    '__main__ and the prelude',
    'import __main__\n__main__.__smolagents_run = None\n__main__.__smolagents_prelude__.clear()\n1',
  ],
  ['the prelude is gone', 'final_answer.__globals__.clear()\n1'],
  ['gc to every object', 'import gc\nstr([o for o in gc.get_objects() if "JsProxy" in type(o).__name__])'],
  [
    'JsProxy constructors',
    'import gc\nfor o in gc.get_objects():\n    if "JsProxy" in type(o).__name__:\n        o.constructor.constructor("return process")().exit(7)',
  ],
  [
    'prototype of a result',
    'r = echo({"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}})\nr',
  ],
  ['arguments with getters', withJs('echo(js.Object.create(None))')],
  [
    'pickle',
    'import pickle, os\nclass A:\n    def __reduce__(self):\n        return (os.system, (command,))\npickle.loads(pickle.dumps(A()))',
  ],
  ['code objects', 'def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes([255] * 64))\nf()'],
  ['marshal', 'import marshal\nexec(marshal.loads(bytes(range(256))))'],
  ...HOST_CODE.map((code) => [`js.eval ${code}`, withJs(`marker_ = marker\njs.eval(${JSON.stringify(code)})`)]),
];

/**
 * Runs all of them in a separate process: a program that ends its process would otherwise end the caller, too.
 *
 * @param {'thread' | 'process'} isolation
 * @returns {Promise<{ status: number | null, signal: string | null, stderr: string, report: { name: string, outcome:
 *   string, reached: string[] }[] | undefined }>}
 * `report`: undefined if the process has ended before its end
 */
export async function tryEscapes(isolation) {
  const child = fileURLToPath(new URL('escapes.child.mjs', import.meta.url));
  const env = { PYTHON_TEST_SECRET: 'of the environment' };
  const { status, signal, stdout, stderr } = await spawnNode([child, isolation], { timeoutMs: 220_000, env });
  const isWhole = status === 0 && stdout.startsWith('[');
  return { status, signal, stderr: stderr.slice(0, 2_000), report: isWhole ? JSON.parse(stdout) : undefined };
}
