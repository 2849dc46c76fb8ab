"""Rings: budgets, each within the next one, which are searched completely one after the other."""

from collections.abc import Callable, Iterator

from isrrisk.answer import Answer, Wider
from isrrisk.budget import WIDEST, FaultBudget
from isrrisk.frontier import Frontier
from isrrisk.setting import Setting

# The most replicas of which one fault of each kind is searched at once: 4.3 million states at three replicas, two
# billion or more at five.
ONE_OF_EACH = 3
RARE = "disks"  # one of each of the other kinds is searched first
# How many times as many states one fault more makes, by replicas: 822 to 18,180 at two, 5,786 to 500,309 at three,
# 28,193 to 4,642,956 at four, 110,902 to some 40 million at five (Kafka 4.1, at most one fencing, 2 kills and 2 power
# losses); 24 at two for a replaced disk. Each further fault makes fewer.
_GROWTH = {1: 24, 2: 24, 3: 87, 4: 165, 5: 400}
# States that a search may have for which nobody asked: a minute at most on two cores, and 1 GB.
EXPECTED_AT_MOST = 5_000_000

SearchRing = Callable[[FaultBudget], Frontier]
Expectation = Callable[[list[Frontier], FaultBudget, int], int | None]


def rings(widest: FaultBudget, replicas: int) -> list[FaultBudget]:
    """The budgets up to the widest: one fault of each kind where that is small, else one in all; then more in all.

    One of each kind is searched without a replaced disk before it is searched with one.
    """
    most = {name: number for name, number in widest.most.items() if number}
    total = sum(most.values())
    planned = []
    if replicas > ONE_OF_EACH or len(most) > len(WIDEST) or widest.restarts:
        first = 0 if widest.restarts else min(total, 1)
    else:
        planned += [FaultBudget(dict.fromkeys(kinds, 1)) for kinds in ([k for k in most if k != RARE], most)]
        first = max(len(most), 1)
    planned += [_together(widest, most, number) for number in range(first, total + 1)]
    return [ring for number, ring in enumerate(planned) if not number or not is_within(ring, planned[number - 1])]


def _together(widest: FaultBudget, most: dict[str, int], number: int) -> FaultBudget:
    capped = {name: min(n, number) for name, n in most.items() if number}
    return FaultBudget(capped, widest.restarts, number if number < sum(capped.values()) else None)


def is_within(ring: FaultBudget, wider: FaultBudget) -> bool:
    """Whether every number of faults of one budget is one of another."""
    return {frozenset(dict(v).items()) for v in _plain(ring)} <= {frozenset(dict(v).items()) for v in _plain(wider)}


def _plain(ring: FaultBudget) -> Iterator[tuple[tuple[str, int], ...]]:
    return (tuple((name, n) for name, n in vector if n) for vector in ring.vectors())


def states_expected(complete: list[Frontier], ring: FaultBudget, replicas: int) -> int | None:
    """About how many states a ring has at most, by those before it; None before the first."""
    if not complete:
        return None
    last = complete[-1]
    growth: float = _GROWTH.get(replicas, 1000)
    if len(complete) > 1 and _in_all(last.budget) > _in_all(complete[-2].budget):
        growth = min(growth, last.states / complete[-2].states)
    more = _in_all(ring) - _in_all(last.budget)
    wider = len(ring.widest()) / len(last.budget.widest()) if not more else growth**more
    return round(last.states * max(wider, 1))


def expect_nothing(complete: list[Frontier], ring: FaultBudget, replicas: int) -> None:
    """Expect no number of states: a GPU searches what fits into its memory, and the figures here are not its."""


def one_of_each_beyond(answer: Answer, next_ring: Wider) -> list[Wider]:
    """One fault of each kind, and what it takes, where neither the complete rings nor the next one have it."""
    widest = answer.widest
    one = FaultBudget({name: 1 for name, number in widest.most.items() if number}, widest.restarts)
    if any(is_within(one, ring) for ring in (next_ring.budget, *(each.budget for each in answer.complete))):
        return []
    replicas = answer.setting.replication_factor + widest.spares()
    return [Wider(one, states_expected(answer.complete, one, replicas))]


def _in_all(ring: FaultBudget) -> int:
    return max(sum(n for _, n in vector) for vector in ring.widest())


def answer_by_rings(
    setting: Setting,
    widest: FaultBudget,
    search: SearchRing,
    goes_on: bool,
    tell: Callable[[Answer], object] = lambda _: None,
    expect: Expectation = states_expected,
) -> Answer:
    """Search ring after ring until the widest is complete, a search is cut off, or the next one is too large.

    With `goes_on` no ring is too large. `tell` is given the answer of every complete ring but the last one.
    """
    replicas = setting.replication_factor + widest.spares()
    complete: list[Frontier] = []
    for ring in rings(widest, replicas):
        expected = expect(complete, ring, replicas)
        wider = Wider(ring, expected)
        if expected is not None and expected > EXPECTED_AT_MOST and not goes_on:
            return Answer(setting, complete, None, wider, widest)
        if complete:
            tell(Answer(setting, complete.copy(), None, wider, widest))
        searched = _search(search, ring, setting)
        if not searched.is_complete:
            return Answer(setting, complete, searched, wider, widest)
        complete.append(searched)
    return Answer(setting, complete, None, None, widest)


def _search(search: SearchRing, ring: FaultBudget, setting: Setting) -> Frontier:
    """The frontier of a ring; a cut one where the user ended what stands before or after the search."""
    try:
        return search(ring)
    except KeyboardInterrupt:
        return Frontier(
            setting,
            ring,
            losses=[],
            survivals=[],
            undecided=[],
            cut="by the user",
            states=0,
            pruned=0,
            seconds=0.0,
            interrupted=True,
        )
