"""Imports of models that run the text which is there, whatever bytecode lies beside it.

CPython believes a `.pyc` whose source has the size and the second of the last change that are written in it, so that an
edit within that second is not run. A user's files are compiled at each import; a package that offers models keeps its
bytecode where every time of the source, the change of the file included, is before that of the bytecode.

Bytecode that is not of the text, of modules that somebody else imported than isrcheck, is refused.
"""

import marshal
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from isrcheck.errors import ModelError
from isrcheck.place import Place, source_bytes, unsaved

LoaderOf = Callable[[str, str], SourceFileLoader]  # of a module's name and file

_MARGIN_NS = 2_000_000_000  # between reading a source and writing its bytecode, and file systems that round times
_INSTALLED = {"site-packages", "dist-packages"}
_STANDARD_LIBRARY = Path(os.__file__).parent
_OWN_FOLDER = Path(__file__).parent.parent


class SourceLoader(SourceFileLoader):
    """A loader that neither reads nor writes bytecode; `source` is what it compiled last."""

    source = b""

    def get_code(self, fullname: str) -> CodeType | None:
        self.source = self.get_data(self.path)
        return self.source_to_code(self.source, self.path)

    def has_changed(self) -> bool:
        """Whether the file holds another text now, or none."""
        try:
            return source_bytes(self.path) != self.source
        except OSError:
            return True


class OfferedLoader(SourceFileLoader):
    """A loader of a package that offers models, which removes bytecode that may be of an earlier text."""

    def path_stats(self, path: str) -> Any:
        bytecode = Path(cache_from_source(path))
        if not is_older(Path(path), bytecode):
            with suppress(FileNotFoundError):
                bytecode.unlink()  # an OSError where that is forbidden: CPython then asks for no bytecode
        return super().path_stats(path)


def is_older(source: Path, bytecode: Path) -> bool:
    """Whether a source was last changed before its bytecode was written; False where one is not there."""
    try:
        times = source.stat()
        return max(times.st_mtime_ns, times.st_ctime_ns) + _MARGIN_NS < bytecode.stat().st_mtime_ns
    except OSError:
        return False


def is_installed(file: Path) -> bool:
    """Whether a file is of Python, of isrcheck or of an installed package."""
    below = file.is_relative_to(_STANDARD_LIBRARY) or file.is_relative_to(_OWN_FOLDER)
    return below or not _INSTALLED.isdisjoint(file.parts)


class _SourceFinder:
    """The finders behind it, with another loader for what they find in files of source."""

    def __init__(self, loader_of: LoaderOf) -> None:
        self.loader_of = loader_of

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module's spec; None if there is no such module."""
        behind = sys.meta_path[sys.meta_path.index(self) + 1 :] if self in sys.meta_path else []
        specs = (finder.find_spec(name, path, target) for finder in behind if hasattr(finder, "find_spec"))
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = self.loader_of(spec.loader.name, spec.loader.path)
        return spec


@contextmanager
def use_loaders(loader_of: LoaderOf) -> Iterator[None]:
    """A context in which modules of source are imported with the loaders that a function chooses."""
    finder = _SourceFinder(loader_of)
    at = next((i for i, each in enumerate(sys.meta_path) if each is PathFinder), 0)
    sys.meta_path.insert(at, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def modules_from_source() -> dict[str, SourceLoader]:
    """The loaders of the modules that were compiled when they were imported, by the modules' names."""
    loaders = {name: getattr(getattr(m, "__spec__", None), "loader", None) for name, m in list(sys.modules.items())}
    return {name: loader for name, loader in loaders.items() if isinstance(loader, SourceLoader)}


_HEADER = 16  # bytes: magic number, flags, time and size of the source
_known: dict[str, ModuleSpec] = {}  # by the module's name, what was compared already


def refuse_stale_bytecode() -> None:
    """Refuse models while a module of this process may be of another text than its file has. Raises ModelError."""
    for name, spec in _not_compared():
        file = Path(spec.loader.path)  # type: ignore[union-attr]  # a SourceFileLoader
        bytecode = Path(cache_from_source(str(file)))
        if not is_older(file, bytecode) and _is_stale(file, bytecode):
            sentence = f"Python runs bytecode of {file.name} that is not of the text which the file has now."
            raise ModelError(Place(str(file), 1), sentence, f"Remove {bytecode}, and start Python again.")
        _known[name] = spec


def _not_compared() -> Iterator[tuple[str, ModuleSpec]]:
    """Yield what CPython imported by itself from files that are not installed."""
    for name, module in list(sys.modules.items()):
        spec: ModuleSpec | None = getattr(module, "__spec__", None)
        loader = getattr(spec, "loader", None)
        if spec is not None and type(loader) is SourceFileLoader and _known.get(name) is not spec:
            if loader.path in unsaved or is_installed(Path(loader.path)):
                _known[name] = spec
            else:
                yield name, spec


def _is_stale(file: Path, bytecode: Path) -> bool:
    """Whether CPython would take this bytecode for the file, and the file compiles to other code."""
    try:
        content, source, times = bytecode.read_bytes(), file.read_bytes(), file.stat()
        signs = int(times.st_mtime).to_bytes(4, "little") + (len(source) & 0xFFFFFFFF).to_bytes(4, "little")
        if content[4:_HEADER] != bytes(4) + signs:
            return False
        code = marshal.loads(content[_HEADER:])
        return not isinstance(code, CodeType) or code != compile(source, str(file), "exec", dont_inherit=True)
    except (OSError, ValueError, EOFError, TypeError, SyntaxError):
        return False  # then it is not what ran
