"""Messages of a network are arrows from the step that sent them; what overtakes, and what is lost, shows."""

import pytest
from tests.lang.models.channels import Ordered
from tests.lang.models.networks import Putting

from isrcheck import check
from isrcheck.evidence.forms.messages import arrivals
from isrcheck.evidence.forms.table import render_trace
from isrcheck.run.trace import Trace


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    found = {p.name: p.trace for p in check(Putting).properties}
    return {name: trace for name, trace in found.items() if trace is not None}


def test_one_message_overtakes_another(traces: dict[str, Trace]) -> None:
    text = render_trace(traces["never_back"], "mermaid")
    assert [line.strip() for line in text.splitlines() if "p0-" in line] == [
        "p0-)p1: 1 put#58; put 1",
        "p0-)p1: 2 put#58; put 2",
        "p0->>p1: 3 keep#58; put 2 (sent in step 2), overtakes what was sent in step 1",
        "p0->>p1: 4 keep#58; put 1 (sent in step 1)",
    ]


def test_a_lost_message_has_a_cross(traces: dict[str, Trace]) -> None:
    assert "p0-xp1: 4 lose#58; put 2, lost (sent in step 2)" in render_trace(traces["half_lost"], "mermaid")
    assert "l10 10m0 -10l-10 10" in render_trace(traces["half_lost"], "svg")


def test_the_terminal_says_when_it_was_sent(traces: dict[str, Trace]) -> None:
    assert "keep(m=Put(source=n0, target=n1, value=2)), sent in step 2" in render_trace(traces["never_back"], "txt")


def test_a_message_of_a_channel_comes_from_where_it_was_sent() -> None:
    """Drawn without a word of the model: a channel's ends are lanes."""
    (told,) = [p.trace for p in check(Ordered, properties=["heard_twice"]).properties]
    assert told is not None
    text = render_trace(told, "mermaid")
    assert [line.strip() for line in text.splitlines() if "->>" in line] == [
        "p1->>p2: 3 hear#58; Link (sent in step 1)",
        "p1->>p2: 4 hear#58; Link (sent in step 2)",
    ]


@pytest.mark.parametrize(
    ("then", "now", "sent"),
    [
        (["a", "a"], ["a"], [2]),
        (["a", "a"], ["a", "b"], [2, 3]),
        (["a", "b"], ["a"], [1]),
        (["a", "b"], ["b"], [2]),
        (["a", "b"], ["a", "a", "b"], [1, 3, 3]),
    ],
)
def test_the_first_of_a_queue_leaves_first(then: list[str], now: list[str], sent: list[int]) -> None:
    """Of two that are alike, too."""
    known = arrivals(then[:1], [], None, 1)
    known = arrivals(then, then[:1], known, 2)
    _, places = arrivals(now, then, known, 3)
    assert [number for number, _ in places.values()] == sent
