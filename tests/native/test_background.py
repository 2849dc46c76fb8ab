"""Work that Python cannot interrupt: the caller hears signals and clocks while it waits."""

import signal
import threading
import time
from collections.abc import Iterator

import pytest

from isrcheck.engines.native.compile import Effort, compiled
from isrcheck.process import interrupt
from isrcheck.process.interrupt import is_work_left, run_in_background

LIMIT = 5.0  # seconds in which a loaded machine answers; the work itself would take longer
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
    began = time.monotonic()
    with pytest.raises(TimeOver):
        run_in_background(lambda: endless.wait(60), over)
    assert time.monotonic() - began < LIMIT
    assert is_work_left()


def test_a_signal_ends_the_wait(endless: threading.Event) -> None:
    began = time.monotonic()
    timer = threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run_in_background(lambda: endless.wait(60))
    assert time.monotonic() - began < LIMIT
    timer.join()


def test_poll_is_called_about_every_50_ms() -> None:
    calls: list[float] = []
    run_in_background(lambda: time.sleep(0.5), lambda: calls.append(time.monotonic()))
    assert 1 <= len(calls) <= 10


def test_code_can_be_given_back_while_an_abandoned_compilation_holds_the_lock(endless: threading.Event) -> None:
    import llvmlite.binding.ffi

    code = compiled(MODULE, Effort.HASTY)

    def hold() -> None:
        with llvmlite.binding.ffi.lib._lock:
            endless.wait(60)

    with pytest.raises(TimeOver):
        run_in_background(hold, over)
    began = time.monotonic()
    del code
    assert time.monotonic() - began < LIMIT


def test_a_thread_that_cannot_be_started_is_a_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(MemoryError, match="can't start new thread"):
        interrupt.run_in_background(lambda: 7)
