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
