# Imports and builtins

_names_of_module = types.ModuleType.__dict__["__dict__"].__get__
# The guest's `__main__`: Python's modules look up names there.
_user_module = types.ModuleType("__main__")
__smolagents_user_globals__ = _user_module.__dict__


def __smolagents_set_user_globals(names):
    """Copies names that were set in `__main__` to the guest's globals."""
    shared = __main__.__dict__
    for name in names:
        if name in shared:
            __smolagents_user_globals__[name] = shared[name]


def __smolagents_is_import_allowed(module_name, allowed):
    """Whether `allowed` has an entry for the module: `*`, the module itself, one of its packages, or a package with `.*`."""
    for entry in allowed:
        if entry == "*":
            return True
        package = entry[:-2] if entry.endswith(".*") else entry
        if module_name == package or module_name.startswith(package + "."):
            return True
    return False


class _RefusedImport(ImportError):
    """The import of a module that the host does not allow."""


_RefusedImport.__name__ = _RefusedImport.__qualname__ = "ImportError"


def _refused_import(name, allowed):
    error = _RefusedImport(f"Import of '{name}' is not authorized", name=name)
    names = ", ".join(allowed if _Network.tool is None else (*allowed, *_network_names))
    known = {"module": name}
    if len(names) <= _MAX_LINE_CHARS:
        known["hint"] = f"Do without this module: {names or 'none'} can be imported."
    _remember(error, "ERR_IMPORT_NOT_ALLOWED", known)
    return error


# Modules that are allowed by default. `import_ahead` adds their names.
_default_modules = set()
# Modules that can open files, run processes, or import. Guest code gets nothing from them through other modules.
_HELD_BACK = frozenset(
    ("os", "posix", "io", "_io", "pathlib", "pathlib._local", "shutil", "sys", "importlib", "importlib._bootstrap")
)
# Attributes that say how a module was loaded. They lead to all other modules.
_LOADED_BY = ("__builtins__", "__loader__", "__spec__", "__cached__")
_views = {}


def import_ahead(names):
    """Imports the modules that code may import by default. `names` is JSON."""
    for name in _decode_json(names):
        _import(name)
        _default_modules.add(name)


def _view_of(module, allowed):
    """The copy of a module that guest code gets if the module is allowed by default. It has none of the modules and functions
    that are not allowed."""
    key = (id(module), tuple(allowed))
    view = _views.get(key)
    if view is None:
        view = _views[key] = types.ModuleType(module.__name__, module.__doc__)
        view.__spec__ = view.__loader__ = None
        names = _names_of_module(view)
        for name, value in list(_names_of_module(module).items()):
            if name not in _LOADED_BY and _may_have(value, allowed):
                names[name] = _shown(value, allowed)
    return view


def _may_have(value, allowed):
    if issubclass(type(value), types.ModuleType):
        return __smolagents_is_import_allowed(value.__name__, allowed)
    return getattr(value, "__module__", None) not in _HELD_BACK


def _shown(value, allowed):
    """The module or value as guest code sees it."""
    is_default = issubclass(type(value), types.ModuleType) and value.__name__.partition(".")[0] in _default_modules
    return _view_of(value, allowed) if is_default else value


def _is_for_c(name, globals, locals, fromlist):
    """Whether C code imports a module that it needs itself, such as `_pylong` for large integers. C code calls the `__import__`
    of the running code with an empty list and ignores the result."""
    return type(fromlist) is list and not fromlist and globals is locals is not None and name.partition(".")[0] in _stdlib


def _plain_text(name):
    if not issubclass(type(name), str):
        raise TypeError(f"__import__() argument 1 must be str, not {type(name).__name__}")
    return str.__str__(name)


def _resolved_name(name, level, globals):
    """The full name of a module that is imported relative to the package of these globals."""
    package = dict.get(globals, "__package__") if issubclass(type(globals), dict) else None
    if type(package) is not str or not package:
        raise ImportError("attempted relative import with no known parent package")
    return _resolve_name("." * level + name, package)


def __smolagents_safe_import_factory(allowed):
    """Makes an `__import__` that imports only allowed modules."""
    allowed = tuple(allowed)

    def safe_import(name, globals=None, locals=None, fromlist=(), level=0):
        # Guest code may pass objects of its own classes. What is checked here is what is imported.
        name, level = _plain_text(name), operator.index(level)
        full_name = name if level <= 0 else _resolved_name(name, level, globals)
        if _is_for_c(full_name, globals, locals, fromlist):
            _import(name)
            return None
        if _Network.tool is not None and full_name in _network_modules:
            module = _network_module(full_name, fromlist, allowed)
            if module is not None:
                return module
        # `__future__` only affects how code is parsed.
        if full_name != "__future__" and not __smolagents_is_import_allowed(full_name, allowed):
            raise _refused_import(full_name, allowed)
        module = _import(full_name, globals, locals, fromlist)
        if full_name.startswith("matplotlib"):
            _prepare_pyplot()
        if "*" in allowed or full_name.partition(".")[0] not in _default_modules:
            return module
        _add_submodules(full_name, fromlist or (), allowed)
        return _shown(module, allowed)

    return safe_import


def _add_submodules(name, others, allowed):
    """Adds submodules that were imported in the meantime to the view of their package."""
    parts = name.split(".")
    paths = [".".join(parts[:count]) for count in range(2, len(parts) + 1)]
    for path in [*paths, *(f"{name}.{other}" for other in others if type(other) is str)]:
        module = _modules.get(path)
        if issubclass(type(module), types.ModuleType):
            holder, _, own = path.rpartition(".")
            _names_of_module(_view_of(_modules[holder], allowed))[own] = _shown(module, allowed)


# Builtins that lead to modules, to files or to a debugger. They are only useful in an interactive session.
_INTERACTIVE = ("__loader__", "__spec__", "breakpoint", "copyright", "credits", "license")


def __smolagents_build_safe_builtins(allowed_imports, allowed_dangerous):
    """The builtins of guest code: dangerous ones are `None` unless they are allowed."""
    safe = dict(builtins.__dict__)
    for name in _INTERACTIVE:
        safe.pop(name, None)
    for name in DANGEROUS_BUILTINS:
        if name not in allowed_dangerous:
            safe[name] = None
    safe["__import__"] = __smolagents_safe_import_factory(allowed_imports)
    return safe
