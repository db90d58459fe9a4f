# Values


class Data(dict):
    """A dictionary whose keys can be written as attributes: `user["name"]` is `user.name`."""

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            matches = _get_close_matches(name, [key for key in self if isinstance(key, str)])
            hint = f". Did you mean: '{matches[0]}'?" if matches else ""
            raise AttributeError(f"'dict' object has no attribute '{name}'{hint}") from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"'dict' object has no attribute '{name}'") from None

    def copy(self):
        return Data(self)

    def __reduce__(self):
        return (dict, (dict(self),))


Data.__name__ = Data.__qualname__ = "dict"

# Values cross as one flat list, a tape. First the kinds of all containers, a letter each; then for each of them the number of
# its parts and these. A part is itself if it is a text, a number or a boolean. Else it is `None` and what comes next: the number
# of a container, or a letter and the content of what has no parts. So nothing here recurs, and parts may be shared or contain
# themselves. `guest.js` has the other side.
_LIST, _OBJECT, _MAP, _SET = "L", "O", "M", "S"
_NONE, _BYTES, _DATE = "N", "B", "D"
_MAKERS = {_LIST: list, _OBJECT: Data, _MAP: dict, _SET: set}
_PLAIN = frozenset((str, int, float, bool))
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
# Of these modules `str` says all that there is to say.
_TEXTUAL_MODULES = frozenset(("datetime", "decimal", "fractions", "uuid", "pathlib", "pathlib._local", "ipaddress"))


def _decode(tape):
    """The first container of a tape."""
    read = iter(tape).__next__
    kinds = read()
    made = [_MAKERS[kind]() for kind in kinds]
    for kind, container in zip(kinds, made):
        parts = []
        for _ in range(read()):
            part = read()
            parts.append(_special(read, made) if part is None else _plain(part))
        if kind == _LIST:
            container += parts
        elif kind == _SET:
            container.update(map(_hashable, parts))
        else:
            container.update(zip(map(_hashable, parts[::2]), parts[1::2]))
    return made[0]


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


def _hashable(value):
    try:
        hash(value)
        return value
    except TypeError:
        return str(value)


def _encode(root):
    """The tape of a list of values."""
    kinds = []
    body = []
    numbers = {id(root): 0}
    containers = [root]
    # What values are replaced by, which must live as long as their identities count.
    replaced = []
    # Grows meanwhile.
    for container in containers:
        kind, parts = _parts_of(container)
        kinds.append(kind)
        body.append(len(parts))
        for part in parts:
            if type(part) not in _PLAIN:
                part = _data_of(part)
                replaced.append(part)
            if type(part) in _PLAIN:
                body.append(part)
            elif part is None:
                body += (None, _NONE)
            elif type(part) is bytes:
                body += (None, _BYTES, part)
            elif isinstance(part, datetime.datetime):
                body += (None, _DATE, part.timestamp() * 1000)
            else:
                number = numbers.setdefault(id(part), len(containers))
                if number == len(containers):
                    containers.append(part)
                body += (None, number)
    return ["".join(kinds), *body]


def _parts_of(container):
    if isinstance(container, dict):
        keys = [_key_of(key) for key in container]
        if None in keys:
            return _MAP, [part for item in list(container.items()) for part in item]
        return _OBJECT, [part for item in zip(keys, list(container.values())) for part in item]
    return (_SET if isinstance(container, (set, frozenset)) else _LIST), list(container)


def _key_of(key):
    """A key as JSON writes it; `None` if it has no such form."""
    if type(key) is str:
        return key
    if key is None or key is True or key is False:
        return _encode_json(key)
    return str(key) if isinstance(key, (str, int, float)) else None


def _data_of(value):
    """A value as data: a plain one, `None`, bytes, a datetime, or something with parts."""
    if value is None or isinstance(value, (list, tuple, dict, set, frozenset, datetime.datetime)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    for plain in (str, int, float):
        if isinstance(value, plain):
            return plain(value)
    kind = type(value)
    if kind.__module__ in _TEXTUAL_MODULES or kind is complex:
        return str(value)
    if isinstance(value, BaseException):
        return {"name": kind.__name__, "message": str(value)}
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in kind.__dataclass_fields__}
    if hasattr(kind, "tolist"):
        return value.tolist()
    if hasattr(kind, "_value_repr_"):
        return _data_of(value.value)
    if isinstance(value, (range, _KeysView, _ValuesView, _ItemsView, _deque)):
        return list(value)
    raise TypeError(f"a value of type '{kind.__name__}' cannot be given to a tool: give it data, such as a dict or a list")
