"""Variants, policies that call helpers and each other, and conditions on constants."""

from enum import Enum

from tests.lang.models.words import Count, Node

from isrcheck import Model, action, applies, assume, constant, each, invariant, policy, reachable, require


class Pace(Enum):
    """How fast."""

    FREE = "free"
    EVERY_TICK = "every tick"


class Open(Model):
    """Variants say what is added, and whether it may be."""

    nodes: int = constant(2, "how many there are", at_least=1)
    most: int = constant(3, "the largest number", at_most=9)
    pace: Pace = constant(Pace.FREE, "how fast they are")
    fair: bool = constant(False, "nobody gets ahead by more than one")

    held: dict[Node, Count] = each(Node, 0)

    @assume
    def a_number_for_each(self) -> bool:
        """There are at least as many numbers as there are nodes."""
        return self.most >= self.nodes and self.fits(self.most)

    @policy
    def amount(self, node: Node) -> Count:
        raise NotImplementedError

    @policy
    def may_add(self, node: Node) -> bool:
        raise NotImplementedError("a variant says so")

    @action
    def add(self, node: Node) -> None:
        require(self.may_add(node))
        self.held[node] += self.amount(node)

    @applies("close")
    def if_fair(self) -> bool:
        return self.fair

    @invariant
    def close(self) -> bool:
        return all(self.held[a] <= self.held[b] + 1 for a in Node for b in Node)

    def fits(self, number: Count) -> bool:
        return number <= 9 or self.pace == Pace.FREE


class One(Open):
    """Adds one; where it is fair, to whoever has least."""

    def amount(self, node: Node) -> Count:
        return 1 if self.pace == Pace.FREE else self.twice(1)

    def may_add(self, node: Node) -> bool:
        if self.fair:
            return all(self.held[node] <= self.held[n] for n in Node)
        return True

    def twice(self, number: Count) -> Count:
        return number * 2


class OneAndReset(One):
    """A variant of a variant, with an action, a variable and a claim of its own."""

    resets: Count = 0

    @action
    def reset(self) -> None:
        require(self.full())
        self.held = {n: 0 for n in Node}
        self.resets += 1

    @reachable
    def reset_twice(self) -> bool:
        return self.resets == 2

    def full(self) -> bool:
        return min(self.held[n] for n in Node) == self.most


class OneToTwo(OneAndReset):
    """A variant with another default, and an action that is expected only where it is fair."""

    most: int = constant(2, "the largest number, here another one", at_most=9)

    @action
    def fill(self) -> None:
        require(self.fair)
        self.held = {n: self.most for n in Node}

    @applies("fill")
    def if_fair_too(self) -> bool:
        return self.fair
