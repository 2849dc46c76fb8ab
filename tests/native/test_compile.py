"""Compiled models on disk."""

from pathlib import Path

import pytest
from tests.native.systems import counter

from isrcheck.engines.contract import Request
from isrcheck.engines.native import compile as compiling
from isrcheck.engines.native.engine import explore


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []
    original = compiling.optimize

    def counting(text: str) -> bytes:
        made.append(text)
        return original(text)

    monkeypatch.setattr(compiling, "optimize", counting)
    return made


def test_a_model_is_compiled_once(directory: Path, compilations: list[str]) -> None:
    for _ in range(3):
        assert explore(counter(10), Request()).distinct == 10
    assert len(compilations) == 1
    assert len(list(directory.glob("*.o"))) == 1


def test_another_model_or_property_is_compiled_anew(directory: Path, compilations: list[str]) -> None:
    explore(counter(10), Request())
    explore(counter(11), Request())
    explore(counter(11), Request(properties=("small",)))
    assert len(compilations) == 3


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty"])
def test_a_damaged_entry_is_compiled_again(directory: Path, compilations: list[str], damage: str) -> None:
    explore(counter(10), Request())
    (entry,) = directory.glob("*.o")
    whole = entry.read_bytes()
    changed = {"flipped": whole[:99] + bytes([whole[99] ^ 1]) + whole[100:], "cut": whole[:-9], "empty": b""}
    entry.write_bytes(changed[damage])
    assert explore(counter(10), Request()).distinct == 10
    assert len(compilations) == 2
    assert entry.read_bytes() == whole


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert explore(counter(10), Request()).distinct == 10
