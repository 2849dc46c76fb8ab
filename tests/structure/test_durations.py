"""The limit of a quick test: what is above it is listed, and fails only where a slow core does not explain it."""

import time
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import FailedHealthCheck
from tests import slow
from tools import durations
from tools.durations import Ledger, Meter, is_failure
from tools.faults.seeded import faults

TESTS = """
import pytest


@pytest.mark.parametrize("seconds", [1, 4, 20])
def test_of(seconds, clock):
    clock.now += seconds


@pytest.mark.heavy("why")
def test_heavy(clock):
    clock.now += 99
"""


class CpuClock:
    """CPU seconds that a test spends by saying so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    @pytest.fixture(scope="session")
    def clock(self) -> "CpuClock":
        return self


@pytest.mark.parametrize(
    ("slower", "failures"), [(1.0, "1 failed, 3 passed"), (2.0, "1 failed, 3 passed"), (3.0, "4 passed")]
)
def test_a_slow_core_turns_no_test_red(
    slower: float, failures: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = CpuClock()
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "test_timed.py").write_text(TESTS)
    options = f"-q -c /dev/null --rootdir {tmp_path} -p no:cacheprovider --import-mode=importlib -W ignore"
    plugins = [clock, Meter(tmp_path / "compiled", clock, lambda: slower), Ledger(tmp_path / "durations.csv")]
    pytest.main([*options.split(), str(tmp_path)], plugins)
    said = capsys.readouterr().out
    assert failures in said
    listed = said.rpartition("one by one.")[2]
    assert [n for n in (1, 4, 20) if f"test_of[{n}] took {n}.0 CPU seconds" in listed] == [4, 20]
    assert "test_heavy took" not in said
    assert "124 CPU seconds in tests" in said
    assert "test_timed.py::test_heavy,test,99.000" in (tmp_path / "durations.csv").read_text()


def test_a_core_that_is_slower_allows_more() -> None:
    assert not is_failure(8.9, 1.0)
    assert is_failure(9.1, 1.0)
    assert not is_failure(9.1, 1.4)


def test_a_fast_core_allows_no_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durations, "LOOP_SECONDS", 1e9)
    assert durations.slowdown() == 1.0
    monkeypatch.setattr(durations, "LOOP_SECONDS", 1e-9)
    assert durations.slowdown() > 1.0


def test_the_list_of_slow_tests_names_tests_that_are_there() -> None:
    collected = ["tests/slow.py::test_here[1]", "tests/slow.py::test_here[2]"]
    gone = ["tests/slow.py::test_gone", "tests/there_is_no_such_file.py::test_here"]
    assert slow.unknown([collected[0], *gone, "tests/conftest.py::test_not_collected"], collected) == gone


def test_no_name_of_the_list_is_stale(pytestconfig: pytest.Config) -> None:
    if any("::" in argument for argument in pytestconfig.args):
        pytest.skip("tests were chosen by name: the files they stand in were not read whole")
    assert pytestconfig.stash[slow.UNKNOWN] == [], "rename them in tests/slow.txt, or take them out"


def test_no_test_of_the_list_kills_a_fault() -> None:
    names = {name for node in slow.names() for name in (node, node.partition("[")[0])}
    assert [fault.name for fault in faults() if fault.test in names] == []


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
