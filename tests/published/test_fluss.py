"""Another system's rules as policies of Kafka's published designs: each loses, in the steps that the documents say."""

from pathlib import Path

import pytest

from isrcheck import check

FILE = Path(__file__).with_name("fluss.py")
CONSTANTS = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("TruncatesNothing", {"strong_isr": 8, "log_matching": 12}),
        ("TruncatesToLeaderStart", {"strong_isr": 10, "log_matching": 15}),
    ],
)
def test_rules_without_epochs_lose_records(name: str, steps: dict[str, int]) -> None:
    outcome = check(f"{FILE}:{name}", constants=CONSTANTS, properties=tuple(steps), vacuity=False)
    assert {p.name: len(p.trace.steps) - 1 for p in outcome.properties if p.trace is not None} == steps
