"""How a model wants its traces drawn.

A word names a variable (`log`), a field of one (`controller.isr`) or a method without parameters.
A map over a sort has a value for each of its lanes; any other goes `on` a lane that is named.
"""

import re
from collections.abc import Iterator
from dataclasses import KW_ONLY

from isrcheck.ir.frozen import Frozen

# A hole of a caption: {parameter}, {parameter.field}, {variable[parameter]}, {variable[parameter].field}; and
# {one, other}, the values of several parameters, each once
HOLE = re.compile(r"\{(\w+(?:, \w+)*)((?:\[\w+\])*)((?:\.\w+)?)\}")


class Lane(Frozen):
    """A column for what is called `name`, or one for each key of the map `each`."""

    name: str = ""
    _: KW_ONLY
    each: str = ""

    def __post_init__(self) -> None:
        if not (self.name or self.each):
            raise ValueError("a lane has a name, or is one of each key of a map")


class Cells(Frozen):
    """A log, drawn as cells: a sequence, or the number of records that it holds.

    `label` and `colour` are fields of a record. Where records are plain values, `colour` says what those values are.
    With a colour and without a label, the label is the offset.
    """

    variable: str
    _: KW_ONLY
    on: str = ""
    label: str = ""
    colour: str = ""


class Mark(Frozen):
    """An offset marked in the lane's log. Where a leader's mark `commits`, the records below it are committed."""

    variable: str
    name: str
    _: KW_ONLY
    on: str = ""
    commits: bool = False


class Crown(Frozen):
    """The lanes that lead: each whose value is its own name, or the lane that it is `on`.

    `elected` holds the lane that leads on record: any other that takes itself for the leader does so wrongly.
    """

    variable: str = ""
    _: KW_ONLY
    on: str = ""
    elected: str = ""


class Ribbon(Frozen):
    """A set of lanes, such as an ISR. Members of one that is `electable` must hold whatever is committed.

    `always` is a lane that is a member without being in the model's set, such as the leader.
    """

    variable: str
    name: str
    _: KW_ONLY
    on: str = ""
    electable: bool = False
    always: str = ""


class Badge(Frozen):
    """A set of lanes that wear its name: brokers that are down, or fenced. If it `stops` them, they are grey."""

    variable: str
    name: str
    _: KW_ONLY
    stops: bool = False


class Receipt(Frozen):
    """The records of which somebody was told that they are safe: a set of them, or the beginning of a log.

    `name` is said at the step, as in "acknowledged to the producer". A record of a set has its `offset` as a field.
    """

    variable: str
    name: str


class Change(Frozen):
    """A change by a step, said after the sentence of its action: "ISR {value}".

    The text may hold {value}; {members}, of a set; {end}, how many records a log holds; {key}, of a map or of maps in
    it: all with the same new value; and {among}: " from the ELR", if the value was a member of the ribbon of that name.
    Where there is no value or no member, `absent` is said. With an `action` it is said after that one only.
    """

    variable: str
    caption: str
    _: KW_ONLY
    absent: str = ""
    action: str = ""


class Sentence(Frozen):
    """The sentence of an action: what is written as @action(sentence=...), for a trace to carry."""

    action: str
    caption: str


class Note(Frozen):
    """A value shown by name in its lane; `limit` is a constant that it is compared with, such as a clock's."""

    variable: str
    name: str
    _: KW_ONLY
    on: str = ""
    limit: str = ""


class Arrow(Frozen):
    """The message that an action stands for. Its ends are lanes, or parameters that hold one.

    The text may hold a {parameter}, a {parameter.field}, and a {variable[parameter]}: what the variable has there
    before the step. `sent`: where the message has waited, such as requests[epoch]; it is drawn from the step that put
    it there. One that `leaves` arrives with another action, if ever; one that is `lost` does not. An end may be a field
    of a parameter: arrow("receive", "m.source", "m.target", "vote", sent="network[m]"). Any other
    word is a place or a member of an enumeration: sent="channels[link][0]" is the first message of a channel.
    """

    action: str
    source: str
    target: str
    caption: str
    _: KW_ONLY
    sent: str = ""
    leaves: bool = False
    lost: bool = False


class Truncation(Frozen):
    """A truncation: the length to which an action cuts the log of a lane, or of a parameter that holds one.

    `policy`: the method that says how much stays; its docstring is the reason unless `text` says another. `given`: a
    method that must be true before the step; of several truncations the first that fits is taken. Methods get those of
    the action's parameters that they take. The text may hold what an arrow's may, and {method}s.
    """

    action: str
    lane: str
    policy: str = ""
    caption: str = ""
    _: KW_ONLY
    given: str = ""

    def methods(self) -> list[str]:
        """The methods that are asked, with those of the action's parameters that they take."""
        return [name for name in (self.policy, self.given, *re.findall(r"\{(\w+)\}", self.caption)) if name]


class Blame(Frozen):
    """The culprit of a broken property: a lane, or a variable of the property's `for` that holds one.

    The text may hold such a {variable}, one of the model, and a {variable[variable]}: what is there in the last state.
    """

    property: str
    lane: str
    caption: str


class Since(Frozen):
    """The last step that made the culprit a member of a set, said after the blame: "{culprit} is fenced since".

    With {gone} it is the last one by which members left the set for good: "it waited for {gone} until". Step and
    sentence follow unless the text holds the step's {number}; a {variable} is of the last state.
    """

    property: str
    variable: str
    caption: str


class Phrase(Frozen):
    """How a record in a variable is said: with {field}s of it, and {field?words} that are said where the field is true.

    Only of records whose `field` is `value`, if that is given; of several phrases the first that fits is taken.
    """

    variable: str
    caption: str
    _: KW_ONLY
    field: str = ""
    value: str = ""


_LaneMark = Lane | Cells | Mark | Crown | Ribbon | Badge | Note
_StepMark = Receipt | Change | Sentence | Arrow | Phrase | Truncation | Blame | Since
DrawingMark = _LaneMark | _StepMark


class Drawing(Frozen):
    """The words of a model, in the order in which a lane shows them."""

    words: tuple[DrawingMark, ...]

    def __init__(self, *words: DrawingMark) -> None:
        object.__setattr__(self, "words", words)

    def names(self) -> Iterator[str]:
        """The variables and methods that the words name, each once."""
        yield from dict.fromkeys(name for mark in self.words for name in _names_in(mark))


def _names_in(mark: DrawingMark) -> Iterator[str]:
    if not isinstance(mark, Phrase | Change):  # whose text names fields of a record, or what a step changed
        yield from re.findall(r"\{(\w+)\[", getattr(mark, "caption", ""))
    for attribute in ("each", "variable", "elected", "sent"):
        yield from re.findall(r"^\w+", getattr(mark, attribute, ""))


lane, cells, mark, crown, ribbon = Lane, Cells, Mark, Crown, Ribbon  # The words as a model's author writes them
badge, receipt, change = Badge, Receipt, Change
note, arrow, truncation, blame, since, phrase = Note, Arrow, Truncation, Blame, Since, Phrase
