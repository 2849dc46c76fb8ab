"""Toys that count, and a lamp.

`Clock` goes round, so hours * minutes states lie on one path. `Counter` leaves its bound. `Evens` has a reachability
property that no state can meet. `Ratchet` slips at the top: its properties are of steps, and `never_back` breaks in a
trace longer than the graph is deep. `Thermometer` remembers: histories are part of a state, so that the same degree
counts once for each past. `BornWrong` is wrong in its initial state.
"""

from typing import Annotated, NamedTuple, Self

from isrcheck import Model, UpTo, action, assume, constant, history, invariant, members, reachable, require, step

Hour = Annotated[int, UpTo("hours - 1")]
Minute = Annotated[int, UpTo("minutes - 1")]


class Clock(Model):
    """Minutes carry over into hours, and hours into nothing."""

    hours: int = constant(3, "hours in a day", at_least=1, at_most=24)
    minutes: int = constant(4, "minutes in an hour", at_least=1)

    hour: Hour = 0
    minute: Minute = 0

    @action
    def tick(self) -> None:
        self.minute = (self.minute + 1) % self.minutes
        if self.minute == 0:
            self.hour = (self.hour + 1) % self.hours

    @invariant
    def within_a_day(self) -> bool:
        """The time is less than a day."""
        return 0 <= self.now() < self.hours * self.minutes

    @step
    def one_minute_at_a_time(self, before: Self) -> bool:
        """Each tick leads to the minute after."""
        return self.now() == (before.now() + 1) % (self.hours * self.minutes)

    @reachable
    def last_minute(self) -> bool:
        """A day goes by."""
        return self.now() + 1 == self.hours * self.minutes

    def now(self) -> int:
        """Minutes since midnight."""
        return self.hour * self.minutes + self.minute


Count = Annotated[int, UpTo("limit")]


class Counter(Model):
    """A counter that only its bound keeps low."""

    limit: int = constant(3, "where counting ends")

    count: Count = 0

    @assume
    def room_for_three(self) -> bool:
        """The limit is 3 or more, or the property could not break."""
        return self.limit >= 3

    @action
    def up(self) -> None:
        self.count += 1

    @action
    def double(self) -> None:
        self.count = self.count * 2

    @action
    def down(self) -> None:
        require(self.count > 0)
        self.count -= 1

    @invariant
    def within_limit(self) -> bool:
        """A count above the limit is never seen."""
        return self.count <= self.limit

    @invariant
    def below_three(self) -> bool:
        """The count stays below 3."""
        return self.count < 3


class Evens(Model):
    """Counting by twos."""

    limit: int = constant(7, "the largest number")

    number: Annotated[int, UpTo("limit")] = 0

    @action
    def add_two(self) -> None:
        self.number += 2

    @invariant
    def even(self) -> bool:
        """The number is even."""
        return self.number % 2 == 0

    @reachable
    def six(self) -> bool:
        """There are three twos."""
        return self.number // 2 == 3

    @reachable
    def odd(self) -> bool:
        """A number is odd."""
        return self.number % 2 == 1


class Ratchet(Model):
    """A wheel that goes up tooth by tooth, and from the top back to the bottom."""

    top: int = constant(2, "teeth", at_least=1)

    tooth: Annotated[int, UpTo("top")] = 0

    @action
    def up(self) -> None:
        self.tooth += 1

    @action
    def slip(self) -> None:
        """The ratchet falls from the top to the bottom."""
        require(self.tooth == self.top)
        self.tooth = 0

    @action
    def rest(self) -> None:
        """A step that changes nothing."""

    @step
    def never_back(self, before: Self) -> bool:
        """The ratchet does not go back."""
        return before.tooth <= self.tooth

    @step
    def always_moves(self, before: Self) -> bool:
        """The ratchet never stands still."""
        return before.tooth != self.tooth

    @step
    def one_tooth_at_a_time(self, before: Self) -> bool:
        """The ratchet skips nothing on its way up."""
        return self.tooth <= before.tooth + 1


Degree = Annotated[int, UpTo("boiling")]


class Range(NamedTuple):
    lowest: Degree
    highest: Degree


class Thermometer(Model):
    """A thermometer that rises and falls by one degree."""

    boiling: int = constant(2, "the highest degree", at_least=1)

    degree: Degree = 0
    extremes: Range = history(Range(0, 0))
    unseen: frozenset[Degree] = history(members(Degree))

    @action
    def rise(self) -> None:
        self.degree += 1
        self.note()

    @action
    def fall(self) -> None:
        require(self.degree >= 1)
        self.degree -= 1
        self.note()

    @invariant
    def within_what_was_seen(self) -> bool:
        """The degree is between the lowest and the highest seen."""
        return self.extremes.lowest <= self.degree <= self.extremes.highest

    @invariant
    def not_unseen(self) -> bool:
        """The degree shown is not among the unseen ones, except at the start."""
        return self.degree not in self.unseen or self.degree == self.extremes.highest == 0

    @step
    def memory_grows(self, before: Self) -> bool:
        """A degree that was seen stays seen."""
        return (
            before.extremes.highest <= self.extremes.highest
            and self.extremes.lowest <= before.extremes.lowest
            and self.unseen <= before.unseen
        )

    @reachable
    def all_seen(self) -> bool:
        """Every degree was shown."""
        return len(self.unseen) == 0

    def note(self) -> None:
        self.extremes = Range(min(self.extremes.lowest, self.degree), highest=max(self.extremes.highest, self.degree))
        self.unseen -= {self.degree}


class BornWrong(Model):
    """A lamp with a switch."""

    on: bool = True

    @action
    def switch(self) -> None:
        self.on = not self.on

    @invariant
    def dark(self) -> bool:
        """The lamp is off."""
        return not self.on

    @reachable
    def bright(self) -> bool:
        """The lamp is on."""
        return self.on
