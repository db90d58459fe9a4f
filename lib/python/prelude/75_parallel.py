# Calls at the same time
#
# A tool called as a plain function blocks. Three kinds of code start a call and wait for its result later: `await` and
# the functions of asyncio, async functions, and functions that `to_thread` or a pool of threads runs. There are no
# threads: such a function runs as a coroutine that is compiled from the same source, in which each call may wait. The
# order in which code runs therefore depends only on the order of results.

# Function of a tool -> its name and number.
_tools = weakref.WeakKeyDictionary()
# Started calls that have no result yet, by their numbers.
_calls = {}
# The program text of each code object, by the identity of the object: code of two programs may be equal. Below it, the
# coroutine functions that were compiled from functions.
_texts = {}
_coroutine_functions = weakref.WeakKeyDictionary()
# If a loop never waits, it looks for results after this many rounds.
_ROUNDS_WITHOUT_RESULTS = 100
# Stands for the number of a call that has its result already, as in `guest.js`.
_DONE = -1
_BUILTINS = frozenset(builtins.__dict__)
_NOTHING_LEFT = "this code waits for something that can no longer happen"


class _Waiting:
    """Holds the job of a pool that is running. Awaited calls then yield to the pool and not to a loop of asyncio."""

    job = None


class _Call:
    """A started call of a tool, which code can await."""

    __slots__ = ("_name", "_result", "_error", "_is_done", "_callbacks", "__weakref__")

    def __init__(self, name):
        self._name = name
        self._result = self._error = None
        self._is_done = False
        self._callbacks = []

    def __repr__(self):
        return f"<call of {self._name}: await it>"

    def __await__(self):
        while not self._is_done:
            if _Waiting.job is not None:
                yield self
            else:
                future = asyncio.get_running_loop().create_future()
                self._callbacks.append(functools.partial(_wake, future))
                yield from future
        if self._error is not None:
            raise self._error
        return self._result

    def _end(self, result, error):
        self._result, self._error, self._is_done = result, error, True
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()


def _wake(future):
    if not future.done():
        future.set_result(None)


def _start(name, number, args, kwargs):
    """Starts a call of a tool."""
    call = _Call(name)
    started = _bridge.start(number, _encode([*args, kwargs] if kwargs else list(args)))
    if type(started) is list:
        _end_at_deadline()
        call._end(None, _tool_error(name, *started[1:]))
    elif started == _DONE:
        call._end(*_outcome_of(name))
    else:
        _calls[int(started)] = call
    return call


def _take_result(ms):
    """Waits for the result of a started call, for at most `ms` milliseconds, or without limit if `ms` is negative. Returns
    whether there was one."""
    number = _bridge.next_reply(ms)
    _end_at_deadline()
    if number is None:
        return False
    if type(number) is list:
        call = _calls.pop(number[4], None)
        if call is not None:
            call._end(None, _tool_error(call._name, *number[1:]))
        return True
    call = _calls.pop(int(number), None)
    if call is None:
        return True
    call._end(*_outcome_of(call._name))
    return True


def _outcome_of(name):
    """The result that has just arrived and `None`, or `None` and an error."""
    try:
        return _received(name, _bridge.reply()), None
    except Exception as error:
        return None, error


def _begin_async(function, args, kwargs):
    """An awaitable that calls the function and waits for tools without blocking; `None` if there is none for this function."""
    while type(function) is functools.partial:
        args, kwargs, function = (*function.args, *args), {**function.keywords, **kwargs}, function.func
    if type(function) is types.MethodType:
        args, function = (function.__self__, *args), function.__func__
    elif type(called := getattr(type(function), "__call__", None)) is types.FunctionType:
        args, function = (function, *args), called
    if type(function) is not types.FunctionType or _bridge.start is None:
        return None
    tool = _tools.get(function)
    if tool is not None:
        return _start(*tool, args, kwargs)
    made = _coroutine_function_of(function) if _may_wait(function, (*args, *kwargs.values())) else None
    return None if made is None else made(*args, **kwargs)


async def _called(function, /, *args, **kwargs):
    """The result of a call whose tools may wait."""
    if type(function) is types.MethodType and function.__func__ is _ThreadPoolExecutor.map:
        results, futures = function.__self__._mapped(*args, **kwargs)
        await _ended(futures)
        return results
    await _ended(_awaited_futures(function, args, kwargs))
    begun = _begin_async(function, args, kwargs)
    return function(*args, **kwargs) if begun is None else await begun


def _starting(function):
    """A function that starts calls of this one."""
    return functools.partial(_started, function)


def _started(function, /, *args, **kwargs):
    """Starts a call where code awaits the result. For a tool, returns the started call."""
    begun = _begin_async(function, args, kwargs)
    if begun is None:
        return function(*args, **kwargs)
    return begun if type(begun) is _Call else _through(begun)


async def _through(begun):
    """Also awaits the result, because a function may return an awaitable."""
    result = await begun
    return await result if _isawaitable(result) else result


# Coroutine functions of functions

# Code -> whether it may call a tool, as found out in this run.
_waiting_codes = {}


def _may_wait(function, args):
    """Whether a function of a program may call a tool, judging by the names in it and by its arguments."""
    if any(type(arg) in (types.FunctionType, types.MethodType, functools.partial) for arg in args):
        return True
    return _may_code_wait(function.__code__, _globals_of(function), function.__closure__ or ())


def _may_code_wait(code, scope, cells=()):
    known = _waiting_codes.get(code)
    if known is None:
        # Ends the recursion for code that calls itself.
        _waiting_codes[code] = False
        known = _waiting_codes[code] = _finds_tool(code, scope, cells)
    return known


def _finds_tool(code, scope, cells):
    for cell in cells:
        try:
            if _may_value_wait(cell.cell_contents, scope):
                return True
        except ValueError:
            pass
    for name in code.co_names:
        if _may_value_wait(scope.get(name), scope) or any(_may_code_wait(each, scope) for each in _named_codes(name)):
            return True
    return any(_may_code_wait(each, scope) for each in _codes_in(code))


def _may_value_wait(value, scope):
    if type(value) is types.SimpleNamespace:
        return True
    if type(value) is not types.FunctionType:
        return False
    return value in _tools or (_text_of(value.__code__) is not None and _may_code_wait(value.__code__, scope))


def _named_codes(name):
    """The code of the functions and methods with this name."""
    codes = [reference() for reference, _ in list(_texts.values())]
    return [code for code in codes if code is not None and code.co_name == name]


_NO_COROUTINE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

def _note_text(codes, text):
    """Records the text of a program for the code of its functions. The first code object is the program's."""
    for code in codes[1:]:
        key = id(code)
        _texts[key] = (_reference_to(code, functools.partial(_forget_text, key)), text)


def _forget_text(key, _):
    _texts.pop(key, None)


def _text_of(code):
    reference, text = _texts.get(id(code), (None, None))
    return text if reference is not None and reference() is code else None


def _coroutine_function_of(function):
    """The function as a coroutine function in which each call may wait; `None` if it was not defined by a program."""
    code = function.__code__
    text = _text_of(code)
    if text is None or code.co_flags & _NO_COROUTINE:
        return None
    if function not in _coroutine_functions:
        _coroutine_functions[function] = _compiled_coroutine(code, text)
    compiled = _coroutine_functions[function]
    if compiled is None:
        return None
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    closure = tuple(cells[name] for name in compiled.co_freevars)
    made = types.FunctionType(compiled, _globals_of(function), function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _compiled_coroutine(code, text):
    node = _node_of(code, _parse(text, FILENAME, "exec"))
    if node is None:
        return None
    is_lambda = isinstance(node, ast.Lambda)
    body = [ast.copy_location(ast.Return(node.body), node.body)] if is_lambda else node.body
    # Its own name would hide the name of the function, which the body may call.
    made = ast.copy_location(ast.AsyncFunctionDef(COROUTINE, node.args, body, [], type_params=[]), node)
    for argument in ast.walk(made.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    # The values of defaults are taken from the function.
    made.args.defaults = [ast.copy_location(ast.Constant(None), made) for _ in made.args.defaults]
    made.args.kw_defaults = [each and ast.copy_location(ast.Constant(None), made) for each in made.args.kw_defaults]
    owner = code.co_qualname.rpartition(".")[0].rpartition(".")[2]
    tree = ast.Module([made], [])
    _prepare_tree(tree, text)
    if owner not in ("", "<locals>"):
        _Mangling(owner.lstrip("_")).visit(made)
    outer = ast.arguments([], [ast.arg(each) for each in code.co_freevars], None, [], [], None, [])
    tree.body = [ast.FunctionDef("outer", outer, [made], [], type_params=[])]
    module = _compile(ast.fix_missing_locations(tree), FILENAME, "exec", dont_inherit=True)
    [found] = _codes_in(*_codes_in(module))
    found = found.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    _note_text(_guard(found), text)
    return found


def _codes_in(code):
    return [constant for constant in code.co_consts if type(constant) is _CodeType]


def _node_of(code, tree):
    """The syntax node that the code is compiled from."""
    if code.co_name == "<lambda>":
        spans = set(code.co_positions())
        return next((node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and _span(node.body) in spans), None)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            if code.co_firstlineno == min([node.lineno, *(each.lineno for each in node.decorator_list)]):
                return node
    return None


def _span(node):
    return (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)


class _Mangling(ast.NodeTransformer):
    """Mangles private names as in the body of a class."""

    def __init__(self, owner):
        self._owner = owner

    def _mangled(self, name):
        return f"_{self._owner}{name}" if name.startswith("__") and not name.endswith("__") else name

    def visit_Attribute(self, node):
        node.attr = self._mangled(node.attr)
        return self.generic_visit(node)

    def visit_Name(self, node):
        if not node.id.startswith("__smolagents_"):
            node.id = self._mangled(node.id)
        return node

    def visit_ClassDef(self, node):
        return node


# Calls that start

# Functions that await their arguments, or the elements of these.
_AWAITING = frozenset(
    "gather wait wait_for as_completed shield create_task ensure_future run_until_complete staggered_race".split()
)


# Builtins whose results have the items of their arguments, and builtins and methods that take all items of a generator.
_COLLECTING = frozenset(("list", "tuple", "set", "frozenset"))
_TAKING_ALL = _COLLECTING | {"sum", "sorted", "max", "min", "dict", "join"}


class _AwaitedCalls(ast.NodeTransformer):
    """Transforms calls: awaited calls only start, and every other call in an async function waits without blocking."""

    def __init__(self):
        self._is_async = False
        # Names in the current scope that contain only awaitables.
        self._names = frozenset()

    def visit_Module(self, node):
        self._names = _awaited_names(node.body)
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node):
        outer = self._is_async, self._names
        self._is_async, self._names = True, _awaited_names(node.body)
        node.body = [self.visit(each) for each in node.body]
        self._is_async, self._names = outer
        return node

    def _visit_sync(self, node):
        outer = self._is_async, self._names
        self._is_async, self._names = False, frozenset()
        self.generic_visit(node)
        self._is_async, self._names = outer
        return node

    visit_FunctionDef = visit_Lambda = visit_ClassDef = visit_GeneratorExp = _visit_sync

    def visit_Await(self, node):
        node.value = self._started(node.value)
        return node

    def visit_With(self, node):
        names = [item.optional_vars for item in node.items if isinstance(item.optional_vars, ast.Name)]
        self.generic_visit(node)
        if self._is_async and names:
            names = [ast.copy_location(ast.Name(name.id, ast.Load()), node) for name in names]
            leave = ast.copy_location(ast.Expr(ast.copy_location(ast.Await(_call(LEAVING, names, node)), node)), node)
            node.body = [ast.copy_location(ast.Try(node.body, [], [], [leave]), node)]
        return node

    def visit_Call(self, node):
        if self._is_async and node.args and isinstance(node.args[0], ast.GeneratorExp) and _takes_all(node.func):
            # A list may wait for calls, and a generator may not.
            first = node.args[0]
            node.args[0] = ast.copy_location(ast.ListComp(first.elt, first.generators), first)
        awaits = _name_called(node) in _AWAITING
        node.args = [self._started(each) if awaits else self.visit(each) for each in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        added = node.func.value.id if _is_adding(node) else None
        if added in self._names:
            node.args = [self._started(each) for each in node.args]
        node.func = self.visit(node.func)
        # `wait` may be the function of pools, which blocks.
        if not self._is_async or (awaits and _name_called(node) != "wait") or _is_builtin(node.func):
            return node
        return ast.copy_location(ast.Await(_with_function(CALLED, node)), node)

    def visit_Assign(self, node):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if len(names) == len(node.targets) and set(names) <= self._names:
            node.value = self._started(node.value)
            return node
        return self.generic_visit(node)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name) and node.target.id in self._names:
            node.value = self._started(node.value)
            return node
        return self.generic_visit(node)

    def _started(self, node):
        """Transforms a node whose value, or whose parts, are awaited."""
        if isinstance(node, ast.Call) and _name_called(node) not in _AWAITING:
            collects = _is_builtin(node.func) and node.func.id in _COLLECTING
            node.args = [self._started(each) if collects else self.visit(each) for each in node.args]
            if _is_builtin(node.func) and node.func.id == "map" and node.args:
                node.args[0] = _call(STARTING, [node.args[0]], node.args[0])
            for keyword in node.keywords:
                keyword.value = self.visit(keyword.value)
            if _is_view(node):
                return node
            node.func = self.visit(node.func)
            return node if _is_builtin(node.func) else _with_function(STARTED, node)
        if isinstance(node, ast.Starred):
            node.value = self._started(node.value)
            return node
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            node.elts = [self._started(each) for each in node.elts]
            return node
        if isinstance(node, ast.Dict):
            node.keys = [each and self.visit(each) for each in node.keys]
            node.values = [self._started(each) for each in node.values]
            return node
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            node.elt = self._started(node.elt)
        elif isinstance(node, ast.DictComp):
            node.value = self._started(node.value)
        elif isinstance(node, ast.BinOp):
            node.left, node.right = self._started(node.left), self._started(node.right)
            return node
        elif isinstance(node, ast.IfExp):
            node.test, node.body, node.orelse = self.visit(node.test), self._started(node.body), self._started(node.orelse)
            return node
        else:
            return self.visit(node)
        if not isinstance(node, ast.GeneratorExp):
            node.generators = [self.visit(each) for each in node.generators]
        return node


def _is_builtin(function):
    """Whether this names a builtin. No builtin waits, and some inspect the frame that calls them."""
    return isinstance(function, ast.Name) and function.id in _BUILTINS and function.id not in __smolagents_user_globals__


def _takes_all(function):
    if isinstance(function, ast.Attribute):
        return function.attr == "join" and isinstance(function.value, ast.Constant)
    return _is_builtin(function) and function.id in _TAKING_ALL


def _with_function(name, call):
    """`name(function, …)` instead of `function(…)`. The position in the source stays that of the call."""
    function = ast.copy_location(ast.Name(name, ast.Load()), call)
    return ast.copy_location(ast.Call(function, [call.func, *call.args], call.keywords), call)


def _name_called(call):
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else None


def _is_adding(call):
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr in ("append", "extend") and isinstance(function.value, ast.Name)


def _is_view(call):
    """Whether the call is like `names.values()`, which never waits."""
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr == "values" and not call.args


def _awaited_names(body):
    """Names of a scope for which every use awaits the value or its parts."""
    awaited, used, loops = set(), set(), {}
    for statement in body:
        _note_uses(statement, awaited, used, loops, False)
    # The variable of a loop over such a name is awaited too: `for call in calls: await call`.
    for name, targets in loops.items():
        if targets <= awaited and not targets & used:
            awaited.add(name)
        else:
            used.add(name)
    return frozenset(awaited - used)


def _note_uses(node, awaited, used, loops, is_awaited):
    """Sorts the names that are read in a node into awaited ones and others."""
    note = functools.partial(_note_uses, awaited=awaited, used=used, loops=loops)
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            (awaited if is_awaited else used).add(node.id)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        used.update(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
        used.update(name for each in ast.walk(node) if isinstance(each, ast.Nonlocal | ast.Global) for name in each.names)
    elif isinstance(node, ast.Await):
        note(node.value, is_awaited=True)
    elif isinstance(node, ast.Call):
        awaits = _name_called(node) in _AWAITING
        counts = isinstance(node.func, ast.Name) and node.func.id == "len"
        for each in node.args:
            if not (counts and isinstance(each, ast.Name)):
                note(each, is_awaited=awaits)
        for keyword in node.keywords:
            note(keyword.value, is_awaited=False)
        if _is_adding(node):
            pass
        elif is_awaited and _is_view(node):
            note(node.func.value, is_awaited=True)
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "keys":
            pass
        else:
            note(node.func, is_awaited=False)
    elif isinstance(node, (ast.Starred, ast.List, ast.Tuple, ast.Set)) and is_awaited:
        for each in ast.iter_child_nodes(node):
            note(each, is_awaited=True)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) and _is_plain_loop(node):
        loops.setdefault(node.iter.id, set()).add(node.target.id)
        for each in ast.iter_child_nodes(node):
            if each is not node.iter:
                note(each, is_awaited=False)
    elif isinstance(node, ast.Delete):
        used.update(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        used.update(node.names)
    else:
        for each in ast.iter_child_nodes(node):
            note(each, is_awaited=False)


def _is_plain_loop(node):
    return isinstance(node.iter, ast.Name) and isinstance(node.target, ast.Name)
