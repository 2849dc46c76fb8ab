"""A partition of a soak on 4.1.1, cut short: a broker comes back while the controller is paused."""

from pathlib import Path

import pytest

from isrlogs.conform.event import Event
from isrlogs.conform.judge import judge
from isrlogs.conform.reading import events_of, settings_of
from isrlogs.conform.search import Limits
from isrlogs.conform.verdict import Verdict

SOAK = Path(__file__).parent / "data" / "soak-4.1.1"
LIMITS = Limits(seconds=None, nodes=2_000)


def events() -> list[Event]:
    ((_, found),) = events_of(SOAK, "tv-0").items()
    return found


def verdict(found: list[Event], model: str = "kraft-4.1") -> Verdict:
    return judge("soak", found, settings_of(SOAK, found), model, {}, LIMITS)


def lines_of(node: str) -> list[Event]:
    """In order."""
    own = [event for event in events() if event.node == node and event.source == "log"]
    return sorted(own, key=lambda event: event.order)


def without(*lost: Event) -> list[Event]:
    gone = {(event.node, event.order) for event in lost}
    return [e for e in events() if e.source != "log" or (e.node, e.order) not in gone]


def test_a_broker_that_fetches_before_the_controller_registers_it() -> None:
    found = verdict(events())
    assert (found.verdict, found.why) == ("conforms", "")
    assert found.trace is not None
    actions = [step.action for step in found.trace.steps]
    assert actions.index("kill") < actions.index("start") < actions.index("register_started")
    between = found.trace.steps[actions.index("start") : actions.index("register_started")]
    assert any(step.action == "fetch_arrives" and step.arguments["follower"] == "r2" for step in between)


@pytest.mark.parametrize("brokers", [(1,), (2,), (1, 2, 3)])
def test_a_log_that_is_missing_is_named(brokers: tuple[int, ...]) -> None:
    found = verdict(without(*(event for b in brokers for event in lines_of(f"broker {b}"))))
    assert found.verdict == "undetermined"
    assert all(f"broker {broker}: its log is missing" in found.why for broker in brokers)
