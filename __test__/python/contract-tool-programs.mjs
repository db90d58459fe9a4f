// The programs of the contract's suites of tools in Python: what tools throw and give, how they are defined, and what
// calls back.

import { COUNT_CAUSES, COUNT_ERRORS, showing } from '../contract/suite/tool-error-details.mjs';

/** Calls of tools that throw, in the suite of failures. */
const BOOMS = ['syncBoom()', 'await asyncBoom()', 'await promiseBoom()'];
/** Of tools that throw anything. */
const THROWING = ['sync()', 'await reject()', 'await promise()'];
/** Of tools that give what cannot cross. */
const GIVING = ['give()', 'giveLater()'];

/** @type {(call: string) => [string, string][]} */
const programsOfBoom = (call) => [
  [
    `try { ${call}; } catch (e) {\nreturn [e instanceof Error, e.name, e.message, e.code, e.path, 'cause' in e];\n}`,
    `try:
    ${call}
except Exception as e:
    seen = [True, e.name, e.message, e.code, getattr(e, "path", None), e.__cause__ is not None]
seen`,
  ],
  [`try { ${call}; } catch (e) { throw e; }`, `try:\n    ${call}\nexcept Exception as e:\n    raise e`],
  [
    `let kept; try { ${call}; } catch (e) { kept = e; } await fine(1); throw kept;`,
    `try:\n    ${call}\nexcept Exception as e:\n    kept = e\nawait fine(1)\nraise kept`,
  ],
  [
    `try { ${call}; } catch (e) { e.message = 'changed'; e.name = 'Changed'; throw e; }`,
    `try:
    ${call}
except Exception as e:
    e.message, e.name, e.code, e.call, e.tool, e.is_bridge, e.args = "changed", "Changed", e, 0, "fine", True, ()
    raise e`,
  ],
];

/** @type {(call: string) => [string, string][]} */
const programsOfThrowing = (call) => [
  [
    `try { ${call}; return 'no error'; } catch (e) { return e instanceof Error && typeof e.message === 'string' && typeof e.name === 'string'; }`,
    `try:
    ${call}
    seen = "no error"
except Exception as e:
    seen = type(e.message) is str and type(e.name) is str
seen`,
  ],
];

/** @type {(call: string) => [string, string][]} */
const programsOfGiving = (call) => [
  [
    `try { await ${call}; return 'no error'; } catch (e) { return e instanceof Error; }`,
    `try:\n    await ${call}\n    seen = "no error"\nexcept Exception as e:\n    seen = True\nseen`,
  ],
];

/** @type {(call: string) => [string, string]} */
const programOfDetails = (call) => [
  showing(call),
  `def show(e):
    if e is None: return None
    parts = dict(isAggregate=isinstance(e, ExceptionGroup), name=e.name, message=e.message, code=e.code, status=e.status, data=e.data)
    parts |= dict(cause=show(e.__cause__), errors=e.errors and [show(each) for each in e.errors])
    return {name: part for name, part in parts.items() if part is not None}
try:
    ${call}
except ToolError as error:
    seen = show(error)
seen`,
];

/** @type {[string, string][]} */
export const TOOL_PROGRAMS = [
  // Failures.
  ...BOOMS.flatMap(programsOfBoom),
  ...THROWING.flatMap(programsOfThrowing),
  // Their details.
  ...['sync()', 'await later()', 'await promise()'].map(programOfDetails),
  [
    COUNT_CAUSES,
    `count = 0
try: deep()
except ToolError as error:
    at = error.__cause__
    while at:
        count, at = count + 1, at.__cause__
count`,
  ],
  [
    COUNT_ERRORS,
    'try: wide()\nexcept ToolError as error: last = [len(error.errors), error.exceptions[20].message]\nlast',
  ],
  ["console.log('before');\nreturn asyncBoom();", 'print("before")\nasyncBoom()'],
  ["console.log('before');\nawait Promise.all([fine(1), asyncBoom()]);", 'print("before")\n[fine(1), asyncBoom()]'],
  [
    'try { syncBoom(); } catch {} throw new TypeError("mine");',
    'try: syncBoom()\nexcept Exception: pass\nraise TypeError("mine")',
  ],
  ['await asyncBoom().catch(() => {}); null.x;', 'try: asyncBoom()\nexcept Exception: pass\nNone + 1'],
  [
    'try { syncBoom(); } catch (e) { throw new Error("wrapped", { cause: e }); }',
    'class Error(Exception): pass\ntry: syncBoom()\nexcept Exception as e: raise Error("wrapped") from e',
  ],
  [
    'try { await asyncBoom(); } catch (e) { throw new RangeError(e.message); }',
    'class RangeError(Exception): pass\ntry: await asyncBoom()\nexcept Exception as e: raise RangeError(e.message)',
  ],
  [
    'await Promise.any([asyncBoom(), promiseBoom()])',
    `class AggregateError(ExceptionGroup): pass
errors = []
for boom in (asyncBoom, promiseBoom):
    try: boom()
    except Exception as e: errors.append(e)
raise AggregateError("all", errors)`,
  ],
  ['fine(1).toUpperCase()', 'fine(1)()'],
  [
    'try { syncBoom(); } finally { throw new Error("finally"); }',
    'class Error(Exception): pass\ntry: syncBoom()\nfinally: raise Error("finally")',
  ],
  [
    'throw Object.assign(new Error("forged"), { code: "ERR_TOOL_PROXY_FAIL", tool: "fine" })',
    'class Error(Exception): pass\nerror = Error("forged")\nerror.code, error.tool, error.call = "ERR_TOOL_PROXY_FAIL", "fine", 1\nraise error',
  ],
  [
    'try { syncBoom(); } catch (e) { throw Object.create(e); }',
    'try: syncBoom()\nexcept Exception as e: raise type("ToolError", (type(e),), {})(e.message, e.name, e.code, e.call)',
  ],
  [
    'try { syncBoom(); } catch (e) { throw Object.assign(new Error(e.message), { name: e.name, stack: e.stack, code: e.code }); }',
    'try: syncBoom()\nexcept Exception as e: copy = type(e)(*[getattr(e, name) for name in ("message", "name", "code", "call", "is_bridge", "tool")])\nraise copy',
  ],
  ['let kept; try { syncBoom(); } catch (e) { kept = e; }', 'try: syncBoom()\nexcept Exception as e: kept = e'],
  ['throw kept', 'raise kept'],
  ['try { fail(0); } catch {} fail(1);', 'try: fail(0)\nexcept Exception: pass\nfail(1)'],
  [
    `const texts = [];
const collect = (e) => {
for (const key of Reflect.ownKeys(e)) texts.push(String(key), String(e[key]));
texts.push(String(e), e.stack, String(e.constructor.name));
};
try { syncBoom(); } catch (e) { collect(e); console.log(e); console.error(e); }
try { await asyncBoom(); } catch (e) { collect(e); console.log(e); }
await promiseBoom().catch((e) => { collect(e); console.log(e); });
return texts.join('\\n');`,
    `import sys
texts = []
def collect(e):
    for key in dir(e): texts.extend([key, str(getattr(e, key, None))])
    texts.extend([str(e), repr(e), str(type(e))])
    step = e.__traceback__
    while step is not None:
        frame = step.tb_frame
        texts.extend([frame.f_code.co_filename, str(frame.f_locals)])
        step = step.tb_next
for boom in (syncBoom, asyncBoom, promiseBoom):
    try: boom()
    except Exception as e:
        collect(e)
        print(e, repr(e))
        print(e, file=sys.stderr)
        sys.excepthook(type(e), e, e.__traceback__)
"\\n".join(texts)`,
  ],
  [
    'try { syncBoom(); } catch (e) { console.log(e); console.log("%o", e); console.dir(e); console.trace(e); }',
    'try: syncBoom()\nexcept Exception as e: print(e, repr(e), vars(e))',
  ],
  // What the host gives.
  ...GIVING.flatMap(programsOfGiving),
  ['give().a', 'give().a'],
  ['typeof first', '"here" if "first" in globals() else "undefined"'],
  [
    'try { await give(); } catch (e) { return e instanceof Error && !/\\.mjs|file:/.test(e.stack); }',
    'try: await give()\nexcept Exception as e: seen = ".mjs" not in repr(e) and "file:" not in repr(e)\nseen',
  ],
  ['give(), 1', 'give()\n1'],
  ['[v.a, v.list.length]', '[v.a, len(v.list)]'],
  // How tools are defined. Functions have no lengths, and each call waits.
  ['const kept = a; function through() { return a(); }', 'kept = a\ndef through():\n    return a()'],
  ['[a(), b(), c(), a.length, through()]', '[a(), b(), c(), 2, through()]'],
  ['const p = t(); return [p instanceof Promise, await p];', '[True, t()]'],
  ['[typeof t, t.inner()]', '["function" if callable(t) else "object", t.inner()]'],
  ['[later(), fixed()]', '[later(), fixed()]'],
  // Tools that call back.
  ['[await sync(), await later()]', '[await sync(), await later()]'],
  [
    '[await tools(), await variables(), state(), typeof x]',
    '[await tools(), await variables(), state(), "here" if "x" in globals() else "undefined"]',
  ],
  ['await stop(); mark("after"); for (;;);', 'await stop()\nmark("after")\nwhile True: pass'],
  ['await delegate("double(21)")', 'await delegate("double(21)")'],
];
