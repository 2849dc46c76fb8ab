"""Models written to a file by a test."""

import importlib.util
import sys
from pathlib import Path

import pytest

from isrcheck import Model


def load_model(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> type[Model]:
    """The last model of a text, written to model.py in a folder and imported."""
    file = folder / "model.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("model", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "model", module)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec.loader.exec_module(module)
    return [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, Model) and v is not Model][-1]
