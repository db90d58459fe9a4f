# Tools


class ToolError(Exception):
    """A tool of the host has failed, or its arguments or result cannot cross. `errors` is a list of further errors."""

    status = data = errors = None

    def __init__(self, message="", name="Error", code=None, call=None, is_bridge=False, tool=None):
        super().__init__(message if name == "Error" else f"{name}: {message}")
        self.message = message
        self.name = name
        self.code = code
        self.call = call
        self.is_bridge = is_bridge
        self.tool = tool


class ToolErrorGroup(ToolError, ExceptionGroup):
    """A tool of the host has failed with several errors: an `AggregateError`."""

    # The message of a group is read-only, and its string counts the errors.
    message = ""
    __str__ = Exception.__str__

    def __new__(cls, message, name, code, call, is_bridge, tool, errors):
        return ExceptionGroup.__new__(cls, message, errors)

    def __init__(self, message, name, code, call, is_bridge, tool, errors):
        super().__init__(message, name, code, call, is_bridge, tool)


_TOOL_ERRORS = (ToolError, ToolErrorGroup)
# Guest code catches it by its name.
builtins.ToolError = ToolError


class _Bridge:
    """The functions that `guest.js` passes to `connect`."""

    call = call_plain = start = next_reply = reply = log = final_answer = sleep = operations = begin = None
    # Whether calls of tools block until there is a result. The thread may then block.
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
    _tools[tool] = (name, number)
    return tool


def _received(name, result):
    """The result of a call from what arrived: a plain value, the tape of another value, or a promise of either."""
    if type(result) is list:
        if result[0] == "!":
            _end_at_deadline()
            raise _tool_error(name, *result[1:])
        try:
            return _decode(result)[0]
        except _UncrossableError as error:
            raise _tool_error(name, str(error), "TypeError", None, None, True) from None
    if result is None or type(result) in _PLAIN:
        return result
    if isinstance(result, int):
        return int(result)
    return asyncio.ensure_future(_receive(name, result))


async def _receive(name, promise):
    return _received(name, await promise)


def _tool_error(tool, message, name, code, call, is_bridge, details=None):
    if is_bridge and name == "MemoryError":
        _show_lack()
        return MemoryError()
    if is_bridge and code == "ERR_TOOL_CALL_LIMIT_EXCEEDED":
        _run.decided()
    error = _made_error((message, name, code, call, is_bridge, tool), _details_of(details))
    known = {"name": name, "message": message, "tool": tool, "code": code, "call": call}
    _remember(error, "ERR_TOOL_PROXY_FAIL", known | {"bridge": True} if is_bridge else known)
    return error


def _details_of(tape):
    """The `ErrorDetails` of the host; none if Python has no counterpart of a date among them."""
    try:
        return {} if tape is None else _decode(tape)[0]
    except _UncrossableError:
        return {}


def _made_error(about, details):
    """An error of a tool with its details. `about` are the arguments of `ToolError`."""
    errors = [_error_of(part) for part in details["errors"]] if "errors" in details else None
    is_group = "isAggregate" in details and errors
    error = ToolErrorGroup(*about, errors) if is_group else ToolError(*about)
    if errors is not None:
        error.errors = errors
    for name in ("status", "data"):
        if name in details:
            setattr(error, name, details[name])
    if "cause" in details:
        error.__cause__ = _error_of(details["cause"])
    return error


def _error_of(part):
    """The error of a part of details. Any other value becomes the `data` of an error."""
    if len(part) > 1:
        name, message, code, details = part
        return _made_error((message, name, code, None, False, None), details or {})
    error = ToolError(part[0] if type(part[0]) is str else "")
    error.data = part[0]
    return error


def set_tools(specs):
    """Defines tools by their paths and numbers: `[[["Host", "readDoc"], 7], ...]`, as JSON."""
    tops = {}
    for path, number in _decode_json(specs):
        if path == [_REQUEST_TOOL]:
            _Network.tool = _tool("fetch", number)
            continue
        if path == [_PICTURE_TOOL]:
            _Pictures.take = _tool(_PICTURE_TOOL, number)
            continue
        holder = tops
        for name in path[:-1]:
            inner = holder.setdefault(name, types.SimpleNamespace())
            holder = inner.__dict__
        holder[path[-1]] = _tool(".".join(path), number)
    _define(tops)


def set_variables(names, tape):
    """Defines the values of a tape under names, which are JSON. Returns the failure as text, if it failed."""
    names = _decode_json(names)
    try:
        _define(dict(zip(names, _decode(tape, names))))
        return None
    except _UncrossableError as error:
        text = str(error)
        return _failed("ERR_RUNTIME_EXCEPTION", text, {"name": "TypeError", "message": text})


def _define(values):
    __main__.__dict__.update(values)
    __smolagents_set_user_globals(values)
