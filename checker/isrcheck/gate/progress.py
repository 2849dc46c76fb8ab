"""Where the gate stands: one line that changes on a terminal, a line every ten seconds elsewhere."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

from isrcheck.evidence.progress import SECONDS_BETWEEN_LINES
from isrcheck.gate.run import GateTally


class GateProgress:
    """A context in which progress is shown on this console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status: Status | None = console.status("reading the models") if console.is_terminal else None
        self._said = 0.0

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status:
            self._status.stop()

    def __call__(self, standing: GateTally) -> None:
        if self._status:
            self._status.update(_line(standing))
        elif standing.seconds - self._said >= SECONDS_BETWEEN_LINES:
            self._said = standing.seconds
            self._console.print(_line(standing), highlight=False)


def _line(standing: GateTally) -> str:
    oldest = f", {standing.running[0]}" if standing.running else ""
    return f"{standing.done:,} of {standing.cells:,} runs, {standing.seconds:.0f} s{oldest}"
