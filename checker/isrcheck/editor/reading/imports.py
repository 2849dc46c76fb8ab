"""The files whose text a model's meaning depends on: those in which it stands, and all that they import."""

import ast
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import resolve_name
from types import ModuleType

from isrcheck.place import source_text

_OWN = frozenset(sys.modules)  # of the process that has read nothing yet


def all_texts(files: Iterable[str]) -> tuple[str, ...]:
    """The files of the modules that this process imported for the reading, without isrcheck's own."""
    imported = [module for name, module in sys.modules.items() if name not in _OWN]
    modules = {file: module for module in imported if (file := _file(module))}
    files_found = dict.fromkeys(files)
    waiting = list(files_found)
    while waiting:
        module = modules.get(waiting.pop())
        for name in _imports(module) if module else ():
            file = _file(sys.modules.get(name))
            if file in modules and file not in files_found:
                files_found[file] = None
                waiting.append(file)
    return tuple(sorted(files_found))


def _file(module: ModuleType | None) -> str:
    """Return the path of a module's Python file; empty for a module that has none."""
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) and file.endswith(".py") else ""


def _imports(module: ModuleType) -> Iterator[str]:
    """Dotted names, of modules or of what stands in them."""
    with suppress(OSError, SyntaxError, UnicodeDecodeError, RecursionError, ImportError):
        for node in ast.walk(ast.parse(source_text(_file(module)))):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = resolve_name("." * node.level + (node.module or ""), module.__package__)
                yield origin
                yield from (f"{origin}.{each.name}" for each in node.names)
