"""A busy machine turns no property red: Hypothesis looks at a clock unless it is told not to."""

import time
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import FailedHealthCheck


def draw_slowly(chosen: settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Try a property by a clock that goes on by ten seconds whenever it is read."""
    clock = count(step=10)

    @chosen
    @given(st.integers())
    def hold(number: int) -> None:
        assert number == number + 0

    with monkeypatch.context() as patch:
        patch.setattr(time, "perf_counter", lambda: float(next(clock)))
        hold()


def test_no_property_fails_by_its_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_slowly(settings(max_examples=20, database=None), monkeypatch)


def test_without_our_profile_it_would(monkeypatch: pytest.MonkeyPatch) -> None:
    strict = settings(max_examples=20, database=None, deadline=None, suppress_health_check=())
    with pytest.raises(FailedHealthCheck, match=HealthCheck.too_slow.name):
        draw_slowly(strict, monkeypatch)
