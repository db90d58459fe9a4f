# Pools of threads, without threads: see `75_parallel.py`

_FutureBase = concurrent.futures.Future
_MAX_WORKERS = 32
_ended_futures = itertools.count()


class _Future(_FutureBase):
    """The future of a job. Code that waits for it receives results of calls in the meantime."""

    def __init__(self):
        super().__init__()
        # The position in the order in which futures finished.
        self._ended = None
        # Ended when the future is: code of other jobs and of coroutines awaits them.
        self._waiting = []
        self.add_done_callback(_note_end_of)

    def result(self, timeout=None):
        _take_results_until(self.done, timeout)
        return super().result(0)

    def exception(self, timeout=None):
        _take_results_until(self.done, timeout)
        return super().exception(0)


def _note_end_of(future):
    future._ended = next(_ended_futures)
    if future.cancelled():
        _end_waiting(future)


def _end_waiting(owner):
    waiting, owner._waiting = owner._waiting, []
    for call in waiting:
        call._end(None, None)


async def _ended(futures):
    """Waits for futures of pools as for calls, so that other jobs run in the meantime."""
    for each in futures:
        if type(each) is _Future and not each.done():
            await _end_of(each)


async def _end_of(owner):
    call = _Call("a job")
    owner._waiting.append(call)
    await call


def _awaited_futures(function, args, kwargs):
    """The futures that this call would block for."""
    if type(function) is types.MethodType:
        waits = function.__func__ in (_Future.result, _Future.exception)
        return [function.__self__] if waits and not args and not kwargs else ()
    # The first future is enough for code that takes them as they complete.
    if function is _wait and len(args) == 1 and not kwargs:
        return [*args[0]]
    return ()


async def _leaving(*owners):
    """Waits for the jobs of pools at the end of a `with` statement, unless the coroutine is closed."""
    for each in owners:
        while type(each) is _ThreadPoolExecutor and each._running > 0 and type(_current_exception()) is not GeneratorExit:
            await _end_of(each)


_current_exception = sys.exception


def _take_results_until(is_enough, timeout):
    until = None if timeout is None else time.monotonic() + timeout
    while not is_enough():
        if not _calls:
            raise RuntimeError(_NOTHING_LEFT)
        left = -1 if until is None else max(0, until - time.monotonic()) * 1000
        if not _take_result(left) and left == 0:
            raise TimeoutError()


class _Job:
    """A function that a pool runs until it waits for a call. When the call has its result, the pool continues it."""

    def __init__(self, pool, future, function, args, kwargs):
        self._pool = pool
        self._future = future
        self._begins = (function, args, kwargs)
        self._coroutine = None

    def begin(self):
        if not self._future.set_running_or_notify_cancel():
            self._pool._end_job()
            return
        function, args, kwargs = self._begins
        self._coroutine = _called(function, *args, **kwargs)
        self.go_on()

    def go_on(self):
        outer, _Waiting.job = _Waiting.job, self
        try:
            call = self._coroutine.send(None)
        except StopIteration as done:
            self._end(self._future.set_result, done.value)
        except Exception as error:
            if _is(error, _ENDS_OF_RUNS):
                self._pool._running -= 1
                raise
            self._end(self._future.set_exception, error)
        except BaseException:
            self._pool._running -= 1
            raise
        else:
            call._callbacks.append(self.go_on)
        finally:
            _Waiting.job = outer

    def _end(self, tell, outcome):
        # The callbacks of a future do not belong to the job.
        _Waiting.job = None
        tell(outcome)
        self._pool._end_job()
        _end_waiting(self._future)


class _ThreadPoolExecutor(concurrent.futures.Executor):
    """Runs functions one after the other. Functions that wait for tools wait at the same time."""

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        if initializer is not None:
            initializer(*initargs)
        self._max_workers = max_workers or _MAX_WORKERS
        self._jobs = collections.deque()
        self._running = 0
        self._is_beginning = self._is_shut_down = False
        self._waiting = []
        # Futures that `map` submits.
        self._noted = None

    def submit(self, fn, /, *args, **kwargs):
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = _Future()
        if self._noted is not None:
            self._noted.append(future)
        self._jobs.append(_Job(self, future, fn, args, kwargs))
        self._begin_jobs()
        return future

    def map(self, *args, **kwargs):
        return super().map(*args, **kwargs)

    def _mapped(self, *args, **kwargs):
        """The results of `map`, and the futures that have them; none if the code limits the time."""
        outer, self._noted = self._noted, []
        try:
            return self.map(*args, **kwargs), [] if kwargs.get("timeout") is not None else self._noted
        finally:
            self._noted = outer

    def _begin_jobs(self):
        if self._is_beginning:
            return
        self._is_beginning = True
        try:
            while self._jobs and self._running < self._max_workers:
                self._running += 1
                self._jobs.popleft().begin()
        finally:
            self._is_beginning = False

    def _end_job(self):
        self._running -= 1
        self._begin_jobs()
        if self._running == 0:
            _end_waiting(self)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._is_shut_down = True
        if cancel_futures:
            for job in self._jobs:
                job._future.cancel()
        if wait:
            _take_results_until(lambda: self._running == 0, None)


_ThreadPoolExecutor.__name__ = _ThreadPoolExecutor.__qualname__ = "ThreadPoolExecutor"
_ThreadPoolExecutor.__module__ = "concurrent.futures.thread"


def _as_completed(fs, timeout=None):
    """Yields futures in the order in which they finish."""
    until = None if timeout is None else time.monotonic() + timeout
    left = set(fs)
    while left:
        done = sorted((each for each in left if each.done()), key=lambda future: future._ended or 0)
        if not done:
            rest = None if until is None else max(0, until - time.monotonic())
            try:
                _take_results_until(lambda: any(each.done() for each in left), rest)
            except TimeoutError:
                raise TimeoutError(f"{len(left)} (of {len(set(fs))}) futures unfinished") from None
            continue
        left.remove(done[0])
        yield done[0]


def _wait(fs, timeout=None, return_when=concurrent.futures.ALL_COMPLETED):
    """Waits for all futures, for the first that is done, or for the first that fails."""
    fs = set(fs)

    def is_enough():
        done = [each for each in fs if each.done()]
        if len(done) == len(fs):
            return True
        if return_when == concurrent.futures.FIRST_COMPLETED:
            return done != []
        failed = [each for each in done if not each.cancelled() and each._exception is not None]
        return return_when == concurrent.futures.FIRST_EXCEPTION and failed != []

    try:
        _take_results_until(is_enough, timeout)
    except TimeoutError:
        pass
    done = {each for each in fs if each.done()}
    return concurrent.futures._base.DoneAndNotDoneFutures(done, fs - done)


for _name, _function in (("as_completed", _as_completed), ("wait", _wait)):
    _function.__name__ = _function.__qualname__ = _name
