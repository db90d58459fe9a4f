"""The environment of agent-written Python: imports, limits, tools, values, logs and errors.

Runs once per interpreter, in a separate namespace; `__main__` gets the names of the specification (section 5.1). Nothing here
refers to a JavaScript object until `connect` is called: the memory of the interpreter may be saved before that."""

import abc
import ast
import asyncio
import binascii
import builtins
import codecs
import collections
import collections.abc
import concurrent.futures
import concurrent.futures.thread
import copy
import datetime
import difflib
import enum
import functools
import gc
import http
import importlib.machinery
import importlib.util
import inspect
import io
import itertools
import json
import linecache
import opcode
import operator
import os
import sys
import textwrap
import time
import traceback
import types
import typing
import urllib.parse
import warnings
import weakref

import __main__
import _io
import _suggestions

FILENAME = "<smolagents>"
LAST_EXPRESSION = "__smolagents_last_expr__"
AWAITED = "__smolagents_awaited__"
# Stands for the iterator that counts iterations of `while` loops, until the code is compiled.
ROUND = "__smolagents_round__"
CALLED = "__smolagents_called__"
STARTED = "__smolagents_started__"
STARTING = "__smolagents_starting__"
LEAVING = "__smolagents_leaving__"
COROUTINE = "__smolagents_coroutine__"
# The variable in which Python records the warnings that it has printed.
WARNED = "__warningregistry__"
DANGEROUS_BUILTINS = ("eval", "exec", "compile", "open", "input")
FORBIDDEN_CALLS = frozenset(("eval", "exec", "compile"))

# Guest code may replace what modules contain, so runs use the functions that are captured here.
_compile = builtins.compile
_eval = builtins.eval
_import = builtins.__import__
_parse = ast.parse
_await_flag = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_encode_json = type("_Encoder", (json.JSONEncoder,), {**json.JSONEncoder.__dict__})(default=str).encode
_decode_json = type("_Decoder", (json.JSONDecoder,), {**json.JSONDecoder.__dict__})().decode
_get_close_matches = difflib.get_close_matches
_resolve_name = importlib.util.resolve_name
_isawaitable = inspect.isawaitable
_dedent = textwrap.dedent
_cancel_all_tasks = asyncio.runners._cancel_all_tasks
_set_running_loop = asyncio._set_running_loop
_exception_only = traceback.format_exception_only
_CodeType = types.CodeType
_reference_to = weakref.ref
_monitoring = sys.monitoring
_environ = os.environ
_stdlib = sys.stdlib_module_names
_modules = sys.modules
_suggested = _suggestions._generate_suggestions
_KeysView, _ValuesView, _ItemsView = collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView
_deepcopy = copy.deepcopy
_repr = builtins.repr
_deque = collections.deque
