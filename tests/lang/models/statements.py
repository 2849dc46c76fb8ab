"""Assignments, branches and helpers with effects."""

from typing import Self

from tests.lang.models.words import Colour, Count, Node

from isrcheck import Model, Taken, action, constant, each, history, invariant, reachable, require, step


class Swap(Model):
    """Two variables change places: 2 states. The assignment reads before it writes."""

    most: int = constant(1, "the largest number")

    a: Count = 0
    b: Count = 1

    @action
    def swap(self) -> None:
        self.a, self.b = self.b, self.a

    @invariant
    def differ(self) -> bool:
        return self.a != self.b


class InOrder(Model):
    """What is assigned first is read by what comes later: a = b at every step, so 1 + most states."""

    most: int = constant(3, "the largest number")

    a: Count = 0
    b: Count = 0

    @action
    def both(self) -> None:
        self.a += 1
        self.b = self.a

    @invariant
    def equal(self) -> bool:
        return self.a == self.b


class TargetsInOrder(Model):
    """In a, m[a] = ... the key is read after a was written, as Python does."""

    most: int = constant(2, "the largest number")

    a: Count = 0
    marks: dict[Count, bool] = each(Count, False)

    @action
    def both(self) -> None:
        require(self.a < self.most)
        self.a, self.marks[self.a] = self.a + 1, True

    @invariant
    def first_stays_clear(self) -> bool:
        return not self.marks[0]


class Branches(Model):
    """A local name with a value from either branch, one that keeps its value, and one from nested branches."""

    most: int = constant(4, "the largest number")

    n: Count = 0
    last: Colour = Colour.RED

    @action
    def move(self, colour: Colour) -> None:
        kept = self.n
        if colour == Colour.RED:
            by = 1
            self.last = colour
        elif colour is not None and colour == Colour.GREEN:
            by = 2
            if self.n == 0:
                kept = 1
            else:
                kept = 0
        else:
            by = 0
            if kept == 1:
                pass
            elif kept == 2:
                by = 1
        self.n = kept + by

    @reachable
    def top(self) -> bool:
        return self.n == self.most


class GuardAfter(Model):
    """A guard that stands after an assignment, and inside a branch, undoes the whole step."""

    most: int = constant(3, "the largest number")

    n: Count = 0
    m: Count = 0

    @action
    def climb(self, odd: bool) -> None:
        self.n += 1
        if odd:
            require(self.n % 2 == 1)
            self.m = self.n // 2
        require(self.n <= self.most)

    @invariant
    def small(self) -> bool:
        return self.m <= 1


class Helpers(Model):
    """Helpers with effects have local names of their own, and may call each other."""

    nodes: int = constant(2, "how many there are", at_least=1)
    most: int = constant(2, "the largest number")

    held: dict[Node, Count] = each(Node, 0)
    last: Node | None = None

    @action
    def give(self, node: Node) -> None:
        amount = 1
        other = self.held[node]
        self.add(node, amount)
        self.remember(node, other + amount)

    @action
    def clear(self) -> None:
        self.held = {n: 0 for n in Node}
        self.last = None

    def add(self, node: Node, other: Count) -> None:
        amount = self.held[node] + other
        self.held[node] = amount

    def remember(self, other: Node, amount: Count) -> None:
        node = other
        if amount > 0:
            self.write(node)

    def write(self, amount: Node) -> None:
        self.last = amount

    @invariant
    def last_has_some(self) -> bool:
        last = self.last
        return last is None or self.held[last] > 0


class Before(Model):
    """A step property asks helpers about the state before, which ask further ones about it."""

    nodes: int = constant(2, "how many there are", at_least=1)
    most: int = constant(2, "the largest number")

    held: dict[Node, Count] = each(Node, 0)

    @action
    def give(self, node: Node) -> None:
        self.held[node] += 1

    @action
    def take(self, node: Node) -> None:
        require(self.held[node] > 0)
        self.held[node] -= 1

    @step
    def total_changes_by_one(self, before: Self) -> bool:
        return self.total() in (before.total() - 1, before.total() + 1)

    @step
    def twice_grows(self, before: Self) -> bool:
        """False where something is taken: found at its shortest."""
        return self.twice(1) > before.twice(1)

    @step
    def takers_lose(self, before: Self, taken: Taken) -> bool:
        if taken.action == "take":
            return self.held[taken.node] < before.held[taken.node]
        return taken.action != "give" or self.held[taken.node] == before.held[taken.node] + 1

    @step
    def first_never_taken(self, before: Self, taken: Taken) -> bool:
        return taken.action != "take" or any(n != taken.node and before.held[n] > 1 for n in Node)

    def twice(self, extra: int) -> int:
        sum_of_all = self.total()
        return 2 * sum_of_all + extra

    def total(self) -> int:
        return sum(self.held[n] for n in Node)


class Remembered(Model):
    """History variables are part of the state: 0..most with a peak and a count of steps, up to the bound."""

    most: int = constant(2, "the largest number")

    n: Count = 0
    peak: Count = history(0)
    steps: Count = history(0)

    @action
    def up(self) -> None:
        self.n += 1
        self.peak = max(self.peak, self.n)
        self.count()

    @action
    def down(self) -> None:
        require(self.n > 0)
        self.n -= 1
        self.count()

    def count(self) -> None:
        self.steps += 1

    @invariant
    def peak_is_highest(self) -> bool:
        return self.n <= self.peak <= self.steps
