"""Bytecode that is not of the text, of modules that somebody else imported than isrcheck."""

import marshal
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType

from isrcheck.errors import ModelError
from isrcheck.lang.source_loader import is_installed, is_older
from isrcheck.place import Place, unsaved

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
