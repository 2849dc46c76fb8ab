"""When a search ends early: enough is decided, a limit is reached, or somebody asks for it."""

import time
from collections.abc import Callable, Collection, Mapping

from isrcheck.budget import current, resident_bytes
from isrcheck.engines.contract import Progress, Request
from isrcheck.engines.interrupt import StopRequest
from isrcheck.errors import counted
from isrcheck.ir.property_kinds import DEADLOCK, PropertyKind

_PROGRESS_SECONDS = 0.1
_MEMORY_SECONDS = 0.02  # between two looks at the resident memory, which take 10 microseconds each


class Stopped(Exception):
    """A search ends before every state was expanded; the text says why, as a phrase: "after 1,000 states"."""


class StopPolicy:
    """Who decides when the search of one request ends, wherever it runs. `kinds` has the kind of each property."""

    def __init__(self, request: Request, kinds: Mapping[str, PropertyKind], began: float | None = None) -> None:
        self._request, self._kinds = request, kinds
        self.stop_request = StopRequest()
        self.began = time.perf_counter() if began is None else began
        self._memory_next, self._progress_next = 0.0, self.began + _PROGRESS_SECONDS

    @property
    def interrupted(self) -> bool:
        """Whether the user asked for an end."""
        return self.stop_request.requested

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return time.perf_counter() - self.began

    def after_level(self, decided: Collection[str], distinct: int, levels: int) -> None:
        """Raises Stopped after a complete level if the properties decided are enough, or a limit is reached."""
        limits = self._request.limits
        if len(decided) == len(self._request.properties) + self._request.deadlock > 0:
            raise Stopped("when every property was decided")
        if self._request.stop_at_first and any(map(self._is_violation, decided)):
            raise Stopped("at the first violation")
        if limits.states is not None and distinct >= limits.states:
            raise Stopped(f"after {counted(distinct, 'state')}")
        if limits.depth is not None and levels >= limits.depth:
            raise Stopped(f"after {counted(levels, 'level')}")

    def _is_violation(self, name: str) -> bool:
        return self._kinds.get(name, DEADLOCK).is_violation

    def check(self, distinct: int, progress: Callable[[], Progress]) -> None:
        """Raises Stopped if the user, the clock or the memory ends the search; shows progress now and then."""
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
            raise Stopped(f"at the memory limit, after {counted(distinct, 'state')}")
        reason = current().reason()
        if reason is not None:
            raise Stopped(reason)

    def check_interrupt(self) -> None:
        """Raises Stopped if the user asked for an end."""
        if self.interrupted:
            raise Stopped("by the user")
