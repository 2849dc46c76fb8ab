"""Traps of other checkers: each wrong verdict that was reported there, on the least model that shows it.

Not here: what was wrong in TLC #725, #913 and #1161 was not found in writing. Other traps of liveness stand in
tests/liveness/test_check.py.
"""

from typing import Annotated

import pytest
from tests.liveness import small

from isrcheck import (
    Limits,
    Model,
    Options,
    Sort,
    UpTo,
    Verdict,
    action,
    check,
    constant,
    each,
    invariant,
    reachable,
    require,
    subsets,
)

ENGINES = ("reference", "native", "symbolic")
Small = Annotated[int, UpTo(1)]


class Node(Sort, size="nodes"):
    """A thing."""


class Copies(Model):
    """A row is copied, and changes later: the copy must not (TLC #1302: EXCEPT changed the value it began with)."""

    nodes: int = constant(2, "how many", at_least=1)
    row: dict[Node, Small] = each(Node, 0)
    kept: dict[Node, dict[Node, Small]] = each(Node, each(Node, 0))

    @action
    def keep(self, place: Node) -> None:
        """The row as it is now is copied."""
        self.kept[place] = {n: self.row[n] for n in Node}

    @action
    def raise_one(self, node: Node) -> None:
        """The row changes in one place."""
        require(self.row[node] == 0)
        self.row[node] = 1

    @invariant
    def copies_are_older(self) -> bool:
        """No copy is ahead of the row."""
        return all(self.kept[p][n] <= self.row[n] for p in Node for n in Node)

    @reachable
    def a_copy_is_older(self) -> bool:
        """A copy is behind the row, and another is not."""
        return any(self.kept[p][n] < self.row[n] and self.kept[q][n] == 1 for p in Node for q in Node for n in Node)


class Folds(Model):
    """Subsets are counted (Apalache #3385: a fold over SUBSET S, which is not enumerated, gave its first value)."""

    nodes: int = constant(3, "how many", at_least=1)
    counted: Annotated[int, UpTo("8")] = 0

    @action
    def count(self) -> None:
        """All subsets, the empty one among them."""
        self.counted = sum(1 for chosen in subsets(Node) if len(chosen) >= 0)

    @reachable
    def all_are_counted(self) -> bool:
        """Three things have eight subsets."""
        return self.counted == 8


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("trap", "name"), [(Copies, "a_copy_is_older"), (Folds, "all_are_counted")])
def test_values_are_whole_and_nobody_else_s(trap: type[Model], name: str, engine: str) -> None:
    limits = Limits(depth=5) if engine == "symbolic" else Limits()
    assert check(trap, properties=[name], engine=engine, limits=limits).property(name).verdict is Verdict.HOLDS


@pytest.mark.parametrize("engine", ENGINES[:2])
def test_a_copy_stays_as_it_was(engine: str) -> None:
    # by hand, by the row: 1 + 4 + 4 + 14
    outcome = check(Copies, engine=engine, properties=["copies_are_older"])
    assert (outcome.distinct, outcome.property("copies_are_older").verdict) == (
        23,
        Verdict.HOLDS,
    )  # by hand: 1 + 4 + 4 + 14, by the row


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_violation_is_found_by_any_number_of_workers(workers: int) -> None:
    """TLC #971: with several workers a violated temporal property was said to hold."""
    outcome = check(small.Stopping, engine="native", options=Options(workers=workers))
    assert outcome.property("gets_there").verdict is Verdict.VIOLATED


@pytest.mark.parametrize("engine", ENGINES[:2])
def test_an_unfair_cycle_is_no_violation_and_a_behaviour_may_stop(engine: str) -> None:
    """tla-rs #59: a cycle that fairness excludes was a violation; #62: that a behaviour may stop was forgotten."""
    assert check(small.Lock, engine=engine).property("lock_is_freed").verdict is Verdict.HOLDS
    assert check(small.Stopping, engine=engine).property("gets_there").verdict is Verdict.VIOLATED
