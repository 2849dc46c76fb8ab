"""Toys, of which every answer is known by hand: nothing is proved that some constants violate."""

import pytest

from isrcheck import prove
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrtoys import KNOWN, TOYS

PROVED = {
    "toy-evens": {"even"},
    "toy-mutex": {"flags_are_true"},
    "toy-queue": {"never_too_long", "order_is_kept"},
    "toy-thermometer": {"within_what_was_seen", "not_unseen", "memory_grows"},
}
REFUSED = {"toy-clock", "toy-juggler", "toy-ledger", "toy-lottery", "toy-post"}  # sums, division, None among keys


@pytest.mark.parametrize("name", [name for name in TOYS if name not in REFUSED])
def test_no_toy_is_proved_to_hold_what_is_violated(name: str) -> None:
    cls, known = TOYS[name], KNOWN[name]
    violated = {n for n, (verdict, _) in known.properties.items() if verdict == "violated"}
    constants = bind(read_model(cls), known.constants).constants
    for given in ({}, constants):
        proved = {p.name for p in prove(cls, constants=given).outcome.properties if p.verdict.value == "holds"}
        assert not proved & violated
        assert proved >= PROVED.get(name, set())


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_toy_that_prove_cannot_read_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(UsageError, match=r"(?s)prove cannot read .*isrcheck check") as refused:
        prove(TOYS[name])
    assert "Traceback" not in str(refused.value)


def test_a_reachability_property_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        prove(TOYS["toy-clock"], properties=["last_minute"])
    assert str(refused.value) == (
        "last_minute is a reachability property: prove is for invariants and step properties. Use isrcheck check."
    )
