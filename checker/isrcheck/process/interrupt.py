"""Ctrl-C and SIGTERM: a stop request, granted at the next good moment; a second one ends the process."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130  # the exit code
# `timeout` and a terminal's process group deliver one request twice, milliseconds apart.
_SAME_SECONDS = 0.3
_LOSING = ("llvmlite", "z3")


class _FirstSignal:
    """The first signal to end: when it came, and which functions it found under way."""

    at: float | None = None
    modules: tuple[str, ...] = ()  # the outermost first

    def note(self, frame: FrameType | None) -> None:
        self.at, self.modules = time.monotonic(), ()
        while frame is not None:
            self.modules = (f"{frame.f_globals.get('__name__', '')}:{frame.f_code.co_name}", *self.modules)
            frame = frame.f_back

    @property
    def is_same(self) -> bool:
        return self.at is not None and time.monotonic() - self.at < _SAME_SECONDS


_first_signal = _FirstSignal()


def listen() -> None:
    """For our own process: the first signal raises KeyboardInterrupt, a second one ends it."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def under_way() -> tuple[str, ...] | None:
    """MODULE:NAME of what the first signal found under way, outermost first; or None."""
    return None if _first_signal.at is None else _first_signal.modules


def forget() -> None:
    """The user ended what waits for the signal, which is then not an interruption."""
    _first_signal.at = None


def _end(number: int, frame: FrameType | None) -> None:
    if _first_signal.at is None:
        _first_signal.note(frame)
        _raise(frame)
    elif not _first_signal.is_same:
        show_cursor = b"\x1b[?25h" if os.isatty(2) else b""  # a progress line has hidden it
        os.write(2, show_cursor + b"\nisrcheck: interrupted twice: ended at once.\n")
        os._exit(INTERRUPTED)


def _raise(frame: FrameType | None) -> None:
    """KeyboardInterrupt, here or outside those who lose it: `__del__`, and who is called by ctypes."""
    outer = started = frame
    while frame is not None:
        library = frame.f_globals.get("__name__", "").partition(".")[0]
        if frame.f_code.co_name == "__del__" or library in _LOSING:
            outer = frame.f_back
        frame = frame.f_back
    if outer is started:
        raise KeyboardInterrupt

    def resume(*_: object) -> None:
        sys.settrace(None)
        raise KeyboardInterrupt

    if outer is not None:
        outer.f_trace = resume
        sys.settrace(lambda *_: None)


class StopRequest:
    def __init__(self) -> None:
        self.requested = False
        self._raises = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """The first SIGINT or SIGTERM that is not ignored is noted; the next is for who listened before."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {int(number): handle for number in SIGNALS if callable(handle := signal.getsignal(number))}

        def note(number: int, frame: FrameType | None) -> None:
            if not self.requested:
                self.requested = True
                _first_signal.note(frame)
                if self._raises:
                    _raise(frame)
            elif not _first_signal.is_same:
                before[number](number, frame)

        for number in before:
            signal.signal(number, note)
        try:
            yield
        finally:
            for each, handle in before.items():
                signal.signal(each, handle)

    @contextmanager
    def raising(self) -> Iterator[None]:
        self._raises = True
        try:
            yield
        finally:
            self._raises = False


T = TypeVar("T")

_POLL_SECONDS = 0.05
# LLVM recurses over functions. A thread's default is 2 MiB where the main thread's stack is unlimited.
_STACK_BYTES = 16 << 20
_abandoned: list[threading.Thread] = []


def run_in_background(
    work: Callable[[], T],
    poll: Callable[[], object] = lambda: None,
    stop: Callable[[], object] | None = None,
    meanwhile: Callable[[], object] = lambda: None,
) -> T:
    """What `work` returns or raises, from a thread of its own; `poll` is called about every 50 ms, after `meanwhile`.

    What these or a signal's handler raises ends the wait: `stop` tells the work to end, until it has; without it
    the work goes on (see `is_work_left`). Raises MemoryError if no thread can be started.
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
        meanwhile()
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
    except RuntimeError as error:  # the system gives no more threads
        raise MemoryError(str(error)) from None
    finally:
        threading.stack_size(before)


def is_work_left() -> bool:
    """Whether work goes on that nobody waits for: then a process must end by `os._exit`."""
    return any(thread.is_alive() for thread in _abandoned)
