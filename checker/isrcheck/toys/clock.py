"""A clock of hours and minutes.

Known: it goes round, so hours * minutes states lie on one path, and every property holds. At the defaults 12 distinct,
13 generated, depth 12; `last_minute` is reached after 12 states.
"""

from typing import Annotated, Self

from isrcheck import Model, UpTo, action, constant, invariant, reachable, step

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
        """A minute passes."""
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
