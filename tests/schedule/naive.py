"""The meaning of schedules once more, path by path and without sets: slow, and hard to get wrong."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

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
