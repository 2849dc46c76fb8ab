"""The cone of influence of a model's text keeps what decides, drops what does not, and never forbids a behaviour."""

from typing import Any

import pytest

from isrcheck.catalogue import find_model
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import reached
from isrcheck.errors import UsageError
from isrcheck.ir.flatten import width
from isrcheck.ir.interval import is_endless
from isrcheck.lang.read import read_model
from isrcheck.passes.cone import Cut
from isrcheck.passes.open import OpenModel, bind_open, lower_open

HISTORIES = {"append_age", "read_to_end_age", "isr_has_shrunk"}


def kept(model: str, properties: tuple[str, ...], guards: bool, **constants: Any) -> set[str]:
    return set(bind_open(read_model(find_model(model)), constants, Cut(properties, guards)).domains)


@pytest.mark.parametrize("guards", [False, True])
@pytest.mark.parametrize("model", ["isr-kafka-4485-v2", "isr-kafka-4485-merged", "isr-kafka-7152"])
def test_guarantees_of_the_high_watermark_need_no_history(model: str, guards: bool) -> None:
    found = kept(model, ("hw_never_decreases", "isr_at_least_hw"), guards)
    assert {"hw", "isr", "known", "log_end"} <= found
    assert not found & HISTORIES
    assert "lag_begin_age" not in found  # these versions keep no such clock


def test_what_guards_read_is_kept_on_request() -> None:
    one, two = (kept("isr-kafka-4485-v2", ("isr_at_least_hw",), guards, pace="every-tick") for guards in (False, True))
    assert "fetched" not in one
    assert "fetched" in two


def projected(model: OpenModel, whole: OpenModel) -> tuple[set[tuple[int, ...]], set[tuple[int, ...]]]:
    """The reachable states of a cut model, and those of the whole model through the variables kept."""
    places, first = [], 0
    for name, domain in whole.domains.items():
        here = range(first, first := first + width(domain))
        places += [p for p in here if name in model.domains]
    cut = set(reached(ScalarStepper(lower_open(model).system)))
    states = reached(ScalarStepper(lower_open(whole).system))
    return cut, {tuple(state[p] for p in places) for state in states}


@pytest.mark.parametrize("guards", [False, True])
@pytest.mark.parametrize("name", ["isr_at_least_hw", "keep_up_stays", "no_bad_expand", "hw_never_decreases"])
def test_no_behaviour_is_lost(name: str, guards: bool) -> None:
    text = read_model(find_model("isr-kafka-4485-v2"))
    given = {"max_records": 1, "lag_time_max": 1, "pace": "every-tick"}
    whole = bind_open(text, given)
    cut, seen = projected(bind_open(text, given, Cut((name,), guards)), whole)
    assert seen <= cut


def test_endless_integers() -> None:
    text = read_model(find_model("isr-kafka-4485-v2"))
    given = {"replicas": 3, "max_records": "0..", "lag_time_max": "1.."}
    system = lower_open(bind_open(text, given, Cut(("isr_at_least_hw",), False))).system
    endless = {s.name for s in system.scalars if is_endless(s.size)}
    assert {"log_end", "hw", "known[f1]", "caught_up_age[f0]", "max_records", "lag_time_max"} <= endless
    with pytest.raises(UsageError, match="append_age is a sequence whose length max_records has no upper end"):
        bind_open(text, given)
