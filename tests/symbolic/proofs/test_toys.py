"""No toy is proved to hold what is known to break, whatever is left open; what is proved, holds."""

from typing import Any

import pytest

from isrcheck import prove
from isrcheck.errors import UsageError
from isrcheck.ir.interval import ValueRange
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.toys import KNOWN, TOYS

PROVED = {
    "toy-clock": {"within_a_day", "one_minute_at_a_time"},
    "toy-evens": {"even"},
    "toy-forks": {"two_forks_at_most"},
    "toy-ledger": {
        "no_coin_is_lost",
        "nobody_has_most",
        "smallest_is_least",
        "givers_are_friends",
        "book_grows_by_gifts",
    },
    "toy-thermometer": {"within_what_was_seen", "not_unseen", "memory_grows"},
}


def named(*slow: str) -> list[Any]:
    """The toys by name, those that take seconds marked slow."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in slow else name for name in TOYS]


@pytest.mark.parametrize("name", named("toy-lottery"))
def test_closed(name: str) -> None:
    """At the constants of what is known."""
    cls, known = TOYS[name], KNOWN[name]
    constants = bind(read_model(cls), known.constants).constants
    for found in prove(cls, constants=constants, k=1).outcome.properties:
        verdict, length = known.properties[found.name]
        if found.verdict.value != "undetermined":
            assert (found.name, found.verdict.value) == (found.name, verdict)
        if found.trace is not None:
            assert found.trace.length == length


@pytest.mark.parametrize("name", named("toy-lottery", "toy-seats", "toy-ledger", "toy-juggler"))
def test_open(name: str) -> None:
    """With all constants open: what breaks at some is proved for none."""
    run = prove(TOYS[name], k=1)
    broken = {n for n, (verdict, _) in KNOWN[name].properties.items() if verdict == "violated"}
    proved = {p.name for p in run.outcome.properties if p.verdict.value == "holds"}
    assert not proved & broken
    assert proved >= PROVED.get(name, set())
    assert all(
        isinstance(choice, ValueRange) for proof in run.proofs for choice in proof.symbolic.model.symbolic.values()
    )


def test_a_claim_of_reachability_is_refused() -> None:
    with pytest.raises(UsageError) as told:
        prove(TOYS["toy-clock"], properties=["last_minute"])
    assert str(told.value) == (
        "last_minute is a reachability property: prove is for invariants and step properties. Use isrcheck check."
    )


def test_a_longer_base_meets_a_violation() -> None:
    found = prove(TOYS["toy-counter"], properties=["below_three"], limit=3, k=4).outcome.property("below_three")
    assert found.trace is not None
    assert (found.verdict.value, found.trace.length) == KNOWN["toy-counter"].properties["below_three"]
