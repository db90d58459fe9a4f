# Guards

# Some attributes of built-in types lead from any function, frame or class to every module of the interpreter. Guest
# code can read them only on the guest's own objects. Code of modules can read them everywhere, but must name the
# attribute itself, so that no function of a module can be tricked into reading one.
_globals_of = types.FunctionType.__dict__["__globals__"].__get__
_globals_of_frame = types.FrameType.__dict__["f_globals"].__get__
_code_of_frame = types.FrameType.__dict__["f_code"].__get__
_module_attribute_of = type.__dict__["__module__"].__get__
_subclasses_of = type.__subclasses__
_frame = sys._getframe
_names_of_abc = _names_of_module(abc)
_own_globals = globals()
_main_globals = __main__.__dict__


def _is_guests(scope):
    return scope is __smolagents_user_globals__


def _is_of_module(scope):
    """Whether `scope` is the globals of a module, of the prelude, or of tools in Python."""
    if scope is _own_globals or scope is _main_globals:
        return True
    name = dict.get(scope, "__name__")
    module = dict.get(_modules, name) if type(name) is str else None
    return module is not None and issubclass(type(module), types.ModuleType) and _names_of_module(module) is scope


# The instructions that name an attribute, and the bits of their argument that are not its name.
_NAMING = {"LOAD_ATTR": 1, "LOAD_SUPER_ATTR": 2, "STORE_ATTR": 0, "DELETE_ATTR": 0}
_NAMING = {opcode.opmap[name]: bits for name, bits in _NAMING.items() if name in opcode.opmap}
_CALLING = [opcode.opmap[name] for name in ("CALL", "CALL_KW") if name in opcode.opmap]
_LOAD_CONST, _EXTENDED_ARG = opcode.opmap["LOAD_CONST"], opcode.opmap["EXTENDED_ARG"]


def _argument_at(instructions, at):
    """The argument of an instruction, with the bits that precede it."""
    argument, bits = instructions[at + 1], 8
    while at >= 2 and instructions[at - 2] == _EXTENDED_ARG:
        at -= 2
        argument |= instructions[at + 1] << bits
        bits += 8
    return argument


def _is_naming(reader, name):
    """Whether the current instruction of a frame names the attribute, or calls a function such as `getattr` with the name as a
    constant. It is not enough that the code names it elsewhere: it may be calling a function that guest code has chosen."""
    code, at = _code_of_frame(reader), reader.f_lasti
    instructions = code.co_code
    if not 0 <= at < len(instructions):
        return False
    unnamed_bits = _NAMING.get(instructions[at])
    if unnamed_bits is not None:
        return code.co_names[_argument_at(instructions, at) >> unnamed_bits] == name
    # The name precedes the call, or one more argument is between them.
    return instructions[at] in _CALLING and any(
        instructions[before] == _LOAD_CONST and code.co_consts[_argument_at(instructions, before)] == name
        for before in range(max(at - 4, 0), at, 2)
    )


def _may_read(name):
    """Whether the code that reads a guarded attribute belongs to a module and names the attribute."""
    try:
        # Two functions of the guard lie between this frame and the reader.
        reader = _frame(2)
    except ValueError:
        return False
    scope = _globals_of_frame(reader)
    return not _is_guests(scope) and _is_of_module(scope) and _is_naming(reader, name)


def _guarded(name, original, is_own, absent):
    """A descriptor that replaces `original`. It keeps everything that it needs in closures, which are guarded too."""
    read, write, delete = original.__get__, getattr(original, "__set__", None), getattr(original, "__delete__", None)

    class Guarded:
        __slots__ = ()

        def __get__(self, owner, kind=None):
            if owner is None:
                return self
            value = read(owner, kind)
            return value if is_own(owner, value) or _may_read(name) else absent(owner)

        def __set__(self, owner, value):
            if write is None or not (is_own(owner, value) or _may_read(name)):
                raise AttributeError(f"attribute '{name}' is not writable")
            write(owner, value)

        def __delete__(self, owner):
            if delete is None or not (is_own(owner, None) or _may_read(name)):
                raise AttributeError(f"attribute '{name}' is not writable")
            delete(owner)

    Guarded.__name__ = Guarded.__qualname__ = type(original).__name__
    return Guarded()


def _absent(name):
    def absent(owner):
        raise AttributeError(f"'{type(owner).__name__}' object has no attribute '{name}'", name=name, obj=owner)

    return absent


def _is_own_function(function, _):
    return _is_guests(_globals_of(function))


def _is_own_frame(frame, _):
    return _is_guests(_globals_of_frame(frame))


def _is_no_module(_, value):
    return not issubclass(type(value), types.ModuleType)


class _Subclasses:
    """`__subclasses__` of classes: guest code gets only the guest's classes."""

    __slots__ = ()

    def __get__(self, owner, kind=None):
        if owner is None:
            return self
        if _may_read("__subclasses__") or _is_read_by_abc(owner, _frame(1)):
            return _subclasses_of.__get__(owner, kind)
        return types.MethodType(_own_subclasses, owner)

    def __call__(self, owner):
        return _own_subclasses(owner)


def _is_read_by_abc(owner, reader):
    """Whether the C code of `abc` reads the subclasses of an abstract class."""
    return issubclass(type(owner), abc.ABCMeta) and _globals_of_frame(reader) is _names_of_abc


def _own_subclasses(owner):
    return [kind for kind in _subclasses_of(owner) if _module_attribute_of(kind) == "__main__"]


def _put(kind, name, descriptor):
    """Replaces an attribute of a built-in type."""
    gc.get_referents(kind.__dict__)[0][name] = descriptor
    # Makes CPython discard its cached lookups: it does so whenever this attribute of a class changes.
    abstract = type.__dict__["__abstractmethods__"]
    abstract.__set__(kind, ())
    abstract.__delete__(kind)


# Lines of source files are shown by `help`, by warnings and in tracebacks. Guest code can name any file as a source.
_read_lines = linecache.updatecache
_LIBRARY_PATHS = (f"{os.path.dirname(os.__file__)}/", "/packages/")


def _library_lines(filename, module_globals=None):
    """The lines of a file of Python's library or of a package; none of other files."""
    if type(filename) is not str or not filename.startswith(_LIBRARY_PATHS) or ".." in filename:
        return []
    return _read_lines(filename, module_globals)


linecache.updatecache = _library_lines


def _install_guards():
    function, frame = types.FunctionType, types.FrameType
    for name in ("__globals__", "__builtins__", "__closure__"):
        _put(function, name, _guarded(name, function.__dict__[name], _is_own_function, _absent(name)))
    for name in ("__code__", "__defaults__", "__kwdefaults__"):
        original = function.__dict__[name]
        _put(function, name, _guarded(name, original, _is_own_function, original.__get__))
    for name in ("f_globals", "f_builtins", "f_locals"):
        _put(frame, name, _guarded(name, frame.__dict__[name], _is_own_frame, lambda _: {}))
    builtin = types.BuiltinFunctionType
    _put(builtin, "__self__", _guarded("__self__", builtin.__dict__["__self__"], _is_no_module, _absent("__self__")))
    _put(type, "__subclasses__", _Subclasses())
    # These evaluate text, or take names from any module.
    for kind, name in ((typing.ForwardRef, "evaluate"), (typing.ForwardRef, "_evaluate"), (enum.EnumType, "_convert_")):
        if name in kind.__dict__:
            setattr(kind, name, _guarded(name, kind.__dict__[name], lambda *_: False, _absent(name)))
    typing._GenericAlias.__reduce__ = _sparing_modules(typing._GenericAlias.__reduce__)
    # The operation counter is a tool of `sys.monitoring`. Guest code must not change it.
    for name in ("use_tool_id", "free_tool_id", "clear_tool_id", "set_events", "set_local_events", "register_callback"):
        setattr(_monitoring, name, _sparing(name, getattr(_monitoring, name)))


def _sparing_modules(reduce):
    """`__reduce__` of the aliases of `typing`. It takes the value with the alias's name from that module, and guest code can set
    the name."""

    def __reduce__(self):
        reduced = reduce(self)
        kind = type(reduced[1][0])
        if self._name and not issubclass(kind, (typing._SpecialForm, typing._BaseGenericAlias)):
            raise TypeError(f"cannot pickle {kind.__name__!r} object")
        return reduced

    return __reduce__


def _sparing(name, function):
    def sparing(tool_id, *args):
        tool_id = operator.index(tool_id)
        if tool_id == _TOOL_ID:
            raise ValueError(f"tool {tool_id} counts the operations of runs")
        return function(tool_id, *args)

    sparing.__name__ = sparing.__qualname__ = name
    return sparing
