"""Two small variants whose environment fills a tank, and whose pump empties it by itself."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Annotated, Any, Self

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, policy, reachable, require, step

Level = Annotated[int, UpTo("high")]


class Tank(Sort, size="tanks"):
    """Something to fill."""


class Pump(Model):
    """Whoever is full must not be filled; the pump may run at any time."""

    tanks: int = constant(2, "tanks", at_least=1)
    high: int = constant(2, "how much a tank holds", at_least=1)

    level: dict[Tank, Level] = each(Tank, 0)
    spilled: bool = False
    last: Tank | None = None

    @policy
    def may_fill(self, tank: Tank) -> bool:
        """Whether a tank takes more."""
        raise NotImplementedError

    @action
    def tank_is_filled(self, tank: Tank) -> None:
        """Rain."""
        require(self.last != tank)
        require(self.may_fill(tank))
        self.spilled = self.spilled or self.level[tank] == self.high
        self.level[tank] = min(self.level[tank] + 1, self.high)
        self.last = tank

    @action
    def tank_is_emptied(self, tank: Tank, all_of_it: bool) -> None:
        """Somebody drinks."""
        require(self.level[tank] > 0)
        self.level[tank] = 0 if all_of_it else self.level[tank] - 1
        self.last = None

    @action(internal=True)
    def pump_runs(self, source: Tank, target: Tank) -> None:
        """The pump moves water to where there is less."""
        require(self.level[target] < self.level[source])
        self.level[source] -= 1
        self.level[target] += 1

    @invariant
    def nothing_spills(self) -> bool:
        """No water is lost."""
        return not self.spilled

    @invariant
    def never_both_full(self) -> bool:
        """Some tank has room."""
        return any(self.level[t] < self.high for t in Tank)

    @step
    def one_at_a_time(self, before: Self) -> bool:
        """A tank never loses more than one."""
        return all(self.level[t] + 1 >= before.level[t] for t in Tank)

    @reachable
    def gets_full(self) -> bool:
        """Some tank is full."""
        return any(self.level[t] == self.high for t in Tank)


class Careful(Pump):
    """Looks before it fills."""

    def may_fill(self, tank: Tank) -> bool:
        """Only with room."""
        return self.level[tank] < self.high


class Careless(Pump):
    """Fills whatever there is."""

    def may_fill(self, tank: Tank) -> bool:
        """Always."""
        return True


Steps = Callable[[Any], list[tuple[int, Any]]]
Path = tuple[int, ...]


def runs(
    steps: Steps, start: Any, schedule: Sequence[frozenset[int]], internal: frozenset[int]
) -> Iterator[tuple[int, Path, list[Any]]]:
    """(steps of the schedule taken, path, states) of every beginning of a run that visits nothing twice."""

    def onward(taken: int, path: Path, states: list[Any], met: frozenset[Any]) -> Iterator[tuple[int, Path, list[Any]]]:
        yield taken, path, states
        for instance, after in steps(states[-1]):
            then = []
            if taken < len(schedule) and instance in schedule[taken]:
                then.append(taken + 1)
            if instance in internal:
                then.append(taken)
            for number in then:
                if (number, after) not in met:
                    yield from onward(number, (*path, instance), [*states, after], met | {(number, after)})
                else:
                    yield number, (*path, instance), [*states, after]

    yield from onward(0, (), [start], frozenset({(0, start)}))


def shortest_schedule(
    labels: int, longest: int, looks: Callable[[Sequence[int]], tuple[bool, bool, bool, bool]]
) -> tuple[int, ...] | None:
    """The first schedule, by length and then by labels, that both follow and one alone breaks.

    `looks` says whether left and right can follow a schedule, and whether left and right break something on the way.
    """
    for length in range(longest + 1):
        for schedule in product(range(labels), repeat=length):
            left, right, one, two = looks(schedule)
            if left and right and one != two:
                return schedule
    return None
