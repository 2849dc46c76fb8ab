"""What the text of a model was read from, so that it shows when CPython would run something else than was read."""

import ast
import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, Final

from isrcheck.lang import declare
from isrcheck.lang.declare import attributes

_ABSENT: Final = object()
_GENUINE: Final = dict(vars(builtins))  # before any model's file was imported


@dataclass
class Sources:
    """The functions, classes and names outside of them from which one model was read."""

    functions: dict[FunctionType, CodeType] = field(default_factory=dict)
    classes: dict[type, dict[str, Any]] = field(default_factory=dict)
    globals: list[tuple[Mapping[str, Any], str, object]] = field(default_factory=list)
    builtins: set[str] = field(default_factory=set)

    def add_function(self, function: FunctionType, tree: ast.FunctionDef) -> None:
        """A function, and what the names mean that it reads from its module or from Python."""
        self.functions[function] = function.__code__
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {*function.__code__.co_varnames}
        self.globals += [(function.__globals__, name, function.__globals__.get(name, _ABSENT)) for name in names]
        self.builtins |= {name for name in names - function.__globals__.keys() if name in _GENUINE}

    def add_classes(self, classes: Iterable[type]) -> None:
        """Classes with all that they define."""
        self.classes.update((cls, attributes(cls)) for cls in classes)

    def changed(self) -> str:
        """Which of these is another now, as the subject of a sentence; empty if none is."""
        for name in sorted(self.builtins):
            if vars(builtins).get(name) is not _GENUINE[name]:
                return f"Python's own {name}()"
        for function, code in self.functions.items():
            if function.__code__ is not code:
                return f"the code of {function.__qualname__}()"
        for function, code in _OWN_CODE.items():
            if function.__code__ is not code:
                return f"isrcheck's own {function.__name__}()"
        for cls, before in _OWN_CLASSES.items():
            if name := declare.difference(before, attributes(cls)):
                return f"isrcheck's own {cls.__name__}.{name}"
        for module, name, value in self.globals:
            if module.get(name, _ABSENT) is not value:
                return f"the global name {name} of {module.get('__name__', 'its module')}"
        for cls, before in self.classes.items():
            if name := declare.difference(before, attributes(cls)):
                return f"{cls.__name__}.{name}"
        return ""


_OWN_CODE: Final = {word: word.__code__ for word in vars(declare).values() if isinstance(word, FunctionType)}
_OWN_CLASSES: Final[dict[type, dict[str, Any]]] = {
    word: attributes(word) for word in (declare.Model, declare.Sort, declare.SortMeta)
}
