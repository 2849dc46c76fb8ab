"""What an outcome answers from Python."""

import pytest

from isrcheck import check
from isrcheck.errors import UsageError
from isrcheck.evidence.forms.table import render_trace


def test_a_property_that_was_not_asked_is_a_sentence() -> None:
    outcome = check("toy-born-wrong")
    assert outcome.property("dark").name == "dark"
    with pytest.raises(UsageError, match=r"^this run of toy-born-wrong says nothing of drak\. Did you mean dark\?$"):
        outcome.property("drak")


def test_an_outcome_is_shown_on_one_line() -> None:
    assert repr(check("toy-born-wrong")) == "<Outcome violated: toy-born-wrong: dark violated, 1 distinct>"


def test_commands_are_told_by_their_names() -> None:
    name = "something_is_exposed"
    trace = check("original-design", properties=[name]).property(name).trace
    assert trace is not None
    for text in (render_trace(trace, "txt"), render_trace(trace, "md")):
        assert "LeaderAndISR v" in text
        assert "Command(kind=" not in text
