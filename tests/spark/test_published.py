"""The published designs and the ISR variants: what native says, in any number of partitions.

All slow: each level is a job. The quick tests hand a search over in tests/spark/test_search.py.
"""

from pathlib import Path

import pytest
from tests.spark.runs import ON_CLUSTER, bound, everything, native, on_spark

from isrcheck.catalogue import models_by_name
from isrcheck.engines.contract import Cluster, Request, Searched
from isrcheck.engines.spark.cluster import Settings
from isrcheck.engines.spark.engine import search
from isrcheck.ir.frozen import replace
from isrcheck.passes.bind import BoundModel
from isrtoys.conformance import run_conformance

pytestmark = pytest.mark.usefixtures("spark")

PUBLISHED = ["truncate-to-high-watermark", "kip-101", "kip-279", "kip-320-first-try", "kip-320"]
ISR = sorted(name for name in models_by_name() if name.startswith("isr-"))
SIZE = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}


@pytest.mark.slow
def test_kip_320_in_four_partitions_handed_over_on_the_way(tmp_path: Path) -> None:
    model = bound("kip-320", **SIZE)
    request = everything(model)
    assert on_spark(model, request, tmp_path, Settings(buckets=4, local_states=4000)) == native(model, request)


@pytest.mark.slow
@pytest.mark.parametrize("buckets", [1, 2, 16])
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_designs(name: str, buckets: int, tmp_path: Path) -> None:
    model = bound(name, **SIZE)
    request = everything(model)
    assert on_spark(model, request, tmp_path, Settings(buckets=buckets, local_states=0)) == native(model, request)


@pytest.mark.slow
def test_async_isr(tmp_path: Path) -> None:
    model = bound("async-isr")
    request = everything(model)
    assert on_spark(model, request, tmp_path, ON_CLUSTER) == native(model, request)


@pytest.mark.slow
@pytest.mark.parametrize("buckets", [1, 2, 16])
def test_kip_320_at_the_size_of_the_benchmark(buckets: int, tmp_path: Path) -> None:
    model = bound("kip-320", **{**SIZE, "max_leader_epoch": 2})
    request = everything(model)
    assert on_spark(model, request, tmp_path, Settings(buckets=buckets, local_states=0)) == native(model, request)


@pytest.mark.slow
@pytest.mark.parametrize("name", ISR)
def test_isr_variants(name: str, tmp_path: Path) -> None:
    model = bound(name)
    request = everything(model)
    assert on_spark(model, request, tmp_path, Settings(buckets=3, local_states=200)) == native(model, request)


@pytest.mark.slow
def test_the_engine_is_accepted_where_every_level_goes_to_the_cluster() -> None:
    conf = (("spark.isrcheck.localStates", "0"), ("spark.isrcheck.partitions", "2"))

    def on_cluster(model: BoundModel, request: Request) -> Searched:
        return search(model, replace(request, cluster=Cluster(conf=conf)))

    assert run_conformance(on_cluster) >= 15
