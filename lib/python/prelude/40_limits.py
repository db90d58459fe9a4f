# Limits


class _LimitError(RuntimeError):
    """The run has reached a limit."""


_LimitError.__name__ = _LimitError.__qualname__ = "RuntimeError"


# Memory that is freed when none is left, so that the failure can be reported and the next run can free its objects. 2
# MiB, in parts that fit wherever there is room.
_RESERVE_PARTS = 16
_RESERVE_PART_BYTES = 128 << 10
# Allocated before the snapshot is made: sessions share its pages until one of them needs the memory.
_reserve = [bytearray(_RESERVE_PART_BYTES) for _ in range(_RESERVE_PARTS)]


def _keep_reserve():
    """Fills the reserve again before guest code runs. If less than twice the reserve is available, takes half of that, but at
    least 1 MiB. Guest code may need some memory to free other memory."""
    if len(_reserve) == _RESERVE_PARTS:
        return
    parts = []
    try:
        while len(parts) < 2 * _RESERVE_PARTS:
            parts.append(bytearray(_RESERVE_PART_BYTES))
    except MemoryError:
        pass
    del parts[max(len(parts), _RESERVE_PARTS) // 2 :]
    _reserve.extend(parts)


# Operations that `finally` and `with` may use after the outcome of the run is decided.
_LEAVING_OPERATIONS = 1_000


class _Run:
    """The state of the current run."""

    __slots__ = ("operations", "bound", "whiles", "max_operations", "max_whiles", "imports", "answer", "is_open", "limit")

    def __init__(self):
        self.begin(0, 0, ())

    def begin(self, max_operations, max_whiles, imports):
        self.operations = 0
        self.whiles = 0
        # The number of operations after which limits are checked in detail.
        self.bound = self.max_operations = max_operations
        self.max_whiles = max_whiles
        # The modules that the run may import.
        self.imports = imports
        self.answer = None
        # Whether the outcome of the run is still undecided.
        self.is_open = True
        # The first limit error. The run fails with it even if the code catches it.
        self.limit = None
        _loops.clear()
        _known_errors.clear()

    def answered(self, answer):
        """Records the final answer, which is JSON."""
        self.answer = (answer,)
        self.decided()

    def decided(self):
        """Records that the outcome is decided: the code must end now."""
        if self.is_open:
            self.is_open = False
            self.bound = self.operations + _LEAVING_OPERATIONS

    def check(self):
        """Raises if a limit was exceeded."""
        if self.whiles > self.max_whiles:
            text = f"Maximum number of {self.max_whiles} iterations in While loop exceeded"
            self.exceed(text, {"maxWhileIterations": self.max_whiles})
        if self.operations > self.max_operations:
            text = f"Reached the max number of operations ({self.max_operations})"
            self.exceed(text, {"maxOperations": self.max_operations})

    def exceed(self, text, limit):
        # Guest code that caught an earlier one may have changed the class.
        error = BaseException.__new__(_LimitError, text)
        _remember(error, "ERR_MAX_OPS_EXCEEDED", limit)
        if self.limit is None:
            self.limit = error
        raise error

    def end(self):
        # Code that is called later, for example by finalizers, does not belong to a run.
        self.is_open = False
        self.limit = None
        self.bound = self.max_operations = self.max_whiles = float("inf")


def _end_at_deadline():
    """Raises a pending KeyboardInterrupt. CPython checks for one only at some instructions, and in each `repr`."""
    _repr(None)


# The code that has last looped in one line, by the offset of the backward jump.
_loops = {}
# What the host knows about the errors that it has raised in this run, by the identities of the errors. Guest code may
# change an error, copy it, and keep it for later runs.
_known_errors = {}
_run = _Run()


def _remember(error, code, known):
    """Records facts about this error for the report of a run that fails with it."""
    _known_errors[id(error)] = (_reference_to(error), code, known)


def _known_of(error):
    """The code of this error and the known facts about it; `None` for both if there are none."""
    reference, code, known = _known_errors.get(id(error), (None, None, None))
    return (code, known) if reference is not None and reference() is error else (None, None)


# Called for each line, and for each call of a function in one line, because such a call enters no line. Attributes of
# the run are accessed as rarely as possible.
def _on_line(code, _):
    run = _run
    run.operations = operations = run.operations + 1
    if operations > run.bound:
        _refuse(run)


def _on_jump(code, offset, destination):
    # A loop in one line enters no further line, so each backward jump counts as one.
    if destination > offset:
        return _DISABLE
    # `id` would cause an audit event at each jump.
    if _loops.get(offset) is not code:
        line = _line_at(code, offset)
        if line is None or line != _line_at(code, destination):
            return _DISABLE
        _loops[offset] = code
    run = _run
    run.operations = operations = run.operations + 1
    if operations > run.bound:
        # An exception raised here would bypass the handlers of this code, so the next instruction raises it.
        _watch(code, _monitoring.events.INSTRUCTION)


def _on_instruction(code, _):
    _watch(code)
    if _run.operations > _run.bound:
        _refuse(_run)


def _refuse(run):
    run.decided()
    run.check()
    # The code has caught the final answer.
    raise FinalAnswerException()


def _round():
    """Counts an iteration of a `while` loop."""
    run = _run
    run.whiles = whiles = run.whiles + 1
    if whiles > run.max_whiles:
        run.decided()
        run.check()


# Calls `_round` for each item. Guest code can find this object, but cannot change it.
_rounds = iter(_round, object())


def _line_at(code, offset):
    for start, end, line in code.co_lines():
        if start <= offset < end:
            return line
    return None


def _is_in_one_line(code):
    """Whether the head and the body of a function are in one line."""
    return code.co_flags & inspect.CO_OPTIMIZED and len({line for _, _, line in code.co_lines()} - {None}) == 1


_TOOL_ID = 3
_EVENTS = _monitoring.events.LINE | _monitoring.events.JUMP
_EVENTS_IN_ONE_LINE = _monitoring.events.PY_START | _monitoring.events.JUMP
_DISABLE = _monitoring.DISABLE
_TOOL_NAME = "ses-executor"
_get_tool, _use_tool_id, _free_tool_id = _monitoring.get_tool, _monitoring.use_tool_id, _monitoring.free_tool_id
_register_callback, _set_local_events = _monitoring.register_callback, _monitoring.set_local_events


def _take_tool_id():
    _use_tool_id(_TOOL_ID, _TOOL_NAME)
    _register_callback(_TOOL_ID, _monitoring.events.LINE, _on_line)
    _register_callback(_TOOL_ID, _monitoring.events.JUMP, _on_jump)
    _register_callback(_TOOL_ID, _monitoring.events.PY_START, _on_line)
    _register_callback(_TOOL_ID, _monitoring.events.INSTRUCTION, _on_instruction)


_take_tool_id()


def _watch(code, more=0):
    _set_local_events(_TOOL_ID, code, (_EVENTS_IN_ONE_LINE if _is_in_one_line(code) else _EVENTS) | more)


def _guard(code):
    """Starts counting lines in this code object and in the functions in it. No other code is counted."""
    if _get_tool(_TOOL_ID) != _TOOL_NAME:
        # Guest code has freed the tool id.
        _free_tool_id(_TOOL_ID)
        _take_tool_id()
    found = [code]
    for each in found:
        _watch(each)
        found += [constant for constant in each.co_consts if type(constant) is _CodeType]
    return found


# Code that guest code makes with `exec` and `eval` is counted. Copies of code, such as those of `replace`, would not be
# counted, and could name any file as their source.
def _on_audit(event, args):
    if event == "exec":
        if _is_not_of_module(_scope_of_caller()):
            _guard(args[0])
    elif event == "code.__new__":
        maker = _scope_of_caller()
        is_copy = args[1] == FILENAME and maker is not _own_globals and maker is not _names_of_types
        if is_copy or _is_not_of_module(maker):
            raise TypeError("code objects cannot be made here")


def _scope_of_caller():
    """The globals of the code that caused an audit event; `None` if C code did so without any frame."""
    try:
        return _globals_of_frame(_frame(2))
    except ValueError:
        return None


def _is_not_of_module(scope):
    return scope is not None and (_is_guests(scope) or not _is_of_module(scope))


_names_of_types = _names_of_module(types)
_make_coroutine_function = types.coroutine


@functools.wraps(_make_coroutine_function)
def _coroutine(func):
    made = _make_coroutine_function(func)
    if type(made) is types.FunctionType and made.__code__.co_filename == FILENAME:
        _guard(made.__code__)
    return made


types.coroutine = _coroutine
sys.addaudithook(_on_audit)
