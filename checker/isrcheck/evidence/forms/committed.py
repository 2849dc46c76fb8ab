"""The records that a trace has committed, and who has lost one or may be elected without it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

Record = str  # as people write it


@dataclass(frozen=True)
class Commit:
    """A record, and what committed it."""

    record: Record
    offset: int
    lane: str
    step: int  # 0 is the beginning


@dataclass(frozen=True)
class Loss:
    """A committed record that is missing where it was, in its leader's ISR, or on whoever may be elected next.

    It is lost once such a lane leads.
    """

    commit: Commit
    lane: str
    electable: bool
    leads: bool

    def __str__(self) -> str:
        commit = self.commit
        record = commit.record[:1].upper() + commit.record[1:]
        when = f"in step {commit.step}" if commit.step else "at the start"
        end = f"missing on {self.lane}{', which may be elected next' * self.electable}"
        if self.leads:
            end = f"lost: {self.lane} leads without it"
        return f"{record} (offset {commit.offset}), committed by {commit.lane} {when}, is {end}."


@dataclass(frozen=True)
class LogView:
    """The logs of a state by lane, and the leaders' marks below which all is committed.

    `trusted` are pairs of a leader and a member of its ISR; `elected` lead, and are known to do so rightly.
    """

    logs: dict[str, tuple[Record, ...]]
    marks: dict[str, int]
    trusted: tuple[tuple[str, str], ...]
    electable: frozenset[str]
    elected: frozenset[str] = frozenset()


@dataclass
class Committed:
    """The records committed so far: the first commit at each offset, and who held it."""

    commits: dict[int, Commit] = field(default_factory=dict)
    holders: set[tuple[str, int]] = field(default_factory=set)  # lanes and offsets of commits that they held
    step: int = -1  # of the last state

    def fork(self) -> "Committed":
        return Committed(dict(self.commits), set(self.holders), self.step)

    def follow(self, view: LogView) -> tuple[Loss, ...]:
        """Takes in the next state; who lacks what there, by lane and offset."""
        self.step += 1
        for lane, mark in view.marks.items():
            for offset, record in enumerate(view.logs.get(lane, ())[:mark]):
                self.commits.setdefault(offset, Commit(record, offset, lane, self.step))
        losses = {(loss.lane, loss.commit.offset): loss for loss in self._losses(view)}
        self.holders |= {(lane, o) for lane, log in view.logs.items() for o in self.commits if self._has(log, o)}
        return tuple(losses[key] for key in sorted(losses))

    def _has(self, log: tuple[Record, ...], offset: int) -> bool:
        return offset < len(log) and log[offset] == self.commits[offset].record

    def _losses(self, view: LogView) -> Iterator[Loss]:
        for lane, log in view.logs.items():
            for commit in self.commits.values():
                had_it = (lane, commit.offset) in self.holders
                due = had_it or lane in view.electable or self._is_trusted(view, lane, commit)
                if due and not self._has(log, commit.offset):
                    yield Loss(commit, lane, lane in view.electable, lane in view.elected)

    def _is_trusted(self, view: LogView, lane: str, commit: Commit) -> bool:
        return any(
            commit.offset < view.marks.get(leader, 0) and self._has(view.logs[leader], commit.offset)
            for leader, member in view.trusted
            if member == lane
        )
