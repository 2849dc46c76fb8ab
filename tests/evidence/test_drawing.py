"""What a model says of its drawing is held against the model."""

from typing import Annotated, NamedTuple

import pytest

from isrcheck import Drawing, Model, UpTo, action, arrow, check, lane, note, phrase, reachable, require
from isrcheck.errors import ModelError
from isrcheck.evidence.forms.scene import Scene, scene
from isrcheck.lang.read import read_model


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


class NamesNoVariable(Model):
    """Draws what it does not have."""

    drawing = Drawing(lane("counter"), note("cuont", "count", on="counter"))

    count: Annotated[int, UpTo(2)] = 0


class NamesNoAction(Model):
    """Draws what nobody does."""

    drawing = Drawing(lane("a"), lane("b"), arrow("dwon", "a", "b", "one less"))

    @action
    def down(self) -> None:
        """One less."""


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


class SaysNoVariable(Model):
    """Has a message in which nothing of it is named."""

    drawing = Drawing(lane("a"), lane("b"), arrow("down", "a", "b", "{cuont[a]} less"))

    count: Annotated[int, UpTo(2)] = 0

    @action
    def down(self) -> None:
        """One less."""


def post() -> Scene:
    trace = check(Post).property("overtaken").trace
    assert trace is not None
    return scene(trace)


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


def test_a_message_that_names_no_variable_is_refused() -> None:
    with pytest.raises(ModelError, match=r"the drawing names cuont, which is not a variable .*"):
        read_model(SaysNoVariable)


def test_the_original_design_says_its_commands() -> None:
    promise = "commands_are_not_outdated"
    trace = check("original-design", properties=[promise], stop_at_first=True).property(promise).trace
    assert trace is not None
    seen = scene(trace)
    shots = [row.shot.label for row in seen.rows if row.shot]
    assert "LeaderAndISR v1: r0 leads" in shots
    assert not [f for row in seen.rows for card in row.cards for f in card.facts if "Command(" in f.value + f.before]


def test_a_trace_carries_what_the_drawing_asks_of_its_states() -> None:
    trace = check(Counter).property("two").trace
    assert trace is not None
    assert [step.answers for step in trace.steps] == [{"double": 0}, {"double": 2}, {"double": 4}]
    assert trace.actions == {"up": "One more."}
    assert '"seen": {\n    "double": 4' in trace.to_json()


def test_a_drawing_that_names_no_variable_is_refused_with_the_nearest() -> None:
    with pytest.raises(ModelError, match=r"the drawing names cuont, which is not a variable .*") as caught:
        read_model(NamesNoVariable)
    assert "Did you mean count?" in str(caught.value)


def test_a_drawing_that_names_no_action_is_refused() -> None:
    with pytest.raises(ModelError, match="the drawing names dwon, which is not an action of the model"):
        read_model(NamesNoAction)
