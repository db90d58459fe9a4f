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
        """It outlives what code writes it through."""


class _Stream(io.TextIOBase):
    """Gives its lines to the host."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, level, prefix):
        self.buffer = _Bytes(self)
        self._level = level
        self._prefix = prefix
        # Of the last line, which has not ended.
        self._pieces = []

    def writable(self):
        return True

    def reconfigure(self, **_):
        """Nothing of it could be otherwise."""

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
