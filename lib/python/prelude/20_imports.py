# Imports and builtins

__smolagents_user_globals__ = {"__name__": "__main__"}


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


def __smolagents_safe_import_factory(allowed):
    """An `__import__` that imports what is allowed."""

    def safe_import(name, globals=None, locals=None, fromlist=(), level=0):
        full_name = name
        if level > 0:
            package = (globals or {}).get("__package__")
            if package:
                full_name = _resolve_name("." * level + name, package)
        if not __smolagents_is_import_allowed(full_name, allowed):
            error = ImportError(f"Import of '{full_name}' is not authorized", name=full_name)
            error.__smolagents_refused__ = True
            raise error
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
