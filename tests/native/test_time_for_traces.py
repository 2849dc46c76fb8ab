"""A search that ended early takes a moment to find traces, and no longer: a signal ends a command within a second."""

from collections.abc import Collection

import pytest
from tests.native.systems import stopper

from isrcheck.engines.common import targets
from isrcheck.engines.common.targets import Stopped, StopPolicy
from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.native.engine import explore
from isrcheck.process.budget import budget


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
    clock.now += 0.5
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


def test_a_limit_leaves_a_second_for_traces(clock: Clock) -> None:
    pause = StopPolicy(Request(limits=Limits(seconds=5)), {}).limit_for_traces()
    clock.now += 5.9
    pause()
    clock.now += 0.2
    with pytest.raises(Stopped, match="after 5 seconds"):
        pause()


def test_the_limit_of_the_command_counts_too(clock: Clock) -> None:
    with budget(0.0, None):
        pause = StopPolicy(Request(), {}).limit_for_traces()
        pause()
        clock.now += 1.1
        with pytest.raises(Stopped, match="after 0 seconds"):
            pause()


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
