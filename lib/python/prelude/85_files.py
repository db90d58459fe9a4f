# Files

_open = io.open
_KEEPING = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)


class _Files:
    """Files that code has opened for writing. Their buffers are written at the end of each run, as CPython does when it exits."""

    def __init__(self):
        self._files = weakref.WeakSet()

    # A bound method does not become a method of a guest's class, and neither does the builtin that it replaces.
    def open(self, file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        opened = _open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if type(opened) in _KEEPING and opened.writable():
            self._files.add(opened)
        return opened

    def flush(self):
        # Code may have replaced the output streams.
        self._files.update(stream for stream in (sys.stdout, sys.stderr) if type(stream) in _KEEPING)
        for file in list(self._files):
            try:
                type(file).flush(file)
            except BaseException as error:
                # A failure is reported once. A closed or detached file has no buffer.
                self._files.discard(file)
                if not _is(error, ValueError):
                    _streams[1].write(f"the buffer of an open file could not be written: {_error_text(error)}\n")


_files = _Files()
builtins.open = io.open = _io.open = _files.open
