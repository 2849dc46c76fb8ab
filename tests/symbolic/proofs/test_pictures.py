"""Counterexamples to induction as text, whole. After a change of wording, ISRCHECK_ACCEPT=1 writes them anew."""

import os
from pathlib import Path

import pytest
from tests.symbolic.proofs.small import Blinker, Twins

from isrcheck import Model, prove
from isrcheck.evidence.forms.table import render_trace
from isrcheck.run.trace import INDUCTION, read_trace

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(("model", "name"), [(Blinker, "never_three"), (Twins, "copy_is_behind")])
def test_golden(model: type[Model], name: str) -> None:
    """z3 may choose other states: the constants are closed so that there is one way only."""
    trace = prove(model, properties=[name], lemmas=(), k=1, limit=3 if model is Blinker else 1).counterexamples[name]
    text = render_trace(trace, "txt").replace(str(Path(__file__).parents[3]) + "/", "")
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("ISRCHECK_ACCEPT"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_the_trace_can_be_kept_and_read_again(tmp_path: Path) -> None:
    trace = prove(Twins, properties=["copy_is_behind"], lemmas=(), k=1).counterexamples["copy_is_behind"]
    file = tmp_path / "cti.json"
    file.write_text(trace.to_json(), encoding="utf-8")
    again = read_trace(file)
    assert (again.kind, again.steps) == (INDUCTION, trace.steps)
    assert "not known to be reachable" in render_trace(again, "html")


def test_what_is_not_looked_at_is_said() -> None:
    run = prove("isr-kafka-7152", properties=["isr_at_least_hw"], lemmas=(), k=1)
    state = run.counterexamples["isr_at_least_hw"].steps[0].state
    assert state["isr_has_shrunk"] == "not looked at"
    assert state["read_to_end_age"] == {"map": [["f0", "not looked at"]]}
    assert "append_age" not in state
