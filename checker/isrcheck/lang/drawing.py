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
    """Who leads: each lane whose value is its own name, or the lane that it is `on`."""

    variable: str = ""
    on: str = ""


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A set of lanes, such as an ISR. Members of one that is `electable` must hold whatever is committed."""

    variable: str
    name: str
    on: str = ""
    electable: bool = False


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

    Its text may hold a {parameter}, and a {variable[parameter]}: what the variable has there before the step.
    """

    action: str
    source: str
    target: str
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


Word = Lane | Cells | Mark | Crown | Ribbon | Note | Arrow | Phrase


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


def crown(variable: str = "", *, on: str = "") -> Crown:
    """The lanes that lead: those whose value is themselves, or always the one that is named."""
    return Crown(variable, on)


def ribbon(variable: str, name: str, *, on: str = "", electable: bool = False) -> Ribbon:
    """A set of lanes, such as an ISR; whoever is in an `electable` one ought to hold whatever is committed."""
    return Ribbon(variable, name, on, electable)


def note(variable: str, name: str, *, on: str = "", limit: str = "") -> Note:
    """A value shown by name; `limit` is a constant that it is held against, such as a clock's."""
    return Note(variable, name, on, limit)


def arrow(action: str, source: str, target: str, text: str) -> Arrow:
    """The message that an action stands for. Ends are parameters or lanes.

    The text may hold a {parameter}, and a {variable[parameter]}: what the variable has there before the step.
    """
    return Arrow(action, source, target, text)


def phrase(variable: str, text: str, *, field: str = "", value: str = "") -> Phrase:
    """How a record in a variable is said: with {field}s of it, and {field?words} that are said where the field is true.

    Only of records whose `field` is `value`, if that is given; of several phrases the first that fits is taken.
    """
    return Phrase(variable, text, field, value)
