"""The text of a function, proved to be the text that runs.

The file is compiled again and the code object is compared with the one that CPython holds.
"""

import ast
import builtins
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

from isrcheck.errors import ModelError
from isrcheck.ir.model import ModelIR
from isrcheck.lang import declare
from isrcheck.lang.declare import attributes
from isrcheck.lang.network import KINDS
from isrcheck.lang.record import Record
from isrcheck.place import Place, character, source_text

_ABSENT: Final = object()
_GENUINE: Final = dict(vars(builtins))  # before any model's file was imported


def place_of(file: str, node: ast.AST) -> Place:
    """The place of a node: its first line, and the span in it."""
    line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    one_line = getattr(node, "end_lineno", line) == line
    end = character(file, line, getattr(node, "end_col_offset", column + 1)) if one_line else 10_000
    return Place(file, line, character(file, line, column), end)


@lru_cache(maxsize=256)
def _parse(file: str, source: str) -> ast.Module:
    return ast.parse(source, file)


@lru_cache(maxsize=256)
def _code_objects(file: str, source: str) -> dict[tuple[str, int], list[CodeType]]:
    """The code objects of a file by name and first line."""
    code_objects: dict[tuple[str, int], list[CodeType]] = {}
    waiting = [compile(_parse(file, source), file, "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        code_objects.setdefault((code.co_name, code.co_firstlineno), []).append(code)
        waiting.extend(c for c in code.co_consts if isinstance(c, CodeType))
    return code_objects


def _source_of(file: str, what: str) -> str:
    try:
        return source_text(file)
    except (OSError, SyntaxError, UnicodeDecodeError):
        sentence = f"{what} has no source text that can be read."
        raise ModelError(Place(file, 0), sentence, "Write the model in a file.") from None


def function_tree(function: object) -> tuple[str, ast.FunctionDef]:
    """The file and the syntax tree. Raises ModelError if the text is not what runs."""
    if not isinstance(function, FunctionType):
        remedy = "Write it with def, without other decorators."
        raise ModelError(Place("", 0), f"{function!r} is not a plain method.", remedy)
    code = function.__code__
    file, name, at = code.co_filename, function.__qualname__, Place(code.co_filename, code.co_firstlineno)
    _refuse_surroundings(function, at)
    source, key = _source_of(file, name), (code.co_name, code.co_firstlineno)
    if code not in _code_objects(file, source).get(key, []):
        remedy = "The file was changed after it was imported, or a decorator replaced the method: import it afresh."
        raise ModelError(at, f"the text of {name} is not what Python runs.", remedy)
    if definition := _definitions(file, source).get(key):
        return file, definition
    raise ModelError(at, f"{code.co_name} is not written with def.", "Write it with def.")


def function_place(function: FunctionType) -> Place:
    return Place(function.__code__.co_filename, function.__code__.co_firstlineno, 0, 10_000)


def _refuse_surroundings(function: FunctionType, at: Place) -> None:
    """Refuse a function with a closure, or with builtins of its own."""
    name = function.__qualname__
    inner = [free for free in function.__code__.co_freevars if free != "__class__"]  # that of super()
    if inner:
        sentence = f"{name} reads {', '.join(inner)} from the function in which it is written."
        remedy = "Write the model, and what it uses, at the top of the file and without other decorators."
        raise ModelError(at, sentence, remedy)
    if getattr(function, "__builtins__", None) is not vars(builtins) or type(function.__globals__) is not dict:
        raise ModelError(at, f"{name} has builtins or globals of its own.", "Leave __builtins__ and globals() alone.")


@lru_cache(maxsize=256)
def _definitions(file: str, source: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """The functions of a file by name and first line, that of the first decorator."""
    functions = [node for node in ast.walk(_parse(file, source)) if isinstance(node, ast.FunctionDef)]
    lines = [min([node.lineno, *(d.lineno for d in node.decorator_list)]) for node in functions]
    return {(node.name, line): node for node, line in reversed([*zip(functions, lines, strict=True)])}


def class_tree(cls: type) -> tuple[str, ast.ClassDef]:
    try:
        file = inspect.getsourcefile(cls) or ""
    except (OSError, TypeError):
        file = ""
    source = _source_of(file, cls.__name__) if file else ""
    tree = _parse(file, source)
    for name, node in _classes(tree):
        if name == cls.__qualname__:
            return file, node
    sentence = f"{cls.__name__} has no source text that can be read."
    in_cell = "; in a notebook, %%writefile FILE.py in the cell's first line does that, and FILE.py:{} is checked then."
    of_a_cell = "ipykernel" in sys.modules and cls.__module__ == "__main__"
    remedy = f"Write the model in a file{in_cell.format(cls.__name__) if of_a_cell else '.'}"
    raise ModelError(Place(file, 0), sentence, remedy)


def _classes(tree: ast.AST, path: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield path + node.name, node
            yield from _classes(node, f"{path}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield from _classes(node, f"{path}{node.name}.<locals>.")
        elif not isinstance(node, ast.expr):
            yield from _classes(node, path)


def places_in_class(file: str, block: ast.AST) -> Iterator[tuple[str, Place]]:
    """Yield the names that a class body defines with their places, compound statements included."""
    for node in ast.iter_child_nodes(block):
        names: list[str] = []
        match node:
            case ast.AnnAssign(ast.Name(name)) | ast.FunctionDef(name) | ast.ClassDef(name):
                names = [name]
            case ast.Assign(targets):
                names = [inner.id for t in targets for inner in ast.walk(t) if isinstance(inner, ast.Name)]
            case ast.stmt() | ast.ExceptHandler() | ast.match_case():
                yield from places_in_class(file, node)
        yield from ((name, place_of(file, node)) for name in names)


def model_files(ir: ModelIR) -> tuple[Path, ...]:
    """The files of all declarations of a model, sorted by name."""
    places = [ir.at, *(constant.at for constant in ir.constants), *(variable.at for variable in ir.variables)]
    places += [method.at for method in (*ir.methods, *ir.helpers.values())]
    return tuple(sorted({Path(place.file) for place in places}, key=lambda file: (file.name, str(file))))


@dataclass
class Sources:
    """The functions, classes and global names from which one model was read."""

    functions: dict[FunctionType, CodeType] = field(default_factory=dict)
    classes: dict[type, dict[str, Any]] = field(default_factory=dict)
    globals: list[tuple[Mapping[str, Any], str, object]] = field(default_factory=list)
    builtins: set[str] = field(default_factory=set)

    def add_function(self, function: FunctionType, tree: ast.FunctionDef) -> None:
        """Remember a function, and what its names mean now."""
        code = function.__code__
        self.functions[function] = code
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {*code.co_varnames}
        self.globals += [(function.__globals__, name, function.__globals__.get(name, _ABSENT)) for name in names]
        self.builtins |= {name for name in names - function.__globals__.keys() if name in _GENUINE}

    def find_change(self) -> str:
        """The first source that is another one now, as the subject of a sentence; empty if none is."""
        for name in sorted(self.builtins):
            if vars(builtins).get(name) is not _GENUINE[name]:
                return f"Python's own {name}()"
        for owner, functions in (("the code of", self.functions), ("isrcheck's own", _OWN_CODE)):
            for function, code in functions.items():
                if function.__code__ is not code:
                    return f"{owner} {function.__qualname__}()"
        for module, name, value in self.globals:
            if module.get(name, _ABSENT) is not value:
                return f"the global name {name} of {module.get('__name__', 'its module')}"
        for owner, classes in (("isrcheck's own ", _OWN_CLASSES), ("", self.classes)):
            for cls, before in classes.items():
                if name := declare.difference(before, attributes(cls)):
                    return f"{owner}{cls.__name__}.{name}"
        return ""


_OWN_CODE: Final = {each: each.__code__ for each in vars(declare).values() if isinstance(each, FunctionType)}
_OWN_CLASSES: Final[dict[type, dict[str, Any]]] = {
    each: attributes(each) for each in (declare.Model, declare.Sort, declare.SortMeta, Record, *KINDS.values())
}
