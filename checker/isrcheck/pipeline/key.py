"""What a result depends on, as a key: two cells have the same one only if the same would be computed."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from typing import Any

from isrcheck.grid.cells import GridCell
from isrcheck.ir.model import ModelIR
from isrcheck.place import Place
from isrcheck.run.drawing import drawing_to_json

# A user's file is loaded as a module whose name has a number that is another one in each process.
_LOADED = re.compile(r"\bisrcheck_model_(\w+)_[0-9a-f]+\b")


def text_key(ir: ModelIR) -> str:
    """The hash of a model as it was read: its declarations and methods, whatever files they are in.

    Comments, blank lines and the places of things do not count; docstrings do, since traces show them.
    """
    whole = hashlib.sha256()
    for part in _parts(ir):
        whole.update(len(part.encode()).to_bytes(4, "little") + part.encode())
    drawing = getattr(ir.cls, "drawing", None)
    whole.update(json.dumps(drawing_to_json(drawing) if drawing else None, sort_keys=True).encode())
    return whole.hexdigest()


def cell_key(cell: GridCell, text: str, version: str) -> str:
    """The key of a cell: of its model's text, constants, properties and limits, and of isrcheck's version.

    `text` is the model's `text_key`. The names of the grid and of the model do not count, apart from what they show.
    """
    parts: list[Any] = [version, text, cell.model, sorted(cell.constants.items()), cell.properties, asdict(cell.limits)]
    parts.append(cell.refused and cell.refused[0])  # not the sentence, which says where the model's file lies
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _parts(part: Any) -> Iterator[str]:
    """A text for each leaf of a model's text, in order; where lists begin and end is among them."""
    match part:
        case Place():
            return
        case None | bool() | int():
            yield repr(part)
        case str():
            yield "'" + _LOADED.sub(r"\1", part)
        case Enum():
            yield f"{type(part).__qualname__}.{part.name}"
        case type():
            yield part.__qualname__
        case Mapping():
            yield f"map {len(part)}"
            for key, value in part.items():
                yield from (*_parts(key), *_parts(value))
        case frozenset():
            yield f"set {len(part)}"
            yield from sorted("\0".join(_parts(each)) for each in part)
        case tuple() | list():
            yield f"{type(part).__qualname__} {len(part)}"
            for each in part:
                yield from _parts(each)
        case _ if is_dataclass(part):
            yield type(part).__qualname__
            for field in fields(part):
                if field.name not in ("cls", "make"):  # the class is the text, and a domain's name says what it makes
                    yield from _parts(getattr(part, field.name))
        case _:
            yield _plain(part)


def _plain(part: Any) -> str:
    """Anything else that a declaration may hold, such as an annotation."""
    return f"{type(part).__qualname__} {_LOADED.sub(lambda m: m[1], repr(part))}"
