"""Locks among any number of processes: some serve everybody, some let one be overtaken for ever."""

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


class Place(Enum):
    IDLE = "idle"
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
