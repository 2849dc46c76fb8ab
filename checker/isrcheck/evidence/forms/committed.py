"""The records that a trace has committed, and who has lost one or may be elected without it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Record = str  # as people write it
_IT = r" it\b"


@dataclass(frozen=True)
class Commit:
    """A record, and what committed it."""

    record: Record
    offset: int
    lane: str
    step: int  # 0 is the beginning


@dataclass(frozen=True)
class Loss:
    """A committed record that is missing where it was, in its leader's ISR, or on whoever may be elected next."""

    commit: Commit
    lane: str
    electable: bool
    leads: bool  # and so the record is lost


@dataclass(frozen=True)
class LossSentence:
    """The sentence about a record that is missing: where, who was told that it is safe, and who still has it."""

    records: tuple[Record, ...]
    said: str  # of the records
    lost: str  # how, if it is, up to the records: "lost: r1 leads without", "lost: no log has"

    def __str__(self) -> str:
        return self.said


@dataclass(frozen=True)
class LogView:
    """The logs of a state by lane, and the leaders' marks below which all is committed.

    `trusted` are pairs of a leader and a member of its ISR; `elected` lead, and are known to do so rightly. `receipts`
    are how, at which offset and for which record somebody was told that it is safe: None where marks alone say so.
    """

    logs: dict[str, tuple[Record, ...]]
    marks: dict[str, int]
    trusted: tuple[tuple[str, str], ...]
    electable: frozenset[str]
    elected: frozenset[str] = frozenset()
    receipts: tuple[tuple[str, int, Record], ...] | None = None
    states: dict[str, str] = field(default_factory=dict)  # of a lane, such as "down"
    cause: str = ""  # the step that led there


@dataclass
class Committed:
    """The records committed so far, by marks the first at each offset, and who held them."""

    commits: dict[tuple[int, Record], Commit] = field(default_factory=dict)
    holders: set[tuple[str, Commit]] = field(default_factory=set)  # lanes and commits that they held
    views: list[LogView] = field(default_factory=list)  # of all states so far
    receipts: dict[tuple[str, Record], int] = field(default_factory=dict)  # the step of each
    never: str = "never had it"  # of a lane that no state shows with a record

    def fork(self) -> "Committed":
        return Committed(dict(self.commits), set(self.holders), list(self.views), dict(self.receipts), self.never)

    @property
    def step(self) -> int:
        """The number of the last state."""
        return len(self.views) - 1

    def follow(self, view: LogView) -> tuple[Loss, ...]:
        """Takes in the next state; who lacks what there, by lane and offset."""
        self.views.append(view)
        for how, offset, record in view.receipts or ():
            self.receipts.setdefault((how, record), self.step)
            if lanes := [lane for lane, log in view.logs.items() if record in log[offset : offset + 1]]:
                lane = max(lanes, key=lambda lane: view.marks.get(lane, 0))
                self.commits.setdefault((offset, record), Commit(record, offset, lane, self.step))
        first = dict(reversed(self.commits))
        for lane, mark in view.marks.items() if view.receipts is None else ():
            for offset, record in enumerate(view.logs.get(lane, ())[:mark]):
                key = offset, first.setdefault(offset, record)
                self.commits.setdefault(key, Commit(record, offset, lane, self.step))
        self.holders |= {(lane, c) for lane, log in view.logs.items() for c in self.commits.values() if _has(log, c)}
        return tuple(sorted(self._losses(view), key=lambda loss: (loss.lane, loss.commit.offset)))

    def explain(self, losses: tuple[Loss, ...], view: LogView) -> Iterator[LossSentence]:
        """Say of records that are missing where, and what was said of them before; `losses` are those of `view`."""
        alike: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[Record]] = {}
        for commit in dict.fromkeys(loss.commit for loss in losses):
            of_it = [loss for loss in losses if loss.commit == commit]
            key = self._origin(commit), self._end(of_it, view), tuple(self._causes(of_it))
            alike.setdefault(key, []).append(commit.record)
        for (origin, end, causes), records in alike.items():
            named = list_records(records)
            verb, it = ("is", " it") if len(records) == 1 else ("are", " them")
            said = f"{named[:1].upper()}{named[1:]}{origin}, {verb} {re.sub(_IT, it, end)}."
            lost = re.sub(f"{_IT}.*", "", end) if end.startswith("lost") else ""
            yield LossSentence(tuple(records), said, lost)
            for short, cause in causes:
                yield LossSentence((), f"{re.sub(_IT, it, short)}{cause}.", lost)

    def _causes(self, of_it: list[Loss]) -> Iterator[tuple[str, str]]:
        """Say how each lane came to lack a record, and since when it may be elected, with the steps that did it."""
        for lane, commit in ((loss.lane, loss.commit) for loss in of_it):
            at_offset = [view.logs.get(lane, ())[commit.offset : commit.offset + 1] for view in self.views]
            gone = _end_of([record == (commit.record,) for record in at_offset])
            since = _end_of([lane not in view.electable for view in self.views])
            if gone:
                verb = "had lost it before," if gone < commit.step else "lost it"
                yield f"{lane} {verb} in step {gone}", self._cause_of(gone)
                if gone < commit.step and (commit.lane, lane) in self.views[commit.step].trusted:
                    yield f"{commit.lane} committed it in step {commit.step} all the same, with {lane} in its ISR", ""
            elif other := at_offset[-1]:
                begun = _end_of([record != other for record in at_offset])
                yield f"{lane} {self.never}: {other[0]} is at its offset since step {begun}", self._cause_of(begun)
            else:
                yield f"{lane} {self.never}", ""
            if max(gone, commit.step) < since <= self.step:
                yield f"{lane} may be elected since step {since}", self._cause_of(since)

    def _cause_of(self, number: int) -> str:
        return f": {self.views[number].cause}" if number else ""

    def _end(self, of_it: list[Loss], view: LogView) -> str:
        """Say who lacks a record, and who has it."""
        holders = [lane for lane, log in view.logs.items() if _has(log, of_it[0].commit)]
        leading = " and ".join(loss.lane for loss in of_it if loss.leads)
        named = [f"{lane} ({view.states[lane]})" if view.states.get(lane) else lane for lane in holders]
        rest = f"{' and '.join(named)} still {'has' if len(named) == 1 else 'have'} it" if named else "no log has it"
        if leading or not holders:
            return f"lost: {leading} leads without it; {rest}" if leading else f"lost: {rest}"
        lanes = (f"{loss.lane}{', which may be elected next' * loss.electable}" for loss in of_it)
        return f"missing on {', and on '.join(lanes)}; {rest}"

    def _origin(self, commit: Commit) -> str:
        receipts = {how: step for (how, record), step in self.receipts.items() if record == commit.record}
        if not receipts:
            when = f"in step {commit.step}" if commit.step else "at the start"
            return f" (offset {commit.offset}), committed by {commit.lane} {when}"
        steps = {
            step: " and ".join(how for how, other in receipts.items() if other == step) for step in receipts.values()
        }
        return ", " + " and ".join(f"{how} in step {step}" if step else how for step, how in steps.items())

    def _losses(self, view: LogView) -> Iterator[Loss]:
        for lane, log in view.logs.items():
            for commit in self.commits.values():
                had_it = (lane, commit) in self.holders
                due = had_it or lane in view.electable or self._is_trusted(view, lane, commit)
                if due and not _has(log, commit):
                    yield Loss(commit, lane, lane in view.electable, lane in view.elected)

    def _is_trusted(self, view: LogView, lane: str, commit: Commit) -> bool:
        return any(
            commit.offset < view.marks.get(leader, 0) and _has(view.logs[leader], commit)
            for leader, member in view.trusted
            if member == lane
        )


def _has(log: tuple[Record, ...], commit: Commit) -> bool:
    return log[commit.offset : commit.offset + 1] == (commit.record,)


def _end_of(flags: list[bool]) -> int:
    """The number of the first state after the last one with a flag; 0 if none has one."""
    return len(flags) - flags[::-1].index(True) if True in flags else 0


def list_records(records: Sequence[Record]) -> str:
    """Name two records, and of more the first and how many more there are."""
    return " and ".join(records) if len(records) < 3 else f"{records[0]} and {len(records) - 1} more"
