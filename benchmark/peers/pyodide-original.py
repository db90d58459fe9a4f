# What smolagents-ts runs Python in, as its specification says: counted by sys.settrace.

import ast
import builtins
import importlib.util
import inspect
import json
import sys

FILENAME = "<smolagents>"
__smolagents_user_globals__ = {"__name__": "__main__"}


class FinalAnswerException(BaseException):
    def __init__(self, value):
        self.value = value


def __smolagents_final_answer(value=None, **kwargs):
    raise FinalAnswerException(kwargs.get("answer", value))


def __smolagents_set_user_globals(names):
    for name in names:
        __smolagents_user_globals__[name] = globals()[name]


def __smolagents_is_import_allowed(module_name, allowed):
    for entry in allowed:
        package = entry.removesuffix(".*")
        if entry == "*" or module_name == package or module_name.startswith(package + "."):
            return True
    return False


def __smolagents_safe_import_factory(allowed):
    def safe_import(name, globals=None, locals=None, fromlist=(), level=0):
        full_name = name
        if level > 0 and globals and globals.get("__package__"):
            full_name = importlib.util.resolve_name("." * level + name, globals["__package__"])
        if not __smolagents_is_import_allowed(full_name, allowed):
            raise ImportError(f"Import of '{full_name}' is not authorized")
        return builtins.__import__(name, globals, locals, fromlist, level)

    return safe_import


def __smolagents_build_safe_builtins(allowed_imports, allowed_dangerous):
    safe = dict(builtins.__dict__)
    for name in ("eval", "exec", "compile", "open", "input"):
        if name not in allowed_dangerous:
            safe[name] = None
    safe["__import__"] = __smolagents_safe_import_factory(allowed_imports)
    return safe


def __smolagents_transform_code(code):
    tree = ast.parse(code, FILENAME, mode="exec")
    while_lines = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.While)}
    last = tree.body[-1] if tree.body else None
    target = ast.Name("__smolagents_last_expr__", ast.Store())
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    elif isinstance(last, ast.Assign) and len(last.targets) == 1 and isinstance(last.targets[0], ast.Name):
        tree.body.append(ast.copy_location(ast.Assign([target], ast.Name(last.targets[0].id, ast.Load())), last))
    return ast.fix_missing_locations(tree), while_lines


def __smolagents_check_forbidden_calls(tree, forbidden):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in forbidden:
            raise RuntimeError(f"Forbidden builtin: {node.func.id}")


def __smolagents_trace(max_operations, max_whiles, while_lines):
    operations = whiles = 0

    def trace(frame, event, arg):
        nonlocal operations, whiles
        if event == "line" and frame.f_code.co_filename == FILENAME:
            operations += 1
            if operations > max_operations:
                raise RuntimeError(f"Reached the max number of operations ({max_operations})")
            if frame.f_lineno in while_lines:
                whiles += 1
                if whiles > max_whiles:
                    raise RuntimeError(f"Maximum number of {max_whiles} iterations in While loop exceeded")
        return trace

    return trace


async def __smolagents_run(code, config):
    config = config.to_py()
    user_globals = __smolagents_user_globals__
    allowed_dangerous = config["allowed_dangerous_builtins"]
    user_globals["__builtins__"] = __smolagents_build_safe_builtins(config["authorized_imports"], allowed_dangerous)
    user_globals["final_answer"] = __smolagents_final_answer
    user_globals["__smolagents_last_expr__"] = None
    tree, while_lines = __smolagents_transform_code(code)
    __smolagents_check_forbidden_calls(tree, {"eval", "exec", "compile"}.difference(allowed_dangerous))
    compiled = compile(tree, FILENAME, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    before = sys.gettrace()
    try:
        sys.settrace(__smolagents_trace(config["max_operations"], config["max_while_iterations"], while_lines))
        result = eval(compiled, user_globals)
        if inspect.isawaitable(result):
            await result
    except FinalAnswerException as answer:
        return {"is_final_answer": True, "value": json.dumps(answer.value, default=str)}
    finally:
        sys.settrace(before)
    return {"is_final_answer": False, "value": json.dumps(user_globals["__smolagents_last_expr__"], default=str)}
