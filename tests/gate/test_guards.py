"""The rows of specs/guards.csv are what the reference says, and those of a gate that misses every guard."""

from collections.abc import Sequence
from itertools import groupby

import pytest
from tests.gate.guards import COLUMNS, Figures, figures, runs
from tests.tables import rows

LARGEST_QUICK, LARGEST_FOR_REFERENCE = 500, 20_000  # distinct states


def table() -> dict[tuple[str, str], Figures]:
    """By model and constants what figures() found."""

    def key(row: dict[str, str]) -> tuple[str, str]:
        return row["model"], row["constants"]

    return {
        chosen: {row["property"]: tuple(row[c] for c in COLUMNS[3:]) for row in group}
        for chosen, group in groupby(rows("guards.csv"), key)
    }


def cases() -> Sequence[object]:
    found = []
    for (model, constants), figures_of in table().items():
        states = int(figures_of["none"][2])
        if states <= LARGEST_FOR_REFERENCE:
            marks = [pytest.mark.slow] if states > LARGEST_QUICK else []
            found.append(pytest.param(model, constants, id=f"{model} {constants}".strip(), marks=marks))
    return found


@pytest.mark.parametrize(("model", "constants"), cases())
def test_the_reference_agrees(model: str, constants: str) -> None:
    assert figures(model, constants, "reference") == table()[model, constants]


def test_every_choice_at_which_guards_are_removed_has_its_rows() -> None:
    assert list(table()) == list(runs())
