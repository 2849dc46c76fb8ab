"""Work inside a library, which Python cannot interrupt: in a thread, so that the caller hears signals and clocks."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_POLL_SECONDS = 0.05
# LLVM recurses over a model's functions. A thread's default is 2 MiB where the main thread's stack is unlimited.
_STACK_BYTES = 16 << 20
_abandoned: list[threading.Thread] = []


def run_in_background(
    work: Callable[[], T], poll: Callable[[], object] = lambda: None, stop: Callable[[], object] | None = None
) -> T:
    """What `work` returns or raises, from a thread of its own; `poll` is called about every 50 ms meanwhile.

    Whatever `poll` or a signal's handler raises ends the wait: `stop` tells the work to end, until it has; without it
    the work goes on with nobody waiting (see `is_work_left`). Raises MemoryError if no thread can be started.
    """
    done = threading.Event()
    answer: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            answer.append(work())
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=run, name="isrcheck background", daemon=True)
    _start(thread)
    try:
        while not done.wait(_POLL_SECONDS):
            poll()
    except BaseException:
        if stop is None:
            _abandoned.append(thread)
        while stop is not None and thread.is_alive():
            stop()
            thread.join(_POLL_SECONDS)
        raise
    if failure:
        raise failure[0]
    return answer[0]


def _start(thread: threading.Thread) -> None:
    before = threading.stack_size(_STACK_BYTES)
    try:
        thread.start()
    except RuntimeError as error:  # Python's word for a system that gives no more threads, or no stack for one
        raise MemoryError(str(error)) from None
    finally:
        threading.stack_size(before)


def is_work_left() -> bool:
    """Whether work goes on that nobody waits for. Then a process ends by `os._exit`: it may not unload the library."""
    return any(thread.is_alive() for thread in _abandoned)
