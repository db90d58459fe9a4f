# Errors


class _Failure(RuntimeError):
    """Raised by a run that failed: the message of the specification, a code, and details."""

    def __init__(self, message, code, details):
        super().__init__(message)
        self.code = code
        self.details = details


_Failure.__name__ = _Failure.__qualname__ = "RuntimeError"

# Guest classes can define attributes with any name. Reports of exceptions are therefore read from the places where
# CPython stores the data. The only guest code that is called is the code that makes the messages.
_plain_text = str.__str__
_name_of_class = type.__dict__["__name__"].__get__
_names_of_class = type.__dict__["__dict__"].__get__
_bases_of_class = type.__dict__["__mro__"].__get__
_DICT_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_args_of = BaseException.args.__get__
_traceback_of = BaseException.__traceback__.__get__
_cause_of = BaseException.__cause__.__get__
_context_of = BaseException.__context__.__get__
_own_of = BaseException.__dict__["__dict__"].__get__
_has_no_context = BaseException.__suppress_context__.__get__
_members_of = BaseExceptionGroup.exceptions.__get__

# Characters of a message, of messages of inner errors and notes, and of a quoted line.
_MAX_CHARS = 5_000
_MAX_INNER_CHARS = 500
_MAX_LINE_CHARS = 500
# The number of inner errors and notes, and of names that are compared.
_MAX_INNER = 10
_MAX_NAMES = 1_000


def _is(error, kind):
    return issubclass(type(error), kind)


_NO_REASON = " returned NULL without setting an exception"


def _lacks_memory(error):
    """Whether `error` is due to a lack of memory. Includes C functions that fail without an exception:
    `collections.deque(range(10**9))`."""
    if type(error) is SystemError:
        return [arg for arg in _args_of(error) if type(arg) is str and arg.endswith(_NO_REASON)] != []
    return _is(error, MemoryError)


def _lack_is_real(error):
    """Whether C code ran out of memory. False if Python code has raised the error."""
    step = _traceback_of(error)
    last = None
    while step is not None:
        code = step.tb_frame.f_code.co_code
        last = code[step.tb_lasti] if 0 <= step.tb_lasti < len(code) else None
        if last == _RAISE:
            return False
        step = step.tb_next
    return last not in _PASSING_ON


# Opcodes that raise an exception of the code, and opcodes that pass on an exception of other code.
_RAISE = opcode.opmap["RAISE_VARARGS"]
_PASSING_ON = {opcode.opmap[name] for name in ("SEND", "YIELD_VALUE", "RESUME", "RETURN_GENERATOR")}
# More bytes than C can address.
_TOO_MANY_BYTES = sys.maxsize - 1024


def _show_lack():
    """Makes the host see that memory has run out. The host believes the report only then, because C code refuses large sizes
    without requesting them."""
    try:
        bytearray(_TOO_MANY_BYTES)
    except MemoryError:
        pass


def _known_tool_text(error):
    """The text of a tool's failure as the tool gave it, regardless of changes to the error by guest code; `None` for other
    errors."""
    kind, known = _known_of(error)
    if kind != "ERR_TOOL_PROXY_FAIL":
        return None
    return known["message"] if known["name"] == "Error" else f"{known['name']}: {known['message']}"


def _name_of(error):
    if type(error) in _TOOL_ERRORS:
        return "ToolError"
    return _plain_text(_name_of_class(type(error)))


def __smolagents_format_syntax_error(error):
    """The message for code that cannot be parsed, with a mark under the column."""
    head = f"{type(error).__name__}: {error.msg}"
    if error.lineno is None:
        return head
    text = (error.text or "").rstrip("\n")[:_MAX_LINE_CHARS]
    column = min(max(error.offset or 1, 1), _MAX_LINE_CHARS)
    return f"{head}\nCode parsing failed at line {error.lineno}:\n{text}\n{' ' * (column - 1)}^"


def __smolagents_format_runtime_error(error, code):
    """The message for an exception, with the line of the code where it was raised."""
    step = _step_of(error, None)
    text = _error_text(error) + _suggestion(error, code, step)
    return text + _line_text(code, step and step.tb_lineno, "\nCode execution failed at line")


def _error_text(error, most=_MAX_CHARS):
    name, message = _name_of(error), _message_of(error, most)
    return f"{name}: {message}" if message else name


_ADVICE = (
    # Pyodide's advice, as it appears in the text of a KeyError. Guest code cannot follow it.
    (
        KeyError,
        r". \n On Pyodide you must do pyodide.loadPackage('tzdata') package before you use zoneinfo.",
        ". The host has to add the package tzdata to the executor's `packages`.",
    ),
    (RuntimeError, "can't start new thread", "can't start new thread: there are no threads here; call the function directly"),
    (OSError, "Host is unreachable", "Host is unreachable: there is no network here"),
    (
        ModuleNotFoundError,
        "No module named '_multiprocessing'",
        "No module named '_multiprocessing': there are no other processes here; call the function directly",
    ),
    (
        NotImplementedError,
        "This Python build lacks multiprocessing.synchronize, usually due to named semaphores being unavailable on this platform.",
        "there are no other processes here: use ThreadPoolExecutor, or call the function directly",
    ),
)
_NO_NETWORK = "there is no network here"
# Messages of HTTP libraries without a network, and files of libraries that send requests through a browser.
_NO_NETWORK_TEXTS = ("Host is unreachable", "Name does not resolve", "Name or service not known", "Failed to resolve")
_BROWSER_FILES = ("/urllib3/contrib/emscripten/", "/pyodide/http", "/pyodide_http/")


def _lacks_network(error, message):
    if _is(error, OSError) and any(text in message for text in _NO_NETWORK_TEXTS):
        return True
    step = _traceback_of(error)
    while step is not None:
        if any(part in step.tb_frame.f_code.co_filename for part in _BROWSER_FILES):
            return _is(error, (ImportError, AttributeError, OSError))
        step = step.tb_next
    return False


def _missing_module_text(error, message):
    """Tells what the host must do if a module is allowed but not added."""
    name = ModuleNotFoundError.name.__get__(error)
    package = name.partition(".")[0] if type(name) is str else ""
    if not package or package in _modules or not _is_import_expected(name):
        return message
    if package in _stdlib and not _is_of_distribution(package):
        return message
    return f"No module named '{name}': the host has to add it to the executor's `packages` (ses-executor python add {package})"


def _is_import_expected(name):
    """Whether the module, or a module in it, is allowed. Python looks for the package of an allowed module first."""
    allowed = _run.imports
    return __smolagents_is_import_allowed(name, allowed) or any(each.startswith(f"{name}.") for each in allowed)


def _is_of_distribution(package):
    """Whether a module of the standard library is a separate package in Pyodide, such as `sqlite3`."""
    return package in ("ssl", "sqlite3", "lzma", "_lzma", "_sqlite3", "test", "pydecimal", "_ssl")


# CPython's advice for long integers, and the replacement if `sys` cannot be imported.
_DIGITS_ADVICE = "; use sys.set_int_max_str_digits() to increase the limit"
_OWN_DIGITS_ADVICE = "; hexadecimal has no such limit"


def _message_of(error, most=_MAX_CHARS):
    text = _known_tool_text(error)
    if text is not None:
        return _shortened(text, most)
    if type(error) in (SyntaxError, IndentationError, TabError) and type(error.msg) is str:
        message = error.msg
    else:
        try:
            message = _plain_text(str(error))
        except BaseException as failure:
            return f"<its text cannot be made: {_name_of(failure)}>"
        for kind, advice, own_advice in _ADVICE:
            if _is(error, kind):
                message = message.replace(advice, own_advice)
        if type(error) is ModuleNotFoundError:
            message = _missing_module_text(error, message)
        if _NO_NETWORK not in message and _lacks_network(error, message):
            message = f"{message}: {_NO_NETWORK}"
        if _is(error, ValueError) and not __smolagents_is_import_allowed("sys", _run.imports):
            message = message.replace(_DIGITS_ADVICE, _OWN_DIGITS_ADVICE)
    return _shortened(message, most)


def _shortened(text, most):
    return text if len(text) <= most else f"{text[:most]}... {len(text) - most} more characters"


def _line_text(code, line, intro):
    return "" if line is None else f"{intro} {line}: {_line_of(code, line).strip()[:_MAX_LINE_CHARS]}"


def _line_of(code, line):
    lines = code.split("\n")
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _step_of(error, codes):
    """The innermost step of the traceback in `codes`, or in any guest code."""
    found = None
    step = _traceback_of(error)
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename == FILENAME and (codes is None or code in codes):
            found = step
        step = step.tb_next
    return found


def _span_of(step):
    """The first and last line that a step has executed, and its columns in bytes."""
    for index, span in enumerate(step.tb_frame.f_code.co_positions()):
        if index == step.tb_lasti // 2:
            return span
    return (None,) * 4


def _suggestion(error, code, step):
    """A suggestion of what the code may have meant at a step."""
    try:
        if step is None:
            return ""
        kind = type(error)
        if issubclass(kind, KeyError):
            return _meant_keys(error, code, step)
        if issubclass(kind, TypeError):
            return _absent_builtin(error, code, step)
        if issubclass(kind, ImportError):
            missing = ImportError.name_from.__get__(error)
            name = ImportError.name.__get__(error)
            module = _modules.get(name) if type(name) is str else None
            return _meant(missing, _attributes_of(module)) if type(module) is types.ModuleType else ""
        if issubclass(kind, AttributeError):
            missing, owner = AttributeError.name.__get__(error), AttributeError.obj.__get__(error)
            keys = _keys_like(missing, owner)
            return f". Did you mean: '{keys[0]}'?" if keys else _meant(missing, _attributes_of(owner))
        if issubclass(kind, NameError) and step is _innermost(error):
            return _meant_names(NameError.name.__get__(error), step.tb_frame)
    except Exception:
        pass
    return ""


def _innermost(error):
    step = _traceback_of(error)
    while step.tb_next is not None:
        step = step.tb_next
    return step


def _meant(missing, names):
    if type(missing) is not str:
        return ""
    found = _suggested([name for name in names if missing.startswith("_") or not name.startswith("_")], missing)
    return f". Did you mean: '{found}'?" if found else ""


def _meant_names(missing, frame):
    if type(missing) is not str:
        return ""
    owner = frame.f_locals.get("self")
    if owner is not None and missing in _attributes_of(owner):
        return f". Did you mean: 'self.{missing}'?"
    usable = [name for name, value in frame.f_builtins.items() if value is not None]
    text = _meant(missing, _names_in((frame.f_locals, frame.f_globals, usable)))
    if missing in _stdlib and __smolagents_is_import_allowed(missing, _run.imports):
        return f"{text or '.'}{' Or did' if text else ' Did'} you forget to import '{missing}'?"
    return text


def _attributes_of(value):
    """The sorted names of a value's attributes that can be found without running guest code."""
    kind = type(value)
    holders = [_names_of_class(base) for base in _bases_of_class(kind)]
    if issubclass(kind, type):
        holders += [_names_of_class(base) for base in _bases_of_class(value)]
    elif issubclass(kind, Data):
        holders.append(dict.keys(value))
    else:
        for names in holders:
            descriptor = names.get("__dict__")
            if type(descriptor) in _DICT_DESCRIPTORS:
                holders.append(dict.keys(descriptor.__get__(value)))
                break
    return _names_in(holders)


def _names_in(holders):
    if sum(map(len, holders)) > _MAX_NAMES:
        return []
    return sorted({name for names in holders for name in names if type(name) is str})


def _meant_keys(error, code, step):
    """Keys of the dictionary that are similar to the missing one."""
    [missing] = _args_of(error) or [None]
    frame, line = step.tb_frame, step.tb_lineno
    scope = {**frame.f_globals, **frame.f_locals}
    for node in ast.walk(_parse(code)):
        if not isinstance(node, ast.Subscript) or not node.lineno <= line <= node.end_lineno:
            continue
        matches = _keys_like(missing, _value_of(node.value, scope))
        if matches:
            return f". Maybe you meant one of these indexes instead: {matches}"
    return ""


def _keys_like(missing, holder):
    if type(holder) not in _DICTS or type(missing) is not str or len(missing) > _MAX_LINE_CHARS:
        return []
    if missing in holder or len(holder) > _MAX_NAMES:
        return []
    return _get_close_matches(missing, [key for key in holder if type(key) is str and len(key) <= _MAX_LINE_CHARS])


def _value_of(node, scope):
    """The value of an expression of names, attributes and subscripts of data. Calls no guest code."""
    if isinstance(node, ast.Name):
        return scope.get(node.id)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        holder = _value_of(node.value, scope)
        return holder[node.slice.value] if type(holder) in (list, tuple, *_DICTS) else None
    if isinstance(node, ast.Attribute):
        holder = _value_of(node.value, scope)
        return holder.get(node.attr) if type(holder) in _DICTS and type(holder) is not dict else None
    return None


def _absent_builtin(error, code, step):
    """The text for a builtin that is not available and that the code called by its name."""
    if [arg for arg in _args_of(error) if type(arg) is str] != ["'NoneType' object is not callable"]:
        return ""
    frame = step.tb_frame
    span = _span_of(step)
    for node in ast.walk(_parse(code)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = node.func.id
        if (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) != span or name not in DANGEROUS_BUILTINS:
            continue
        if name not in frame.f_locals and name not in frame.f_globals and frame.f_builtins.get(name, name) is None:
            return f". `{name}` is not available here"
    return ""


def _utf16_column(code, line, byte_column):
    """The column in UTF-16 units, counted from 1."""
    text = _line_of(code, line)
    if byte_column is None:
        return 1
    before = text.encode("utf-8", "surrogatepass")[:byte_column].decode("utf-8", "replace")
    return len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1


def _failure_of(error, code, codes, place):
    """The report of an exception of the code. `place` is the line and the column in bytes. It is used if no guest code was
    entered."""
    name, message = _name_of(error), _message_of(error)
    details = {"name": name, "message": message}
    if codes is None and _is_of_code(error):
        return _unread(error, code, details)
    step = _step_of(error, codes)
    if step is not None:
        place = (step.tb_lineno, _span_of(step)[2])
    if place is not None:
        details |= {"line": place[0], "column": _utf16_column(code, *place)}
    head = f"{name}: {message}" if message else name
    notes, inner = _notes_of(error), _inner_texts(error, code, codes)
    where = _line_text(code, place and place[0], "\nCode execution failed at line")
    text = "\n".join([head + _suggestion(error, code, step), *notes]) + "\n".join([where, *inner])
    details["traceback"] = "\n".join(["Traceback (most recent call last):", *_frames_of(error), head, *notes, *inner])
    if _lacks_memory(error):
        if _lack_is_real(error):
            _show_lack()
        return _Failure(text, "ERR_MEMORY_LIMIT_EXCEEDED", details)
    kind, known = _known_of(error)
    if kind is not None:
        return _Failure(text, kind, details | known)
    if type(error) in _TOOL_ERRORS:
        # An error of an earlier run, or a copy. It belongs to the guest, whatever the guest has written into it.
        own = _own_of(error)
        details |= {name: given for name in ("name", "message") if type(given := dict.get(own, name)) is str}
    return _Failure(text, "ERR_RUNTIME_EXCEPTION", details)


def _is_of_code(error):
    """Whether the error is due to code that has not started to run, and not to a deadline or a lack of memory."""
    # The MemoryError of the parser's own limit has a message.
    return isinstance(error, Exception) and not (isinstance(error, MemoryError) and not error.args)


def _unread(error, code, details):
    """The failure of code that did not start to run."""
    rule = "syntax_valid"
    if isinstance(error, SyntaxError):
        _complete_place(error, code)
        text = __smolagents_format_syntax_error(error)
        line, column = error.lineno or 1, max(error.offset or 1, 1)
        byte_column = len(_line_of(code, line)[: column - 1].encode("utf-8", "surrogatepass"))
    elif type(error) is _ForbiddenCall:
        rule = "forbidden_builtin"
        line, byte_column = error.place
        text = _error_text(error) + _line_text(code, line, "\nCode execution failed at line")
    else:
        line, byte_column = 1, 0
        text = _error_text(error)
    location = {"line": line, "column": _utf16_column(code, line, byte_column)}
    finding = {"rule": rule, "severity": "ERROR", "message": details["message"], "location": location}
    return _Failure(text, "ERR_VALIDATION_FAILED", details | location | {"diagnostics": [finding]})


def _complete_place(error, code):
    """Completes a compiler error, which has no text and counts columns in bytes."""
    if error.text is None and error.lineno is not None:
        error.text = _line_of(code, error.lineno)
        before = error.text.encode("utf-8", "surrogatepass")[: max(error.offset or 1, 1) - 1]
        error.offset = len(before.decode("utf-8", "replace")) + 1


def _inner_texts(error, code, codes):
    """The messages of the errors that caused this error, and of those that it contains."""
    texts = []
    told = {id(error)}
    waiting = _inner_of(error, "")
    while waiting:
        intro, indent, inner = waiting.pop()
        if id(inner) in told:
            continue
        if len(told) > _MAX_INNER:
            texts.append(f"{indent}... more errors")
            break
        told.add(id(inner))
        step = _step_of(inner, codes)
        where = _line_text(code, step and step.tb_lineno, " at line")
        texts.append(f"{indent}{intro}{_error_text(inner, _MAX_INNER_CHARS)}{where}")
        texts += [f"{indent}{note}" for note in _notes_of(inner)]
        waiting += _inner_of(inner, indent)
    return texts


def _inner_of(error, indent):
    """The errors directly inside this error. The one to be reported next is the last."""
    inner = []
    if _is(error, BaseExceptionGroup):
        inner += [("- ", f"{indent}  ", member) for member in reversed(_members_of(error)[: _MAX_INNER + 1])]
    cause, context = _cause_of(error), _context_of(error)
    if cause is not None:
        inner.append(("Caused by ", indent, cause))
    elif context is not None and not _has_no_context(error):
        inner.append(("Raised while handling ", indent, context))
    return inner


def _notes_of(error):
    notes = dict.get(_own_of(error), "__notes__")
    if type(notes) is not list:
        return []
    texts = [_plain_text(note)[: _MAX_INNER_CHARS + 1] for note in notes[:_MAX_INNER] if issubclass(type(note), str)]
    text = "\n".join(texts)
    return (text if len(text) <= _MAX_INNER_CHARS else f"{text[:_MAX_INNER_CHARS]}...").split("\n") if texts else []


_MAX_FRAMES = 50


def _frames_of(error):
    """The lines of the traceback that belong to guest code."""
    frames = []
    step = _traceback_of(error)
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename == FILENAME:
            frames.append(f"  line {step.tb_lineno}, in {code.co_name}")
        step = step.tb_next
    if len(frames) > _MAX_FRAMES:
        half = _MAX_FRAMES // 2
        frames[half:-half] = [f"  ... {len(frames) - 2 * half} more ..."]
    return frames
