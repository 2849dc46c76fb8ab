"""Every row of specs/published-specs.csv: what TLC says of the published modules, equalled by the slower engines.

The native engine does so in this project's gate: specs/published.toml.
"""

import csv
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import pytest

from isrcheck import Outcome, Verdict, check

SPECS = Path(__file__).parents[2] / "specs"
MODELS = {
    "KafkaTruncateToHighWatermark": "truncate-to-high-watermark",
    "Kip101": "kip-101",
    "Kip279": "kip-279",
    "Kip320FirstTry": "kip-320-first-try",
    "Kip320": "kip-320",
}
PROPERTIES = {"WeakIsr": "weak_isr", "StrongIsr": "strong_isr"}
CONSTANTS = ("replicas", "log_size", "max_records", "max_leader_epoch")
Row = dict[str, str]

LARGEST_FOR_REFERENCE = 100_000
# Distinct states; what is larger takes the reference half a minute. The gate checks every row with the native engine,
# and tests/agreement the engines against each other at smaller bounds of as many replicas.
QUICK_FOR_REFERENCE = 9_000
QUICK_FOR_EVALUATOR = 40_000


def rows(name: str) -> list[Row]:
    with (SPECS / name).open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert found
    return found


def runs() -> Iterator[tuple[str, dict[str, int], list[Row]]]:
    """One run for each module and configuration, with all the rows it answers."""

    def key(row: Row) -> tuple[str, ...]:
        return (row["module"], *(row[c] for c in CONSTANTS))

    for (module, *numbers), group in groupby(sorted(rows("published-specs.csv"), key=key), key):
        yield MODELS[module], dict(zip(CONSTANTS, map(int, numbers), strict=True)), list(group)


def size(group: list[Row]) -> int:
    return max(int(row["distinct"] or 0) for row in group)


def cases(largest: int, quick: int) -> Sequence[object]:
    found = []
    for model, constants, group in runs():
        if size(group) <= largest:
            label = f"{model}-{'-'.join(map(str, constants.values()))}"
            marks = [pytest.mark.slow] if size(group) > quick else []
            found.append(pytest.param(model, constants, group, id=label, marks=marks))
    return found


def compare(outcome: Outcome, group: list[Row]) -> None:
    for row in group:
        if row["verdict"] != "violated":
            assert (outcome.distinct, outcome.depth) == (int(row["distinct"]), int(row["depth"])), row
            assert outcome.cut is None
        if row["property"] in PROPERTIES:
            found = outcome.property(PROPERTIES[row["property"]])
            assert found.verdict.value == row["verdict"], row
            if found.verdict is Verdict.VIOLATED:
                assert found.trace is not None
                assert found.trace.length == int(row["depth"]), row


@pytest.mark.parametrize(("model", "constants", "group"), cases(LARGEST_FOR_REFERENCE, QUICK_FOR_REFERENCE))
def test_the_reference_equals_tlc(model: str, constants: dict[str, int], group: list[Row]) -> None:
    compare(check(model, engine="reference", constants=constants), group)


@pytest.mark.parametrize(("model", "constants", "group"), cases(10_000_000, QUICK_FOR_EVALUATOR))
def test_the_scalar_evaluator_equals_tlc(model: str, constants: dict[str, int], group: list[Row]) -> None:
    compare(check(model, engine="evaluator", constants=constants), group)


def violations() -> list[Row]:
    return rows("smallest-violations.csv")


def violation_cases() -> Sequence[object]:
    found = []
    for row in violations():
        numbers = [row[c] for c in CONSTANTS]
        label = f"{row['model']}-{'-'.join(numbers)}-{row['property']}-{row['verdict']}"
        slow = numbers[0] == "3" and numbers[1:] != ["1", "1", "1"]
        found.append(pytest.param(row, id=label, marks=[pytest.mark.slow] if slow else []))
    return found


@pytest.mark.parametrize("row", violation_cases())
def test_the_smallest_violations_are_as_deep_as_known(row: Row) -> None:
    """The machine with the repaired ISR rule; a step is a transition, so a trace has one state more."""
    constants = {c: int(row[c]) for c in CONSTANTS} | {"isr_may_empty": row["isr_may_empty"] == "true"}
    outcome = check(row["model"], engine="evaluator", properties=[row["property"]], constants=constants)
    found = outcome.properties[0]
    assert found.verdict.value == row["verdict"]
    assert outcome.exit == (12 if row["verdict"] == "violated" else 0)
    if row["steps"]:
        assert found.trace is not None
        assert found.trace.length - 1 == int(row["steps"])


@pytest.mark.parametrize(
    ("model", "constants", "distinct", "length"),
    [
        ("async-isr", {"replicas": 2, "max_offset": 2, "max_version": 3}, 168, None),
        ("async-isr", {"replicas": 3, "max_offset": 1, "max_version": 2}, 1460, None),
        ("async-isr-committed-only", {"replicas": 2, "max_offset": 1, "max_version": 3}, None, 6),
        ("async-isr-proposed-only", {"replicas": 2, "max_offset": 1, "max_version": 3}, None, 3),
    ],
)
def test_async_isr_and_its_mutants(
    model: str, constants: dict[str, int], distinct: int | None, length: int | None
) -> None:
    outcome = check(model, engine="reference", constants=constants)
    found = outcome.property("valid_high_watermark")
    if distinct is not None:
        assert outcome.distinct == distinct
        assert found.verdict is Verdict.HOLDS
    else:
        assert found.trace is not None
        assert found.trace.length == length


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
