"""Searches on Spark say what the native engine says."""

from pathlib import Path

import pytest
from tests.agreement import messages
from tests.agreement.test_slots import force_slots, slots_of
from tests.lang.models import channels
from tests.native.test_search import faulty
from tests.spark.runs import ON_CLUSTER, bound, everything, native, on_spark

from isrcheck import Model
from isrcheck.catalogue import models_by_name
from isrcheck.engines.common.growth import search_with_growth
from isrcheck.engines.contract import Cluster, FoundFault, Limits, Request, Searched
from isrcheck.engines.native.engine import explore as native_explore
from isrcheck.engines.registry import engine
from isrcheck.engines.spark.cluster import Settings
from isrcheck.engines.spark.engine import explore, search
from isrcheck.engines.spark.levels_job import LevelsJob
from isrcheck.engines.spark.share import Report
from isrcheck.engines.spark.storage import Storage, url_of
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrtoys.conformance import run_conformance

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


@pytest.mark.slow
@pytest.mark.parametrize("cls", [messages.Flights, channels.Permits])
def test_a_network_in_slots_has_the_native_graph(
    cls: type[Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    force_slots(monkeypatch, 2)
    model = bind(read_model(cls), {})
    assert slots_of(model)
    request = replace(everything(model), deadlock=True)
    found = on_spark(model, request, tmp_path)
    assert found == native(model, request)
    assert found.digest


@pytest.mark.slow
def test_a_search_on_the_cluster_begins_again_with_more_slots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))  # no other test has searched this model here
    force_slots(monkeypatch, 1)
    model, other = (bind(read_model(channels.Ordered), {"capacity": 1}) for _ in range(2))
    tries = [*map(str, range(9))]
    found = search_with_growth(model, lambda: on_spark(model, everything(model), tmp_path / tries.pop()))
    wanted = engine("native").search(other, everything(other))
    assert slots_of(model) == slots_of(other)
    assert slots_of(model)["links"] > 1
    assert len(tries) < 8
    assert (found.distinct, found.digest, found.paths) == (wanted.distinct, wanted.digest, wanted.paths)


PUBLISHED = ["truncate-to-high-watermark", "kip-101", "kip-279", "kip-320-first-try", "kip-320"]
SIZE = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}
SEARCHES = [
    *((name, SIZE, Settings(buckets=buckets, local_states=0)) for name in PUBLISHED for buckets in (1, 2, 16)),
    *(("kip-320", {**SIZE, "max_leader_epoch": 2}, Settings(buckets=n, local_states=0)) for n in (1, 2, 16)),
    ("kip-320", SIZE, Settings(buckets=4, local_states=4000)),
    ("async-isr", {}, ON_CLUSTER),
    *((name, {}, Settings(buckets=3, local_states=200)) for name in models_by_name() if name.startswith("isr-")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "constants", "settings"), SEARCHES)
def test_a_search_says_what_native_says(
    name: str, constants: dict[str, int], settings: Settings, tmp_path: Path
) -> None:
    model = bound(name, **constants)
    request = everything(model)
    assert on_spark(model, request, tmp_path, settings) == native(model, request)


@pytest.mark.slow
def test_the_engine_is_accepted_where_every_level_goes_to_the_cluster() -> None:
    conf = (("spark.isrcheck.localStates", "0"), ("spark.isrcheck.partitions", "2"))

    def on_cluster(model: BoundModel, request: Request) -> Searched:
        return search(model, replace(request, cluster=Cluster(conf=conf)))

    assert run_conformance(on_cluster) >= 15
