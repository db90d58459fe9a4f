# Functions that `guest.js` calls

_config = {}
_NO_LIMIT = float("inf")


def configure(config):
    """Sets what later runs are given, as JSON: the `config` of `__smolagents_run`, and the mount point of files."""
    _config.update(_decode_json(config))
    for name in ("max_operations", "max_while_iterations"):
        _config[name] = _limit_of(_config[name])
    _environ["PYODIDE_MOUNT_POINT"] = _config["mount_point"]


def _limit_of(limit):
    """A limit from the host. No limit is infinity, for which JSON has null."""
    return _NO_LIMIT if limit is None or limit == _NO_LIMIT else int(limit)


async def _outcome(code, max_operations=None):
    try:
        config = _config if max_operations is None else {**_config, "max_operations": _limit_of(max_operations)}
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
    """The report of an error outside of a run: no memory was left, or the code belongs to a tool."""
    code = "ERR_MEMORY_LIMIT_EXCEEDED" if _lacks_memory(error) else "ERR_RUNTIME_EXCEPTION"
    text = "".join(_exception_only(error)).rstrip()
    return _failed(code, text, {"name": _name_of(error), "message": _message_of(error), **facts})


def define_tool(name, source):
    """Runs the source of a tool in `__main__` (specification, section 4.3). Returns the failure as text, if it failed."""
    shared = __main__.__dict__
    earlier = shared.pop(name, None)
    try:
        _eval(_compile(_dedent(source), f"<{name}>", "exec", dont_inherit=True), shared)
        if name not in shared:
            raise NameError(f"the source of the tool {name} defines no {name}", name=name)
        __smolagents_set_user_globals((name,))
        return None
    except BaseException as error:
        if earlier is not None:
            shared[name] = earlier
        return _failed_outside(error, pythonTool=name)


def run(code, max_operations=None):
    """Runs code on a thread that may block. Returns a letter for the kind of outcome, followed by JSON."""
    running = _outcome(code, max_operations)
    try:
        running.send(None)
    except StopIteration as done:
        return done.value


run_async = _outcome


def connect(**functions):
    """Takes the functions of the host. Functions that need one of them work only after this call."""
    for name, function in functions.items():
        setattr(_bridge, name, function)
    # Pyodide replaces it when it boots.
    _modules["__main__"] = _user_module
    if _bridge.sleep is not None:
        time.sleep = _sleep
    _take_time_zone()
    if _bridge.blocks:
        _use_own_loops()


def _take_time_zone():
    """Sets the time zone of `time` to that of this process. The process that made the snapshot may have had another one."""
    year = time.localtime().tm_year
    days = [time.localtime(time.mktime((year, month, 1, 0, 0, 0, 0, 0, -1))) for month in (1, 7)]
    standard, summer = sorted(days, key=lambda day: day.tm_gmtoff)
    time.timezone, time.altzone = -standard.tm_gmtoff, -summer.tm_gmtoff
    time.daylight = int(time.timezone != time.altzone)
    time.tzname = (standard.tm_zone, summer.tm_zone)


def _sleep(seconds):
    if not seconds >= 0:
        raise ValueError("sleep length must be non-negative")
    _bridge.sleep(seconds * 1000)
    _end_at_deadline()


_sleep.__name__ = _sleep.__qualname__ = "sleep"


def _run_coroutine(main, *, debug=None, loop_factory=None):
    if isinstance(asyncio._get_running_loop(), _Loop):
        raise RuntimeError("asyncio.run() cannot be called from a running event loop")
    return _complete(main)


for _name, _value in list(globals().items()):
    if _name.startswith("__smolagents_") or _name == "FinalAnswerException":
        setattr(__main__, _name, _value)

_install_guards()
