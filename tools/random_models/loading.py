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
    Model, Sort, Taken, UpTo, action, assume, constant, each, enabled, history, invariant, members,
    policy, reachable, require, step,
)

"""


def load(source: str, folder: Path) -> type[Model]:
    """Import a module, and return the last model class that it defines."""
    name = f"written_model_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    models = [c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Model) and c.__module__ == name]
    return models[-1]
