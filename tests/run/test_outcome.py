"""What an outcome answers from Python."""

import os
import stat
import threading
from pathlib import Path

import pytest

from isrcheck import check
from isrcheck.errors import UsageError
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.outcome_document import outcome_document
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.files import write_aside


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


def test_within_bounds_is_said_in_the_json_as_in_the_text() -> None:
    few = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    outcome = check("kip-320", properties=["strong_isr", "something_commits"], constants=few)
    data = outcome.to_dict()
    assert outcome.property("strong_isr").sentence.startswith("holds within bounds (")
    assert data["within_bounds"]
    found = {each["name"]: (each["within_bounds"], each["assurance"]) for each in data["properties"]}
    assert found == {"strong_isr": (True, "exhaustive"), "something_commits": (False, "replayed")}


def test_a_text_is_one_name_of_a_property() -> None:
    assert [each.name for each in check("toy-born-wrong", properties="dark").properties] == ["dark"]


def test_what_does_not_apply_is_shown_only_where_all_is_asked() -> None:
    asked, everything = (check("isr-strict-min-isr", properties=names) for names in ("hw_never_decreases", None))
    assert asked.not_asked
    assert "n/a" not in plain_text(outcome_document(asked), 100)
    assert "n/a" in plain_text(outcome_document(everything), 100)


def test_a_file_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "it"
    for text in ("one", "two"):
        write_aside(file, text)
        assert file.read_text(encoding="utf-8") == text
    assert [each.name for each in file.parent.iterdir()] == ["it"]


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    """So does /dev/null, which nobody but root could replace, and root would."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_aside(pipe, "through")
    reader.join()
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
