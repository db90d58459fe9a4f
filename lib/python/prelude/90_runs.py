# Runs

# The longest chain of tasks that wait for each other.
_MAX_WAITING = 1_000
_ENDS_OF_RUNS = (FinalAnswerException, _LimitError)


class _Loop(asyncio.base_events.BaseEventLoop):
    """An event loop for a thread that may block. It has timers and results of calls, and no other events."""

    def __init__(self):
        super().__init__()
        self._selector = self
        # Tasks that failed with the end of the run.
        self._ended = []
        self._first_task = None
        # Successive rounds in which something was ready.
        self._rounds = 0

    def run_forever(self):
        self._check_running()
        job, _Waiting.job = _Waiting.job, None
        try:
            super().run_forever()
        finally:
            _Waiting.job = job
            # A deadline may interrupt that method before its next round, where its `finally` does not apply.
            if self.is_running():
                self._run_forever_cleanup()

    def run_until_complete(self, future):
        return super().run_until_complete(_awaited(future))

    def run_in_executor(self, executor, func, *args):
        if executor is not None:
            return super().run_in_executor(executor, func, *args)
        # There are no threads.
        self._check_closed()
        return self.create_task(_called(func, *args))

    def create_task(self, coro, **kwargs):
        task = super().create_task(_awaited(coro), **kwargs)
        task.add_done_callback(self._note_end)
        if self._first_task is None or self._first_task.done():
            self._first_task = task
        return task

    def _note_end(self, task):
        if not task.cancelled() and _is(task._exception, _ENDS_OF_RUNS):
            self._ended.append(task)

    def select(self, timeout):
        if timeout != 0:
            self._end_unless_awaited()
        self._rounds = self._rounds + 1 if timeout == 0 else 0
        if _calls and (timeout != 0 or self._rounds % _ROUNDS_WITHOUT_RESULTS == 0):
            _take_result(-1 if timeout is None else timeout * 1000)
        elif timeout is None:
            self._fail_waiting()
        elif timeout > 0:
            time.sleep(timeout)
        return ()

    def _fail_waiting(self):
        """Called if nothing will ever happen. The first task fails where it waits, so that the failure has the line of its
        code."""
        error = RuntimeError(_NOTHING_LEFT)
        waited = self._first_task
        # Tasks may wait for each other.
        for _ in range(_MAX_WAITING):
            if not _is(waited, asyncio.Task):
                break
            waited = waited._fut_waiter
        if not _is(waited, asyncio.Future) or waited.done():
            raise error
        waited.set_exception(error)

    def _end_unless_awaited(self):
        """Raises the exception of a task that the end of the run has ended and that nothing awaits. Otherwise the run would go
        on waiting."""
        ended, self._ended = self._ended, []
        for task in ended:
            if task._log_traceback:
                raise task.exception()

    def call_exception_handler(self, context):
        # The end of a run is reported in another way.
        if not _is(context.get("exception"), _ENDS_OF_RUNS):
            super().call_exception_handler(context)

    async def create_connection(self, *args, **kwargs):
        raise OSError(_NO_NETWORK)

    create_server = create_datagram_endpoint = create_connection

    async def subprocess_exec(self, *args, **kwargs):
        raise OSError("there are no other processes here")

    subprocess_shell = subprocess_exec

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


class _LoopPolicy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = _Loop

    def get_event_loop(self):
        if self._local._loop is None:
            self.set_event_loop(self.new_event_loop())
        return self._local._loop


def _use_own_loops():
    """Used on a thread that may block. Pyodide's loop, which is always running, would never do anything there."""
    _set_running_loop(None)
    asyncio.events._set_event_loop_policy(_LoopPolicy())
    asyncio.run = _run_coroutine
    asyncio.to_thread = asyncio.threads.to_thread = _called
    for owner in (concurrent.futures, concurrent.futures.thread):
        owner.ThreadPoolExecutor = _ThreadPoolExecutor
    for owner in (concurrent.futures, concurrent.futures._base):
        owner.as_completed, owner.wait = _as_completed, _wait


def _complete(awaitable):
    """The result of an awaitable, on a thread that may block. Ends the remaining tasks as `asyncio.run` does."""
    loop = _Loop()
    try:
        return loop.run_until_complete(_awaiting(awaitable))
    finally:
        try:
            _cancel_all_tasks(loop)
            # Without this check, a deadline could come between the coroutine and the loop, and Python would warn of the
            # coroutine.
            if loop._asyncgens:
                loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()


async def _awaiting(awaitable):
    return await _awaited(awaitable)


async def __smolagents_run(code, config):
    """Runs code (specification, appendix B.2). Returns `is_final_answer`, and `value` as JSON. Raises RuntimeError if the code
    fails."""
    _run.begin(config["max_operations"], config["max_while_iterations"], config["authorized_imports"])
    allowed_dangerous = config["allowed_dangerous_builtins"]
    scope = __smolagents_user_globals__
    scope["__builtins__"] = __smolagents_build_safe_builtins(config["authorized_imports"], allowed_dangerous)
    scope["final_answer"] = __smolagents_final_answer
    scope[AWAITED] = _awaited
    scope[CALLED], scope[STARTED], scope[STARTING], scope[LEAVING] = _called, _started, _starting, _leaving
    scope[LAST_EXPRESSION] = None
    # Drops the record of warnings: this run gets warnings that earlier runs got for the same lines.
    scope.pop(WARNED, None)
    codes = place = None
    try:
        if _bridge.blocks:
            # A deadline may have interrupted a loop of the last run before it could unregister itself.
            _set_running_loop(None)
        sys.stdout, sys.stderr = _streams
        tree = __smolagents_transform_code(code)
        forbidden = FORBIDDEN_CALLS.difference(allowed_dangerous)
        if _may_name(code, forbidden):
            __smolagents_check_forbidden_calls(tree, forbidden)
        compiled = _compile(tree, FILENAME, "exec", _await_flag, dont_inherit=True)
        if "while" in code:
            compiled = _with_rounds(compiled)
        codes = _guard(compiled)
        _note_text(codes, code)
        _keep_reserve()
        if _bridge.begin is not None:
            _bridge.begin()
        result = _eval(compiled, scope)
        if _isawaitable(result):
            if _bridge.blocks:
                _complete(result)
            else:
                await result
        if _run.answer is None:
            # Raises even if the code has caught the error.
            _run.check()
            if tree.body:
                place = (tree.body[-1].lineno, tree.body[-1].col_offset)
            # Finalizers of the value belong to this run.
            value = _encode_json(scope.pop(LAST_EXPRESSION, None))
            if _run.answer is None:
                _run.check()
    except BaseException as error:
        if _lacks_memory(error):
            _reserve.clear()
        if type(error) is FinalAnswerException and _run.is_open:
            _run.answered(_encode_json(error.value))
        if _run.answer is None:
            raise _failure_of(error if _run.limit is None else _run.limit, code, codes, place) from None
    finally:
        scope.pop(LAST_EXPRESSION, None)
        _take_figures()
        if len(_reserve) < _RESERVE_PARTS:
            # If memory is short, leaves all of it to the host's values and to the next code.
            _reserve.clear()
        _files.flush()
        _calls.clear()
        _waiting_codes.clear()
        _run.end()
        for stream in _streams:
            stream.end_line()
    is_final_answer = _run.answer is not None
    return {"is_final_answer": is_final_answer, "value": _run.answer[0] if is_final_answer else value}
