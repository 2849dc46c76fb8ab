"""Work that Python cannot interrupt: the caller hears signals and clocks while it waits."""

import signal
import threading
import time
from collections.abc import Iterator

import pytest

from isrcheck.engines.native.compile import Effort, compile_ir
from isrcheck.process import interrupt
from isrcheck.process.interrupt import is_work_left, run_in_background

MODULE = "define i64 @f() {\n  ret i64 7\n}\n"


class TimeOver(Exception):
    pass


@pytest.fixture
def endless() -> Iterator[threading.Event]:
    """Work that ends after the test."""
    end = threading.Event()
    yield end
    end.set()
    while is_work_left():
        time.sleep(0.01)


def over() -> None:
    raise TimeOver


def test_the_answer_and_the_error_of_the_work_are_its_own() -> None:
    assert run_in_background(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        run_in_background(lambda: 1 // 0)
    assert not is_work_left()


def test_what_poll_raises_ends_the_wait(endless: threading.Event) -> None:
    with pytest.raises(TimeOver):
        run_in_background(lambda: endless.wait(600), over)
    assert is_work_left()


def test_a_signal_ends_the_wait(endless: threading.Event) -> None:
    waits = threading.Event()

    def wait() -> None:
        waits.wait(600)
        signal.raise_signal(signal.SIGINT)
        endless.wait(600)

    with pytest.raises(KeyboardInterrupt):
        run_in_background(wait, waits.set)
    assert is_work_left()


def test_poll_is_called_again_and_again() -> None:
    polled = threading.Semaphore(0)
    run_in_background(lambda: [polled.acquire(timeout=600) for _ in range(3)], polled.release)


def test_code_can_be_given_back_while_an_abandoned_compilation_holds_the_lock(endless: threading.Event) -> None:
    import llvmlite.binding.ffi

    code, holds = compile_ir(MODULE, Effort.HASTY), threading.Event()

    def hold() -> None:
        with llvmlite.binding.ffi.lib._lock:
            holds.set()
            endless.wait(600)

    with pytest.raises(TimeOver):
        run_in_background(hold, lambda: over() if holds.is_set() else None)
    del code
    assert is_work_left()


def test_a_thread_that_cannot_be_started_is_a_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(MemoryError, match="can't start new thread"):
        interrupt.run_in_background(lambda: 7)
