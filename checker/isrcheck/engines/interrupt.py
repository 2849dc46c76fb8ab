"""Ctrl-C as a wish that is granted at the next good moment."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Wish:
    """Whether the user wants the run to end."""

    def __init__(self) -> None:
        self.made = False

    @contextmanager
    def heard(self) -> Iterator[None]:
        """The first Ctrl-C is only noted, a second one ends the process's work at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)

        def note(number: int, frame: FrameType | None) -> None:
            self.made = True
            signal.signal(signal.SIGINT, before)

        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
