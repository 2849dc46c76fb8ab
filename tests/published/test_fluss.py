"""Another system's rules as policies of Kafka's published designs: each loses, in the steps that the documents say."""

from pathlib import Path

import pytest

from isrcheck import check

FILE = Path(__file__).with_name("fluss.py")
TWO_RECORDS = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
THREE_REPLICAS = {"replicas": 3, "max_leader_epoch": 2}


@pytest.mark.parametrize(
    ("name", "constants", "steps"),
    [
        ("TruncatesNothing", TWO_RECORDS, {"strong_isr": 8, "log_matching": 12}),
        ("TruncatesToLeaderStart", TWO_RECORDS, {"strong_isr": 10, "log_matching": 15}),
        ("TakesCopiesForCommitted", THREE_REPLICAS, {"strong_isr": 8}),
        ("MixedMode", TWO_RECORDS, {"strong_isr": 8, "log_matching": 12}),
    ],
)
def test_rules_that_compare_no_epochs_lose_records(name: str, constants: dict[str, int], steps: dict[str, int]) -> None:
    outcome = check(f"{FILE}:{name}", constants=constants, properties=tuple(steps), vacuity=False)
    assert {p.name: len(p.trace.steps) - 1 for p in outcome.properties if p.trace is not None} == steps
