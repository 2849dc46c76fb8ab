"""The graph has TLC's counts, and marks exactly the states and steps that violate something."""

import json
from typing import Any

import pytest
from tests.evidence.graph.desk import stepper
from tests.evidence.stories import SIZES, kip_101

from isrcheck import check
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits
from isrcheck.engines.explore import reachable_states
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import UsageError
from isrcheck.evidence.graph.dot import dot_text
from isrcheck.evidence.graph.explored import Explored, View, explore
from isrcheck.evidence.graph.table import drawable
from isrcheck.evidence.graph.views import complete_view, expression, neighbourhood, quotient
from isrcheck.ir.frozen import replace
from isrcheck.run.trace import Trace, encode
from isrtoys import KNOWN, KNOWN_ELSEWHERE, Known

KAFKA = [
    ("kip-320", {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}),
    ("async-isr-proposed-only", {"replicas": 2, "max_offset": 1, "max_version": 1}),
]


def explored(model: str, **constants: Any) -> Explored:
    made = stepper(find_model(model), **constants)
    return explore(made, [p.name for p in made.model.properties])


@pytest.mark.parametrize(("toy", "known"), [*KNOWN.items(), *KNOWN_ELSEWHERE])
def test_a_toy_has_the_known_counts_and_its_violations_are_marked(toy: str, known: Known) -> None:
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


def reference(model: str = "truncate-to-high-watermark") -> ReferenceStepper:
    return stepper(find_model(model), isr_may_empty=False, **SIZES)


def near(radius: int) -> View:
    return neighbourhood(reference(), ("strong_isr",), kip_101(), radius, "before KIP-101")


def test_the_trace_is_there_in_order_with_every_state_near_it() -> None:
    trace, view = kip_101(), near(1)
    on = [node for node in view.nodes if node.numbers]
    assert [node.numbers for node in on] == [(n,) for n in range(trace.length)]
    assert [dict(node.values) for node in on] == [step.state for step in trace.steps]
    steps = sorted((edge.numbers, edge.action) for edge in view.edges if edge.numbers)
    assert steps == [((n,), step.action) for n, step in enumerate(trace.steps) if step.action]
    assert on[-1].violates == {"strong_isr": 1}
    assert all(node.violates == {} for node in on[:-1])


def test_no_radius_shows_the_trace_alone_and_counts_the_rest() -> None:
    view = near(0)
    assert len(view.nodes) == kip_101().length
    made = reference()
    for node in view.nodes:
        state = next(s for s in _states(made) if json.dumps(_plain(made, s)) == json.dumps(dict(node.values)))
        after = {t for _, t in made.steps(state) if t is not None}
        shown = {edge.target for edge in view.edges if edge.source == view.nodes.index(node)}
        assert node.hidden == len(after) - len(shown)


def test_a_wider_radius_holds_the_narrower_one() -> None:
    sizes = []
    narrower: set[str] = set()
    for radius in range(4):
        view = near(radius)
        sizes.append(len(view.nodes))
        drawn = {json.dumps(dict(n.values)) for n in view.nodes}
        assert narrower < drawn
        narrower = drawn
    assert sizes == sorted(sizes)
    assert len({json.dumps(dict(n.values)) for n in view.nodes}) == len(view.nodes)


def test_stubs_and_differences_are_drawn() -> None:
    view = near(1)
    text = dot_text(view)
    assert text.count("-> more") == sum(node.hidden > 0 for node in view.nodes) > 0
    assert "a state beside the trace shows how it differs from the one that first leads to it" in text
    beside = [node for node in view.nodes if not node.numbers]
    assert all(node.since is not None for node in beside)


def test_a_neighbourhood_too_large_to_draw_asks_for_a_smaller_radius() -> None:
    view = near(1)
    with pytest.raises(UsageError) as caught:
        drawable(replace(view, nodes=view.nodes * 20))
    assert str(caught.value) == (
        f"before KIP-101 has {20 * len(view.nodes)} states to draw, and a picture of more than 150 cannot be read. "
        "Try --radius 0. --to parquet takes any size."
    )


def test_a_radius_with_too_many_states_is_smaller_and_said_to_be() -> None:
    view = neighbourhood(reference(), (), kip_101(), 50, "before KIP-101", max_states=len(near(2).nodes))
    assert [dict(node.values) for node in view.nodes] == [dict(node.values) for node in near(2).nodes]
    assert view.cut == "2 steps from the trace"
    assert "Not the 50 steps asked for: there would be too many states." in view.about


def _states(made: ReferenceStepper) -> set[tuple[object, ...]]:
    return set(reachable_states(made))


def _plain(made: ReferenceStepper, state: tuple[object, ...]) -> object:
    return {name: encode(value) for name, value in made.values(state).items()}


def forged() -> Trace:
    """A trace whose fourth state has a record that nobody wrote."""
    trace = kip_101()
    steps = list(trace.steps)
    steps[3] = replace(steps[3], state={**steps[3].state, "next_record_id": 1})
    return replace(trace, steps=tuple(steps))


@pytest.mark.parametrize(
    ("model", "trace", "why"),
    [
        ("truncate-to-high-watermark", forged, "at step 3, the model's state is another one."),
        (
            "kip-320",
            kip_101,
            "at step 5, replica_becomes_follower(follower=r1, leader=r0, epoch=0) cannot happen there",
        ),
    ],
)
def test_a_trace_that_the_model_cannot_walk_is_refused(model: str, trace: object, why: str) -> None:
    assert callable(trace)
    with pytest.raises(UsageError) as caught:
        neighbourhood(reference(model), (), trace(), 1, model)
    assert str(caught.value).startswith(f"the trace does not replay: {why}")


def test_a_trace_of_another_model_does_not_begin_there() -> None:
    with pytest.raises(UsageError, match=r"in the initial state, the model's state is another one"):
        neighbourhood(stepper("toy-mutex"), (), kip_101(), 1, "toy-mutex")
