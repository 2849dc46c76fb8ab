"""Targets of a search in states and steps, what follows from reaching them, and when a search ends early."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import inf

from isrcheck.engines.contract import DEADLOCK, FoundFault, Path, Progress, Request
from isrcheck.errors import quantity
from isrcheck.ir.property_kinds import DEADLOCK as DEADLOCK_KIND
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.process.budget import SHARE_FOR_TRACES, current, resident_bytes, seconds_beyond
from isrcheck.process.interrupt import StopRequest

AT_FIRST = "at the first violation"
_PROGRESS_SECONDS = 0.1
_MEMORY_SECONDS = 0.02  # between two looks at the resident memory, which take 10 microseconds each


SECONDS_AFTER_SIGNAL = 0.4  # in which an interrupted search finds traces, at most: the command ends within one


class Stopped(Exception):
    """A search ends before every state was expanded; the text says why, as a phrase: "after 1,000 states"."""


class NoRoom(Stopped):
    """A search that memory does not hold."""


class NothingLeft(Stopped):
    """A search whose further results would change no answer."""


class StopPolicy:
    """The policy that decides when the search of one request ends. `kinds` has each property's kind."""

    def __init__(self, request: Request, kinds: Mapping[str, PropertyKind], began: float | None = None) -> None:
        self._request, self._kinds = request, kinds
        self.stop_request = StopRequest()
        self.began = time.perf_counter() if began is None else began
        self._memory_next, self._progress_next = 0.0, self.began + _PROGRESS_SECONDS

    @property
    def interrupted(self) -> bool:
        return self.stop_request.requested

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def after_level(self, decided: Collection[str], distinct: int, levels: int) -> None:
        """End the search after a complete level if enough is decided, or a limit is reached. Raises Stopped."""
        limits = self._request.limits
        everything = len(self._request.properties) + self._request.deadlock
        if len(decided) == everything > 0 and not self._request.temporal:
            raise NothingLeft("when every property was decided")
        if self._request.stop_at_first and self.is_violation(decided):
            raise NothingLeft(AT_FIRST)
        if limits.states is not None and distinct >= limits.states:
            raise Stopped(f"after {quantity(distinct, 'state')}")
        if limits.depth is not None and levels >= limits.depth:
            raise Stopped(f"after {quantity(levels, 'level')}")

    def is_violation(self, decided: Collection[str]) -> bool:
        return any(self._kinds.get(name, DEADLOCK_KIND).is_violation for name in decided)

    def check(self, distinct: int, progress: Callable[[], Progress]) -> None:
        """End the search if the user, the clock or the memory asks for it; show progress. Raises Stopped."""
        now, limits = time.perf_counter(), self._request.limits
        if now >= self._progress_next:
            self._progress_next = now + _PROGRESS_SECONDS
            try:
                self._request.progress(progress())
            except KeyboardInterrupt:
                self.stop_request.requested = True
        self.check_interrupt()
        if limits.seconds is not None and now - self.began >= limits.seconds:
            raise Stopped(f"after {limits.seconds:g} seconds")
        if now < self._memory_next:
            return
        self._memory_next = now + _MEMORY_SECONDS
        if limits.memory is not None and resident_bytes() >= limits.memory:
            raise NoRoom("at the memory limit" + (f", after {quantity(distinct, 'state')}" if distinct else ""))
        reason = current().reason()
        if reason is not None:
            raise Stopped(reason)

    def check_interrupt(self) -> None:
        if self.interrupted:
            raise Stopped("by the user")

    def limit_for_traces(self) -> Callable[[], None]:
        """Return what a search for traces calls between slices. It raises Stopped when its time is over.

        A signal that comes now ends it at once. One that ended the search leaves it a moment, and so does the clock.
        """
        ends = self._ends_of_traces()
        if not self.interrupted:
            return lambda: self._check_traces(ends)
        return lambda: _check_ends(ends)

    @property
    def seconds_for_traces(self) -> float:
        """The seconds that a search for traces has from now on."""
        return min((end for end, _ in self._ends_of_traces()), default=inf) - time.perf_counter()

    def _ends_of_traces(self) -> list[tuple[float, str]]:
        now, ends = time.perf_counter(), list[tuple[float, str]]()
        seconds, left = self._request.limits.seconds, current().time_for(SHARE_FOR_TRACES)
        if self.interrupted:
            ends.append((now - self.stop_request.seconds_ago + SECONDS_AFTER_SIGNAL, "by the user"))
        if seconds is not None:
            beyond = seconds_beyond(seconds, SHARE_FOR_TRACES)
            ends.append((self.began + seconds + beyond, f"after {seconds:g} seconds"))
        if left is not None:
            ends.append((now + left, f"after {current().seconds:g} seconds"))
        return ends

    def _check_traces(self, ends: Sequence[tuple[float, str]]) -> None:
        self.check_interrupt()
        _check_ends(ends)


def _check_ends(ends: Sequence[tuple[float, str]]) -> None:
    now = time.perf_counter()
    for end, reason in ends:
        if now >= end:
            raise Stopped(reason)


class At(Enum):
    STATE = auto()
    STEP = auto()
    DEADLOCK = auto()  # without steps
    INSTANCE = auto()  # in deciding whether a step can be taken: its own fault


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """A target of a search; `name` is its property's, `fault`: computing it went wrong."""

    kind: At
    name: str
    fault: bool = False

    @property
    def ends_with_step(self) -> bool:
        return self.kind in (At.STEP, At.INSTANCE)

    def fault_after(self, path: Path) -> FoundFault:
        """The error at a path's end."""
        if self.name:
            return FoundFault(path, None, self.name)
        return FoundFault(path[:-1], path[-1], None)


def targets_of(system: ScalarSystem, names: Sequence[str]) -> tuple[SearchTarget, ...]:
    """The targets of these properties, of deadlocks and of faults; those in states come first."""
    targets = []
    for at in (At.STATE, At.STEP):
        chosen = [p for p in system.properties if p.name in names and p.kind.is_of_steps == (at is At.STEP)]
        targets += [SearchTarget(at, p.name) for p in chosen]
        targets += [SearchTarget(at, p.name, fault=True) for p in chosen if any(c.faults for c in p.conditions)]
    targets.append(SearchTarget(At.DEADLOCK, DEADLOCK))
    if any(each.faults for each in system.instances):
        targets.append(SearchTarget(At.INSTANCE, "", fault=True))
    return tuple(targets)


class SeenTargets:
    """The targets seen, each with the level, from 0, in which it was first seen."""

    def __init__(self, targets: Sequence[SearchTarget], request: Request) -> None:
        self._targets, self._request = targets, request
        self.levels: dict[SearchTarget, int] = {}

    def add(self, sightings: Sequence[int], level: int) -> None:
        for target, lanes in zip(self._targets, sightings, strict=True):
            decided = self.levels.get(SearchTarget(target.kind, target.name), level)
            needed = not target.fault or decided >= level  # not what an earlier level decided
            if lanes and needed and target not in self.levels:
                self.levels[target] = level

    @property
    def positions(self) -> list[tuple[int, int]]:
        return [(self._targets.index(target), level) for target, level in self.levels.items()]

    def names_decided(self) -> list[str]:
        """The names of the requested targets that were seen. Raises NothingLeft if the model's text went wrong."""
        if any(target.fault for target in self.levels):
            raise NothingLeft("at an error in the model")
        return [target.name for target in self.levels if self._is_asked(target)]

    def _is_asked(self, target: SearchTarget) -> bool:
        return target.kind is not At.DEADLOCK or self._request.deadlock

    def levels_for_paths(self) -> dict[SearchTarget, int]:
        """The targets whose paths the answer needs: the faults if any, else the requested ones; each with its level."""
        faults = {target: level for target, level in self.levels.items() if target.fault}
        return faults or self.levels_requested()

    def levels_requested(self) -> dict[SearchTarget, int]:
        """The requested targets that were seen, without faults, each with its level."""
        return {t: level for t, level in self.levels.items() if not t.fault and self._is_asked(t)}

    @property
    def first_fault(self) -> int:
        """The level in which it was seen."""
        return min(level for target, level in self.levels.items() if target.fault)

    def by_name(self, paths: Mapping[SearchTarget, Path]) -> dict[str, Path]:
        """The paths by property, in order. Raises FoundFault for the first of shortest faults."""
        faults = [target for target in self._targets if target.fault and target in paths]
        if faults:
            first = min(faults, key=lambda target: (len(paths[target]), paths[target]))
            raise first.fault_after(paths[first])
        return {target.name: paths[target] for target in self._targets if target in paths}
