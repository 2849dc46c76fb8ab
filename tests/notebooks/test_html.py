"""What results show of themselves in a notebook: small, no script, no network, and never better than it is."""

import re
from base64 import b64decode
from functools import cache
from typing import Any

import pytest
from tests.evidence.stories import STORIES, kip_101, made_up

import isrcheck
from isrcheck import Limits, Outcome, Trace, Verdict
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.writers.html import fragment_of
from isrcheck.ir.frozen import replace
from isrcheck.run.displayed import Displayed
from isrcheck.run.outcome import PropertyOutcome

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


@cache
def lost() -> Outcome:
    return isrcheck.check("truncate-to-high-watermark", constants=SMALL)


@cache
def kept() -> Outcome:
    return isrcheck.check("kip-320", constants=SMALL)


def results() -> list[Displayed]:
    return [lost(), kept(), *lost().properties, kip_101(), isrcheck.prove("toy-mutex")]


def html(thing: Displayed) -> str:
    return thing._repr_html_()


def words(thing: Displayed) -> str:
    text = re.sub(r"<style>.*?</style>", "", html(thing), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", text.replace("<wbr>", "")).split())


OUTSIDE = re.compile(r"""(?:src|href)="(?!data:image/svg\+xml;)|url\(|@import""")
ACTIVE = re.compile(r"<script|<iframe|<link|<form|javascript:|\bon\w+=", re.IGNORECASE)


def test_it_has_no_script_and_asks_for_nothing() -> None:
    for thing in results():
        assert ACTIVE.findall(html(thing)) == []
        assert OUTSIDE.findall(html(thing)) == []


def test_it_is_small() -> None:
    sizes = {len(html(thing)): most for thing, most in [(kept(), 10_000), (lost(), 22_000), (kip_101(), 26_000)]}
    assert [size for size, most in sizes.items() if size > most] == []
    assert len(html(lost().property("log_matching"))) < 3_000


def test_the_style_reaches_nothing_else_on_the_page() -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", html(lost()), re.DOTALL)
    style = re.sub(r"/\*.*?\*/", "", style)
    inner = re.sub(r"@media[^{]*\{(.*)\}\s*$", r"\1", style, flags=re.DOTALL)
    selectors = [each.strip() for rule in re.findall(r"([^{}]+)\{[^}]*\}", inner) for each in rule.split(",")]
    assert len(selectors) > 20
    assert [each for each in selectors if not each.startswith(".isrcheck")] == []
    assert re.findall(r"(?<![-\w])color:(?!inherit)", style) == [], "text has the colour of the theme around it"


@pytest.mark.parametrize("story", STORIES)
def test_a_trace_is_the_drawing_that_render_makes(story: str) -> None:
    trace = STORIES[story]()
    (picture,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', html(trace))
    assert b64decode(picture).decode() == render_trace(trace, "svg")


def test_a_trace_that_is_long_is_not_drawn() -> None:
    long = made_up([{"n": n} for n in range(2_000)])
    too_many = "2,000 states are too many to be drawn here: trace.table() has them all."
    assert words(long).endswith(too_many)
    assert len(html(long)) < 3_500


def test_what_bounds_may_have_helped_to_never_reads_like_a_plain_holds() -> None:
    assert kept().pruned == 660
    bounded = "holds within bounds (660 steps pruned)"
    for found in (p for p in kept().properties if p.trace is None):
        assert found.verdict is Verdict.HOLDS
        assert repr(found) == f"<PropertyOutcome {found.name}: {bounded}, exhaustive>"
        assert words(found) == f"{found.name} {bounded} exhaustive"
        assert f"{found.name} {bounded} exhaustive" in words(kept())
    assert repr(kept()).startswith(f"<Outcome {bounded}: kip-320 replicas=2 ")
    plain = isrcheck.check("toy-mutex")
    assert repr(plain.properties[0]) == "<PropertyOutcome mutual_exclusion: holds, exhaustive>"
    assert repr(plain).startswith("<Outcome holds: toy-mutex")


def test_a_run_that_was_cut_says_so() -> None:
    cut = isrcheck.check("kip-320", constants=SMALL, limits=Limits(states=50))
    assert "The graph is not complete" in words(cut)
    assert "holds" not in words(cut).replace("leader_in_isr", "")
    assert repr(cut).startswith("<Outcome undetermined: kip-320 ")


def test_actions_and_steps_are_folded_away() -> None:
    assert [title.strip() for title in re.findall(r"<summary>(.*?)</summary>", html(lost()).replace("<wbr>", ""))] == [
        "9 actions", "weak_isr is violated after 8 steps", "strong_isr is violated after 9 steps",
    ]  # fmt: skip


def test_a_drawing_is_as_wide_as_its_cell_and_no_wider() -> None:
    """A drawing of four lanes, 1,140 pixels, was cut off at the right; below 760 it would be too small to read."""
    assert ".isrcheck img{display:block;max-width:max(100%,760px);height:auto;" in html(lost())


def test_names_are_text_and_no_markup() -> None:
    hostile = "<img src=x onerror=alert(1)>\"'\x1b[31m"
    trace = made_up([{hostile: hostile}], model=hostile, name=hostile, sentence=hostile)
    shown = html(replace(lost(), constants={hostile: hostile})) + html(trace)
    hostile_kind: Any = trace.kind  # a trace's kind stands for a property's
    shown += html(PropertyOutcome(hostile, hostile_kind, Verdict.UNDETERMINED, hostile, reason=hostile))
    shown += fragment_of([])
    assert "<img src=x" not in shown
    assert "\x1b" not in shown


def test_everything_is_one_line_of_text() -> None:
    trace: Trace = kip_101()
    assert repr(trace) == (
        "<Trace truncate-to-high-watermark replicas=2 log_size=1 max_records=1 max_leader_epoch=1 isr_may_empty=false: "
        "strong_isr is violated after 9 steps>"
    )
    assert repr(trace.steps[0]) == "<TraceStep initial state>"
    assert repr(trace.steps[1]) == "<TraceStep controller_elects_leader(chosen=r0)>"
    assert repr(lost().property("strong_isr")) == "<PropertyOutcome strong_isr: violated in 9 steps, replayed>"
    assert (
        repr(isrcheck.prove("toy-mutex")) == "<ProofRun toy-mutex: mutual_exclusion undetermined, flags_are_true holds>"
    )
    assert all("\n" not in repr(thing) for thing in results())
