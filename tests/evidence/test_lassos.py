"""A behaviour without end in every form: its cycle is bracketed and named, a stop is said."""

import re
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.liveness import small

from isrcheck import check
from isrcheck.cli import commands
from isrcheck.evidence.forms.table import render_trace
from isrcheck.ir.frozen import replace
from isrcheck.run.trace import Trace


@cache
def cycle() -> Trace:
    """One step, then ask, enter, leave for ever."""
    trace = check(small.Lock).property("waiting_ends").trace
    assert trace is not None
    return trace


@cache
def stop() -> Trace:
    trace = check(small.Stopping).property("gets_there").trace
    assert trace is not None
    return trace


@pytest.mark.parametrize("form", ["txt", "md", "mermaid", "svg", "html", "schedule"])
def test_every_form_names_the_cycle_before_its_first_step(form: str) -> None:
    text = render_trace(cycle(), form).replace("#58;", ":")
    assert "for ever: 3 steps" in text
    if form != "html":
        before, after = text.split("for ever: 3 steps", 1)
        assert ("leave" in before, "leave" in after) == (False, True)


@pytest.mark.parametrize("form", ["txt", "md", "mermaid", "svg", "html"])
def test_every_form_says_that_a_behaviour_stops(form: str) -> None:
    assert "for ever: no step" in render_trace(stop(), form).replace("#58;", ":")


def test_the_steps_of_the_cycle_are_bracketed() -> None:
    numbers = re.findall(r"^ *([┌│└]?) *(\d+)  ", render_trace(cycle(), "txt"), re.MULTILINE)
    assert numbers == [("", "0"), ("", "1"), ("┌", "2"), ("│", "3"), ("└", "4")]
    assert "and again from step 2" in render_trace(cycle(), "txt")


def test_mermaid_draws_a_loop_that_ends() -> None:
    lines = [line.strip() for line in render_trace(cycle(), "mermaid").splitlines()]
    assert [line for line in lines if line == "end" or line.startswith("loop")] == ["loop for ever#58; 3 steps", "end"]
    assert not any(line == "end" for line in map(str.strip, render_trace(stop(), "mermaid").splitlines()))


def test_a_trace_without_a_cycle_is_drawn_without_a_bracket() -> None:
    ended = replace(cycle(), loop=None)
    for form in ("txt", "md", "mermaid", "svg", "html", "schedule"):
        assert "for ever" not in render_trace(ended, form)
        assert "again from" not in render_trace(ended, form)


def lines_of(*arguments: str | Path) -> str:
    done = CliRunner().invoke(commands, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_part_of_a_trace_keeps_the_cycle_if_it_has_it_whole(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(cycle().to_json(), encoding="utf-8")
    parts = {steps: lines_of("render", file, "--to", "txt", "--steps", steps) for steps in ("1-4", "1-3", "2-4")}
    assert "and again from step 1" in parts["1-4"]
    assert ["for ever" in parts[steps] for steps in ("1-3", "2-4")] == [False, False]
