"""Models from source text: written to a file, as the reader wants it, and imported under a name of their own."""

import importlib.util
import itertools
import sys
from pathlib import Path

from isrcheck import Model

_numbers = itertools.count(1)

HEADER = """from __future__ import annotations

from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import (
    Model, Sort, Taken, UpTo, action, assume, constant, each, history, invariant, members,
    policy, reachable, require, step,
)

"""


def load(text: str, folder: Path) -> type[Model]:
    """The last model class that a text defines. The text is a whole module."""
    name = f"written_model_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = [c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Model) and c.__module__ == name]
    return found[-1]
