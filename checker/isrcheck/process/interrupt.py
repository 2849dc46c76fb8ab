"""Ctrl-C and SIGTERM: a stop request, granted at the next good moment; a second one ends the process."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, TypeVar

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130  # the exit code
_SAME_SECONDS = 1.0  # `timeout` and a terminal's process group deliver one request twice, mostly milliseconds apart
_LOSING = ("llvmlite", "z3")
_shielded: set[CodeType] = set()
T = TypeVar("T")
Shielded = TypeVar("Shielded", bound=Callable[..., object])


class _FirstSignal:
    """The first signal to end, and when it came."""

    at: float | None = None

    def note(self) -> None:
        self.at = time.monotonic()

    @property
    def is_same(self) -> bool:
        return self.at is not None and time.monotonic() - self.at < _SAME_SECONDS


_first_signal = _FirstSignal()


def listen() -> None:
    """Handle the signals of our own process: the first raises KeyboardInterrupt, a second one ends the process."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def is_interrupted() -> bool:
    """Whether a signal to end has come."""
    return _first_signal.at is not None


def forget() -> None:
    """The user ended what waits for the signal, which is then not an interruption."""
    _first_signal.at = None


def _end(number: int, frame: FrameType | None) -> None:
    if _first_signal.at is None:
        _first_signal.note()
        raise_in(frame, KeyboardInterrupt())
    elif not _first_signal.is_same:
        show_cursor = b"\x1b[?25h" if os.isatty(2) else b""  # a progress line has hidden it
        os.write(2, show_cursor + b"\nisrcheck: interrupted twice: ended at once.\n")
        os._exit(INTERRUPTED)


class _Delivery:
    """An exception on its way from a signal's handler to a frame that can raise it."""

    error: BaseException | None = None
    report_others: Callable[[Any], object] = sys.__unraisablehook__

    def raise_in(self, frame: FrameType | None, error: BaseException) -> None:
        """Throw an error out of a signal's handler: in the frame that it interrupts, or in the next that can."""
        self.error = error
        if sys.unraisablehook != self.on_loss:
            self.report_others, sys.unraisablehook = sys.unraisablehook, self.on_loss
        if not _loses(frame):
            raise error
        self._await(frame)

    def withdraw(self, kind: type[BaseException]) -> None:
        """Forget an exception of a kind that no frame has raised yet."""
        if isinstance(self.error, kind):
            self.error = None

    def on_loss(self, lost: Any) -> None:
        """Python drops what a weakref's callback, a finalizer or C's callback raises: the caller's frame raises it."""
        if self.error is None or lost.exc_value is not self.error:
            self.report_others(lost)
        else:
            self._await(sys._getframe(1))

    def _await(self, frame: FrameType | None) -> None:
        while frame is not None:
            frame.f_trace = self._resume
            frame = frame.f_back
        sys.settrace(self._resume)

    def _resume(self, frame: FrameType, event: str, argument: object) -> None:
        if self.error is not None and _loses(frame):
            return
        sys.settrace(None)
        if self.error is not None:
            raise self.error


def shield(function: Shielded) -> Shielded:
    """Decorate a function that a signal's exception must not leave half done: the caller's frame raises it."""
    _shielded.add(function.__code__)
    return function


def _loses(frame: FrameType | None) -> bool:
    """Whether what is raised here is dropped by Python, or leaves a library or a shielded function amid its work."""
    while frame is not None:
        library = frame.f_globals.get("__name__", "").partition(".")[0]
        if frame.f_code.co_name == "__del__" or library in _LOSING or frame.f_code in _shielded:
            return True
        frame = frame.f_back
    return False


_delivery = _Delivery()
raise_in, withdraw = _delivery.raise_in, _delivery.withdraw


class StopRequest:
    def __init__(self) -> None:
        self.requested = False
        self._at: float | None = None
        self._raises = False

    @property
    def seconds_ago(self) -> float:
        """How long ago the signal came; 0 if something else than a signal asked."""
        return 0.0 if self._at is None else time.monotonic() - self._at

    @contextmanager
    def listen_to_signals(self) -> Iterator[None]:
        """A context that notes the first SIGINT or SIGTERM not ignored; the next goes to who listened before."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {int(number): handle for number in SIGNALS if callable(handle := signal.getsignal(number))}

        def note(number: int, frame: FrameType | None) -> None:
            if not self.requested:
                self.requested, self._at = True, time.monotonic()
                _first_signal.note()
                if self._raises:
                    raise_in(frame, KeyboardInterrupt())
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
    def raise_at_signal(self) -> Iterator[None]:
        self._raises = True
        try:
            yield
        finally:
            self._raises = False


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
    """Run `work` in a thread of its own, and return or raise what it does; `poll` is called about every 50 ms.

    `meanwhile` is called first. What these or a signal's handler raises ends the wait: `stop` tells the work to end,
    until it has; without it the work goes on (see `is_work_left`). Raises MemoryError if no thread can be started.
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
