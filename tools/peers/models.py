"""Models that only the comparison with other checkers has."""

from enum import Enum
from typing import Annotated

from isrcheck import Model, UpTo, action, constant, each, invariant, require

Process = Annotated[int, UpTo("processes - 1")]
Level = Annotated[int, UpTo("processes - 1")]


class Step(Enum):
    IDLE = "idle"
    ARRIVES = "is about to write itself down as the last to arrive at its level"
    WAITS = "waits until it is alone, or another has arrived after it"
    CRITICAL = "is in its critical section"


class FilterLock(Model):
    """Peterson's filter lock (1981): of all that arrive at a level, one waits."""

    processes: int = constant(3, "processes", at_least=2)

    level: dict[Process, Level] = each(Process, 0)
    step: dict[Process, Step] = each(Process, Step.IDLE)
    last: dict[Level, Process] = each(Level, 0)

    @action
    def begin(self, process: Process) -> None:
        require(self.step[process] == Step.IDLE)
        self.level[process] = 1
        self.step[process] = Step.ARRIVES

    @action
    def arrive(self, process: Process) -> None:
        require(self.step[process] == Step.ARRIVES)
        self.last[self.level[process]] = process
        self.step[process] = Step.WAITS

    @action
    def rise(self, process: Process) -> None:
        require(self.step[process] == Step.WAITS)
        require(self.is_alone(process) or self.last[self.level[process]] != process)
        if self.level[process] < self.processes - 1:
            self.level[process] += 1
            self.step[process] = Step.ARRIVES
        else:
            self.step[process] = Step.CRITICAL

    @action
    def leave(self, process: Process) -> None:
        require(self.step[process] == Step.CRITICAL)
        self.level[process] = 0
        self.step[process] = Step.IDLE

    @invariant
    def one_at_a_time(self) -> bool:
        return len(frozenset(p for p in range(self.processes) if self.step[p] == Step.CRITICAL)) <= 1

    def is_alone(self, process: Process) -> bool:
        """Whether no other process is at a process's level or above."""
        return all(self.level[q] < self.level[process] for q in range(self.processes) if q != process)
