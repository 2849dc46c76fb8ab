"""What takes long to compile is compiled in a process that ends with the wait for it."""

import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest

from isrcheck.engines.native import compile as compiling
from isrcheck.engines.native.compile import compile_ir
from isrcheck.engines.native.compiling_process import CompilingProcess
from isrcheck.process.interrupt import is_work_left
from isrcheck.user_cache import user_cache

TEXT = "define i64 @f() {\n  ret i64 7\n}\n"


@pytest.fixture(autouse=True)
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
    code = compiling.optimize(TEXT)
    monkeypatch.setattr(compiling, "optimize", None)
    assert compile_ir(TEXT).address("f")
    assert user_cache().get(compiling._name(TEXT, compiling.Effort.OPTIMIZED)) == code
    compile_ir(TEXT)
    assert len(processes) == 1


@pytest.mark.parametrize("executable", ["/bin/false", "/nowhere"])
def test_without_another_process_this_one_compiles(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    assert compile_ir(TEXT).address("f")


def test_it_ends_with_the_process_that_started_it() -> None:
    with closing(CompilingProcess(b"", "signal:pause")) as started:
        assert started._process.stdin is not None
        started._process.stdin.close()
        assert started._process.wait(60) == 1
