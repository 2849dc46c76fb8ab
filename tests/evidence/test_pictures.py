"""What drawings say beyond the states: what can follow, what a log is cut to, late messages, and who is to blame."""

import json
import re
from html import unescape
from typing import Annotated

import pytest
from tests.evidence.stories import SIZES, kip_101, made_up, partition, trace_of
from tests.lang.models.channels import Ordered
from tests.lang.models.networks import Putting

from isrcheck import Drawing, Model, UpTo, action, arrow, cells, check, invariant, lane, require, step, truncation
from isrcheck.evidence.follow import with_what_follows
from isrcheck.evidence.forms.cards import BOLD_SMALL_LETTER, CardSheet
from isrcheck.evidence.forms.committed import Committed, LogView
from isrcheck.evidence.forms.messages import arrivals
from isrcheck.evidence.forms.row import Card, Flag, LogCell
from isrcheck.evidence.forms.scene import FOLLOWS, scene
from isrcheck.evidence.forms.shapes import Canvas
from isrcheck.evidence.forms.table import FOLLOWED, render_trace
from isrcheck.ir.frozen import replace
from isrcheck.lang.drawing import Cells
from isrcheck.run.trace import Trace
from isrcheck.run.wording import record_name


def said(trace: Trace, form: str) -> str:
    """What a form says, on one line and without its own spelling of letters."""
    text = render_trace(trace, form).replace("\\", "")
    text = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), text)
    return " ".join(unescape(re.sub(r"</text>\s*<text[^>]*>", " ", text)).split())


# (a) A record is missing until a leader without it is elected


def test_a_record_is_missing_and_not_lost_while_nobody_leads_without_it() -> None:
    for form in sorted(FOLLOWED):
        text = said(kip_101(), form)
        assert "missing on r1, which may be elected next" in text
        assert not re.search("is (gone|lost)", text)


def test_a_record_is_lost_also_at_the_offset_of_another() -> None:
    committed, records = Committed(), [{"record": "Entry", "fields": {"epoch": epoch}} for epoch in (1, 2)]
    one, other = (record_name(Cells("log", colour="epoch"), record, 0) for record in records)
    for log in ((), (one,), (), (other, other), ()):
        told = tuple(("acknowledged", offset, name) for offset, name in enumerate(log))
        losses = committed.follow(
            view := LogView({"r": log}, {}, (), frozenset(), receipts=told, cause="the disk fails")
        )
    assert [str(sentence) for sentence in committed.explain(losses, view)] == [
        "Record 0 of epoch 1, acknowledged in step 1, is lost: no log has it.",
        "r lost it in step 2: the disk fails.",
        "Record 0 of epoch 2 and record 0 of epoch 2, acknowledged in step 3, are lost: no log has them.",
        "r lost them in step 4: the disk fails.",
    ]


def test_who_never_had_a_record_is_told_with_what_is_there_and_since_when_it_may_be_elected() -> None:
    committed = Committed()
    for s_log, electable, cause in (((), (), ""), (("b",), (), "s appends"), (("b",), ("s",), "s is let in")):
        logs: dict[str, tuple[str, ...]] = {"r": ("a",), "s": s_log, "t": ()}
        view = LogView(logs, {"r": 1}, (), frozenset(electable), frozenset({"r"}), states={}, cause=cause)
        losses = committed.follow(view)
    assert [str(sentence) for sentence in committed.explain(losses, view)] == [
        "A (offset 0), committed by r at the start, is missing on s, which may be elected next; r still has it.",
        "s never had it: b is at its offset since step 1: s appends.",
        "s may be elected since step 2: s is let in.",
    ]


def test_steps_that_were_left_out_may_have_had_the_record() -> None:
    whole = scene(kip_101()).explanation
    assert whole[-1].startswith("r1 lost it in step"), whole
    last = kip_101().steps[-1]
    left = scene(replace(kip_101(), steps=(last, last), omitted=kip_101().length - 2)).explanation
    assert left[-1] == "r1 has it in none of these states."


def test_a_card_of_a_narrow_lane_holds_its_words() -> None:
    canvas, sheet = Canvas(), CardSheet(replace(scene(kip_101()), lanes=("controller", "r0", "r1", "r2")))
    cells = (LogCell("1", "2", "e2", "missing", "0·e0"), LogCell("2", "2", "e2", "kept"))
    sheet.slots, lead, flags = 2, "leads by its own mind", (Flag("HW", 0, False), Flag("LEO", 2, True))
    low = sheet.card(canvas, Card(lead, cells, flags, (), (), True, badges=("fenced",)), 0, 0, True, False)
    texts = re.findall(r'<text x="([\d.]+)" y="([\d.]+)".*?>(.*?)</text>', "".join(canvas.parts))
    said = " ".join(text for *_, text in texts)
    assert said == "♛ leads by its own mind · fenced 1·e2 2·e2 missing has 0·e0 LEO 2"
    assert all(float(x) + len(text) * BOLD_SMALL_LETTER < sheet.lane for x, _, text in texts)
    assert max(float(y) for _, y, _ in texts) < low


def test_who_committed_a_record_is_the_leader_whose_high_watermark_passed_it() -> None:
    committed, told = Committed(), (("acknowledged", 0, "a"),)
    views = (
        LogView({"r": ("a",), "s": ("a",), "t": ("a",)}, {}, (), frozenset(), receipts=()),
        LogView({"r": ("a",), "s": ("a",), "t": ()}, {}, (), frozenset(), receipts=(), cause="t cuts"),
        LogView({"r": ("a",), "s": ("a",), "t": ()}, {"r": 0, "s": 1}, (("r", "t"),), frozenset("t"), receipts=told),
    )
    losses = [committed.follow(view) for view in views][-1]
    said = [str(sentence) for sentence in committed.explain(losses, views[-1])]
    assert said[1:] == ["t had lost it before, in step 1: t cuts."]


def test_a_story_goes_on_to_the_election_where_the_bounds_allow_it() -> None:
    trace = with_what_follows(partition())
    assert [s.action for s in trace.follows] == ["controller_elects_leader", "replica_becomes_leader"]
    seen = scene(trace)
    assert seen.consequence == (
        "Record 0 of epoch 1 (offset 0), committed by r0 in step 6, is lost: r1 leads without it; r0 still has it.",
        "r1 never had it.",
    )
    assert [row.number for row in seen.follows] == [7, 8]
    states = [cell.state for row in (*seen.rows, *seen.follows) for card in row.cards for cell in card.cells or ()]
    assert states[-1] == "lost"
    assert states.count("lost") == 1
    for form in sorted(FOLLOWED):
        text = said(trace, form)
        assert "is lost: r1 leads without it" in text
        assert form == "html" or FOLLOWS in text


def test_what_follows_is_no_part_of_the_trace() -> None:
    trace = with_what_follows(partition())
    assert trace.length == partition().length == 7
    assert json.loads(trace.to_json())["steps"] == json.loads(partition().to_json())["steps"]
    assert scene(trace).title.endswith("after 6 steps")


def test_nothing_follows_beyond_the_bounds_or_without_an_election_or_of_another_version() -> None:
    assert with_what_follows(kip_101()).follows == ()  # both epochs have begun
    assert with_what_follows(trace_of("async-isr-proposed-only", "valid_high_watermark")).follows == ()
    assert with_what_follows(replace(partition(), model="./mine.py:Mine")).follows == ()
    steps = (*partition().steps[:2], *partition().steps[3:])
    assert with_what_follows(replace(partition(), steps=steps)).follows == ()


# (b) What a log is cut to


@pytest.mark.parametrize(
    ("model", "constants", "reason"),
    [
        ("truncate-to-high-watermark", SIZES, "r1 truncates to offset 0, the follower's own high watermark"),
        ("kip-101", {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
         "r1 truncates to offset 0, its own high watermark, as r0 has no record of epoch 1 or later"),
        ("kip-279", {"replicas": 3, "max_leader_epoch": 2},
         "r2 truncates to offset 0, the end of what the two logs have in common"),
    ],
)  # fmt: skip
def test_every_form_says_what_a_follower_truncates_to(model: str, constants: dict[str, int], reason: str) -> None:
    trace = trace_of(model, "strong_isr", isr_may_empty=False, **constants)
    assert [s.truncation for s in trace.steps if s.truncation] == [reason]
    for form in FOLLOWED:
        assert reason in said(trace, form), form


class Cut(Model):
    """A log is filled, and cut to one record by a method's word."""

    drawing = Drawing(
        lane("disk"),
        cells("end", on="disk"),
        truncation("crash", "disk", "kept", "the last flush of {flushes}", given="is_safe"),
        truncation("crash", "disk", "kept"),
    )
    end: Annotated[int, UpTo(2)] = 0
    safe: bool = False

    @action
    def write(self) -> None:
        """One more."""
        self.end += 1

    @action
    def save(self) -> None:
        """From now on it is safe."""
        require(not self.safe)
        self.safe = True

    @action
    def crash(self) -> None:
        """What was not flushed is gone."""
        require(self.end == 2)
        self.end = self.kept()

    @step
    def stays(self, before: "Cut") -> bool:
        """Nothing is cut."""
        return self.end >= before.end

    @step
    def stays_when_safe(self, before: "Cut") -> bool:
        """Nothing is cut that is safe."""
        return self.end >= before.end or not before.safe

    def kept(self) -> Annotated[int, UpTo(2)]:
        """What was flushed before."""
        return 1

    def flushes(self) -> Annotated[int, UpTo(7)]:
        """How many there were."""
        return 7

    def is_safe(self) -> bool:
        """Whether it was saved."""
        return self.safe


def test_the_first_reason_that_fits_is_said() -> None:
    reasons = [trace_of(Cut, name).steps[-1].truncation for name in ("stays", "stays_when_safe")]
    assert reasons == [
        f"disk truncates to offset 1, {why}" for why in ("what was flushed before", "the last flush of 7")
    ]


# (c) Late messages


def test_a_late_message_is_drawn_from_the_step_that_sent_it() -> None:
    trace = trace_of("async-isr-committed-only", "valid_high_watermark")
    shots = [(row.number, row.shot.sent, row.shot.leaves) for row in scene(trace).rows if row.shot]
    assert shots == [(2, 1, False), (3, None, True), (5, 3, False)]
    picture = render_trace(trace, "svg")
    tracks = re.findall(r'<line x1="([\d.]+)" y1="[\d.]+" x2="\1" y2="[\d.]+" class="shot"/>', picture)
    assert len(tracks) == 2
    assert "(sent in step 3)" in render_trace(trace, "mermaid").replace("#40;", "(").replace("#41;", ")")
    assert "(sent in step 3) |" in render_trace(trace, "md")


def test_a_message_in_a_queue_is_found_where_it_was_put() -> None:
    queues = [[], ["a"], ["a", "b"], ["b"], ["b", "b"]]
    states = [{"box": {"map": [["x", queue], ["y", []]]}} for queue in queues]
    drawing = Drawing(lane(each="box"), arrow("moves", "y", "who", "here", sent="box[who][place]"))
    trace = made_up([*states, states[0]], drawing=drawing)
    for place, sent in ((0, 2), (1, 4)):
        steps = (*trace.steps[:-1], replace(trace.steps[-1], arguments={"who": "x", "place": place}))
        shot = scene(replace(trace, steps=steps)).rows[-1].shot
        assert shot is not None
        assert shot.sent == sent


# (d) Size


@pytest.mark.parametrize(("steps", "high"), [(9, 1200), (30, 1200)])
def test_a_picture_is_no_higher_than_a_page_has_room(steps: int, high: int) -> None:
    first, *rest = kip_101().steps
    trace = replace(kip_101(), steps=(first, *(rest * 5))[: steps + 1])
    picture = render_trace(trace, "svg")
    width, height = map(float, re.findall(r'(?:width|height)="([\d.]+)"', picture)[:2])
    assert width <= 800
    assert height <= high
    assert re.findall(r'id="step-(\d+)"', picture) == [str(number) for number in range(1, steps + 1)]
    assert '<rect x="14"' in picture


# (g) Who is to blame


@pytest.mark.parametrize(
    ("model", "name", "sentence"),
    [
        ("isr-original-design", "hw_never_decreases", "leader lowers its high watermark."),
        ("isr-kafka-4485-v1", "keeping_up_belongs",
         "f0 lags by T or less and has reached the high watermark, and is out of the ISR."),
        ("isr-kafka-4485-v1", "caught_up_rejoins", "f0 fetches at the leader's log end, and stays out of the ISR."),
        ("original-design", "hw_never_decreases", "r0 lowers its high watermark while it leads."),
    ],
)  # fmt: skip
def test_a_drawing_says_who_breaks_the_property(model: str, name: str, sentence: str) -> None:
    seen = scene(trace_of(model, name))
    assert seen.explanation[0] == sentence
    blamed = [lane for lane, card in zip(seen.lanes, seen.rows[-1].cards, strict=True) if card.blame]
    assert blamed == [sentence.split()[0]]
    if model.startswith("isr"):
        assert ("leader", "kept") in seen.rows[0].cards[0].strips[0].members


class Pair(Model):
    """Two numbers, of which nobody says who is wrong."""

    up: Annotated[int, UpTo(2)] = 0

    @action
    def rise(self) -> None:
        """One more."""
        self.up += 1

    @invariant
    def small(self) -> bool:
        """Nothing is as high as it was."""
        return self.up == 0 or not any(n >= 1 and self.up >= n for n in range(3))


def test_a_property_without_a_word_tells_for_which_values_it_is_false() -> None:
    trace = trace_of(Pair, "small")
    assert trace.witness == {"n": 1}
    assert scene(trace).explanation == ("False for n=1.",)


# Where a message was sent, and which of two left


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    found = {p.name: p.trace for p in check(Putting).properties}
    return {name: trace for name, trace in found.items() if trace is not None}


def test_one_message_overtakes_another(traces: dict[str, Trace]) -> None:
    text = render_trace(traces["never_back"], "mermaid")
    assert [line.strip() for line in text.splitlines() if "p0-" in line] == [
        "p0-)p1: 1 put#58; put 1",
        "p0-)p1: 2 put#58; put 2",
        "p0->>p1: 3 keep#58; put 2 (sent in step 2)",
        "p0->>p1: 4 keep#58; put 1 (sent in step 1)",
    ]


def test_a_lost_message_has_a_cross(traces: dict[str, Trace]) -> None:
    assert "p0-xp1: 4 lose#58; put 2, lost (sent in step 2)" in render_trace(traces["both_lost"], "mermaid")
    assert "l10 10m0 -10l-10 10" in render_trace(traces["both_lost"], "svg")


def test_the_terminal_says_when_it_was_sent(traces: dict[str, Trace]) -> None:
    assert "keep(m=Put(source=n0, target=n1, value=2)), sent in step 2" in render_trace(traces["never_back"], "txt")


def test_a_message_of_a_channel_comes_from_where_it_was_sent() -> None:
    """Drawn without a word of the model: a channel's ends are lanes."""
    (told,) = [p.trace for p in check(Ordered, properties=["heard_twice"]).properties]
    assert told is not None
    text = render_trace(told, "mermaid")
    assert [line.strip() for line in text.splitlines() if "->>" in line] == [
        "p1->>p2: 3 hear#58; Link (sent in step 1)",
        "p1->>p2: 4 hear#58; Link (sent in step 2)",
    ]


@pytest.mark.parametrize(
    ("then", "now", "sent"),
    [
        (["a", "a"], ["a"], [2]),
        (["a", "a"], ["a", "b"], [2, 3]),
        (["a", "b"], ["a"], [1]),
        (["a", "b"], ["b"], [2]),
        (["a", "b"], ["a", "a", "b"], [1, 3, 3]),
    ],
)
def test_the_first_of_a_queue_leaves_first(then: list[str], now: list[str], sent: list[int]) -> None:
    """Of two that are alike, too."""
    known = arrivals(then[:1], [], None, 1)
    known = arrivals(then, then[:1], known, 2)
    _, places = arrivals(now, then, known, 3)
    assert [number for number, _ in places.values()] == sent
