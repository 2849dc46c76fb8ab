"""A step of a drawing, with its log cells and the strips of its sets."""

from dataclasses import dataclass

from isrcheck.evidence.forms.committed import LossSentence
from isrcheck.lang.drawing import Cells, Ribbon
from isrcheck.run.trace import Value
from isrcheck.run.wording import colour_of, label_of, members_of, record_name


@dataclass(frozen=True)
class LogCell:
    label: str
    colour: str
    under: str  # its colour, such as e2
    state: str  # kept, new, empty, missing (committed) or lost (a leader is without it)
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
    """A set on a card: each member with "kept", "added" or "dropped"."""

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
    """The content of one lane in one row; `cells` are its log, None if it has none."""

    lead: str  # "leads", "leads by its own mind", "leads on record" or ""
    cells: tuple[LogCell, ...] | None
    flags: tuple[Flag, ...]
    strips: tuple[Strip, ...]
    facts: tuple[Fact, ...]
    changed: bool
    blame: str = ""  # how it is broken
    badges: tuple[str, ...] = ()  # such as "down"
    stopped: bool = False

    @property
    def heading(self) -> str:
        return " · ".join((*([f"♛ {self.lead}"] if self.lead else []), *self.badges))

    @property
    def has_new_log(self) -> bool:
        return any(cell.state != "kept" for cell in self.cells or ()) or any(flag.changed for flag in self.flags)

    @property
    def is_news(self) -> bool:
        """Whether a log, a mark or a badge says something, or something is wrong."""
        return self.has_new_log or bool(self.blame or self.badges)


@dataclass(frozen=True)
class MessageArrow:
    """An arrow between two lanes; without a label both took part."""

    source: int
    target: int
    label: str
    sent: int | None = None  # earlier step
    leaves: bool = False  # to arrive later
    lost: bool = False

    @property
    def caption(self) -> str:
        label = f"{self.label}, lost" if self.lost else self.label
        return label if self.sent is None else f"{label} (sent in step {self.sent})"


@dataclass(frozen=True)
class StoryMark:
    """A mark at a step: a record is acknowledged, exposed or lost."""

    said: str
    is_loss: bool

    @property
    def signed(self) -> str:
        return f"✗ {self.said}" if self.is_loss else self.said


@dataclass(frozen=True)
class SceneRow:
    """One row of a drawing: a step and the state after it; row 0 is the initial state."""

    number: int
    action: str
    arguments: str
    sentence: str
    cards: tuple[Card, ...]
    shot: MessageArrow | None
    losses: tuple[LossSentence, ...]
    story: str = ""  # the step in a sentence, if the model has one
    marks: tuple[StoryMark, ...] = ()
    truncation: str = ""  # whose log is cut, and what was renumbered
    log_lines: tuple[str, ...] = ()  # in a run that was observed: the lines that tell of the step
    is_inferred: bool = False  # in such a run: no line tells of it


def cell_of(cells: Cells, record: Value, offset: int, old: tuple[str, ...]) -> LogCell:
    """The cell of a record; it is new unless `old`, the names of the records before the step, has it at its offset."""
    same = offset < len(old) and old[offset] == record_name(cells, record, offset)
    colour = colour_of(cells, record)
    under = f"{cells.colour[0]}{colour}" if colour else ""
    return LogCell(label_of(cells, record, offset), colour, under, "kept" if same else "new")


def strip_of(ribbon: Ribbon, before: Value, after: Value, lanes: tuple[str, ...]) -> Strip:
    """The members of a set now and those that it has lost, in the order of their lanes."""
    always = [ribbon.always] if ribbon.always else []
    old, new = members_of(before) + always, members_of(after) + always
    stay = [(m, "kept" if m in old else "added") for m in new]
    dropped = [(m, "dropped") for m in old if m not in new]
    places = {lane: place for place, lane in enumerate(lanes)}
    by_lane = sorted(stay + dropped, key=lambda one: (places.get(one[0], len(places)), one))
    return Strip(ribbon.name, tuple(by_lane))
