"""The progress of a long search: a line that changes, elsewhere one every ten seconds; in a notebook below its cell."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from msgspec import structs

from isrcheck.engines.contract import Progress
from isrcheck.files import refuse_unwritable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status


SECONDS_BETWEEN_LINES = 10.0
EVENTS = "isrcheck.events/1"


class TallyLine:
    """A line of a terminal that is rewritten as a run goes on; it begins with `first`."""

    def __init__(self, console: "Console", first: str) -> None:
        self.console = console
        self.status: Status | None = console.status(first) if console.is_terminal else None
        self._said_at = time.monotonic()

    def __enter__(self) -> Self:
        if self.status:
            self.status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.status:
            self.status.stop()

    def remark(self, sentence: str) -> None:
        """Show a sentence that stays."""
        self.console.print(sentence, markup=False, highlight=False)

    def say(self, line: str) -> None:
        if self.status:
            self.status.update(line)
        elif time.monotonic() - self._said_at >= SECONDS_BETWEEN_LINES:
            self._said_at = time.monotonic()
            self.console.print(line, markup=False, highlight=False)


class ProgressLine(TallyLine):
    """The progress of one search."""

    def __init__(self, console: "Console", events: Path | None = None) -> None:
        self.events: FileIO | None = None
        if events:
            # unbuffered: errors are known
            with refuse_unwritable(events):
                self.events = events.open("wb", buffering=0)
        super().__init__(console, "reading the model")

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if self.events:
            self.events.close()

    @contextmanager
    def hide(self) -> Iterator[None]:
        TallyLine.__exit__(self)
        yield
        self.__enter__()

    def event(self, name: str, about: dict[str, Any]) -> None:
        if self.events:
            line = json.dumps({"schema": EVENTS, "event": name, **about}).encode() + b"\n"
            with refuse_unwritable(self.events.name):
                while line:
                    line = line[self.events.write(line) :]

    def __call__(self, progress: Progress) -> None:
        if progress.phase:
            self.event("phase", {"phase": progress.phase, "seconds": progress.seconds})
        else:
            self.event("progress", {n: v for n, v in structs.asdict(progress).items() if n not in ("phase", "remark")})
        if progress.remark:
            self.remark(progress.remark)
        self.say(progress_line(progress))


def progress_line(progress: Progress) -> str:
    if progress.phase:
        return f"{progress.phase}, {progress.seconds:,.0f} s"
    if not progress.generated:  # an engine that makes no states one by one
        return f"depth {progress.depth}, {progress.seconds:,.0f} s"
    rate = progress.distinct / max(progress.seconds, 1e-9)
    return (
        f"depth {progress.depth}: {progress.distinct:,} states, {progress.frontier:,} in the newest level, "
        f"{progress.generated:,} generated, {rate:,.0f} states/s"
    )


_FIRST_SECONDS = 1.0  # what is faster says nothing
_BETWEEN_SECONDS = 0.25


@contextmanager
def progress_in_cell(hearer: Callable[[Progress], None] | None = None) -> Iterator[Callable[[Progress], object]]:
    """Show progress to its hearer; without one in a line that is gone in the end, outside of a notebook nowhere."""
    with cell_line() as say:
        yield hearer or (lambda progress: say(progress_line(progress)))


@contextmanager
def cell_line(hearer: Callable[[str], object] | None = None) -> Iterator[Callable[[str], object]]:
    line = _CellLine()
    try:
        yield hearer or (line.say if _is_notebook() else lambda _: None)
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
