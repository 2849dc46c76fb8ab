"""What every construct means, on models of a few states: both engines agree on the whole graph, with known counts."""

from typing import Any

import pytest
from tests.lang.engines import explore_both
from tests.lang.models import below, channels, choices, networks, policies, statements, sums, values

from isrcheck import Model, check
from isrcheck.lang.read import read_model

# distinct, generated, depth, pruned, and the lengths at which properties are decided
KNOWN: list[tuple[type[Model], dict[str, Any], tuple[int, int, int, int], dict[str, int]]] = [
    (statements.Swap, {}, (2, 3, 2, 0), {}),
    (statements.InOrder, {}, (4, 4, 4, 1), {}),
    (statements.InOrder, {"most": 0}, (1, 1, 1, 1), {}),
    (statements.TargetsInOrder, {}, (3, 3, 3, 0), {"deadlock": 3}),
    (statements.Branches, {}, (5, 15, 3, 1), {"top": 3}),
    (statements.GuardAfter, {}, (5, 6, 4, 0), {"deadlock": 4}),
    (statements.Helpers, {}, (13, 30, 5, 10), {}),
    (statements.Before, {}, (9, 25, 5, 6), {"twice_grows": 3, "first_never_taken": 3}),
    (statements.Remembered, {}, (4, 4, 3, 3), {}),
    (values.Sequences, {}, (135, 613, 8, 378), {"rising": 2, "zeros": 4}),
    (values.Sequences, {"longest": 0}, (1, 1, 1, 4), {}),
    (values.Indices, {}, (59, 296, 6, 69), {"all_alike": 4}),
    (values.Indices, {"longest": 2}, (25, 125, 5, 33), {}),
    (values.Sets, {}, (512, 4673, 8, 1024), {"only_red": 5}),
    (values.Maps, {}, (900, 5932, 10, 540), {}),
    (values.Options, {}, (958, 4289, 11, 0), {"all_known": 4, "written": 4}),
    (values.Numbers, {}, (7168, 33409, 11, 18816), {"apart": 4, "agree": 5}),
    (values.Choices, {}, (32, 1025, 3, 0), {"blue": 3}),
    (values.OnlyInText, {}, (2, 3, 2, 0), {}),
    (below.Below, {}, (3753, 15155, 23, 111), {"lowest": 2}),
    (below.Below, {"most": 1}, (16, 39, 5, 0), {"lowest": 2}),
    (channels.Ordered, {}, (277, 607, 13, 412), {"full": 3, "heard_twice": 5}),
    (channels.Ordered, {"capacity": 1}, (126, 203, 13, 216), {"full": 2, "heard_twice": 5}),
    (channels.Lossy, {}, (1350, 11095, 11, 9876), {"one_between_zeros": 5}),
    (channels.Permits, {}, (10, 29, 3, 24), {"both_red": 3}),
    (choices.ChangRoberts, {}, (137, 227, 10, 0), {"last_wins": 7, "deadlock": 4}),
    (choices.ChangRoberts, {"n": 2}, (25, 31, 6, 0), {"last_wins": 5, "deadlock": 3}),
    (choices.Several, {}, (8, 10, 2, 0), {"low": 2, "deadlock": 1}),
    (choices.Seating, {}, (28, 57, 6, 0), {"second_hosts_alone": 3}),
    (choices.Quorums, {}, (18, 48, 5, 0), {"all_subsets": 3}),
    (networks.Asking, {}, (120, 230, 11, 235), {"over_twice": 3}),
    (networks.Asking, {"in_flight": 3}, (382, 1063, 12, 889), {"over_twice": 3}),
    (networks.Many, {}, (293, 1027, 13, 763), {"two_acked": 6}),
    (networks.Putting, {}, (129, 331, 9, 16), {"never_back": 5, "half_lost": 5, "deadlock": 9}),
    (sums.InSets, {}, (704, 2863, 7, 0), {"both": 3}),
    (sums.InContainers, {"nodes": 1}, (3317, 8305, 13, 14281), {"a_node": 6}),
    (sums.Matching, {}, (990, 41815, 6, 0), {"high": 5}),
    (policies.One, {}, (16, 25, 7, 8), {}),  # (most + 1) to the power of nodes
    (policies.One, {"fair": True}, (10, 13, 7, 2), {}),
    (policies.One, {"pace": "every-tick"}, (4, 5, 3, 4), {}),
    (policies.OneAndReset, {"most": 2}, (27, 39, 15, 19), {"reset_twice": 11}),
    (policies.OneToTwo, {}, (27, 39, 15, 19), {"reset_twice": 11}),
]


@pytest.mark.parametrize(
    ("model", "constants", "counts", "found"), KNOWN, ids=lambda value: getattr(value, "__name__", "")
)
def test_known(
    model: type[Model], constants: dict[str, Any], counts: tuple[int, int, int, int], found: dict[str, int]
) -> None:
    seen = explore_both(model, **constants)
    assert (seen.distinct, seen.generated, seen.depth, seen.pruned) == counts
    assert {name: len(path) + 1 for name, path in seen.paths.items()} == found


def test_every_model_is_run() -> None:
    """None of the models written for this test is forgotten; Open alone leaves policies open."""
    written = [
        v
        for module in (below, channels, choices, networks, statements, sums, values, policies)
        for v in vars(module).values()
        if isinstance(v, type) and issubclass(v, Model) and v.__module__ == module.__name__
    ]
    assert len(written) > 15
    assert {v.__name__ for v in written} - {model.__name__ for model, *_ in KNOWN} == {"Open"}


def test_what_a_variant_changes() -> None:
    assert read_model(policies.One).filled == ("amount", "may_add")
    assert read_model(policies.OneAndReset).filled == ()
    assert [a.name for a in read_model(policies.OneAndReset).actions] == ["add", "reset"]
    assert [v.name for v in read_model(policies.OneAndReset).variables] == ["held", "resets"]


def test_declarations_keep_their_order_and_their_words() -> None:
    ir = read_model(policies.One)
    assert [c.name for c in ir.constants] == ["nodes", "most", "pace", "fair"]
    assert [c.sentence for c in ir.constants][:2] == ["how many there are", "the largest number"]
    assert ir.doc == "Adds one; where it is fair, to whoever has least."
    assert [(m.name, m.owner) for m in ir.helpers.values() if m.role == "policy"] == [
        ("amount", "One"),
        ("may_add", "One"),
    ]


def test_a_variant_gives_a_constant_another_default_and_nothing_else() -> None:
    before, after = (read_model(model).constants for model in (policies.OneAndReset, policies.OneToTwo))
    assert [c.name for c in after] == [c.name for c in before]
    changed = [(b, a) for b, a in zip(before, after, strict=True) if a != b]
    assert [(b.default, a.default, a.sentence) for b, a in changed] == [(3, 2, "the largest number")]


def test_an_action_that_is_not_expected_is_no_surprise() -> None:
    outcome = check(policies.OneToTwo, engine="evaluator")
    assert [a.generated for a in outcome.actions if a.name == "fill"] == [0]
    assert outcome.dead_actions == ()
    fair = check(policies.OneToTwo, engine="evaluator", fair=True)
    assert [a.generated > 0 for a in fair.actions if a.name == "fill"] == [True]
