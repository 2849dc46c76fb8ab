"""A step of a drawing: what each lane is afterwards, and the message that was sent."""

from dataclasses import dataclass

from isrcheck.evidence.forms.committed import Loss


@dataclass(frozen=True)
class LogCell:
    """A place in a log. `state` is kept, new, missing (it is committed), lost (a leader is without it) or empty.

    `colour` is what cells are coloured by, and `under` the same with a letter that says what it is, such as e2.
    `instead` is the record that stands where a committed one ought to.
    """

    label: str
    colour: str
    under: str
    state: str
    instead: str = ""

    @property
    def text(self) -> str:
        return f"{self.label}·{self.under}" if self.under else self.label


@dataclass(frozen=True)
class Flag:
    """A mark at an offset of a log."""

    name: str
    offset: int
    changed: bool


@dataclass(frozen=True)
class Strip:
    """A set of lanes; each member with whether it is kept, added or dropped."""

    name: str
    members: tuple[tuple[str, str], ...]

    @property
    def changed(self) -> bool:
        return any(how != "kept" for _, how in self.members)


@dataclass(frozen=True)
class Fact:
    """A named value; `before` is what it was, or nothing if it is the same.

    `share` is how much of its limit a clock has used: 1 is all of it, and more is over.
    """

    name: str
    value: str
    before: str = ""
    share: float | None = None


@dataclass(frozen=True)
class Card:
    """What one lane is in one state. `cells` is None for a lane without a log."""

    leads: bool
    cells: tuple[LogCell, ...] | None
    flags: tuple[Flag, ...]
    strips: tuple[Strip, ...]
    facts: tuple[Fact, ...]
    changed: bool
    blame: str = ""  # how this lane breaks the property


@dataclass(frozen=True)
class Shot:
    """A message from one lane to another, by position; without a text it only says that both took part.

    `sent` is the step in which it left, if that is another; one that `leaves` does not arrive in this step.
    """

    source: int
    target: int
    text: str
    sent: int | None = None
    leaves: bool = False

    @property
    def caption(self) -> str:
        """Its text, and when it was sent."""
        return self.text if self.sent is None else f"{self.text} (sent in step {self.sent})"


@dataclass(frozen=True)
class SceneRow:
    """A step by its number, what it means, and each lane afterwards; 0 is the beginning."""

    number: int
    action: str
    arguments: str
    sentence: str
    cards: tuple[Card, ...]
    shot: Shot | None
    losses: tuple[Loss, ...]
    truncation: str = ""  # whose log is cut, and what to
