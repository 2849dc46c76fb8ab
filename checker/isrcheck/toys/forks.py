"""Two philosophers and two forks: each may end up with one.

Known, at the defaults: each fork is free or in one of 2 hands: 9 distinct, depth 3, 15 generated (12 ways to take a
fork, 2 to put both down, and the start). A deadlock after 3 states.
"""

from isrcheck import Model, Sort, action, constant, each, invariant, reachable, require


class Philosopher(Sort, size="philosophers", symmetric=True):
    """Somebody who thinks, and eats with two forks."""


class Fork(Sort, size="philosophers", symmetric=True, letter="fork"):
    """There are as many as philosophers."""


class Forks(Model):
    """Any free fork will do; nobody puts one down before having eaten with two."""

    philosophers: int = constant(2, "philosophers, and forks", at_least=2)

    holder: dict[Fork, Philosopher | None] = each(Fork, None)

    @action
    def take(self, who: Philosopher, fork: Fork) -> None:
        """A hungry philosopher takes a free fork."""
        require(self.holder[fork] is None)
        require(self.forks_of(who) < 2)
        self.holder[fork] = who

    @action
    def eat(self, who: Philosopher) -> None:
        """A philosopher with two forks eats, and puts them down."""
        require(self.forks_of(who) == 2)
        self.holder = {f: None if self.holder[f] == who else self.holder[f] for f in Fork}

    @invariant
    def two_forks_at_most(self) -> bool:
        """Nobody has more than two forks."""
        return max(self.forks_of(p) for p in Philosopher) <= 2

    @reachable
    def someone_can_eat(self) -> bool:
        """A philosopher has two forks."""
        return any(self.forks_of(p) == 2 for p in Philosopher)

    def forks_of(self, who: Philosopher) -> int:
        """How many forks a philosopher holds."""
        return sum(1 for f in Fork if self.holder[f] == who)
