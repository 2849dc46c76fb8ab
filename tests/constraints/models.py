"""Two counters, and what bounds the search among them."""

from typing import Annotated, Self

from isrcheck import Model, Taken, UpTo, action, constant, constraint, invariant, reachable, require, step

N = Annotated[int, UpTo("most")]


class Two(Model):
    most: int = constant(6, "the largest number")
    a: N = 0
    b: N = 0

    @action
    def up(self) -> None:
        self.a += 1

    @action
    def right(self) -> None:
        require(self.b < 5)
        self.b += 1

    @action
    def back(self) -> None:
        self.a, self.b = 0, 0

    @invariant
    def below_four(self) -> bool:
        return self.a + self.b < 4

    @invariant
    def below_six(self) -> bool:
        return self.a + self.b < 6

    @step
    def grows(self, before: Self) -> bool:
        return self.a + self.b > before.a + before.b or before.a + before.b < 4

    @reachable
    def far(self) -> bool:
        return self.a == 5


class Near(Two):
    @constraint
    def near(self) -> bool:
        """The states below four; those of four are checked and not expanded."""
        return self.a + self.b < 4


class NearAndUp(Near):
    """Of two steps to one state outside, one is dropped, too."""

    @constraint
    def goes_up(self, before: Self, taken: Taken) -> bool:
        return taken.action != "right" or before.a == 0


class NoWayBack(Two):
    @constraint
    def stays(self, before: Self, taken: Taken) -> bool:
        """Of the steps of back() only those from a = 2 are taken."""
        return taken.action != "back" or before.a == 2


class Elsewhere(Two):
    @constraint
    def moved(self) -> bool:
        return self.a > 0


class Overflowing(Two):
    """What a constraint asks has no value in a state that it is asked of."""

    @constraint
    def has_values(self, before: Self) -> bool:
        return max(i for i in range(3) if i > self.a) > before.b


class WrongAtFirst(Two):
    """What a constraint asks has no value in the initial state."""

    @constraint
    def has_value(self) -> bool:
        return max(i for i in range(3) if i < self.a) < 3
