"""What agent-written Python runs in: imports, limits, tools, values, logs and errors.

Runs once per interpreter, in a namespace of its own; `__main__` gets the names of the specification (section 5.1). Nothing
here keeps a JavaScript object until `connect` is called: the memory of the interpreter may be saved before that.
"""

import ast
import asyncio
import builtins
import collections
import collections.abc
import datetime
import difflib
import importlib.util
import inspect
import io
import json
import os
import sys
import textwrap
import time
import traceback
import types

import __main__

FILENAME = "<smolagents>"
LAST_EXPRESSION = "__smolagents_last_expr__"
AWAITED = "__smolagents_awaited__"
DANGEROUS_BUILTINS = ("eval", "exec", "compile", "open", "input")
FORBIDDEN_CALLS = frozenset(("eval", "exec", "compile"))

# Guest code may replace what modules hold, so what runs need is taken here and now.
_compile = builtins.compile
_eval = builtins.eval
_import = builtins.__import__
_parse = ast.parse
_await_flag = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_encode_json = json.JSONEncoder(default=str).encode
_decode_json = json.JSONDecoder().decode
_get_close_matches = difflib.get_close_matches
_resolve_name = importlib.util.resolve_name
_isawaitable = inspect.isawaitable
_dedent = textwrap.dedent
_exception_only = traceback.format_exception_only
_CodeType = types.CodeType
_monitoring = sys.monitoring
_environ = os.environ
_KeysView, _ValuesView, _ItemsView = collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView
_deque = collections.deque

# Final answers


class FinalAnswerException(BaseException):
    """Ends a run with its final answer. No `Exception`, so that `except Exception` lets it pass."""

    def __init__(self, value=None):
        super().__init__(value)
        self.value = value


def __smolagents_final_answer(value=None, **kwargs):
    """The final answer: `final_answer(value)` or `final_answer(answer=value)`."""
    if kwargs:
        value = kwargs["answer"] if "answer" in kwargs else next(iter(kwargs.values()))
    # The first answer counts, as it is now: what the code still does changes nothing.
    if _run.answer is None:
        _run.answer = (_encode_json(value),)
        if _bridge.final_answer is not None:
            _bridge.final_answer(_run.answer[0])
    raise FinalAnswerException(value)


__smolagents_final_answer.__name__ = __smolagents_final_answer.__qualname__ = "final_answer"

# Imports and builtins

__smolagents_user_globals__ = {"__name__": "__main__"}


def __smolagents_set_user_globals(names):
    """Copies what was set in `__main__` to what guest code sees."""
    shared = __main__.__dict__
    for name in names:
        if name in shared:
            __smolagents_user_globals__[name] = shared[name]


def __smolagents_is_import_allowed(module_name, allowed):
    """Whether an entry is `*`, the module, one of its packages, or a package with `.*`."""
    for entry in allowed:
        if entry == "*":
            return True
        package = entry[:-2] if entry.endswith(".*") else entry
        if module_name == package or module_name.startswith(package + "."):
            return True
    return False


def __smolagents_safe_import_factory(allowed):
    """An `__import__` that imports what is allowed."""

    def safe_import(name, globals=None, locals=None, fromlist=(), level=0):
        full_name = name
        if level > 0:
            package = (globals or {}).get("__package__")
            if package:
                full_name = _resolve_name("." * level + name, package)
        if not __smolagents_is_import_allowed(full_name, allowed):
            error = ImportError(f"Import of '{full_name}' is not authorized", name=full_name)
            error.__smolagents_refused__ = True
            raise error
        return _import(name, globals, locals, fromlist, level)

    return safe_import


def __smolagents_build_safe_builtins(allowed_imports, allowed_dangerous):
    """The builtins of guest code: dangerous ones are `None` unless they are allowed."""
    safe = dict(builtins.__dict__)
    for name in DANGEROUS_BUILTINS:
        if name not in allowed_dangerous:
            safe[name] = None
    safe["__import__"] = __smolagents_safe_import_factory(allowed_imports)
    return safe


# Code


class _Awaits(ast.NodeTransformer):
    """Has `await` take what is no awaitable too: tools give their results at once."""

    def visit_Await(self, node):
        self.generic_visit(node)
        awaited = ast.copy_location(ast.Name(AWAITED, ast.Load()), node.value)
        node.value = ast.copy_location(ast.Call(awaited, [node.value], []), node.value)
        return node


async def _resolved(value):
    return value


def _awaited(value):
    return value if _isawaitable(value) else _resolved(value)


def __smolagents_transform_code(code):
    """The tree of the code, which keeps the value of its last statement, and the lines of its `while` loops."""
    tree = _parse(code, FILENAME, "exec")
    while_lines = set()
    has_await = False
    for node in ast.walk(tree):
        if isinstance(node, ast.While):
            while_lines.add(node.lineno)
        elif isinstance(node, ast.Await):
            has_await = True
    if has_await:
        tree = _Awaits().visit(tree)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        target = ast.copy_location(ast.Name(LAST_EXPRESSION, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    elif isinstance(last, ast.Assign) and len(last.targets) == 1 and isinstance(last.targets[0], ast.Name):
        target = ast.copy_location(ast.Name(LAST_EXPRESSION, ast.Store()), last)
        value = ast.copy_location(ast.Name(last.targets[0].id, ast.Load()), last)
        tree.body.append(ast.copy_location(ast.Assign([target], value), last))
    return tree, while_lines


def __smolagents_check_forbidden_calls(tree, forbidden):
    """Refuses calls of builtins by their names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in forbidden:
            error = RuntimeError(f"Forbidden builtin: {node.func.id}")
            error.__smolagents_place__ = (node.lineno, node.col_offset)
            raise error


# Limits


class _LimitError(RuntimeError):
    """A limit of the run was reached."""

    def __init__(self, message, details):
        super().__init__(message)
        self.details = details


_LimitError.__name__ = _LimitError.__qualname__ = "RuntimeError"


_RESERVE_BYTES = 2 << 20
# Given back when there is no memory left, so that the failure can be told and the next run can let go of what it holds.
_reserve = []


def _keep_reserve():
    if not _reserve:
        try:
            _reserve.append(bytearray(_RESERVE_BYTES))
        except MemoryError:
            pass


class _Run:
    """What is known of the run under way."""

    __slots__ = ("operations", "whiles", "max_operations", "max_whiles", "while_lines", "answer")

    def __init__(self):
        self.begin(0, 0, ())

    def begin(self, max_operations, max_whiles, while_lines):
        self.operations = 0
        self.whiles = 0
        self.max_operations = max_operations
        self.max_whiles = max_whiles
        self.while_lines = while_lines
        self.answer = None

    def end(self):
        # What is still called, by finalizers for example, is no part of a run.
        self.max_operations = self.max_whiles = float("inf")


_run = _Run()


def _on_line(code, line):
    run = _run
    run.operations += 1
    if run.operations > run.max_operations:
        raise _LimitError(
            f"Reached the max number of operations ({run.max_operations})", {"maxOperations": run.max_operations}
        )
    if line in run.while_lines:
        run.whiles += 1
        if run.whiles > run.max_whiles:
            raise _LimitError(
                f"Maximum number of {run.max_whiles} iterations in While loop exceeded",
                {"maxWhileIterations": run.max_whiles},
            )
    if run.answer is not None:
        # Somebody has caught it.
        raise FinalAnswerException()


def _on_jump(code, offset, destination):
    # A loop in one line enters no further line: each way back counts as one.
    if destination <= offset:
        line = _line_at(code, offset)
        if line is not None and line == _line_at(code, destination):
            return _on_line(code, line)
    return _DISABLE


def _line_at(code, offset):
    for start, end, line in code.co_lines():
        if start <= offset < end:
            return line
    return None


_TOOL_ID = 3
_EVENTS = _monitoring.events.LINE | _monitoring.events.JUMP
_DISABLE = _monitoring.DISABLE
_set_local_events = _monitoring.set_local_events
_monitoring.use_tool_id(_TOOL_ID, "ses-executor")
_monitoring.register_callback(_TOOL_ID, _monitoring.events.LINE, _on_line)
_monitoring.register_callback(_TOOL_ID, _monitoring.events.JUMP, _on_jump)


def _guard(code):
    """Counts the lines of this code and of the functions in it, and of no other code."""
    found = [code]
    for each in found:
        _set_local_events(_TOOL_ID, each, _EVENTS)
        found += [constant for constant in each.co_consts if type(constant) is _CodeType]
    return found


# Errors


class _Failure(RuntimeError):
    """What a run that failed raises: the text of the specification, and what else is known."""

    def __init__(self, message, code, details):
        super().__init__(message)
        self.code = code
        self.details = details


_Failure.__name__ = _Failure.__qualname__ = "RuntimeError"


def __smolagents_format_syntax_error(error):
    """Where the code cannot be read, with a mark under the column."""
    head = f"{type(error).__name__}: {error.msg}"
    if error.lineno is None:
        return head
    text = (error.text or "").rstrip("\n")[:_MAX_LINE_CHARS]
    column = min(max(error.offset or 1, 1), _MAX_LINE_CHARS)
    return f"{head}\nCode parsing failed at line {error.lineno}:\n{text}\n{' ' * (column - 1)}^"


def __smolagents_format_runtime_error(error, code):
    """What was raised, and the line of the code that it happened at."""
    place = _place_of(error, None)
    return _runtime_text(error, code, place and place[0])


def _runtime_text(error, code, line):
    text = _error_text(error) + _suggestion(error, code, line)
    if line is None:
        return text
    return f"{text}\nCode execution failed at line {line}: {_line_text(code, line)}"


# Of a message, and of a line that is quoted.
_MAX_CHARS = 5_000
_MAX_LINE_CHARS = 500


def _error_text(error):
    try:
        message = str(error)
    except BaseException as failure:
        message = f"<its text cannot be made: {type(failure).__name__}>"
    if len(message) > _MAX_CHARS:
        message = f"{message[:_MAX_CHARS]}... {len(message) - _MAX_CHARS} more characters"
    name = type(error).__name__
    return f"{name}: {message}" if message else name


def _line_text(code, line):
    lines = code.split("\n")
    return lines[line - 1].strip()[:_MAX_LINE_CHARS] if 0 < line <= len(lines) else ""


def _place_of(error, codes):
    """Line and column, in bytes, of the innermost frame in `codes`, or in any guest code."""
    place = getattr(error, "__smolagents_place__", None)
    step = error.__traceback__
    while step is not None:
        frame = step.tb_frame
        if frame.f_code.co_filename == FILENAME and (codes is None or frame.f_code in codes):
            place = (step.tb_lineno, _column_of(frame.f_code, step.tb_lasti))
        step = step.tb_next
    return place


def _column_of(code, instruction):
    for index, (_, _, column, _) in enumerate(code.co_positions()):
        if index == instruction // 2:
            return column
    return None


def _suggestion(error, code, line):
    """Keys of the dictionary that are like the one that is not there."""
    if not isinstance(error, KeyError) or not error.args or not isinstance(error.args[0], str) or line is None:
        return ""
    missing = error.args[0]
    try:
        scope = _scope_of(error)
        for node in ast.walk(_parse(code)):
            if not isinstance(node, ast.Subscript) or not node.lineno <= line <= node.end_lineno:
                continue
            holder = _value_of(node.value, scope)
            if not isinstance(holder, dict) or missing in holder:
                continue
            matches = _get_close_matches(missing, [key for key in holder if isinstance(key, str)])
            if matches:
                return f". Maybe you meant one of these indexes instead: {matches}"
    except Exception:
        pass
    return ""


def _scope_of(error):
    scope = {}
    step = error.__traceback__
    while step is not None:
        frame = step.tb_frame
        if frame.f_code.co_filename == FILENAME:
            scope = {**frame.f_globals, **frame.f_locals}
        step = step.tb_next
    return scope


def _value_of(node, scope):
    """The value of names, attributes and subscripts of data: nothing of the guest's own is called."""
    if isinstance(node, ast.Name):
        return scope.get(node.id)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        holder = _value_of(node.value, scope)
        return holder[node.slice.value] if type(holder) in (dict, list, tuple, Data) else None
    if isinstance(node, ast.Attribute):
        holder = _value_of(node.value, scope)
        return holder.get(node.attr) if type(holder) is Data else None
    return None


def _utf16_column(code, line, byte_column):
    """From 1, in UTF-16 units."""
    lines = code.split("\n")
    if byte_column is None or not 0 < line <= len(lines):
        return 1
    before = lines[line - 1].encode("utf-8", "surrogatepass")[:byte_column].decode("utf-8", "replace")
    return len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1


def _failure_of(error, code, codes):
    """What is told of an exception of the code."""
    details = {"name": type(error).__name__, "message": _message_of(error)}
    if isinstance(error, SyntaxError) and codes is None:
        line, column = error.lineno or 1, max(error.offset or 1, 1)
        byte_column = len(_line_of(code, line)[: column - 1].encode("utf-8", "surrogatepass"))
        return _Failure(
            __smolagents_format_syntax_error(error),
            "ERR_VALIDATION_FAILED",
            _validation(details, "syntax_valid", code, (line, byte_column)),
        )
    place = _place_of(error, codes)
    line = place[0] if place else None
    text = _runtime_text(error, code, line)
    if codes is None:
        return _Failure(text, "ERR_VALIDATION_FAILED", _validation(details, "forbidden_builtin", code, place))
    if place:
        details |= {"line": line, "column": _utf16_column(code, line, place[1])}
    details["traceback"] = _traceback_text(error)
    if isinstance(error, _LimitError):
        return _Failure(text, "ERR_MAX_OPS_EXCEEDED", details | error.details)
    if isinstance(error, ImportError) and getattr(error, "__smolagents_refused__", False):
        return _Failure(text, "ERR_IMPORT_NOT_ALLOWED", details | {"module": error.name})
    if isinstance(error, MemoryError):
        return _Failure(text, "ERR_MEMORY_LIMIT_EXCEEDED", details)
    if type(error) is ToolError:
        known = {"name": error.name, "message": error.message, "tool": error.tool, "code": error.code}
        if error.is_bridge:
            known["bridge"] = True
        return _Failure(text, "ERR_TOOL_PROXY_FAIL", details | known | {"call": error.call})
    return _Failure(text, "ERR_RUNTIME_EXCEPTION", details)


def _validation(details, rule, code, place):
    line, column = place[0], _utf16_column(code, place[0], place[1])
    location = {"line": line, "column": column}
    finding = {"rule": rule, "severity": "ERROR", "message": details["message"], "location": location}
    return details | location | {"diagnostics": [finding]}


def _message_of(error):
    if isinstance(error, SyntaxError):
        return error.msg
    return _error_text(error).removeprefix(type(error).__name__).removeprefix(": ")


def _line_of(code, line):
    lines = code.split("\n")
    return lines[line - 1] if 0 < line <= len(lines) else ""


_MAX_FRAMES = 50


def _traceback_text(error):
    """The guest's own part of the traceback."""
    frames = []
    step = error.__traceback__
    while step is not None and len(frames) < _MAX_FRAMES:
        code = step.tb_frame.f_code
        if code.co_filename == FILENAME:
            frames.append(f"  line {step.tb_lineno}, in {code.co_name}")
        step = step.tb_next
    return "\n".join(["Traceback (most recent call last):", *frames, _error_text(error)])


# Values


class Data(dict):
    """A dictionary whose keys can be written as attributes: `user["name"]` is `user.name`."""

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            matches = _get_close_matches(name, [key for key in self if isinstance(key, str)])
            hint = f". Did you mean: '{matches[0]}'?" if matches else ""
            raise AttributeError(f"'dict' object has no attribute '{name}'{hint}") from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"'dict' object has no attribute '{name}'") from None

    def copy(self):
        return Data(self)

    def __reduce__(self):
        return (dict, (dict(self),))


Data.__name__ = Data.__qualname__ = "dict"

# Values cross as one flat list, a tape. First the kinds of all containers, a letter each; then for each of them the number of
# its parts and these. A part is itself if it is a text, a number or a boolean. Else it is `None` and what comes next: the number
# of a container, or a letter and the content of what has no parts. So nothing here recurs, and parts may be shared or contain
# themselves. `guest.js` has the other side.
_LIST, _OBJECT, _MAP, _SET = "L", "O", "M", "S"
_NONE, _BYTES, _DATE = "N", "B", "D"
_MAKERS = {_LIST: list, _OBJECT: Data, _MAP: dict, _SET: set}
_PLAIN = frozenset((str, int, float, bool))
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
# Of these modules `str` says all that there is to say.
_TEXTUAL_MODULES = frozenset(("datetime", "decimal", "fractions", "uuid", "pathlib", "pathlib._local", "ipaddress"))


def _decode(tape):
    """The first container of a tape."""
    read = iter(tape).__next__
    kinds = read()
    made = [_MAKERS[kind]() for kind in kinds]
    for kind, container in zip(kinds, made):
        parts = []
        for _ in range(read()):
            part = read()
            parts.append(_special(read, made) if part is None else _plain(part))
        if kind == _LIST:
            container += parts
        elif kind == _SET:
            container.update(map(_hashable, parts))
        else:
            container.update(zip(map(_hashable, parts[::2]), parts[1::2]))
    return made[0]


def _plain(value):
    # A BigInt arrives as a subclass of `int` that JavaScript gets back as one.
    return value if type(value) in _PLAIN else int(value)


def _special(read, made):
    what = read()
    if type(what) is int:
        return made[what]
    if what == _NONE:
        return None
    content = read()
    return bytes(content) if what == _BYTES else _EPOCH + datetime.timedelta(milliseconds=content)


def _hashable(value):
    try:
        hash(value)
        return value
    except TypeError:
        return str(value)


def _encode(root):
    """The tape of a list of values."""
    kinds = []
    body = []
    numbers = {id(root): 0}
    containers = [root]
    # What values are replaced by, which must live as long as their identities count.
    replaced = []
    # Grows meanwhile.
    for container in containers:
        kind, parts = _parts_of(container)
        kinds.append(kind)
        body.append(len(parts))
        for part in parts:
            if type(part) not in _PLAIN:
                part = _data_of(part)
                replaced.append(part)
            if type(part) in _PLAIN:
                body.append(part)
            elif part is None:
                body += (None, _NONE)
            elif type(part) is bytes:
                body += (None, _BYTES, part)
            elif isinstance(part, datetime.datetime):
                body += (None, _DATE, part.timestamp() * 1000)
            else:
                number = numbers.setdefault(id(part), len(containers))
                if number == len(containers):
                    containers.append(part)
                body += (None, number)
    return ["".join(kinds), *body]


def _parts_of(container):
    if isinstance(container, dict):
        keys = [_key_of(key) for key in container]
        if None in keys:
            return _MAP, [part for item in list(container.items()) for part in item]
        return _OBJECT, [part for item in zip(keys, list(container.values())) for part in item]
    return (_SET if isinstance(container, (set, frozenset)) else _LIST), list(container)


def _key_of(key):
    """A key as JSON writes it; `None` if it has no such form."""
    if type(key) is str:
        return key
    if key is None or key is True or key is False:
        return _encode_json(key)
    return str(key) if isinstance(key, (str, int, float)) else None


def _data_of(value):
    """A value as data: a plain one, `None`, bytes, a datetime, or something with parts."""
    if value is None or isinstance(value, (list, tuple, dict, set, frozenset, datetime.datetime)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    for plain in (str, int, float):
        if isinstance(value, plain):
            return plain(value)
    kind = type(value)
    if kind.__module__ in _TEXTUAL_MODULES or kind is complex:
        return str(value)
    if isinstance(value, BaseException):
        return {"name": kind.__name__, "message": str(value)}
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in kind.__dataclass_fields__}
    if hasattr(kind, "tolist"):
        return value.tolist()
    if hasattr(kind, "_value_repr_"):
        return _data_of(value.value)
    if isinstance(value, (range, _KeysView, _ValuesView, _ItemsView, _deque)):
        return list(value)
    raise TypeError(f"a value of type '{kind.__name__}' cannot be given to a tool: give it data, such as a dict or a list")


# Tools


class ToolError(Exception):
    """A tool of the host has failed, or its arguments or result cannot cross."""

    def __init__(self, message="", name="Error", code=None, call=None, is_bridge=False, tool=None):
        super().__init__(message if name == "Error" else f"{name}: {message}")
        self.message = message
        self.name = name
        self.code = code
        self.call = call
        self.is_bridge = is_bridge
        self.tool = tool


class _Bridge:
    """What `connect` is given by `guest.js`."""

    call = call_plain = log = final_answer = sleep = operations = None
    # Whether tools block until they have their result, and this thread may.
    blocks = False


_bridge = _Bridge()


def _tool(name, number):
    def tool(*args, **kwargs):
        if kwargs:
            return _received(name, _bridge.call(number, _encode([*args, kwargs])))
        for arg in args:
            if type(arg) not in _PLAIN:
                return _received(name, _bridge.call(number, _encode(list(args))))
        return _received(name, _bridge.call_plain(number, *args))

    tool.__name__ = name.rpartition(".")[2]
    tool.__qualname__ = name
    return tool


def _received(name, result):
    """What a call gave: a plain value, the tape of another, or the future of either."""
    if type(result) is list:
        if result[0] == "!":
            raise ToolError(*result[1:], tool=name)
        return _decode(result)[0]
    if result is None or type(result) in _PLAIN:
        return result
    if isinstance(result, int):
        return int(result)
    return asyncio.ensure_future(_receive(name, result))


async def _receive(name, promise):
    return _received(name, await promise)


def set_tools(specs):
    """Defines functions by their paths and numbers: `[[["Host", "readDoc"], 7], ...]`, as JSON."""
    tops = {}
    for path, number in _decode_json(specs):
        holder = tops
        for name in path[:-1]:
            inner = holder.setdefault(name, types.SimpleNamespace())
            holder = inner.__dict__
        holder[path[-1]] = _tool(".".join(path), number)
    _define(tops)


def set_variables(names, tape):
    """Defines the values of a tape by their names, which are JSON."""
    _define(dict(zip(_decode_json(names), _decode(tape))))


def _define(values):
    __main__.__dict__.update(values)
    __smolagents_set_user_globals(values)


# Logs


class _Stream(io.TextIOBase):
    """Gives its lines to the host."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, level, prefix):
        self._level = level
        self._prefix = prefix
        # Of the last line, which has not ended.
        self._pieces = []

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if "\n" in text:
            *lines, rest = text.split("\n")
            lines[0] = "".join(self._pieces) + lines[0]
            self._pieces = [rest] if rest else []
            for line in lines:
                _bridge.log(self._level, self._prefix + line)
        elif text:
            self._pieces.append(text)
        return len(text)

    def end_line(self):
        if self._pieces:
            self.write("\n")


_streams = (_Stream(0, ""), _Stream(3, "stderr: "))


# Runs


class _Loop(asyncio.base_events.BaseEventLoop):
    """An event loop for a thread that may block: there are timers, and nothing else ever happens."""

    def __init__(self):
        super().__init__()
        self._selector = self

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("this code waits for something that nothing is left to bring about")
        if timeout > 0:
            time.sleep(timeout)
        return ()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


def _complete(awaitable):
    """The result of an awaitable, on a thread that may block."""
    loop = _Loop()
    asyncio._set_running_loop(None)
    try:
        return loop.run_until_complete(_awaiting(awaitable))
    finally:
        loop.close()


async def _awaiting(awaitable):
    return await awaitable


async def __smolagents_run(code, config):
    """Runs code (specification, appendix B.2): `is_final_answer`, and `value` as JSON. Raises RuntimeError if it fails."""
    allowed_dangerous = config["allowed_dangerous_builtins"]
    scope = __smolagents_user_globals__
    scope["__builtins__"] = __smolagents_build_safe_builtins(config["authorized_imports"], allowed_dangerous)
    scope["final_answer"] = __smolagents_final_answer
    scope[AWAITED] = _awaited
    scope[LAST_EXPRESSION] = None
    codes = None
    try:
        _keep_reserve()
        tree, while_lines = __smolagents_transform_code(code)
        __smolagents_check_forbidden_calls(tree, FORBIDDEN_CALLS.difference(allowed_dangerous))
        compiled = _compile(tree, FILENAME, "exec", _await_flag, dont_inherit=True)
        codes = _guard(compiled)
        _run.begin(config["max_operations"], config["max_while_iterations"], while_lines)
        result = _eval(compiled, scope)
        if _isawaitable(result):
            if _bridge.blocks:
                _complete(result)
            else:
                await result
        if _run.answer is None:
            return {"is_final_answer": False, "value": _last_value(tree, scope)}
    except BaseException as error:
        if isinstance(error, MemoryError):
            _reserve.clear()
        if isinstance(error, FinalAnswerException) and _run.answer is None:
            _run.answer = (_encode_json(error.value),)
        if _run.answer is None:
            raise _failure_of(error, code, codes) from None
    finally:
        _run.end()
        for stream in _streams:
            stream.end_line()
    return {"is_final_answer": True, "value": _run.answer[0]}


def _last_value(tree, scope):
    try:
        return _encode_json(scope.get(LAST_EXPRESSION))
    except Exception as error:
        last = tree.body[-1]
        error.__smolagents_place__ = (last.lineno, last.col_offset)
        raise


# What `guest.js` calls

_config = {}


def configure(config):
    """What runs are given from now on, as JSON: the `config` of `__smolagents_run`, and where files are."""
    _config.update(_decode_json(config))
    _environ["PYODIDE_MOUNT_POINT"] = _config["mount_point"]


async def _outcome(code, max_operations=None):
    try:
        config = _config if max_operations is None else {**_config, "max_operations": int(max_operations)}
        outcome = await __smolagents_run(code, config)
    except _Failure as failure:
        return _failed(failure.code, str(failure), failure.details)
    except BaseException as error:
        _reserve.clear()
        return _failed_outside(error)
    finally:
        if _bridge.operations is not None:
            _bridge.operations(_run.operations)
    return ("f" if outcome["is_final_answer"] else "v") + outcome["value"]


def _failed(code, message, details):
    return "e" + _encode_json({"code": code, "message": message, "details": details})


def _failed_outside(error, **facts):
    """What was raised where no run could say it: there was no memory left, or the code is a tool's."""
    code = "ERR_MEMORY_LIMIT_EXCEEDED" if isinstance(error, MemoryError) else "ERR_RUNTIME_EXCEPTION"
    text = "".join(_exception_only(error)).rstrip()
    return _failed(code, text, {"name": type(error).__name__, "message": _message_of(error), **facts})


def define_tool(name, source):
    """Runs the source of a tool in `__main__` (specification, section 4.3); how that failed, if it did."""
    try:
        _eval(_compile(_dedent(source), f"<{name}>", "exec", dont_inherit=True), __main__.__dict__)
        __smolagents_set_user_globals((name,))
        return None
    except BaseException as error:
        return _failed_outside(error, pythonTool=name)


def run(code, max_operations=None):
    """Runs code on a thread that may block; a letter for how it ended, and JSON."""
    running = _outcome(code, max_operations)
    try:
        running.send(None)
    except StopIteration as done:
        return done.value


run_async = _outcome


def connect(call, call_plain, log, final_answer, sleep, operations, blocks):
    """Takes the functions of the host. Everything that needs one of them works from now on."""
    _bridge.call, _bridge.call_plain, _bridge.log, _bridge.final_answer = call, call_plain, log, final_answer
    _bridge.sleep, _bridge.operations, _bridge.blocks = sleep, operations, blocks
    sys.stdout, sys.stderr = _streams
    if sleep is not None:
        time.sleep = _sleep
    if blocks:
        asyncio.run = _run_coroutine


def _sleep(seconds):
    if not seconds >= 0:
        raise ValueError("sleep length must be non-negative")
    _bridge.sleep(seconds * 1000)


_sleep.__name__ = _sleep.__qualname__ = "sleep"


def _run_coroutine(main, *, debug=None, loop_factory=None):
    return _complete(main)


for _name, _value in list(globals().items()):
    if _name.startswith("__smolagents_") or _name == "FinalAnswerException":
        setattr(__main__, _name, _value)
