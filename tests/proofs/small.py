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
