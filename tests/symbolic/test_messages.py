"""Unions and messages in slots with z3: what it finds is what the native engine finds."""

import pytest
from tests.agreement import messages
from tests.agreement.test_slots import force_slots
from tests.lang.models import channels

from isrcheck import Limits, Model, Verdict, check
from isrcheck.errors import ModelError


@pytest.mark.parametrize(
    ("cls", "name", "length"),
    [(messages.Flights, "two_grants", 4), (messages.Packets, "granted", 3), (channels.Ordered, "full", 3)],
)
def test_z3_reaches_in_slots_what_the_native_engine_reaches(
    cls: type[Model], name: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    force_slots(monkeypatch, 2)
    for engine in ("native", "symbolic"):
        found = check(cls, engine=engine, properties=[name], limits=Limits(depth=length)).property(name)
        assert found.verdict is Verdict.HOLDS
        assert found.trace is not None
        assert found.trace.length == length


def test_z3_reaches_nothing_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    force_slots(monkeypatch, 2)
    found = check(messages.Flights, engine="symbolic", properties=["two_grants"], limits=Limits(depth=3))
    assert found.property("two_grants").verdict is Verdict.UNDETERMINED


def test_a_bound_of_a_set_that_is_open_prunes_steps() -> None:
    found = check(messages.Packets, engine="symbolic", in_flight="1..2", terms=0, limits=Limits(depth=2))
    assert found.property("granted").verdict is Verdict.UNDETERMINED


def test_more_messages_than_z3_takes_are_refused() -> None:
    with pytest.raises(ModelError, match=r"frozenset\[Message\] has 36018 possible elements; 4096 is the most a set"):
        check(messages.Network, engine="symbolic", terms=2000, limits=Limits(depth=1))
