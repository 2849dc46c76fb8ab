"""The smaller runs of specs/partition-matrix.csv and specs/original-design.csv, and the tables made of them.

The native engine makes all of them in this project's gate: specs/long.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.models.compare import compare
from tools.reports.partition import (
    MATRIX,
    ROOT,
    SCENARIOS,
    VIOLATIONS,
    Case,
    cases,
    figures,
    figures_of_rows,
    matrix_table,
    run,
    states,
    violation_table,
)
from tools.reports.tables import Row

from isrcheck.lang.read import read_model
from isrmodel.catalogue import MODELS

Group = tuple[str, str, str, list[Row]]  # an engine, a model, its constants, what is expected

QUICK = 8_000  # states that the evaluator sees in half a second; the slow tests take three times as many
SLOW = 23_000


def label(case: Case) -> str:
    return "-".join(word for word in case if word)


def groups() -> list[tuple[Case, str, list[Row]]]:
    """Every run that the tables speak of: its name, its model and its rows."""
    of_partitions = [(case, case[0], group) for case, group in cases(MATRIX).items()]
    return of_partitions + [(case, "original-design", group) for case, group in cases(SCENARIOS).items()]


def small_runs() -> Iterator[object]:
    """The smallest scenarios, and of the matrix what the page shows."""
    for case, model, group in groups():
        if states(group) <= SLOW and (not case[0].startswith("partition") or not case[1]):
            slow = [pytest.mark.slow] * (states(group) > QUICK)
            yield pytest.param(model, case[1], group, id=label(case), marks=slow)


@pytest.mark.parametrize(("model", "constants", "group"), [*small_runs()])
def test_the_evaluator_finds_the_small_ones(model: str, constants: str, group: list[Row]) -> None:
    assert figures(run(model, constants, "evaluator")) == figures_of_rows(group)


SMALLEST = {"max_records": 1, "leader_epochs": 2, "max_version": 2, "lag_time_max": 1}
SMALL = SMALLEST | {"max_version": 3}
SMALLEST_DESIGN = {"max_records": 1, "max_version": 2, "max_changes": 1, "lag_time_max": 0}
SMALL_DESIGN = SMALLEST_DESIGN | {"max_changes": 2, "max_commands": 1, "replicas_move": True}
PARTITIONS = [name for name in MODELS if name.startswith("partition-")]
UNLIKE = [
    "partition-max-messages-kip-320",
    "partition-kafka-4485-v2-by-high-watermark",
    "partition-strict-min-isr-kip-320",
]


@pytest.mark.parametrize(
    ("name", "constants", "fired"),
    [
        pytest.param(UNLIKE[0], SMALLEST, 9, id=f"smallest-{UNLIKE[0]}"),
        pytest.param("original-design", SMALLEST_DESIGN, 8, id="smallest-design"),
        *(pytest.param(name, SMALLEST, 9, marks=pytest.mark.slow) for name in UNLIKE[1:]),
        *(pytest.param(name, SMALL, 10, marks=pytest.mark.slow) for name in PARTITIONS),
        pytest.param("original-design", SMALL_DESIGN, 10, marks=pytest.mark.slow),
    ],
)
def test_reference_and_evaluator_agree(name: str, constants: dict[str, Any], fired: int) -> None:
    seen = compare(MODELS[name], **constants)
    assert seen.undecided == 0
    assert len(seen.fired) >= fired


# What the tables must show, whatever else is in them


def verdicts(constants: str, name: str) -> dict[str, str]:
    return {
        model: row["verdict"]
        for (model, text), group in cases(MATRIX).items()
        if text == constants
        for row in group
        if row["property"] == name
    }


def test_the_pseudo_isr_with_a_durable_isr_loses_committed_records() -> None:
    """DOMAIN 1.e, item 1: at the defaults, the text alone breaks it under KIP-320's truncation."""
    broken = {m for m, v in verdicts("", "committed_survives").items() if v == "violated" and m.endswith("kip-320")}
    assert broken == {"partition-kafka-4485-v2-kip-320"}


def test_truncating_to_the_high_watermark_loses_committed_records_under_any_admission() -> None:
    found = verdicts("", "committed_survives")
    assert all(v == "violated" for m, v in found.items() if m.endswith("by-high-watermark"))


def test_a_clock_that_is_not_reset_shrinks_the_isr_at_once() -> None:
    """KIP-16's clock is not reset on becoming leader (1.c); 0.10.2's reset is undone (KAFKA-4441)."""
    broken = {m for m, v in verdicts("", "new_leader_spares_isr").items() if v == "violated"}
    assert broken == {m for m in PARTITIONS if "kip-16" in m or "4485-merged" in m}


def test_admission_without_the_epoch_start_needs_three_replicas_to_lose_records() -> None:
    """KAFKA-7128: KIP-320's truncation alone does not save admission policies from before 2.1."""
    found = verdicts("replicas=3;max_records=1;lag_time_max=1", "committed_survives")
    safe = {m for m, v in found.items() if v == "holds"}
    assert safe == {"partition-kafka-7152-kip-320", "partition-strict-min-isr-kip-320"}


def test_the_page_shows_the_figures() -> None:
    assert "\n".join(matrix_table()) in (ROOT / "docs" / "partition.md").read_text(encoding="utf-8")


def test_the_design_of_2012_is_violated_and_mended_as_the_table_says() -> None:
    assert len([*violation_table()]) == 2 + len(VIOLATIONS)


def test_a_combination_fills_what_its_parts_fill() -> None:
    filled = read_model(MODELS["partition-strict-min-isr-kip-320"]).filled
    assert {"may_commit", "lag_at_epoch", "truncation_point"} <= set(filled)
    assert len(filled) == len(set(filled)) == 12
