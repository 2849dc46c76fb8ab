"""Where the gate or a survey stands: one line that changes on a terminal, a line every ten seconds elsewhere."""

import time
from typing import Self

from rich.console import Console
from rich.status import Status

from isrcheck.evidence.progress import SECONDS_BETWEEN_LINES
from isrcheck.gate.run import GateTally


class TallyLine:
    """A context in which lines are shown on this console; `first` is shown until there is another."""

    def __init__(self, console: Console, first: str) -> None:
        self._console = console
        self._status: Status | None = console.status(first) if console.is_terminal else None
        self._said_at = time.monotonic()

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def say(self, line: str) -> None:
        """Show this line, now or not at all."""
        if self._status:
            self._status.update(line)
        elif time.monotonic() - self._said_at >= SECONDS_BETWEEN_LINES:
            self._said_at = time.monotonic()
            self._console.print(line, highlight=False)


class GateProgress(TallyLine):
    """How many runs are done."""

    def __init__(self, console: Console) -> None:
        super().__init__(console, "reading the models")

    def __call__(self, tally: GateTally) -> None:
        oldest = f", {tally.running[0]}" if tally.running else ""
        self.say(f"{tally.done:,} of {tally.cells:,} runs, {tally.seconds:.0f} s{oldest}")
