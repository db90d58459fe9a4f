# Imports and builtins

# What guest code has for `__main__`: modules of Python look there for the names that they are given.
_user_module = types.ModuleType("__main__")
__smolagents_user_globals__ = _user_module.__dict__


def __smolagents_set_user_globals(names):
    """Copies what was set in `__main__` to what guest code sees."""
    shared = __main__.__dict__
    for name in names:
        if name in shared:
            __smolagents_user_globals__[name] = shared[name]


def __smolagents_is_import_allowed(module_name, allowed):
    """Whether an entry is `*`, the module, one of its packages, or a package with `.*`."""
    for entry in allowed:
        if entry == "*":
            return True
        package = entry[:-2] if entry.endswith(".*") else entry
        if module_name == package or module_name.startswith(package + "."):
            return True
    return False


class _RefusedImport(ImportError):
    """One that the host does not allow."""


_RefusedImport.__name__ = _RefusedImport.__qualname__ = "ImportError"


def _refused_import(name, allowed):
    error = _RefusedImport(f"Import of '{name}' is not authorized", name=name)
    names = ", ".join(allowed)
    known = {"module": name}
    if len(names) <= _MAX_LINE_CHARS:
        known["hint"] = f"Do without this module: {names or 'none'} can be imported."
    _remember(error, "ERR_IMPORT_NOT_ALLOWED", known)
    return error


def __smolagents_safe_import_factory(allowed):
    """An `__import__` that imports what is allowed."""

    def safe_import(name, globals=None, locals=None, fromlist=(), level=0):
        full_name = name
        if level > 0:
            package = (globals or {}).get("__package__")
            if package:
                full_name = _resolve_name("." * level + name, package)
        # That one only says how code is read.
        if full_name != "__future__" and not __smolagents_is_import_allowed(full_name, allowed):
            raise _refused_import(full_name, allowed)
        return _import(name, globals, locals, fromlist, level)

    return safe_import


def __smolagents_build_safe_builtins(allowed_imports, allowed_dangerous):
    """The builtins of guest code: dangerous ones are `None` unless they are allowed."""
    safe = dict(builtins.__dict__)
    for name in DANGEROUS_BUILTINS:
        if name not in allowed_dangerous:
            safe[name] = None
    safe["__import__"] = __smolagents_safe_import_factory(allowed_imports)
    return safe
