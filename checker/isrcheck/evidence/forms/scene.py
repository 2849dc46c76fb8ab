"""A trace before it has a format."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

from isrcheck.evidence.forms.committed import Commit, Committed, LogView, Loss, LossSentence, list_records
from isrcheck.evidence.forms.guess import guess
from isrcheck.evidence.forms.messages import Arrivals, arrivals, end_of, guess_arrow, is_empty, step_of_sending
from isrcheck.evidence.forms.row import (
    Card,
    Fact,
    Flag,
    LogCell,
    MessageArrow,
    SceneRow,
    StoryMark,
    cell_of,
    strip_of,
)
from isrcheck.ir.frozen import replace
from isrcheck.lang.drawing import Arrow, Badge, Cells, Crown, Drawing, Lane, Mark, Note, Phrase, Receipt, Ribbon
from isrcheck.run.trace import INDUCTION, RUN, Trace, TraceStep, Value, constant_options, differences, show_encoded
from isrcheck.run.wording import (
    at_lane,
    badges_of,
    blame_of,
    cause_of,
    entries_of,
    fill_template,
    is_placed,
    members_of,
    plain_value,
    put_phrases,
    receipts_of,
    record_name,
    sentence_of,
    share_of,
    value_of,
)
from isrcheck.wrap import first_paragraph

LOG_LINES, INFERRED = "told_by", "nobody: inferred"  # beside a state: the lines that told of its step
FOLLOWS = "What can follow (not a part of the counterexample):"
_MOST_CELLS = 100  # of a log as a number


@dataclass(frozen=True)
class Scene:
    """The rows of a trace under its lanes.

    `shows` is what the trace shows. `limits` are the constants that clocks are compared with; `follows` are steps that
    can come next, and no part of the trace.
    """

    trace: Trace
    lanes: tuple[str, ...]
    rows: tuple[SceneRow, ...]
    shows: str = ""
    broken: bool = False
    undrawn: tuple[str, ...] = ()
    coloured: str = ""
    limits: tuple[str, ...] = ()
    blamed: str = ""
    follows: tuple[SceneRow, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.shows} {self.trace.when}".rstrip()

    @property
    def heading(self) -> str:
        return f"{self.trace.model}: {self.title}"

    @property
    def constants(self) -> str:
        """The constants that are not at their default."""
        return "  ".join(constant_options(self.trace.chosen))

    @property
    def verdict(self) -> str:
        return first_paragraph(self.trace.sentence)

    @property
    def all_rows(self) -> tuple[SceneRow, ...]:
        return (*self.rows, *self.follows)

    @property
    def statement(self) -> str:
        return f"Property: {self.verdict}" if self.broken and self.trace.kind != RUN else self.verdict

    @property
    def ending(self) -> str:
        return f"{self.shows} {self.trace.where}".rstrip() + "."

    @property
    def is_story(self) -> bool:
        """Whether every step is told in a sentence, from the initial state on."""
        return _begins(self.trace) and len(self.rows) > 1 and all(row.story for row in self.rows[1:])

    def is_forever(self, row: SceneRow) -> bool:
        """Whether the step of a row is in the cycle of a trace without end."""
        return self.trace.loop is not None and row.number > self.trace.loop

    def begins_cycle(self, row: SceneRow) -> bool:
        return self.trace.loop is not None and row.number == self.trace.loop + 1

    @property
    def closing(self) -> str:
        """The line after the last row of a behaviour without end; else empty."""
        again = f"and again from step {(self.trace.loop or 0) + 1}"
        return again if self.is_forever(self.rows[-1]) else self.trace.forever

    def bracket(self, row: SceneRow) -> str:
        """The mark before a row's number that shows the cycle."""
        if not self.is_forever(row):
            return ""
        return "┌ " if self.begins_cycle(row) else "└ " if row is self.rows[-1] else "│ "

    @property
    def sign(self) -> str:
        return "✗" if self.broken else "✓"

    @property
    def explanation(self) -> tuple[str, ...]:
        losses = map(str, self.rows[-1].losses) if self.broken else ()
        return (*([self.blamed] if self.blamed else ()), *losses)

    @property
    def consequence(self) -> tuple[str, ...]:
        return tuple(str(loss) for loss in self.follows[-1].losses if loss.lost) if self.follows else ()


def _begins(trace: Trace) -> bool:
    """Whether a trace begins in an initial state, and nothing was left out."""
    return trace.kind != INDUCTION and not trace.omitted


def scene(trace: Trace) -> Scene:
    return Painter(trace).scene()


class Painter:
    """The maker of a trace's rows, in order, who remembers what was committed so far."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        first = trace.steps[0]
        given = trace.drawing.words if trace.drawing else ()
        self.is_guessed = not any(isinstance(mark, Lane) for mark in given)
        self.drawing = Drawing(*guess(first.state).words, *given) if self.is_guessed else Drawing(*given)
        self.words: defaultdict[type, list[Any]] = defaultdict(list)
        for mark in self.drawing.words:
            self.words[type(mark)].append(mark)
        self.lanes = tuple(dict.fromkeys(self._lanes(first)))
        self.still = {w.variable for w in self.words[Note] if w.limit and self._never_moves(w)}
        self.committed = Committed(never="never had it" if _begins(trace) else "has it in none of these states")
        self.looks: dict[tuple[int, str], LogCell] = {}  # by offset and record: as it stood when it was committed
        self.known_losses: frozenset[Loss] = frozenset()
        self.lost: set[str] = set()
        self.last: TraceStep | None = None
        self.arrived: dict[str, Arrivals] = {}  # by the variable in which messages wait
        self.boxes = {arrow.sent.partition("[")[0] for arrow in self.words[Arrow] if arrow.sent}
        if self.is_guessed:  # only a network has no keys at first, and channels have nothing under theirs
            self.boxes = {name for name, value in first.state.items() if is_empty(value)}

    def fork(self) -> "Painter":
        other = copy(self)
        other.committed = self.committed.fork()
        other.looks, other.arrived = dict(self.looks), dict(self.arrived)
        return other

    def _lanes(self, first: TraceStep) -> Iterator[str]:
        for lane in self.words[Lane]:
            yield from (
                (show_encoded(key) for key, _ in entries_of(value_of(first, lane.each))) if lane.each else (lane.name,)
            )

    def _never_moves(self, clock: Note) -> bool:
        """Whether a clock has one value in all states of the trace."""
        first, *rest = self.trace.steps
        return bool(rest) and all(value_of(step, clock.variable) == value_of(first, clock.variable) for step in rest)

    def scene(self) -> Scene:
        trace, is_violation = self.trace, self.trace.kind.is_violation
        drawn = {*self.drawing.names(), LOG_LINES}
        *rows, last = self._rows(trace.steps)
        lane, blamed, since = blame_of(self.drawing.words, trace, self.lanes) if is_violation else ("", "", "")
        if is_violation and not lane and trace.witness and not self.known_losses:
            blamed = f"False for {', '.join(f'{n}={show_encoded(v)}' for n, v in trace.witness.items())}"
        cards = (replace(c, blame=blamed) if n == lane else c for n, c in zip(self.lanes, last.cards, strict=True))
        is_lost = trace.kind == RUN and any(loss.lost for loss in last.losses)
        return Scene(
            trace=trace,
            shows="a record is lost in a run" if is_lost else f"{trace.name} {trace.verb}".lstrip(),
            broken=is_violation or is_lost,
            lanes=self.lanes,
            rows=(*rows, replace(last, cards=tuple(cards))),
            undrawn=tuple(n for n in trace.steps[0].state if n not in drawn),
            coloured=next((log.colour for log in self.words[Cells] if log.colour), ""),
            limits=tuple(dict.fromkeys(note.limit for note in self.words[Note] if note.limit in trace.constants)),
            blamed=blamed and f"{blamed}.{since}",
            follows=tuple(self._rows(trace.follows)),
        )

    def _rows(self, steps: Iterable[TraceStep]) -> list[SceneRow]:
        return [self.row(step, self.last) for step in steps]

    def row(self, step: TraceStep, before: TraceStep | None) -> SceneRow:
        cause = cause_of(self.drawing.words, step, before) if before and step.action else ""
        view, earlier = replace(self._logs(step), cause=cause), len(self.committed.receipts or self.committed.commits)
        losses = self.committed.follow(view)
        explained = tuple(self.committed.explain(losses, view))
        for offset, record in self.committed.commits.keys() - self.looks.keys():
            log = self._log(self.committed.commits[offset, record].lane, step) or []
            self.looks[offset, record] = cell_of(*log[offset], offset, ())
        row = SceneRow(
            number=self.committed.step,
            action=step.action.replace("_", " ") if step.action else self.trace.beginning,
            arguments=", ".join(f"{n}={show_encoded(v)}" for n, v in step.arguments.items()),
            sentence=self._sentence(step),
            cards=tuple(self._card(lane, step, before, losses) for lane in self.lanes),
            shot=self._arrow_of_step(step, before or step),
            losses=explained,
            story=sentence_of(self.drawing.words, step, before) if before and step.action else "",
            marks=tuple(self._marks(earlier, explained)) if before else (),
            truncation="; ".join(filter(None, (step.truncation, step.renumbered))),
            log_lines=self._log_lines(step),
            is_inferred=step.state.get(LOG_LINES) == INFERRED,
        )
        self.known_losses = frozenset(losses)
        self.lost = {record for loss in explained if loss.lost for record in loss.records}
        for box in self.boxes:
            then = before and value_of(before, box)
            known = self.arrived.get(box)
            self.arrived[box] = arrivals(value_of(step, box), then, known, row.number or None)
        self.last = step
        return row

    def _marks(self, earlier: int, losses: tuple[LossSentence, ...]) -> Iterator[StoryMark]:
        """The marks of a step; the first `earlier` records had theirs before."""
        commits = ((f"committed by {c.lane}", c.record) for c in self.committed.commits.values())
        receipts: dict[str, list[str]] = {}
        for how, record in (*(self.committed.receipts if self.words[Receipt] else commits),)[earlier:]:
            receipts.setdefault(how, []).append(record)
        for how, records in receipts.items():
            yield StoryMark(f"{how}: {list_records(records)}", False)
        for loss in losses:
            if lost := [record for record in loss.records if loss.lost and record not in self.lost]:
                yield StoryMark(f"{loss.lost} {list_records(lost)}", True)

    def _sentence(self, step: TraceStep) -> str:
        sentence = self.trace.actions.get(step.action, "")
        if not step.abstract.get("taken"):
            return sentence
        return f"{sentence} {step.abstract['model']}: {step.abstract['taken']}.".strip()

    def losses(self, step: TraceStep) -> tuple[Loss, ...]:
        return self.committed.follow(self._logs(step))

    def _logs(self, step: TraceStep) -> LogView:
        logs = {lane: self._records(lane, step) for lane in self.lanes}
        commits = [mark for mark in self.words[Mark] if mark.commits]
        leaders = [lane for lane in self.lanes if self._leads(lane, step)]
        marks = {
            lane: offset for lane in leaders for mark in commits if isinstance(offset := at_lane(mark, lane, step), int)
        }
        ribbons = self.words[Ribbon]
        trusted = tuple((lane, m) for lane in leaders for r in ribbons for m in members_of(at_lane(r, lane, step)))
        electable = (
            m for r in ribbons if r.electable for lane in self.lanes for m in members_of(at_lane(r, lane, step))
        )
        on_record = {show_encoded(value_of(step, crown.elected)) for crown in self.words[Crown] if crown.elected}
        known = {k: v for k, v in logs.items() if v is not None}
        receipts = self._receipts(step) if self.words[Receipt] else None
        states = {lane: ", ".join(badges_of(self.drawing.words, lane, step)) for lane in self.lanes}
        elected = frozenset(leaders) & on_record
        return LogView(known, marks, trusted, frozenset(electable), elected, receipts=receipts, states=states)

    def _receipts(self, step: TraceStep) -> tuple[tuple[str, int, str], ...]:
        cells = next(iter(self.words[Cells]), None)
        return tuple((r.name, *named) for r in self.words[Receipt] for named in receipts_of(r, step, cells))

    def _leads(self, lane: str, step: TraceStep) -> bool:
        return any(
            lane == crown.on if crown.on else show_encoded(at_lane(crown, lane, step)) == lane
            for crown in self.words[Crown]
        )

    def _lead(self, lane: str, step: TraceStep) -> str:
        """How a lane leads: rightly, by its own mind, or on record, which it has not read."""
        on_record = [show_encoded(value_of(step, crown.elected)) for crown in self.words[Crown] if crown.elected]
        if self._leads(lane, step):
            return "leads" if not on_record or lane in on_record else "leads by its own mind"
        return "leads on record" if lane in on_record else ""

    def _log_lines(self, step: TraceStep) -> tuple[str, ...]:
        return tuple(str(step.state[LOG_LINES]).split("; ")) if LOG_LINES in step.state and step.action else ()

    def _records(self, lane: str, step: TraceStep) -> tuple[str, ...] | None:
        log = self._log(lane, step)
        return None if log is None else tuple(record_name(cells, record, o) for o, (cells, record) in enumerate(log))

    def _log(self, lane: str, step: TraceStep) -> list[tuple[Cells, Value]] | None:
        for cells in self.words[Cells]:
            value = at_lane(cells, lane, step)
            if isinstance(value, list):
                return [(cells, record) for record in value]
            if isinstance(value, int):
                return [(cells, None)] * min(value, _MOST_CELLS)
        return None

    def _card(self, lane: str, step: TraceStep, before: TraceStep | None, losses: tuple[Loss, ...]) -> Card:
        old = before or step
        gone = {loss.commit for loss in losses if loss.leads}
        cells = self._cells(lane, step, old, {s.commit.offset: s.commit for s in losses if s.lane == lane}, gone)
        flags = tuple(self._flags(lane, step, old)) if cells is not None else ()
        strips = tuple(
            strip_of(ribbon, at_lane(ribbon, lane, old), at_lane(ribbon, lane, step), self.lanes)
            for ribbon in self.words[Ribbon]
            if at_lane(ribbon, lane, step) is not None
        )
        facts = tuple(fact for note in self.words[Note] for fact in self._facts(note, lane, step, old))
        lead, badges = self._lead(lane, step), badges_of(self.drawing.words, lane, step)
        changed = (
            before is None
            or lead != self._lead(lane, old)
            or badges != badges_of(self.drawing.words, lane, old)
            or self._records(lane, step) != self._records(lane, old)
            or any(f.changed for f in flags)
            or any(strip.changed for strip in strips)
            or any(f.before for f in facts)
            or any(loss.lane == lane and loss not in self.known_losses for loss in losses)
        )
        stopped = any(badge.stops and badge.name in badges for badge in self.words[Badge])
        return Card(lead, cells, flags, strips, facts, changed, badges=badges, stopped=stopped)

    def _cells(
        self, lane: str, step: TraceStep, before: TraceStep, missing: dict[int, Commit], gone: set[Commit]
    ) -> tuple[LogCell, ...] | None:
        """The cells of a log. A committed record that is missing is drawn as lost if a leader is without it."""
        log = self._log(lane, step)
        old = self._records(lane, before) or ()
        if log is None:
            return None
        row_of_cells = []
        for offset in range(max([len(log), *(o + 1 for o in missing)])):
            cell = cell_of(*log[offset], offset, old) if offset < len(log) else LogCell("", "", "", "empty")
            if offset in missing:
                wanted = self.looks[offset, missing[offset].record]
                state = "lost" if missing[offset] in gone else "missing"
                cell = LogCell(wanted.label, wanted.colour, wanted.under, state, cell.name)
            row_of_cells.append(cell)
        return tuple(row_of_cells)

    def _flags(self, lane: str, step: TraceStep, before: TraceStep) -> Iterator[Flag]:
        for mark in self.words[Mark]:
            offset = at_lane(mark, lane, step)
            if isinstance(offset, int):
                yield Flag(mark.name, offset, offset != at_lane(mark, lane, before))
        end, old = self._records(lane, step) or (), self._records(lane, before) or ()
        yield Flag("LEO", len(end), len(end) != len(old))

    def _facts(self, note: Note, lane: str, step: TraceStep, before: TraceStep) -> Iterator[Fact]:
        phrases = [phrase for phrase in self.words[Phrase] if phrase.variable == note.variable]
        value, old = (put_phrases(at_lane(note, lane, one), phrases) for one in (step, before))
        if note.variable in self.still or (value is None and not is_placed(note, lane, step)):
            return
        of = note.limit in self.trace.constants and value is not None
        limit = f" of {show_encoded(self.trace.constants[note.limit])}" if of else ""
        if isinstance(value, dict | list) and value != old:
            yield from (Fact(path, new, was) for path, was, new in differences(old, value, note.name))
        else:
            share = share_of(value, self.trace.constants.get(note.limit))
            yield Fact(note.name, plain_value(value) + limit, plain_value(old) if value != old else "", share)

    def _arrow_of_step(self, step: TraceStep, before: TraceStep) -> MessageArrow | None:
        for arrow in self.words[Arrow]:
            if arrow.action == step.action:
                source, target = (end_of(self.lanes, end, step) for end in (arrow.source, arrow.target))
                if source is not None and target is not None and source != target:
                    label = fill_template(arrow.caption, step, before, self.words[Phrase])
                    sent = step_of_sending(arrow.sent, step.arguments, self.arrived) if arrow.sent else None
                    return MessageArrow(source, target, label, sent, leaves=arrow.leaves, lost=arrow.lost)
        return guess_arrow(self.lanes, self.arrived, before, step) if self.is_guessed else None
