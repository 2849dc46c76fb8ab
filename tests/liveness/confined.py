"""Small models that constraints confine, of which it is plain what they do for ever."""

from typing import Annotated

from isrcheck import Model, Taken, Temporal, UpTo, action, constraint, eventually, fairness, require, temporal

At = Annotated[int, UpTo(3)]
Far = Annotated[int, UpTo(70_000)]


class Pointing(Model):
    """What is asked has no value beyond the constraint."""

    at: At = 0
    row: Annotated[tuple[Annotated[int, UpTo(1)], ...], UpTo(2)] = (0, 0)

    @action(fair="weak")
    def go(self) -> None:
        require(self.at < 3)
        self.at += 1

    @constraint
    def short(self) -> bool:
        return self.at < 2

    @temporal
    def points_to_one(self) -> Temporal:
        return eventually(self.row[self.at] == 1)


class PointingBack(Pointing):
    """The same, and a way back."""

    @action(fair="weak")
    def back(self) -> None:
        require(self.at == 1)
        self.at = 0


class PointingFar(Model):
    """A state without a value that is left out, and one that is found after it and is not."""

    at: At = 0
    row: Annotated[tuple[Annotated[int, UpTo(1)], ...], UpTo(2)] = (0, 0)

    @action
    def walk(self) -> None:
        require(self.at == 0)
        self.at = 1

    @action
    def leap(self) -> None:
        require(self.at < 2)
        self.at += 2

    @constraint
    def is_not_two(self) -> bool:
        return self.at != 2

    @temporal
    def points_to_one(self) -> Temporal:
        return eventually(self.row[self.at] == 1)


class Polling(Model):
    """Of a fair action the constraint drops a step, and that changes nothing."""

    done: bool = False

    @action(fair="weak")
    def poll(self) -> None:
        self.done = self.done

    @action
    def go(self) -> None:
        self.done = True

    @constraint
    def unpolled(self, before: "Polling", taken: Taken) -> bool:
        return taken.action != "poll"

    @fairness
    def goes_on(self, taken: Taken) -> bool:
        return taken.action == "go"

    @temporal
    def ends(self) -> Temporal:
        return eventually(self.done)


class Endless(Model):
    """More choices of parameters than the graph can tell apart."""

    first: frozenset[Far] = frozenset()
    second: frozenset[Far] = frozenset()

    @action
    def take(self, x: Far, y: Far) -> None:
        require(x in self.first and y in self.second)
        self.first -= {x}

    @action(fair="weak")
    def put(self) -> None:
        self.first |= {7}

    @temporal
    def begins(self) -> Temporal:
        return eventually(len(self.first) > 0)
