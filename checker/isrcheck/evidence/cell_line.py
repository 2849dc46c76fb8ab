"""The progress of a long run, below a notebook's cell."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from isrcheck.engines.contract import Progress
from isrcheck.evidence.progress import progress_line

_FIRST_SECONDS = 1.0  # what is faster says nothing
_BETWEEN_SECONDS = 0.25


@contextmanager
def progress_in_cell() -> Iterator[Callable[[Progress], None]]:
    """Shows progress in a line that is gone in the end; outside of a notebook nowhere."""
    with cell_line() as say:
        yield lambda progress: say(progress_line(progress))


@contextmanager
def cell_line() -> Iterator[Callable[[str], None]]:
    line = _CellLine()
    try:
        yield line.say if _is_notebook() else lambda _: None
    finally:
        line.clear()


class _CellLine:
    def __init__(self) -> None:
        self._next = time.monotonic() + _FIRST_SECONDS
        self._shown: Any = None  # IPython's handle of what is displayed

    def say(self, line: str) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _BETWEEN_SECONDS
        if self._shown is None:
            self._shown = _ipython().display.display({"text/plain": line}, raw=True, display_id=True)
        else:
            self._shown.update({"text/plain": line}, raw=True)

    def clear(self) -> None:
        if self._shown is not None:
            self._shown.update({"text/plain": "", "text/html": ""}, raw=True)


def _is_notebook() -> bool:
    """Whether a kernel runs this: a terminal's IPython shows text alone."""
    shell = _ipython().get_ipython() if _ipython() else None
    return getattr(shell, "kernel", None) is not None


def _ipython() -> Any:
    """IPython, if it is what runs this."""
    return sys.modules.get("IPython")
