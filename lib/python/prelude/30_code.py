# Code


async def _resolved(value):
    return value


def _awaited(value):
    if type(value) is _Call:
        return _through(value)
    return value if _isawaitable(value) else _resolved(value)


def _take_values(owner, name, first=0, end=1):
    """Makes a function of asyncio accept plain values too, as `await` does, for its arguments from `first` to `end`."""
    function = getattr(owner, name)

    @functools.wraps(function)
    def taking(*args, **kwargs):
        args = list(args)
        args[first:end] = map(_awaited, args[first:end])
        return function(*args, **kwargs)

    setattr(owner, name, taking)


def _take_iterable(name):
    """Does the same for the values of the first argument."""
    function = getattr(asyncio, name)

    @functools.wraps(function)
    def taking(fs, **kwargs):
        if not _isawaitable(fs):
            fs = [each if _isawaitable(each) and type(each) is not _Call else asyncio.ensure_future(each) for each in fs]
        return function(fs, **kwargs)

    setattr(asyncio, name, taking)


_take_values(asyncio, "gather", end=None)
_take_values(asyncio.TaskGroup, "create_task", first=1, end=2)
_take_values(asyncio.Runner, "run", first=1, end=2)
for _name in ("create_task", "ensure_future", "shield", "wait_for"):
    _take_values(asyncio, _name)
for _name in ("as_completed", "wait"):
    _take_iterable(_name)


def _call(name, args, place):
    function = ast.copy_location(ast.Name(name, ast.Load()), place)
    return ast.copy_location(ast.Call(function, args, []), place)


def __smolagents_transform_code(code):
    """The syntax tree of the code. The transformed code stores the value of its last statement and counts the iterations of
    `while` loops at their start. Its `await` accepts plain values too, because tools return their results directly."""
    tree = _parse(code, FILENAME, "exec")
    _prepare_tree(tree, code)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        target = ast.copy_location(ast.Name(LAST_EXPRESSION, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    elif isinstance(last, ast.Assign) and len(last.targets) == 1 and isinstance(last.targets[0], ast.Name):
        target = ast.copy_location(ast.Name(LAST_EXPRESSION, ast.Store()), last)
        value = ast.copy_location(ast.Name(last.targets[0].id, ast.Load()), last)
        tree.body.append(ast.copy_location(ast.Assign([target], value), last))
    return tree


def _counted_round(place):
    """The call that counts an iteration. `_with_rounds` replaces its constant."""
    at = functools.partial(ast.copy_location, old_node=place)
    return at(ast.Call(at(ast.Attribute(at(ast.Constant(ROUND)), "__next__", ast.Load())), [], []))


def _with_rounds(code):
    """The compiled code with `_rounds` in place of the constants. A constant cannot be replaced by guest code, as a name can."""
    found = [code]
    for each in found:
        found += [constant for constant in each.co_consts if type(constant) is _CodeType]
    replaced = {}
    for each in reversed(found):
        constants = (replaced.get(id(constant), constant) for constant in each.co_consts)
        constants = tuple(_rounds if type(each) is str and each == ROUND else each for each in constants)
        replaced[id(each)] = each.replace(co_consts=constants)
    return replaced[id(code)]


def _prepare_tree(tree, code):
    # Walking the tree takes longer than everything else here.
    is_async = "async" in code or "await" in code
    if is_async or isinstance(tree.body[0] if tree.body else None, ast.AsyncFunctionDef):
        _AwaitedCalls().visit(tree)
    if is_async or "while" in code:
        for node in ast.walk(tree):
            if isinstance(node, ast.While):
                node.body.insert(0, ast.copy_location(ast.Expr(_counted_round(node.test)), node.test))
            elif isinstance(node, ast.Await) and not (isinstance(node.value, ast.Call) and _name_called(node.value) in (CALLED, LEAVING)):
                node.value = _call(AWAITED, [node.value], node.value)


def _may_name(code, names):
    """Whether one of the names may occur in the code. Letters outside of ASCII can stand for ASCII letters."""
    return not code.isascii() or any(name in code for name in names)


class _ForbiddenCall(RuntimeError):
    """A call of a builtin that is not allowed."""

    def __init__(self, call):
        super().__init__(f"Forbidden builtin: {call.func.id}")
        self.place = (call.lineno, call.col_offset)


_ForbiddenCall.__name__ = _ForbiddenCall.__qualname__ = "RuntimeError"


def __smolagents_check_forbidden_calls(tree, forbidden):
    """Raises for calls that name a forbidden builtin."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in forbidden:
            raise _ForbiddenCall(node)
