"""Ctrl-C and SIGTERM: a stop request, granted at the next good moment; a second one ends the process at once."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130  # the exit code
# `timeout` and a terminal's process group deliver one request twice, milliseconds apart; a person takes longer.
_SAME_SECONDS = 0.3
_LOSING = ("llvmlite", "z3")


class _FirstSignal:
    """The first signal that this process was asked to end by: when, and which modules' functions it found under way."""

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
    """For a process that is ours: the first signal raises KeyboardInterrupt, a second one ends it at once with 130."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def under_way() -> tuple[str, ...] | None:
    """The functions, as MODULE:NAME, that the first signal found under way, the outermost first; None before one."""
    return None if _first_signal.at is None else _first_signal.modules


def forget() -> None:
    """The user ended what waits for the signal, which is then not an interruption."""
    _first_signal.at = None


def _end(number: int, frame: FrameType | None) -> None:
    if _first_signal.at is None:
        _first_signal.note(frame)
        _raise(frame)
    elif not _first_signal.is_same:
        _end_at_once()


def _raise(frame: FrameType | None) -> None:
    """KeyboardInterrupt, here or as soon as those are left who lose it: `__del__`, and who is called by ctypes."""
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


def _end_at_once() -> NoReturn:
    show_cursor = b"\x1b[?25h" if os.isatty(2) else b""  # a progress line has hidden it
    os.write(2, show_cursor + b"\nisrcheck: interrupted twice: ended at once.\n")
    os._exit(INTERRUPTED)


class StopRequest:
    """Whether the user wants the run to end."""

    def __init__(self) -> None:
        self.requested = False
        self._raises = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """The first signal is only noted; the next one is for whoever listened before.

        Heard are SIGINT, and SIGTERM in a process that does not leave it to the system; neither where it is ignored.
        """
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
            for number, handle in before.items():
                signal.signal(number, handle)

    @contextmanager
    def raising(self) -> Iterator[None]:
        """Within `listening`, for work that does not look at `requested`: a signal raises KeyboardInterrupt as well."""
        self._raises = True
        try:
            yield
        finally:
            self._raises = False
