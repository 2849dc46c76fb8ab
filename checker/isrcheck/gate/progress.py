"""Where the gate stands."""

from rich.console import Console

from isrcheck.evidence.progress import TallyLine
from isrcheck.gate.run import GateTally


class GateProgress(TallyLine):
    """How many runs are done."""

    def __init__(self, console: Console) -> None:
        super().__init__(console, "reading the models")

    def __call__(self, tally: GateTally) -> None:
        oldest = f", {tally.running[0]}" if tally.running else ""
        self.say(f"{tally.done:,} of {tally.cells:,} runs, {tally.seconds:.0f} s{oldest}")
