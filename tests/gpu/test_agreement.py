"""A search on a GPU, which this processor plays, says what the native engine says of the whole graph."""

from typing import Any

import pytest
from tests.agreement.test_growth import Collector
from tests.agreement.test_random_models import LIMITS, each_random_model
from tests.constraints import models as constrained
from tests.gpu.systems import Source, assert_agreement, burst, words_of
from tests.lang.models.choices import Several
from tests.native.systems import counter, mutex, names_of, random_system, stopper
from tests.native.test_agreement import ALL, bound
from tests.native.test_search import faulty
from tests.slow import quick_sample
from tools.gpu.emulator import EmulatedDevice, search

from isrcheck import Model
from isrcheck.engines.common.growth import search_with_growth
from isrcheck.engines.contract import Request
from isrcheck.engines.gpu import codegen, layout, memory
from isrcheck.engines.gpu.engine import layout_of, lower_for_gpu
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains
from isrcheck.passes.bind import BoundModel
from isrtoys import TOYS
from isrtoys.conformance import run_conformance

QUICK = ("truncate-to-high-watermark", "isr-original-design")


def everything(model: BoundModel) -> Request:
    return Request(properties=tuple(p.name for p in model.properties), deadlock=True)


@pytest.mark.slow
def test_the_engine_is_accepted() -> None:
    assert run_conformance(search) == len(TOYS)


@pytest.mark.parametrize("name", quick_sample(ALL, len(ALL), besides=(*TOYS, *QUICK)))
def test_every_model_at_its_smallest(name: str) -> None:
    model = bound(name)
    assert_agreement(model, everything(model))


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_model_with_steps_in_queues(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codegen, "QUEUED_FROM", 0)
    assert_agreement(bound(name), Request(), EmulatedDevice(workers=2))


@pytest.mark.parametrize(
    "cls", [v for v in vars(constrained).values() if isinstance(v, type) and v.__module__ == constrained.__name__]
)
def test_states_and_steps_outside_constraints(cls: type[Model]) -> None:
    model = bind(read_model(cls), {})
    assert_agreement(model, everything(model))


def test_several_initial_states() -> None:
    model = bind(read_model(Several), {})
    assert assert_agreement(model, everything(model)).paths


def test_slots_that_grow() -> None:
    model, other = (bind(read_model(Collector), {"most": 9, "numbers": 200}) for _ in range(2))
    request = everything(model)
    grown = search_with_growth(model, lambda: search(model, request))
    assert replace(grown, seconds=0.0) == replace(engine("native").search(other, request), seconds=0.0)


@pytest.mark.parametrize("kind", ["instance", "invariant", "step"])
def test_an_error_in_the_model(kind: str) -> None:
    system = faulty(kind)
    assert isinstance(assert_agreement(system, Request(properties=names_of(system))), tuple)


@pytest.mark.parametrize("stop_at_first", [False, True])
@pytest.mark.parametrize("system", [counter(10, bound=6), stopper(7), mutex(3)], ids=["counter", "stopper", "mutex"])
def test_small_systems(system: Any, stop_at_first: bool) -> None:
    assert_agreement(system, Request(properties=names_of(system), deadlock=True, stop_at_first=stop_at_first))


@pytest.mark.parametrize(
    ("words", "bits", "tagged", "stride"),
    [
        (1, 62, True, 2),
        (2, 20, False, 2),
        (2, 62, True, 4),
        (3, 9, True, 4),
        (4, 40, False, 4),
        (4, 60, True, 8),
        (7, 62, True, 8),
        (8, 20, False, 8),
    ],
)
def test_states_of_any_number_of_words(words: int, bits: int, tagged: bool, stride: int) -> None:
    system = words_of(words, bits)
    lowered = lower_for_gpu(system, names_of(system))
    its = layout_of(system, lowered.program)
    assert (its.words, its.tagged, its.stride) == (words, tagged, stride)
    states = assert_agreement(system, Request(properties=names_of(system)), EmulatedDevice(workers=2)).distinct
    assert states == (3 if words < 4 else 2) ** words


SOURCES = {"train": bound("toy-train"), "words": words_of(3, 62), "burst": burst()}
QUEUED_FROM = pytest.mark.parametrize("queued_from", [0, codegen.QUEUED_FROM], ids=["queued", "at-once"])


@QUEUED_FROM
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_memory_that_grows_and_stamps_that_come_again(
    source: Source, queued_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, few in (("_FIRST_SHARE", 1 << 30), ("_FEWEST_STATES", 16), ("_RING_AT_FIRST", 16), ("_MOST_CHUNK", 1)):
        monkeypatch.setattr(memory, name, few)
    monkeypatch.setattr(layout, "_MOST_STAMPS", 2)
    monkeypatch.setattr(codegen, "QUEUED_FROM", queued_from)
    device = EmulatedDevice(workers=2 if queued_from else 1)
    assert_agreement(source, Request(properties=tuple(each.name for each in source.properties)), device)
    assert {"insert", "examine", "refill", "clear_stamps"} <= {*device.launches}
    assert ("queue" in device.launches) is ("step" in device.launches) is (queued_from == 0)


@QUEUED_FROM
@pytest.mark.parametrize(
    ("lanes", "name"), [(32, "toy-counter"), (4, "toy-mutex"), pytest.param(32, "toy-seats", marks=pytest.mark.slow)]
)
def test_warps(lanes: int, name: str, queued_from: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codegen, "QUEUED_FROM", queued_from)
    assert_agreement(bound(name), everything(bound(name)), EmulatedDevice(lanes=lanes))


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 300), marks=pytest.mark.slow)], ids=["few", "many"])
def test_random_systems(seeds: range) -> None:
    for seed in seeds:
        system = random_system(seed)
        assert_agreement(system, Request(properties=names_of(system), deadlock=seed % 2 == 0, limits=LIMITS))


@pytest.mark.parametrize("examples", [3, pytest.param(300, marks=pytest.mark.slow)])
def test_random_models(examples: int) -> None:
    sizes: list[int] = []

    def agree(cls: type[Model]) -> None:
        try:
            read = read_model(cls)
            check_domains(read)
            model = bind(read, {})
            answer = assert_agreement(model, replace(everything(model), limits=LIMITS), EmulatedDevice(workers=2))
        except ModelError:
            return
        sizes.append(0 if isinstance(answer, tuple) else answer.distinct)

    each_random_model(agree, examples, derandomize=examples < 10)
    assert len(sizes) >= examples // 2
