"""Bytecode of an earlier text, with the size and the second of the one that is there: never what is checked."""

import importlib
import os
import py_compile
import sys
from pathlib import Path

import pytest

from isrcheck import Verdict, check
from isrcheck.catalogue import find_model, load_file
from isrcheck.errors import ModelError
from isrcheck.lang import source_loader
from isrcheck.lang.source_loader import OfferedLoader, use_loaders

KINDS = """
from enum import Enum
from typing import Annotated

from isrcheck import UpTo

N = Annotated[int, UpTo({bound})]
FIRST = {first}


class Pace(Enum):
    SLOW = 1
    {second} = 2
"""
MODEL = """
from isrcheck import Model, action, constant, invariant, require


class M(Model):
    top: int = constant({top}, "The last value.")
    n: N = FIRST
    pace: Pace = Pace.SLOW

    @action
    def up(self) -> None:
        require(self.n < self.top)
        self.n += 1

    @action
    def hurry(self, pace: Pace) -> None:
        self.pace = pace

    @invariant
    def small(self) -> bool:
        return self.n < 4
"""
HOLDS = {"bound": 3, "first": 0, "second": "FAST", "top": 9}
TIME = 1_700_000_000


def write(file: Path, text: str) -> None:
    """Write a text with a time of the last change that is always the same."""
    file.write_text(text)
    os.utime(file, (TIME, TIME))


def lay_out(folder: Path, is_apart: bool, **values: object) -> Path:
    """Write a model, with its bounds in the same file or in a sibling."""
    kinds, model = KINDS.format(**(HOLDS | values)), MODEL.format(**(HOLDS | values))
    if is_apart:
        write(folder / "kinds_beside.py", kinds)
    write(folder / "m.py", ("from kinds_beside import FIRST, N, Pace\n" if is_apart else kinds) + model)
    return folder / "m.py"


def with_stale_bytecode(folder: Path, is_apart: bool, **edited: object) -> Path:
    """Lay out a model whose bytecode is of the text before the edit."""
    lay_out(folder, is_apart)
    for file in folder.glob("*.py"):
        py_compile.compile(str(file))
    return lay_out(folder, is_apart, **edited)


@pytest.fixture(autouse=True)
def _no_sibling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "kinds_beside", raising=False)


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("is_apart", "edited"),
    [pytest.param(False, {"bound": 5}, id="bound"), pytest.param(True, {"bound": 5}, id="bound-in-a-sibling")],
)
def test_every_engine_checks_what_the_files_hold(
    tmp_path: Path, is_apart: bool, edited: dict[str, object], engine: str
) -> None:
    file = with_stale_bytecode(tmp_path, is_apart, **edited)
    assert check(find_model(f"{file}:M"), engine=engine).verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("is_apart", "edited", "stands"),
    [
        pytest.param(False, {"bound": 5}, "UpTo('5')", id="bound"),
        pytest.param(True, {"bound": 5}, "UpTo('5')", id="bound-in-a-sibling"),
        pytest.param(False, {"first": 4}, "first 4", id="initial-value"),
        pytest.param(True, {"first": 4}, "first 4", id="initial-value-in-a-sibling"),
        pytest.param(False, {"second": "FULL"}, "FULL", id="enumeration"),
        pytest.param(True, {"second": "FULL"}, "FULL", id="enumeration-in-a-sibling"),
        pytest.param(False, {"top": 8}, "default=8", id="constant"),
    ],
)
def test_what_is_checked_is_what_the_files_hold(
    tmp_path: Path, is_apart: bool, edited: dict[str, object], stands: str
) -> None:
    module = load_file(with_stale_bytecode(tmp_path, is_apart, **edited))
    known = f"{module.N} first {module.FIRST} {[*module.Pace]} {vars(module.M)}"
    assert stands in known


def test_a_sibling_that_was_edited_is_read_again(tmp_path: Path) -> None:
    before = find_model(f"{lay_out(tmp_path, True)}:M")
    assert check(before).verdict is Verdict.HOLDS
    assert find_model(f"{tmp_path / 'm.py'}:M") is before
    lay_out(tmp_path, True, bound=5)
    assert check(find_model(f"{tmp_path / 'm.py'}:M")).verdict is Verdict.VIOLATED


def test_a_sibling_in_a_folder_without_init_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "shelf_of_kinds").mkdir()
    file = tmp_path / "m.py"
    write(tmp_path / "shelf_of_kinds" / "kinds.py", KINDS.format(**HOLDS))
    write(file, "from shelf_of_kinds import kinds\n\nFIRST, N, Pace = kinds.FIRST, kinds.N, kinds.Pace\n")
    assert load_file(file).FIRST == 0
    write(tmp_path / "shelf_of_kinds" / "kinds.py", KINDS.format(**(HOLDS | {"first": 4})))
    assert load_file(file).FIRST == 4


def test_a_module_imported_by_hand_from_stale_bytecode_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_stale_bytecode(tmp_path, True, bound=5)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "m", raising=False)
    module = importlib.import_module("m")
    try:
        with pytest.raises(ModelError, match=r"Python runs bytecode of kinds_beside\.py that is not of the text"):
            check(module.M)
    finally:
        for name in ("m", "kinds_beside"):
            sys.modules.pop(name, None)
            source_loader._known.pop(name, None)


def test_a_package_that_offers_models_runs_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_stale_bytecode(tmp_path, True, bound=5)
    monkeypatch.syspath_prepend(str(tmp_path))
    with use_loaders(OfferedLoader):
        module = importlib.import_module("kinds_beside")
    del sys.modules["kinds_beside"]
    assert "5" in str(module.N)
