"""The text of a function, proved to be the text that runs.

The file is compiled again and the code object found there is compared with the one that CPython holds; text that was
edited since, or a function made by `exec`, a decorator or a notebook cell without a file, is refused.
"""

import ast
import builtins
import inspect
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType

from isrcheck.errors import ModelError
from isrcheck.ir.model import ModelIR
from isrcheck.place import Place, character, source_text


def place_of(file: str, node: ast.AST) -> Place:
    """Where a syntax tree stands: its first line, and the span within it."""
    line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    one_line = getattr(node, "end_lineno", line) == line
    end = character(file, line, getattr(node, "end_col_offset", column + 1)) if one_line else 10_000
    return Place(file, line, character(file, line, column), end)


@lru_cache(maxsize=256)
def _parsed(file: str, text: str) -> ast.Module:
    return ast.parse(text, file)


@lru_cache(maxsize=256)
def _code_objects(file: str, text: str) -> dict[tuple[str, int], list[CodeType]]:
    """Every function's code in a file, by name and first line."""
    found: dict[tuple[str, int], list[CodeType]] = {}
    waiting = [compile(_parsed(file, text), file, "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        found.setdefault((code.co_name, code.co_firstlineno), []).append(code)
        waiting.extend(c for c in code.co_consts if isinstance(c, CodeType))
    return found


def _text(file: str, what: str) -> str:
    try:
        return source_text(file)
    except (OSError, SyntaxError, UnicodeDecodeError):
        raise ModelError(
            Place(file, 0), f"{what} has no source text that can be read.", "Write the model in a file."
        ) from None


def function_tree(function: object) -> tuple[str, ast.FunctionDef]:
    """The file and the syntax tree of a plain function. Raises ModelError if the text is not what runs."""
    if not isinstance(function, FunctionType):
        raise ModelError(
            Place("", 0), f"{function!r} is not a plain method.", "Write it with def, without other decorators."
        )
    code = function.__code__
    file, name = code.co_filename, function.__qualname__
    _refuse_surroundings(function, Place(file, code.co_firstlineno))
    text = _text(file, name)
    if code not in _code_objects(file, text).get((code.co_name, code.co_firstlineno), []):
        raise ModelError(
            Place(file, code.co_firstlineno),
            f"the text of {name} is not what Python runs.",
            "The file was changed after it was imported, or a decorator replaced the method: import it afresh.",
        )
    return file, _definition(_parsed(file, text), code)


def function_place(function: FunctionType) -> Place:
    """Where a function begins, as far as its code tells."""
    return Place(function.__code__.co_filename, function.__code__.co_firstlineno, 0, 10_000)


def _refuse_surroundings(function: FunctionType, at: Place) -> None:
    """Raises ModelError if names in a function mean something else than in its module, or than in Python."""
    name = function.__qualname__
    inner = [free for free in function.__code__.co_freevars if free != "__class__"]  # that of super()
    if inner:
        sentence = f"{name} reads {', '.join(inner)} from the function in which it is written."
        remedy = "Write the model, and what it uses, at the top of the file and without other decorators."
        raise ModelError(at, sentence, remedy)
    if getattr(function, "__builtins__", None) is not vars(builtins) or type(function.__globals__) is not dict:
        raise ModelError(at, f"{name} has builtins or globals of its own.", "Leave __builtins__ and globals() alone.")


def _definition(tree: ast.Module, code: CodeType) -> ast.FunctionDef:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    raise ModelError(
        Place(code.co_filename, code.co_firstlineno), f"{code.co_name} is not written with def.", "Write it with def."
    )


def class_tree(cls: type) -> tuple[str, ast.ClassDef]:
    """The file and the syntax tree of a class."""
    try:
        file = inspect.getsourcefile(cls) or ""
    except (OSError, TypeError):
        file = ""
    text = _text(file, cls.__name__) if file else ""
    for node in _classes(_parsed(file, text) if text else ast.Module([], [])):
        if node[0] == cls.__qualname__:
            return file, node[1]
    raise ModelError(
        Place(file, 0), f"{cls.__name__} has no source text that can be read.", "Write the model in a file."
    )


def _classes(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield prefix + node.name, node
            yield from _classes(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield from _classes(node, f"{prefix}{node.name}.<locals>.")
        elif not isinstance(node, ast.expr):
            yield from _classes(node, prefix)


def model_files(ir: ModelIR) -> tuple[Path, ...]:
    """The files in which a model's declarations, methods, policies and helpers are written, by name."""
    methods = (*ir.actions, *ir.properties, *ir.lemmas, *ir.assumptions, *ir.applicability)
    places = [ir.at, *(constant.at for constant in ir.constants), *(variable.at for variable in ir.variables)]
    places += [method.at for method in (*methods, *ir.helpers.values())]
    return tuple(sorted({Path(place.file) for place in places}, key=lambda file: (file.name, str(file))))
