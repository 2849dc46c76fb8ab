"""Models small enough that it is known by hand what induction can do with them."""

from typing import Annotated, Self

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, lemma, members, require, step

Count = Annotated[int, UpTo("limit")]


class Blinker(Model):
    """0 and 1 in turn; 2 would lead to 3, and nothing leads to 2: `never_three` needs two steps of induction."""

    limit: int = constant(5, "where counting ends")
    light: Count = 0

    @action
    def blink(self) -> None:
        """The next light."""
        if self.light == 0:
            self.light = 1
        elif self.light == 1:
            self.light = 0
        elif self.light == 2:
            self.light = 3

    @invariant
    def never_three(self) -> bool:
        """The third light stays off."""
        return self.light != 3


class Twins(Model):
    """Two counters that go up together, and a copy of one: `copy_is_behind` needs to know that they are equal."""

    limit: int = constant(3, "where counting ends")
    left: Count = 0
    right: Count = 0
    copied: Count = 0

    @action
    def up(self) -> None:
        """Both go up."""
        self.left += 1
        self.right += 1

    @action
    def copy(self) -> None:
        """The right one is copied."""
        self.copied = self.right

    @invariant
    def copy_is_behind(self) -> bool:
        """The copy never exceeds the left one."""
        return self.copied <= self.left

    @step
    def left_never_falls(self, before: Self) -> bool:
        """The left one never goes down."""
        return self.left >= before.left

    @lemma
    def twins_are_equal(self) -> bool:
        """Both go up together."""
        return self.left == self.right


class TornTwins(Twins):
    """The right one may go up alone: neither the lemma nor the promise holds."""

    @action
    def tear(self) -> None:
        """The right one goes up alone."""
        self.right += 1


class FalseLemma(Twins):
    """A lemma of its own that a step breaks, and one that is false from the start; the others do without them."""

    @lemma
    def stays_small(self) -> bool:
        """False after two steps."""
        return self.left < 2

    @lemma
    def starts_at_one(self) -> bool:
        """False from the start."""
        return self.left > 0


class Soon(Model):
    """Breaks its promise in two steps, if the gap is 2 or more."""

    limit: int = constant(3, "where counting ends", at_least=2)
    gap: int = constant(2, "how far it goes in one step", at_least=1)
    count: Count = 0

    @action
    def up(self) -> None:
        """One gap further, once begun."""
        if self.count == 0:
            self.count = 1
        else:
            self.count += self.gap

    @invariant
    def not_three(self) -> bool:
        """The count is never 3."""
        return self.count != 3


class Node(Sort, size="nodes"):
    """Somebody."""


class Club(Model):
    """Members have paid; the promise is about members only."""

    nodes: int = constant(2, "people", at_least=1)
    limit: int = constant(3, "the most that is paid")
    fee: Count = 0
    paid: dict[Node, Count] = each(Node, 0)
    inside: frozenset[Node] = members(Node)

    @action
    def raise_fee(self) -> None:
        """The fee goes up; whoever has paid less is out."""
        self.fee += 1
        self.inside = frozenset(n for n in self.inside if self.paid[n] >= self.fee)

    @action
    def pay(self, who: Node) -> None:
        """Somebody pays one more."""
        self.paid[who] += 1

    @action
    def join(self, who: Node) -> None:
        """Whoever has paid joins."""
        require(self.paid[who] >= self.fee)
        self.inside |= {who}

    @invariant
    def insiders_have_paid(self) -> bool:
        """Nobody is inside who owes anything."""
        return all(self.paid[n] >= self.fee for n in self.inside)


class Careless(Model):
    """Counts down without looking: its text goes wrong."""

    limit: int = constant(3, "where counting ends")
    count: Count = 1

    @action
    def down(self) -> None:
        """One less, whatever there is."""
        self.count -= 1

    @invariant
    def small(self) -> bool:
        """The count stays below 2."""
        return self.count < 2
