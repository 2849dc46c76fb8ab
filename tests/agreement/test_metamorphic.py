"""Changes to a model that must not change what is counted; and one tiny model for each rule of counting."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.models.compare import results
from tools.random_models.loading import HEADER, load

from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower

Explore = Callable[..., Searched]

DECLARED = """
nodes: int = constant(2, "how many")
top: int = constant(2, "how far")
level: dict[Node, Small] = each(Node, 0)
seen: frozenset[Node] = frozenset()
last: Node | None = None
"""
RISE = """
@action
def rise(self, n: Node) -> None:
    self.level[n] += 1
    self.last = n
"""
MARK = """
@action
def mark(self, n: Node, m: Node) -> None:
    require(self.level[n] > self.level[m])
    self.seen |= {n}
    self.level[n] = 0
"""
FORGET = """
@action
def forget(self) -> None:
    require(self.seen == frozenset(Node))
    self.seen = frozenset()
    self.last = None
"""
STUTTER = """
@action
def stutter(self) -> None:
    self.last = self.last
"""
SPLIT = MARK.replace("self.level[n] > self.level[m]", "n != m").replace(
    "self.seen |=", "require(not self.level[n] <= self.level[m])\n    self.seen |="
)
PROPERTY = """
@invariant
def not_all(self) -> bool:
    return self.seen != frozenset(Node)

@reachable
def two_apart(self) -> bool:
    return any(self.level[n] == self.level[m] + 2 for n in Node for m in Node)

@step
def one_at_a_time(self, before: Self) -> bool:
    return sum(1 for n in Node if before.level[n] != self.level[n]) <= 1
"""


@pytest.fixture
def explore(tmp_path: Path) -> Explore:
    """The whole graph of a model with these parts, on which both engines agree, with all traces."""

    def run(*parts: str, name: str = "Written") -> Searched:
        body = textwrap.indent("\n".join(textwrap.dedent(part) for part in parts), "    ")
        types = 'class Node(Sort, size="nodes"):\n    """Some."""\n\n\nSmall = Annotated[int, UpTo("top")]\n'
        model = bind(read_model(load(f"{HEADER}{types}\n\nclass {name}(Model):\n{body}\n", tmp_path)), {})
        kinds = {p.name: p.kind for p in model.properties}
        never = Request(properties=tuple(kinds), deadlock=True)
        steppers: tuple[Any, ...] = (ReferenceStepper(model), ScalarStepper(lower(model)))
        one, two = (Explorer(stepper, kinds, never).run() for stepper in steppers)
        assert results(one) == results(two)
        whole = [Explorer(stepper, kinds, Request()).run() for stepper in steppers]
        assert results(whole[0]) == results(whole[1])
        found = {**results(whole[0]), "paths": one.paths, "seconds": 0.0}
        return Searched(**found)

    return run


def same_graph(one: Searched, two: Searched) -> bool:
    return (one.distinct, one.depth, one.digest) == (two.distinct, two.depth, two.digest)


def lengths(found: Searched) -> dict[str, int]:
    return {name: len(path) for name, path in found.paths.items()}


def test_a_stuttering_action_changes_no_state(explore: Explore) -> None:
    plain = explore(DECLARED, RISE, MARK, FORGET, PROPERTY)
    more = explore(DECLARED, RISE, MARK, FORGET, STUTTER, PROPERTY)
    assert plain.distinct > 50
    assert set(plain.paths) == {"not_all", "two_apart"}
    assert all(plain.action_generated)
    assert same_graph(plain, more)
    assert more.generated == plain.generated + plain.distinct
    assert {k: v for k, v in lengths(plain).items() if k != "deadlock"} == lengths(more)


def test_the_order_of_actions_changes_no_state(explore: Explore) -> None:
    one = explore(DECLARED, RISE, MARK, FORGET, PROPERTY)
    two = explore(DECLARED, FORGET, MARK, RISE, PROPERTY)
    assert same_graph(one, two)
    assert (one.generated, one.pruned) == (two.generated, two.pruned)
    assert lengths(one) == lengths(two)


def test_a_split_guard_changes_nothing(explore: Explore) -> None:
    one = explore(DECLARED, RISE, MARK, FORGET, PROPERTY)
    two = explore(DECLARED, RISE, SPLIT, FORGET, PROPERTY)
    assert results(one) == results(two)


def test_another_name_changes_nothing(explore: Explore) -> None:
    one = explore(DECLARED, RISE, MARK, FORGET, PROPERTY)
    parts = (DECLARED, RISE, MARK, FORGET, PROPERTY)
    renamed = [part.replace("level", "height").replace("last", "latest") for part in parts]
    assert results(one) == results(explore(*renamed, name="Other"))


def test_the_order_of_properties_and_helpers_changes_nothing(explore: Explore) -> None:
    helper = "def above(self, n: Node, m: Node) -> bool:\n    return self.level[n] > self.level[m]\n"
    called = MARK.replace("self.level[n] > self.level[m]", "self.above(n, m)")
    one = explore(DECLARED, RISE, MARK, FORGET, PROPERTY)
    assert results(one) == results(explore(DECLARED, PROPERTY, RISE, called, FORGET, helper))


# One tiny model for each rule of counting

COUNTER = """
top: int = constant(2, "how far")
nodes: int = constant(1, "how many")
n: Small = 0
"""


UP = """
@action
def up(self) -> None:
    self.n += 1
"""
UP_TO_TWO = """
@action
def up(self) -> None:
    require(self.n < 2)
    self.n += 1
"""
RULES: dict[str, tuple[str, dict[str, Any]]] = {
    "pruned steps are not generated, not checked, and prevent a deadlock": (
        f"""{UP}
@invariant
def low(self) -> bool:
    return self.n <= 2

@step
def short(self, before: Self) -> bool:
    return self.n <= 2
""",
        {"distinct": 3, "generated": 3, "depth": 3, "pruned": 1, "paths": {}},
    ),
    "loops and doubles are generated each time": (
        f"""
@action
def stay(self, twice: bool) -> None:
    self.n = self.n
{UP_TO_TWO.replace("self)", "self, k: Small)")}""",
        {"distinct": 3, "generated": 1 + 3 * 2 + 2 * 3, "depth": 3, "action_generated": (6, 6)}
        | {"action_distinct": (0, 2), "paths": {}},
    ),
    "a state without any step is a deadlock": (UP_TO_TWO, {"paths": {"deadlock": (0, 0)}}),
    "steps to known states are checked": (
        """
@action
def up(self) -> None:
    self.n = (self.n + 1) % 3

@step
def never_back(self, before: Self) -> bool:
    return before.n <= self.n
""",
        {"distinct": 3, "generated": 4, "paths": {"never_back": (0, 0, 0)}},
    ),
    "violating states are expanded": (
        f"""{UP_TO_TWO}
@invariant
def never_one(self) -> bool:
    return self.n != 1
""",
        {"distinct": 3, "paths": {"never_one": (0,), "deadlock": (0, 0)}},
    ),
    "the initial state is level one": (
        """
@action
def never(self) -> None:
    require(False)
    self.n = 1

@invariant
def wrong(self) -> bool:
    return self.n == 1
""",
        {"distinct": 1, "generated": 1, "depth": 1, "paths": {"wrong": (), "deadlock": ()}},
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_states_and_steps_are_counted_by_the_rule(rule: str, explore: Explore) -> None:
    actions_and_properties, expected = RULES[rule]
    found = explore(COUNTER, actions_and_properties)
    assert {name: getattr(found, name) for name in expected} == expected
