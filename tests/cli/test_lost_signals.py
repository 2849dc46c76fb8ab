"""An exception from a signal's handler is raised where Python would drop it: in weakref callbacks and finalizers."""

import os
import signal
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest

from isrcheck.process import budget, interrupt, supervised
from isrcheck.process.budget import OutOfBudget, poll_by_timer


class Key:
    """What a weak dictionary has for a key."""


class SignallingDict(dict[Any, Any]):
    """A dictionary in which a signal lands as the callback of a weak key removes it, once."""

    number = signal.SIGALRM
    is_signalled = False

    def __delitem__(self, key: object) -> None:
        if not self.is_signalled:
            self.is_signalled = True
            signal.raise_signal(self.number)
        super().__delitem__(key)


def loop_over_weak_keys(number: signal.Signals) -> None:
    """Drop keys until something ends the loop, at most so often."""
    keys = weakref.WeakKeyDictionary[Key, int]()
    removals = SignallingDict()
    removals.number = number
    vars(keys)["data"] = removals
    for _ in range(1000):
        keys[Key()] = 1
    pytest.fail("the signal was lost")


def finalize(number: signal.Signals) -> None:
    def raise_once(_: object) -> None:
        signal.raise_signal(number)

    for _ in range(1000):
        key = Key()
        reference = weakref.ref(key, raise_once)
        del key, reference
        key = Key()
        reference = weakref.ref(key, raise_once)
        del key
        assert reference() is None
    pytest.fail("the signal was lost")


def sort_with_finalizers(number: signal.Signals) -> None:
    """The callback lies within a call of C, whose caller goes on."""

    def drop(_: int) -> int:
        finalize(number)
        return 0

    sorted(range(3), key=drop)
    pytest.fail("the signal was lost")


LOOPS = [loop_over_weak_keys, finalize, sort_with_finalizers]


@pytest.fixture
def no_complaint(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What Python would print as ignored."""
    complaints: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    yield complaints
    assert sys.gettrace() is None


@pytest.mark.parametrize("loop", LOOPS)
def test_an_alarm_in_a_weak_callback_ends_the_run(
    loop: Callable[[signal.Signals], None], monkeypatch: pytest.MonkeyPatch, no_complaint: list[Any]
) -> None:
    """By one alarm: the timer, which would send more, is stopped."""
    monkeypatch.setattr(signal, "setitimer", lambda *_: (0.0, 0.0))
    with budget.budget(1e-9, None), poll_by_timer(), pytest.raises(OutOfBudget, match="after 1e-09 seconds"):
        loop(signal.SIGALRM)
    assert no_complaint == []


AT_FORK: dict[str, list[Callable[[], None]]] = {"before": [], "after": []}


def act_at_fork(when: str) -> None:
    for act in AT_FORK[when]:
        act()


os.register_at_fork(before=lambda: act_at_fork("before"), after_in_parent=lambda: act_at_fork("after"))


@pytest.mark.parametrize("when", AT_FORK)
def test_an_alarm_amid_a_fork_waits_for_what_libraries_do_there(
    when: str, monkeypatch: pytest.MonkeyPatch, no_complaint: list[Any]
) -> None:
    """The logging module unlocks there what it locked before; its lock, held for ever, stops all other threads."""
    monkeypatch.setattr(signal, "setitimer", lambda *_: (0.0, 0.0))
    told, tells = os.pipe()
    done: list[str] = []

    def alarm() -> None:
        AT_FORK[when].clear()
        signal.raise_signal(signal.SIGALRM)
        done.append(when)

    AT_FORK[when].append(alarm)
    with budget.budget(1e-9, None), poll_by_timer(), pytest.raises(OutOfBudget):
        supervised.start(lambda _: os.write(tells, b"done"))
    os.close(tells)
    assert done == [when]
    assert os.read(told, 10) == b"done"  # the alarm is the parent's
    os.close(told)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []).isdisjoint(interrupt.SIGNALS)
    assert no_complaint == []


@pytest.mark.parametrize("loop", LOOPS)
def test_ctrl_c_in_a_weak_callback_ends_the_run(
    loop: Callable[[signal.Signals], None], monkeypatch: pytest.MonkeyPatch, no_complaint: list[Any]
) -> None:
    monkeypatch.setattr(interrupt, "_first_signal", interrupt._FirstSignal())
    before = {number: signal.getsignal(number) for number in interrupt.SIGNALS}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt.listen()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop(signal.SIGINT)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert no_complaint == []


def test_what_others_lose_is_reported_as_before(monkeypatch: pytest.MonkeyPatch, no_complaint: list[Any]) -> None:
    monkeypatch.setattr(signal, "setitimer", lambda *_: (0.0, 0.0))

    def fail(_: object) -> None:
        raise ZeroDivisionError

    with budget.budget(1e-9, None), poll_by_timer(), pytest.raises(OutOfBudget):
        signal.raise_signal(signal.SIGALRM)
    key = Key()
    reference = weakref.ref(key, fail)
    del key
    assert reference() is None
    assert [type(each.exc_value) for each in no_complaint] == [ZeroDivisionError]


def test_an_alarm_that_waits_is_not_raised_after_its_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "setitimer", lambda *_: (0.0, 0.0))
    monkeypatch.setattr(interrupt, "_loses", lambda frame: True)
    with budget.budget(1e-9, None), poll_by_timer():
        signal.raise_signal(signal.SIGALRM)
    monkeypatch.setattr(interrupt, "_loses", lambda frame: False)
    sum(range(3))
    assert sorted([2, 1], key=lambda n: n) == [1, 2]
    assert sys.gettrace() is None


@pytest.mark.parametrize("method", ["__enter__", "__exit__"])
def test_an_alarm_between_a_context_and_its_body_leaves_no_timer(
    method: str, monkeypatch: pytest.MonkeyPatch, no_complaint: list[Any]
) -> None:
    """The timer stayed for all that came after, once in thousands of tests: at a load of ten, while a test ended."""
    timers: list[tuple[float, ...]] = []
    alarms: list[str] = []

    def set_timer(_: int, *timer: float) -> tuple[float, float]:
        timers.append(timer)
        return 0.0, 0.0

    def outer(_: int, frame: FrameType | None) -> None:
        interrupt.raise_in(frame, OutOfBudget())

    def alarm(frame: FrameType, event: str, argument: object) -> None:
        if frame.f_code is getattr(budget._Alarm, method).__code__:
            alarms.append(event)
            signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(signal, "setitimer", set_timer)
    before = signal.signal(signal.SIGALRM, outer)
    with budget.budget(1e-9, None), suppress(OutOfBudget):
        sys.settrace(alarm)
        with poll_by_timer():
            sum([1, 2])
    sys.settrace(None)
    assert signal.signal(signal.SIGALRM, before) is outer
    assert alarms == ["call"]
    assert len(timers) == 2
    assert timers[-1] == (0.0, 0.0)
    assert no_complaint == []
