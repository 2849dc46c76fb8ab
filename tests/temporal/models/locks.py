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
    policy,
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


Seat = Annotated[int, UpTo("philosophers - 1")]  # of a philosopher; the fork on the left has the same number


class Mood(Enum):
    THINKS = "thinks"
    HUNGRY = "hungry"
    HAS_ONE = "has one fork"
    EATS = "eats"


class Philosophers(Model):
    """Each takes one fork, then the other, eats, and puts both back."""

    philosophers: int = constant(3, "philosophers at the table", at_least=2)

    mood: dict[Seat, Mood] = each(Seat, Mood.THINKS)
    taken: dict[Seat, bool] = each(Seat, False)  # forks

    @policy
    def first(self, seat: Seat) -> Seat:
        """The fork that a philosopher takes first."""
        raise NotImplementedError

    @action
    def grow_hungry(self, seat: Seat) -> None:
        require(self.mood[seat] == Mood.THINKS)
        self.mood[seat] = Mood.HUNGRY

    @action(fair="weak")
    def put_back(self, seat: Seat) -> None:
        require(self.mood[seat] == Mood.EATS)
        self.taken[seat] = False
        self.taken[self.right(seat)] = False
        self.mood[seat] = Mood.THINKS

    @invariant
    def neighbours_do_not_eat(self) -> bool:
        return not any(
            self.mood[s] == Mood.EATS and self.mood[self.right(s)] == Mood.EATS for s in range(self.philosophers)
        )

    @temporal
    def nobody_starves(self) -> Temporal:
        return all(leads_to(self.mood[s] == Mood.HUNGRY, self.mood[s] == Mood.EATS) for s in range(self.philosophers))

    @temporal
    def somebody_eats(self) -> Temporal:
        return leads_to(
            any(self.mood[s] == Mood.HUNGRY for s in range(self.philosophers)),
            any(self.mood[s] == Mood.EATS for s in range(self.philosophers)),
        )

    @fairness(fair="strong")
    def forks_are_taken(self, taken: Taken) -> bool:
        return taken.action == "take_first" or taken.action == "take_second"

    def right(self, seat: Seat) -> Seat:
        return (seat + 1) % self.philosophers

    def second(self, seat: Seat) -> Seat:
        return seat if self.first(seat) != seat else self.right(seat)

    @action(fair="weak")
    def take_first(self, seat: Seat) -> None:
        require(self.mood[seat] == Mood.HUNGRY and not self.taken[self.first(seat)])
        self.taken[self.first(seat)] = True
        self.mood[seat] = Mood.HAS_ONE

    @action(fair="weak")
    def take_second(self, seat: Seat) -> None:
        require(self.mood[seat] == Mood.HAS_ONE and not self.taken[self.second(seat)])
        self.taken[self.second(seat)] = True
        self.mood[seat] = Mood.EATS


class LeftFirst(Philosophers):
    """All take the left fork first: each may hold one, and no fairness helps."""

    def first(self, seat: Seat) -> Seat:
        return seat


class OneRightFirst(Philosophers):
    """The first takes the right fork first; with weak fairness the neighbours may take the other in turns."""

    def first(self, seat: Seat) -> Seat:
        return self.right(seat) if seat == 0 else seat
