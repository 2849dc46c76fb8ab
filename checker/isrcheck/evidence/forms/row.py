"""A step of a drawing: what each lane is afterwards, and the message that was sent."""

from dataclasses import dataclass

from isrcheck.evidence.forms.committed import Loss


@dataclass(frozen=True)
class LogCell:
    """A place in a log. `state` is kept, new, missing (it is committed), lost (a leader is without it) or empty.

    `under` is its colour with a letter that says of what, such as e2; `instead` is in place of a committed record.
    """

    label: str
    colour: str
    under: str
    state: str
    instead: str = ""

    @property
    def text(self) -> str:
        return f"{self.label}·{self.under}" if self.under else self.label

    @property
    def is_bad(self) -> bool:
        return self.state in ("lost", "missing")


@dataclass(frozen=True)
class Flag:
    name: str
    offset: int
    changed: bool


@dataclass(frozen=True)
class Strip:
    """A set of lanes; each member is kept, added or dropped."""

    name: str
    members: tuple[tuple[str, str], ...]

    @property
    def marked(self) -> str:
        signs = {"kept": "", "added": "+", "dropped": "-"}
        return f"{self.name} {{{' '.join(signs[how] + name for name, how in self.members)}}}"

    @property
    def changed(self) -> bool:
        return any(how != "kept" for _, how in self.members)


@dataclass(frozen=True)
class Fact:
    """A named value; `before` is what it was, if another, and `share` how much of its limit a clock has used."""

    name: str
    value: str
    before: str = ""
    share: float | None = None


@dataclass(frozen=True)
class Card:
    """A lane in one state; `cells` is None where there is no log."""

    leads: bool
    cells: tuple[LogCell, ...] | None
    flags: tuple[Flag, ...]
    strips: tuple[Strip, ...]
    facts: tuple[Fact, ...]
    changed: bool
    blame: str = ""  # how this lane breaks the property


@dataclass(frozen=True)
class Shot:
    """A message between two lanes, by position; without a text it only says that both took part.

    `sent` is the step in which it left, if another; one that `leaves` does not arrive in this step.
    """

    source: int
    target: int
    text: str
    sent: int | None = None
    leaves: bool = False

    @property
    def caption(self) -> str:
        return self.text if self.sent is None else f"{self.text} (sent in step {self.sent})"


@dataclass(frozen=True)
class SceneRow:
    """A step, and each lane afterwards; number 0 is the beginning."""

    number: int
    action: str
    arguments: str
    sentence: str
    cards: tuple[Card, ...]
    shot: Shot | None
    losses: tuple[Loss, ...]
    truncation: str = ""  # whose log is cut, and what to
