"""ITF has its published shape, for every kind of trace there is."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.every import traces
from tests.evidence.schema import fits

from isrcheck.evidence.forms.itf import itf_value
from isrcheck.evidence.forms.table import rendered
from isrcheck.run.trace import Trace

SCHEMA = json.loads((Path(__file__).parent / "itf.schema.json").read_text(encoding="utf-8"))


def written(trace: Trace) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(rendered(trace, "itf"))
    return whole


def test_every_trace_has_the_published_shape() -> None:
    assert len(traces()) > 20
    for trace in traces():
        assert fits(written(trace), SCHEMA, SCHEMA), trace.model


def test_every_state_sets_every_variable_and_the_first_every_parameter() -> None:
    for trace in traces():
        whole = written(trace)
        for index, state in enumerate(whole["states"]):
            meta = state.pop("#meta")
            assert meta["index"] == index
            assert list(state) == whole["params"] * (not index) + whole["vars"], trace.model
            assert set(meta) == ({"index", "action", "arguments", "actor", "changed"} if index else {"index"})
        assert len(whole["states"]) == trace.length
        assert whole["#meta"]["format"] == "ITF"


def test_every_state_is_that_of_its_step() -> None:
    for trace in traces():
        before: dict[str, Any] = {}
        for state, step in zip(written(trace)["states"], trace.steps, strict=True):
            assert {name: state[name] for name in step.state} == {n: itf_value(v) for n, v in step.state.items()}
            if before:
                assert state["#meta"]["action"] == step.action
                assert state["#meta"]["changed"] == [n for n, value in step.state.items() if value != before[n]]
            before = step.state


@pytest.mark.parametrize(
    "value",
    [1.5, 1 << 60, {"#bigint": "1x"}, {"#bigint": 1}, {"#set": {}}, {"#map": [[1]]}, {"#x": 1}, {"a": {"#tup": 1}}],
    ids=str,
)  # fmt: skip
def test_what_is_no_expression_does_not_fit(value: Any) -> None:
    whole = {"vars": ["x"], "states": [{"x": value}]}
    assert not fits(whole, SCHEMA, SCHEMA)
    assert fits({**whole, "states": [{"x": {"#map": [["k", {"#bigint": "-1"}]]}}]}, SCHEMA, SCHEMA)


@pytest.mark.parametrize(
    "whole", [{"vars": []}, {"vars": [1], "states": []}, {"vars": [], "states": [], "more": 1}], ids=str
)
def test_what_is_no_trace_does_not_fit(whole: dict[str, Any]) -> None:
    assert not fits(whole, SCHEMA, SCHEMA)
