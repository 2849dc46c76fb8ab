"""Peterson's algorithm: two processes keep out of each other's way with a flag each and a turn.

Known: 24 distinct, 43 generated, depth 7; mutual exclusion holds, nothing is stuck, and a process can wait while the
other is inside, after 6 states.
"""

from enum import Enum

from isrcheck import Model, Sort, action, each, invariant, reachable, require


class Process(Sort, size="2", symmetric=True):
    """One of the two."""


class Stage(Enum):
    """Where a process is in its program."""

    IDLE = "idle"
    ASKING = "asking"
    WAITING = "waiting"
    INSIDE = "inside"


class Mutex(Model):
    """Whoever wants to enter says so, gives the turn away, and waits until it comes back or nobody else wants it."""

    place: dict[Process, Stage] = each(Process, Stage.IDLE)
    wants: dict[Process, bool] = each(Process, False)
    turn: Process | None = None

    @action
    def ask(self, process: Process) -> None:
        """A process raises its flag."""
        require(self.place[process] == Stage.IDLE)
        self.wants[process] = True
        self.place[process] = Stage.ASKING

    @action
    def give_way(self, process: Process, other: Process) -> None:
        """A process that has raised its flag gives the turn away."""
        require(process != other)
        require(self.place[process] == Stage.ASKING)
        self.turn = other
        self.place[process] = Stage.WAITING

    @action
    def enter(self, process: Process) -> None:
        """A process that waits enters once it may."""
        require(self.place[process] == Stage.WAITING)
        require(self.turn == process or not any(self.wants[p] for p in Process if p != process))
        self.place[process] = Stage.INSIDE

    @action
    def leave(self, process: Process) -> None:
        """A process lowers its flag."""
        require(self.place[process] == Stage.INSIDE)
        self.wants[process] = False
        self.place[process] = Stage.IDLE

    @invariant
    def mutual_exclusion(self) -> bool:
        """At most one process is inside."""
        return sum(1 for p in Process if self.place[p] == Stage.INSIDE) <= 1

    @invariant
    def flags_are_true(self) -> bool:
        """A flag is up unless its process is idle."""
        return all(self.wants[p] == (self.place[p] != Stage.IDLE) for p in Process)

    @reachable
    def someone_waits(self) -> bool:
        """A process waits while the other is inside."""
        return any(self.place[p] == Stage.WAITING for p in Process) and any(
            self.place[p] == Stage.INSIDE for p in Process
        )
