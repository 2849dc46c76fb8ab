"""A thermometer that remembers: variables that properties alone may read.

Known, at the defaults: 9 distinct, 14 generated, depth 6, 2 pruned. Histories are part of a state, so that the same
degree counts once for each past; all three degrees are seen after 5 states.
"""

from typing import Annotated, NamedTuple, Self

from isrcheck import Model, UpTo, action, constant, history, invariant, members, reachable, require, step

Degree = Annotated[int, UpTo("boiling")]


class Range(NamedTuple):
    """The lowest and the highest degree seen."""

    lowest: Degree
    highest: Degree


class Thermometer(Model):
    """It rises and falls by one."""

    boiling: int = constant(2, "the highest degree", at_least=1)

    degree: Degree = 0
    seen: Range = history(Range(0, 0))
    unseen: frozenset[Degree] = history(members(Degree))

    @action
    def rise(self) -> None:
        """It gets warmer."""
        self.degree += 1
        self.note()

    @action
    def fall(self) -> None:
        """It gets colder."""
        require(self.degree >= 1)
        self.degree -= 1
        self.note()

    @invariant
    def within_what_was_seen(self) -> bool:
        """The degree is between the lowest and the highest seen."""
        return self.seen.lowest <= self.degree <= self.seen.highest

    @invariant
    def not_unseen(self) -> bool:
        """What is shown now is not unseen, except at the start."""
        return self.degree not in self.unseen or self.degree == self.seen.highest == 0

    @step
    def memory_grows(self, before: Self) -> bool:
        """What was seen stays seen."""
        return (
            before.seen.highest <= self.seen.highest
            and self.seen.lowest <= before.seen.lowest
            and self.unseen <= before.unseen
        )

    @reachable
    def all_seen(self) -> bool:
        """Every degree was shown."""
        return len(self.unseen) == 0

    def note(self) -> None:
        """Remembers the degree."""
        self.seen = Range(min(self.seen.lowest, self.degree), highest=max(self.seen.highest, self.degree))
        self.unseen -= {self.degree}
