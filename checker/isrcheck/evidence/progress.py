"""Where a long search stands: one line that changes on a terminal, a line every ten seconds elsewhere."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.status import Status

from isrcheck.engines.contract import Progress
from isrcheck.errors import UsageError

SECONDS_BETWEEN_LINES = 10.0
EVENTS = "isrcheck.events/1"


class ProgressLine:
    """A context in which progress is shown on this console."""

    def __init__(self, console: Console, events: Path | None = None) -> None:
        self.console = console
        self.events = _opened(events) if events else None
        self.status: Status | None = console.status("reading the model") if console.is_terminal else None
        self.said = time.monotonic()

    def __enter__(self) -> Self:
        if self.status:
            self.status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status:
            self.status.stop()
        if self.events:
            self.events.close()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """A context in which the console is free for something else."""
        if self.status:
            self.status.stop()
        yield
        if self.status:
            self.status.start()

    def event(self, name: str, about: dict[str, Any]) -> None:
        """One line of the events file, if there is one."""
        if self.events:
            line = json.dumps({"schema": EVENTS, "event": name, **about}).encode() + b"\n"
            with _written(self.events.name):
                while line:
                    line = line[self.events.write(line) :]

    def __call__(self, progress: Progress) -> None:
        if progress.phase:
            self.event("phase", {"phase": progress.phase, "seconds": progress.seconds})
        else:
            self.event("progress", {n: v for n, v in asdict(progress).items() if n != "phase"})
        if self.status:
            self.status.update(_line(progress))
        elif time.monotonic() - self.said >= SECONDS_BETWEEN_LINES:
            self.said = time.monotonic()
            self.console.print(_line(progress), highlight=False)


def _opened(file: Path) -> FileIO:
    """Without a buffer: what cannot be written is known at once, and not again when the file is closed."""
    with _written(str(file)):
        return file.open("wb", buffering=0)


@contextmanager
def _written(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror or error}.") from None


def _line(progress: Progress) -> str:
    if progress.phase:
        return f"{progress.phase}, {progress.seconds:,.0f} s"
    if not progress.generated:  # an engine that makes no states one by one
        return f"depth {progress.depth}, {progress.seconds:,.0f} s"
    rate = progress.distinct / max(progress.seconds, 1e-9)
    return (
        f"depth {progress.depth}: {progress.distinct:,} states, {progress.frontier:,} in the newest level, "
        f"{progress.generated:,} generated, {rate:,.0f} states/s"
    )
