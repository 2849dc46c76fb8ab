"""Work that Python cannot interrupt: the caller hears signals and clocks while it waits."""

import signal
import threading
import time
from collections.abc import Collection, Iterator

import pytest
from tests.native.systems import stopper

from isrcheck.engines.common import targets
from isrcheck.engines.common.targets import Stopped, StopPolicy
from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.native.compile import Effort, compile_ir
from isrcheck.engines.native.engine import explore
from isrcheck.process import interrupt
from isrcheck.process.budget import SHARE_FOR_REPLAYS, budget, overtime
from isrcheck.process.interrupt import is_work_left, run_in_background

MODULE = "define i64 @f() {\n  ret i64 7\n}\n"


class TimeOver(Exception):
    pass


@pytest.fixture
def endless() -> Iterator[threading.Event]:
    end = threading.Event()
    yield end
    end.set()
    while is_work_left():
        time.sleep(0.01)


def over() -> None:
    raise TimeOver


def test_the_answer_and_the_error_of_the_work_are_its_own() -> None:
    assert run_in_background(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        run_in_background(lambda: 1 // 0)
    assert not is_work_left()


def test_what_poll_raises_ends_the_wait(endless: threading.Event) -> None:
    with pytest.raises(TimeOver):
        run_in_background(lambda: endless.wait(600), over)
    assert is_work_left()


def test_a_signal_ends_the_wait(endless: threading.Event) -> None:
    waits = threading.Event()

    def wait() -> None:
        waits.wait(600)
        signal.raise_signal(signal.SIGINT)
        endless.wait(600)

    with pytest.raises(KeyboardInterrupt):
        run_in_background(wait, waits.set)
    assert is_work_left()


def test_poll_is_called_again_and_again() -> None:
    polled = threading.Semaphore(0)
    run_in_background(lambda: [polled.acquire(timeout=600) for _ in range(3)], polled.release)


def test_code_can_be_given_back_while_an_abandoned_compilation_holds_the_lock(endless: threading.Event) -> None:
    import llvmlite.binding.ffi

    code, holds = compile_ir(MODULE, Effort.HASTY), threading.Event()

    def hold() -> None:
        with llvmlite.binding.ffi.lib._lock:
            holds.set()
            endless.wait(600)

    with pytest.raises(TimeOver):
        run_in_background(hold, lambda: over() if holds.is_set() else None)
    del code
    assert is_work_left()


def test_a_thread_that_cannot_be_started_is_a_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(MemoryError, match="can't start new thread"):
        interrupt.run_in_background(lambda: 7)


class Clock:
    now = 100.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(targets, "time", clock)
    return clock


def interrupted(policy: StopPolicy) -> StopPolicy:
    policy.stop_request.requested = True
    return policy


def test_a_signal_leaves_a_moment_for_traces(clock: Clock) -> None:
    pause = interrupted(StopPolicy(Request(), {})).limit_for_traces()
    pause()
    clock.now += 0.3
    pause()
    clock.now += 0.2
    with pytest.raises(Stopped, match="by the user"):
        pause()


def test_a_signal_amid_traces_ends_them_at_once(clock: Clock) -> None:
    policy = StopPolicy(Request(), {})
    pause = policy.limit_for_traces()
    clock.now += 1000
    pause()
    interrupted(policy)
    with pytest.raises(Stopped, match="by the user"):
        pause()


def test_a_signal_leaves_the_same_moment_however_late_it_is_heard(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupt.StopRequest, "seconds_ago", 0.5)
    pause = interrupted(StopPolicy(Request(), {})).limit_for_traces()
    with pytest.raises(Stopped, match="by the user"):
        pause()


@pytest.mark.parametrize(("limit", "beyond"), [(5, 0.4), (60, 2.4)])
def test_a_limit_leaves_a_share_of_a_second_or_a_tenth_for_traces(clock: Clock, limit: float, beyond: float) -> None:
    pause = StopPolicy(Request(limits=Limits(seconds=limit)), {}).limit_for_traces()
    clock.now += limit + beyond - 0.1
    pause()
    clock.now += 0.2
    with pytest.raises(Stopped, match=f"after {limit} seconds"):
        pause()


def test_the_limit_of_the_command_counts_too(clock: Clock) -> None:
    with budget(0.0, None):
        pause = StopPolicy(Request(), {}).limit_for_traces()
        pause()
        clock.now += 1.1
        with pytest.raises(Stopped, match="after 0 seconds"):
            pause()


def test_overtime_in_overtime_ends_at_the_same_time() -> None:
    with budget(10.0), overtime(SHARE_FOR_REPLAYS) as first, overtime(SHARE_FOR_REPLAYS) as second:
        assert first.until == pytest.approx(second.until, abs=1e-3)


def test_what_an_interrupted_search_found_is_replayed_in_a_moment() -> None:
    """It has the same moment without a limit, and with one that is far away."""
    for limit in (None, 1000.0):
        with budget(limit), overtime(SHARE_FOR_REPLAYS, is_interrupted=True) as limits:
            assert limits.left is not None
            assert limits.left <= 0.3
            limits.until = 0.0
            assert limits.reason() == "by the user"


@pytest.mark.parametrize(("seconds", "shown"), [(1e6, True), (0.0, False)])
def test_an_interrupted_search_shows_what_it_has_time_for(
    seconds: float, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(policy: StopPolicy, decided: Collection[str], distinct: int, levels: int) -> None:
        policy.stop_request.requested = policy.interrupted or bool(decided)

    monkeypatch.setattr(targets, "SECONDS_AFTER_SIGNAL", seconds)
    monkeypatch.setattr(StopPolicy, "after_level", interrupt)
    system = stopper(7)
    seen = explore(system, Request(properties=tuple(p.name for p in system.properties)))
    assert (seen.cut, seen.interrupted, bool(seen.paths)) == ("by the user", True, shown)
