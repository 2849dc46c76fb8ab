"""The graph has TLC's counts, and marks exactly the states and steps that violate something."""

from typing import Any

import pytest
from tests.evidence.graph.desk import stepper

from isrcheck import check
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits
from isrcheck.evidence.graph.explored import Explored, explore
from isrcheck.evidence.graph.views import complete_view, expression, quotient
from isrtoys import KNOWN, KNOWN_ELSEWHERE, KnownRun

KAFKA = [
    ("kip-320", {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}),
    ("async-isr-proposed-only", {"replicas": 2, "max_offset": 1, "max_version": 1}),
]


def explored(model: str, **constants: Any) -> Explored:
    made = stepper(find_model(model), **constants)
    return explore(made, [p.name for p in made.model.properties])


@pytest.mark.parametrize(("toy", "known"), [*KNOWN.items(), *KNOWN_ELSEWHERE])
def test_a_toy_has_the_known_counts_and_its_violations_are_marked(toy: str, known: KnownRun) -> None:
    found = explored(toy, **known.constants)
    view = complete_view(found, toy)
    counts = len(view.nodes), len(view.edges) + 1, found.depth, found.pruned
    assert counts == (known.distinct, known.generated, known.depth, known.pruned)
    assert view.cut is None
    marked = {n for node in view.nodes for n in node.violates} | {n for edge in view.edges for n in edge.violates}
    met = {n for node in view.nodes for n in node.meets}
    claims = {n for n, p in found.stepper.roles.items() if p.kind.holds_by_target}
    assert marked == {n for n, (verdict, _) in known.properties.items() if verdict == "violated"} - claims
    assert met == {n for n, (verdict, _) in known.properties.items() if verdict == "holds"} & claims
    assert any(node.stuck for node in view.nodes) == (known.deadlock is not None)


@pytest.mark.parametrize(("model", "constants"), KAFKA)
def test_a_kafka_model_has_the_counts_of_check(model: str, constants: dict[str, int]) -> None:
    outcome = check(model, constants=constants)
    found = explored(model, **constants)
    view = complete_view(found, model)
    assert (len(view.nodes), len(view.edges) + 1) == (outcome.distinct, outcome.generated)
    assert (found.depth, found.pruned) == (outcome.depth, outcome.pruned)
    marked = {n for node in view.nodes for n in node.violates} | {n for edge in view.edges for n in edge.violates}
    assert marked == {p.name for p in outcome.properties if p.verdict.value == "violated" and p.kind.is_violation}


@pytest.mark.parametrize(("model", "constants"), KAFKA)
def test_groups_hold_every_state_and_every_step_once(model: str, constants: dict[str, int]) -> None:
    found = explored(model, **constants)
    every = complete_view(found, model)
    for variable in found.stepper.model.domains:
        view = quotient(found, [expression(found.stepper, variable)], model)
        assert sum(node.states for node in view.nodes) == len(every.nodes)
        assert sum(edge.steps for edge in view.edges) == len(every.edges)
        for name in found.properties:
            assert sum(n.violates.get(name, 0) for n in view.nodes) == sum(name in n.violates for n in every.nodes)
        different = {str(node.values[variable]) for node in every.nodes}
        assert len(view.nodes) == len(different)


def test_a_search_that_is_cut_off_says_so_and_ends_at_a_level_like_check() -> None:
    made = stepper("toy-mutex")
    found = explore(made, [], 5)
    outcome = check("toy-mutex", engine="reference", properties=[], limits=Limits(states=5))
    assert (len(found.states), found.generated, found.depth) == (outcome.distinct, outcome.generated, outcome.depth)
    view = complete_view(found, "toy-mutex")
    assert view.cut == f"after {len(found.states)} states" == outcome.cut
    assert f"Not the whole graph: the search was cut off {view.cut}." in view.about
    assert [node.unexpanded for node in view.nodes] == [0] * found.looked_at + [1] * (len(view.nodes) - found.looked_at)
    grouped = quotient(found, [expression(made, "turn")], "toy-mutex")
    assert sum(node.unexpanded for node in grouped.nodes) == len(view.nodes) - found.looked_at
