"""Compiled models on disk; what takes long to compile is compiled in a process that ends with the wait for it."""

import signal
import sys
import types
from contextlib import closing
from pathlib import Path

import pytest
from tests.native.systems import counter

from isrcheck.engines.contract import Request
from isrcheck.engines.native import compile as compiling
from isrcheck.engines.native.compile import CompilingProcess, compile_ir
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.translate import NotInDialect, translate
from isrcheck.process.interrupt import is_work_left
from isrcheck.user_cache import user_cache

TEXT = "define i64 @f() {\n  ret i64 7\n}\n"


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []
    original = compiling.object_code

    def counting(text: str, effort: compiling.Effort) -> bytes:
        made.append(text)
        return original(text, effort)

    monkeypatch.setattr(compiling, "object_code", counting)
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


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[CompilingProcess]:
    """The processes that were started; every text is a large one."""
    started: list[CompilingProcess] = []
    start = CompilingProcess.__init__

    def note(process: CompilingProcess, content: bytes, task: str) -> None:
        started.append(process)
        start(process, content, task)

    monkeypatch.setattr(CompilingProcess, "__init__", note)
    monkeypatch.setattr(compiling, "_LARGE", 0)
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))
    return started


def test_a_signal_ends_a_compilation_that_never_would(
    processes: list[CompilingProcess], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    endless = tmp_path / "endless"
    endless.write_text("#!/bin/sh\nexec sleep 1000\n")
    endless.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(endless))
    with pytest.raises(KeyboardInterrupt):
        compile_ir(TEXT, poll=lambda: signal.raise_signal(signal.SIGINT))
    assert [process._process.returncode for process in processes] == [-signal.SIGKILL]
    assert not is_work_left()


def test_the_other_process_writes_the_same_code(
    processes: list[CompilingProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = compiling.object_code(TEXT, compiling.Effort.OPTIMIZED)
    monkeypatch.setattr(compiling, "object_code", None)
    assert compile_ir(TEXT).address("f")
    assert user_cache().get(compiling._name(TEXT, compiling.Effort.OPTIMIZED)) == code
    compile_ir(TEXT)
    assert len(processes) == 1


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("executable", ["/bin/false", "/nowhere"])
def test_without_another_process_this_one_compiles(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    assert compile_ir(TEXT).address("f")


def test_it_ends_with_the_process_that_started_it() -> None:
    with closing(CompilingProcess(b"", "signal:pause")) as started:
        assert started._process.stdin is not None
        started._process.stdin.close()
        assert started._process.wait(60) == 1
