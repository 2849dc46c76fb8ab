"""The inputs of a result: a model's text, as a key, and a user's own files, which workers are sent."""

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from msgspec import structs

from isrcheck.errors import UsageError
from isrcheck.files import write_aside
from isrcheck.grid.cells import GridCell
from isrcheck.ir.frozen import field_names, is_data
from isrcheck.ir.model import ModelIR
from isrcheck.place import Place, source_text
from isrcheck.run.trace import drawing_to_json

_MOST_BYTES = 8 << 20
# A user's file is loaded as a module whose name has a number that is another one in each process.
_LOADED = re.compile(r"\bisrcheck_model_(\w+)_[0-9a-f]+\b")


def text_key(ir: ModelIR) -> str:
    """The hash of a model as it was read, without comments, blank lines and places."""
    digest = hashlib.sha256()
    for leaf in _parts(ir):
        digest.update(len(leaf.encode()).to_bytes(4, "little") + leaf.encode())
    drawing = getattr(ir.cls, "drawing", None)
    digest.update(json.dumps(drawing_to_json(drawing) if drawing else None, sort_keys=True).encode())
    return digest.hexdigest()


def cell_key(cell: GridCell, model_hash: str, version: str) -> str:
    """The key of a cell: all that its result depends on, and isrcheck's version."""
    parts: list[Any] = [
        version,
        model_hash,
        cell.model,
        sorted(cell.constants.items()),
        cell.properties,
        structs.asdict(cell.limits),
    ]
    parts.append(cell.refused and cell.refused[0])  # not the sentence, which says where the model's file lies
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _parts(node: Any) -> Iterator[str]:
    """Yield a text for each leaf of a model's text, in order, and for the beginning of each list."""
    match node:
        case Place():
            return
        case None | bool() | int():
            yield repr(node)
        case str():
            yield "'" + _LOADED.sub(r"\1", node)
        case Enum():
            yield f"{type(node).__qualname__}.{node.name}"
        case type():
            yield node.__qualname__
        case Mapping():
            yield f"map {len(node)}"
            for key, value in node.items():
                yield from (*_parts(key), *_parts(value))
        case frozenset():
            yield f"set {len(node)}"
            yield from sorted("\0".join(_parts(each)) for each in node)
        case tuple() | list():
            yield f"{type(node).__qualname__} {len(node)}"
            for each in node:
                yield from _parts(each)
        case _ if is_data(type(node)):
            yield type(node).__qualname__
            for name in field_names(type(node)):
                if name not in ("cls", "make"):  # the class is the text, and a domain's name says what it makes
                    yield from _parts(getattr(node, name))
        case _:  # whatever else a declaration may hold, such as an annotation
            yield f"{type(node).__qualname__} {_LOADED.sub(lambda m: m[1], repr(node))}"


def sources_of(model: str) -> dict[str, str]:
    """The texts of FILE.py:Class, once loaded, and what it imported, by path. Raises UsageError if too large."""
    if ".py" not in model:
        return {}
    folder = Path(model.partition(":")[0]).resolve().parent
    loaded = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    files = sorted({Path(f).resolve() for f in loaded if f.endswith(".py")})
    # Not of an environment that happens to lie below the folder.
    own = (f for f in files if "site-packages" not in f.parts and not f.is_relative_to(Path(__file__).parents[1]))
    texts = {str(f.relative_to(folder)): source_text(f) for f in own if f.is_relative_to(folder)}
    if sum(map(len, texts.values())) > _MOST_BYTES:
        raise UsageError(
            f"{model} has more than {_MOST_BYTES >> 20} MiB of Python beside it: give it a folder of its own."
        )
    return texts


def place_sources(model: str, texts: dict[str, str]) -> str:
    """The name under which a worker finds the model: the same, or that of a copy of its files."""
    if not texts:
        return model
    path, _, class_name = model.partition(":")
    content = hashlib.sha256("\0".join(f"{n}\0{t}" for n, t in sorted(texts.items())).encode()).hexdigest()
    folder = Path(tempfile.gettempdir()) / f"isrcheck-{content[:32]}"
    for name, source in texts.items():
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != source:
            write_aside(folder / name, source)
    return f"{folder / Path(path).name}:{class_name}"
