"""Small runs of specs/isr-matrix.toml on the reference: what each ISR admission policy keeps and violates.

The native engine makes all of them, and those of specs/isr-sweep.csv, in this project's gate: specs/isr-matrix.toml and
specs/long/isr-sweep.toml.
"""

from collections.abc import Sequence
from itertools import groupby

import pytest
from tests.tables import Row, rows

from isrcheck import Outcome, check
from isrmodel import MODELS

SMALL = (
    "max_records=0 lag_time_max=2 ",
    "max_records=1 lag_time_max=2 ",
)  # what is in the constants of runs that the reference can make


def constants(row: Row) -> dict[str, str]:
    return dict(pair.split("=") for pair in row["constants"].split())


def runs() -> Sequence[object]:
    """One small run for each model and configuration, with all the rows it answers."""

    def key(row: Row) -> tuple[str, str]:
        return row["model"], row["constants"]

    return [
        pytest.param(list(group), id=f"{model}-{chosen}".replace(" ", "-"))
        for (model, chosen), group in groupby(sorted(rows("isr-matrix.toml"), key=key), key)
        if any(part in chosen for part in SMALL)
    ]


def compare(outcome: Outcome, group: list[Row]) -> None:
    assert outcome.cut is None
    for row in group:
        found = outcome.property(row["property"])
        steps = str(found.trace.length - 1) if found.trace else ""
        assert (found.verdict.value, steps) == (row["verdict"], row["steps"]), row


@pytest.mark.parametrize("group", runs())
def test_the_reference_agrees(group: list[Row]) -> None:
    compare(check(group[0]["model"], engine="reference", constants=constants(group[0])), group)


@pytest.mark.parametrize("pace", ["free", "every-tick"])
@pytest.mark.parametrize("model", sorted(name for name in MODELS if name.startswith("isr-")))
def test_the_reference_sees_the_same_graph(model: str, pace: str) -> None:
    constants = {"max_records": 1, "lag_time_max": 1, "expiration_period": 1, "pace": pace}
    slow, fast = (check(model, engine=engine, constants=constants) for engine in ("reference", "native"))
    assert (slow.distinct, slow.generated, slow.depth, slow.pruned) == (
        fast.distinct,
        fast.generated,
        fast.depth,
        fast.pruned,
    )
    assert slow.digest == fast.digest
    assert [p.verdict for p in slow.properties] == [p.verdict for p in fast.properties]


def test_every_policy_is_in_the_matrix() -> None:
    policies = {name for name in MODELS if name.startswith("isr-")}
    assert {row["model"] for row in rows("isr-matrix.toml")} == policies
    assert {row["model"] for row in rows("isr-sweep.csv")} == policies
