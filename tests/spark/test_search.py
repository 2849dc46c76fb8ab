"""Searches on Spark say what the native engine says."""

from pathlib import Path

import pytest
from tests.native.test_search import faulty
from tests.spark.runs import ON_CLUSTER, bound, everything, native, on_spark

from isrcheck.engines.contract import FoundFault, Limits, Request
from isrcheck.engines.native.engine import explore as native_explore
from isrcheck.engines.spark.cluster import Settings
from isrcheck.engines.spark.engine import explore
from isrcheck.engines.spark.levels_job import LevelsJob
from isrcheck.engines.spark.share import Report
from isrcheck.engines.spark.storage import Storage, url_of
from isrcheck.ir.frozen import replace

pytestmark = pytest.mark.usefixtures("spark")

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def test_counts_digest_and_traces_are_the_native_ones(tmp_path: Path) -> None:
    model = bound("kip-101", **SMALL)
    request = everything(model)
    assert on_spark(model, request, tmp_path) == native(model, request)


@pytest.mark.parametrize("name", ["toy-cashier", "toy-forks"])
def test_violations_and_deadlocks_have_the_native_traces(name: str, tmp_path: Path) -> None:
    model = bound(name)
    request = replace(everything(model), deadlock=True)
    found = on_spark(model, request, tmp_path, replace(ON_CLUSTER, buckets=3, slice_states=64))
    assert found == native(model, request)
    assert found.paths


@pytest.mark.parametrize(("most", "jobs"), [(1_000_000, 0), (40, 1)])
def test_a_search_goes_to_the_cluster_when_a_level_grows(
    most: int, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The widest level has 72 states; one side of the threshold never asks Spark."""
    asked = []
    reports = LevelsJob.reports

    def counting(self: LevelsJob, level: int) -> list[Report] | None:
        found = reports(self, level)
        asked.extend([] if found is None else [level])
        return found

    monkeypatch.setattr(LevelsJob, "reports", counting)
    model = bound("kip-101", **SMALL)
    request = everything(model)
    seen = on_spark(model, request, tmp_path, Settings(buckets=2, local_states=most))
    assert seen == native(model, request)
    first = next((n for n, states in enumerate(seen.levels) if states > most), None)
    assert asked == ([] if jobs == 0 or first is None else list(range(first + 1, len(seen.levels) + 1)))
    assert bool(asked) == bool(jobs)


@pytest.mark.slow
@pytest.mark.parametrize(
    "stop", [{"limits": Limits(depth=3)}, {"limits": Limits(states=10)}, {"stop_at_first": True}], ids=str
)
def test_a_search_stops_where_the_native_one_stops(stop: dict[str, object], tmp_path: Path) -> None:
    model = bound("toy-crossing-careless")
    request = replace(everything(model), **stop)
    seen = on_spark(model, request, tmp_path)
    assert seen == native(model, request)
    assert seen.cut


@pytest.mark.slow
def test_a_search_without_time_ends_after_the_last_whole_level(tmp_path: Path) -> None:
    model = bound("kip-101", **SMALL)
    seen = on_spark(model, replace(everything(model), limits=Limits(seconds=0.0)), tmp_path)
    assert seen.cut == "after 0 seconds"
    assert seen.digest is None


@pytest.mark.slow
def test_symmetric_states_are_one(tmp_path: Path) -> None:
    model = bound("toy-seats")
    request = replace(everything(model), symmetry=True)
    assert on_spark(model, request, tmp_path) == native(model, request)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["instance", "invariant", "step"])
def test_an_error_in_the_model_has_the_native_path(kind: str, tmp_path: Path) -> None:
    system, request = faulty(kind), Request(properties=("fine", "move"))
    with pytest.raises(FoundFault) as expected:
        native_explore(system, request)
    with pytest.raises(FoundFault) as found:
        explore(system, request, ON_CLUSTER, Storage(url_of(tmp_path)))
    faults = [(each.value.path, each.value.instance, each.value.property) for each in (found, expected)]
    assert faults[0] == faults[1]
