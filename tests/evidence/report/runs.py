"""Runs that reports are tried on: small ones, and one made up in which every name is an attack."""

from functools import cache
from typing import Any

from tests.evidence.test_forms import SCRIPT, nasty

from isrcheck import check
from isrcheck.engines.contract import Limits
from isrcheck.evidence.report.entry import Failed, Measured, ReportedRun, from_outcome
from isrcheck.evidence.report.facts import facts_of, noise_of

SIZES = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
MADE = {
    "date": "2026-01-01T00:00:00+00:00",
    "machine": {"system": "Linux", "processor": "x86_64", "cores": 2},
    "python": "3.11.0",
}


@cache
def entries() -> tuple[ReportedRun, ...]:
    """A violation, verdicts within bounds, one that was cut short, one that holds for good, and two without verdict."""
    return (
        from_outcome(check("truncate-to-high-watermark", constants=SIZES)),
        from_outcome(check("kip-320", constants=SIZES)),
        from_outcome(check("kip-320", constants={**SIZES, "replicas": 3}, limits=Limits(depth=5))),
        from_outcome(check("toy-mutex")),
        Failed("kip-320", {"replicas": 9}, 10, "replicas=9 contradicts the assumption few."),
        Failed("mine.py:Mine", {}, 75, "mine.py:7: a list is no value of a model."),
    )


def hostile() -> Measured:
    """A run in which every name and text is an attack."""
    outcome = dict(from_outcome(check("truncate-to-high-watermark", constants=SIZES)).outcome)
    found = dict(next(p for p in outcome["properties"] if p["name"] == "strong_isr"), name=SCRIPT)
    found["trace"] = {"length": 2, "file": None}
    changes: dict[str, Any] = {
        "model": SCRIPT,
        "constants": {SCRIPT: SCRIPT},
        "command": SCRIPT,
        "cut": SCRIPT,
        "settings": [SCRIPT],
        "actions": [{"name": SCRIPT, "generated": 1, "distinct": 1}],
        "properties": [found],
    }
    return Measured({**outcome, **changes}, {SCRIPT: nasty()})


def parts(*some: ReportedRun) -> tuple[dict[str, Any], dict[str, Any]]:
    return facts_of(some, "0.1.0", "isrcheck compare MODEL --to report -o DIR"), noise_of(some, MADE)
