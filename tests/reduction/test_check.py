"""isrcheck check --reduce: what it says, and what it refuses."""

from pathlib import Path
from typing import Any

import pytest

import isrcheck
from isrcheck import check
from isrcheck.errors import UsageError

MUTEX = "toy-mutex"


def test_counts_are_of_the_reduced_graph() -> None:
    whole, seen = (check(MUTEX, properties=[], engine="evaluator", reduce=reduce) for reduce in (False, True))
    assert (whole.distinct, seen.distinct) == (24, 22)
    assert seen.to_dict()["reduce"] is True
    assert "reduce" not in whole.to_dict()
    assert seen.command == "isrcheck check toy-mutex --property none --engine evaluator --reduce"


def test_a_run_that_was_cut_off_looked_at_no_length() -> None:
    limits = isrcheck.Limits(depth=3)
    seen = [check(MUTEX, engine="evaluator", limits=limits, reduce=reduce) for reduce in (False, True)]
    assert [each.property("mutual_exclusion").assurance for each in seen] == ["bounded(2)", "bounded(0)"]


REFUSED = [
    (
        "toy-mutex",
        {"engine": "reference"},
        "the reference engine takes every step: leave --reduce out, or use --engine native.",
    ),
    (
        "toy-mutex",
        {"engine": "spark"},
        "the spark engine takes every step: leave --reduce out, or use --engine native.",
    ),
    (
        "toy-mutex",
        {"disk": Path("nowhere")},
        "the reduced graph is not kept on disk: leave one of --reduce and --disk out.",
    ),
    (
        "examples/lamport_mutex.py:LamportMutex",
        {},
        "LamportMutex has the constraint small_clocks, with which there is no --reduce: leave it out.",
    ),
]


@pytest.mark.parametrize(("model", "more", "sentence"), REFUSED, ids=[sentence[:30] for *_, sentence in REFUSED])
def test_refused(model: str, more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        check(model, reduce=True, **more)
    assert str(refused.value) == sentence
