"""Messages in slots under Spark, and what a search that needs more of them does."""

from pathlib import Path

import pytest
from tests.agreement import messages
from tests.agreement.test_slots import force_slots, slots_of
from tests.lang.models import channels
from tests.spark.runs import everything, native, on_spark

from isrcheck import Model
from isrcheck.engines.common.growth import search_with_growth
from isrcheck.engines.registry import engine
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind

pytestmark = pytest.mark.usefixtures("spark")


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
