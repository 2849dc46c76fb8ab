"""A run's seconds and memory. What may take long calls `poll`, which raises `OutOfBudget` at the end."""

import mmap
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from types import FrameType

from isrcheck.process.interrupt import raise_in, shield, withdraw

_LOOK_SECONDS = 0.02  # between two looks at memory, which cost 10 microseconds each
_TELL_SECONDS = 0.1
_ALARM_SECONDS = 0.05
_STATUS = Path("/proc/self/statm")
# Of the time in which a run ends beyond its limit: until its traces are found, and until they are replayed. The rest is
# for showing them, which takes 0.05 seconds of CPU.
SHARE_FOR_TRACES, SHARE_FOR_REPLAYS = 0.4, 0.7
_REPLAY_SECONDS = 0.3  # after a search that the user ended: it had 0.4 to find traces, and the command ends within one

Tell = Callable[[str, float], None]  # hears the phase, and seconds so far


class OutOfBudget(BaseException):
    """A limit that ends the run, with an argument like "after 1 second"; handlers of Exception must not catch it."""


class Budget:
    """The limits of one run, in seconds and bytes, tightened by those of `outer`."""

    def __init__(
        self, seconds: float | None, memory: int | None, tell: Tell | None = None, outer: "Budget | None" = None
    ) -> None:
        self.began = time.monotonic()
        self.seconds = seconds
        self.until = self._end_of_limit = None if seconds is None else self.began + seconds
        self._is_of_user = False  # who ended the run: what is left is to show what it found
        if outer is not None and outer.until is not None and (self.until is None or outer.until < self.until):
            self.seconds, self.until = outer.seconds, outer.until
            self._end_of_limit, self._is_of_user = outer._end_of_limit, outer._is_of_user
        memories = (memory, None if outer is None else outer.memory)
        self.memory: int | None = min((m for m in memories if m is not None), default=None)
        self.phase = ""
        self._tell: Tell | None = tell or (outer._tell if outer else None)
        self._told_at = self._look_next = self.began

    @property
    def left(self) -> float | None:
        """The seconds until the end; None if there is no limit."""
        return None if self.until is None else max(0.0, self.until - time.monotonic())

    def time_for(self, share: float) -> float | None:
        """The seconds until a share of the time beyond the end is over, negative after it; None without a limit."""
        if self._end_of_limit is None or self.seconds is None:
            return None
        return self._end_of_limit + seconds_beyond(self.seconds, share) - time.monotonic()

    def extend(self, share: float, is_interrupted: bool) -> None:
        """Go on beyond the limits, to show what was found: for a share of the time, or until the user has waited."""
        left, self.memory = self.time_for(share), None
        if left is not None:
            self.until = time.monotonic() + left
        if is_interrupted and (left is None or left > _REPLAY_SECONDS):
            self._is_of_user, self.until = True, time.monotonic() + _REPLAY_SECONDS

    def reason(self) -> str | None:
        """Why the run ends now, as a phrase, if a limit is reached."""
        if self.until is not None and time.monotonic() >= self.until:
            if self._is_of_user:
                return "by the user"
            return f"after {self.seconds:g} second{'' if self.seconds == 1 else 's'}"
        return self.reason_of_memory()

    def reason_of_memory(self) -> str | None:
        return "at the memory limit" if self.memory is not None and resident_bytes() >= self.memory else None

    def poll(self) -> None:
        """Tell how far the work is, now and then, and raise OutOfBudget if a limit is reached."""
        now = time.monotonic()
        if now < self._look_next:
            return
        self._look_next = now + _LOOK_SECONDS
        self.end(self.reason())
        if self._tell and self.phase and now - self._told_at >= _TELL_SECONDS:
            self._told_at = now
            self._tell(self.phase, now - self.began)

    def end(self, reason: str | None) -> None:
        if reason is not None:
            raise OutOfBudget(f"{reason}, while {self.phase}" if self.phase else reason)


_NO_LIMITS = Budget(None, None)
_current: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def budget(seconds: float | None = None, memory: int | None = None, tell: Tell | None = None) -> Iterator[Budget]:
    """A context with limits of its own, besides those of the context around it."""
    with _make_current(Budget(seconds, memory, tell, current())) as limits:
        yield limits


def seconds_beyond(limit: float, share: float) -> float:
    """Return a share of the seconds in which a run ends beyond its limit: one, or a tenth of the limit."""
    return share * max(1.0, limit / 10)


@contextmanager
def overtime(share: float, is_interrupted: bool = False) -> Iterator[Budget]:
    """A context in which what was found is shown: in a share of the time beyond the limit, or soon after a signal."""
    extended = Budget(None, None, None, current())
    extended.extend(share, is_interrupted)
    with _make_current(extended):
        yield extended


@contextmanager
def _make_current(limits: Budget) -> Iterator[Budget]:
    token = _current.set(limits)
    try:
        yield limits
    finally:
        _current.reset(token)


def current() -> Budget:
    """The budget of this context."""
    return _current.get() or _NO_LIMITS


def poll() -> None:
    """Poll the budget of this context; raises OutOfBudget if it is used up."""
    current().poll()


def poll_memory() -> None:
    current().end(current().reason_of_memory())


def phase(name: str) -> None:
    """Says what the run does from here on, as a word that follows "while"."""
    limits = current()
    limits.phase = name
    limits.poll()


def progress(work: str, done: int, of: int, things: str) -> None:
    """Says how far a work is: lowering: 4,200 of 17,000 instances."""
    phase(f"{work}: {done:,} of {of:,} {things}")


def poll_by_timer() -> AbstractContextManager[None]:
    """A context in which a user's text, which polls nothing, ends with the budget; in the main thread, with timers."""
    limits = current()
    in_main = threading.current_thread() is threading.main_thread()
    is_limited = limits.until is not None or limits.memory is not None
    return _Alarm(limits) if is_limited and in_main and hasattr(signal, "setitimer") else nullcontext()


class _Alarm:
    """A timer that polls limits. Raised in its own methods, the end would leave the timer to all that comes after."""

    def __init__(self, limits: Budget) -> None:
        self._limits = limits
        self._is_over = False

    @shield
    def __enter__(self) -> None:
        self._handler = signal.signal(signal.SIGALRM, self._poll)
        self._timer = signal.setitimer(signal.ITIMER_REAL, _ALARM_SECONDS, _ALARM_SECONDS)

    @shield
    def __exit__(self, *failure: object) -> None:
        self._is_over = True
        withdraw(OutOfBudget)
        signal.setitimer(signal.ITIMER_REAL, *self._timer)
        signal.signal(signal.SIGALRM, self._handler)

    def _poll(self, number: int, frame: FrameType | None) -> None:
        if self._is_over:
            return
        try:
            self._limits.poll()
        except OutOfBudget as error:
            raise_in(frame, error)


def resident_bytes() -> int:
    """The resident memory of this process; its peak where the system does not tell."""
    try:
        # As bytes: an alarm may look amid an import, when a codec that was not loaded before cannot be found.
        return int(_STATUS.read_bytes().split()[1]) * mmap.PAGESIZE
    except OSError:
        return peak_bytes()


def peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
