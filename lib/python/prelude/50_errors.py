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
    if codes is None and _is_of_code(error):
        return _unread(error, code, details)
    place = _place_of(error, codes)
    line = place[0] if place else None
    text = _runtime_text(error, code, line)
    if place:
        details |= {"line": line, "column": _utf16_column(code, line, place[1])}
    details["traceback"] = _traceback_text(error)
    if isinstance(error, _LimitError):
        return _Failure(text, "ERR_MAX_OPS_EXCEEDED", details | error.details)
    if isinstance(error, ImportError) and getattr(error, "__smolagents_refused__", False):
        return _Failure(text, "ERR_IMPORT_NOT_ALLOWED", details | {"module": error.name})
    if isinstance(error, MemoryError):
        return _Failure(text, "ERR_MEMORY_LIMIT_EXCEEDED", details)
    known = _known_of(error)
    if known is not None:
        return _Failure(text, "ERR_TOOL_PROXY_FAIL", details | known)
    if type(error) is ToolError:
        # One of an earlier run, or a copy: the guest's own, whatever it has written there.
        details |= {name: given for name in ("name", "message") if type(given := getattr(error, name, None)) is str}
    return _Failure(text, "ERR_RUNTIME_EXCEPTION", details)


def _is_of_code(error):
    """Whether code that has not begun to run is the reason, and not a deadline or a lack of memory."""
    # The parser's own limit has a text.
    return isinstance(error, Exception) and not (isinstance(error, MemoryError) and not error.args)


def _unread(error, code, details):
    """The failure of code that nothing has run of."""
    place = getattr(error, "__smolagents_place__", None)
    rule = "syntax_valid" if place is None else "forbidden_builtin"
    if isinstance(error, SyntaxError):
        _complete_place(error, code)
        text = __smolagents_format_syntax_error(error)
        line, column = error.lineno or 1, max(error.offset or 1, 1)
        place = (line, len(_line_of(code, line)[: column - 1].encode("utf-8", "surrogatepass")))
    else:
        text = _runtime_text(error, code, place and place[0])
    line, byte_column = place or (1, 0)
    location = {"line": line, "column": _utf16_column(code, line, byte_column)}
    finding = {"rule": rule, "severity": "ERROR", "message": details["message"], "location": location}
    return _Failure(text, "ERR_VALIDATION_FAILED", details | location | {"diagnostics": [finding]})


def _complete_place(error, code):
    """The compiler has no text, and counts bytes."""
    if error.text is None and error.lineno is not None:
        error.text = _line_of(code, error.lineno)
        before = error.text.encode("utf-8", "surrogatepass")[: max(error.offset or 1, 1) - 1]
        error.offset = len(before.decode("utf-8", "replace")) + 1


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
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename == FILENAME:
            frames.append(f"  line {step.tb_lineno}, in {code.co_name}")
        step = step.tb_next
    if len(frames) > _MAX_FRAMES:
        half = _MAX_FRAMES // 2
        frames[half:-half] = [f"  ... {len(frames) - 2 * half} more ..."]
    return "\n".join(["Traceback (most recent call last):", *frames, _error_text(error)])
