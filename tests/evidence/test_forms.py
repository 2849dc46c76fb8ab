"""Every form of a trace: golden texts, pictures that hold every step, and names that are shown and never run."""

import json
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.evidence.stories import STORIES, kip_101, made_up, trace_of

from isrcheck import check
from isrcheck.errors import UsageError
from isrcheck.evidence.forms.row import Strip
from isrcheck.evidence.forms.scene import scene
from isrcheck.evidence.forms.shapes import Canvas
from isrcheck.evidence.forms.svg import Sheet
from isrcheck.evidence.forms.table import FORMS, render_trace
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import INVARIANT
from isrcheck.lang.drawing import Drawing, arrow, cells, lane, mark, note, phrase, ribbon
from isrcheck.run.trace import Trace, TraceStep, read_trace
from isrtoys import KNOWN, TOYS

GOLDEN = Path(__file__).parent / "golden"
REPORTS = Path(__file__).parents[2] / "reports" / "traces"
SVG = "{http://www.w3.org/2000/svg}"
SCRIPT = "<script>alert(\"1\")</script><img src=x onerror='alert(2)'>--%% ]]> `|` \u202e# 副本 реплика"


@pytest.mark.parametrize("form", ["md", "mermaid"])
@pytest.mark.parametrize("story", STORIES)
def test_the_text_of_a_story(story: str, form: str) -> None:
    assert render_trace(STORIES[story](), form) == (GOLDEN / f"{story}.{form}").read_text(encoding="utf-8")


def test_the_picture_in_the_reports_is_what_is_drawn_now() -> None:
    drawn = (REPORTS / "truncate-to-high-watermark-strong_isr-2-1-1-1.svg").read_text(encoding="utf-8")
    assert render_trace(kip_101(), "svg") == drawn


def test_no_backtick_and_no_bold_name_reaches_into_what_follows() -> None:
    canvas = Canvas()
    canvas.label(0, 0, "an ISR of `initial_isr` replicas")
    assert canvas.parts == ['<text x="0" y="0" class="ink" text-anchor="start">an ISR of initial_isr replicas</text>']
    sheet = Sheet(scene(kip_101()))
    for how, letter in (("kept", 6.1), ("added", 7.2)):  # pixels of a letter, and of a bold one
        canvas = Canvas()
        sheet._strip(canvas, Strip("fenced", (("r0", how),)), 0, 0)
        chip = next(part for part in canvas.parts if part.startswith("<rect"))
        assert float(chip.split('"')[1]) >= len("fenced") * letter + 8


def texts(picture: str) -> list[str]:
    """The lines of text in an SVG, which must parse and hold nothing that runs or is fetched."""
    root = ET.fromstring(picture)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "style", "g", "rect", "line", "circle", "path", "text"}
    assert all("href" not in name and not name.startswith("on") for e in root.iter() for name in e.attrib)
    return [element.text or "" for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("story", STORIES)
def test_a_picture_holds_every_step_and_every_lane(story: str) -> None:
    trace = STORIES[story]()
    picture = render_trace(trace, "svg")
    groups = [e.attrib["id"] for e in ET.fromstring(picture).iter(f"{SVG}g")]
    assert groups == [f"step-{n}" for n in range(1, trace.length)]
    shown = texts(picture)
    assert all(row.story.split(":")[0] in " ".join(shown) for row in scene(trace).rows)
    assert {"controller", "missing"} <= set(shown)


def test_a_clock_is_compared_with_its_limit_and_explained() -> None:
    drawing = Drawing(lane("leader"), note("age", "age", on="leader", limit="T"))
    shown = texts(render_trace(made_up([{"age": 2}, {"age": 4}], constants={"T": 3}, drawing=drawing), "svg"))
    assert "age 2 → 4 of 3" in shown
    assert "a bar: how much of T a clock has used" in " ".join(shown)


def nasty() -> Trace:
    """A trace in which every name and text is an attack."""
    states: list[dict[str, Any]] = [
        {SCRIPT: {"map": [[SCRIPT, [SCRIPT]], ["副本", []]]}, "x": SCRIPT},
        {SCRIPT: {"map": [[SCRIPT, []], ["副本", [SCRIPT]]]}, "x": "\x1b[31m\x00"},
    ]
    steps = (TraceStep("", {}, states[0]), TraceStep(SCRIPT, {SCRIPT: SCRIPT}, states[1]))
    return Trace(SCRIPT, {SCRIPT: SCRIPT}, SCRIPT, INVARIANT, SCRIPT, SCRIPT, steps, {SCRIPT: SCRIPT})


@pytest.mark.parametrize("form", FORMS)
def test_names_are_shown_and_never_run(form: str) -> None:
    text = render_trace(nasty(), form)
    assert not set(text) & {"\x00", "\x1b", "\u202e"}
    assert "副本" in text
    assert "реплика" in text


def test_markup_in_a_name_is_text_in_a_picture() -> None:
    shown = " ".join(texts(render_trace(nasty(), "svg")))
    assert '<script>alert("1")</script>' in shown


def test_markup_in_a_name_is_text_in_markdown() -> None:
    outside_code = re.sub(r"(`+).+?\1", "", render_trace(nasty(), "md").replace("\\`", ""))
    assert not re.search(r"(?<!\\)<(?!br>)", outside_code)


@pytest.mark.parametrize("form", ["svg", "md", "mermaid"])
def test_the_cost_of_a_drawing_grows_with_its_steps(form: str) -> None:
    """Four times the steps cost about four times as many calls: a time depends on what else runs."""
    render_trace(kip_101(), form)
    few, many = calls(render_trace, with_steps(100), form), calls(render_trace, with_steps(400), form)
    assert few < many < 5 * few


def with_steps(count: int) -> Trace:
    first, *rest = kip_101().steps
    return replace(kip_101(), steps=(first, *(rest * 56))[:count])


def calls(work: Callable[..., object], *arguments: object) -> int:
    """How many functions `work(*arguments)` calls, those written in C included."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(note)
    try:
        work(*arguments)
    finally:
        sys.setprofile(None)
    return count


# What a model says of its drawing


def test_a_drawing_reads_back_from_a_trace(tmp_path: Path) -> None:
    drawing = Drawing(
        lane("controller"),
        lane(each="log"),
        cells("log", label="id"),
        mark("hw", "HW", commits=True),
        ribbon("isr", "ISR", on="controller", electable=True),
        note("age", "age", limit="lag_time_max"),
        arrow("fetch", "follower", "leader", "from {offset}"),
        phrase("requests", "StopReplica", field="kind", value="stop"),
    )
    file = tmp_path / "trace.json"
    file.write_text(replace(kip_101(), drawing=drawing).to_json(), encoding="utf-8")
    assert read_trace(file).drawing == drawing


def test_a_model_that_says_nothing_is_drawn_by_its_maps() -> None:
    trace = replace(kip_101(), drawing=None)
    shown = texts(render_trace(trace, "svg"))
    assert {"r0", "r1", "state"} <= set(shown)
    assert any("quorum_epoch" in text for text in shown)


def test_a_model_without_maps_is_drawn_too() -> None:
    assert "count 0 → 1" in texts(render_trace(made_up([{"count": 0}, {"count": 1}]), "svg"))


# Forged traces


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "state",
    [
        {"log": {"map": [["r0"]]}},
        {"log": {"map": 7}},
        {"log": {"map": [["r0", {"record": "R", "fields": []}]]}},
        {"log": {"set": 3}},
        {"log": {"map": [["r0", ["\ud800"]]]}},
    ],
)
def test_a_forged_state_is_one_sentence_or_shown(state: dict[str, Any], form: str) -> None:
    with suppress(UsageError):
        assert render_trace(made_up([state, state]), form)


@pytest.mark.parametrize("drawing", [7, [7], [{"word": "no"}], [{"word": "lane"}], [{"word": "lane", "name": 3}], [{}]])
def test_a_forged_drawing_is_one_sentence(tmp_path: Path, drawing: Any) -> None:
    file = tmp_path / "trace.json"
    data = json.loads(kip_101().to_json())
    file.write_text(json.dumps({**data, "drawing": drawing}), encoding="utf-8")
    with pytest.raises(UsageError, match="is not a whole trace"):
        read_trace(file)


# Letters that Mermaid would read are entities; `end` closes a block wherever it stands alone.
TEXT = r"(?:[^#;:<>\"&{}%\\\n]|#\d+;|<br/>)+"
STATEMENTS = {
    "title": rf"    title {TEXT}",
    "participant": rf"    participant (p\d+) as {TEXT}",
    "message": rf"    (p\d+)(?:->>|-->|-\)|-x)(p\d+): {TEXT}",
    "note": rf"    Note over (p\d+)(?:,(p\d+))?: {TEXT}",
}


def statements(trace: Trace) -> list[str]:
    """The kinds of the statements in order. Raises AssertionError for a line that Mermaid could not read."""
    text = render_trace(trace, "mermaid")
    assert text.endswith("\n")
    first, *lines = text[:-1].split("\n")
    assert first == "sequenceDiagram"
    kinds: list[str] = []
    declared: set[str] = set()
    for line in lines:
        kind, found = next((k, m) for k, p in STATEMENTS.items() if (m := re.fullmatch(p, line)))
        assert not re.search(r"\bend\b", line, re.IGNORECASE), line
        names = {name for name in found.groups() if name}
        assert kind == "participant" or names <= declared, line
        declared |= names
        kinds.append(kind)
    return kinds


FAMILIES = {
    "truncate-to-high-watermark": "strong_isr",
    "async-isr-proposed-only": "valid_high_watermark",
    "isr-kafka-4485-v1": "caught_up_rejoins",
    "isr-kip-16-merged": "lagging_leaves",
    "original-design": "hw_never_decreases",
    "partition-kafka-7152-by-high-watermark": "committed_survives",
}


def traces() -> Iterator[Trace]:
    """The traces of all toys, and one of each family of the models."""
    for name, toy in TOYS.items():
        yield from (p.trace for p in check(toy, constants=KNOWN[name].constants).properties if p.trace)
    yield from (trace_of(name, violated) for name, violated in FAMILIES.items())


def test_every_trace_is_a_sequence_diagram() -> None:
    for trace in traces():
        kinds = statements(trace)
        assert kinds[0] == "title"
        assert kinds[-1] == "note"
        assert kinds[1 : 1 + kinds.count("participant")] == ["participant"] * kinds.count("participant")
        assert len(kinds) >= trace.length


@pytest.mark.parametrize("word", ["end", "End", "the end of it", "a;b", "x: y", "100%%", "#35;", "note over p0: x"])
def test_words_that_mermaid_would_read_are_text(word: str) -> None:
    states = [{"log": {"map": [[word, []], ["other", []]]}}, {"log": {"map": [[word, [word]], ["other", []]]}}]
    statements(replace(made_up(states), model=word, name=word, sentence=word))


def test_hostile_names_are_text() -> None:
    statements(nasty())
