"""A trace and what is near it."""

import json

import pytest
from tests.evidence.graph.desk import stepper
from tests.evidence.stories import SIZES, kip_101

from isrcheck.catalogue import find_model
from isrcheck.engines.explore import reachable_states
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import UsageError
from isrcheck.evidence.graph.dot import dot_text
from isrcheck.evidence.graph.explored import View
from isrcheck.evidence.graph.table import drawable
from isrcheck.evidence.graph.views import neighbourhood
from isrcheck.ir.frozen import replace
from isrcheck.run.trace import Trace, encode


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
