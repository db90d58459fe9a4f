# Code


class _Awaits(ast.NodeTransformer):
    """Has `await` take what is no awaitable too: tools give their results at once."""

    def visit_Await(self, node):
        self.generic_visit(node)
        awaited = ast.copy_location(ast.Name(AWAITED, ast.Load()), node.value)
        node.value = ast.copy_location(ast.Call(awaited, [node.value], []), node.value)
        return node


_NO_LINES = frozenset()


async def _resolved(value):
    return value


def _awaited(value):
    return value if _isawaitable(value) else _resolved(value)


def __smolagents_transform_code(code):
    """The tree of the code, which keeps the value of its last statement, and the lines of its `while` loops."""
    tree = _parse(code, FILENAME, "exec")
    while_lines = _NO_LINES
    # A walk takes longer than all else.
    if "while" in code:
        while_lines = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.While)}
    if "await" in code:
        tree = _Awaits().visit(tree)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        target = ast.copy_location(ast.Name(LAST_EXPRESSION, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    elif isinstance(last, ast.Assign) and len(last.targets) == 1 and isinstance(last.targets[0], ast.Name):
        target = ast.copy_location(ast.Name(LAST_EXPRESSION, ast.Store()), last)
        value = ast.copy_location(ast.Name(last.targets[0].id, ast.Load()), last)
        tree.body.append(ast.copy_location(ast.Assign([target], value), last))
    return tree, while_lines


def _may_name(code, names):
    """Whether one of the names may be in the code. Other letters than those of ASCII can stand for them."""
    return not code.isascii() or any(name in code for name in names)


def __smolagents_check_forbidden_calls(tree, forbidden):
    """Refuses calls of builtins by their names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in forbidden:
            error = RuntimeError(f"Forbidden builtin: {node.func.id}")
            error.__smolagents_place__ = (node.lineno, node.col_offset)
            raise error
