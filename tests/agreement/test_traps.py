"""Traps of other checkers: each wrong verdict that was reported there, on the least model that shows it.

Not here: what was wrong in TLC #913 was not found in writing. Other traps of liveness stand in
tests/liveness/test_check.py.
"""

from pathlib import Path
from typing import Annotated, Self

import pytest
from tests.liveness import small
from tests.models.compare import compare

from isrcheck import (
    Limits,
    Model,
    Options,
    Sort,
    UpTo,
    UsageError,
    Verdict,
    action,
    check,
    constant,
    constraint,
    each,
    enabled,
    invariant,
    prove,
    reachable,
    require,
    step,
    subsets,
)
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.make import Fate
from isrcheck.gate.mutants.survey import survey
from isrcheck.lang.read import read_model
from isrtoys.processes import Mutex, Process, Stage

ENGINES = ("reference", "native", "symbolic")
Small = Annotated[int, UpTo(1)]
Digit = Annotated[int, UpTo(4)]


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
        return self.counted == 8


class Asking(Mutex):
    """Peterson's lock: where both wait, one may enter."""

    @invariant
    def one_may_enter(self) -> bool:
        """No two processes wait for each other."""
        return enabled(self.enter) or any(self.place[p] != Stage.WAITING for p in Process)

    @invariant
    def only_outside(self) -> bool:
        """Nobody may ask while another may leave: wrong after three steps."""
        return not any(enabled(self.ask) and enabled(self.leave) for process in Process)

    @step
    def let_in(self, before: Self) -> bool:
        """Only who could enter is inside after a step."""
        return enabled(before.enter) or enabled(before.leave) or not enabled(self.leave)

    @reachable
    def both_wait(self) -> bool:
        """Nobody can ask, and somebody can enter, after four steps."""
        return not enabled(self.ask) and enabled(self.enter) and not enabled(self.leave) and not enabled(self.give_way)


class Renamed(Model):
    """An action that can never happen: what it filters by is what it has just written, under a name used outside.

    TLC #725: ENABLED of such an action in an instantiated module was true, and so no violation was seen.
    """

    a: Digit = 0
    b: Digit = 0
    c: Annotated[tuple[Digit, ...], UpTo(3)] = (1, 2, 3)

    @action
    def move(self) -> None:
        require(self.a == 0)
        self.b = 4
        self.a = 1
        b = self.a
        self.c = tuple(e for e in self.c if e != b)
        require(self.c == (1, 2, 3))

    @action
    def turn(self) -> None:
        self.b = (self.b + 1) % 3

    @invariant
    def moves_or_b_is_low(self) -> bool:
        return enabled(self.move) or self.b == 0


class Handed(Model):
    """A condition handed through helpers with parameters (TLC #1161: through operators of an instantiated module)."""

    s: Annotated[int, UpTo(8)] = 0

    @action
    def count(self) -> None:
        self.s = self.s + 1 if self.s < 8 else 0

    def is_other(self, n: int, than: int) -> bool:
        return n != than

    def is_other_twice(self, than: int, n: int) -> bool:
        return self.is_other(n, than) and self.is_other(than, n)

    @invariant
    def never_five(self) -> bool:
        return self.is_other_twice(5, self.s)

    @invariant
    def never_nine(self) -> bool:
        return self.is_other_twice(self.s, 9)


class Edge(Model):
    """A step beyond a bound has a successor, as in TLA+; one that is an error has none."""

    n: Small = 0
    kept: dict[Small, Small] = each(Small, 0)

    @action
    def raise_it(self) -> None:
        self.n += 1

    @action
    def go_below(self, key: Small) -> None:
        require(self.n == 1)
        self.kept[key] = self.n - 1 - key

    @action
    def go_far_below(self, key: Small) -> None:
        require(self.n == 1)
        self.kept[key] = self.n - 2 - key

    @invariant
    def beyond_is_enabled(self) -> bool:
        """Holds, also where the step is pruned."""
        return enabled(self.raise_it)

    @invariant
    def one_is_no_error(self) -> bool:
        """One choice of the parameter is an error and the other is not."""
        return enabled(self.go_below) or self.n == 0

    @invariant
    def each_is_an_error(self) -> bool:
        """Holds: every choice of the parameter is an error."""
        return not enabled(self.go_far_below)


class Stopped(Model):
    """A state in which a constraint ends the search still has what its actions could do, as in TLA+."""

    n: Digit = 0

    @action
    def raise_it(self) -> None:
        require(self.n < 3)
        self.n += 1

    @constraint
    def is_low(self) -> bool:
        return self.n < 2

    @invariant
    def can_be_raised(self) -> bool:
        """Holds of the states that are asked: 0, 1 and 2."""
        return enabled(self.raise_it)


TRAPS: list[tuple[type[Model], str, int | None]] = [
    (Copies, "a_copy_is_older", 3),
    (Folds, "all_are_counted", 2),
    (Asking, "one_may_enter", None),
    (Asking, "only_outside", 4),
    (Asking, "let_in", None),
    (Asking, "both_wait", 5),
    (Renamed, "moves_or_b_is_low", 2),
    (Stopped, "can_be_raised", None),
    (Handed, "never_five", 6),
    (Handed, "never_nine", None),
]


@pytest.mark.parametrize("engine", [*ENGINES, "evaluator"])
@pytest.mark.parametrize(("trap", "name", "length"), TRAPS)
def test_each_engine_decides_alike(trap: type[Model], name: str, length: int | None, engine: str) -> None:
    limits = Limits(depth=6) if engine == "symbolic" else Limits()
    decided = check(trap, properties=[name], engine=engine, limits=limits).property(name)
    assert (decided.trace and decided.trace.length) == length
    assert length or engine == "symbolic" or decided.verdict is Verdict.HOLDS


@pytest.mark.slow
def test_enabled_is_asked_on_disk(tmp_path: Path) -> None:
    outcome = check(Asking, engine="native", options=Options(disk=tmp_path / "d"))
    assert [p.trace and p.trace.length for p in outcome.properties[-4:]] == [None, 4, None, 5]


@pytest.mark.parametrize("trap", [Asking, Renamed, Edge])
def test_enabled_is_the_same_in_every_state(trap: type[Model]) -> None:
    compare(trap)


def test_a_process_that_waits_although_it_has_the_turn_is_killed() -> None:
    """The property is asked of the mutant's own action, and not of the model's."""
    options = JudgeOptions(Limits(), False, False)
    asked = survey(
        "asking",
        read_model(Asking),
        [{}],
        properties=("one_may_enter",),
        wanted=lambda mutant: mutant.name.startswith("enter/"),
        options=options,
    )
    killed = [r.mutant.after for r in asked.results if r.outcome.fate is Fate.KILLED]
    assert killed == ["require(not any(self.wants[p] for p in Process if p != process))"]


class Shared(Model):
    """A helper that an action and a property share."""

    n: Annotated[int, UpTo(4)] = 0

    def is_free(self) -> bool:
        return self.n < 3

    @action
    def take(self) -> None:
        require(self.is_free())
        self.n += 1

    @invariant
    def takes_while_free(self) -> bool:
        """Wrong of an action that asks something else than the property."""
        return enabled(self.take) == self.is_free()


def test_a_mutant_changes_no_property() -> None:
    asked = survey("shared", read_model(Shared), [{}], options=JudgeOptions(Limits(), False, False))
    fates = {r.outcome.fate for r in asked.results if r.mutant.method == "is_free"}
    assert fates == {Fate.KILLED}


def test_prove_does_not_read_enabled() -> None:
    with pytest.raises(UsageError, match=r"prove cannot read enabled\(\)"):
        prove(Asking, properties=["one_may_enter"])


def test_an_error_is_no_step_and_a_bound_is_one() -> None:
    outcome = check(Edge, limits=Limits(depth=2), engine="native")
    assert [p.verdict for p in outcome.properties] == [Verdict.UNDETERMINED] * 3


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
