"""Traces: the text a person reads, JSON that can be read back, and a replay that believes nobody."""

from pathlib import Path

import pytest

from isrcheck import Outcome, check
from isrcheck.errors import Disagreement
from isrcheck.evidence.forms.table import render_trace
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.replay import replay
from isrcheck.run.trace import INDUCTION, Trace, read_trace
from isrmodel import AsyncIsrProposedOnly

GOLDEN = Path(__file__).parent / "golden"


def outcome() -> Outcome:
    return check("async-isr-proposed-only", replicas=2, max_offset=1, max_version=1)


def trace() -> Trace:
    found = outcome().property("valid_high_watermark").trace
    assert found is not None
    return found


def test_the_text_of_a_trace() -> None:
    expected = (GOLDEN / "async-isr-proposed-only.txt").read_text(encoding="utf-8")
    assert render_trace(trace(), "txt") == expected


def test_a_trace_of_one_state_breaks_where_it_begins() -> None:
    whole = trace()
    first = replace(whole, steps=whole.steps[:1])
    assert (whole.length, whole.when, whole.where) == (3, "after 2 steps", "in step 2")
    assert (first.when, first.where) == ("in the initial state", "in the initial state")
    unknown = replace(first, kind=INDUCTION)
    assert (unknown.when, unknown.where) == ("in a state not known to be reachable",) * 2
    assert render_trace(first, "txt").startswith("valid_high_watermark is violated in the initial state\n")


def test_a_trace_reads_back_from_its_json(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(trace().to_json(), encoding="utf-8")
    assert read_trace(file) == trace()


def test_a_path_that_the_reference_cannot_walk_is_a_disagreement() -> None:
    model = bind(read_model(AsyncIsrProposedOnly), {"replicas": 2, "max_offset": 1, "max_version": 1})
    impossible = tuple([len(model.ir.actions)] * 9)
    with pytest.raises(
        Disagreement, match=r"the native engine takes .* the reference says that it cannot happen there"
    ):
        replay(model, "valid_high_watermark", impossible, "async-isr-proposed-only", "native")


def test_a_verdict_that_the_reference_does_not_see_is_a_disagreement() -> None:
    model = bind(read_model(AsyncIsrProposedOnly), {"replicas": 2, "max_offset": 1, "max_version": 1})
    with pytest.raises(Disagreement, match="the reference took the same steps and says the opposite"):
        replay(model, "valid_high_watermark", (), "async-isr-proposed-only", "native")


def test_a_property_without_a_docstring_is_said_by_its_name(tmp_path: Path) -> None:
    text = (
        "from isrcheck import Model, action, invariant\n\n\n"
        "class Lamp(Model):\n    lit: bool = False\n\n"
        "    @action\n    def switch(self) -> None:\n        self.lit = not self.lit\n\n"
        "    @invariant\n    def stays_dark(self) -> bool:\n        return not self.lit\n"
    )
    (tmp_path / "lamp.py").write_text(text, encoding="utf-8")
    found = check(f"{tmp_path}/lamp.py:Lamp").property("stays_dark").trace
    assert found is not None
    assert "Property: stays_dark\n" in render_trace(found, "txt") + "\n"
