"""Ctrl-C and SIGTERM: a wish that is granted at the next good moment; a second one ends the process at once."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130  # the exit code
# `timeout` and a terminal's process group deliver one request twice, milliseconds apart; a person takes longer.
_SAME_SECONDS = 0.3
_first: list[float] = []  # when this process was first asked to end


def listen() -> None:
    """For a process that is ours: the first signal raises KeyboardInterrupt, a second one ends it at once with 130."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    if not _first:
        _first.append(time.monotonic())
        raise KeyboardInterrupt
    if not _is_the_same():
        _end_at_once()


def _is_the_same() -> bool:
    return time.monotonic() - _first[0] < _SAME_SECONDS


def _end_at_once() -> NoReturn:
    show_cursor = b"\x1b[?25h" if os.isatty(2) else b""  # a progress line has hidden it
    os.write(2, show_cursor + b"\nisrcheck: interrupted twice: ended at once, and what was known is lost.\n")
    os._exit(INTERRUPTED)


class Wish:
    """Whether the user wants the run to end."""

    def __init__(self) -> None:
        self.made = False

    @contextmanager
    def heard(self) -> Iterator[None]:
        """The first signal is only noted; the next one is for whoever listened before.

        Heard are SIGINT, and SIGTERM in a process that does not leave it to the system; neither where it is ignored.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {int(number): _handler(number) for number in SIGNALS}

        def note(number: int, frame: FrameType | None) -> None:
            if not self.made:
                self.made = True
                _first[:] = [time.monotonic()]
            elif not _is_the_same():
                handle = before[number]
                assert handle is not None
                handle(number, frame)

        for number, handle in before.items():
            if handle is not None:
                signal.signal(number, note)
        try:
            yield
        finally:
            for number, handle in before.items():
                if handle is not None:
                    signal.signal(number, handle)


def _handler(number: signal.Signals) -> Callable[[int, FrameType | None], object] | None:
    """What Python calls at a signal; None where it is ignored or the system's."""
    handle = signal.getsignal(number)
    return handle if callable(handle) else None
