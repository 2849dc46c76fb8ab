"""What a model says of its drawing is held against the model."""

import inspect
import re
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

import pytest
from click.testing import CliRunner
from tests.evidence.stories import trace_of
from tests.liveness import small

from isrcheck import (
    Drawing,
    Model,
    UpTo,
    action,
    arrow,
    blame,
    cells,
    change,
    invariant,
    lane,
    note,
    phrase,
    reachable,
    receipt,
    require,
    since,
    truncation,
)
from isrcheck.cli import commands
from isrcheck.errors import ModelError
from isrcheck.evidence.forms.scene import Scene, scene
from isrcheck.evidence.forms.table import render_trace
from isrcheck.ir.frozen import replace
from isrcheck.lang.drawing import Change, Sentence
from isrcheck.lang.read import read_model
from isrcheck.run.trace import Trace, TraceStep, Value
from isrcheck.run.wording import sentence_of


class Counter(Model):
    """Counts, and is drawn with a method's answer."""

    drawing = Drawing(lane("counter"), note("count", "count", on="counter"), note("double", "double", on="counter"))

    count: Annotated[int, UpTo(2)] = 0

    @action
    def up(self) -> None:
        """One more."""
        self.count += 1

    @reachable
    def two(self) -> bool:
        """It gets to two."""
        return self.count == 2

    def double(self) -> int:
        """Twice as much."""
        return self.count * 2


class NamesNoVariable(Counter):
    """Draws what it does not have."""

    drawing = Drawing(lane("counter"), note("cuont", "count", on="counter"))


class NamesNoAction(Counter):
    """Draws what nobody does."""

    drawing = Drawing(lane("a"), lane("b"), arrow("pu", "a", "b", "one more"))


class SaysNoVariable(Counter):
    """Has a message in which nothing of it is named."""

    drawing = Drawing(lane("a"), lane("b"), arrow("up", "a", "b", "{cuont[a]} more"))


class NamesNoMethod(Counter):
    """Cuts a log by a method that is not there."""

    drawing = Drawing(lane("counter"), truncation("up", "counter", "kpet"))


class BlamesNothing(Counter):
    """Blames somebody for a property that is not there."""

    drawing = Drawing(lane("counter"), blame("tow", "counter", "breaks it"))


class Letter(NamedTuple):
    """What is sent."""

    stamp: Annotated[int, UpTo(2)]
    urgent: bool


Box = Annotated[tuple[Letter, ...], UpTo(2)]


class Post(Model):
    """Two letters are written, and the second is taken first."""

    drawing = Drawing(
        lane("sender"),
        lane("receiver"),
        note("box", "under way", on="sender"),
        phrase("box", "a first letter", field="stamp", value="0"),
        phrase("box", "letter {stamp}{urgent?, urgent}"),
        arrow("take", "sender", "receiver", "{box[place]} from place {place}, {box[stamp]}"),
    )

    box: Box = ()
    written: Annotated[int, UpTo(2)] = 0

    @action
    def write(self) -> None:
        """A letter is put in the box."""
        self.box += (Letter(self.written, self.written == 1),)
        self.written += 1

    @action
    def take(self, place: Annotated[int, UpTo(1)]) -> None:
        """A letter is taken out."""
        require(place < len(self.box))
        self.box = self.box[:place] + self.box[place + 1 :]

    @reachable
    def overtaken(self) -> bool:
        """The second letter is gone before the first."""
        return self.written == 2 and len(self.box) == 1 and self.box[0].stamp == 0


def post() -> Scene:
    return scene(trace_of(Post, "overtaken"))


def test_records_are_said_by_the_first_phrase_that_fits() -> None:
    facts = [row.cards[0].facts[0] for row in post().rows]
    assert [(fact.before, fact.value) for fact in facts] == [
        ("", "none"),
        ("none", "a first letter"),
        ("a first letter", "a first letter, letter 1, urgent"),
        ("a first letter, letter 1, urgent", "a first letter"),
    ]


def test_a_message_tells_what_was_there_before_the_step() -> None:
    shot = post().rows[-1].shot
    assert shot is not None
    assert shot.label == "letter 1, urgent from place 1, {box[stamp]}"


def test_the_original_design_says_its_commands() -> None:
    seen = scene(trace_of("original-design", "commands_are_not_outdated"))
    shots = [row.shot.label for row in seen.rows if row.shot]
    assert "LeaderAndISR v1: r0 leads" in shots
    assert not [f for row in seen.rows for card in row.cards for f in card.facts if "Command(" in f.value + f.before]


def test_a_trace_carries_what_the_drawing_asks_of_its_states() -> None:
    trace = trace_of(Counter, "two")
    assert [step.answers for step in trace.steps] == [{"double": 0}, {"double": 2}, {"double": 4}]
    assert trace.actions == {"up": "One more."}
    assert '"seen": {\n    "double": 4' in trace.to_json()


@pytest.mark.parametrize(
    ("cls", "sentence"),
    [
        (NamesNoVariable, "cuont, which is not a variable .* Did you mean count?"),
        (SaysNoVariable, "cuont, which is not a variable .* Did you mean count?"),
        (NamesNoAction, "pu, which is not an action of the model"),
        (NamesNoMethod, "kpet, which is not a method of the model"),
        (BlamesNothing, "tow, which is not a property of the model"),
    ],
)
def test_a_drawing_that_names_what_is_not_there_is_refused(cls: type[Model], sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_model(cls)
    assert re.search(f"the drawing names {sentence}".replace("?", r"\?"), str(caught.value), re.DOTALL)


class Shelf(Model):
    """A copy of what was written is thrown away after somebody was told that it is safe."""

    drawing = Drawing(
        lane("shelf"), cells("kept", on="shelf"), change("kept", "{end} there"), receipt("promised", "confirmed")
    )
    kept: Annotated[tuple[Annotated[int, UpTo(1)], ...], UpTo(1)] = ()
    promised: Annotated[tuple[Annotated[int, UpTo(1)], ...], UpTo(1)] = ()

    @action(sentence="{what, other} arrives")
    def arrive(self, what: Annotated[int, UpTo(1)], other: Annotated[int, UpTo(1)]) -> None:
        """A thing is put on the shelf."""
        require(self.kept == () and self.promised == ())
        self.kept = (what,)
        self.promised = (what,)

    @action(sentence="{kept[0]} is thrown away")
    def throw(self) -> None:
        """The shelf is emptied."""
        require(len(self.kept) > 0)
        self.kept = ()

    @invariant
    def is_there(self) -> bool:
        """What was promised is there."""
        return self.promised == () or self.kept != ()


def test_a_step_is_told_in_a_sentence_with_its_changes_and_what_somebody_is_told() -> None:
    trace = trace_of(Shelf, "is_there")
    rows = scene(trace).rows[1:]
    assert [row.story for row in rows] == ["0 arrives: 1 there", "0 is thrown away: 0 there"]
    assert [[mark.signed for mark in row.marks] for row in rows] == [
        ["confirmed: record 0"],
        ["✗ lost: no log has record 0"],
    ]
    lost = "Record 0, confirmed in step 1, is lost: no log has it."
    assert scene(trace).explanation == (lost, "shelf lost it in step 2: 0 is thrown away.")
    for form in ("txt", "md", "svg", "mermaid", "html"):
        assert "0 is thrown away" in render_trace(trace, form).replace("#58;", ":"), form


@pytest.mark.parametrize(
    ("mark", "before", "after", "said"),
    [
        (change("at", "{key} at {value}"), {"map": [["a", 1], ["b", 1]]}, {"map": [["a", 2], ["b", 2]]},
         "a and b at 2"),
        (change("at", "{key} at {value}"), {"map": [["a", 1], ["b", 1]]}, {"map": [["a", 2], ["b", 3]]},
         "a at 2, b at 3"),
        (change("at", "{key} at {value}"), {"map": [["x", {"map": [["a", 1]]}]]}, {"map": [["x", {"map": [["a", 2]]}]]},
         "a at 2"),
        (change("at", "waits for {members}", absent="waits for nobody"), {"set": []}, {"set": ["a", "b"]},
         "waits for a and b"),
        (change("at", "waits for {members}", absent="waits for nobody"), {"set": ["a"]}, {"set": []},
         "waits for nobody"),
        (change("at", "waits for {members}"), {"set": ["a"]}, {"set": []}, ""),
        (change("at", "ISR {value}"), {"set": ["a"]}, {"set": []}, "ISR {}"),
        (change("at", "", absent="no leader"), "a", "b", ""),
        (change("at", "at {value}", action="wait"), 1, 2, ""),
    ],
)  # fmt: skip
def test_changes_are_said_of_all_that_became_alike(mark: Change, before: Value, after: Value, said: str) -> None:
    first, last = (TraceStep("go", {"who": "a"}, {"at": at, "log": {"map": [["a", [7, 7]]]}}) for at in (before, after))
    told = sentence_of((Sentence("go", "{who} goes at {log[who].end}"), mark), last, first)
    assert told == "a goes at 2" + f": {said}" * bool(said)


@pytest.mark.slow
def test_a_leader_goes_by_no_fetch_where_the_controller_keeps_a_follower() -> None:
    sizes = {"fences": 1, "power_losses": 1, "max_version": 7, "max_epoch": 6, "max_session": 1}
    stays = trace_of("kraft-4.1", "candidates_complete", unclean_leaves=False, last_known=False, **sizes)
    assert scene(stays).explanation[0] == (  # no leader goes by that fetch: the controller keeps r1 in the ELR
        "r1 may be elected without what consumers have read. The last fetch of r1 that r0 knows is from before step 8: "
        "r1 loses power, and what it had not flushed."
    )


def test_who_is_dropped_by_a_leader_without_a_clock_is_not_said_to_be_late() -> None:
    dropped = trace_of("isr-original-design", "hw_not_stalled", fetch_size="one", max_records=3)
    assert scene(dropped).explanation == (  # f0 is dropped for its offset, by a leader without a clock
        "leader leaves the record at offset 2 uncommitted, though its whole ISR {leader} has it.",
    )


def test_the_blame_says_since_when_and_for_whom_somebody_waited() -> None:
    assert scene(trace_of("isr-kafka-4485-merged", "hw_not_stalled")).explanation == (
        "leader leaves the record at offset 2 uncommitted, though its whole ISR {leader} has it. "
        "f0 is late and outside the ISR since step 11: HW no longer waits for it, but time alone does not move HW.",
    )
    set_of = [{"set": members} for members in (["a"], ["b"], ["a", "b"], ["b"])]
    steps = tuple(TraceStep("go", {}, {"at": value, "log": {"map": [["b", []]]}}) for value in set_of)
    drawing = Drawing(lane(each="log"), blame("p", "b", "is in"), since("p", "at", "{culprit} is in since"))
    trace = replace(cycle(), name="p", steps=steps, loop=None, drawing=drawing)
    assert scene(trace).explanation == ("b is in. b is in since step 1: go().",)
    numbered = (*drawing.words[:2], since("p", "at", "from step {number} on {at} has {culprit}"))
    told = scene(replace(trace, drawing=Drawing(*numbered))).explanation
    assert told == ("b is in. from step 1 on {b} has b.",)
    left = replace(
        trace, steps=steps[:3], drawing=Drawing(*drawing.words[:2], since("p", "at", "{culprit} is in since"))
    )
    assert scene(replace(left, steps=(*steps[:2], steps[0]))).explanation == ("b is in.",)
    gone = Drawing(*drawing.words[:2], since("p", "at", "{gone} went in step {number}"))
    assert scene(replace(trace, drawing=gone)).explanation == ("b is in. a went in step 3.",)
    assert scene(replace(left, drawing=gone)).explanation == ("b is in.",)  # a came back


class SaysNoParameter(Model):
    count: Annotated[int, UpTo(2)] = 0

    @action(sentence="{waht} is taken")
    def move(self, what: Annotated[int, UpTo(2)]) -> None:
        self.count = what


class SaysNoValue(Model):
    count: Annotated[int, UpTo(2)] = 0

    @action(sentence="{cuont[what]} is taken")
    def move(self, what: Annotated[int, UpTo(2)]) -> None:
        self.count = what


class SaysHalf(Model):
    count: Annotated[int, UpTo(2)] = 0

    @action(sentence="{what is taken")
    def move(self, what: Annotated[int, UpTo(2)]) -> None:
        self.count = what


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (SaysNoParameter, "names waht, which is not a parameter of move()."),
        (SaysNoValue, "names cuont, which is not a variable of the model."),
        (SaysHalf, "is '{what is taken'."),
    ],
)
def test_a_sentence_that_names_what_is_not_there_is_refused_at_its_place(cls: type[Model], said: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_model(cls)
    line = inspect.getsourcelines(cls)[1] + 3
    assert f"test_drawing.py:{line}:22: the sentence of move() {said}" in " ".join(str(caught.value).split())


@cache
def cycle() -> Trace:
    """One step, then ask, enter, leave for ever."""
    return trace_of(small.Lock, "waiting_ends")


@cache
def stop() -> Trace:
    return trace_of(small.Stopping, "gets_there")


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
