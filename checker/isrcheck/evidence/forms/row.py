"""A step of a drawing."""

from dataclasses import dataclass

from isrcheck.evidence.forms.committed import Loss


@dataclass(frozen=True)
class LogCell:
    label: str
    colour: str
    under: str  # its colour, such as e2
    # kept, new, empty, missing (committed)
    # or lost (a leader is without it)
    state: str
    instead: str = ""  # what is there now

    @property
    def name(self) -> str:
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
    """Members are kept, added, dropped."""

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
    name: str
    value: str
    before: str = ""  # if it was another
    share: float | None = None  # limit used


@dataclass(frozen=True)
class Card:
    """`cells` is None without a log."""

    leads: bool
    cells: tuple[LogCell, ...] | None
    flags: tuple[Flag, ...]
    strips: tuple[Strip, ...]
    facts: tuple[Fact, ...]
    changed: bool
    blame: str = ""  # how it is broken


@dataclass(frozen=True)
class Shot:
    """An arrow between two lanes; without a label both took part."""

    source: int
    target: int
    label: str
    sent: int | None = None  # earlier step
    leaves: bool = False  # to arrive later
    lost: bool = False
    overtakes: int | None = None  # the step that sent the first of those that still wait between the same lanes

    @property
    def caption(self) -> str:
        label = f"{self.label}, lost" if self.lost else self.label
        return label if self.sent is None else f"{label} (sent in step {self.sent})"

    @property
    def sentence(self) -> str:
        """The caption, with what it overtakes, for forms that draw no line for that."""
        more = "" if self.overtakes is None else f", overtakes what was sent in step {self.overtakes}"
        return f"{self.caption}{more}"


@dataclass(frozen=True)
class SceneRow:
    """Number 0 is the beginning."""

    number: int
    action: str
    arguments: str
    sentence: str
    cards: tuple[Card, ...]
    shot: Shot | None
    losses: tuple[Loss, ...]
    truncation: str = ""  # whose log is cut, and what was renumbered
    log_lines: tuple[str, ...] = ()  # in a run that was observed: the lines that tell of the step
    is_inferred: bool = False  # in such a run: no line tells of it
