"""Two processes that exclude each other by shared variables: who waits gets in."""

from enum import Enum
from typing import Annotated

from isrcheck import (
    Model,
    Taken,
    Temporal,
    UpTo,
    action,
    constant,
    each,
    fairness,
    invariant,
    leads_to,
    require,
    temporal,
)

Process = Annotated[int, UpTo(1)]


class Place(Enum):
    """Where a process is."""

    IDLE = "idle"
    RAISED = "has raised its flag"
    WAITING = "waiting"
    CRITICAL = "critical"


class TwoProcesses(Model):
    """What the protocols for two processes share: a place each, and what is asked of them."""

    place: dict[Process, Place] = each(Process, Place.IDLE)
    flag: dict[Process, bool] = each(Process, False)
    turn: Process = 0

    @action
    def begin(self, p: Process) -> None:
        require(self.place[p] == Place.IDLE)
        self.flag[p] = True
        self.place[p] = Place.RAISED

    @invariant
    def one_at_a_time(self) -> bool:
        return not all(self.place[p] == Place.CRITICAL for p in range(2))

    @temporal
    def waiting_ends(self) -> Temporal:
        return all(leads_to(self.tries(p), self.place[p] == Place.CRITICAL) for p in range(2))

    @fairness
    def whoever_began_goes_on(self, taken: Taken) -> bool:
        return taken.action != "begin"

    def tries(self, p: Process) -> bool:
        return self.place[p] == Place.RAISED or self.place[p] == Place.WAITING

    def leaves(self, p: Process) -> None:
        require(self.place[p] == Place.CRITICAL)
        self.flag[p] = False
        self.place[p] = Place.IDLE


class Peterson(TwoProcesses):
    """Peterson 1981: raise the flag, give the turn away, wait for the flag or the turn."""

    @action
    def give_turn(self, p: Process) -> None:
        require(self.place[p] == Place.RAISED)
        self.turn = 1 - p
        self.place[p] = Place.WAITING

    @action
    def enter(self, p: Process) -> None:
        require(self.place[p] == Place.WAITING)
        require(not self.flag[1 - p] or self.turn == p)
        self.place[p] = Place.CRITICAL

    @action
    def leave(self, p: Process) -> None:
        self.leaves(p)


class Dekker(TwoProcesses):
    """Dekker (Dijkstra, EWD123): who meets a raised flag lowers its own unless it has the turn."""

    @action
    def enter(self, p: Process) -> None:
        require(self.place[p] == Place.RAISED and not self.flag[1 - p])
        self.place[p] = Place.CRITICAL

    @action
    def back_off(self, p: Process) -> None:
        require(self.place[p] == Place.RAISED and self.flag[1 - p] and self.turn != p)
        self.flag[p] = False
        self.place[p] = Place.WAITING

    @action
    def retry(self, p: Process) -> None:
        require(self.place[p] == Place.WAITING and self.turn == p)
        self.flag[p] = True
        self.place[p] = Place.RAISED

    @action
    def leave(self, p: Process) -> None:
        self.leaves(p)
        self.turn = 1 - p


class Bakery(Model):
    """Lamport 1974, for two processes: draw a number above the other's, and wait for the smaller one.

    Numbers grow for as long as the two take turns, so each process comes at most `visits` times.
    """

    visits: int = constant(2, "times that a process may come", at_least=1)

    place: dict[Process, Place] = each(Process, Place.IDLE)
    number: dict[Process, Annotated[int, UpTo("2 * visits")]] = each(Process, 0)
    came: dict[Process, Annotated[int, UpTo("visits")]] = each(Process, 0)

    @action
    def begin(self, p: Process) -> None:
        require(self.place[p] == Place.IDLE and self.came[p] < self.visits)
        self.came[p] += 1
        self.place[p] = Place.RAISED

    @action(fair="weak")
    def draw(self, p: Process) -> None:
        """Its number is above what it reads of the other; until then it counts as choosing."""
        require(self.place[p] == Place.RAISED)
        self.number[p] = self.number[1 - p] + 1
        self.place[p] = Place.WAITING

    @action(fair="weak")
    def enter(self, p: Process) -> None:
        require(self.place[p] == Place.WAITING and self.place[1 - p] != Place.RAISED)
        require(self.number[1 - p] == 0 or self.is_before(p, 1 - p))
        self.place[p] = Place.CRITICAL

    @action(fair="weak")
    def leave(self, p: Process) -> None:
        require(self.place[p] == Place.CRITICAL)
        self.number[p] = 0
        self.place[p] = Place.IDLE

    @invariant
    def one_at_a_time(self) -> bool:
        return not all(self.place[p] == Place.CRITICAL for p in range(2))

    @temporal
    def waiting_ends(self) -> Temporal:
        return all(leads_to(self.place[p] == Place.WAITING, self.place[p] == Place.CRITICAL) for p in range(2))

    def is_before(self, p: Process, other: Process) -> bool:
        return self.number[p] < self.number[other] or (self.number[p] == self.number[other] and p < other)


class BakeryWithoutEnd(Model):
    """The same with any number of visits and a bound on numbers: a draw above it is pruned."""

    numbers: int = constant(3, "the highest number", at_least=2)

    place: dict[Process, Place] = each(Process, Place.IDLE)
    number: dict[Process, Annotated[int, UpTo("numbers")]] = each(Process, 0)

    @action
    def begin(self, p: Process) -> None:
        require(self.place[p] == Place.IDLE)
        self.place[p] = Place.RAISED

    @action(fair="weak")
    def draw(self, p: Process) -> None:
        require(self.place[p] == Place.RAISED)
        self.number[p] = self.number[1 - p] + 1
        self.place[p] = Place.WAITING

    @action(fair="weak")
    def enter(self, p: Process) -> None:
        require(self.place[p] == Place.WAITING and self.place[1 - p] != Place.RAISED)
        require(self.number[1 - p] == 0 or self.number[p] < self.number[1 - p])
        self.place[p] = Place.CRITICAL

    @action(fair="weak")
    def leave(self, p: Process) -> None:
        require(self.place[p] == Place.CRITICAL)
        self.number[p] = 0
        self.place[p] = Place.IDLE

    @temporal
    def coming_in_ends(self) -> Temporal:
        """Who has come in draws a number, and enters."""
        return all(leads_to(self.place[p] == Place.RAISED, self.place[p] == Place.CRITICAL) for p in range(2))
