"""Models from source text: written to a file, as the reader wants it, imported, and run on both explicit engines."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from isrcheck import Model
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower


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


def explore_both(cls: type[Model], **constants: Any) -> Searched:
    """The whole graph of a model, on which both engines must agree; what they found by the names of properties."""
    model = bind(read_model(cls), constants)
    kinds = {p.name: p.kind for p in model.properties}
    system = lower(model)
    graph = Explorer(ReferenceStepper(model), {}, Request()).run()
    assert graph.complete
    assert same(graph, Explorer(ScalarStepper(system), {}, Request()).run())
    decided = Request(properties=tuple(kinds), deadlock=True)
    one = Explorer(ReferenceStepper(model), kinds, decided).run()
    two = Explorer(ScalarStepper(system), kinds, decided).run()
    assert same(one, two)
    return replace(graph, paths=one.paths)


def same(one: Searched, two: Searched) -> bool:
    """Whether two searches saw the same, in whatever time."""
    assert replace(one, seconds=0) == replace(two, seconds=0)
    return True
