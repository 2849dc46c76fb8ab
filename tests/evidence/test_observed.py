"""Traces of runs that were observed: each step with the lines that tell of it, and a part of the steps alone."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.evidence.stories import kip_101

from isrcheck.cli import commands
from isrcheck.evidence.forms.scene import scene
from isrcheck.evidence.forms.table import render_trace
from isrcheck.ir.frozen import replace
from isrcheck.lang.drawing import Drawing, cells, crown, lane, mark, ribbon
from isrcheck.run.trace import RUN, Trace, TraceStep


def observed() -> Trace:
    """Two brokers, each with a record of what it knows; the second step is inferred."""
    told = (
        "the initial state",
        "broker 1: append(end=1); broker 1: hw_up(to=1)",
        "nobody: inferred",
        "broker 2: leads()",
    )
    logs: tuple[list[list[int]], ...]
    logs, leaders = ([[], []], [[7], []], [[7], []], [[7], []]), ("a", "a", None, "b")
    return Trace(
        model="m", constants={}, name="", kind=RUN, sentence="What was written.", place="",
        steps=tuple(
            TraceStep("" if place == 0 else f"step_{place}", {}, {"told_by": by, **_state(log, leader)})
            for place, (by, log, leader) in enumerate(zip(told, logs, leaders, strict=True))
        ),
        drawing=Drawing(
            lane(each="log"), crown("known.leader", elected="leader"), cells("log"), mark("hw", "HW", commits=True),
            ribbon("isr", "ISR", on="a", electable=True),
        ),
    )  # fmt: skip


def _state(logs: list[list[int]], leader: str | None) -> dict[str, object]:
    known = {"map": [[name, {"record": "Known", "fields": {"leader": leader}}] for name in "ab"]}
    ends = {"map": [[name, len(log)] for name, log in zip("ab", logs, strict=True)]}
    return {
        "log": {"map": [[n, log] for n, log in zip("ab", logs, strict=True)]},
        "hw": ends,
        "known": known,
        "isr": {"set": ["a", "b"]},
        "leader": leader,
    }


def test_a_crown_may_be_a_field_of_what_each_lane_knows() -> None:
    first, *_, last = scene(observed()).rows
    assert [card.lead for card in first.cards] == ["leads", ""]
    assert [card.lead for card in last.cards] == ["", "leads"]
    assert [cell.state for cell in last.cards[1].cells or ()] == ["lost"]


def test_each_step_has_the_lines_that_tell_of_it() -> None:
    picture = render_trace(observed(), "svg")
    told = [line for line in picture.split("\n") if 'class="told small"' in line]
    assert [line.rpartition(">broker")[2].partition("<")[0] for line in told] == [
        " 1: append(end=1)",
        " 1: hw_up(to=1)",
        " 2: leads()",
    ]
    assert picture.count('class="inferred small"') == 1
    assert "m: a record is lost in a run of 3 steps" in picture
    assert "told_by" not in picture


def test_a_trace_of_a_model_has_no_such_lines() -> None:
    assert not any(row.log_lines or row.is_inferred for row in scene(kip_101()).rows)


def test_only_some_steps_are_drawn(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(observed().to_json(), encoding="utf-8")
    found = CliRunner().invoke(commands, ["render", str(file), "--to", "txt", "--steps", "1-3"], standalone_mode=False)
    assert "a run of 2 steps" in found.output
    assert "0  state after step 1" in found.output
    assert "initial state" not in found.output


@pytest.mark.parametrize("steps", ["3", "2-2", "0-4", "3-1", "a-b"])
def test_steps_that_the_trace_does_not_have(tmp_path: Path, steps: str) -> None:
    file = tmp_path / "trace.json"
    file.write_text(replace(observed(), constants={"n": 1}).to_json(), encoding="utf-8")
    found = CliRunner().invoke(commands, ["render", str(file), "--to", "txt", "--steps", steps], standalone_mode=False)
    assert str(found.exception) == (
        f"--steps {steps} are no steps of this trace: write --steps A-B with A below B and B at most 3."
    )
