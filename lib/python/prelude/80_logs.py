# Logs


class _Bytes(io.BufferedIOBase):
    """The `buffer` of a stream."""

    def __init__(self, stream):
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        self._stream.write(self._decode(data))
        return len(data)

    def close(self):
        """Does nothing: the stream outlives the objects that write to it."""


class _Stream(io.TextIOBase):
    """Sends its lines to the host."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, level, prefix):
        self.buffer = _Bytes(self)
        self._level = level
        self._prefix = prefix
        # Parts of the last line, which is not complete yet.
        self._pieces = []

    def writable(self):
        return True

    def reconfigure(self, **_):
        """Does nothing: the stream has no options."""

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


def _warn_unawaited_coroutine(coro):
    """Warns at the line of guest code that dropped the coroutine, or at its definition. Python itself may name a line outside
    of guest code."""
    code, line = coro.cr_code, coro.cr_code.co_firstlineno
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == FILENAME:
            code, line = frame.f_code, frame.f_lineno
            break
        frame = frame.f_back
    told = __smolagents_user_globals__.setdefault(WARNED, {})
    message = f"coroutine '{coro.__qualname__}' was never awaited"
    warnings.warn_explicit(message, RuntimeWarning, code.co_filename, line, registry=told)


warnings._warn_unawaited_coroutine = _warn_unawaited_coroutine
