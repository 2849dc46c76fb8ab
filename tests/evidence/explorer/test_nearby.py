"""What goes into a file: the whole of a small graph, else the nearest states; each text once."""

import json
import re
import zlib
from base64 import b64decode
from typing import Any

import pytest
from tests.evidence.stories import SIZES

from isrcheck import check
from isrcheck.catalogue import find_model
from isrcheck.engines.explore import reachable_states
from isrcheck.errors import UsageError
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.evidence.explorer.page import contents, file_page, nearby
from isrcheck.evidence.forms.scene import scene
from isrcheck.evidence.forms.svg import step_svgs
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.replay import replay, step_after, step_of_state
from isrcheck.toys import KNOWN


def subject(name: str, trace: tuple[int, ...] | None = None, constants: dict[str, int] | None = None) -> ExploredModel:
    bound = bind(read_model(find_model(name)), constants or {})
    return ExploredModel(bound, name, tuple(p.name for p in bound.properties), trace)


@pytest.mark.parametrize("name", ["toy-ledger", "toy-clock", "toy-forks", "toy-born-wrong", "toy-shelf", "toy-lottery"])
def test_a_small_graph_is_whole(name: str) -> None:
    found = nearby(subject(name), 500)
    assert found.is_complete
    assert len(found.states) == KNOWN[name].distinct
    made = contents(subject(name), found)
    moves = [move for state in made["states"] for move in state["moves"]]
    assert len(moves) + 1 == KNOWN[name].generated
    bounds = {n for n, reason in enumerate(made["reasons"]) if reason["text"].startswith("would leave")}
    pruned = sum(len(g) - 1 for state in made["states"] for g in state["why"] if g[0] in bounds)
    assert pruned == KNOWN[name].pruned


def test_the_nearest_states_come_first_and_the_rest_is_marked() -> None:
    one = subject("toy-ledger")
    found = nearby(one, 10)
    assert not found.is_complete
    assert len(found.states) == 10
    assert found.states == nearby(one, 500).states[:10]
    assert set(found.states) < set(reachable_states(one.stepper))
    outside = [move for state in contents(one, found)["states"] for move in state["moves"] if move[1] < 0]
    assert outside
    assert "The 10 states nearest to the first one are in this file; the model has more." in file_page(one, found)


def test_a_trace_is_in_the_file_whatever_lies_nearer() -> None:
    one = subject("toy-clock", (0,) * 8)
    found = nearby(one, 9)
    assert [way for way in found.ways if way] == [(n, 0) for n in range(8)]
    assert "The 9 states nearest to the trace" in file_page(one, found)
    with pytest.raises(UsageError, match=r"^the trace alone has 9 states, and --max-states is 8: give 9 or more\.$"):
        nearby(one, 8)


def unpacked(page: str) -> dict[str, Any]:
    found = re.search(r'id="data">([A-Za-z0-9+/=]+)<', page)
    assert found
    data: dict[str, Any] = json.loads(zlib.decompress(b64decode(found[1])))
    return data


def test_along_the_trace_the_drawings_are_those_of_the_trace_page() -> None:
    name, constants = "truncate-to-high-watermark", SIZES
    outcome = check(name, properties=["strong_isr"], constants=constants).property("strong_isr")
    assert outcome.trace is not None
    path = path_of(subject(name, None, constants), outcome.trace.steps)
    one = subject(name, path, constants)
    assert replay(one.model, "strong_isr", path, name, "native").steps == outcome.trace.steps
    data = unpacked(file_page(one, nearby(one, 500)))
    state, losses, drawings = 0, [], []
    for instance in path:
        _, state, picture, lost, _ = next(m for m in data["states"][state]["moves"] if m[0] == instance)
        losses.append([data["texts"][n] for n in lost])
        drawings.append("<" + "<".join(data["texts"][n] for n in picture))
    assert losses[:-1] == [[]] * (len(path) - 1)
    assert losses[-1] == [
        "Record 0 of epoch 1 (offset 0), committed by r0 in step 8, is missing on r1, which may be elected next."
    ]
    assert ['class="lost"' in drawing for drawing in drawings] == [False] * (len(path) - 1) + [True]
    steps = list(step_svgs(scene(outcome.trace)))
    assert words(drawings[-1]) == words(steps[-1])


def words(svg: str) -> list[str]:
    return re.findall(r">([^<]+)</text>", svg)


def path_of(one: ExploredModel, steps: Any) -> tuple[int, ...]:
    state, path = one.stepper.initial, []
    for step in steps[1:]:
        here = state, step_of_state(one.stepper, state)
        position, state = next(
            (i, after)
            for i, after in one.stepper.steps(state)
            if after is not None and step_after(one.stepper, i, step_of_state(one.stepper, after), here) == step
        )
        path.append(position)
    return tuple(path)
