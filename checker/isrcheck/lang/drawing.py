"""How a model wants its traces drawn: a few words beside the model, which know nothing of any format.

A word names a variable (`log`), a field of one (`controller.isr`) or a method without parameters, whose value the trace
then carries. A variable that maps the members of a sort has a value for each of their lanes; any other goes `on` a lane
that is named.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lane:
    """A column: one that is named, or one for each key of the map `each`."""

    name: str
    each: str = ""


@dataclass(frozen=True, slots=True)
class Cells:
    """A log: a sequence, or the number of records that it holds; `label` and `colour` are fields of a record.

    Where records are plain values, `colour` says what those values are, and the label is the offset.
    """

    variable: str
    on: str = ""
    label: str = ""
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """An offset in the lane's log. Where a leader's mark `commits`, the records below it are committed."""

    variable: str
    name: str
    on: str = ""
    commits: bool = False


@dataclass(frozen=True, slots=True)
class Crown:
    """Who leads: each lane whose value is its own name, or the lane that it is `on`.

    `elected` holds the lane that leads on record: any other that takes itself for the leader does so wrongly.
    """

    variable: str = ""
    on: str = ""
    elected: str = ""


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A set of lanes, such as an ISR. Members of one that is `electable` must hold whatever is committed.

    `always` is a lane that is a member without being in the model's set, such as the leader.
    """

    variable: str
    name: str
    on: str = ""
    electable: bool = False
    always: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A value worth showing in its lane; `limit` is the constant that it is held against."""

    variable: str
    name: str
    on: str = ""
    limit: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A message that an action stands for: between lanes, or parameters that hold one.

    Its text may hold a {parameter}, a {parameter.field}, and a {variable[parameter]}: what the variable has there
    before the step. `sent` is where the message has waited, such as requests[epoch]: the step that put it there sent
    it. One that `leaves` arrives with another action, if ever.
    """

    action: str
    source: str
    target: str
    text: str
    sent: str = ""
    leaves: bool = False


@dataclass(frozen=True, slots=True)
class Truncation:
    """What a lane's log is cut to by an action. `policy` is the method that says how much stays.

    The text says what that is, with holes as in an arrow's and {method}s; without one it is the policy's docstring.
    Said only where `given`, if it is named, is true before the step; of several the first that fits is taken.
    """

    action: str
    lane: str
    policy: str = ""
    text: str = ""
    given: str = ""

    def methods(self) -> list[str]:
        """The methods that are asked, with those of the action's parameters that they take."""
        return [name for name in (self.policy, self.given, *re.findall(r"\{(\w+)\}", self.text)) if name]


@dataclass(frozen=True, slots=True)
class Blame:
    """Who breaks a property, and how. The lane is named, or a variable of the property's `for` that holds one.

    The text may hold such a {variable}, and a {variable[variable]}: what the model has there in the last state.
    """

    property: str
    lane: str
    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """How a record in the variable is said, if its `field`, where one is named, has this value.

    {field} in the text is what the record has there; {field?words} are the words if that is true.
    """

    variable: str
    text: str
    field: str = ""
    value: str = ""


Word = Lane | Cells | Mark | Crown | Ribbon | Note | Arrow | Phrase | Truncation | Blame


@dataclass(frozen=True, slots=True)
class Drawing:
    """The words of a model, in the order in which a lane shows them."""

    words: tuple[Word, ...]

    def __init__(self, *words: Word) -> None:
        object.__setattr__(self, "words", words)

    def names(self) -> Iterator[str]:
        """The variables and methods that the words name, each once."""
        named = (name for word in self.words for name in _named(word))
        return iter(dict.fromkeys(name.partition(".")[0] for name in named if name))


def _named(word: Word) -> list[str]:
    match word:
        case Lane():
            return [word.each]
        case Arrow():
            return [*re.findall(r"\{(\w+)\[", word.text), word.sent.partition("[")[0]]
        case Crown():
            return [word.variable, word.elected]
        case Truncation() | Blame():
            return re.findall(r"\{(\w+)\[", word.text)
        case _:
            return [word.variable]


def lane(name: str = "", *, each: str = "") -> Lane:
    """A column for what is called `name`, or one for each key of the map `each`."""
    return Lane(name, each)


def cells(variable: str, *, on: str = "", label: str = "", colour: str = "") -> Cells:
    """A log, drawn as cells: a sequence of records, of which `label` and `colour` are fields, or just their number."""
    return Cells(variable, on, label, colour)


def mark(variable: str, name: str, *, on: str = "", commits: bool = False) -> Mark:
    """An offset marked in the log of the same lane; `commits`: what is below a leader's mark is committed."""
    return Mark(variable, name, on, commits)


def crown(variable: str = "", *, on: str = "", elected: str = "") -> Crown:
    """The lanes that lead: those whose value is themselves, or always the one that is named.

    `elected`: the variable with the leader on record, where others may still take themselves for the leader.
    """
    return Crown(variable, on, elected)


def ribbon(variable: str, name: str, *, on: str = "", electable: bool = False, always: str = "") -> Ribbon:
    """A set of lanes, such as an ISR; whoever is in an `electable` one ought to hold whatever is committed.

    `always`: a lane that is a member too, and that the model's set leaves out.
    """
    return Ribbon(variable, name, on, electable, always)


def note(variable: str, name: str, *, on: str = "", limit: str = "") -> Note:
    """A value shown by name; `limit` is a constant that it is held against, such as a clock's."""
    return Note(variable, name, on, limit)


def arrow(action: str, source: str, target: str, text: str, *, sent: str = "", leaves: bool = False) -> Arrow:
    """The message that an action stands for. Ends are parameters or lanes.

    The text may hold a {parameter}, a {parameter.field}, and a {variable[parameter]}: what the variable has there
    before the step. `sent`: where the message has waited, such as requests[epoch]; it is drawn from the step that put
    it there. `leaves`: it arrives with another action, if ever.
    """
    return Arrow(action, source, target, text, sent, leaves)


def truncation(action: str, lane: str, policy: str = "", text: str = "", *, given: str = "") -> Truncation:
    """What an action cuts the log of a lane, or of a parameter that holds one, to.

    `policy`: the method that says how much stays; its docstring is the reason unless `text` says another. `given`: a
    method that must be true before the step; of several the first that fits is taken. Methods get those of the action's
    parameters that they take. The text may hold what an arrow's may, and {method}s.
    """
    return Truncation(action, lane, policy, text, given)


def blame(property: str, lane: str, text: str) -> Blame:  # noqa: A002  # the language's word for it
    """Who breaks a property, and how: a lane, or a variable of the property's `for` that holds one.

    The text may hold such a {variable}, and a {variable[variable]}: what the model has there in the last state.
    """
    return Blame(property, lane, text)


def phrase(variable: str, text: str, *, field: str = "", value: str = "") -> Phrase:
    """How a record in a variable is said: with {field}s of it, and {field?words} that are said where the field is true.

    Only of records whose `field` is `value`, if that is given; of several phrases the first that fits is taken.
    """
    return Phrase(variable, text, field, value)
