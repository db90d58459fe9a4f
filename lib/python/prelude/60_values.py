# Values


class Data(dict):
    """A dictionary whose keys can be written as attributes: `user["name"]` is `user.name`."""

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"'dict' object has no attribute '{name}'") from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"'dict' object has no attribute '{name}'") from None

    def __copy__(self):
        return type(self)(self)

    copy = __copy__

    def __deepcopy__(self, memo):
        made = memo[id(self)] = type(self)()
        for key, value in self.items():
            made[_deepcopy(key, memo)] = _deepcopy(value, memo)
        return made

    def __reduce__(self):
        return (dict, (), None, None, iter(self.items()))


class _Member(Data):
    """A dictionary that is a key or a member of a set. It is hashed by its identity there, as on the host."""

    __slots__ = ()
    __hash__ = object.__hash__


for _kind in (Data, _Member):
    _kind.__name__ = _kind.__qualname__ = "dict"
    _kind.__module__ = "builtins"
_DICTS = (dict, Data, _Member)


class _UncrossableError(TypeError):
    """A value of the host that has no counterpart in Python."""


# Values cross as one flat list, a tape. It begins with the kinds of all containers, one letter each. Then each
# container follows: the number of its parts, and the parts. Strings, numbers and booleans stand for themselves. Any
# other part is `None`, followed by the number of a container, or by a letter and the content of a value without parts.
# This needs no recursion, and parts may be shared or contain themselves. `guest.js` has the other side.
_LIST, _OBJECT, _MAP, _SET = "L", "O", "M", "S"
_NONE, _BYTES, _DATE = "N", "B", "D"
_MAKERS = {_LIST: list, _OBJECT: Data, _MAP: dict, _SET: set}
_PLAIN = frozenset((str, int, float, bool))
# Conversions from the guest's subclasses to plain values. They ignore texts that a subclass makes of itself.
_PLAIN_OF = ((str, str.__str__), (int, int.__int__), (float, float.__float__))
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
# `str` says everything about values of these modules.
_TEXTUAL_MODULES = frozenset(("datetime", "decimal", "fractions", "uuid", "pathlib", "pathlib._local", "ipaddress"))


def _decode(tape, names=None):
    """The first container of a tape, which holds variables of these names, or the result of a tool."""
    read = iter(tape).__next__
    kinds = read()
    made = [_MAKERS[kind]() for kind in kinds]
    # Containers whose parts are hashed are filled last. By their identities, with their numbers.
    hashed = {}
    for number, (kind, container) in enumerate(zip(kinds, made)):
        parts = []
        try:
            for _ in range(read()):
                part = read()
                parts.append(_special(read, made) if part is None else _plain(part))
        except OverflowError:
            path = _path_to(tape, names, number, len(parts))
            raise _UncrossableError(f"{path} (Date outside of the years 1 to 9999) cannot be given to Python") from None
        if kind == _LIST:
            container += parts
        elif kind == _OBJECT:
            container.update(zip(parts[::2], parts[1::2]))
        else:
            hashed[id(container)] = (number, container, parts)
    frozen = {}
    for number, container, parts in hashed.values():
        is_set = type(container) is set
        try:
            keys = [_frozen(key, hashed, frozen) for key in (parts if is_set else parts[::2])]
            container.update(keys if is_set else zip(keys, parts[1::2]))
            reason = f"two of its {'members' if is_set else 'keys'} would be equal" if len(container) < len(keys) else None
        except (TypeError, RecursionError):
            reason = f"one of its {'members' if is_set else 'keys'} cannot be hashed"
        if reason is not None:
            path = _path_to(tape, names, number)
            raise _UncrossableError(f"{path} ({'Set' if is_set else 'Map'}) cannot be given to Python: {reason}")
    return made[0]


def _frozen(value, hashed, frozen):
    """The hashable counterpart of a value: a list becomes a tuple."""
    kind = type(value)
    if kind is Data:
        object.__setattr__(value, "__class__", _Member)
    if kind is not list and kind is not set:
        return value
    made = frozen.get(id(value))
    if made is None:
        parts = value if kind is list else hashed[id(value)][2]
        made = (tuple if kind is list else frozenset)([_frozen(part, hashed, frozen) for part in parts])
        frozen[id(value)] = made
    return made


def _path_to(tape, names, number, at=None):
    """The host's name of a container of the tape, or of one of its parts."""
    read = iter(tape).__next__
    kinds = read()
    # The first place of each container. Every other place is in a container with the same or a higher number.
    origins = {}
    for holder in range(number + 1):
        key = None
        for index in range(read()):
            part = read()
            step = (holder, index, key)
            key = part
            if holder == number and index == at:
                origins[None] = step
            if part is None:
                what = read()
                if type(what) is int:
                    origins.setdefault(what, step)
                elif what != _NONE:
                    read()
    steps = []
    place = number if at is None else None
    while place != 0:
        place, index, key = origins[place]
        steps.append(_step_text(kinds[place], index, key) if place else index)
    root = "result" if names is None else "variables" + _step_text(_OBJECT, 1, names[steps[-1]])
    return root + "".join(reversed(steps[:-1]))


def _step_text(kind, index, key):
    if kind == _LIST:
        return f"[{index}]"
    if kind == _SET:
        return f"[item {index}]"
    if kind == _MAP:
        return f"[key {index // 2}]" if index % 2 == 0 else f"[value {index // 2}]"
    if key.isidentifier():
        return f".{key}"
    return f"[{_encode_json(key if len(key) <= 40 else key[:40] + '...')}]"


def _plain(value):
    # A BigInt arrives as a subclass of `int` that JavaScript gets back as one.
    return value if type(value) in _PLAIN else int(value)


def _special(read, made):
    what = read()
    if type(what) is int:
        return made[what]
    if what == _NONE:
        return None
    content = read()
    return bytes(content) if what == _BYTES else _EPOCH + datetime.timedelta(milliseconds=content)


def _encode(root):
    """The tape of a list of values."""
    kinds = []
    body = []
    numbers = {id(root): 0}
    containers = [root]
    # Containers that are replaced, with their replacements. Both must stay alive because they are known by their
    # identities.
    replaced = {}
    # The list grows during the loop.
    for container in containers:
        kind, parts = _parts_of(container)
        kinds.append(kind)
        body.append(len(parts))
        for given in parts:
            part = given
            if type(part) not in _PLAIN:
                part = replaced[id(given)][1] if id(given) in replaced else _data_of(given)
            if type(part) in _PLAIN:
                body.append(part)
            elif part is None:
                body += (None, _NONE)
            elif type(part) is bytes:
                body += (None, _BYTES, part)
            elif isinstance(part, datetime.datetime):
                body += (None, _DATE, _milliseconds_of(part))
            else:
                if part is not given:
                    replaced[id(given)] = (given, part)
                number = numbers.setdefault(id(part), len(containers))
                if number == len(containers):
                    containers.append(part)
                body += (None, number)
    return ["".join(kinds), *body]


def _milliseconds_of(when):
    try:
        return when.timestamp() * 1000
    except (ValueError, OverflowError):
        if when.tzinfo is not None:
            raise
        text = f"a datetime of the year {when.year} without a time zone cannot be given to a tool: give it one with a time zone"
        raise TypeError(text) from None


def _parts_of(container):
    if isinstance(container, dict):
        keys = [_key_of(key) for key in container]
        if None in keys:
            return _MAP, [part for item in list(container.items()) for part in item]
        return _OBJECT, [part for item in zip(keys, list(container.values())) for part in item]
    return (_SET if isinstance(container, (set, frozenset)) else _LIST), list(container)


def _key_of(key):
    """A key as JSON writes it; `None` if JSON has no form for it."""
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or key is True or key is False or isinstance(key, float):
        return _encode_json(key)
    return int.__repr__(key) if isinstance(key, int) else None


def _data_of(value):
    """A value as data: a plain value, `None`, bytes, a datetime, or a container."""
    if value is None or isinstance(value, (list, tuple, dict, set, frozenset, datetime.datetime)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    for kind, plain_of in _PLAIN_OF:
        if isinstance(value, kind):
            return plain_of(value)
    kind = type(value)
    if kind.__module__ in _TEXTUAL_MODULES or kind is complex:
        return str(value)
    if isinstance(value, BaseException):
        return {"name": kind.__name__, "message": str(value)}
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in kind.__dataclass_fields__}
    if hasattr(kind, "tolist"):
        # `tolist` turns a date of numpy into a value of `datetime`.
        return _data_of(value.tolist())
    if hasattr(kind, "_value_repr_"):
        return _data_of(value.value)
    if isinstance(value, (range, _KeysView, _ValuesView, _ItemsView, _deque)):
        return list(value)
    raise TypeError(f"a value of type '{kind.__name__}' cannot be given to a tool: give it data, such as a dict or a list")
