"""A trace as what there is to see, step by step and lane by lane, before any format makes a picture of it."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar

from isrcheck.evidence.drawing import guess
from isrcheck.evidence.forms.committed import Committed, LogView, Loss
from isrcheck.evidence.forms.phrases import filled, said
from isrcheck.evidence.trace import Trace, TraceStep, Value, chosen, differences, shown
from isrcheck.lang.drawing import Arrow, Cells, Crown, Drawing, Lane, Mark, Note, Phrase, Ribbon

W = TypeVar("W", Cells, Mark, Crown, Ribbon, Note)


@dataclass(frozen=True)
class Cell:
    """A place in a log. `state` is kept, new, lost (it was committed), missing (it is committed) or empty.

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
        """The record on one line."""
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
    cells: tuple[Cell, ...] | None
    flags: tuple[Flag, ...]
    strips: tuple[Strip, ...]
    facts: tuple[Fact, ...]
    changed: bool


@dataclass(frozen=True)
class Shot:
    """A message from one lane to another, by position; without a text it only says that both took part."""

    source: int
    target: int
    text: str


@dataclass(frozen=True)
class Row:
    """A step by its number, what it means, and each lane afterwards. Number 0 is the initial state."""

    number: int
    action: str
    arguments: str
    sentence: str
    cards: tuple[Card, ...]
    shot: Shot | None
    losses: tuple[Loss, ...]


@dataclass(frozen=True)
class Scene:
    """The rows of a trace under its lanes.

    `claim` is what the trace shows, `when` after how many steps, and `where` in which one.
    `undrawn` are the variables that the drawing leaves out, `coloured` is what the colour of a cell says, and `limits`
    are the constants that clocks are held against.
    """

    claim: str
    when: str
    where: str
    model: str
    constants: str
    verdict: str
    broken: bool
    lanes: tuple[str, ...]
    rows: tuple[Row, ...]
    undrawn: tuple[str, ...]
    coloured: str
    limits: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What the trace shows, and after how many steps."""
        return f"{self.claim} {self.when}".rstrip()

    @property
    def promise(self) -> str:
        """The sentence of the property, said to be no more than promised where it is broken."""
        return f"Promised: {self.verdict}" if self.broken else self.verdict

    @property
    def sign(self) -> str:
        """What stands before a verdict."""
        return "✗" if self.broken else "✓"

    @property
    def ending(self) -> str:
        """What the trace shows, and in which step."""
        return f"{self.claim} {self.where}".rstrip() + "."

    def is_whole(self, row: Row) -> bool:
        """Whether all lanes of a row are drawn, and not only those that it changes: the first and the last."""
        return row in (self.rows[0], self.rows[-1])

    @property
    def explanation(self) -> tuple[str, ...]:
        """What the last state has lost, a sentence each."""
        return tuple(explained(loss) for loss in self.rows[-1].losses) if self.broken else ()


def explained(loss: Loss) -> str:
    """A loss as a sentence."""
    commit = loss.commit
    record = commit.record[:1].upper() + commit.record[1:]
    where = f"{'gone from' if loss.had_it else 'not on'} {loss.lane}{', which may be elected next' * loss.electable}"
    when = f"in step {commit.step}" if commit.step else "at the start"
    return f"{record} (offset {commit.offset}), committed by {commit.lane} {when}, is {where}."


def scene(trace: Trace) -> Scene:
    """What there is to see in a trace, drawn as its model says, or else as its values suggest."""
    return Painter(trace).scene()


class Painter:
    """Goes through the states of one trace in order, and remembers what was committed."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        first = trace.steps[0]
        self.drawing: Drawing = trace.drawing or guess(first.state)
        self.by_kind: dict[Any, list[Any]] = {}
        self.lanes = tuple(dict.fromkeys(self._lanes(first)))
        self.still = {w.variable for w in self._words(Note) if w.limit and self._never_moves(w)}
        self.committed = Committed()
        self.looks: dict[int, Cell] = {}  # by offset: the record committed there as it stood then
        self.known_losses: frozenset[Loss] = frozenset()

    def fork(self) -> "Painter":
        """A painter that goes on from here by itself."""
        other = copy(self)
        other.committed, other.looks = self.committed.fork(), dict(self.looks)
        return other

    def _lanes(self, first: TraceStep) -> Iterator[str]:
        for word in self._words(Lane):
            yield from (shown(key) for key, _ in _entries(_value(first, word.each))) if word.each else (word.name,)

    def _never_moves(self, clock: Note) -> bool:
        """Whether a clock stands still throughout: this model does not keep it."""
        first, *rest = self.trace.steps
        return bool(rest) and all(_value(step, clock.variable) == _value(first, clock.variable) for step in rest)

    def _words(self, kind: Any) -> list[Any]:
        if kind not in self.by_kind:
            self.by_kind[kind] = [word for word in self.drawing.words if isinstance(word, kind)]
        return self.by_kind[kind]

    def scene(self) -> Scene:
        trace = self.trace
        drawn = set(self.drawing.names())
        return Scene(
            claim=f"{trace.name} {trace.verb}",
            when=trace.when,
            where=trace.where,
            model=trace.model,
            constants="  ".join(chosen(trace.constants)),
            verdict=" ".join(trace.sentence.split("\n\n")[0].split()),
            broken=trace.kind != "reachable",
            lanes=self.lanes,
            rows=tuple(self._rows()),
            undrawn=tuple(n for n in trace.steps[0].state if n not in drawn),
            coloured=next((word.colour for word in self._words(Cells) if word.colour), ""),
            limits=tuple(dict.fromkeys(word.limit for word in self._words(Note) if word.limit in trace.constants)),
        )

    def _rows(self) -> Iterator[Row]:
        before: TraceStep | None = None
        for step in self.trace.steps:
            yield self.row(step, before)
            before = step

    def row(self, step: TraceStep, before: TraceStep | None) -> Row:
        """The next state, and how it came about from the one before."""
        losses = self.committed.follow(self._logs(step))
        for offset in self.committed.commits.keys() - self.looks.keys():
            log = self._log(self.committed.commits[offset].lane, step) or []
            self.looks[offset] = _cell(*log[offset], offset, ())
        row = Row(
            self.committed.step,
            step.action.replace("_", " ") if step.action else self.trace.beginning,
            ", ".join(f"{n}={shown(v)}" for n, v in step.arguments.items()),
            self.trace.actions.get(step.action, ""),
            tuple(self._card(lane, step, before, losses) for lane in self.lanes),
            self._shot(step, before or step),
            losses,
        )
        self.known_losses = frozenset(losses)
        return row

    # What is committed

    def _logs(self, step: TraceStep) -> LogView:
        logs = {lane: self._records(lane, step) for lane in self.lanes}
        commits = [mark for mark in self._words(Mark) if mark.commits]
        leaders = [lane for lane in self.lanes if self._leads(lane, step)]
        marks = {
            lane: offset for lane in leaders for mark in commits if isinstance(offset := _at(mark, lane, step), int)
        }
        ribbons = self._words(Ribbon)
        trusted = tuple((lane, m) for lane in leaders for r in ribbons for m in _members(_at(r, lane, step)))
        electable = (m for r in ribbons if r.electable for lane in self.lanes for m in _members(_at(r, lane, step)))
        return LogView({k: v for k, v in logs.items() if v is not None}, marks, trusted, frozenset(electable))

    def _leads(self, lane: str, step: TraceStep) -> bool:
        return any(
            lane == crown.on if crown.on else shown(_at(crown, lane, step)) == lane for crown in self._words(Crown)
        )

    def _records(self, lane: str, step: TraceStep) -> tuple[str, ...] | None:
        """The records of a lane's log as text, or None if it has no log."""
        found = self._log(lane, step)
        return None if found is None else tuple(_named(word, entry, o) for o, (word, entry) in enumerate(found))

    def _log(self, lane: str, step: TraceStep) -> list[tuple[Cells, Value]] | None:
        for word in self._words(Cells):
            value = _at(word, lane, step)
            if isinstance(value, list):
                return [(word, entry) for entry in value]
            if isinstance(value, int):
                return [(word, None)] * min(value, _MOST_CELLS)
        return None

    # Cards

    def _card(self, lane: str, step: TraceStep, before: TraceStep | None, losses: tuple[Loss, ...]) -> Card:
        old = before or step
        cells = self._cells(lane, step, old, [loss for loss in losses if loss.lane == lane])
        flags = tuple(self._flags(lane, step, old)) if cells is not None else ()
        strips = tuple(
            _strip(word.name, _at(word, lane, old), _at(word, lane, step))
            for word in self._words(Ribbon)
            if _at(word, lane, step) is not None
        )
        facts = tuple(fact for word in self._words(Note) for fact in self._facts(word, lane, step, old))
        leads = self._leads(lane, step)
        changed = (
            before is None
            or leads != self._leads(lane, old)
            or self._records(lane, step) != self._records(lane, old)
            or any(flag.changed for flag in flags)
            or any(strip.changed for strip in strips)
            or any(fact.before for fact in facts)
            or any(loss.lane == lane and loss not in self.known_losses for loss in losses)
        )
        return Card(leads, cells, flags, strips, facts, changed)

    def _cells(self, lane: str, step: TraceStep, before: TraceStep, losses: list[Loss]) -> tuple[Cell, ...] | None:
        log, old = self._log(lane, step), self._records(lane, before) or ()
        if log is None:
            return None
        lost = {loss.commit.offset: loss for loss in losses}
        found = []
        for offset in range(max([len(log), *(o + 1 for o in lost)])):
            cell = _cell(*log[offset], offset, old) if offset < len(log) else Cell("", "", "", "empty")
            if offset in lost:
                wanted = self.looks[offset]
                state = "lost" if lost[offset].had_it else "missing"
                cell = Cell(wanted.label, wanted.colour, wanted.under, state, cell.text)
            found.append(cell)
        return tuple(found)

    def _flags(self, lane: str, step: TraceStep, before: TraceStep) -> Iterator[Flag]:
        for mark in self._words(Mark):
            offset = _at(mark, lane, step)
            if isinstance(offset, int):
                yield Flag(mark.name, offset, offset != _at(mark, lane, before))
        end, old = self._records(lane, step) or (), self._records(lane, before) or ()
        yield Flag("LEO", len(end), len(end) != len(old))

    def _facts(self, word: Note, lane: str, step: TraceStep, before: TraceStep) -> Iterator[Fact]:
        phrases = [phrase for phrase in self._words(Phrase) if phrase.variable == word.variable]
        value, old = (said(_at(word, lane, one), phrases) for one in (step, before))
        if word.variable in self.still or (value is None and not _is_placed(word, lane, step)):
            return
        of = word.limit in self.trace.constants and value is not None
        limit = f" of {shown(self.trace.constants[word.limit])}" if of else ""
        if isinstance(value, dict | list) and value != old:
            yield from (Fact(path, new, was) for path, was, new in differences(old, value, word.name))
        else:
            share = _share(value, self.trace.constants.get(word.limit))
            yield Fact(word.name, _plain(value) + limit, _plain(old) if value != old else "", share)

    # Messages

    def _shot(self, step: TraceStep, before: TraceStep) -> Shot | None:
        for word in self._words(Arrow):
            if word.action == step.action:
                source, target = (self._end(end, step) for end in (word.source, word.target))
                if source is not None and target is not None and source != target:
                    return Shot(source, target, filled(word.text, step, before, self._words(Phrase)))
        if self.trace.drawing is None:
            ends = [self.lanes.index(a) for a in step.arguments.values() if isinstance(a, str) and a in self.lanes]
            return Shot(ends[0], ends[1], "") if len(set(ends[:2])) == 2 else None
        return None

    def _end(self, end: str, step: TraceStep) -> int | None:
        lane = shown(step.arguments[end]) if end in step.arguments else end
        return self.lanes.index(lane) if lane in self.lanes else None


_MOST_CELLS = 100  # of a log that is only a number


def _value(step: TraceStep, path: str) -> Value:
    """A variable, a field of one, or what was asked of the state; None if there is nothing by that name."""
    name, *fields = path.split(".")
    value = step.state.get(name, step.seen.get(name))
    for field in fields:
        value = value.get("fields", {}).get(field) if isinstance(value, dict) else None
    return value


def _entries(value: Value) -> list[tuple[Value, Value]]:
    return value.get("map", []) if isinstance(value, dict) else []


def _at(word: W, lane: str, step: TraceStep) -> Value:
    """What a word's variable is in a lane; None where it has nothing to say."""
    if word.on:
        return _value(step, word.variable) if word.on == lane else None
    return next((v for k, v in _entries(_value(step, word.variable)) if shown(k) == lane), None)


def _is_placed(word: Note, lane: str, step: TraceStep) -> bool:
    return word.on == lane if word.on else any(shown(k) == lane for k, _ in _entries(_value(step, word.variable)))


def _members(value: Value) -> list[str]:
    return [shown(v) for v in value["set"]] if isinstance(value, dict) and "set" in value else []


def _strip(name: str, before: Value, after: Value) -> Strip:
    old, new = _members(before), _members(after)
    kept = [(m, "kept" if m in old else "added") for m in new]
    return Strip(name, tuple(sorted(kept + [(m, "dropped") for m in old if m not in new])))


def _named(word: Cells, entry: Value, offset: int) -> str:
    """A record in a sentence."""
    if entry is None:
        return f"record {offset}"
    label, colour = _label(word, entry, offset), _colour(word, entry)
    return f"record {label} of {word.colour} {colour}" if colour else f"record {label}"


def _cell(word: Cells, entry: Value, offset: int, old: tuple[str, ...]) -> Cell:
    same = offset < len(old) and old[offset] == _named(word, entry, offset)
    colour = _colour(word, entry)
    under = f"{word.colour[0]}{colour}" if colour else ""
    return Cell(_label(word, entry, offset), colour, under, "kept" if same else "new")


def _label(word: Cells, entry: Value, offset: int) -> str:
    fields = entry.get("fields", {}) if isinstance(entry, dict) else {}
    if entry is None or (word.colour and not fields):
        return str(offset)
    return shown(fields[word.label]) if word.label in fields else shown(entry)


def _colour(word: Cells, entry: Value) -> str:
    fields = entry.get("fields", {}) if isinstance(entry, dict) else {}
    if fields:
        return shown(fields[word.colour]) if word.colour in fields else ""
    return shown(entry) if word.colour and entry is not None else ""


def _share(value: Value, limit: Value) -> float | None:
    return value / limit if isinstance(value, int) and isinstance(limit, int) and limit else None


def _plain(value: Value) -> str:
    return "none" if value is None else shown(value)
