"""Where a long search stands: one line that changes on a terminal, a line every ten seconds elsewhere."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

from isrcheck.engines.contract import Progress

SECONDS_BETWEEN_LINES = 10.0


class ProgressLine:
    """A context in which progress is shown on this console."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.status: Status | None = console.status("searching") if console.is_terminal else None
        self.said = 0.0

    def __enter__(self) -> Self:
        if self.status:
            self.status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status:
            self.status.stop()

    def __call__(self, progress: Progress) -> None:
        if self.status:
            self.status.update(_line(progress))
        elif progress.seconds - self.said >= SECONDS_BETWEEN_LINES:
            self.said = progress.seconds
            self.console.print(_line(progress), highlight=False)


def _line(progress: Progress) -> str:
    rate = progress.distinct / max(progress.seconds, 1e-9)
    return (
        f"depth {progress.depth}: {progress.distinct:,} states, {progress.frontier:,} in the newest level, "
        f"{progress.generated:,} generated, {rate:,.0f} states/s"
    )
