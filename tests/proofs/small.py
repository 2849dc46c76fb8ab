"""Models small enough that it is known by hand what induction can do with them."""

from typing import Annotated, Self

from isrcheck import Model, UpTo, action, constant, invariant, lemma, step

Count = Annotated[int, UpTo("limit")]


class Twins(Model):
    """Two counters that go up together, and a copy of one: `copy_is_behind` needs to know that they are equal."""

    limit: int = constant(3, "where counting ends")
    left: Count = 0
    right: Count = 0
    copied: Count = 0

    @action
    def up(self) -> None:
        self.left += 1
        self.right += 1

    @action
    def copy(self) -> None:
        self.copied = self.right

    @invariant
    def copy_is_behind(self) -> bool:
        """The copy never exceeds the left one."""
        return self.copied <= self.left

    @step
    def left_never_falls(self, before: Self) -> bool:
        return self.left >= before.left

    @lemma
    def twins_are_equal(self) -> bool:
        return self.left == self.right


class FalseLemma(Twins):
    """A lemma of its own that a step breaks, and one that is false from the start; the others do without them."""

    @lemma
    def stays_small(self) -> bool:
        return self.left < 2

    @lemma
    def starts_at_one(self) -> bool:
        return self.left > 0


class Careless(Model):
    """Counts down without looking: its text goes wrong."""

    limit: int = constant(3, "where counting ends")
    count: Count = 1

    @action
    def down(self) -> None:
        self.count -= 1

    @invariant
    def small(self) -> bool:
        return self.count < 2
