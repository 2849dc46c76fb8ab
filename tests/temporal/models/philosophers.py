"""Dijkstra's dining philosophers: a deadlock, who breaks it, and who still starves."""

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
    policy,
    require,
    temporal,
)

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
