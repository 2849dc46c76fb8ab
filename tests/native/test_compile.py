"""Compiled models on disk."""

import types
from pathlib import Path

import pytest
from tests.native.systems import counter

from isrcheck.engines.contract import Request
from isrcheck.engines.native import compile as compiling
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.translate import NotInDialect, translate


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


def translated(text: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("kernel") / "kernel.py"
    file.write_text(text)
    module = types.ModuleType("kernel")
    module.__file__ = str(file)
    return translate([module], {}, {}, {"f"})


@pytest.mark.parametrize(
    "body",
    [
        "return [1]",
        "x: int = 1",
        "return g(1)",
        "with a: pass",
        "return 1.5",
        "return 1 < a < 3",
        "try:\n        a = 1\n    finally:\n        a = 2",
        "return -a",
    ],
)
def test_anything_else_is_refused(body: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(NotInDialect):
        translated(f"def f(a: int) -> int:\n    {body}\n", tmp_path_factory)


def test_a_function_that_only_raises_is_defined_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = "def g(a: int) -> int:\n    raise NotImplementedError\n\ndef f(a: int) -> int:\n    return g(a)\n"
    made = translated(text, tmp_path_factory)
    assert "call i64 @g" in made
    assert "define i64 @g" not in made
