"""A model file imported as the command line imports it; one of a package with models, as that package does.

Text that an editor has and the disk has not is imported as if it were on disk, for a process that reads once and ends.
"""

import ast
import io
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

from isrcheck import place
from isrcheck.catalogue import import_error, import_offered_as_source, load_file, models_by_name, offers
from isrcheck.lang.declare import Model
from isrcheck.place import source_text


def packages() -> dict[str, Path]:
    """The packages that offer models, by name, without importing them."""
    names = dict.fromkeys(offer.value.partition(":")[0].partition(".")[0] for offer in offers())
    specs = ((name, find_spec(name)) for name in names)
    return {name: Path(spec.origin).parent for name, spec in specs if spec and spec.origin}


def _name_in_package(file: Path) -> str:
    """Return a file's module name in a package that offers models; empty if it is in none."""
    for name, folder in packages().items():
        if file.is_relative_to(folder):
            parts = file.relative_to(folder).with_suffix("").parts
            return ".".join((name, *(parts if parts[-1] != "__init__" else parts[:-1])))
    return ""


def load(file: Path) -> ModuleType:
    """Import a file's module. Raises ModelError, or an exception with which the file ends its process."""
    name = _name_in_package(file)
    if not name:
        return load_file(file)
    try:
        with import_offered_as_source():
            return import_module(name)
    except BaseException as error:
        raise import_error(file, error) from None


def models_of(module: ModuleType) -> Iterator[type[Model]]:
    """Yield the models that a module defines, in the order of its text."""
    for value in dict.fromkeys(value for value in vars(module).values() if isinstance(value, type)):
        if issubclass(value, Model) and value is not Model and value.__module__ == module.__name__:
            yield value


def argument_of(file: Path, model: type[Model]) -> str:
    """The command line's name of a model: its name in the list, or FILE.py:Class."""
    listed = models_by_name().items() if _name_in_package(file) else ()
    return next((name for name, known in listed if known is model), f"{file}:{model.__name__}")


_stats_on_disk = SourceFileLoader.path_stats
_data_on_disk = SourceFileLoader.get_data


def take_unsaved(texts: Mapping[str, str]) -> None:
    """Modules of these files are compiled from these texts, and the reader compares with the same."""
    place.unsaved.update({file: _as_saved(source) for file, source in texts.items()})
    SourceFileLoader.path_stats = _path_stats  # type: ignore[assignment,method-assign]  # all imports end there
    SourceFileLoader.get_data = _get_data  # type: ignore[method-assign,assignment]  # likewise


def _as_saved(source: str) -> bytes:
    """Encode a text as its first lines name the encoding."""
    data = source.encode(errors="surrogatepass")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return source.encode("utf-8" if encoding == "utf-8-sig" else encoding)
    except (SyntaxError, UnicodeEncodeError, LookupError):
        return data  # CPython will say the same of it


def _path_stats(loader: SourceFileLoader, path: str) -> Any:
    if path in place.unsaved:
        raise OSError(f"{path} is not saved")  # so that no bytecode is read or written
    return _stats_on_disk(loader, path)


def _get_data(loader: SourceFileLoader, path: str) -> bytes:
    known = place.unsaved.get(path)
    return _data_on_disk(loader, path) if known is None else known


_OWN = frozenset(sys.modules)  # of the process that has read nothing yet


def files_behind(files: Iterable[str]) -> tuple[str, ...]:
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
