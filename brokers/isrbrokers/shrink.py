"""A soak that went wrong is played again with fewer faults, as long as it still goes wrong."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from isrbrokers.journal import BEGINS, Journal
from isrbrokers.judging import Deviation, Judge
from isrbrokers.plan import Fault, fewest

_BEGIN = 5.0  # seconds of a soak before its first fault
_END = 15.0  # and after its last

Play = Callable[[Sequence[Fault], float, Path], object]  # faults, seconds, and the folder to write


@dataclass
class Shrink:
    """Plays plans into a folder and keeps the run with the fewest faults that is still wrong.

    A cluster does not do the same twice: a plan counts as right if it is so in all of `tries` runs.
    """

    play: Play
    judge: Judge
    into: Path
    tries: int = 1
    say: Callable[[str], object] = lambda _: None
    runs: int = 0
    wrong: Deviation | None = None  # of the run that is kept
    _tried: dict[tuple[Fault, ...], bool] = field(default_factory=dict)

    def fewest(self, faults: Sequence[Fault]) -> list[Fault]:
        """The faults that are left; those given if no smaller plan goes wrong."""
        return fewest(faults, self._goes_wrong)

    def _goes_wrong(self, faults: Sequence[Fault]) -> bool:
        plan = tuple(faults)
        if plan not in self._tried:
            self._tried[plan] = any(self._is_wrong(plan) for _ in range(self.tries))
        return self._tried[plan]

    def _is_wrong(self, plan: Sequence[Fault]) -> bool:
        soon, seconds = from_the_beginning(plan)
        aside = self.into.with_name(self.into.name + ".try")
        shutil.rmtree(aside, ignore_errors=True)
        self.runs += 1
        self.play(soon, seconds, aside)
        wrong = self.judge(aside)
        self.say(f"run {self.runs}, {len(plan)} faults: {wrong.what if wrong else 'nothing wrong'}")
        if wrong is None:
            return False
        self.wrong = wrong
        shutil.rmtree(self.into, ignore_errors=True)
        aside.rename(self.into)
        return True


def from_the_beginning(faults: Sequence[Fault]) -> tuple[list[Fault], float]:
    """The faults without the time before the first, and the seconds that they take."""
    first = min((fault.at for fault in faults), default=_BEGIN)
    soon = [replace(fault, at=round(fault.at - first + _BEGIN, 1)) for fault in faults]
    return soon, max((fault.at + fault.lasts for fault in soon), default=0.0) + _END


def faults_before(faults: Sequence[Fault], wrong: Deviation, run: Path) -> list[Fault]:
    """The faults that began before it went wrong; all, if it is not known when that was."""
    begins = [note["t"] for note in Journal(run / "faults.jsonl").read() if note["what"] == BEGINS]
    if not begins or wrong.wall_ms is None:
        return list(faults)
    return [fault for fault in faults if fault.at <= wrong.wall_ms / 1000 - begins[0]]
