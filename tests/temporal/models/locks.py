"""Locks among any number of processes, and two processes that exclude each other by shared variables."""

from enum import Enum
from typing import Annotated

from isrcheck import (
    Model,
    Sort,
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


class Process(Sort, size="processes"):
    """Who wants the lock."""


Number = Annotated[int, UpTo("processes - 1")]
Member = Annotated[int, UpTo(1)]  # one of two processes


class Place(Enum):
    IDLE = "idle"
    RAISED = "has raised its flag"
    WAITING = "waiting"
    CRITICAL = "critical"


class Lock(Model):
    """Processes that ask for a lock when they like, and give it back."""

    processes: int = constant(2, "processes", at_least=1)

    place: dict[Process, Place] = each(Process, Place.IDLE)

    @action(fair="weak")
    def leave(self, p: Process) -> None:
        require(self.place[p] == Place.CRITICAL)
        self.place[p] = Place.IDLE

    @invariant
    def one_at_a_time(self) -> bool:
        return sum(1 for p in Process if self.place[p] == Place.CRITICAL) <= 1

    @temporal
    def waiting_ends(self) -> Temporal:
        return all(leads_to(self.place[p] == Place.WAITING, self.place[p] == Place.CRITICAL) for p in Process)

    @temporal
    def somebody_gets_in(self) -> Temporal:
        return leads_to(
            any(self.place[p] == Place.WAITING for p in Process), any(self.place[p] == Place.CRITICAL for p in Process)
        )

    def asks(self, p: Process) -> None:
        require(self.place[p] == Place.IDLE)
        self.place[p] = Place.WAITING


class SpinLock(Lock):
    """Whoever finds the lock free takes it: with weak fairness one who is always overtaken is never free for long."""

    @action
    def ask(self, p: Process) -> None:
        self.asks(p)

    @action(fair="weak")
    def take(self, p: Process) -> None:
        require(self.place[p] == Place.WAITING)
        require(not any(self.place[q] == Place.CRITICAL for q in Process))
        self.place[p] = Place.CRITICAL

    @fairness(fair="strong")
    def patient_lock(self, taken: Taken) -> bool:
        return taken.action == "take"


class QueueLock(Lock):
    """A semaphore with a queue: first come, first served."""

    queue: Annotated[tuple[Process, ...], UpTo("processes")] = ()

    @action
    def ask(self, p: Process) -> None:
        self.asks(p)
        self.queue += (p,)

    @action(fair="weak")
    def take(self, p: Process) -> None:
        require(len(self.queue) > 0 and self.queue[0] == p)
        require(not any(self.place[q] == Place.CRITICAL for q in Process))
        self.queue = self.queue[1:]
        self.place[p] = Place.CRITICAL


class TicketLock(Lock):
    """Mellor-Crummey and Scott 1991: a ticket each; numbers wrap, since no more than all can wait."""

    ticket: dict[Process, Number] = each(Process, 0)
    following: Number = 0  # the next ticket
    served: Number = 0

    @action
    def ask(self, p: Process) -> None:
        self.asks(p)
        self.ticket[p] = self.following
        self.following = (self.following + 1) % self.processes

    @action(fair="weak")
    def take(self, p: Process) -> None:
        require(self.place[p] == Place.WAITING and self.ticket[p] == self.served)
        require(not any(self.place[q] == Place.CRITICAL for q in Process))
        self.served = (self.served + 1) % self.processes
        self.place[p] = Place.CRITICAL


class CountingLock(Lock):
    """The ticket lock with numbers that do not wrap, and a bound: what comes after the last ticket is not known."""

    tickets: int = constant(3, "the highest ticket", at_least=1)

    ticket: dict[Process, Annotated[int, UpTo("tickets")]] = each(Process, 0)
    following: Annotated[int, UpTo("tickets")] = 0
    served: Annotated[int, UpTo("tickets")] = 0

    @action
    def ask(self, p: Process) -> None:
        self.asks(p)
        self.ticket[p] = self.following
        self.following += 1

    @action(fair="weak")
    def take(self, p: Process) -> None:
        require(self.place[p] == Place.WAITING and self.ticket[p] == self.served)
        require(not any(self.place[q] == Place.CRITICAL for q in Process))
        self.served += 1
        self.place[p] = Place.CRITICAL


class TwoProcesses(Model):
    """What the protocols for two processes share: a place each, and what is asked of them."""

    place: dict[Member, Place] = each(Member, Place.IDLE)
    flag: dict[Member, bool] = each(Member, False)
    turn: Member = 0

    @action
    def begin(self, p: Member) -> None:
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

    def tries(self, p: Member) -> bool:
        return self.place[p] == Place.RAISED or self.place[p] == Place.WAITING

    def leaves(self, p: Member) -> None:
        require(self.place[p] == Place.CRITICAL)
        self.flag[p] = False
        self.place[p] = Place.IDLE


class Peterson(TwoProcesses):
    """Peterson 1981: raise the flag, give the turn away, wait for the flag or the turn."""

    @action
    def give_turn(self, p: Member) -> None:
        require(self.place[p] == Place.RAISED)
        self.turn = 1 - p
        self.place[p] = Place.WAITING

    @action
    def enter(self, p: Member) -> None:
        require(self.place[p] == Place.WAITING)
        require(not self.flag[1 - p] or self.turn == p)
        self.place[p] = Place.CRITICAL

    @action
    def leave(self, p: Member) -> None:
        self.leaves(p)


class Dekker(TwoProcesses):
    """Dekker (Dijkstra, EWD123): who meets a raised flag lowers its own unless it has the turn."""

    @action
    def enter(self, p: Member) -> None:
        require(self.place[p] == Place.RAISED and not self.flag[1 - p])
        self.place[p] = Place.CRITICAL

    @action
    def back_off(self, p: Member) -> None:
        require(self.place[p] == Place.RAISED and self.flag[1 - p] and self.turn != p)
        self.flag[p] = False
        self.place[p] = Place.WAITING

    @action
    def retry(self, p: Member) -> None:
        require(self.place[p] == Place.WAITING and self.turn == p)
        self.flag[p] = True
        self.place[p] = Place.RAISED

    @action
    def leave(self, p: Member) -> None:
        self.leaves(p)
        self.turn = 1 - p


class Numbers(Model):
    """Lamport 1974, for two processes: draw a number above the other's, and wait for the smaller one."""

    numbers: int = constant(3, "the highest number: a draw above it is pruned", at_least=2)

    place: dict[Member, Place] = each(Member, Place.IDLE)
    number: dict[Member, Annotated[int, UpTo("numbers")]] = each(Member, 0)

    @action(fair="weak")
    def draw(self, p: Member) -> None:
        """Its number is above what it reads of the other; until then it counts as choosing."""
        require(self.place[p] == Place.RAISED)
        self.number[p] = self.number[1 - p] + 1
        self.place[p] = Place.WAITING

    @action(fair="weak")
    def enter(self, p: Member) -> None:
        require(self.place[p] == Place.WAITING and self.place[1 - p] != Place.RAISED)
        require(self.number[1 - p] == 0 or self.number[p] < self.number[1 - p])
        self.place[p] = Place.CRITICAL

    @action(fair="weak")
    def leave(self, p: Member) -> None:
        require(self.place[p] == Place.CRITICAL)
        self.number[p] = 0
        self.place[p] = Place.IDLE

    @invariant
    def one_at_a_time(self) -> bool:
        return not all(self.place[p] == Place.CRITICAL for p in range(2))

    def begins(self, p: Member) -> None:
        require(self.place[p] == Place.IDLE)
        self.place[p] = Place.RAISED


class Bakery(Numbers):
    """Numbers grow for as long as the two take turns, so each process comes at most `visits` times."""

    visits: int = constant(2, "times that a process may come", at_least=1)
    numbers: int = constant(4, "the highest number, if nobody comes more than twice", at_least=2)

    came: dict[Member, Annotated[int, UpTo("visits")]] = each(Member, 0)

    @action
    def begin(self, p: Member) -> None:
        require(self.came[p] < self.visits)
        self.begins(p)
        self.came[p] += 1

    @temporal
    def waiting_ends(self) -> Temporal:
        return all(leads_to(self.place[p] == Place.WAITING, self.place[p] == Place.CRITICAL) for p in range(2))


class BakeryWithoutEnd(Numbers):
    """Any number of visits: the bound is met."""

    @action
    def begin(self, p: Member) -> None:
        self.begins(p)

    @temporal
    def coming_in_ends(self) -> Temporal:
        """Who has come in draws a number, and enters."""
        return all(leads_to(self.place[p] == Place.RAISED, self.place[p] == Place.CRITICAL) for p in range(2))
