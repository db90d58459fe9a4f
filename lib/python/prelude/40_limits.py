# Limits


class _LimitError(RuntimeError):
    """A limit of the run was reached."""


_LimitError.__name__ = _LimitError.__qualname__ = "RuntimeError"


# Given back when there is no memory left, so that the failure can be told and the next run can let go of what it holds. In parts, which
# are taken wherever there is room: 2 MiB.
_RESERVE_PARTS = 16
_RESERVE_PART_BYTES = 128 << 10
# Before there is a snapshot: sessions share its pages until somebody needs them.
_reserve = [bytearray(_RESERVE_PART_BYTES) for _ in range(_RESERVE_PARTS)]


def _keep_reserve():
    """When code of the guest is about to run. Where there is less than twice as much, half of it or 1 MiB: that code may need some to
    let go of others."""
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


# Operations that `finally` and `with` have on the way out, once it is known what the run gives.
_LEAVING_OPERATIONS = 1_000


class _Run:
    """What is known of the run under way."""

    __slots__ = ("operations", "bound", "whiles", "max_operations", "max_whiles", "imports", "answer", "is_open", "limit")

    def __init__(self):
        self.begin(0, 0, ())

    def begin(self, max_operations, max_whiles, imports):
        self.operations = 0
        self.whiles = 0
        # The operation after this one is looked at more closely.
        self.bound = self.max_operations = max_operations
        self.max_whiles = max_whiles
        # What it may import.
        self.imports = imports
        self.answer = None
        # Whether its outcome is still to come.
        self.is_open = True
        # The first error of a limit, which the run fails by, whatever code makes of it.
        self.limit = None
        _loops.clear()
        _known_errors.clear()

    def answered(self, answer):
        """Keeps the final answer, as JSON."""
        self.answer = (answer,)
        self.decided()

    def decided(self):
        """What the run gives is known: it has to end."""
        if self.is_open:
            self.is_open = False
            self.bound = self.operations + _LEAVING_OPERATIONS

    def check(self):
        """Raises what limit was reached, if one was."""
        if self.whiles > self.max_whiles:
            text = f"Maximum number of {self.max_whiles} iterations in While loop exceeded"
            self.exceed(text, {"maxWhileIterations": self.max_whiles})
        if self.operations > self.max_operations:
            text = f"Reached the max number of operations ({self.max_operations})"
            self.exceed(text, {"maxOperations": self.max_operations})

    def exceed(self, text, limit):
        error = _LimitError(text)
        _remember(error, "ERR_MAX_OPS_EXCEEDED", limit)
        if self.limit is None:
            self.limit = error
        raise error

    def end(self):
        # What is still called, by finalizers for example, is no part of a run.
        self.is_open = False
        self.limit = None
        self.bound = self.max_operations = self.max_whiles = float("inf")


def _end_at_deadline():
    """Raises the KeyboardInterrupt that is due: CPython looks for one at some instructions only, and at each `repr`."""
    _repr(None)


# Loops of one line, by where the jump back lies in memory: while a run lasts, no other one gets there.
_loops = set()
# What the host knows of errors that it has raised in this run, by their identities: guest code may change an error, copy it, and keep
# it for later runs.
_known_errors = {}
_run = _Run()


def _remember(error, code, known):
    """Has the failure of a run that ends with this error say what is known of it."""
    _known_errors[id(error)] = (_reference_to(error), code, known)


def _known_of(error):
    """The code of this error and what is known of it; `None` twice if nothing is."""
    reference, code, known = _known_errors.get(id(error), (None, None, None))
    return (code, known) if reference is not None and reference() is error else (None, None)


# Called for each line, and for each call of a function in one line, which enters none: attributes of the run are looked up as seldom
# as possible.
def _on_line(code, _):
    run = _run
    run.operations = operations = run.operations + 1
    if operations > run.bound:
        _refuse(run)


def _on_jump(code, offset, destination):
    # A loop in one line enters no further line: each way back counts as one.
    if destination > offset:
        return _DISABLE
    place = id(code) + offset
    if place not in _loops:
        line = _line_at(code, offset)
        if line is None or line != _line_at(code, destination):
            return _DISABLE
        _loops.add(place)
    run = _run
    run.operations = operations = run.operations + 1
    if operations > run.bound:
        # CPython takes what is raised here past the handlers of this code: the next instruction raises it.
        _watch(code, _monitoring.events.INSTRUCTION)


def _on_instruction(code, _):
    _watch(code)
    if _run.operations > _run.bound:
        _refuse(_run)


def _refuse(run):
    run.decided()
    run.check()
    # Somebody has caught the final answer.
    raise FinalAnswerException()


def _round():
    """Counts a round of a `while` loop."""
    run = _run
    run.whiles = whiles = run.whiles + 1
    if whiles > run.max_whiles:
        run.decided()
        run.check()


def _line_at(code, offset):
    for start, end, line in code.co_lines():
        if start <= offset < end:
            return line
    return None


def _is_in_one_line(code):
    """Whether a function has its head and its body in one line."""
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
    """Counts the lines of this code and of the functions in it, and of no other code."""
    if _get_tool(_TOOL_ID) != _TOOL_NAME:
        # Guest code has freed it.
        _free_tool_id(_TOOL_ID)
        _take_tool_id()
    found = [code]
    for each in found:
        _watch(each)
        found += [constant for constant in each.co_consts if type(constant) is _CodeType]
    return found
